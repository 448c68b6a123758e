"""A bundle that is baked in parts and linked has the bytes of a direct bake: parts.py KILN_BAKE SOURCE [SEED [COUNT]]

Bakes samples and random bundles directly, and in random groups of inputs. Compares the bytes and the messages. The random bundles
have inheritance and patches across files, prefabs and nested scenes, renamed and deleted ids, guids, importers, files as values,
missing resources, clusters, externs, and random options. One third has mistakes.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

SCHEMA = """kiln: 1
importers:
  copy: {command: [cat], output: yaml}
types:
  Path: {wrap: string, path: {roots: res}}
  Drop: {struct: {item: "ref<Item>", weight: {type: u8, default: 1, range: [1, 255]}}}
  Item:
    asset: true
    cluster: root
    inherit: true
    struct:
      name: {type: string, default: ""}
      price: {type: u16, default: 3, range: [0, 900]}
      old: {type: u8, default: 0, deprecated: true}
      drops: {type: "map<string, Drop>", default: {}}
      next: {type: "ref<Item>?", default: null}
      other: {type: "ref<Far>?", default: null}
      any: {type: "ref?", default: null}
      look: {type: "Path?", default: null}
      text: {type: string, default: ""}
  Far: {struct: {n: u32, next: {type: "ref<Far>?", default: null}}, asset: true}
  Node: {struct: {to: {type: "ref?", local: id, file_by: guid, default: null}, n: {type: u8, default: 0}}, asset: true}
  Place: {struct: {x: {type: f32, default: 0}, y: {type: f32, default: 0}}, component: true}
  Link: {struct: {to: {type: "ref<Item>?", default: null}, words: {type: "string[]", default: []}}, component: true}
files:
  - {match: "*.items.yaml", shape: map, type: Item}
  - {match: "*.mod.yaml", shape: map, type: Item, patch: true}
  - {match: "*.far.yaml", shape: map, type: Far}
  - {match: "*.copied", import: copy, shape: map, type: Far}
  - {match: "*.scene.yaml", shape: scene}
  - {match: "*.prefabs.yaml", shape: prefabs}
  - {match: "*.renames.yaml", shape: renames, type: Item}
  - {match: "*.accepted.yaml", shape: accepted}
  - {match: "*.meta", shape: guids, key: guid}
  - {match: "*.node", shape: objects, tag: "tag:u,1:"}
"""


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Bundle:
    """Random files in the current folder."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.mistakes = self.random.choice([0, 0, 0.05])
        self.names = [f"i{n}" for n in range(self.random.randint(2, 60))]
        # With --dangling=warn, unknown references are inherited, and they are in patches.
        self.warns = self.random.random() < 0.3
        self.unknown = "next: nowhere, " if self.warns else ""
        self.has = {what: self.random.random() < 0.6 for what in ("scenes", "guids", "renames", "patches", "imports", "resources")}

    def chance(self, share):
        return self.random.random() < share

    def target(self):
        return self.random.choice(self.names + (["before1"] if self.has["renames"] else []))

    def item(self, at):
        said = []
        if at and self.chance(0.4):
            said.append(f"parent: {self.random.choice(self.names[:at] + ['base0'] * 3)}")
        if at and self.chance(0.1):
            said.append("abstract: false")
        if self.chance(0.7):
            said.append(f"name: {self.random.choice(['a', 'b', 'long name ' * 9])}{self.random.randrange(9)}")
        if self.chance(0.3):
            said.append("drops: {a: {item: %s}, b: {item: %s, weight: 4}}" % (self.target(), self.target()))
        if self.chance(0.3):
            said.append(f"next: {self.random.choice([self.target(), 'outside', 'far/away'])}")
        if self.has["renames"] and self.chance(0.1):
            said.append("any: Item/gone")
        if self.chance(0.2):
            said.append("other: f0")
        if self.chance(0.1):
            said.append("text: !file text.txt")
        if self.has["resources"] and self.chance(0.3):
            said.append("look: " + self.random.choice(["a.png", "b.png", "missing.png"]))
        if self.chance(0.05):
            said.append("old: 1")
        if self.chance(self.mistakes):
            said.append(self.random.choice(["price: 70000", "unknown: 1", "next: nobody", "text: !file missing.txt", "drops: {a: {}}"]))
        return "{%s}" % ", ".join({word.split(":")[0]: word for word in said}.values())

    def write(self):
        pick = self.random.choice
        write("s.yaml", SCHEMA)
        write("in/text.txt", "some text\n")
        write("in/res/a.png", "")
        write("in/res/b.png", "")
        files = [f"in/{chr(97 + n % 26)}{n}.items.yaml" for n in range(self.random.randint(1, 12))]
        texts = {file: "" for file in files}
        for at, name in enumerate(self.names):
            texts[pick(files)] += f"{name}: {self.item(at)}\n"
        for file, text in texts.items():
            write(file, text)
        write("in/w.items.yaml", f"base0: {{abstract: true, {self.unknown}old: 7}}\n")
        write("in/x.far.yaml", "f0: {n: 1, next: f1}\nf1: {n: 2}\n")
        write("in/z.far.yaml", "f9: {n: 2}\n")
        write("in/y.accepted.yaml", "Item: [outside, far/away]\n")
        if self.has["imports"]:
            write("in/m.copied", "g: {n: 1, next: f9}\n")
        if self.has["patches"]:
            write("in/1.mod.yaml", "".join(f"{name}: {{price: {self.random.randrange(900)}}}\n" for name in self.names[::5]))
            write("in/2.mod.yaml", f"{self.names[0]}: {{name: patched, old: 2}}\n{self.names[-1]}: {{{self.unknown}old: 3}}\n")
        if self.has["renames"]:
            write("in/r.renames.yaml", f"before1: before2\nbefore2: {pick(self.names)}\ngone: null\n")
        if self.has["guids"]:
            for n in range(3):
                write(f"in/n{n}.node", "".join(f"--- !<tag:u,1:1> &{k}\nNode: {{n: {k}, to: {{id: {pick([1, 2])}, guid: g{pick([0, 1, 2])}}}}}\n"
                                               for k in (1, 2)))
                write(f"in/n{n}.node.meta", f"guid: g{n}\n")
            write("in/raw.png.meta", "guid: g7\n")
        if self.has["scenes"]:
            self.write_scenes()

    def write_scenes(self):
        pick = self.random.choice
        for n in range(3):
            base = f"base: p{n - 1}\n  " if n and self.chance(0.7) else ""
            write(f"in/p{n}.prefabs.yaml", f"p{n}:\n  {base}components: {{Place: {{y: {n}}}, Link: {{to: {self.target()}, words: [a, b]}}}}\n")
        for n in range(self.random.randint(1, 4)):
            rows = [f"  - {{base: p{pick([0, 1, 2])}, components: {{Place: {{x: {i}}}}}}}\n" if self.chance(0.5) else
                    f"  - {{components: {{Place: {{x: {i}}}, Link: {{to: {self.target()}}}}}}}\n" for i in range(self.random.randint(1, 9))]
            nested = f"scenes:\n  - {{scene: s{n - 1}, name: inner}}\n" if n and self.chance(0.5) else ""
            write(f"in/s{n}.scene.yaml", nested + "entities:\n" + "".join(rows))

    def options(self):
        """Options of all commands, and further ones of the direct bake and of `link`."""
        every, last = ["-s", "s.yaml"], []
        baking = ["-C", "in", "--resources=warn"]
        if self.chance(0.3):
            last += ["--compress", pick_level(self.random)] + (["--dictionary=all"] if self.chance(0.3) else [])
        if self.chance(0.2):
            last.append("--no-share")
        if self.chance(0.2):
            last.append("--no-types")
        if self.warns:
            baking.append("--dangling=warn")
        return every, baking, last


def pick_level(rng):
    return rng.choice(["1", "19"])


def run(bake, words, cwd):
    done = subprocess.run([bake] + words, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, check=False, text=True)
    assert done.returncode in (0, 1), (words, done.returncode, done.stderr)
    return done


def messages(text):
    """Errors without the counts of further places, which each part counts for itself. A part that has reported mistakes in its own
    files says nothing about those in patches. `link` prints warnings, if there are no errors."""
    lines = [line for line in text.splitlines() if ": error: " in line and ".mod.yaml:" not in line]
    return sorted(re.sub(r", here and in \d+ more places?", "", line) for line in lines if not line.endswith(" [part]"))


def warnings(text):
    """The warnings with their excerpts and hints, except those about resources, which a part prints itself."""
    blocks = []
    for line in text.splitlines():
        if re.search(r"^[^ ].*: warning: ", line):
            blocks.append(line)
        elif blocks and line.startswith(" "):
            blocks[-1] += "\n" + line
    return [block for block in blocks if "[resource]" not in block.split("\n")[0]]


def is_counted(message):
    """Whether a direct bake reports it once for all places, and each part for its own."""
    return "unknown asset" in message or "cannot find the file" in message or "unknown guid" in message


def read(path):
    with open(path, "rb") as file:
        return file.read()


def bake_parts(bake, every, baking, last, groups, cwd):
    """Returns the exit code of the last command, and all messages."""
    share = [word for word in last if word == "--no-share"]
    # `names` writes nothing after a mistake, so there are no parts.
    need = [word for word in baking if not word.startswith(("--resources", "--dangling"))]
    done = run(bake, ["names", "-o", "o.names"] + every + need + [f for group in groups for f in group], cwd)
    text = done.stderr
    if done.returncode:
        return done.returncode, text, False
    failed = False
    for number, group in enumerate(groups):
        done = run(bake, ["build", "-q", "--names", "o.names", "-o", f"{number}.part"] + every + baking + share + group, cwd)
        text += done.stderr
        failed |= done.returncode != 0
    if failed:
        return 1, text, True
    parts = [f"{number}.part" for number in range(len(groups))]
    done = run(bake, ["link", "--names", "o.names", "-o", "linked.kiln"] + every + last + parts, cwd)
    assert not warnings(text), text
    return done.returncode, text + done.stderr, True


def compare(bake, every, baking, last, groups, cwd, title):
    files = [file for group in groups for file in group]
    direct = run(bake, ["build", "-o", "direct.kiln"] + every + baking + last + files, cwd)
    code, text, has_parts = bake_parts(bake, every, baking, last, groups, cwd)
    assert code == direct.returncode, f"{title}: exit code {code}\n{direct.stderr}\n{text}"
    left, right = messages(direct.stderr), messages(text)
    # Mistakes that `names` finds are reported before those in values.
    same = left == right if has_parts else set(right) <= set(left)
    if not same and [m for m in left if not is_counted(m)] != [m for m in right if not is_counted(m)]:
        sys.exit(f"{title}: other messages\n{direct.stderr}\n---\n{text}")
    if code == 0 and warnings(direct.stderr) != warnings(text):
        sys.exit(f"{title}: other warnings\n{direct.stderr}\n---\n{text}")
    if code == 0 and read(os.path.join(cwd, "direct.kiln")) != read(os.path.join(cwd, "linked.kiln")):
        sys.exit(f"{title}: other bytes, with {every + baking + last} and {groups}")
    return code


def grouped(rng, files, count):
    groups = [[] for _ in range(count)]
    for file in files:
        rng.choice(groups).append(file)
    return [group for group in groups if group]


def files_below(folder):
    found = [os.path.relpath(os.path.join(where, name), folder) for where, _, names in os.walk(folder) for name in names]
    return sorted(name for name in found if not name.endswith((".png", ".txt")))


PAYLOADS = """kiln: 1
types:
  Large: {struct: {data: {type: payload, frames: 131072}}, asset: true}
  Small: {struct: {data: {type: payload, frames: 65536, align: 4096}}, asset: true}
files:
  - {match: "*.large.yaml", shape: map, type: Large}
  - {match: "*.small.yaml", shape: map, type: Small}
"""


def compare_payloads(bake, cwd):
    """Only high levels of compression make the data smaller; parts are not compressed."""
    write(f"{cwd}/s.yaml", PAYLOADS)
    noise = random.Random(1)
    for name in ("p", "q"):
        with open(f"{cwd}/{name}.bin", "wb") as file:
            for _ in range(2):
                file.write(bytes(700) + noise.getrandbits(8 * 64836).to_bytes(64836, "little"))
    for path, file in (("a.large", "p"), ("b.small", "p"), ("c.large", "q"), ("d.small", "p")):
        write(f"{cwd}/{path}.yaml", f"{path[0]}: {{data: !file {file}.bin}}\n")
    files = files_below(cwd)
    files = [file for file in files if ".small." in file or ".large." in file]
    sizes = []
    for level in (0, 1, 19):
        for groups in ([files], [[file] for file in files], [files[:2], files[2:]]):
            code = compare(bake, ["-s", "s.yaml"], [], [f"--compress={level}"] if level else [], groups, cwd, "payloads")
            assert code == 0, "payloads"
        sizes.append(os.path.getsize(f"{cwd}/linked.kiln"))
    assert sizes[2] < sizes[0] == sizes[1], f"sizes of payloads: {sizes}"


def main():
    bake, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    first, count = int(sys.argv[3]) if len(sys.argv) > 3 else 1, int(sys.argv[4]) if len(sys.argv) > 4 else 15
    samples = [("game", "game.schema.yaml", "data"), ("village", "village.schema.yaml", "scenes")]
    codes = [0, 0]
    with tempfile.TemporaryDirectory() as cwd:
        for sample, schema, folder in samples:
            at = f"{source}/samples/{sample}/"
            files = files_below(at + folder)
            extern = [] if sample == "game" else ["-x", "game.kiln"]
            for groups in ([files], [[file] for file in files]):
                code = compare(bake, ["-s", at + schema], ["-C", at + folder] + extern, ["--compress=3"], groups, cwd, sample)
                assert code == 0, sample
            os.rename(f"{cwd}/linked.kiln", f"{cwd}/{sample}.kiln")
    with tempfile.TemporaryDirectory() as cwd:
        compare_payloads(bake, cwd)
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as cwd:
            os.chdir(cwd)
            bundle = Bundle(seed)
            bundle.write()
            files = files_below("in")
            every, baking, last = bundle.options()
            groups = grouped(bundle.random, files, bundle.random.randint(1, 6))
            codes[compare(bake, every, baking, last, groups, cwd, f"seed {seed}")] += 1
            os.chdir("/")
    assert count < 15 or codes[0] and codes[1], f"exit codes: {codes}"
    print(f"{count} random bundles: {codes[0]} without errors, {codes[1]} with mistakes")


main()
