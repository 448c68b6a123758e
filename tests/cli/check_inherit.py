"""Compares random hierarchies of assets with a simple model: check_inherit.py KILN_BAKE KILN_INSPECT [SEED [COUNT]]

Makes random types with random inheritance rules, and random assets in random files. The model resolves inheritance on Python
values, and its result is written without inheritance. Both must bake to the same values, into one file and into several.
"""
import json
import os
import random

import yaml

from random_seeds import arguments, each_seed, run, write

UNSAID = None


class Field:
    def __init__(self, kind, rule):
        self.kind, self.rule = kind, rule


class Model:
    """The types of a round. A kind is a word, or a pair of a word and its element kind."""

    def __init__(self, rng):
        self.rng = rng
        self.structs = {}
        for i in range(rng.randint(2, 4)):
            kinds = ["u16", "string", "u16[]", ("map", "u16")] + [("struct", name) for name in self.structs]
            self.structs[f"S{i}"] = self.fields(kinds, rng.randint(1, 4))
        self.parts = {f"p{i}": rng.choice(list(self.structs)) for i in range(rng.randint(1, 3))}
        names = list(self.structs)
        kinds = ["u16", "string", "u16[]", "single", "wrap", "plain", ("map", "u16"), "parts", "parts", "others"]
        kinds += [(word, name) for name in names for word in ("struct", "optional", "map", "numbers")]
        self.root = self.fields(kinds, rng.randint(4, 12))
        self.rest = self.rule() if rng.random() < 0.5 else False
        self.wrap_rule = self.rule()

    def rule(self):
        return self.rng.choice([UNSAID, UNSAID, "replace", "merge", "merge", "never"])

    def fields(self, kinds, count):
        return {f"f{i}": Field(self.rng.choice(kinds), self.rule()) for i in range(count)}

    def expression(self, kind):
        if isinstance(kind, str):
            return {"single": "string[]", "wrap": "Wrap", "plain": "Plain", "parts": "Part[]",
                    "others": "Other[]"}.get(kind, kind)
        word, of = kind
        return {"struct": of, "optional": of + "?", "map": f"map<string, {of}>", "numbers": f"map<u8, {of}>"}[word]

    def member(self, field):
        said = {"type": self.expression(field.kind)}
        if field.rule:
            said["inherit"] = field.rule
        if field.kind == "single":
            said["single"] = True
        default = {"u16": 7, "string": "none", "plain": []}.get(field.kind if isinstance(field.kind, str) else "")
        if default is not None:
            said["default"] = default
        if field.kind[0] == "struct":
            said["default"] = {}
        return said

    def schema(self, files):
        types = {name: {"struct": {key: self.member(field) for key, field in fields.items()}}
                 for name, fields in self.structs.items()}
        types["Wrap"] = {"wrap": {"type": "u16[]"}}
        if self.wrap_rule:
            types["Wrap"]["wrap"]["inherit"] = self.wrap_rule
        types["Plain"] = {"wrap": "u16[]"}
        types["Part"] = {"union": dict(self.parts, none=None), "by": {"key": "type"}}
        types["Other"] = {"union": dict(self.parts, none=None)}
        root = {key: self.member(field) for key, field in self.root.items()}
        if self.rest is not False:
            root["others"] = {"type": "map<string, u16>", "rest": True}
            if self.rest:
                root["others"]["inherit"] = self.rest
        types["Thing"] = {"struct": root, "asset": True, "kind": "thing", "inherit": True}
        return {"kiln": 1, "types": types, "files": files}

    # ---- random values; an element of a list of unions is a pair of an alternative and its fields

    def value(self, kind):
        rng = self.rng
        if isinstance(kind, tuple):
            word, of = kind
            if word == "struct":
                return self.struct(self.structs[of])
            if word == "optional":
                return None if rng.random() < 0.2 else self.struct(self.structs[of])
            if rng.random() < 0.1:
                return None
            one = (lambda: rng.randint(0, 99)) if of == "u16" else (lambda: self.struct(self.structs[of]))
            keys = rng.sample(range(5), rng.randint(0, 3))
            return {(key if word == "numbers" else f"k{key}"): one() for key in keys}
        if kind == "u16":
            return rng.randint(0, 99)
        if kind == "string":
            return f"t{rng.randint(0, 99)}"
        if rng.random() < 0.1:
            return None
        if kind in ("parts", "others"):
            return [self.part() for _ in range(rng.randint(0, 4))]
        if kind == "single" and rng.random() < 0.4:
            return "one"
        word = "t{}" if kind == "single" else "{}"
        found = [word.format(rng.randint(0, 9)) for _ in range(rng.randint(0, 3))]
        return found if kind == "single" else [int(one) for one in found]

    def part(self):
        name = self.rng.choice(list(self.parts) + ["none"])
        return (name, None if name == "none" else self.struct(self.structs[self.parts[name]]))

    def struct(self, fields):
        return {key: self.value(field.kind) for key, field in fields.items() if self.rng.random() < 0.5}

    # ---- the model; a layer is a pair of a value and whether the asset wrote it itself

    def put_together(self, fields, layers, merges):
        found = {}
        for key, field in fields.items():
            written = [(value[key], own) for value, own in layers if key in value]
            rule = field.rule or (self.wrap_rule if field.kind == "wrap" else UNSAID)
            rule = rule or ("merge" if merges else "replace")
            if not written or (rule == "never" and not written[0][1]):
                continue
            found[key] = self.merged(field.kind, written) if rule == "merge" else written[0][0]
        return found

    def merged(self, kind, written):
        uncut = []
        for value, own in written:
            if value is None:
                break
            uncut.append((value, own))
        if not uncut:
            return None
        if isinstance(kind, tuple):
            word, of = kind
            if word in ("struct", "optional"):
                return self.put_together(self.structs[of], uncut, True)
            found = {}
            for value, _ in uncut:
                for key, one in value.items():
                    found.setdefault(key, one)
            return found
        if kind == "parts":
            return self.merged_parts(uncut)
        if kind in ("u16", "string"):
            return uncut[0][0]
        return [one for value, _ in uncut for one in (value if isinstance(value, list) else [value])]

    def merged_parts(self, layers):
        found = {}
        for value, own in layers:
            turns = {}
            for name, body in value:
                turn = turns[name] = turns.get(name, 0) + 1
                found.setdefault((name, turn), []).append((body, own))
        return [(name, None if name == "none" else
                 self.put_together(self.structs[self.parts[name]], bodies, False))
                for (name, _), bodies in found.items()]

    def resolved(self, assets, name):
        chain = []

        def visit(one):
            if one not in chain:
                chain.append(one)
                for parent in assets[one]["parents"]:
                    visit(parent)

        visit(name)
        said = [(part, one == name) for one in chain for part in (*reversed(assets[one]["patches"]), assets[one])]
        layers = [(part["value"], own) for part, own in said]
        value = self.put_together(self.root, layers, False)
        rests = [(part["rest"], own) for part, own in said if part["rest"]]
        rule = self.rest or "replace"
        if rests and not (rule == "never" and not rests[0][1]):
            rest = self.merged(("map", "u16"), rests) if rule == "merge" else rests[0][0]
            value = {**rest, **value}
        return self.plain(value, False)

    # ---- as YAML

    def plain(self, value, short):
        """Writes elements of lists of unions as one key and its value, or, if `short`, with the key `type`."""
        if isinstance(value, dict):
            return {key: self.plain(one, short) for key, one in value.items()}
        if not isinstance(value, list):
            return value
        return [self.element(one, short) if isinstance(one, tuple) else one for one in value]

    def element(self, pair, short):
        name, body = pair
        if body is None:
            return name
        body = self.plain(body, short)
        return {"type": name, **body} if short and self.rng.random() < 0.7 else {name: body}


def random_part(model, rng):
    """Makes the content of an asset or of a patch to it."""
    rest = {f"r{k}": rng.randint(0, 9) for k in rng.sample(range(4), rng.randint(0, 2))}
    return {"value": model.struct(model.root), "rest": rest if model.rest is not False else {}}


def random_assets(model, rng):
    assets = {}
    names = [f"a{i}" for i in range(rng.randint(3, 14))]
    for i, name in enumerate(names):
        parents = rng.sample(names[:i], min(i, rng.choice([0, 1, 1, 1, 2, 3])))
        patches = [random_part(model, rng) for _ in range(rng.choice([0, 0, 0, 1, 2]))]
        assets[name] = {"parents": parents, "abstract": rng.random() < 0.3, "patches": patches,
                        **random_part(model, rng)}
    return assets


def written_part(model, part):
    # A union without a key for its alternative can be written in only one way.
    value = {key: model.plain(one, model.root[key].kind == "parts") for key, one in part["value"].items()}
    return {**value, **part["rest"]}


def written(model, rng, asset):
    said = written_part(model, asset)
    if asset["parents"] or rng.random() < 0.2:
        single = len(asset["parents"]) == 1 and rng.random() < 0.7
        said["parent"] = asset["parents"][0] if single else asset["parents"] or None
    if asset["abstract"] or rng.random() < 0.2:
        said["abstract"] = asset["abstract"]
    return said


def dumped(inspect, folder, path):
    return json.loads(run(inspect, "dump", "--format", "json", path, cwd=folder))["assets"]


def check(bake, inspect, folder, seed):
    rng = random.Random(seed)
    model = Model(rng)
    assets = random_assets(model, rng)
    files = [{"match": "*.patch.yaml", "shape": "list", "by": "type", "patch": True},
             {"match": "*.list.yaml", "shape": "list", "by": "type"},
             {"match": "*.map.yaml", "shape": "map", "type": "Thing"}, {"shape": "kinds"}]
    write(folder, "s.schema.yaml", yaml.safe_dump(model.schema(files), sort_keys=False))
    os.mkdir(os.path.join(folder, "in"))
    homes = {name: rng.randrange(4) for name in assets}
    for home in range(4):
        mine = [name for name in assets if homes[name] == home]
        rng.shuffle(mine)
        shape = rng.choice(["list", "map", "kinds"])
        said = {name: written(model, rng, assets[name]) for name in mine}
        if shape == "list":
            said = [{"type": "thing", "id": name, **one} for name, one in said.items()]
        elif shape == "kinds":
            said = {"thing": said}
        write(folder, f"in/{home}.{shape}.yaml", yaml.safe_dump(said, sort_keys=False))
    patches = [(turn, name, part) for name, asset in assets.items() for turn, part in enumerate(asset["patches"])]
    for turn in range(2):
        said = [{"type": "thing", "id": name, **written_part(model, part)} for at, name, part in patches if at == turn]
        write(folder, f"in/{turn}.patch.yaml", yaml.safe_dump(said, sort_keys=False))
    plain = {name: model.resolved(assets, name) for name in assets if not assets[name]["abstract"]}
    write(folder, "plain.unbaked", yaml.safe_dump({"thing": plain}, sort_keys=False))
    run(bake, "-q", "-s", "s.schema.yaml", "-C", "in", "-o", "a.kiln", ".", cwd=folder)
    run(bake, "-q", "-s", "s.schema.yaml", "-o", "b.kiln", "plain.unbaked", cwd=folder)
    found, expected = dumped(inspect, folder, "a.kiln"), dumped(inspect, folder, "b.kiln")
    values = {name: one["value"] for name, one in expected.items()}
    assert {name: one["value"] for name, one in found.items()} == values, "different from the model"
    os.mkdir(os.path.join(folder, "out"))
    run(bake, "-q", "-s", "s.schema.yaml", "-C", "in", "--each", "out", ".", cwd=folder)
    several = {}
    for name in os.listdir(os.path.join(folder, "out")):
        several.update(dumped(inspect, folder, os.path.join("out", name)))
    assert {name: one["value"] for name, one in several.items()} == values, "different when baked into several files"
    return 1


def main():
    bake, inspect, seeds = arguments(40)
    print(f"{each_seed(check, bake, inspect, seeds)} rounds")


if __name__ == "__main__":
    main()
