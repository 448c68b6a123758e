"""Messages about a file whose name is empty contain no gap where the name would be: empty_names.py KILN_BAKE KILN_INSPECT
SOURCE_ROOT"""
import os
import subprocess
import sys
import tempfile


def main():
    bake, inspect, root = (os.path.abspath(word) for word in sys.argv[1:4])
    schema = os.path.join(root, "samples/first/spell.schema.yaml")
    data = os.path.join(root, "samples/first/spells.yaml")
    commands = [[bake, "-s", "", "-o", "o.kiln", data], [bake, "-s", schema, "-o", "o.kiln", ""], [bake, "-s", schema, "-o", "", data],
                [bake, "-s", schema, "-o", "o.kiln", "-x", "", data], [bake, "repack", "-o", "o.kiln", ""],
                [bake, "header", "-s", "", "-o", "o.h"], [bake, "schema", "check", "", ""], [bake, "schema", "check", schema, ""],
                [bake, "-s", schema, "-o", "o.kiln", "@"]]
    commands += [[inspect, command, ""] for command in ("verify", "ls", "info", "dump", "type", "hex", "refs", "where")] + [[inspect, ""]]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for words in commands:
            done = subprocess.run(words, cwd=folder, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            shown = " ".join([os.path.basename(words[0]), *(word or '""' for word in words[1:])])
            if done.returncode == 0 or not done.stdout or any(sign in done.stdout for sign in (": :", "  :", "read :", "write :", ":  ", "()")):
                print(f"{shown}: exit code {done.returncode}: {done.stdout}", file=sys.stderr)
                wrong += 1
    print(f"{len(commands)} commands, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
