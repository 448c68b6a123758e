"""Prints the names of the tests that are quick enough to run again: quick.py testlog.json SECONDS [--others] SUITE...

Selects tests of the suites, shortest first, up to SECONDS in total, and prints the omitted ones to stderr. With --others it also
prints all tests of all other suites.
"""
import json
import sys

log, budget, *suites = sys.argv[1:]
with open(log, encoding="utf-8") as file:
    runs = [json.loads(line) for line in file]
total, taken, left = 0.0, [], set()
for run in sorted(runs, key=lambda run: run["duration"]):
    suite, name = run["name"].split(" / ", 1)
    if suite.split(":")[1] not in suites:
        if "--others" in suites:
            taken.append(name)
        continue
    total += run["duration"]
    if total <= float(budget):
        taken.append(name)
    else:
        left.add(name)
        print("omitted, too slow:", name, file=sys.stderr)
# Tests of two suites may share a name. Meson runs both each time the name is given, so it is printed once.
print("\n".join(name for name in dict.fromkeys(taken) if name not in left))
