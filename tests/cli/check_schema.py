"""Tests the examples of SCHEMA.md: check_schema.py SOURCE_ROOT KILN_BAKE KILN_INSPECT

Meaning of the fenced blocks: `yaml schema` is a schema (`kiln: 1` may be omitted) for the blocks up to the next schema:
  `yaml data [NAME]`  bakes without messages, verifies, and its dump bakes to the same bytes
  `yaml same [NAME]`  the same, and all its assets have the same value
  `yaml wrong [NAME]` is refused
  Further files after NAME are read together with it
  Any other block with a NAME, as in `text notes.txt` or `yaml file.yaml`, is a file in the same folder.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```\w+ (?:(schema|data|same|wrong)\b)?([^\n]*)\n(.*?)^```$", re.M | re.S)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


def run(*words, cwd):
    return subprocess.run(words, cwd=cwd, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)


def check_good(bake, inspect, folder, names, same):
    """Returns what is wrong with an example that should bake, or None."""
    done = run(bake, "-q", "-Werror", "-C", ".", "-s", "s.schema.yaml", "-o", "a.kiln", *names,
               cwd=folder)
    if done.returncode or done.stdout:
        return done.stdout or "it does not bake"
    done = run(inspect, "verify", "a.kiln", cwd=folder)
    if done.returncode:
        return done.stdout
    dumped = run(inspect, "dump", "--format", "yaml", "a.kiln", cwd=folder).stdout
    write(os.path.join(folder, "dumped.unbaked"), dumped)
    for name in re.findall(r"!file (kiln.Payload/\w+)", dumped):
        os.makedirs(os.path.join(folder, "kiln.Payload"), exist_ok=True)
        with open(os.path.join(folder, name), "wb") as stream:
            subprocess.run([inspect, "extract", "a.kiln", name], cwd=folder, stdout=stream, check=True)
    done = run(bake, "-q", "-s", "s.schema.yaml", "-o", "b.kiln", "dumped.unbaked", cwd=folder)
    if done.returncode or done.stdout:
        return "its dump does not bake:\n" + dumped + done.stdout
    with open(os.path.join(folder, "a.kiln"), "rb") as one, \
            open(os.path.join(folder, "b.kiln"), "rb") as other:
        if one.read() != other.read():
            return "its dump bakes to different bytes:\n" + dumped
    if same:
        assets = json.loads(run(inspect, "dump", "--format", "json", "a.kiln", cwd=folder).stdout)
        values = {json.dumps(asset["value"]) for asset in assets["assets"].values()}
        if len(values) != 1:
            return f"its assets have {len(values)} different values:\n" + dumped
    return None


def main():
    source, bake, inspect = (os.path.abspath(word) for word in sys.argv[1:4])
    path = os.path.join(source, "baker", "SCHEMA.md")
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    wrong = count = 0
    with tempfile.TemporaryDirectory() as work:
        folder = None
        for match in FENCE.finditer(text):
            word, names, body = match.groups()
            names = names.split() or ["data.yaml"]
            line = text.count("\n", 0, match.start()) + 1
            count += 1
            if word == "schema":
                folder = os.path.join(work, str(count))
                head = "" if body.startswith("kiln:") else "kiln: 1\n"
                write(os.path.join(folder, "s.schema.yaml"), head + body)
                continue
            write(os.path.join(folder, names[0]), body)
            if not word:
                continue
            if word == "wrong":
                done = run(bake, "-q", "-s", "s.schema.yaml", "-o", "a.kiln", *names,
                           cwd=folder)
                said = None if done.returncode == 1 else "it was not refused\n" + done.stdout
            else:
                said = check_good(bake, inspect, folder, names, word == "same")
            if said:
                wrong += 1
                print(f"baker/SCHEMA.md:{line}: {said}", file=sys.stderr)
    print(f"{count} blocks, {wrong} wrong")
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
