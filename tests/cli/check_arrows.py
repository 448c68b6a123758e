"""Tests what .ci/arrows.py accepts and refuses in a small tree (TAP): check_arrows.py ARROWS CC"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ARROWS, CC = sys.argv[1], sys.argv[2:]
# For each file: the function that it defines, and the functions that it calls. If a header with a different name declares the
# function, also this header and its first comment.
FILES = {"blobfmt/base/low.c": ("low", []), "blobfmt/top/high.c": ("high", ["low"]),
         "baker/base/bottom.c": ("bottom", ["low"]), "baker/run/left.c": ("left", ["bottom", "high"]), "baker/run/right.c": ("right", []),
         "runtime/base/other.c": ("other", ["low"])}
CASES = [
    ("arrows that point down", {}, "", []),
    ("an arrow up", {"blobfmt/base/low.c": ("low", ["high"])}, "high.c low.c: a reason\n",
     ["upward: blobfmt/base/low.c -> blobfmt/top/high.c (high)"]),
    ("an arrow into another room", {"baker/run/right.c": ("right", ["other"])}, "",
     ["into another room: baker/run/right.c -> runtime/base/other.c (other)"]),
    ("a circle", {"baker/run/right.c": ("right", ["left"]), "baker/run/left.c": ("left", ["right"])}, "",
     ["unlisted circle: left.c right.c"]),
    ("a listed circle", {"baker/run/right.c": ("right", ["left"]), "baker/run/left.c": ("left", ["right"])},
     "# a comment\n\nright.c left.c: values nest\n", []),
    ("a listed circle without a reason", {"baker/run/right.c": ("right", ["left"]), "baker/run/left.c": ("left", ["right"])},
     "right.c left.c:\n", ["unlisted circle: left.c right.c"]),
    ("an unused function, declared in another file's header", {"baker/run/right.c": ("right", [], "left.h", "/* Of left. */")}, "",
     []),
    ("a used function, declared in another file's header", {"baker/base/bottom.c": ("bottom", ["low"], "ground.h", "/* Parts: top_*.c */")}, "",
     ["misplaced: baker/base/bottom.c defines bottom, declared in ground.h"]),
    ("a used function, declared in a header that lists its parts", {"baker/base/bottom.c": ("bottom", ["low"], "ground.h", "/* Parts: bot*.c */")}, "",
     []),
    ("a list that is out of date", {}, "left.c right.c: values nest\n", ["no longer a circle, but listed in circles.txt: left.c right.c"]),
]


def write_tree(root, files, listed):
    (root / "build").mkdir()
    (root / ".ci").mkdir()
    (root / ".ci/circles.txt").write_text(listed)
    commands = []
    for name, (defines, calls, *header) in files.items():
        path, made = root / name, root / "build" / (Path(name).stem + ".o")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"void {call}(void);\n" for call in calls) + f"void {defines}(void);\nvoid {defines}(void)\n{{\n" +
                        "".join(f"    {call}();\n" for call in calls) + "}\n")
        header_name, comment = header or (f"{path.stem}.h", "/* One file. */")
        with open(path.with_name(header_name), "a", encoding="utf-8") as file:
            file.write(f"{comment}\nvoid {defines}(void);\n")
        subprocess.run([*CC, "-c", path, "-o", made], check=True)
        commands.append({"file": f"../{name}", "output": made.name, "directory": str(root / "build")})
        room = root / name.split("/")[0] / "meson.build"
        line = f"subdir('{name.split('/')[1]}')\n"
        if not room.exists() or line not in room.read_text():
            with open(room, "a", encoding="utf-8") as file:
                file.write(line)
    (root / "build/compile_commands.json").write_text(json.dumps(commands))


print(f"1..{len(CASES) + 1}")
failed = 0
for number, (what, changed, listed, expected) in enumerate(CASES, 1):
    with tempfile.TemporaryDirectory() as folder:
        write_tree(Path(folder), {**FILES, **changed}, listed)
        done = subprocess.run([sys.executable, ARROWS, Path(folder) / "build", folder], stderr=subprocess.PIPE, text=True)
    holds = done.stderr.splitlines() == expected and done.returncode == bool(expected)
    failed += not holds
    print(f"{'ok' if holds else 'not ok'} {number} - {what}", *(f"# {line}" for line in ([] if holds else done.stderr.splitlines())), sep="\n")
with tempfile.TemporaryDirectory() as folder:
    write_tree(Path(folder), {}, "")
    done = subprocess.run([sys.executable, ARROWS, Path(folder) / "build", folder], stderr=subprocess.DEVNULL)
failed += done.returncode != 1
print(f"{'ok' if done.returncode == 1 else 'not ok'} {len(CASES) + 1} - a build without object files is refused")
sys.exit(failed > 0)
