"""Names the unit tests that are quick enough for a slow checker: quick.py testlog.json

Valgrind takes thirty to a hundred times as long; so tests are taken, shortest first, until the next would
bring the total to more than six seconds. Those left out are named on stderr.
"""
import json
import sys

BUDGET = 6.0

with open(sys.argv[1], encoding="utf-8") as log:
    runs = [json.loads(line) for line in log]
runs = [run for run in runs if ":unit / " in run["name"]]
total = 0.0
for run in sorted(runs, key=lambda run: run["duration"]):
    total += run["duration"]
    name = run["name"].split(" / ", 1)[1]
    print(name) if total <= BUDGET else print("left out, too slow:", name, file=sys.stderr)
