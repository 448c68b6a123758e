"""Answers about references and values equal a naive search in the JSON dump: questions.py KILN_BAKE KILN_INSPECT [SEED [COUNT]]

Bakes two random files that refer to each other's assets and have assets with the same names. Compares `refs`, `rdeps`, `why`, `orphans`,
`cycles` and `find`, for one file and for both in mount order, with searches in the dumps. `get` must print the value at each path that `find`
lists. Failures are printed with their seed.
"""
import json
import random
import re
import struct
import subprocess

from random_seeds import arguments, each_seed, run, run_in_silence, write

SCHEMA = """
kiln: 1
types:
  Color: {enum: [red, green, blue]}
  Marks: {flags: [hot, wet, old]}
  Way: {union: {to: ref<Node>, size: u32, word: string, none: }, by: tag}
  Link: {wrap: "ref<Node>"}
  Pair: {struct: {first: "Link?", second: "Link?"}}
  Node:
    struct:
      name: string
      count: i32
      weight: f32
      share: f64
      on: bool
      color: {type: Color, default: red}
      marks: Marks
      next: ref<Node>?
      links: "ref<Node>[]"
      by: "map<string, ref<Node>>"
      friends: "map<ref<Node>, u8>"
      counts: "map<i8, string>"
      tags: "string[]"
      ways: "Way[]"
      pairs: "Pair[]"
      grid: {type: "u16[3]", default: [1, 2, 3]}
    asset: true
    kind: node
files:
  - {shape: map, type: Node}
"""
WORDS = ["iron", "iron ore", "a b", "x.y", "c]", 'q"', "back\\slash", "é", "0", "42", "~", "", "line\nbreak", "ironwood"]
NUMBERS = [0, 1, 2, 3, 42, -7, 255]
FLOATS = [0.0, 0.5, 0.1, 42.0, -7.0, 1e30]
IDS = [f"n{i}" for i in range(12)]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, of):
        return self.random.choice(of)

    def some(self, make, most=2):
        return [make() for _ in range(self.random.randrange(most + 1))]

    def maybe(self, make):
        return make() if self.random.random() < 0.4 else None

    def ref(self):
        return "node/" + self.pick(IDS)

    def way(self):
        return self.pick([{"to": self.ref()}, {"size": self.pick([1, 42])}, {"word": self.pick(WORDS)}])

    def pair(self):
        return {key: self.ref() for key in ("first", "second") if self.random.random() < 0.5}

    def node(self):
        made = {"name": self.pick(WORDS), "count": self.pick(NUMBERS), "weight": self.pick(FLOATS), "share": self.pick(FLOATS),
                "on": self.pick([True, False]), "color": self.pick(["red", "green", "blue"]),
                "marks": self.random.sample(["hot", "wet", "old"], self.random.randrange(3)),
                "counts": {str(key): self.pick(WORDS) for key in self.some(lambda: self.pick([-3, 0, 42]))},
                "tags": self.some(lambda: self.pick(WORDS), 3), "grid": [self.pick([1, 42, 7]) for _ in range(3)]}
        if self.random.random() < 0.5:
            made.update(links=self.some(self.ref), by={self.pick(WORDS): self.ref() for _ in self.some(int)},
                        friends={self.ref(): 42 for _ in self.some(int)}, ways=self.some(self.way), pairs=self.some(self.pair))
        if self.random.random() < 0.4:
            made["next"] = self.ref()
        return made


def bake(program, folder, name, nodes):
    missing = [key for key in IDS if key not in nodes]
    accepted = f"accepted: {{node: {json.dumps(missing)}}}\n" if missing else ""
    write(folder, f"{name}.schema.yaml", SCHEMA.replace("files:", accepted + "files:"))
    write(folder, f"{name}.yaml", json.dumps(nodes, ensure_ascii=False))
    run_in_silence(program, "-q", "-s", f"{name}.schema.yaml", "-o", f"{name}.kiln", f"{name}.yaml", cwd=folder)


def quoted(key):
    return "[" + json.dumps(key, ensure_ascii=False) + "]"


def references(value, path, field=""):
    """Yields the path and the target of each reference in a value of the dump."""
    if isinstance(value, dict):
        if set(value) == {"name", "id"}:
            yield path, value["name"]
            return
        for key, part in value.items():
            if field == "friends":
                yield path + quoted(key), key
            step = quoted(key) if field in ("by", "friends") else f"[{key}]" if field == "counts" else f".{key}"
            # A newtype is a struct of one field in JSON, and adds no step.
            if field in ("first", "second") and key == "value":
                step = ""
            yield from references(part, path + step, key)
    if isinstance(value, list):
        for number, part in enumerate(value):
            yield from references(part, f"{path}[{number}]")


def single(number):
    return struct.unpack("f", struct.pack("f", number))[0]


def leaves(value, path, field=""):
    """Yields each value without parts: its path, its kind, the value, and whether it is a key."""
    if isinstance(value, dict):
        if field == "color":
            yield path, "enum", value["name"], False
        elif field == "marks":
            yield path, "flags", value["names"], False
        elif set(value) == {"name", "id"}:
            yield path, "ref", value["name"], False
        else:
            yield from leaves_of_parts(value, path, field)
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from leaves(part, f"{path}[{number}]", field)
    elif isinstance(value, str):
        yield path, "string", value, False
    elif value is not None:
        yield path, "bool" if isinstance(value, bool) else "f32" if field == "weight" else "number", value, False


def leaves_of_parts(value, path, field):
    for key, part in value.items():
        keys = {"by": "string", "friends": "ref", "counts": "number"}
        step = quoted(key) if field in ("by", "friends") else f"[{key}]" if field == "counts" else f".{key}"
        if field in ("first", "second") and key == "value":
            step = ""
        if field in keys:
            yield path + step, keys[field], int(key) if field == "counts" else key, True
        yield from leaves(part, path + step, "" if field in keys else key)


def is_value(kind, value, text):
    """Whether `find TEXT` lists the value."""
    try:
        number = float(text)
    except ValueError:
        number = None
    if kind == "flags":
        return text in value
    if kind == "bool":
        return text == ("true" if value else "false")
    if kind in ("f32", "number"):
        # An integer is found only by an integer.
        if number is None or (isinstance(value, int) and not re.fullmatch("-?[0-9]+", text)):
            return False
        return single(value) == single(number) if kind == "f32" else value == number
    return value == text


class Model:
    """The assets of mounted files, from their dumps."""

    def __init__(self, files, dumps):
        self.file_of = {name: file for file in files for name in dumps[file]}
        self.links = []  # file, path, from, to
        for file in files:
            for name in sorted(dumps[file], key=str.encode):
                if self.file_of[name] == file:
                    self.links += [(file, path, name, to) for path, to in references(dumps[file][name]["value"], name)]
        self.leaves = [(file, *leaf) for file in files for name in sorted(dumps[file], key=str.encode) if self.file_of[name] == file
                       for leaf in leaves(dumps[file][name]["value"], name)]
        self.edges = {}
        for _, _, start, to in self.links:
            self.edges.setdefault(start, set()).add(to)

    def reach(self, starts):
        """The assets that chains of at least one reference reach, with the length of the shortest chain."""
        found, last, length = {}, set(starts), 0
        while last:
            length += 1
            last = {to for start in last for to in self.edges.get(start, ()) if to not in found}
            found.update({to: length for to in last})
        return found


def ask(program, folder, files, command, *words, code=0):
    mounts = [word for file in files[1:] for word in ("--mount", file)]
    done = subprocess.run([program, command, "-f", "json", files[0], *words, *mounts], cwd=folder, text=True, capture_output=True, check=False)
    assert done.returncode == code, f"{command} {words}: exit code {done.returncode}\n{done.stderr}"
    return json.loads(done.stdout) if done.stdout else None


def links_of(answer, key="references"):
    return [(link["file"], link["path"], link["from"], link["to"]) for link in answer[key]]


def check_chain(model, chain, starts, end, length):
    assert len(chain) == length, f"a chain of {len(chain)} references instead of {length}"
    assert chain[0][2] in starts and chain[-1][3] == end, f"wrong ends: {chain}"
    for link in chain:
        assert link in model.links, f"not a reference: {link}"
    for link, following in zip(chain, chain[1:]):
        assert link[3] == following[2], f"not a chain: {chain}"


def check_references(inspect, folder, files, model, maker):
    name = maker.pick(sorted(model.file_of))
    answer = links_of(ask(inspect, folder, files, "refs", name))
    assert answer == [link for link in model.links if link[2] == name], f"refs {name}: {answer}"
    targets = sorted({link[3] for link in model.links} | set(model.file_of))
    target = maker.pick(targets)
    answer = links_of(ask(inspect, folder, files, "rdeps", target))
    assert answer == [link for link in model.links if link[3] == target], f"rdeps {target}: {answer}"
    answer = links_of(ask(inspect, folder, files, "rdeps", "node/*"))
    assert answer == model.links, f"rdeps of all: {answer}"
    reached = model.reach([name])
    answer = ask(inspect, folder, files, "why", name, target, code=0 if target in reached else 1)
    assert (answer is not None) == (target in reached), f"why {name} {target}: {answer}"
    if answer:
        check_chain(model, links_of(answer, "chain"), [name], target, reached[target])


def check_graph(inspect, folder, files, model, maker):
    used = {link[3] for link in model.links if link[2] != link[3]}
    answer = {row["name"] for row in ask(inspect, folder, files, "orphans")["assets"]}
    assert answer == set(model.file_of) - used, f"orphans: {answer}"
    roots = maker.random.sample(sorted(model.file_of), min(2, len(model.file_of)))
    answer = {row["name"] for row in ask(inspect, folder, files, "orphans", *[word for root in roots for word in ("--root", root)])["assets"]}
    assert answer == set(model.file_of) - set(model.reach(roots)) - set(roots), f"orphans from {roots}: {answer}"
    groups = {}
    reach = {name: model.reach([name]) for name in model.file_of}
    for name in model.file_of:
        if name in reach[name]:
            group = frozenset(other for other in reach[name] if name in reach.get(other, ()))
            groups[group] = name
    answer = ask(inspect, folder, files, "cycles")["cycles"]
    assert {frozenset(row["assets"]) for row in answer} == set(groups), f"cycles: {answer}"
    assert len(answer) == len(groups), "a cycle is listed twice"
    for row in answer:
        start = row["assets"][0]
        check_chain(model, links_of(row, "cycle"), [start], start, reach[start][start])


def check_find(inspect, folder, files, model, maker):
    def expect(fits, *words):
        wanted = [(file, path, is_key) for file, path, kind, value, is_key in model.leaves if fits(kind, value)]
        answer = ask(inspect, folder, files, "find", *words, code=0 if wanted else 1)["values"]
        assert [(row["file"], row["path"], row["is_key"]) for row in answer] == wanted, f"find {words}: {answer}\ninstead of {wanted}"
        return answer

    for text in maker.random.sample(["42", "-7", "0.1", "0.5", "1e30", "true", "red", "hot", "node/n3", "1", "255.0", *WORDS], 5):
        if text:
            answer = expect(lambda kind, value, text=text: is_value(kind, value, text), text)
    text = maker.pick(["iron", "i", " ", "\n", "é", '"', "ow", "42"])
    expect(lambda kind, value: kind == "string" and text in value, text, "--match", "text")
    expression = maker.pick(["^i", "o+n", "^$", "[0-9]", "(a|e) ?(b|o)", ".."])
    answer = expect(lambda kind, value: kind == "string" and re.search(expression.encode(), value.encode(), re.S), expression, "--match", "regex")
    name = maker.pick(IDS)
    if any(link[3] == "node/" + name for link in model.links) or "node/" + name in model.file_of:
        expect(lambda kind, value: kind == "ref" and value == "node/" + name, name, "--match", "ref")
    for row in answer[:3]:
        if not row["is_key"] and row["value"]:
            printed = ask(inspect, folder, files, "get", row["path"])
            assert printed == row["value"], f"get {row['path']}: {printed}"


def check_limits(inspect, folder):
    """An option can be repeated 63 times."""
    for option, value in (("--root", "node/*"), ("--mount", "a.kiln")):
        for count, code in ((63, 0), (64, 2)):
            done = subprocess.run([inspect, "orphans", "a.kiln", *[option, value] * count], cwd=folder, capture_output=True, check=False)
            assert done.returncode == code, f"{count} times {option}: exit code {done.returncode}"


def check_large_numbers(bake_program, inspect, folder):
    """Integers beyond 2^53 are strings, also those that a float cannot distinguish from 2^53."""
    numbers = [-(2**53) - 1, -(2**53), 2**53, 2**53 + 1]
    write(folder, "large.schema.yaml", "kiln: 1\ntypes: {T: {asset: true, struct: {n: i64}}}\n")
    write(folder, "large.yaml", json.dumps({"T": {f"a{i}": {"n": number} for i, number in enumerate(numbers)}}))
    run_in_silence(bake_program, "-q", "-s", "large.schema.yaml", "-o", "large.kiln", "large.yaml", cwd=folder)
    wanted = [number if abs(number) <= 2**53 else str(number) for number in numbers]
    dump = json.loads(run(inspect, "dump", "-f", "json", "large.kiln", cwd=folder))["assets"]
    assert [dump[f"T/a{i}"]["value"]["n"] for i in range(len(numbers))] == wanted, dump
    stats = json.loads(run(inspect, "stats", "-f", "json", "large.kiln", "T.n", cwd=folder))["fields"][0]
    assert [stats["min"], stats["quantiles"]["0.5"], stats["max"]] == [wanted[0], wanted[1], wanted[3]], stats


def check_seed(bake_program, inspect, folder, seed):
    maker = Maker(seed)
    dumps = {}
    for name in ("a", "b"):
        ids = maker.random.sample(IDS, maker.random.randrange(1, len(IDS)))
        bake(bake_program, folder, name, {key: maker.node() for key in ids})
        dumps[f"{name}.kiln"] = json.loads(run(inspect, "dump", "-f", "json", f"{name}.kiln", cwd=folder))["assets"]
    if seed == 1:
        check_limits(inspect, folder)
        check_large_numbers(bake_program, inspect, folder)
    for files in (["a.kiln"], ["a.kiln", "b.kiln"], ["b.kiln", "a.kiln"]):
        model = Model(files, dumps)
        check_references(inspect, folder, files, model, maker)
        check_graph(inspect, folder, files, model, maker)
        check_find(inspect, folder, files, model, maker)
    return 1


def main():
    bake_program, inspect, seeds = arguments(8)
    count = each_seed(check_seed, bake_program, inspect, seeds)
    print(f"{count} random files: all answers are correct")


if __name__ == "__main__":
    main()
