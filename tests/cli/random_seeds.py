"""Shared by the tests with random data: parses the arguments KILN_BAKE KILN_INSPECT [SEED [COUNT]],
and makes a folder for each seed."""
import os
import subprocess
import sys
import tempfile


def arguments(count):
    """Returns both programs and the seeds: `count` seeds from 1 by default."""
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    count = int(sys.argv[4]) if len(sys.argv) > 4 else count
    return os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), range(first, first + count)


def each_seed(check, bake, inspect, seeds):
    """Returns the sum of the results of `check(bake, inspect, folder, seed)`. The first
    AssertionError ends the test. KEEP=FOLDER in the environment keeps the files of the failing
    seed."""
    total = 0
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            try:
                total += check(bake, inspect, folder, seed)
            except AssertionError as error:
                if os.environ.get("KEEP"):
                    run("cp", "-r", folder, os.environ["KEEP"], cwd="/")
                sys.exit(f"seed {seed}: {error}")
    return total


def run(*words, cwd):
    """Runs a program that must succeed, and returns its output."""
    done = subprocess.run(words, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout[:3000]}")
    return done.stdout


def run_in_silence(*words, cwd):
    said = run(*words, cwd=cwd)
    if said:
        raise AssertionError(f"{' '.join(words)}: prints messages\n{said[:3000]}")


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as stream:
        return stream.read()


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as stream:
        stream.write(text)
