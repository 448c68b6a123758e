"""Names the tests that are quick enough to be run again: quick.py testlog.json SECONDS [--others] SUITE...

Tests of the suites are taken, shortest first, until the next would bring the total to more than that many seconds. Those left
out are named on stderr. With --others all tests of all other suites are named too.
"""
import json
import sys

log, budget, *suites = sys.argv[1:]
with open(log, encoding="utf-8") as file:
    runs = [json.loads(line) for line in file]
total = 0.0
for run in sorted(runs, key=lambda run: run["duration"]):
    suite, name = run["name"].split(" / ", 1)
    if suite.split(":")[1] not in suites:
        if "--others" in suites:
            print(name)
        continue
    total += run["duration"]
    print(name) if total <= float(budget) else print("left out, too slow:", name, file=sys.stderr)
