#!/usr/bin/env python3
"""Fuzzes harnesses and adds the executions to the totals in RECORD.md:

    record.py search [--minutes N | --goal] [--jobs N] [NAME...]
    record.py afl [--minutes N | --goal] [--jobs N] [NAME...]
    record.py add [NAME...]
    record.py keep [NAME...]

`search` runs harnesses with libFuzzer in slices, starting from the committed corpus. The harness that is furthest from its goal
goes first. The search stops when each harness has used N minutes of CPU time (10 by default), or with --goal when each has
reached its executions in GOALS. After each slice, the counts are saved to totals.json in the work folder. SIGINT and SIGTERM stop
the search at any time: they end the current slice and count it. Replayed inputs of the corpus are not counted.
`afl` does the same with AFL++ and CmpLog for the harnesses whose input is text. libFuzzer reads AFL++'s new inputs in the next
slice.
`add` adds the counts of totals.json to the rows of RECORD.md, with the tested commit and the date, and empties totals.json.
`keep` packs the seeds and the smallest set of inputs that covers every edge into tests/fuzz/corpus/NAME.tar.zst. A build without
sanitizers replays them to measure their coverage. Without a command, the script runs `search`, `add` and `keep`. The work folder
is build-fuzz, or KILN_FUZZ_FOLDER. The exit code is 1 if a harness failed. The failing input is then in the folder of the harness,
which is in the work folder, and the search of that harness stops.
"""
import argparse
import contextlib
import datetime
import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = Path(os.environ.get("KILN_FUZZ_FOLDER", ROOT / "build-fuzz"))
TOTALS = WORK / "totals.json"
RECORD = HERE / "RECORD.md"
# The rooms whose coverage is measured, by harness.
ROOMS = {"blob": ["blobfmt"], "file": ["blobfmt", "runtime"], "load": ["runtime", "blobfmt"],
         "inspect": ["inspector", "blobfmt"], "bake": ["baker", "blobfmt"], "scene": ["baker", "blobfmt"], "schema": ["baker", "blobfmt"],
         "yaml": ["baker"], "where": ["inspector"], "import": ["baker", "blobfmt"], "response": ["baker"],
         "cached": ["baker", "blobfmt"], "project": ["baker"], "state": ["baker", "blobfmt"], "kept": ["baker"]}
GOALS = {"blob": 20_000_000, "file": 20_000_000, "bake": 20_000_000, "schema": 20_000_000, "yaml": 20_000_000,
         "load": 10_000_000, "inspect": 10_000_000, "scene": 10_000_000, "where": 5_000_000, "import": 5_000_000, "response": 5_000_000,
         "cached": 5_000_000, "project": 5_000_000, "state": 20_000_000,
         "kept": 5_000_000}
# The harnesses that AFL++ runs, and the number of executions wanted.
AFL_GOALS = {"yaml": 5_000_000, "schema": 2_000_000, "response": 5_000_000, "where": 2_000_000, "import": 2_000_000}
AFL = "AFL++ "  # prefix of AFL++ totals and rows
SLICE = 600  # seconds of one run; the next run reads the inputs that it found
# Most executions use short inputs. Every fourth slice has long ones, and every eighth traces comparisons. Every other
# slice runs without sanitizers, which is 2.5 times as fast. The slice after it first replays the inputs that it found
# with sanitizers.
SHORT = {"load": 256, "inspect": 4096, "file": 4096, "blob": 4096}
LONG = 16384
ENVIRONMENT = {**os.environ, "KILN_FUZZ_FOLDER": str(WORK), "KILN_FUZZ_BUILD": "none", "KILN_FUZZ_LEVEL": "2",
               "KILN_FUZZ_SCHEMA": str(HERE / "every_feature.schema.yaml"),
               "KILN_FUZZ_SCENE_SCHEMA": str(HERE / "every_scene.schema.yaml"),
               "KILN_FUZZ_IMPORT_SCHEMA": str(HERE / "every_import.schema.yaml")}
lock = threading.Lock()
building = threading.Lock()
is_stopped = threading.Event()
running = set()


def tool(name):
    for candidate in [name] + [f"{name}-{version}" for version in range(20, 12, -1)]:
        if shutil.which(candidate):
            return candidate
    sys.exit(f"{name} is missing: sh .ci/packages.sh coverage")


def start(command, environment, **streams):
    """Starts a process in its own process group, which `stop` can end. `wait` removes it from `running`."""
    child = subprocess.Popen(command, env=environment, start_new_session=True, **streams)
    with lock:
        running.add(child)
        if is_stopped.is_set():
            end_process(child)
    return child


def wait(child):
    """Returns the resource usage."""
    _, status, used = os.wait4(child.pid, 0)
    with lock:
        running.discard(child)
    child.returncode = os.waitstatus_to_exitcode(status)
    return used


def build(name, kind, script="run.sh"):
    """All harnesses of a kind share one build, so only one build runs at a time."""
    with building:
        child = start(["sh", HERE / script, name, "0"], {**ENVIRONMENT, "KILN_FUZZ_BUILD": kind})
        wait(child)
    if child.returncode and not is_stopped.is_set():
        raise subprocess.CalledProcessError(child.returncode, child.args)


def commit():
    return subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, check=True, stdout=subprocess.PIPE,
                          text=True).stdout.strip()


@contextlib.contextmanager
def alone():
    """Locks the totals against other threads and processes."""
    with lock, open(WORK / "totals.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def read_totals():
    return json.loads(TOTALS.read_text()) if TOTALS.exists() else {}


def write_totals(totals):
    TOTALS.with_suffix(".new").write_text(json.dumps(totals, indent=1) + "\n")
    TOTALS.with_suffix(".new").replace(TOTALS)


def count(name, executions, seconds, at):
    """Adds a slice to the counts not yet in RECORD.md. Returns these counts as (executions, seconds)."""
    with alone():
        totals = read_totals()
        entry = totals.setdefault(name, {"executions": 0, "seconds": 0})
        entry["executions"] += executions
        entry["seconds"] += seconds
        entry["commit"] = at
        entry["date"] = datetime.date.today().isoformat()
        write_totals(totals)
        return entry["executions"], entry["seconds"]


def was_only_slow(folder):
    """Whether all findings are timeouts caused by a busy machine: the inputs are quick when they run again."""
    found = [path for path in folder.iterdir() if path.name.startswith(("crash-", "timeout-", "oom-", "leak-"))]
    for path in found:
        again = subprocess.run(["./fuzz", "-timeout=5", path.name], cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        if again.returncode or not path.name.startswith("timeout-"):
            return False
        path.unlink()
    return bool(found)


def run_slice(name, number, seconds):
    """Returns (executions of new inputs, CPU seconds), or None after a finding."""
    folder = WORK / name
    length = LONG if number % 8 in (4, 7) else SHORT.get(name, 2048)
    program = "compare" if number % 8 == 6 else "bare" if number % 2 else "fuzz"
    if program != "fuzz" and not (folder / program).exists():
        build(name, program)
    if is_stopped.is_set():
        return 0, 0
    command = ["sh", HERE / "run.sh", name, str(seconds), "-timeout=60", f"-max_len={length}"]
    with open(folder / "slice.log", "w+", errors="replace") as log:
        child = start(command, {**ENVIRONMENT, "KILN_FUZZ_PROGRAM": program}, stdout=subprocess.DEVNULL, stderr=log)
        used = wait(child)
        log.seek(0)
        said = log.read()
    executed = re.search(r"number_of_executed_units: *(\d+)", said)
    again = re.search(r"^#(\d+)\tINITED", said, re.MULTILINE)
    new = int(executed.group(1)) - int(again.group(1)) if executed and again else 0
    if child.returncode and not (is_stopped.is_set() and not executed) and not was_only_slow(folder):
        print(said[-4000:])
        print(f"{name}: the harness failed, see {folder}", flush=True)
        return None
    return max(new, 0), used.ru_utime + used.ru_stime


def afl_executions(folder):
    stats = folder / "afl/default/fuzzer_stats"
    found = re.search(r"execs_done *: (\d+)", stats.read_text()) if stats.exists() else None
    return int(found.group(1)) if found else 0


def run_afl_slice(name, _, seconds):
    """The same with AFL++, whose executions all count."""
    folder = WORK / name
    before = afl_executions(folder)
    with open(folder / "afl.log", "w+", errors="replace") as log:
        child = start(["sh", HERE / "run_afl.sh", name, str(seconds)], ENVIRONMENT, stdout=log, stderr=log)
        used = wait(child)
        log.seek(0)
        said = log.read()
    if not (folder / "afl/default/fuzzer_stats").exists() or "PROGRAM ABORT" in said:
        print(said[-4000:])
        print(f"{AFL}{name}: cannot run", flush=True)
        return None
    after = afl_executions(folder)
    (folder / "new").mkdir(exist_ok=True)
    for path in (folder / "afl/default/queue").glob("id*"):
        data = path.read_bytes()
        (folder / "new" / hashlib.sha1(data).hexdigest()).write_bytes(data)
    if list((folder / "afl/default/crashes").glob("id*")):
        print(f"{AFL}{name}: the harness failed, see {folder}/afl/default/crashes", flush=True)
        return None
    # A continued run starts with the count of the previous one.
    return after - before if after >= before else after, used.ru_utime + used.ru_stime


def end_process(child):
    """On SIGUSR1 libFuzzer stops and prints its number of executions. A build or AFL++ stops on SIGTERM."""
    program = Path(f"/proc/{child.pid}/comm")
    try:
        if program.exists() and program.read_text().strip() in ("fuzz", "bare", "compare"):
            child.send_signal(signal.SIGUSR1)
        else:
            os.killpg(child.pid, signal.SIGTERM)
    except (ProcessLookupError, FileNotFoundError):
        pass


def stop(*_):
    is_stopped.set()
    for child in list(running):
        end_process(child)


def recorded(name):
    """The number of executions in RECORD.md."""
    row = re.search(rf"^\| {re.escape(name)} \| ([\d,]+) \|", RECORD.read_text(), re.MULTILINE)
    return int(row.group(1).replace(",", "")) if row else 0


class Search:
    """The remaining work, shared by the threads that run slices."""

    def __init__(self, names, minutes, run, goals, prefix):
        self.minutes, self.commit, self.run, self.goals, self.prefix = minutes, commit(), run, goals, prefix
        self.left, self.busy, self.found = list(names), set(), []
        self.slices = {name: 0 for name in names}
        self.seconds = {name: 0.0 for name in names}

    def share(self, name):
        """The fraction of its goal that a harness has reached."""
        if self.minutes is not None:
            return self.seconds[name] / (self.minutes * 60)
        label = self.prefix + name
        return (recorded(label) + read_totals().get(label, {}).get("executions", 0)) / self.goals[name]

    def take(self):
        with lock:
            self.left = [name for name in self.left if self.share(name) < 1]
            free = [name for name in self.left if name not in self.busy]
            if not free or is_stopped.is_set():
                return None
            name = min(free, key=self.share)
            self.busy.add(name)
            return name

    def work(self):
        while (name := self.take()) is not None:
            seconds = SLICE if self.minutes is None else max(1, min(SLICE, int(self.minutes * 60 - self.seconds[name])))
            done = self.run(name, self.slices[name], seconds)
            if done is None:
                with lock:
                    self.found.append(name)
                    self.left.remove(name)
            else:
                executions, used = count(self.prefix + name, *done, self.commit)
                self.seconds[name] += done[1]
                print(f"{self.prefix}{name}: {done[0]:,} executions, {done[0] / max(done[1], 0.01):,.0f} a second; {executions:,} in "
                      f"{used / 60:.1f} minutes not yet added to RECORD.md", flush=True)
            self.slices[name] += 1
            with lock:
                self.busy.discard(name)


def search(names, options, run, goals, prefix=""):
    """Returns whether no harness failed."""
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    for name in names:
        build(name, "afl" if prefix else "fuzz", "run_afl.sh" if prefix else "run.sh")
    state = Search(names, None if options.goal else options.minutes, run, goals, prefix)
    threads = [threading.Thread(target=state.work) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return not state.found


def keep_inputs(name):
    """Packs the smallest set of inputs that covers every edge, and the seeds, which have readable names. Returns the number of
    inputs."""
    folder = WORK / name
    kept, merged = folder / "kept", folder / "merged"
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
    subprocess.run([WORK / "searching/tests/fuzz/pack_corpus", "pack", kept, archive(name)], check=True)
    return len(list(kept.iterdir()))


def archive(name):
    return HERE / "corpus" / f"{name}.tar.zst"


def coverage(name):
    """{'functions', 'lines', 'branches'} in percent, for the rooms' sources."""
    folder = WORK / name
    build(name, "coverage")
    raw, data = folder / "replay.profraw", folder / "replay.profdata"
    subprocess.run(["./replay", archive(name)], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                   env={**ENVIRONMENT, "LLVM_PROFILE_FILE": str(raw)})
    subprocess.run([tool("llvm-profdata"), "merge", "-o", data, raw], check=True)
    report = subprocess.run([tool("llvm-cov"), "export", "-summary-only", f"-instr-profile={data}", folder / "replay"],
                            check=True, stdout=subprocess.PIPE, text=True).stdout
    # Only sources count, because they are the same for every harness. The set of headers depends on the includes.
    sources = {path for room in ROOMS[name] for path in (ROOT / room).rglob("*.c") if path.name != "main.c"}
    files = [file["summary"] for file in json.loads(report)["data"][0]["files"] if Path(file["filename"]).resolve() in sources]
    share = lambda what: 100 * sum(file[what]["covered"] for file in files) / sum(file[what]["count"] for file in files)  # noqa: E731
    return {what: share(what) for what in ("functions", "lines", "branches")}


def row_of(name):
    """The cells of a harness's row; unknown ones are empty."""
    row = re.search(rf"^\| {name} \|( [\d,]+ \|.*)\|$", RECORD.read_text(), re.MULTILINE)
    cells = [cell.strip() for cell in row.group(1).split("|")] if row else ["0", "0.0", "", "", "", "", "", "", ""]
    return {"executions": int(cells[0].replace(",", "")), "minutes": float(cells[1].replace(",", "")), "inputs": cells[2],
            "functions": cells[4], "lines": cells[5], "branches": cells[6], "commit": cells[7], "date": cells[8]}


def write_row(name, row):
    line = (f"| {name} | {row['executions']:,} | {row['minutes']:,.1f} | {row['inputs']} | {' + '.join(ROOMS[name])} | "
            f"{row['functions']} | {row['lines']} | {row['branches']} | {row['commit']} | {row['date']} |")
    lines = RECORD.read_text().splitlines()
    for i, old in enumerate(lines):
        if re.match(rf"\| {name} \| [\d,]+ \|", old):
            lines[i] = line
            break
    else:
        lines.insert(1 + max(i for i, old in enumerate(lines) if re.match(r"\| \w+ \| [\d,]+ \|", old)), line)
    RECORD.write_text("\n".join(lines) + "\n")
    print(line)


def add_afl(name, waiting):
    """Adds a row to the table of AFL++."""
    label = AFL + name
    text = RECORD.read_text()
    old = re.search(rf"^\| {re.escape(label)} \| ([\d,]+) \| ([\d.,]+) \|.*\n", text, re.MULTILINE)
    executions = waiting["executions"] + (int(old.group(1).replace(",", "")) if old else 0)
    minutes = waiting["seconds"] / 60 + (float(old.group(2).replace(",", "")) if old else 0)
    line = f"| {label} | {executions:,} | {minutes:,.1f} | {waiting['commit']} | {waiting['date']} |"
    head = "| by AFL++ | executions | CPU minutes | last commit | date |\n|---|---|---|---|---|\n"
    text = text.replace(old.group(0), "") if old else text
    RECORD.write_text(text.replace(head, f"{head}{line}\n"))
    print(line)


def add(names):
    with alone():
        totals = read_totals()
        for name in names:
            if AFL + name in totals:
                add_afl(name, totals.pop(AFL + name))
            if name in totals:
                waiting, row = totals.pop(name), row_of(name)
                row["executions"] += waiting["executions"]
                row["minutes"] += waiting["seconds"] / 60
                row["commit"], row["date"] = waiting["commit"], waiting["date"]
                write_row(name, row)
            write_totals(totals)


def keep(names):
    for name in names:
        build(name, "fuzz")
        row = row_of(name)
        row["inputs"] = str(keep_inputs(name))
        reached = coverage(name)
        row.update({what: f"{reached[what]:.1f}" for what in reached})
        write_row(name, row)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="COMMAND or NAME")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--goal", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_intermixed_args()
    commands = ("search", "afl", "add", "keep")
    command = options.words.pop(0) if options.words and options.words[0] in commands else None
    goals = AFL_GOALS if command == "afl" else GOALS
    if set(options.words) - set(goals):
        parser.error("no such harness")
    names = options.words or list(goals)
    WORK.mkdir(parents=True, exist_ok=True)
    is_clean = True
    if command in (None, "search"):
        is_clean = search(names, options, run_slice, GOALS)
    if command == "afl":
        is_clean = search(names, options, run_afl_slice, AFL_GOALS, AFL)
    if command in (None, "add"):
        add(names)
    if command in (None, "keep") and is_clean:
        keep(names)
    sys.exit(0 if is_clean else 1)


if __name__ == "__main__":
    main()
