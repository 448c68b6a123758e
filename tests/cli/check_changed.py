"""Which tests .ci/changed.py names after a room was taken out of a tree: check_changed.py CHANGED

Each case changes one thing in a small build folder, and its copy made before, of a program's test and a script's.
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
    """A tree in which program `unit` has passed and nothing has changed; the script runs the program `tool`."""
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
check("a program that has not changed and has passed is left out, a script is not", lambda build: None, ["script"])
check("a program that was made again runs", lambda build: touch(build / "unit"), both)
check("a program with a file that was made again runs", lambda build: touch(build.parent / "data"), both)
check("a program that needs a target that was made again runs", add_target, both)
check("a program that is called with other words runs", lambda build: change_test(build, cmd=[str(build / "unit")]), both)
check("a program that is given the folder of the tree runs", lambda build: change_test(build, cmd=[str(build / "unit"), ".."]), both)
check("a program with another environment runs", lambda build: change_test(build, env={"A": "1"}), both)
check("a program that is new runs", lambda build: change_test(build, name="other"), ["other", "script"])
check("a program of which no log says that it passed runs", lambda build: (build.parents[1] / "log.json").write_text(""), both)
check("a program that a log says failed runs", lambda build: (build.parents[1] / "log.json").write_text(
    json.dumps({"name": "kiln:unit / unit", "result": "FAIL"}) + "\n"), both)
check("tests that share a name are named once", lambda build: change_test(build, name="script"), ["script"])
check("a file that nothing makes any more is an error", lambda build: (build / "gone").touch(), [], "left over: ")
print(f"1..{count}")
sys.exit(failed != 0)
