"""Tests the examples of PROJECT.md: check_project.py SOURCE_ROOT KILN_BAKE

A block `yaml project` is a project file that bakes, and whose outputs are those that `list-outputs` prints. A block `yaml wrong` is
refused, and nothing is written. Both may omit `kiln: 1` and `schemas`. The folder has the files of FILES.
"""
import os
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```yaml (project|wrong)\n(.*?)^```$", re.M | re.S)
FILES = {
    "schemas/game.schema.yaml":
        "kiln: 1\nnamespace: game\ninclude: [more.yaml]\ntypes:\n"
        "  Item: {struct: {name: Text, made_of: ref<Item>?}, asset: true}\n",
    "schemas/lib/more.yaml": "kiln: 1\nnamespace: game\ntypes: {Text: {wrap: string}}\n",
    "data/items.yaml": "Item: {clay: {name: Clay}, pot: {name: Pot, made_of: clay}}\n",
    "data/dlc/more.yaml": "Item: {vase: {name: Vase, made_of: clay}}\n",
    "data/dlc/last.yaml": "Item: {bowl: {name: Bowl}}\n",
}


def write(folder, path, text):
    path = os.path.join(folder, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


def files(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder)
                  for at, _, names in os.walk(folder) if "/.kiln" not in at for name in names)


def run(bake, *words, cwd):
    return subprocess.run([bake, *words], cwd=cwd, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)


def check(bake, folder, word, body):
    """Returns what is wrong with an example, or None."""
    given = [*FILES, "kiln.yaml"]
    for path, text in FILES.items():
        write(folder, path, text)
    head = "" if body.startswith("kiln:") else \
        "kiln: 1\nschemas: schemas/*.yaml\ninclude: schemas/lib\n"
    write(folder, "kiln.yaml", head + body)
    done = run(bake, cwd=folder)
    if word == "wrong":
        if done.returncode != 1 or "[project]" not in done.stdout:
            return f"exit {done.returncode}\n" + done.stdout
        return None if files(folder) == sorted(given) else "it was refused, but files were written"
    if done.returncode:
        return done.stdout
    listed = run(bake, "list-outputs", cwd=folder).stdout.splitlines()
    if files(folder) != sorted(given + listed):
        return f"the files are {files(folder)}, the outputs {listed}"
    done = run(bake, "check", cwd=folder)
    if done.returncode:
        return "check: " + done.stdout
    done = run(bake, "clean", cwd=folder)
    if done.returncode or files(folder) != sorted(given):
        return f"clean: {done.stdout}leaves {files(folder)}"
    return None


def main():
    source, bake = (os.path.abspath(word) for word in sys.argv[1:3])
    with open(os.path.join(source, "baker", "PROJECT.md"), encoding="utf-8") as stream:
        text = stream.read()
    wrong = count = 0
    for match in FENCE.finditer(text):
        count += 1
        with tempfile.TemporaryDirectory() as folder:
            said = check(bake, folder, match.group(1), match.group(2))
        if said:
            wrong += 1
            line = text.count("\n", 0, match.start()) + 1
            print(f"baker/PROJECT.md:{line}: {said}", file=sys.stderr)
    print(f"{count} blocks, {wrong} wrong")
    return 1 if wrong or count != text.count("```yaml") or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
