#!/usr/bin/env python3
"""Checks the messages for mistakes in project files (TAP).

    project_mistakes.py KILN_BAKE            compares the messages
    project_mistakes.py KILN_BAKE --update   rewrites the expected messages

Each case in project_mistakes.txt is `=== NAME`, a project file, `~~~` and the expected diagnostics. Every case exits with 1 and writes
nothing. The folder has the files of FILES.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

BAKE = str(pathlib.Path(sys.argv[1]).resolve())
CASES = pathlib.Path(__file__).with_name("project_mistakes.txt")
CASE = re.compile(r"^=== (.*)\n((?:(?!~~~$).*\n)*)~~~\n((?:(?!=== ).*\n)*)", re.M)
FILES = {
    "s.yaml": "kiln: 1\ntypes: {T: {struct: {n: u8}, asset: true}}\n",
    "data/a.yaml": "T: {a: {n: 1}}\n",
    "data/b.yaml": "T: {b: {n: 1}}\n",
    "data/readme.txt": "Not an input.\n",
}


def files(folder):
    return sorted(os.path.join(at, name) for at, folders, names in os.walk(folder) for name in folders + names)


def run(folder, project):
    for path, text in {**FILES, "kiln.yaml": project}.items():
        path = pathlib.Path(folder, path)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    before = files(folder)
    done = subprocess.run([BAKE], cwd=folder, capture_output=True, check=False)
    problems = []
    if done.returncode != 1:
        problems.append(f"exit {done.returncode}")
    if done.stdout:
        problems.append("standard output is not empty")
    if files(folder) != before:
        problems.append("a file was written")
    return done.stderr.decode(), problems


def main():
    text = CASES.read_text(encoding="utf-8")
    updated, number, failed, end = "", 0, 0, 0
    for number, match in enumerate(CASE.finditer(text), 1):
        name, project, expected = match.groups()
        assert match.start() == end, f"unread text before {name}"
        end = match.end()
        with tempfile.TemporaryDirectory() as folder:
            said, problems = run(folder, project)
        if said != expected and "--update" not in sys.argv:
            problems += ["expected:", *expected.splitlines(), "found:", *said.splitlines()]
        updated += f"=== {name}\n{project}~~~\n{said}"
        failed += bool(problems)
        print("not ok" if problems else "ok", number, "-", name)
        print("".join(f"# {line}\n" for line in problems), end="")
    assert end == len(text), "unread text at the end"
    print(f"1..{number}")
    if "--update" in sys.argv:
        CASES.write_text(updated, encoding="utf-8")
    return 1 if failed or number == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
