#!/usr/bin/env python3
"""Checks that host_refusals.c calls every public function that takes bytes or a definition, unless behind_doors.txt gives a reason not to (TAP).

    doors.py HEADER...
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TAKES_BYTES = re.compile(r"const void \*(?!\*)|kiln_span |const kiln_\w+(_def|_args|_desc|_head) \*")


def declared(path):
    """Returns the functions of a header whose parameters include bytes or a definition."""
    text = re.sub(r"/\*.*?\*/", "", Path(path).read_text(), flags=re.S)
    text = re.sub(r"^\s*#(?:.*\\\n)*.*$", "", text, flags=re.M)
    functions = re.findall(r"^(?!static|typedef)[a-z_][\w \*\n]*?\b(kiln_\w+)\(([^;{]*?)\);", text, re.M | re.S)
    return {name for name, parameters in functions if TAKES_BYTES.search(" ".join(parameters.split()))}


def main():
    wanted = set().union(*map(declared, sys.argv[1:]))
    called = set(re.findall(r'\{"(kiln_\w+)', (HERE / "host_refusals.c").read_text()))
    rows = [line.split(maxsplit=1) for line in (HERE / "behind_doors.txt").read_text().splitlines() if not line.startswith("#")]
    excused = {row[0] for row in rows if len(row) == 2}
    missing = sorted(wanted - called - excused)
    twice = sorted(called & excused)
    # Without the runtime, its functions may still be listed.
    gone = sorted(excused - wanted) if any("runtime" in Path(header).parts for header in sys.argv[1:]) else []
    for name in missing:
        print(f"# {name}: neither called by host_refusals.c nor listed in behind_doors.txt")
    for name in twice:
        print(f"# {name}: called by host_refusals.c, so behind_doors.txt must not list it")
    for name in gone:
        print(f"# {name}: listed in behind_doors.txt, but not a public function that takes bytes")
    print(f"{'not ok' if missing or twice or gone or not wanted else 'ok'} 1 - all {len(wanted)} functions that take bytes are covered for a big-endian host\n1..1")


main()
