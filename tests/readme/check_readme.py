"""Tests the examples of the README: check_readme.py SOURCE_ROOT BUILD_ROOT MESON [--update]

Its fenced blocks are of three kinds:
  ```yaml samples/first/spells.yaml   the file's own text
  ```console                          commands after `$ `, then exactly what they print
  anything else not checked
The console blocks run in order in a copy of samples/first, with samples/game, samples/patch, samples/props and samples/village
next to it, and Kiln installed in a separate folder. Blocks that begin with `$ sh ` are not run. `--update` writes files and
output into the README instead of comparing.
"""
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\S+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)


def install(build, meson, folder):
    """Installs into `folder`. Returns the environment for a shell that uses the installation."""
    subprocess.run([meson, "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", folder],
                   check=True, stdout=subprocess.DEVNULL)
    found = {"bin": [], "lib": [], "pkgconfig": []}
    for place, _, names in os.walk(folder):
        if "kiln-bake" in names:
            found["bin"].append(place)
        if "libkiln.so" in names or "libkiln.a" in names:
            found["lib"].append(place)
        if "kiln.pc" in names:
            found["pkgconfig"].append(place)
    environment = dict(os.environ, LC_ALL="C.UTF-8", NO_COLOR="1", PKG_CONFIG_SYSROOT_DIR=folder)
    environment["PATH"] = ":".join(found["bin"] + [os.environ["PATH"]])
    environment["LD_LIBRARY_PATH"] = ":".join(found["lib"])
    environment["PKG_CONFIG_PATH"] = ":".join(found["pkgconfig"])
    return environment


def run_console(text, folder, environment):
    """Returns the block with each command and its actual output."""
    if text.startswith("$ sh "):
        return text
    made = []
    for command in re.findall(r"^\$ ((?:.*\\\n)*.*)\n", text, re.M):
        run = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, check=False)
        made.append(f"$ {command}\n{run.stdout}")
    return "".join(made)


def main():
    source, build, meson = sys.argv[1:4]
    path = os.path.join(source, "README.md")
    with open(path, encoding="utf-8") as stream:
        readme = stream.read()
    with tempfile.TemporaryDirectory() as work:
        environment = install(build, meson, os.path.join(work, "installed"))
        folder = os.path.join(work, "first")
        for sample in ("first", "game", "patch", "props", "village"):
            shutil.copytree(os.path.join(source, "samples", sample), os.path.join(work, sample))

        def replace(match):
            language, name, text = match.groups()
            if name:
                with open(os.path.join(source, name), encoding="utf-8") as stream:
                    text = stream.read()
            elif language == "console":
                text = run_console(text, folder, environment)
            return f"```{language}{' ' + name if name else ''}\n{text}```"

        made = FENCE.sub(replace, readme)
    if made == readme:
        return 0
    if "--update" in sys.argv[4:]:
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(made)
        return 0
    sys.stderr.writelines(difflib.unified_diff(readme.splitlines(True), made.splitlines(True),
                                               "README.md as it is", "README.md as it should be"))
    return 1


sys.exit(main())
