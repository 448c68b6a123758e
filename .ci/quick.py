"""Names the tests that are quick enough to be run again: quick.py testlog.json SECONDS [--others] SUITE...

Tests of the suites are taken, shortest first, until the next would bring the total to more than that many seconds. Those left
out are named on stderr. With --others all tests of all other suites are named too.
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
        print("left out, too slow:", name, file=sys.stderr)
# Tests of two suites may have one name, by which Meson takes both, each time that it is given.
print("\n".join(name for name in dict.fromkeys(taken) if name not in left))
