"""Checks which tests .ci/changed.py selects after a room was removed from the tree: check_changed.py CHANGED

The build folder has a test that is a program and one that is a script. Each case changes one thing compared with an earlier
copy of the folder.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

OLD, STAMP, NEW = 1_000_000_000, 1_000_000_100, 1_000_000_200
count = failed = 0


def target(build, name):
    return {"id": f"{name}@exe", "name": name, "filename": [str(build / name)]}


def make_tree(work):
    """Makes a tree in which the program `unit` has passed and nothing has changed; the script runs
    the program `tool`."""
    build, earlier = work / "tree/build", work / "earlier"
    tests = [{"name": name, "suite": ["kiln:unit"], "cmd": words, "env": {}, "workdir": None, "depends": []}
             for name, words in (("unit", [str(build / "unit"), "../data"]), ("script", ["/usr/bin/python3", "../script.py", "tool"]))]
    for folder, names in (build, ("unit", "tool")), (earlier, ("unit", "tool", "gone")):
        (folder / "meson-info").mkdir(parents=True)
        (folder / "meson-info/intro-tests.json").write_text(json.dumps(tests))
        (folder / "meson-info/intro-targets.json").write_text(json.dumps([target(build, name) for name in names]))
    for path in build / "unit", build / "tool", build.parent / "data", build.parent / "script.py", work / "stamp":
        path.touch()
        os.utime(path, (OLD, OLD) if path.name != "stamp" else (STAMP, STAMP))
    (work / "log.json").write_text(json.dumps({"name": "kiln:unit / unit", "result": "OK"}) + "\n")
    return build


def change_test(build, **what):
    path = build / "meson-info/intro-tests.json"
    tests = json.loads(path.read_text())
    tests[0].update(what)
    path.write_text(json.dumps(tests))


def add_target(build):
    path = build / "meson-info/intro-targets.json"
    path.write_text(json.dumps([*json.loads(path.read_text()), target(build, "data.bin")]))
    (build / "data.bin").touch()
    change_test(build, depends=["data.bin@exe"])
    earlier = build.parents[1] / "earlier/meson-info/intro-tests.json"
    earlier.write_text((build / "meson-info/intro-tests.json").read_text())


def touch(path):
    os.utime(path, (NEW, NEW))


def check(what, change, names, says=""):
    global count, failed
    with tempfile.TemporaryDirectory() as work:
        build = make_tree(Path(work))
        change(build)
        run = subprocess.run([sys.executable, sys.argv[1], build, f"{work}/earlier", f"{work}/stamp", f"{work}/log.json"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    good = run.stdout.split() == names and says in run.stderr and (run.returncode != 0) == bool(says)
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {what}")
    if not good:
        print(f"# exit {run.returncode}, names {run.stdout.split()}\n# {run.stderr.strip()}")


both = ["unit", "script"]
check("an unchanged program that passed is skipped, a script is not", lambda build: None, ["script"])
check("a rebuilt program runs", lambda build: touch(build / "unit"), both)
check("a program with a changed data file runs", lambda build: touch(build.parent / "data"), both)
check("a program that depends on a rebuilt target runs", add_target, both)
check("a program with changed arguments runs", lambda build: change_test(build, cmd=[str(build / "unit")]), both)
check("a program that gets the source folder as an argument runs", lambda build: change_test(build, cmd=[str(build / "unit"), ".."]), both)
check("a program with a changed environment runs", lambda build: change_test(build, env={"A": "1"}), both)
check("a new program runs", lambda build: change_test(build, name="other"), ["other", "script"])
check("a program without a result in the log runs", lambda build: (build.parents[1] / "log.json").write_text(""), both)
check("a program that failed according to the log runs", lambda build: (build.parents[1] / "log.json").write_text(
    json.dumps({"name": "kiln:unit / unit", "result": "FAIL"}) + "\n"), both)
check("tests with the same name are listed once", lambda build: change_test(build, name="script"), ["script"])
check("a file that no target builds is an error", lambda build: (build / "gone").touch(), [], "stale output: ")
print(f"1..{count}")
sys.exit(failed != 0)
