"""`kiln-inspect diff` finds exactly the differences: diff_apply.py KILN_BAKE KILN_INSPECT [SEED [COUNT]]

Bakes random pairs of files. The second one is the first with random changes of values, assets and sometimes types. The exit code
of `diff` must be 0 exactly if the flat dumps have the same lines, and its JSON, applied to the values of the first file, must give
the values of the second. The path of each change must lead `get` to the value that the change states.
"""
import copy
import json
import random
import re
import subprocess
import sys

from random_seeds import arguments, each_seed, run, write

SCHEMA = """kiln: 1
types:
  Vec: {struct: {x: f32, y: {type: f32, default: 0}}}
  Kind: {enum: KINDS}
  Mask: {flags: [fire, ice, air]}
  Delay: {wrap: NUMBER}
  Names: {wrap: "string[]"}
  Part: {struct: {name: string, size: {type: i32, default: 0}, tags: "string[]"}}
  Leaf: {struct: {a: u8, b: string?}}
  Tagged: {union: {none: , number: u8, vec: Vec, many: "Tagged[]", text: string, leaf: Leaf}}
  Thing:
    asset: true
    struct: {FIELDS}
  Other: {asset: true, struct: {name: string, parts: "Part[]"}}
"""
FIELDS = {"parts": "Part[]", "leaves": "Leaf[]", "numbers": "i16[]", "by_name": "map<string, NUMBER>", "deep": "map<i32, Leaf[]>",
          "tagged": "Tagged", "many": "Tagged[]", "delay": "Delay", "delays": "Delay[]", "kind": "Kind", "mask": "Mask", "f": "f64",
          "leaf": "Leaf?", "twin": "ref?", "fixed": "u8[3]", "blob": "bytes", "big": "u64", "by_kind": "map<Kind, string>",
          "by_ref": "map<ref, u8>", "vecs": "Vec[]", "names": "Names", "lists": "u8[][]", "text": "string", "by_pair": "map<i16[2], u8>"}
TEXTS = ["", "a", "b", "two\nlines", "é", "\"q\"", "tab\t", "a.b", "#x", "long " * 40]
NAMES = ["one", "two", "three", "a b", "x.y", "é"]
KINDS = ["low", "high", "odd one"]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, of):
        return self.random.choice(of)

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def listed(self, make, most=6):
        return [make() for _ in range(self.random.randrange(most + 1))]

    def mapped(self, key, make):
        return {key(): make() for _ in range(self.random.randrange(5))}

    # ---- values ----

    def small(self):
        return self.random.randrange(4)

    def text(self):
        return self.pick(TEXTS)

    def vec(self):
        return {"x": self.pick([0.0, 1.5, -2.0]), "y": self.pick([0.0, 0.25])}

    def leaf(self):
        return {"a": self.small(), "b": self.pick([None, "x", ""])}

    def part(self):
        return {"name": self.pick(NAMES), "size": self.random.randrange(-3, 90), "tags": self.listed(self.text, 3)}

    def parts(self):
        parts = self.listed(self.part)
        if self.chance(70):  # different names, so that parts have a key
            parts = list({part["name"]: part for part in parts}.values())
        return parts

    def tagged(self, depth=0):
        kind = self.pick(["none", "number", "vec", "many", "text", "leaf"])
        if kind == "none":
            return kind
        if kind == "many":
            return {kind: self.listed(lambda: self.tagged(depth + 1), 2 if depth < 3 else 0)}
        return {kind: {"number": self.small, "vec": self.vec, "text": self.text, "leaf": self.leaf}[kind]()}

    def field(self, name):
        make = {
            "parts": self.parts, "leaves": lambda: self.listed(self.leaf), "numbers": lambda: self.listed(self.small, 12),
            "by_name": lambda: self.mapped(lambda: self.pick(NAMES), self.small),
            "deep": lambda: self.mapped(lambda: self.random.randrange(-2, 4), lambda: self.listed(self.leaf, 3)),
            "tagged": lambda: self.pick([None, self.tagged()]), "many": lambda: self.listed(self.tagged), "delay": self.small,
            "delays": lambda: self.listed(self.small), "kind": lambda: self.pick(KINDS),
            "mask": lambda: [name for name in ("fire", "ice", "air") if self.chance(50)], "f": lambda: self.pick([0.0, -0.0, 0.1, 1e300]),
            "leaf": lambda: self.pick([None, self.leaf()]), "twin": lambda: self.pick([None, "Thing/a", "Other/z"]),
            "fixed": lambda: [self.small() for _ in range(3)], "blob": lambda: self.pick(["", "AAEC", "AA=="]),
            "big": lambda: self.pick([0, 5, 2**53 + 1, 2**64 - 1]), "by_kind": lambda: self.mapped(lambda: self.pick(KINDS), self.text),
            "by_ref": lambda: self.mapped(lambda: self.pick(["Thing/a", "Other/z"]), self.small),
            "vecs": lambda: self.listed(self.vec, 12), "names": lambda: self.listed(self.text), "text": self.text,
            "lists": lambda: self.listed(lambda: self.listed(self.small, 4), 4),
            "by_pair": lambda: self.mapped(lambda: f"{self.small()},{self.small()}", self.small)}[name]
        return make()

    def thing(self):
        return {name: self.field(name) for name in FIELDS}

    def assets(self):
        things = {f"Thing/{name}": self.thing() for name in "abcde" if name == "a" or self.chance(50)}
        others = {f"Other/{name}": {"name": self.text(), "parts": self.parts()} for name in "xyz" if name == "z" or self.chance(50)}
        return {**things, **others}

    # ---- changes ----

    def change_list(self, values, make):
        for _ in range(self.random.randrange(1, 4)):
            at, kind = self.random.randrange(len(values) + 1), self.random.randrange(4)
            if kind == 0 or not values:
                values.insert(at, make())
            elif kind == 1:
                del values[at % len(values)]
            elif kind == 2:
                values[at % len(values)] = make()
            else:
                values.insert(at, values.pop(self.random.randrange(len(values))))

    def change_field(self, thing, name):
        makes = {"parts": self.part, "leaves": self.leaf, "numbers": self.small, "many": self.tagged, "delays": self.small,
                 "vecs": self.vec, "names": self.text, "lists": lambda: self.listed(self.small, 4)}
        if name in makes and self.chance(80):
            self.change_list(thing[name], makes[name])
        elif name == "parts" and thing[name]:
            self.pick(thing[name])["size"] = 99
        else:
            thing[name] = self.field(name)

    def changed(self, assets):
        assets = copy.deepcopy(assets)
        for _ in range(self.pick([0, 1, 1, 2, 5])):
            name = self.pick(sorted(assets))
            kind = self.random.randrange(10)
            if kind == 0 and name not in ("Thing/a", "Other/z"):
                del assets[name]
            elif kind == 1:
                assets[f"Thing/{self.pick('fgh')}"] = self.thing()
            elif kind == 2 and name not in ("Thing/a", "Other/z"):
                assets.setdefault(name + "-renamed", assets.pop(name))
            elif name.startswith("Thing"):
                self.change_field(assets[name], self.pick(sorted(FIELDS)))
            else:
                self.change_list(assets[name]["parts"], self.part)
        return assets

    def schema(self, fields, number="u32", kinds=KINDS):
        listed = "{" + ", ".join(f"{json.dumps(kind)}: {i}" for i, kind in enumerate(kinds)) + "}"
        text = ", ".join(f'{name}: "{FIELDS[name]}"' for name in fields)
        return SCHEMA.replace("FIELDS", text).replace("NUMBER", number).replace("KINDS", listed)


def document(assets, fields):
    kinds = {}
    for name, value in assets.items():
        kind, identifier = name.split("/")
        if kind == "Thing":
            value = {field: value[field] for field in fields if value[field] is not None}
        kinds.setdefault(kind, {})[identifier] = value
    return json.dumps(kinds)


def inspect(tool, *words, codes=(0,)):
    done = subprocess.run([tool, *words], capture_output=True, check=False)
    if done.returncode not in codes:
        raise AssertionError(f"{words}: exit code {done.returncode}, {done.stderr.decode()}")
    return done.returncode, done.stdout.decode()


# ---- the model ----

def apply(assets, changes):
    for change in changes:
        op, name = change["op"], change["asset"]
        if op == "add asset":
            assert name not in assets
            assets[name] = {"type": change["type"], "value": change["value"]}
        elif op == "remove asset":
            assert assets.pop(name)["type"] == change["type"]
        elif op == "rename asset":
            assert change["to"] not in assets
            assets[change["to"]] = assets.pop(name)
        elif op == "type":
            assets[name]["type"] = change["new"]
        elif op in ("set", "add", "remove"):
            apply_value(assets[name], ["value", *change["steps"]], change)
        else:
            assert op == "by position", op


def apply_value(node, steps, change):
    for step in steps[:-1]:
        node = node[step]
    last = steps[-1]
    if change["op"] == "add" and isinstance(node, list):
        node.insert(last, change["new"])
        return
    assert (change["op"] == "add") == (not isinstance(node, list) and last not in node), change
    if change["op"] != "add":
        assert plain(node[last]) == plain(change["old"]), (change, node[last])
    if change["op"] == "remove":
        del node[last]
    else:
        node[last] = change["new"]


def plain(value):
    """A value as the flat dump shows it: without the numbers of names, and without newtypes."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    keys = set(value)
    if keys in ({"name", "value"}, {"name", "id"}):
        return value["name"]
    if keys == {"names", "value"}:
        return value["names"]
    return plain(value["value"]) if keys == {"value"} else {key: plain(item) for key, item in value.items()}


# ---- the test ----

def read_flat(tool, path):
    return sorted(inspect(tool, "dump", "--flat", path)[1].splitlines())


def find_changes(tool, folder):
    """The exit code of `diff` for a.kiln and b.kiln, and the changes; both show whether the flat dumps differ."""
    code, text = inspect(tool, "diff", "-f", "json", f"{folder}/a.kiln", f"{folder}/b.kiln", codes=(0, 1))
    changes = json.loads(text)["changes"]
    differ = read_flat(tool, f"{folder}/a.kiln") != read_flat(tool, f"{folder}/b.kiln")
    assert code == differ and bool(changes) == differ, (code, changes)
    return code, changes


def test_pairs(check, what):
    """Calls `check` for each seed of the command line. Of many pairs, some are equal and some differ."""
    bake, tool, seeds = arguments(100)
    different = each_seed(check, bake, tool, seeds)
    print(f"{len(seeds)} pairs of {what}, {different} with differences")
    return 0 if 0 < different < len(seeds) or len(seeds) < 20 else 1


def check_paths(tool, folder, changes):
    """`get` finds each value that was set or added."""
    for change in changes:
        if change["op"] in ("set", "add") and not re.search(r"\n|\t", change["path"]):
            _, text = inspect(tool, "get", "-f", "json", f"{folder}/b.kiln", change["path"])
            assert plain(json.loads(text)) == plain(change["new"]), (change, text)


def check_pair(bake, tool, folder, seed):
    maker = Maker(seed)
    fields, number, kinds = list(FIELDS), "u32", list(KINDS)
    assets = maker.assets()
    write(folder, "a.schema.yaml", maker.schema(fields))
    write(folder, "a.yaml", document(assets, fields))
    if maker.chance(20):
        fields = maker.random.sample(fields, len(fields) - maker.random.randrange(3))
        number = maker.pick(["u32", "u64", "i16"])
        maker.random.shuffle(kinds)
    write(folder, "b.schema.yaml", maker.schema(fields, number, kinds))
    write(folder, "b.yaml", document(maker.changed(assets), fields))
    values = []
    for name in "ab":
        run(bake, "--schema", f"{name}.schema.yaml", "-o", f"{name}.kiln", f"{name}.yaml", cwd=folder)
        values.append(json.loads(inspect(tool, "dump", "-f", "json", f"{folder}/{name}.kiln")[1])["assets"])
    code, changes = find_changes(tool, folder)
    check_paths(tool, folder, changes)
    apply(values[0], changes)
    assert plain(values[0]) == plain(values[1]), (changes, plain(values[0]), plain(values[1]))
    lines = inspect(tool, "diff", f"{folder}/a.kiln", f"{folder}/b.kiln", codes=(code,))[1].splitlines()
    assert len(lines) == len(changes), (lines, changes)
    return code


if __name__ == "__main__":
    sys.exit(test_pairs(check_pair, "files"))
