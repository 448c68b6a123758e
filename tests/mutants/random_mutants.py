#!/usr/bin/env python3
"""Makes random changes to the source and requires that a test fails for each.

    random_mutants.py [--seed N] [--count N] [--rooms ROOM...] [--jobs N] [--only K,...] [--tests NAME,...] [--again] [--record]

mutation_sites.py finds the sites. The seed is printed. All selected changes are compiled into one copy of the tree, and
KILN_MUTANT selects the active one by number. Each test first runs without a change and records which changes it reaches, in all
of its processes. Then, for each change, the tests that reach it run until one fails: first those that killed other changes in
the same file, then quick ones. The suites run in STAGES, and later stages only try the survivors of earlier ones. Survivors without a
reason run again with the sanitizers, which also find leaks. A survivor must be listed in equivalent.txt with the reason why no
test can distinguish it from the original. A listed change that a test kills is an error. Exits with 0 if at least 95 % of the
killable changes are killed and all others have a reason.

--only runs some of the changes by number, and --tests only some tests. --again reuses the changes in --folder, copies only
tests/, and tries the survivors. Use it to try new tests, or to continue an interrupted run.
--record writes the results of all changes to RECORD.md.
"""
import argparse
import collections
import datetime
import json
import os
import pickle
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import mutation_sites  # noqa: E402
from limited_run import run_test  # noqa: E402

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EQUIVALENT = HERE / "equivalent.txt"
ROOMS = ["baker", "runtime", "inspector"]
# Later stages run slower tests, and more of them. Left out are `bench`, which only measures, and the tests of installation and
# formatting.
STAGES = [{"unit", "golden", "broken"}, {"cli", "samples", "fuzz"}, {"hostile", "real", "power", "headers", "law", "fault"}]
SUITES = set().union(*STAGES)
# With sanitizers, only tests that take at most this many CPU seconds without a change are run. The longest tests need minutes
# and find no more leaks.
CHECKED_SECONDS = 10
TARGET = 95  # percent
# Limit of a process's address space, because a change can make it allocate any amount. The second limit is for tests that need
# more.
MEMORY = (6 << 30, 48 << 30)

# A sanitizer's finding aborts the program.
CHECKS = {"ASAN_OPTIONS": "detect_leaks=1", "UBSAN_OPTIONS": "halt_on_error=1"}

# Every changed source includes this first, so it must not include system headers: feature macros that the source defines would
# come too late.
HEADER = """
int kiln_mutant_is(int number);
#define KILN_MUTANT(number) kiln_mutant_is(number)
"""
# Selects the active change and records which changes are reached: a byte for each, in a file that all processes of a test share. It is
# added to a source of blobfmt that every program links.
HOST = "blobfmt/base/allocator.c"
SWITCH = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile unsigned char *kiln_mutant_reached;
static int kiln_mutant_number;
static void kiln_mutant_start(void)
{
    static unsigned char nowhere[KILN_MUTANT_COUNT];
    const char *number = getenv("KILN_MUTANT"), *path = getenv("KILN_MUTANT_REACHED");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    volatile unsigned char *reached = nowhere;
    if (file >= 0) {
        void *bytes = mmap(0, KILN_MUTANT_COUNT, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (bytes != MAP_FAILED)
            reached = bytes;
        close(file);
    }
    kiln_mutant_number = number ? atoi(number) : -1;
    kiln_mutant_reached = reached;
}
__attribute__((visibility("hidden"))) int kiln_mutant_is(int number)
{
    if (!kiln_mutant_reached)
        kiln_mutant_start();
    kiln_mutant_reached[number] = 1;
    return kiln_mutant_number == number;
}
"""


class Mutant:
    def __init__(self, file, site, nth):
        self.file, self.site = file, site
        # The key has no line number, which changes with every edit, and no folder, which changes when a file moves. File names
        # are unique.
        self.key = " | ".join([f"{Path(file).parts[0]}/{Path(file).name}", site.function, site.change] + ([f"#{nth}"] if nth > 1 else []))
        self.tests = []

    def __str__(self):
        return f"{self.file}:{self.site.line} {self.site.function}: {self.site.change}"


def all_mutants(rooms):
    found = []
    for room in rooms:
        for path in sorted((ROOT / room).rglob("*.c"), key=lambda path: path.name):
            if path.name == "main.c":
                continue
            seen = collections.Counter()
            for site in mutation_sites.find_sites(path.read_text()):
                seen[site.function, site.change] += 1
                found.append(Mutant(str(path.relative_to(ROOT)), site, seen[site.function, site.change]))
    return found


def write_source(tree, file, numbered):
    text = mutation_sites.instrument((ROOT / file).read_text(), [(number, mutant.site) for number, mutant in numbered])
    (tree / file).write_text(f'#include "{tree / "kiln_mutant.h"}"\n#line 1 "{file}"\n{text}')


def lines_refused(tree, file, command, numbered):
    """Returns the lines with changes at which the compiler, with the flags of the tree's build, reports errors."""
    write_source(tree, file, numbered)
    words = re.sub(r" -o \S+| -c | -MD| -M[QF] \S+", " ", command["command"]) + " -fsyntax-only -fmax-errors=0 -fdiagnostics-color=never"
    done = subprocess.run(words, shell=True, cwd=command["directory"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    lines = {int(line) for line in re.findall(re.escape(file) + r":(\d+):\d+: error", done.stderr)}
    if done.returncode and not lines:
        sys.exit(done.stderr[-2000:])
    return lines


def numbers_compiled(tree, file, command):
    """Returns the changes that remain after preprocessing. Code for other systems is not in the program."""
    words = re.sub(r" -o \S+| -c | -MD| -M[QF] \S+", " ", command["command"]) + " -E -P"
    done = subprocess.run(words, shell=True, cwd=command["directory"], check=True, stdout=subprocess.PIPE, text=True)
    return {int(number) for number in re.findall(r"\bkiln_mutant_is\((\d+)\)", done.stdout)}


def keep_compiling(tree, file, command, numbered):
    """Returns the changes of a file that compile, and writes them to the tree. Repeats while there are errors on their lines.
    """
    while numbered:
        lines = lines_refused(tree, file, command, numbered)
        if not lines:
            here = numbers_compiled(tree, file, command)
            return [(number, mutant) for number, mutant in numbered if number in here]
        source = (ROOT / file).read_text()
        good = [(number, mutant) for number, mutant in numbered
                if not lines & set(range(mutant.site.line, source.count("\n", 0, mutant.site.end) + 2))]
        if len(good) == len(numbered):
            sys.exit(f"{file}: errors at lines {sorted(lines)}, which were not changed")
        numbered = good
    shutil.copy(ROOT / file, tree / file)
    return []


def draw(mutants, count, seed, tree, commands, jobs):
    """Returns the first `count` of the shuffled mutants that are in the compiled program, by number, and writes them to the
    tree. Missing numbers are mutants that do not compile."""
    spare = count + count // 4 + 10
    (tree / "kiln_mutant.h").write_text(HEADER)
    (tree / HOST).write_text("#define _DEFAULT_SOURCE\n" + (ROOT / HOST).read_text() + f"#define KILN_MUTANT_COUNT {spare}\n" + SWITCH)
    by_file, number = collections.defaultdict(list), 0
    for mutant in random.Random(seed).sample(mutants, len(mutants)):
        others = by_file[mutant.file]
        if number < spare and not any(mutation_sites.crosses(mutant.site, other.site) for _, other in others):
            others.append((number, mutant))
            number += 1
    with ThreadPoolExecutor(jobs) as pool:
        results = pool.map(lambda file: keep_compiling(tree, file, commands[file], by_file[file]), [f for f in by_file if by_file[f]])
        good = sorted((pair for numbered in results for pair in numbered), key=lambda pair: pair[0])
    if len(good) < count and number == spare:
        sys.exit(f"only {len(good)} of {spare} changes compile")
    return good[:count]


def copy_tree(to, *below):
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z", *below], cwd=ROOT, check=True,
                           stdout=subprocess.PIPE).stdout
    for name in filter(None, files.decode().split("\0")):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)


def run(tree, *command, environment=None):
    done = subprocess.run(command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          env={**os.environ, **(environment or {})})
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-3000:]}")
    return done.stdout


def configure(tree, folder, compiler, *options):
    run(tree, "meson", "setup", folder, "-Doptimization=1", "-Ddebug=false", "-Db_ndebug=true", "-Dc_args=-w", *options,
        environment={"CC": compiler, "CXX": {"gcc": "g++", "clang": "clang++"}[compiler]})


def tests_of(tree, folder):
    run(tree, "ninja", "-C", folder)
    return [test for test in json.loads(run(tree, "meson", "introspect", folder, "--tests"))
            if SUITES & {suite.split(":")[-1] for suite in test["suite"]}]


def note_reach(mutants, tests, tree, folder, jobs, sizes=MEMORY):
    """Runs each test without a change, and records which mutants it reaches. Returns the messages of failing tests."""
    def one(test):
        path = tree / "reached" / re.sub(r"\W", "_", test["name"])
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bytes(2 * max(number for number, _ in mutants) + 4096))
        for memory in sizes:
            failed, used = run_test({**test, "memory": memory}, tree, folder, {**CHECKS, "KILN_MUTANT_REACHED": str(path)}, 600)
            if not failed:
                test["memory"] = memory
                break
        return test, failed, used, path.read_bytes()
    unusable = []
    with ThreadPoolExecutor(jobs) as pool:
        for test, failed, used, reached in pool.map(one, tests):
            if failed:
                unusable.append(failed)
                continue
            for number, mutant in mutants:
                if reached[number]:
                    mutant.tests.append((used, test["name"], test))
    return unusable


def kill(number, mutant, names, tree, folder, catches, factor):
    """Returns the failure message of the first of the tests `names` that fails, or None."""
    order = sorted((entry for entry in mutant.tests if entry[1] in names),
                   key=lambda entry: (entry[0] / (catches[mutant.file, entry[1]] + 0.2), entry[1]))
    for seconds, name, test in order:
        failed, _ = run_test(test, tree, folder, {**CHECKS, "KILN_MUTANT": str(number)}, factor * (5 + 5 * seconds))
        if failed:
            catches[mutant.file, name] += 1
            return failed
    return None


def read_equivalent():
    """{key: reason}, of lines `key -- reason`."""
    kept = {}
    for line in EQUIVALENT.read_text().splitlines() if EQUIVALENT.exists() else []:
        if line.strip() and not line.startswith("#"):
            key, separator, reason = line.partition(" -- ")
            if not separator or not reason.strip() or key in kept:
                sys.exit(f"equivalent.txt: duplicate, or not `key -- reason`: {line}")
            kept[key] = reason
    return kept


def kill_all(mutants, names, tree, folder, catches, jobs, factor):
    """Yields (number, mutant, failure or None) for each mutant as soon as it is known."""
    with ThreadPoolExecutor(jobs) as pool:
        runs = {pool.submit(kill, number, mutant, names, tree, folder, catches, factor): (number, mutant) for number, mutant in mutants}
        for done in as_completed(runs):
            yield *runs[done], done.result()


class Results:
    """{number: (stage, failure)} of the killed changes. It is saved in a file, so that another run can continue."""
    def __init__(self, path, again):
        self.path = path
        self.killed = {int(number): tuple(result) for number, result in json.loads(path.read_text()).items()} \
            if again and path.exists() else {}

    def add(self, number, stage, failed):
        self.killed[number] = (stage, failed)
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.killed, indent=0))
        new.replace(self.path)


def usable(mutants, tests, tree, folder, options, start, **how):
    """Returns the tests that pass without a change, and records the mutants that they reach."""
    failing = note_reach(mutants, tests, tree, folder, options.jobs, **how)
    for failed in failing:
        print(f"fails without a change, so it is not used: {failed}")
    print(f"{len(tests) - len(failing)} tests run once, {time.monotonic() - start:.0f} s", flush=True)
    return {test["name"] for test in tests} - {failed.partition(": ")[0] for failed in failing}


def try_all(wanted, results, equivalent, tree, options, start):
    """Adds the killed changes to the results."""
    catches, killed = collections.Counter(), results.killed

    def not_killed():
        return [(number, mutant) for number, mutant in wanted if number not in killed]

    def try_stage(stage, mutants, names, folder, factor):
        for number, mutant, failed in kill_all(mutants, names, tree, folder, catches, options.jobs, factor):
            if failed:
                results.add(number, stage, failed)
            if failed and options.all:
                print(f"#{number} {mutant} -> {stage}: {failed}", flush=True)
        print(f"{len(wanted) - len(not_killed())} of {len(wanted)} killed, {time.monotonic() - start:.0f} s", flush=True)
        for number, mutant in not_killed():
            if mutant.key not in equivalent:
                print(f"#{number} {mutant} -> {'SURVIVED' if mutant.tests else 'SURVIVED, no test reaches it'}", flush=True)

    tests, left = [test for test in tests_of(tree, "build") if not options.tests or test["name"] in options.tests], not_killed()
    for suites in STAGES:
        stage = [test for test in tests if suites & {suite.split(":")[-1] for suite in test["suite"]}]
        if suites == STAGES[-1]:
            # The slowest tests only run for changes without a reason.
            left = [pair for pair in left if pair[1].key not in equivalent]
        left = [pair for pair in left if pair[0] not in killed]
        if stage and left:
            print(", ".join(sorted(suites)), flush=True)
            try_stage(", ".join(sorted(suites)), left, usable(left, stage, tree, "build", options, start), "build", 1)
    left = [pair for pair in not_killed() if pair[1].key not in equivalent and pair[1].tests]
    if left and shutil.which("clang") and not options.no_sanitizers:
        quick = {name for _, mutant in left for seconds, name, _ in mutant.tests if seconds <= CHECKED_SECONDS}
        for _, mutant in left:
            mutant.tests = []
        print("sanitizers", flush=True)
        configure(tree, "checked", "clang", "-Db_sanitize=address,undefined", "-Db_lundef=false")
        checked = [test for test in tests_of(tree, "checked") if test["name"] in quick]
        # The address sanitizer reserves address space.
        try_stage("sanitizers", left, usable(left, checked, tree, "checked", options, start, sizes=(None,)), "checked", 3)


def commit_of_sources(rooms):
    """The commit that contains the current sources of the rooms."""
    def git(*words):
        return subprocess.run(["git", *words], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    return "not committed" if git("status", "--porcelain", "--", *rooms) else git("rev-parse", "--short", "HEAD")


def write_record(drawing, killed, reasons, left):
    count = len(drawing["mutants"])
    stages = collections.Counter(stage for stage, _ in killed.values())
    rows = "\n".join(f"| killed by {stage} | {number} |" for stage, number in stages.most_common())
    (HERE / "RECORD.md").write_text(f"""# Random mutants

The last complete run of `python3 tests/mutants/random_mutants.py --seed {drawing["seed"]} --count {count} --record`, on
{datetime.date.today()}. The changes were selected from the sources of {", ".join(drawing["rooms"])} at commit
{drawing["commit"]}. Different sources give different changes.

| changes | |
|---|---|
| selected | {count + drawing["refused"]} |
| not compiled, or for another system | {drawing["refused"]} |
| tried | {count} |
{rows}
| killed | {len(killed)} |
| equivalent, with a reason in `equivalent.txt` | {reasons} |
| survived without a reason | {count - len(killed) - reasons} |
| killed, of those tried | {100 * len(killed) / count:.1f} % |
| killed, of those not equivalent | {100 * len(killed) / (count - reasons):.1f} % |
""" + "".join(["\nSurvived, with no reason in equivalent.txt:\n\n"] * bool(left) + [f"- `` {key} ``\n" for key in left]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--rooms", nargs="+", default=ROOMS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", type=lambda text: {int(number) for number in text.split(",")})
    parser.add_argument("--tests", type=lambda text: set(text.split(",")))
    parser.add_argument("--again", action="store_true", help="reuse the changes in --folder")
    parser.add_argument("--all", action="store_true", help="also print killed changes")
    parser.add_argument("--list", action="store_true", help="only print the selected changes")
    parser.add_argument("--no-sanitizers", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--folder", help="build folder, which is kept")
    options = parser.parse_args()
    if not options.again:
        print(f"seed {options.seed}", flush=True)
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kiln-mutants-") as temporary:
        tree = Path(options.folder or temporary).resolve() / "tree"
        drawn = tree / "drawn.pickle"
        if options.again:
            copy_tree(tree, "tests")
            drawing = pickle.loads(drawn.read_bytes())
            print(f"{len(drawing['mutants'])} reused from seed {drawing['seed']}", flush=True)
        else:
            shutil.rmtree(tree, ignore_errors=True)
            tree.mkdir(parents=True)
            shared = tree.parent / "shared"
            if (ROOT.parent / "shared").is_dir() and not shared.exists():
                shared.symlink_to((ROOT.parent / "shared").resolve())
            copy_tree(tree)
            configure(tree, "build", "gcc")
            entries = json.loads((tree / "build" / "compile_commands.json").read_text())
            commands = {os.path.relpath(os.path.join(entry["directory"], entry["file"]), tree): entry for entry in entries}
            mutants = all_mutants(options.rooms)
            chosen = draw(mutants, options.count, options.seed, tree, commands, options.jobs)
            drawing = {"seed": options.seed, "rooms": options.rooms, "commit": commit_of_sources(options.rooms), "mutants": chosen,
                       "refused": chosen[-1][0] + 1 - len(chosen)}
            drawn.write_bytes(pickle.dumps(drawing))
            print(f"{len(mutants)} changes in {' + '.join(options.rooms)}, {len(chosen)} selected, {time.monotonic() - start:.0f} s",
                  flush=True)
        if options.list:
            print("\n".join(f"#{number} {mutant}" for number, mutant in drawing["mutants"]))
            return 0
        equivalent, results = read_equivalent(), Results(tree / "killed.json", options.again)
        wanted = [(number, mutant) for number, mutant in drawing["mutants"]
                  if not options.only and number not in results.killed or options.only and number in options.only]
        for number, _ in wanted:
            results.killed.pop(number, None)
        try_all(wanted, results, equivalent, tree, options, start)
    faults, reasons, killed = [], 0, results.killed
    counted = [(number, mutant) for number, mutant in drawing["mutants"] if not options.only or number in options.only]
    for number, mutant in counted:
        if number in killed and mutant.key in equivalent:
            faults.append(f"equivalent.txt: a test kills this change: {mutant.key}")
        elif number not in killed and mutant.key in equivalent:
            reasons += 1
        elif number not in killed:
            faults.append(f"#{number} {mutant.key}")
    for fault in faults:
        print("fault:", fault)
    dead = len(counted) - reasons - sum(fault.startswith("#") for fault in faults)
    share = 100 * dead / max(1, len(counted) - reasons)
    print(f"seed {drawing['seed']}: {len(counted)} tried, {dead} killed ({share:.1f} % of those without a reason), {reasons} equivalent "
          f"with a reason, {len(counted) - dead - reasons} neither, {time.monotonic() - start:.0f} s")
    if options.record and not options.only:
        write_record(drawing, killed, reasons,
                     [m.key for number, m in counted if number not in killed and m.key not in equivalent])
    return 1 if faults or share < TARGET else 0


if __name__ == "__main__":
    sys.exit(main())
