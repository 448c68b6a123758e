#!/usr/bin/env python3
"""Branch coverage of a room, by default blobfmt: branch_coverage.py [--room ROOM] [--folder BUILD]

Builds the tree with clang's coverage counters in a separate folder, runs the unit tests, and prints how many branches of each source
were taken. A condition has two branches, true and false. Then lists the branches that were never taken; branches with a reason
in uncovered.txt are counted separately. Exits with 1 if a test fails, if less than 95 % of the branches were taken, or if a line
of uncovered.txt is outdated. Asserts are compiled out, as in a release.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LEAST = 95.0


def tool(name):
    for candidate in [name] + [f"{name}-{version}" for version in range(20, 12, -1)]:
        if shutil.which(candidate):
            return candidate
    sys.exit(f"{name} is missing; to install it, run sh .ci/packages.sh coverage")


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", **options)
    if done.returncode:
        sys.exit(done.stdout[-4000:] + f"\n{command[0]} failed")
    return done.stdout


def measure(folder):
    """Returns llvm-cov's report over all unit tests as a dictionary."""
    build, raw = folder / "build", folder / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    for old in raw.glob("*.profraw"):
        old.unlink()
    # Counters must be atomic. llvm-cov computes some counts as differences, which are wrong if threads lose updates.
    flags = "-fprofile-instr-generate -fcoverage-mapping -fprofile-update=atomic"
    if not (build / "build.ninja").exists():
        run("meson", "setup", build, "-Dbuildtype=debug", "-Doptimization=1", "-Db_ndebug=true", "-Db_lundef=false",
            f"-Dc_args={flags}", f"-Dc_link_args={flags}", f"-Dcpp_args={flags}", f"-Dcpp_link_args={flags}",
            cwd=ROOT, env={**os.environ, "CC": "clang", "CXX": "clang++"})
    run("ninja", "-C", build)
    run("meson", "test", "-C", build, "--no-rebuild", "--suite", "unit", "--timeout-multiplier", "4",
        env={**os.environ, "LLVM_PROFILE_FILE": str(raw / "%p.profraw")})
    run(tool("llvm-profdata"), "merge", "-o", folder / "merged", *raw.glob("*.profraw"))
    tests = json.loads(run("meson", "introspect", build, "--tests"))
    programs = sorted({test["cmd"][0] for test in tests if "kiln:unit" in test["suite"] and
                       Path(test["cmd"][0]).is_relative_to(build)})
    objects = [word for program in programs[1:] for word in ("-object", program)]
    return json.loads(subprocess.run([tool("llvm-cov"), "export", f"-instr-profile={folder / 'merged'}", programs[0],
                                      *objects], check=True, stdout=subprocess.PIPE, text=True).stdout)


def branches_of(report, room):
    """Returns {file: {(line, column, end line, end column): [times true, times false]}}, added up over all programs."""
    found = {}
    for entry in report["data"][0]["files"]:
        path = Path(entry["filename"]).resolve()
        if path.is_relative_to(ROOT / room):
            places = found.setdefault(path.relative_to(ROOT), {})
            for line, column, end_line, end_column, yes, no, *_ in entry["branches"]:
                counts = places.setdefault((line, column, end_line, end_column), [0, 0])
                counts[0] += yes
                counts[1] += no
    return found


def text_at(lines, place):
    line, column, end_line, end_column = place
    if line == end_line:
        return lines[line - 1][column - 1:end_column - 1].strip()
    parts = [lines[line - 1][column - 1:], *lines[line:end_line - 1], lines[end_line - 1][:end_column - 1]]
    return " ".join(" ".join(parts).split())


def read_reasons():
    reasons = {}
    for line in (HERE / "uncovered.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            key, separator, reason = line.partition(" -- ")
            if not separator or not reason.strip() or key in reasons:
                sys.exit(f"uncovered.txt: duplicate, or not `key -- reason`: {line}")
            reasons[key] = reason
    return reasons


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--room", default="blobfmt")
    parser.add_argument("--folder", type=Path, help="build folder, which is not deleted (default: a temporary folder)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kiln-coverage-") as temporary:
        report = measure((options.folder or Path(temporary)).resolve())
    reasons, left, total, taken = read_reasons(), [], 0, 0
    for path, places in sorted(branches_of(report, options.room).items()):
        lines = (ROOT / path).read_text().splitlines()
        # File names are unique, so uncovered.txt omits the folders between room and file.
        name = f"{path.parts[0]}/{path.name}"
        have = sum((yes > 0) + (no > 0) for yes, no in places.values())
        total, taken = total + 2 * len(places), taken + have
        if places:
            print(f"{name}: {100 * have / (2 * len(places)):.1f} % of {2 * len(places)}")
        for place, counts in sorted(places.items()):
            for side, count in zip(("true", "false"), counts):
                if count == 0:
                    left.append((f"{name} | {text_at(lines, place)} | {side}", place[0]))
    unnamed = [(key, line) for key, line in left if key not in reasons]
    for key, line in unnamed:
        print(f"never: {key} (line {line})")
    known = {key for key, _ in left}
    faults = [f"uncovered.txt: now taken, or no longer in the source: {key}" for key in reasons
              if key.startswith(options.room + "/") and key not in known]
    share = 100 * taken / total
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{share:.1f} % of {total} branches of {options.room} taken, {len(left)} never, {len(left) - len(unnamed)} of these "
          f"with a reason in uncovered.txt")
    return 1 if faults or share < LEAST else 0


sys.exit(main())
