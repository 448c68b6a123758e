"""Every number of threads gives the same results: jobs.py KILN_BAKE SOURCE [SEED [COUNT]]

Bakes the samples, all broken inputs and random projects with -j 1, 2, 3 and 8, also with texts, trees and blobs in a file
(--memory), and compares exit codes, messages and all outputs.
The random projects have inheritance, references, accepted names, scenes, files as values, importers, resources and several
outputs. Two thirds of them also have mistakes and warnings.
"""
import os
import random
import subprocess
import sys
import tempfile

JOBS = [["-j2", "--memory=10K"], ["-j3", "--memory=0"], ["-j8"]]

SCHEMA = """kiln: 1
importers:
  copy: {command: [cat], output: yaml}
types:
  Path: {wrap: string, path: {roots: res}}
  Spin: {struct: {by: f32}}
  Drop: {struct: {item: "ref<Item>", weight: {type: u8, default: 1, range: [1, 255]}}}
  Part: {union: {spin: Spin, drop: Drop, none: null}, by: {key: type}}
  Item:
    asset: true
    inherit: true
    struct:
      name: {type: string, default: ""}
      price: {type: u16, default: 3, range: [0, 900], was: cost}
      old: {type: u8, default: 0, deprecated: true}
      tags: {type: "string[]", default: []}
      parts: {type: "Part[]", default: [], inherit: merge}
      drops: {type: "map<string, Drop>", default: {}}
      next: {type: "ref<Item>?", default: null}
      other: {type: "ref<Far>?", default: null}
      look: {type: "Path?", default: null}
      text: {type: string, default: ""}
  Far: {struct: {n: u32}, asset: true}
  Place: {struct: {x: f32, y: {type: f32, default: 0}}, component: true}
  Link: {struct: {to: {type: "ref<Item>?", default: null}}, component: true}
files:
  - {match: "*.items.yaml", shape: map, type: Item}
  - {match: "*.far.yaml", shape: map, type: Far}
  - {match: "*.copied", import: copy, shape: map, type: Far}
  - {match: "*.scene.yaml", shape: scene}
  - {match: "*.accepted.yaml", shape: accepted}
"""


class Project:
    """Random files in the current folder, and arguments for kiln-bake."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.mistakes = self.random.choice([0, 0.02, 0.2])
        self.names = [f"i{n}" for n in range(self.random.randint(2, 120))]
        self.has_resources = self.random.random() < 0.3

    def chance(self, share):
        return self.random.random() < share

    def item(self, at):
        """One asset. Parents come before it, so there are no cycles."""
        pick, said = self.random.choice, []
        names = self.names
        if at and self.chance(0.4):
            said.append(f"parent: {names[self.random.randrange(at)]}")
        if self.chance(0.7):
            said.append(f"name: {pick(['a', 'b', 'long name ' * 9])}{at}")
        if self.chance(0.5):
            said.append(f"price: {self.random.randint(0, 900)}")
        if self.chance(0.3):
            said.append("tags: [%s]" % ", ".join(pick(["red", "blue", "x y"]) for _ in range(self.random.randint(0, 4))))
        if self.chance(0.4):
            parts = ["{type: spin, by: %d}" % self.random.randint(0, 5), "{type: drop, item: %s}" % pick(names), "{type: none}"]
            said.append("parts: [%s]" % ", ".join(pick(parts) for _ in range(self.random.randint(0, 3))))
        if self.chance(0.3):
            said.append("drops: {a: {item: %s}, b: {item: %s, weight: 4}}" % (pick(names), pick(names)))
        if self.chance(0.3):
            said.append(f"next: {pick(names + ['outside', 'far/away'])}")
        if self.chance(0.2):
            said.append("other: f0")
        if self.chance(0.1):
            said.append("text: !file text.txt")
        if self.has_resources and self.chance(0.3):
            said.append("look: " + pick(["a.png", "b.png"]))
        if self.chance(self.mistakes):
            said.append(pick(["price: 70000", "unknown: 1", "name: [1]", "next: nobody", "text: !file missing.txt", "old: 1", "cost: 2",
                              "drops: {a: {}}", "parts: [{type: strange}]", "look: missing.png", "tags: [*gone]", "look: 'a\\b'",
                              "price: 901"]))
        return "{%s}" % ", ".join(dict.fromkeys(said))

    def write(self):
        write("s.yaml", SCHEMA)
        write("in/text.txt", "some text\n")
        write("in/res/a.png", "")
        write("in/res/b.png", "")
        files = [f"in/{chr(97 + n % 26)}{n}.items.yaml" for n in range(self.random.randint(1, 40))]
        texts = {file: "" for file in files}
        for at, name in enumerate(self.names):
            texts[self.random.choice(files)] += f"{name}: {self.item(at)}\n"
        for file, text in texts.items():
            if self.chance(self.mistakes / 4):
                text += self.random.choice(["i0: {}\n", "broken: [\n", "\tbad: 1\n", "twice: {}\ntwice: {}\n", "late: {name: \x01}\n"])
            write(file, text)
        write("in/x.far.yaml", "f0: {n: 1}\nf1: {n: 2}\n")
        write("in/y.accepted.yaml", "Item: [outside, far/away]\n")
        write("in/m.copied", "g: {n: 1}\n" if self.chance(0.5) else "")
        for n in range(self.random.randint(0, 2)):
            rows = [f"  - {{components: {{Place: {{x: {i}}}, Link: {{to: {self.random.choice(self.names)}}}}}}}\n"
                    for i in range(self.random.randint(1, 30))]
            write(f"in/s{n}.scene.yaml", "entities:\n" + "".join(rows))

    def arguments(self):
        words = ["-s", "s.yaml", "-C", "in", "-I", "none"]
        options = ["-v", "-Werror", "--dangling=warn", "--max-errors=3", "--no-types", "--compress=1", "--diagnostics=json", "--no-share",
                   "--resources=warn", "--source-map=o.map", "--no-importers"]
        for option in options:
            if self.chance(0.15):
                words.append(option)
        if self.chance(0.2):
            if "--no-share" in words:
                words.remove("--no-share")
            words = ["check"] + [word for word in words if not word.startswith(("--source", "--compress"))]
        elif self.chance(0.2):
            words += ["--each", "out", "-MD", "-MF", "o.d"]
        else:
            words += ["-o", "out/o.kiln", "-MD"]
        return words + ["."]


def write(path, text):
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def outcome(bake, words, cwd):
    """The result of a run, which writes to the folder `out` in `cwd`, and `o.map`."""
    done = subprocess.run([bake] + words, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    files = {}
    for folder, _, names in os.walk(os.path.join(cwd, "out")):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                files[name] = file.read()
            os.remove(os.path.join(folder, name))
    for name in ("o.map", "o.d"):
        path = os.path.join(cwd, name)
        if os.path.exists(path):
            with open(path, "rb") as file:
                files[name] = file.read()
            os.remove(path)
    return done.returncode, done.stdout, done.stderr, files


def compare(bake, words, cwd, title):
    """Returns the exit code with one thread."""
    os.makedirs(os.path.join(cwd, "out"), exist_ok=True)
    one = outcome(bake, ["-j1"] + words, cwd)
    for jobs in JOBS:
        many = outcome(bake, jobs + words, cwd)
        for what, left, right in zip(("exit codes", "outputs", "messages", "files"), one, many):
            if left != right:
                if isinstance(left, bytes):
                    what += "\n" + left.decode(errors="replace")[:2000] + "\n" + right.decode(errors="replace")[:2000]
                sys.exit(f"{title}: -j1 and {' '.join(jobs)} have different {what}\n{words}")
    return one[0]


def main():
    bake, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    first, count = int(sys.argv[3]) if len(sys.argv) > 3 else 1, int(sys.argv[4]) if len(sys.argv) > 4 else 60
    with tempfile.TemporaryDirectory() as folder:
        game = source + "/samples/game/"
        code = compare(bake, ["-s", game + "game.schema.yaml", "-o", "out/o.kiln", "-MD", "-C", game + "data", "."], folder,
                       "samples/game")
        assert code == 0, "samples/game"
        broken = os.path.join(source, "tests", "broken")
        for schema, prefix in (("data", ""), ("scenes", "scene_")):
            inputs = sorted(name for name in os.listdir(broken) if name.endswith(".yaml") and ".schema." not in name
                            and name.startswith("scene_") == bool(prefix) and not name.startswith("schema_"))
            for limit in ("5", "100000"):
                words = ["-s", f"{broken}/{schema}.schema.yaml", "-C", broken, "--max-errors", limit, "-o", "out/o.kiln"] + inputs
                assert compare(bake, words, folder, f"tests/broken, {schema}") == 1
    codes = [0, 0, 0]
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            project = Project(seed)
            project.write()
            codes[compare(bake, project.arguments(), folder, f"seed {seed}")] += 1
            os.chdir("/")
    assert count < 20 or codes[0] and codes[1], f"exit codes: {codes}"
    print(f"{count} random projects: {codes[0]} without errors, {codes[1]} with mistakes, {codes[2]} failed")


main()
