#!/usr/bin/env python3
"""Runs the commands of a guide and compares their output: check_guide.py GUIDE PROGRAM... [--update]

Fenced blocks of a guide:
  ```LANGUAGE NAME    writes a file; if NAME begins with samples/, it is the text of that file of the tree, written without folders
  ```console          commands after `$ `, then exactly what they print
  anything else       is not checked
Each section (`## `) begins in a new folder with the files that the first section wrote. The folders of the PROGRAMs are in PATH. A
comment `<!-- needs: NAME... -->` below a heading skips the section if one of these programs is missing. Times and shares of times
may differ. `--update` writes the actual output into the guide.
"""
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

FENCE = re.compile(r"^```(\S+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)
NEEDS = re.compile(r"^<!-- needs: (.*) -->$", re.M)
TIME = re.compile(r"[ \d.,]+ ms(?: +[\d.]+ %)?")
SKIPPED = 77


def environment(programs):
    made = {name: value for name, value in os.environ.items()
            if not name.startswith(("MAKE", "MFLAGS", "KILN_", "NINJA", "CMAKE", "DESTDIR"))}
    folders = [os.path.dirname(os.path.abspath(program)) for program in programs]
    made.update(LC_ALL="C.UTF-8", NO_COLOR="1", PATH=":".join(folders + [os.environ["PATH"]]), SOURCE_DATE_EPOCH="1798761600")
    return made


def run_console(text, folder, env):
    made = []
    for command in re.findall(r"^\$ ((?:.*\\\n)*.*)\n", text, re.M):
        time.sleep(0.02)  # so that a file that is edited gets a later time
        done = subprocess.run(["sh", "-c", command], cwd=folder, env=env, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=100)
        made.append(f"$ {command}\n{done.stdout}")
    made = "".join(made)
    return text if TIME.sub("TIME", made) == TIME.sub("TIME", text) else made


def run_section(text, folder, env, root):
    """Returns the section with the actual output. `root` is the folder of the tree."""
    def replace(match):
        language, name, body = match.groups()
        if name and name.startswith("samples/"):
            body = (root / name).read_text(encoding="utf-8")
            (folder / os.path.basename(name)).write_text(body, encoding="utf-8")
        elif name:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(body, encoding="utf-8")
        elif language == "console":
            body = run_console(body, folder, env)
        return f"```{language}{' ' + name if name else ''}\n{body}```"
    return FENCE.sub(replace, text)


def main():
    guide, programs = pathlib.Path(sys.argv[1]), [word for word in sys.argv[2:] if word != "--update"]
    text, root = guide.read_text(encoding="utf-8"), guide.resolve().parent.parent
    made, skipped, env = [], [], environment(programs)
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        first = work / "0"
        first.mkdir()
        for number, section in enumerate(re.split(r"^(?=## )", text, flags=re.M)):
            needs = NEEDS.search(section)
            missing = [name for name in (needs[1].split() if needs else []) if not shutil.which(name, path=env["PATH"])]
            if missing:
                skipped.append(f"{section.splitlines()[0]}: {', '.join(missing)} not found")
                made.append(section)
                continue
            folder = work / str(number)
            if number > 1:
                shutil.copytree(first, folder)
            elif number == 1:
                folder = first
            made.append(run_section(section, folder, env, root))
            if number == 1:
                shutil.copytree(first, work / "first")
                first = work / "first"
    made = "".join(made)
    for line in skipped:
        print("skipped:", line)
    if "--update" in sys.argv:
        guide.write_text(made, encoding="utf-8")
        return 0
    if made != text:
        sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), made.splitlines(True), "the guide", "the commands"))
        print(f"python3 tests/guide/check_guide.py {' '.join(sys.argv[1:])} --update")
        return 1
    return SKIPPED if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
