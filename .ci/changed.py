"""Prints the names of the tests that must run again after a change of the tree: changed.py BUILD EARLIER STAMP [LOG...]

EARLIER is a copy of the build folder from before a room was removed from the tree, and STAMP a file made at that time. LOGs are Meson's
test logs of complete trees. A test is omitted if all of these hold:
- It is a program of this build. A script may read any file of the tree.
- Its command is the same as in EARLIER. Its program and all files among its arguments are older than STAMP, and no argument is a
  folder that contains the build folder.
- It passed in a LOG.
Exits 1 if an output of EARLIER that this build does not produce still exists, because it would hide that a file needs it.
"""
import json
import os
import sys

build, earlier = map(os.path.realpath, sys.argv[1:3])
stamp = os.stat(sys.argv[3]).st_mtime_ns


def path_of(word):
    return os.path.normpath(os.path.join(build, word))


def is_changed(word):
    """Whether a word of a test's command is a file that was rebuilt, or a folder that is or contains the build folder."""
    path = path_of(word)
    return os.path.isfile(path) and os.stat(path).st_mtime_ns > stamp or f"{build}/".startswith(f"{path}/")


def introspected(folder, what):
    with open(os.path.join(folder, "meson-info", f"intro-{what}.json"), encoding="utf-8") as file:
        return json.load(file)


def files_of(targets):
    return {path_of(path) for target in targets for path in target["filename"]}


def call(test):
    return test["name"], test["suite"], test["cmd"], test["env"], test["workdir"]


def runs_that_passed(paths):
    """The log names of tests that passed: project, suites and name."""
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for run in map(json.loads, file):
                if run["result"] == "OK":
                    yield run["name"]


def log_name(test):
    suites = [suite.split(":", 1) for suite in test["suite"]]
    return f"{suites[0][0]}:{'+'.join(suite for _, suite in suites)} / {test['name']}"


def main():
    tests, known = introspected(build, "tests"), list(map(call, introspected(earlier, "tests")))
    targets = introspected(build, "targets")
    left = sorted(filter(os.path.exists, files_of(introspected(earlier, "targets")) - files_of(targets)))
    if left:
        sys.exit("\n".join(f"stale output: {path}" for path in left))
    made, programs = {target["id"]: target["filename"] for target in targets}, files_of(targets)
    passed = set(runs_that_passed(sys.argv[4:]))
    same, different = 0, {}
    for test in tests:
        needed = [path for target in test["depends"] for path in made.get(target, [])]
        if (path_of(test["cmd"][0]) in programs and call(test) in known and log_name(test) in passed and
                not any(map(is_changed, test["cmd"] + needed))):
            same += 1
        else:
            different[test["name"]] = True
    # Tests of two suites may share a name. Meson runs both each time the name is given, so it is printed once.
    print(*different, sep="\n", end="\n" if different else "")
    print(f"{same} of {len(tests)} tests are programs that have not changed and have passed", file=sys.stderr)


main()
