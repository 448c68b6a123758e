"""The output of `kiln-inspect diff`: diff.py KILN_BAKE KILN_INSPECT [--update]

Each case of diff.txt is a line `=== name: arguments`, followed by the exit code and the output. `--update` rewrites them. `old` and
`new` are two versions of a small game, `same` has the values of `old` in another layout, `empty` has no bytes. Further cases show
the differences of a file in a git repository. Finally, files without scenes are compared with and without a pattern that matches all
assets: a pattern disables the fast comparison in the order of ids, and the output must be the same. That includes files of which one
letter differs, at the beginning or end of a chunk of 4,096 bytes, because the fast comparison marks such chunks.
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

CASES = Path(__file__).with_suffix(".txt")
CHUNK = 4096
CASE = re.compile(r"=== ([^\n:]*): ([^\n]*)\n(.*?)(?==== |\Z)", re.DOTALL)

SCHEMA = """kiln: 1
namespace: game
types:
  Rarity: {enum: [common, rare]}
  Vec: {struct: {x: f32, y: f32}}
  Effect: {union: {burn: Vec, heal: u8, nothing: }}
  Part: {struct: {name: string, size: u8}}
  Item: {struct: {price: PRICE, rarity: {type: Rarity, default: common}, at: Vec?, effect: Effect, parts: "Part[]", tags: "string[]", stats: "map<string, i32>",
    text: {type: string, default: ""}, twin: ref<Item>?}, asset: true}
  Weapon: {struct: {price: PRICE, power: {type: u8, default: 1}}, asset: true}
  Place: {struct: {x: f32, y: f32}, component: true}
  Label: {struct: {text: string, next: entity}, component: true}
  Lit: {struct: {}, component: true}
files:
  - {match: "*.scene.yaml", shape: scene}
"""
TEXT = "once upon a time, in a land behind seven hills and seven seas, there was a sword that could cut water in half"
OLD = f"""Item:
  club: {{price: 3, parts: [{{name: stick, size: 4}}], stats: {{hp: 1}}}}
  lamp: {{price: 7, rarity: rare, at: {{x: 1, y: 2}}, effect: {{heal: 3}}}}
  old: {{price: 1}}
  sword:
    price: 12
    at: {{x: 0.5, y: 2}}
    effect: {{burn: {{x: 1, y: 2}}}}
    parts: [{{name: blade, size: 9}}, {{name: grip, size: 2}}, {{name: knob, size: 1}}]
    tags: [sharp, heavy, long, bright]
    stats: {{hp: 4, luck: -1}}
    text: {TEXT}, and more
  gone: {{price: 5}}
Weapon:
  bow: {{price: 20}}
"""
NEW = f"""Item:
  lamp: {{price: 7, rarity: common, at: {{x: 1.0001, y: 2}}, effect: {{burn: {{x: 1, y: 1}}}}, twin: sword}}
  mace: {{price: 3, parts: [{{name: stick, size: 4}}], stats: {{hp: 1}}}}
  new: {{price: 2}}
  sword:
    price: 15
    effect: {{burn: {{x: 1, y: 3}}}}
    parts: [{{name: blade, size: 9}}, {{name: guard, size: 3}}, {{name: grip, size: 3}}]
    tags: [sharp, long, "bright\\u202e", new]
    stats: {{hp: 4, mana: 2}}
    text: {TEXT}, and less
  axe: {{price: 9, effect: nothing}}
Weapon:
  bow: {{price: 20, power: 2}}
renames: {{Item: {{old: new}}}}
"""
OLD_SCENE = """entities:
  - {name: door, components: {Place: {x: 1, y: 2}, Label: {text: in, next: oven}}}
  - {name: oven, components: {Place: {x: 3, y: 4}, Lit: {}}}
  - {components: {Lit: {}}}
  - {components: {Lit: {}}}
  - {name: cat, components: {Lit: {}}}
"""
NEW_SCENE = """entities:
  - {name: dog, components: {Place: {x: 0, y: 0}}}
  - {name: door, components: {Place: {x: 1, y: 5}, Label: {text: out, next: oven}}}
  - {name: oven, components: {Place: {x: 3, y: 4}}}
  - {name: first, components: {Lit: {}}}
  - {components: {Lit: {}}}
  - {components: {Lit: {}}}
"""


def run(folder, *words, codes=(0,), env=None):
    done = subprocess.run(words, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          env=dict(os.environ, **(env or {})))
    if done.returncode not in codes:
        raise AssertionError(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}")
    return done


def bake(tool, folder, name, document, scene, price="u16"):
    Path(folder, f"{name}.schema.yaml").write_text(SCHEMA.replace("PRICE", price), encoding="utf-8")
    inside = Path(folder, name)
    inside.mkdir()
    (inside / "items.yaml").write_text(document, encoding="utf-8")
    scenes = ["hall.scene.yaml"] if scene else []
    for path in scenes:
        (inside / path).write_text(scene, encoding="utf-8")
    run(folder, tool, "-q", "-s", f"{name}.schema.yaml", "-C", name, "-o", f"{name}.kiln", "items.yaml", *scenes)


def git(folder, *words, codes=(0,)):
    clean = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_PAGER": "cat"}
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"]
    return run(folder, "git", *who, *words, codes=codes, env=clean).stdout


def make_repository(folder, inspect):
    """A repository whose last commit changes a file, adds one and removes one."""
    path = Path(folder, "repository")
    path.mkdir()
    git(path, "init", "-q")
    (path / ".gitattributes").write_text("*.kiln diff=kiln\n*.asset diff=lines\n", encoding="utf-8")
    git(path, "config", "diff.kiln.command", f"{shlex.quote(inspect)} diff --git")
    git(path, "config", "diff.lines.textconv", f"{shlex.quote(inspect)} dump --flat")
    old, new = (Path(folder, f"{name}.kiln").read_bytes() for name in ("old", "new"))
    for number, files in enumerate([{"game.kiln": old, "text.asset": old, "gone.kiln": old},
                                    {"game.kiln": new, "text.asset": new, "came.kiln": new}]):
        for name in ("game.kiln", "text.asset", "gone.kiln", "came.kiln"):
            (path / name).unlink(missing_ok=True)
            if name in files:
                (path / name).write_bytes(files[name])
        git(path, "add", "-A")
        git(path, "commit", "-q", "-m", f"version {number}")


def make(tool, inspect, folder):
    bake(tool, folder, "old", OLD, OLD_SCENE)
    bake(tool, folder, "new", NEW, NEW_SCENE)
    bake(tool, folder, "same", OLD, OLD_SCENE, "u32")
    old = Path(folder, "old.kiln").read_bytes()
    Path(folder, "empty.kiln").write_bytes(b"")
    Path(folder, "cut.kiln").write_bytes(old[:len(old) * 3 // 4])
    Path(folder, "text.kiln").write_bytes(b"no blob\n")
    make_repository(folder, inspect)


def make_plain(tool, folder):
    """Files without scenes: two versions, other types, a few bytes less, and an index with a wrong hash or a wrong number."""
    bake(tool, folder, "plain_old", OLD, None)
    bake(tool, folder, "plain_new", NEW, None)
    bake(tool, folder, "plain_same", OLD, None, "u32")
    old = Path(folder, "plain_old.kiln").read_bytes()
    Path(folder, "plain_cut.kiln").write_bytes(old[:-1])
    for name, place in (("hash", 16), ("index", 200)):
        broken = bytearray(old)
        broken[place] ^= 255
        Path(folder, f"plain_{name}.kiln").write_bytes(bytes(broken))
    return [f"plain_{name}.kiln" for name in ("old", "new", "same", "cut", "hash", "index")] + ["empty.kiln"]


def make_chunks(tool, folder):
    """A file of many small assets, and copies of which one letter differs, at the beginning or end of a chunk."""
    items = "".join(f'  item{number}: {{price: 1, text: "{number} {TEXT * 8}"}}\n' for number in range(40))
    bake(tool, folder, "notes", f"Item:\n{items}", None)
    old = Path(folder, "notes.kiln").read_bytes()
    first = old.index(TEXT.encode()) // CHUNK + 1
    places = [at for chunk in range(first * CHUNK, len(old), CHUNK) for at in (chunk - 1, chunk) if old[at:at + 1].isalpha()]
    for at in places:
        Path(folder, f"notes_{at}.kiln").write_bytes(old[:at] + bytes([old[at] ^ 32]) + old[at + 1:])
    return [f"notes_{at}.kiln" for at in places]


def find_wrong_chunks(tool, inspect, folder):
    """The copies whose difference is not found as with a pattern."""
    paths = make_chunks(tool, folder)
    wrong = [] if len(paths) >= 8 else ["too few letters at the ends of chunks"]
    for path in paths:
        found = result_of(inspect, folder, f"diff notes.kiln {path}")
        if not found.startswith("exit 1") or found != result_of(inspect, folder, f"diff notes.kiln {path} '*'"):
            wrong.append(path)
    return wrong


def find_unlike(tool, inspect, folder):
    """The pairs of files that look different with a pattern that matches all assets."""
    paths = make_plain(tool, folder)
    unlike = []
    for old in paths:
        for new in paths:
            for options in ("", " --bytes", " -f json") if {old, new} != {"empty.kiln"} else ():
                plain = result_of(inspect, folder, f"diff {old} {new}{options}")
                if plain != result_of(inspect, folder, f"diff {old} {new}{options} '*'"):
                    unlike.append(f"{old} {new}{options}")
    return unlike


def result_of(inspect, folder, arguments):
    words = shlex.split(arguments)
    if words[0] == "git":
        text = git(Path(folder, "repository"), *words[1:])
        return "exit 0\n" + re.sub(r"index \w+\.\.\w+", "index OLD..NEW", text)
    done = run(folder, inspect, *words, codes=(0, 1, 2))
    return f"exit {done.returncode}\n{done.stdout}"


def main():
    tool, inspect = (os.path.abspath(word) for word in sys.argv[1:3])
    text, updated, failed, number = CASES.read_text(encoding="utf-8"), "", 0, 0
    with tempfile.TemporaryDirectory() as folder:
        make(tool, inspect, folder)
        for number, match in enumerate(CASE.finditer(text), 1):
            name, arguments, expected = match.groups()
            found = result_of(inspect, folder, arguments)
            updated += f"=== {name}: {arguments}\n{found}"
            good = found == expected or "--update" in sys.argv
            failed += not good
            print("ok" if good else "not ok", number, "-", name)
            if not good:
                print("".join(f"# {line}\n" for line in ["expected:", *expected.splitlines(), "found:", *found.splitlines()]), end="")
        unlike = find_unlike(tool, inspect, folder)
        number += 1
        failed += len(unlike)
        print("not ok" if unlike else "ok", number, "- files without scenes look alike with and without a pattern")
        print("".join(f"# {words}\n" for words in unlike), end="")
        wrong = find_wrong_chunks(tool, inspect, folder)
        number += 1
        failed += len(wrong)
        print("not ok" if wrong else "ok", number, "- a letter that differs at the end of a chunk is found")
        print("".join(f"# {words}\n" for words in wrong), end="")
    print(f"1..{number}")
    if "--update" in sys.argv:
        CASES.write_text(updated, encoding="utf-8")
    return 1 if failed or number == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
