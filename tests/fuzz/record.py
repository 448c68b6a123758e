#!/usr/bin/env python3
"""Fuzzes harnesses for the record: record.py [--minutes N] [NAME...]

Each harness (blob, file, load, inspect, bake, scene, schema, yaml) runs with libFuzzer until it has used N minutes of one processor
(10 unless said otherwise), beginning with the inputs that are kept. Then the inputs that reach an edge that no other reaches are kept
in tests/fuzz/corpus/NAME, a build without sanitizers replays them to measure what they cover, and the harness's row
in RECORD.md is written anew. Stops with 1 when something was found: the input lies in build-fuzz/NAME then, and
nothing is changed in the tree.
"""
import argparse
import hashlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = Path(os.environ.get("KILN_FUZZ_FOLDER", ROOT / "build-fuzz"))
# The rooms whose lines count, by harness.
ROOMS = {"blob": ["blobfmt"], "file": ["blobfmt", "runtime"], "load": ["runtime", "blobfmt"],
         "inspect": ["inspector", "blobfmt"], "bake": ["baker", "blobfmt"], "scene": ["baker", "blobfmt"], "schema": ["baker", "blobfmt"], "yaml": ["baker"]}
SLICE = 60  # seconds of one run; inputs found are read by the next
ENVIRONMENT = {**os.environ, "KILN_FUZZ_SCHEMA": str(HERE / "every_feature.schema.yaml"),
               "KILN_FUZZ_SCENE_SCHEMA": str(HERE / "every_scene.schema.yaml")}


def tool(name):
    for candidate in [name] + [f"{name}-{version}" for version in range(20, 12, -1)]:
        if shutil.which(candidate):
            return candidate
    sys.exit(f"{name} is missing: sh .ci/packages.sh coverage")


def build(name, kind):
    subprocess.run(["sh", HERE / "run.sh", name, "0"], check=True, env={**os.environ, "KILN_FUZZ_BUILD": kind,
                                                                       "KILN_FUZZ_FOLDER": str(WORK)})


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def was_only_slow(folder):
    """Whether all that was found took too long because the machine stood still: it is quick when asked again."""
    found = [path for path in folder.iterdir() if path.name.startswith(("crash-", "timeout-", "oom-", "leak-"))]
    for path in found:
        again = subprocess.run(["./fuzz", "-timeout=5", path.name], cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        if again.returncode or not path.name.startswith("timeout-"):
            return False
        path.unlink()
    return bool(found)


def search(name, minutes):
    """(executions, processor seconds)."""
    folder = WORK / name
    executions, before = 0, processor_seconds()
    while processor_seconds() - before < minutes * 60:
        run = subprocess.run(["./fuzz", f"-max_total_time={SLICE}", "-timeout=20", "-rss_limit_mb=2048", "-max_len=16384",
                              "-print_final_stats=1", "new", HERE / "corpus" / name], cwd=folder, env=ENVIRONMENT,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
        if run.returncode and not was_only_slow(folder):
            print(run.stderr[-4000:])
            sys.exit(f"{name}: something was found, see {folder}")
        executions += int(re.search(r"number_of_executed_units: *(\d+)", run.stderr).group(1))
        print(f"{name}: {executions} executions, {(processor_seconds() - before) / 60:.1f} minutes", flush=True)
    return executions, processor_seconds() - before


def keep_inputs(name):
    """Keeps the fewest inputs that reach every edge. Seeds, which have names, stay."""
    folder, kept = WORK / name, HERE / "corpus" / name
    merged = folder / "merged"
    shutil.rmtree(merged, ignore_errors=True)
    merged.mkdir()
    subprocess.run(["./fuzz", "-merge=1", "-use_counters=0", "-timeout=20", "-rss_limit_mb=2048", "merged", kept, "new"],
                   cwd=folder, env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    is_seed = lambda path: not re.fullmatch(r"[0-9a-f]{12}", path.name)  # noqa: E731
    seeds = {path.read_bytes() for path in kept.iterdir() if is_seed(path)}
    for path in kept.iterdir():
        if not is_seed(path):
            path.unlink()
    for path in merged.iterdir():
        data = path.read_bytes()
        if data not in seeds:
            (kept / hashlib.sha256(data).hexdigest()[:12]).write_bytes(data)
    return len(list(kept.iterdir()))


def coverage(name):
    """{'functions', 'lines', 'branches'} in percent, of the rooms' sources."""
    folder = WORK / name
    build(name, "coverage")
    raw, data = folder / "replay.profraw", folder / "replay.profdata"
    subprocess.run(["./replay", HERE / "corpus" / name], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                   env={**ENVIRONMENT, "LLVM_PROFILE_FILE": str(raw)})
    subprocess.run([tool("llvm-profdata"), "merge", "-o", data, raw], check=True)
    report = subprocess.run([tool("llvm-cov"), "export", "-summary-only", f"-instr-profile={data}", folder / "replay"],
                            check=True, stdout=subprocess.PIPE, text=True).stdout
    # Sources alone count, for every harness has the same ones then; headers come with whoever includes them.
    sources = {path for room in ROOMS[name] for path in (ROOT / room).glob("*.c") if path.name != "main.c"}
    files = [file["summary"] for file in json.loads(report)["data"][0]["files"] if Path(file["filename"]).resolve() in sources]
    share = lambda what: 100 * sum(file[what]["covered"] for file in files) / sum(file[what]["count"] for file in files)  # noqa: E731
    return {what: share(what) for what in ("functions", "lines", "branches")}


def write_row(name, executions, seconds, inputs, reached):
    path = HERE / "RECORD.md"
    row = (f"| {name} | {executions:,} | {seconds / 60:.1f} | {inputs} | {' + '.join(ROOMS[name])} | "
           f"{reached['functions']:.1f} | {reached['lines']:.1f} | {reached['branches']:.1f} |")
    old = re.compile(rf"\| {name} \| [\d,]+ \|")
    lines = [row if old.match(line) else line for line in path.read_text().splitlines()]
    path.write_text("\n".join(lines) + "\n")
    print(row)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--minutes", type=float, default=10)
    options = parser.parse_args()
    if set(options.names) - set(ROOMS):
        parser.error("no such harness")
    for name in options.names or ROOMS:
        build(name, "fuzz")
        executions, seconds = search(name, options.minutes)
        write_row(name, executions, seconds, keep_inputs(name), coverage(name))


main()
