#!/usr/bin/env python3
"""Tests how record.py counts executions, and how archives of inputs are packed (TAP): check_record.py PACK_CORPUS FUZZ_BLOB

FUZZ_BLOB replays archives.
"""
import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACK, REPLAY = sys.argv[1:3]
# record.py prints its rows, which are not TAP.
TAP, sys.stdout = sys.stdout, sys.stderr
TABLE = """# Record

| harness | executions | CPU minutes | inputs kept | rooms | functions | lines | branches | last commit | date |
|---|---|---|---|---|---|---|---|---|---|
| blob | 2,536,613 | 10.2 | 367 | blobfmt | 78.9 | 75.2 | 70.7 | 0123456789ab | 2026-01-01 |
| yaml | 8 | 0.0 | 412 | baker | 18.3 | 16.2 | 18.4 | 0123456789ab | 2026-01-01 |

| by AFL++ | executions | CPU minutes | last commit | date |
|---|---|---|---|---|

| harness | reads |
|---|---|
| load | a file with a scene |

The end.
"""
FAKE = """#!/bin/sh
echo "#10\tINITED cov: 1" >&2
echo "stat::number_of_executed_units: $((10 + ${2%?}))" >&2
exit "${FAKE_EXIT:-0}"
"""
FAKE_AFL = """#!/bin/sh
cd "$KILN_FUZZ_FOLDER/$1" && mkdir -p afl/default/queue afl/default/crashes && echo found >afl/default/queue/id:0
echo "execs_done        : $FAKE_DONE" >afl/default/fuzzer_stats
"""
failed = count = 0


def check(what, holds):
    global failed, count
    count += 1
    failed += not holds
    print(f"{'ok' if holds else 'not ok'} {count} - {what}", file=TAP, flush=True)


def load(work):
    spec = importlib.util.spec_from_file_location("record", HERE / "record.py")
    record = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(record)
    record.WORK, record.TOTALS, record.RECORD, record.HERE = work, work / "totals.json", work / "RECORD.md", work
    record.ENVIRONMENT["KILN_FUZZ_FOLDER"] = str(work)
    record.RECORD.write_text(TABLE)
    return record


def check_totals(record):
    record.count("blob", 1000, 60, "ba9876543210")
    check("slices of one harness are summed", record.count("blob", 387, 30, "ba9876543210") == (1387, 90))
    record.count("load", 7, 6, "ba9876543210")
    record.count("AFL++ yaml", 500, 12, "ba9876543210")
    record.add(["blob", "load", "yaml"])
    lines = record.RECORD.read_text().splitlines()
    day = record.datetime.date.today().isoformat()
    check("a total grows by the new executions, and its row keeps the coverage",
          f"| blob | 2,538,000 | 11.7 | 367 | blobfmt | 78.9 | 75.2 | 70.7 | ba9876543210 | {day} |" in lines)
    check("a harness without a row gets one", any(line.startswith("| load | 7 | 0.1 |") for line in lines))
    check("a row without new executions stays unchanged", TABLE.splitlines()[5] in lines)
    check("AFL++ has its own rows", f"| AFL++ yaml | 500 | 0.2 | ba9876543210 | {day} |" in lines)
    check("nothing is left to add", record.read_totals() == {})
    before = record.RECORD.read_text()
    record.add(["blob", "load", "yaml"])
    check("adding again changes nothing", record.RECORD.read_text() == before)
    record.count("AFL++ yaml", 500, 12, "ba9876543210")
    record.add(["yaml"])
    text = record.RECORD.read_text()
    check("the rows of AFL++ grow", "| AFL++ yaml | 1,000 | 0.4 |" in text and text.count("AFL++ yaml") == 1)
    check("the text around the tables stays", text.startswith("# Record\n") and text.endswith("\nThe end.\n"))


def check_slices(record, work):
    (work / "run.sh").write_text(FAKE)
    (work / "blob").mkdir()
    done = record.run_slice("blob", 0, 1234)
    check("replayed inputs do not count", done is not None and done[0] == 123)
    record.ENVIRONMENT["FAKE_EXIT"] = "77"
    (work / "blob/crash-1").write_text("x")
    (work / "blob/fuzz").write_text("#!/bin/sh\nexit 1\n")
    (work / "blob/fuzz").chmod(0o755)
    check("a slice with a finding does not count", record.run_slice("blob", 0, 1234) is None)
    record.is_stopped.set()
    del record.ENVIRONMENT["FAKE_EXIT"]
    check("a stopped search runs no more slices", record.run_slice("blob", 1, 1234) == (0, 0))


def check_afl_slices(record, work):
    (work / "run_afl.sh").write_text(FAKE_AFL)
    (work / "yaml").mkdir()
    counted = []
    for done in (100, 250, 250, 40):
        record.ENVIRONMENT["FAKE_DONE"] = str(done)
        counted.append(record.run_afl_slice("yaml", 0, 1)[0])
    check("AFL++'s total counts in full for a new run, and as a difference when a run continues", counted == [100, 150, 0, 40])
    check("inputs found by AFL++ are passed to libFuzzer", [path.read_text() for path in (work / "yaml/new").iterdir()] == ["found\n"])


def pack(*words):
    return subprocess.run([PACK, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)


def check_archives(work):
    folder, other = work / "inputs", work / "other"
    folder.mkdir()
    inputs = {"seed": b"\0" * 700, "a-seed": b"", "0123456789ab": bytes(range(256)) * 2, "block": b"x" * 512}
    for name, data in inputs.items():
        (folder / name).write_bytes(data)
    check("a folder is packed", pack("pack", folder, work / "a.tar.zst").returncode == 0)
    check("an archive is unpacked", pack("unpack", work / "a.tar.zst", other).returncode == 0)
    check("unpacking restores the inputs", {path.name: path.read_bytes() for path in other.iterdir()} == inputs)
    (other / "seed").touch()
    pack("pack", other, work / "b.tar.zst")
    packed = (work / "a.tar.zst").read_bytes()
    check("the same inputs give the same archive", (work / "b.tar.zst").read_bytes() == packed)
    listed = pack("list", work / "a.tar.zst").stdout.split()
    check("inputs are sorted by name", listed[1::2] == sorted(name.encode() for name in inputs))
    bad = 0
    for size in range(0, len(packed), 7):
        (work / "c.tar.zst").write_bytes(packed[:size])
        bad += pack("list", work / "c.tar.zst").returncode == 0
    check("a truncated archive is refused", bad == 0)
    for what, path, code in (("whole archive is replayed", "a", 0), ("broken one is refused", "c", 1), ("missing one is refused", "d", 1)):
        run = subprocess.run([REPLAY, work / f"{path}.tar.zst"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        check(f"a {what}", run.returncode == code)


def main():
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        record = load(work)
        check_totals(record)
        check_afl_slices(record, work)
        check_slices(record, work)
        check_archives(work)
    print(f"1..{count}", file=TAP)
    return 1 if failed else 0


sys.exit(main())
