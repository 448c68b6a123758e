"""A patch by path changes only the value at the path: random_paths.py KILN_BAKE KILN_INSPECT [SEED [COUNT]]

Makes random assets that inherit from each other, picks values in their JSON dump, and bakes a patch that changes these values
by path. The result must be the same JSON with only these values changed. Failures are printed with their seed.
"""
import json
import random
import sys

from random_seeds import arguments, each_seed, run, run_in_silence, write

SCHEMA = """
kiln: 1
types:
  Size: {struct: {w: {type: u8, default: 1}, h: {type: u8, default: 2}}, tuple: true}
  Part: {union: {Item: Item, Lamp: Lamp, Off: }, by: {key: type}}
  Item: {struct: {size: {type: Size, default: {w: 4}}, names: {type: "string[]", inherit: merge}}}
  Lamp: {struct: {on: {type: bool, default: false}, size: {type: Size, default: {}}}}
  Mood: {union: {angry: u8, at: Size, said: "string[]"}, by: tag}
  Wrap: {wrap: "Size[]"}
  Thing:
    struct:
      name: {type: string, default: thing}
      size: {type: Size, default: {w: 7}}
      tags: {type: "string[]", inherit: merge}
      parts: {type: "Part[]", inherit: merge}
      plain: {type: "Part[]", single: true}
      prices: {type: "map<string, Size>", inherit: merge}
      counts: "map<i8, u8[]>"
      mood: {type: Mood, default: !type:at {w: 3}}
      moods: Mood[]
      may: Size?
      three: {type: "Size[3]", default: [[1], [2], [3]]}
      wrapped: Wrap
      own: {type: Size, default: {h: 9}, inherit: never}
      all: {type: Inner, default: {}, inherit: merge}
    asset: true
    kind: thing
    inherit: true
  Inner: {struct: {size: {type: Size, default: {}}, tags: "string[]", more: "map<u8, Part>"}}
files:
  - {match: "p*", shape: map, type: Thing, patch: true, paths: true}
  - {match: "q*", shape: list, type: Thing, patch: {path: path, value: value, id: of}}
  - {shape: map, type: Thing}
"""
WORDS = ["a", "b", "a b", "x.y", "c]", 'q"', "back\\", "é", "0", "~", ""]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, of):
        return self.random.choice(of)

    def some(self, make, most=3):
        return [make() for _ in range(self.random.randrange(most + 1))]

    def number(self):
        return self.random.randrange(256)

    def word(self):
        return self.pick(WORDS)

    def size(self):
        w, h = self.number(), self.number()
        return self.pick([{"w": w}, {"h": h}, {"w": w, "h": h}, {}, f"{w},{h}", [w], [w, h]])

    def part(self):
        kind = self.pick(["Item", "Lamp", "Off"])
        if kind == "Off":
            return kind
        fields = {"Item": {"size": self.size, "names": lambda: self.some(self.word)}, "Lamp": {"on": lambda: self.pick([True, False]), "size": self.size}}[kind]
        said = {key: make() for key, make in fields.items() if self.random.randrange(3)}
        return self.pick([{"type": kind, **said}, {kind: said}])

    def mood(self):
        return self.pick([{"angry": self.number()}, {"at": self.size()}, {"said": self.some(self.word)}])

    def inner(self):
        return self.fields({"size": self.size, "tags": lambda: self.some(self.word), "more": lambda: {str(self.number()): self.part() for _ in range(2)}})

    def fields(self, makers):
        return {key: make() for key, make in makers.items() if self.random.randrange(2)}

    def thing(self, parents):
        said = self.fields({
            "name": self.word, "size": self.size, "tags": lambda: self.some(self.word), "parts": lambda: self.some(self.part),
            "plain": lambda: self.some(self.part), "prices": lambda: {self.word(): self.size() for _ in range(3)},
            "counts": lambda: {str(self.random.randrange(-128, 128)): self.some(self.number) for _ in range(2)}, "mood": self.mood,
            "moods": lambda: self.some(self.mood), "may": self.size, "three": lambda: [self.size() for _ in range(3)],
            "wrapped": lambda: self.some(self.size), "own": self.size, "all": self.inner})
        if parents and self.random.randrange(3):
            said["parent"] = self.pick([self.pick(parents), self.random.sample(parents, self.random.randrange(1, len(parents) + 1))])
        return said

    def places(self, value, path, found):
        """Appends the paths of all positions in a value to `found`. A path is a list of keys and
        indices."""
        if path:
            found.append(path)
        if isinstance(value, dict):
            for key, inner in value.items():
                self.places(inner, [*path, key], found)
        elif isinstance(value, list):
            for i, inner in enumerate(value):
                self.places(inner, [*path, i], found)
        return found

    def bracket(self, key):
        text = '"%s"' % key.replace("\\", "\\\\").replace('"', '\\"')
        return f"[{key}]" if key and not any(c in key for c in '."[]\\') and self.random.randrange(2) else f"[{text}]"

    def spelled(self, thing, path):
        """The path as text. The name of an alternative may be omitted if more steps follow, and may
        select the first element with that alternative."""
        text, value, is_map = "", thing, False
        for i, step in enumerate(path):
            of, value = value, value[step]
            if isinstance(step, int):
                name = next(iter(value)) if isinstance(value, dict) and len(value) == 1 else value if isinstance(value, str) else ""
                first = [one for one in of if one == name or (isinstance(one, dict) and list(one) == [name])][:1]
                by_name = name in ("Item", "Lamp", "Off", "angry", "said") and first and first[0] is value and "tags" not in path and "names" not in path
                text += f"[{name}]" if by_name and self.random.randrange(2) else f"[{step}]"
            elif is_map:
                text += self.bracket(step)
            elif step == "value" or (step in ("Item", "Lamp", "at") and i + 1 < len(path) and self.random.randrange(2)):
                pass  # a newtype is not a step of the path
            else:
                text += ("." if text else "") + step
            is_map = not is_map and step in ("prices", "counts", "more") and isinstance(value, dict)
        return text


def things(bake, inspect, folder, *inputs):
    run_in_silence(bake, "-q", "-s", "s.yaml", "-o", "out.kiln", "--source-map", "out.map", *inputs, cwd=folder)
    shown = json.loads(run(inspect, "dump", "-f", "json", "out.kiln", cwd=folder))
    return {name.split("/")[1]: asset["value"] for name, asset in shown["assets"].items()}


def inside(one, other):
    return one[:len(other)] == other or other[:len(one)] == one


def set_place(thing, path, value):
    for step in path[:-1]:
        thing = thing[step]
    thing[path[-1]] = value


def value_at(thing, path):
    for step in path:
        thing = thing[step]
    return thing


def check(bake, inspect, folder, seed):
    maker = Maker(seed)
    made = {}
    for name in "abcd":
        made[name] = maker.thing(list(made))
    write(folder, "s.yaml", SCHEMA)
    write(folder, "all.yaml", json.dumps(made, ensure_ascii=False))
    before = things(bake, inspect, folder, "all.yaml")
    # No asset inherits from the last one.
    thing = before["d"]
    places, chosen = maker.places(thing, [], []), []
    maker.random.shuffle(places)
    changes = {}
    for path in places:
        old = value_at(thing, path)
        is_element = isinstance(path[-1], int) and isinstance(old, dict) and len(old) == 1
        if len(chosen) == 6 or any(inside(path, other) for other in chosen) or (len(path) == 1 and path[0] in ("tags", "parts", "prices", "all")):
            continue
        if isinstance(old, bool):
            new = not old
        elif isinstance(old, int):
            new = maker.number()
        elif isinstance(old, str) and path[-1] != "Off" and not (isinstance(path[-1], int) and old == "Off"):
            new = maker.word()
        elif isinstance(old, dict) and set(old) == {"w", "h"}:
            new = {"w": maker.number(), "h": maker.number()}
        elif is_element and "Lamp" in old:
            new = {"Lamp": {"on": True, "size": {"w": 8, "h": 9}}}
        else:
            continue
        chosen.append(path)
        changes[maker.spelled(thing, path)] = (path, new)
    if maker.random.randrange(2):
        write(folder, "patch.yaml", json.dumps({"d": {text: new for text, (_, new) in changes.items()}}, ensure_ascii=False))
        patch = "patch.yaml"
    else:
        write(folder, "q.yaml", json.dumps([{"of": "d", "path": text, "value": new} for text, (_, new) in changes.items()], ensure_ascii=False))
        patch = "q.yaml"
    after = things(bake, inspect, folder, "all.yaml", patch)
    for path, new in changes.values():
        set_place(thing, path, new)
    if after != before:
        raise AssertionError(f"{list(changes)}: {json.dumps(after)[:1500]}\nis not\n{json.dumps(before)[:1500]}")
    return len(changes)


def main():
    bake, inspect, seeds = arguments(60)
    total = each_seed(check, bake, inspect, seeds)
    print(f"{len(seeds)} seeds: {total} values changed by path")
    return 0 if total >= len(seeds) else 1


if __name__ == "__main__":
    sys.exit(main())
