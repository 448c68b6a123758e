"""Prints the names of the tests that are quick enough to run again: quick.py testlog.json SECONDS [--rotate K/N] [--others] SUITE...

Selects tests of the suites, shortest first, up to SECONDS in total, and prints the omitted ones to stderr. With --rotate it also selects
each Nth of the slower tests, beginning with number K. With --others it also prints all tests of all other suites.
"""
import argparse
import json
import sys

parser = argparse.ArgumentParser()
parser.add_argument("log")
parser.add_argument("seconds", type=float)
parser.add_argument("--rotate", default="0/0")
parser.add_argument("--others", action="store_true")
parser.add_argument("suites", nargs="+")
options = parser.parse_args()
first, every = map(int, options.rotate.split("/"))
with open(options.log, encoding="utf-8") as file:
    runs = [json.loads(line) for line in file]
total, taken, slow, left = 0.0, [], [], set()
for run in sorted(runs, key=lambda run: run["duration"]):
    suite, name = run["name"].split(" / ", 1)
    if suite.split(":")[1] not in options.suites:
        if options.others:
            taken.append(name)
        continue
    total += run["duration"]
    (taken if total <= options.seconds else slow).append(name)
# By name, because durations vary from run to run.
for number, name in enumerate(sorted(slow)):
    if every and number % every == first % every:
        taken.append(name)
    else:
        left.add(name)
        print("omitted, too slow:", name, file=sys.stderr)
# Tests of two suites may share a name. Meson runs both each time the name is given, so it is printed once.
print("\n".join(name for name in dict.fromkeys(taken) if name not in left))
