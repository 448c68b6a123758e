#!/usr/bin/env python3
"""Checks the messages for mistakes that beginners make (TAP).

    beginner_mistakes.py KILN_BAKE            compares the messages
    beginner_mistakes.py KILN_BAKE --update   rewrites the expected messages

Each case in beginner_mistakes.txt is `=== NAME`, files, a command, and what it prints. `@ NAME` begins a file, `@ NAME = PYTHON` is a
file with these bytes, and `@ NAME/` is an empty folder. `$ ARGUMENTS` is the command line; `$ cd FOLDER && ARGUMENTS` runs it in a
folder. The folder has the files of the case `files of all cases`, unless the case replaces them. A command that fails writes nothing.
"""

import ast
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

BAKE = str(pathlib.Path(sys.argv[1]).resolve())
CASES = pathlib.Path(__file__).with_name("beginner_mistakes.txt")
CASE = re.compile(r"^=== (.*)\n((?:(?!\$ |=== ).*\n)*)(?:\$ (.*)\n((?:(?!=== ).*\n)*))?", re.M)
FILE = re.compile(r"^@ (\S+)(?: = (.*))?\n((?:(?!@ ).*\n)*)", re.M)


def write(folder, files):
    for name, literal, text in FILE.findall(files):
        path = pathlib.Path(folder, name)
        if name.endswith("/"):
            path.mkdir(parents=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(ast.literal_eval(literal) if literal else text.encode())


def listed(folder):
    return sorted(os.path.join(at, name) for at, folders, names in os.walk(folder) for name in folders + names)


def run(folder, command):
    inside = re.match(r"cd (\S+) && ", command)
    arguments = shlex.split(command[inside.end():] if inside else command)
    before = listed(folder)
    done = subprocess.run([BAKE, *arguments], cwd=os.path.join(folder, inside[1] if inside else ""), capture_output=True, check=False,
                          stdin=subprocess.DEVNULL)
    problems = []
    if done.returncode not in (0, 1, 2):
        problems.append(f"exit {done.returncode}")
    if done.returncode and listed(folder) != before:
        problems.append("a file was written")
    text = (done.stdout + done.stderr).decode()
    return text + f"exit {done.returncode}\n", problems


def main():
    text = CASES.read_text(encoding="utf-8")
    updated, shared, number, failed, end = "", "", 0, 0, 0
    for match in CASE.finditer(text):
        name, files, command, expected = match.groups()
        assert match.start() == end, f"unread text before {name}"
        end = match.end()
        if command is None:
            shared = files
            updated += match[0]
            continue
        number += 1
        with tempfile.TemporaryDirectory() as folder:
            write(folder, shared)
            write(folder, files)
            printed, problems = run(folder, command)
        if printed != expected and "--update" not in sys.argv:
            problems += ["expected:", *expected.splitlines(), "found:", *printed.splitlines()]
        updated += f"=== {name}\n{files}$ {command}\n{printed}"
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
