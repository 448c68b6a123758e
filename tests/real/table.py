"""Prints the cost of baking each set of real data (files, assets, bytes, time, peak memory, warnings), compared with a loop
that reads all libyaml events of the same files.

Usage: table.py KILN_BAKE KILN_INSPECT BENCH_PROBE SOURCE_ROOT [RUNS]

Times are the minimum CPU time of a whole process over RUNS runs (default 9). Runs of kiln-bake and of the loop alternate.
"""

import pathlib
import subprocess
import sys
import tempfile

import ss14_2024

SETS = {
    "ss14-2021": ("ss14-2021/game.schema.yaml", "ss14-2021", ["Resources"], "*.yml"),
    "ss14-2024-slice": ("ss14-2024/game.schema.yaml", "ss14-2024-slice", ["Resources"], "*.yml"),
    "sf64": ("sf64.schema.yaml", "sf64", ["."], "*.y*ml"),
    "unity-mirror": ("unity-mirror.schema.yaml", "unity-mirror", ["."], "*"),
}


# A small helper process starts the measured program, because peak memory includes that of the parent at the fork.
STARTER = """
import os, sys
child = os.fork()
if child == 0:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.execv(sys.argv[1], sys.argv[1:])
_, status, used = os.wait4(child, 0)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def cost(command, folder):
    """Returns CPU seconds and peak kilobytes of a process, and its messages."""
    command = [sys.executable, "-ISc", STARTER, *(str(word) for word in command)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[3]} exits {done.returncode}: {done.stderr[:1000]}")
    seconds, kilobytes = done.stdout.split()
    return float(seconds), int(kilobytes), done.stderr


def row(kiln_bake, kiln_inspect, probe, root, name, runs, folder):
    schema, data, inputs, pattern = SETS[name]
    data, out = root.parent / "shared/data" / data, folder / "set.kiln"
    files = [path for path in sorted(data.rglob(pattern)) if path.is_file() and path.stat().st_size and not path.name.startswith("LICENSE")]
    if name == "ss14-2024-slice":
        prototypes, of_maps = ss14_2024.read_all(data)
        text = ss14_2024.missing_ids(data, root / "tests/real/ss14-2024", prototypes, of_maps)
        (folder / "accepted.yaml").write_text(text, encoding="utf-8")
        inputs = [*inputs, folder / "accepted.yaml"]
    bake = [kiln_bake, "--quiet", "-s", root / "tests/real" / schema, "-o", out, *inputs]
    least, loop, peak, warnings = float("inf"), float("inf"), 0, 0
    for _ in range(runs):
        seconds, kilobytes, said = cost(bake, data)
        least, peak, warnings = min(least, seconds), max(peak, kilobytes), said.count(": warning: ")
        # libyaml itself cannot read Unity's YAML.
        if name != "unity-mirror":
            loop = min(loop, cost([probe, "yaml", *files], data)[0])
    size = sum(path.stat().st_size for path in files)
    listed = subprocess.run([kiln_inspect, "ls", out], check=True, capture_output=True, text=True).stdout.splitlines()
    ratio = f"{least / loop:.2f}" if loop < float("inf") else "-"
    cells = [name, len(files), len(listed), size, out.stat().st_size, f"{least * 1000:.0f}", ratio, f"{peak / 1024:.1f}",
             f"{peak * 1024 / size:.1f}", warnings]  # fmt: skip
    print("| " + " | ".join(f"{cell:,}" if isinstance(cell, int) else cell for cell in cells) + " |", flush=True)


def main(kiln_bake, kiln_inspect, probe, root, runs="9"):
    programs = [pathlib.Path(path).resolve() for path in (kiln_bake, kiln_inspect, probe, root)]
    print("| set | files | assets | bytes in | bytes out | ms | times the loop | peak MB | times the input | warnings |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in SETS:
            if (programs[3].parent / "shared/data" / SETS[name][1]).is_dir():
                row(*programs, name, int(runs), pathlib.Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
