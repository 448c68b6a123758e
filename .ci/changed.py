"""Names the tests of a build that are not those of an earlier one: changed.py BUILD EARLIER STAMP

A test is the same where it is called as it was in EARLIER, a copy of the build folder, its program and every file that it is
given are older than the file STAMP, and it is given no folder that the build folder lies in.
"""
import json
import os
import sys

build, earlier = map(os.path.realpath, sys.argv[1:3])
stamp = os.stat(sys.argv[3]).st_mtime_ns


def is_changed(word):
    """Whether a word of a test's command is a file that was made anew, or the build folder or one around it."""
    path = os.path.normpath(os.path.join(build, word))
    return os.path.isfile(path) and os.stat(path).st_mtime_ns > stamp or f"{build}/".startswith(f"{path}/")


def introspected(folder, what):
    with open(os.path.join(folder, "meson-info", f"intro-{what}.json"), encoding="utf-8") as file:
        return json.load(file)


def call(test):
    return test["name"], test["suite"], test["cmd"], test["env"]


tests, known = introspected(build, "tests"), list(map(call, introspected(earlier, "tests")))
made = {target["id"]: target["filename"] for target in introspected(build, "targets")}
same = 0
for test in tests:
    needed = [path for target in test["depends"] for path in made.get(target, [])]
    if call(test) not in known or any(map(is_changed, test["cmd"] + needed)):
        print(test["name"])
    else:
        same += 1
print(f"{same} of {len(tests)} tests are as they were", file=sys.stderr)
