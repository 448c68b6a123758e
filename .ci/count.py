"""Counts the test cases in test logs of Meson: python3 .ci/count.py testlog.json...

Each case of a cmocka program and each test point of a TAP script counts as one, and so does any other
test. A test that failed without naming a case counts as one failure. Prints what failed and what was
skipped, then `N passed, N failed`; exits 1 if something failed or nothing ran.
"""
import json
import re
import sys

GOOD = ("OK", "EXPECTEDFAIL")


def count(run):
    """(passed cases, failed cases) of one test run."""
    output = run.get("stdout", "") + "\n" + run.get("stderr", "")
    passed = len(re.findall(r"^\[       OK \] ", output, re.M))
    failed = set(re.findall(r"^\[  FAILED  \] (?!\d+ test)(\S+)", output, re.M))
    if re.search(r"^1\.\.\d+", output, re.M):
        points = re.findall(r"^(not )?ok\b(.*)$", output, re.M)
        points = [(bad, text) for bad, text in points if "# SKIP" not in text]
        passed += sum(1 for bad, _ in points if not bad)
        failed |= {text for bad, text in points if bad}
    if run["result"] in GOOD:
        return max(passed, 1), set()
    return passed, failed or {run["result"].lower()}


def main():
    passed = failed = 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as log:
            runs = [json.loads(line) for line in log]
        for run in runs:
            if run["result"] == "SKIP":
                reason = (run.get("stdout", "") + run.get("stderr", "")).strip().splitlines()
                print(f"skipped: {run['name']}: {reason[-1] if reason else 'no reason given'}")
                continue
            good, bad = count(run)
            passed += good
            failed += len(bad)
            for case in sorted(bad):
                print(f"failed: {run['name']}: {case.strip()}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
