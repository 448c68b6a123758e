"""Tests source maps: source_map.py KILN_BAKE KILN_INSPECT SAMPLES [ROUNDS [SEED]]

Makes random types and documents, and records the position of every number. Without sharing, changing a number changes only
hashes and the bytes that the map lists for that number. With sharing, every byte has a source or belongs to no value.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

BAKE, INSPECT, SAMPLES = sys.argv[1:4]
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 6
SEED = int(sys.argv[5]) if len(sys.argv) > 5 else 7
NO_VALUES = {"padding", "header", "index", "type table", "gap"}


def run(*args, code=0):
    done = subprocess.run(args, capture_output=True, text=True)
    if done.returncode != code:
        raise SystemExit(f"{' '.join(args)}: exit code {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
    return done


def where(path, what, **more):
    answer, = json.loads(run(INSPECT, "where", "-f", "json", path, str(what), **more).stdout)["answers"]
    assert answer["argument"] == str(what), answer
    return answer


class Types:
    """Structs of random fields. A kind is a word, or a pair of a word and its element kind."""
    SCALARS = ["u8", "u16", "i32", "u64", "f32", "f64", "i8"]

    def __init__(self, rng):
        self.rng, self.structs = rng, {}
        for i in range(rng.randint(2, 4)):
            self.structs[f"S{i}"] = self.fields(1, 5)
        self.unions = {"Choice": {"none": None, "few": rng.choice(list(self.structs)), "many": "u32[]"}}
        self.root = self.fields(5, 12)

    def fields(self, least, most):
        return {f"f{i}": self.kind() for i in range(self.rng.randint(least, most))}

    def kind(self):
        names = list(self.structs)
        words = ["scalar"] * 3 + ["string", "fixed", "list", "map", "numbers", "optional"]
        words += ["struct", "struct"] if names else []
        words += ["union"] if hasattr(self, "unions") else []
        word = self.rng.choice(words)
        if word == "scalar":
            return self.rng.choice(self.SCALARS)
        if word in ("string", "union"):
            return word
        if word == "struct":
            return word, self.rng.choice(names)
        return word, self.rng.choice(self.SCALARS + (names if word != "fixed" else []))

    def expression(self, kind):
        if isinstance(kind, str):
            return {"union": "Choice"}.get(kind, kind)
        word, of = kind
        return {"struct": of, "fixed": of + "[3]", "list": of + "[]", "map": f"map<string, {of}>",
                "numbers": f"map<i16, {of}>", "optional": of + "?"}[word]

    def schema(self):
        types = {name: {"struct": {f: self.expression(k) for f, k in fields.items()}}
                 for name, fields in self.structs.items()}
        types["Choice"] = {"union": self.unions["Choice"]}
        types["Thing"] = {"struct": {f: self.expression(k) for f, k in self.root.items()}, "asset": True}
        return {"kiln": 1, "namespace": "t", "types": types,
                "files": [{"match": "*.yaml", "shape": "map", "type": "Thing"}]}


class Writer:
    """The text of a document, and (line, column, path, text) for each number in it."""

    def __init__(self, rng, types):
        self.rng, self.types, self.text, self.leaves = rng, types, "", []

    def put(self, text):
        self.text += text

    def scalar(self, kind, path):
        text = str(self.rng.randint(1, 99)) + (".5" if kind[0] == "f" else "")
        self.leaves.append((self.text.count("\n") + 1, len(self.text) - self.text.rfind("\n"), path, text))
        self.put(text)

    def struct(self, fields, path):
        self.put("{")
        for i, (name, kind) in enumerate(self.rng.sample(list(fields.items()), len(fields))):
            self.put(f"{', ' if i else ''}{name}: ")
            self.value(kind, f"{path}.{name}")
        self.put("}")

    def items(self, kind, count, path, brackets, step):
        self.put(brackets[0])
        for i in range(count):
            self.put(", " if i else "")
            before, name = step(i)
            self.put(before)
            self.value(kind, f"{path}[{name}]")
        self.put(brackets[1])

    def value(self, kind, path):
        rng = self.rng
        if kind in Types.SCALARS:
            return self.scalar(kind, path)
        if kind == "string":
            return self.put(json.dumps("word " * rng.randint(1, 3)))
        if kind == "union":
            name, of = rng.choice(list(self.types.unions["Choice"].items()))
            if of is None:
                return self.put(name)
            self.put("{" + name + ": ")
            self.value(("list", "u16") if of == "u32[]" else ("struct", of), f"{path}.{name}")
            return self.put("}")
        if isinstance(kind, str):
            return self.struct(self.types.structs[kind], path)
        word, of = kind
        count = rng.randint(1, 3)
        if word in ("struct", "optional"):
            return self.value(of, path) if word == "optional" else self.struct(self.types.structs[of], path)
        if word == "fixed":
            return self.items(of, 3, path, "[]", lambda i: ("", i))
        if word == "list":
            return self.items(of, count, path, "[]", lambda i: ("", i))
        keys = [f"k {i}" for i in range(count)] if word == "map" else [i * 7 - 5 for i in range(count)]
        return self.items(of, count, path, "{}", lambda i: (f"{json.dumps(keys[i])}: ", json.dumps(keys[i])))


def bake(folder, *args):
    run(BAKE, "-q", "-s", f"{folder}/schema.yaml", "-C", folder, "-o", f"{folder}/out.kiln", "--source-map",
        f"{folder}/out.kiln.map", *args, "things.yaml")
    with open(f"{folder}/out.kiln", "rb") as file:
        return file.read()


def check_round(rng, folder):
    types = Types(rng)
    with open(f"{folder}/schema.yaml", "w") as file:
        json.dump(types.schema(), file)
    writer = Writer(rng, types)
    for i in range(3):
        writer.put(f"t{i}: ")
        writer.struct(types.root, f"Thing/t{i}")
        writer.put("\n")
    path = f"{folder}/things.yaml"
    with open(path, "w") as file:
        file.write(writer.text)
    before = bake(folder, "--no-share")
    for line, column, name, text in rng.sample(writer.leaves, min(6, len(writer.leaves))):
        value = where(f"{folder}/out.kiln", name)["values"][0]
        place = value["places"][0]
        assert value["in"] == value["path"] and value["asset"] + value["path"] == name, (name, value)
        assert (place["line"], place["column"], place["length"], place["how"]) == (line, column, len(text), "own"), (
            name, place, line, column)
        lines = writer.text.split("\n")
        changed = ("1" if text[0] != "1" else "2") + text[1:]
        lines[line - 1] = lines[line - 1][:column - 1] + changed + lines[line - 1][column - 1 + len(text):]
        with open(path, "w") as file:
            file.write("\n".join(lines))
        after = bake(folder, "--no-share")
        assert len(after) == len(before), name
        values = 0
        for at in [at for at in range(len(after)) if after[at] != before[at]]:
            told = where(f"{folder}/out.kiln", at)
            if told["what"] in ("header", "index"):
                continue
            owners = [v["asset"] + v["path"] for v in told["values"]]
            assert owners == [name], (name, at, told)
            values += 1
        assert values, f"no changed byte belongs to {name}"
        with open(path, "w") as file:
            file.write(writer.text)
    bake(folder)
    return check_bytes(rng, f"{folder}/out.kiln", 25)


def check_bytes(rng, path, count):
    """Each byte that is tried has a source or belongs to no value."""
    shared, size = 0, os.path.getsize(path)
    for at in rng.sample(range(size), min(count, size)):
        told = where(path, at)
        if told["what"] in NO_VALUES:
            continue
        assert told["what"] in ("value", "key"), (path, at, told)
        assert told["values"] and all(v["places"] for v in told["values"]), (path, at, told)
        shared += len(told["values"]) > 1
    return shared


def check_samples(rng, folder):
    game, village = f"{folder}/game.kiln", f"{folder}/village.kiln"
    run(BAKE, "-q", "-s", f"{SAMPLES}/game/game.schema.yaml", "-C", f"{SAMPLES}/game/data", "-o", game,
        "--source-map", game + ".map", ".")
    run(BAKE, "-q", "-x", game, "-s", f"{SAMPLES}/village/village.schema.yaml", "-C", f"{SAMPLES}/village/scenes",
        "-o", village, "--source-map", village + ".map", ".")
    check_bytes(rng, game, 40)
    check_bytes(rng, village, 60)
    entities = json.loads(run(INSPECT, "scene", "-f", "json", village, "Scene/emberwick", "oda").stdout)
    assert entities
    with open(game, "rb") as file:
        bytes_with = file.read()
    run(BAKE, "-q", "-s", f"{SAMPLES}/game/game.schema.yaml", "-C", f"{SAMPLES}/game/data", "-o", game, ".")
    with open(game, "rb") as file:
        assert file.read() == bytes_with, "a source map changes the file"


CHAIN_SCHEMA = """kiln: 1
types:
  Item:
    asset: true
    inherit: true
    struct:
      name: {type: string, default: none}
      size: {type: Size, default: {w: 3}}
      power: u16
      extra: {type: "map<string, u16>", inherit: merge}
      many: {type: "u16[]", default: []}
  Size: {struct: {w: u8, h: {type: u8, default: 2}}}
files:
  - {match: "*.patch.yaml", shape: map, type: Item, patch: true}
  - {match: "*.paths.yaml", shape: map, type: Item, patch: true, paths: true}
  - {match: "*.yaml", shape: map, type: Item}
"""
CHAIN_DATA = """base: {abstract: true, power: 7, extra: {a: 1, b: 2}, many: &m [1, 2]}
sword:
  parent: base
  power: 9
  extra: {b: 3}
axe:
  power: 1
  extra: {c: 1}
  many: *m
bow: {parent: axe}
"""
CHAIN_PATHS = 'bow: {"extra[c]": 5, "many[1]": 6, size.w: 7}\n'
CHAINS = [  # path, the member `in` of the answer, then file, line, column and origin of each source
    ("Item/sword.power", ".power", ["b 1:16 patch", "a 4:10 own", "a 1:31 inherited Item/base"]),
    ('Item/sword.extra["b"]', '.extra["b"]', ["a 5:14 own", "a 5:11 key"]),
    ('Item/sword.extra["a"]', '.extra["a"]', ["a 1:45 inherited Item/base", "a 1:42 key"]),
    ("Item/sword.many[1]", ".many[1]", ["a 1:68 inherited Item/base"]),
    ("Item/sword.name", ".name", ["s 7:37 default"]),
    ("Item/axe.many", ".many", ["a 1:61 own", "a 9:9 alias"]),
    ("Item/axe.extra", ".extra", ["a 8:10 own"]),
    ("Item/bow.extra[\"c\"]", '.extra["c"]', ["p 1:19 patch", "a 8:11 key", "a 8:14 inherited Item/axe"]),
    ("Item/bow.many[1]", ".many[1]", ["p 1:33 patch", "a 1:68 inherited Item/axe"]),
    ("Item/bow.many[0]", ".many[0]", ["a 1:65 inherited Item/axe"]),
    ("Item/bow.size.w", ".size.w", ["p 1:44 patch", "s 8:39 default"]),
    ("Item/bow.size.h", ".size.h", ["s 12:49 default"]),
]


def check_chains(folder):
    names = {"a": f"{folder}/chain/a.yaml", "b": f"{folder}/chain/b.patch.yaml", "p": f"{folder}/chain/p.paths.yaml",
             "s": f"{folder}/chain.schema.yaml"}
    os.mkdir(f"{folder}/chain")
    for name, text in (("a", CHAIN_DATA), ("b", "sword: {power: 11}\n"), ("p", CHAIN_PATHS), ("s", CHAIN_SCHEMA)):
        with open(names[name], "w") as file:
            file.write(text)
    out = f"{folder}/chain.kiln"
    run(BAKE, "-q", "-s", names["s"], "-C", f"{folder}/chain", "-o", out, "--source-map", out + ".map", f"{folder}/chain")
    for path, value, places in CHAINS:
        told = where(out, path)["values"]
        found = [f"{next(k for k, v in names.items() if v == p['file'])} {p['line']}:{p['column']} {p['how']}"
                 + (f" {p['from']}" if "from" in p else "") for p in told[0]["places"]]
        assert (len(told), told[0]["in"], found) == (1, value, places), (path, told)
    text = run(INSPECT, "where", out, "Item/sword.power").stdout.split("\n")
    assert text[1].endswith("b.patch.yaml:1:16: written here, in a patch"), text
    assert text[2:4] == ["    1 | sword: {power: 11}", "      |                ^~"], text
    check_several(out, text)
    run(INSPECT, "where", out, "Item/sword.powr", code=1)
    run(INSPECT, "where", out, "Item/swrd", code=1)
    run(INSPECT, "where", out, str(os.path.getsize(out)), code=1)
    run(BAKE, "check", "-s", names["s"], "--source-map", out + ".map", names["a"], code=2)
    check_damage(out)


def check_several(out, first):
    """Several arguments are answered in order, also if one of them has no answer."""
    names = ["Item/sword.power", "0x20", "Item/sword.powr", str(os.path.getsize(out)), "Item/sword.power", "@0x80"]
    done = run(INSPECT, "where", out, *names, code=1)
    assert done.stdout.split("\n")[:len(first) - 1] == first[:-1] and done.stdout.count("\n".join(first)) == 2, done.stdout
    errors = done.stderr.splitlines()
    assert len(errors) == 2 and errors[0].endswith(
        "no value at Item/sword.powr: Item/sword is a Item, which has no field powr; did you mean power?"), errors
    assert errors[1].endswith(f": {names[3]} is beyond the end of the file"), errors
    answers = json.loads(run(INSPECT, "where", "-f", "json", out, *names, code=1).stdout)["answers"]
    assert [a["argument"] for a in answers] == names[:3] + names[4:], answers
    assert answers[0] == answers[3] and answers[2]["values"] == [] and answers[1]["what"] == "index", answers
    for answer in answers:
        alone = run(INSPECT, "where", "-f", "json", out, answer["argument"], code=int(answer["argument"] == names[2]))
        assert json.loads(alone.stdout) == {"format": 2, "answers": [answer]}, answer


ROW_SCHEMA = """kiln: 1
types:
  Place: {struct: {x: u16, y: {type: u16, default: 7}}, component: true}
files:
  - {match: "*.scene.yaml", shape: scene}
"""
ROW_SCENE = "entities: [{name: a, components: {Place: {x: 61}}}, {name: b, components: {Place: {x: 1, y: 62}}}]\n"
ROWS = [  # offset of a byte in the rows, its owner, and where that was written
    (0, "Scene/hall#a.Place.x", "1:46 layer"), (2, "Scene/hall#a.Place.y", "3:52 default"), (6, "Scene/hall#b.Place.y", "1:93 layer")]


def check_rows(folder):
    """Bytes of rows belong to fields of components."""
    schema, scene, out = f"{folder}/row.schema.yaml", f"{folder}/hall.scene.yaml", f"{folder}/rows.kiln"
    for name, text in ((schema, ROW_SCHEMA), (scene, ROW_SCENE)):
        with open(name, "w") as file:
            file.write(text)
    run(BAKE, "-q", "-s", schema, "-o", out, "--source-map", out + ".map", scene)
    with open(out, "rb") as file:
        rows = file.read().index(bytes([61, 0, 7, 0, 1, 0, 62, 0]))
    for at, owner, place in ROWS:
        told = where(out, rows + at)
        value = told["values"][0]
        found = [f"{p['line']}:{p['column']} {p['how']}" for p in value["places"]]
        assert (value["asset"] + value["path"], found) == (owner, [place]), told


LINE_ENDS = [  # each line end, and the text before it
    ("\x85", "item:"), ("\u2028", "  power: 1 # \u3028 \u21a8 \u0805"), ("\u2029", "next:"), ("\r", "  power: 2"),
    ("\r\n", "last:"), ("\u2028", "  power: 3"), ("", "# end")]


def check_line_ends(folder):
    """A quoted source line ends before any kind of line break."""
    os.mkdir(f"{folder}/ends")
    schema, source, out = f"{folder}/ends.schema.yaml", f"{folder}/ends/a.yaml", f"{folder}/ends.kiln"
    with open(schema, "w") as file:
        file.write(CHAIN_SCHEMA)
    with open(source, "w", newline="") as file:
        file.write("".join(text + end for end, text in LINE_ENDS))
    run(BAKE, "-q", "-s", schema, "-o", out, "--source-map", out + ".map", "-C", f"{folder}/ends", source)
    for name, line in (("item", 2), ("next", 4), ("last", 6)):
        text = run(INSPECT, "where", out, f"Item/{name}.power").stdout.split("\n")
        assert text[1].endswith(f"a.yaml:{line}:10: written here"), text
        assert text[2:4] == [f"    {line} | {LINE_ENDS[line - 1][1]}", "      |          ^"], text


def check_binding(folder):
    """A map is accepted only for the file that it was baked with."""
    schema, lines = f"{folder}/bind.schema.yaml", {"one": 3, "two": 40}
    with open(schema, "w") as file:
        file.write(CHAIN_SCHEMA)
    for name, line in lines.items():
        os.mkdir(f"{folder}/{name}")
        with open(f"{folder}/{name}/a.yaml", "w") as file:
            file.write("sword:\n" + "\n" * (line - 2) + f"  power: {line}\n")

    def command(name, out):
        return [BAKE, "-q", "-s", schema, "-C", f"{folder}/{name}", "-o", out, "--source-map", out + ".map", "."]

    for name in lines:
        run(*command(name, f"{folder}/{name}.kiln"))
    for name, other in (("one", "two"), ("two", "one")):
        out = f"{folder}/{name}.kiln"
        assert where(out, "Item/sword.power")["values"][0]["places"][0]["line"] == lines[name]
        for form in ("text", "json"):
            for what in ("Item/sword.power", "0x40"):
                done = run(INSPECT, "where", "-f", form, out, what, "--source-map", f"{folder}/{other}.kiln.map", code=1)
                assert not done.stdout and f"{other}.kiln.map: not the source map of {out}" in done.stderr, done
    check_two_at_once(folder, command, lines)


def check_two_at_once(folder, command, lines):
    """Two runs replace the same file and map. The resulting pair either agrees or is refused."""
    out, mixed = f"{folder}/both.kiln", 0
    for _ in range(20):
        for done in [subprocess.Popen(command(name, out)) for name in lines]:
            assert done.wait() == 0, done
        power = int(run(INSPECT, "get", out, "Item/sword.power").stdout)
        done = subprocess.run([INSPECT, "where", "-f", "json", out, "Item/sword.power"], capture_output=True, text=True)
        if done.returncode == 0:
            assert json.loads(done.stdout)["answers"][0]["values"][0]["places"][0]["line"] == power, done
        else:
            assert done.returncode == 1 and "not the source map of" in done.stderr and not done.stdout, done
            mixed += 1
    print(f"# {mixed} of 20 pairs mixed two runs and were refused")


def check_damage(out):
    """A truncated map is refused. A damaged map is refused or still gives an answer. Neither may crash the program."""
    with open(out + ".map", "rb") as file:
        whole = file.read()
    rng, broken = random.Random(SEED), out + ".broken"
    for i in range(60):
        damaged = bytearray(whole[:rng.randrange(len(whole))] if i % 2 else whole)
        if i % 2 == 0:
            damaged[rng.randrange(len(damaged))] = rng.choice(b"\t\n:0AVLKDF\xff\0")
        with open(broken, "wb") as file:
            file.write(damaged)
        done = subprocess.run([INSPECT, "where", out, "Item/sword.power", "--source-map", broken], capture_output=True)
        assert done.returncode in (0, 1), (i, bytes(damaged), done)
        if i % 2:
            assert done.returncode == 1, (i, bytes(damaged))
    run(INSPECT, "where", out, "Item/sword.power", "--source-map", out, code=1)
    run(INSPECT, "where", out, "Item/sword.power", "--source-map", out + ".none", code=2)


def main():
    rng = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        check_chains(folder)
        check_rows(folder)
        check_line_ends(folder)
        check_binding(folder)
        check_samples(rng, folder)
        for i in range(ROUNDS):
            check_round(rng, folder)
    print(f"{ROUNDS} rounds from seed {SEED} passed")


main()
