"""The YAML dump of a scene bakes to the same bytes: random_scenes.py KILN_BAKE KILN_INSPECT [SEED [COUNT]]

Makes random component schemas and random scenes with prefabs, children, nested scenes and references to other scenes. Bakes
them, and bakes the dump. Repeats this with the entities of the dump in a different order. The dump of the result must also bake
to the same bytes. Failures are printed with their seed.
"""
import os
import random
import sys

from random_seeds import arguments, each_seed, read, run, run_in_silence, write

NAMES = ["a", "b", "null", "12", "3", "true", "é", "x y", "- z", "a: b", "~", "'", '"', "\\", "=", "it's", "0x1", " lead", "tail ",
         "?", "[", "🎮", ".", "a.b", "\u2028line", "%", "@at", "`"]
TEXTS = ["", "x", "null", "7", "two\nlines", "tab\there", "é", "\u0085\u2029", "#5", "a/b", " ", "\x01\x7f", "end\n", "- ", "{}", "~"]


def quoted(text):
    """A string in double quotes."""
    named = {'"': '\\"', "\\": "\\\\"}
    return '"' + "".join(named.get(c, c if " " <= c < "\x7f" or c > "\u2fff" else "\\U%08x" % ord(c)) for c in text) + '"'


class Maker:
    """A schema, and scenes that use it."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.components = {}

    def pick(self, of):
        return self.random.choice(of)

    def chance(self, percent):
        return self.random.randrange(100) < percent

    # ---- the schema ----

    def value_type(self, depth=0):
        """A type that is stored in the scene's data, and a function that makes a value of it."""
        plain = [("string", lambda: quoted(self.pick(TEXTS))), ("bytes", lambda: self.pick(['""', "AAEC", "AA=="])),
                 ("u8?", lambda: self.pick(["~", "0", "7"])), ("Mood", lambda: self.pick(["~", "calm", "{angry: 3}", "{said: x}"])),
                 ("Number[]", self.numbers), ("map<Number, u8>", self.by_number), ("map<Number, Look>", self.looks_by_number),
                 ("map<string, u8>", lambda: self.pick(["{}", "{a: 1}", "{a: 2, ~: 1}"])),
                 ("ref<Item>[]", lambda: self.pick(["[]", "[one]", "[one, 'a/b']"])), ("Words", lambda: self.pick(["[]", "[a, ~x]"])),
                 ("Text", lambda: quoted(self.pick(TEXTS))), ("Look", lambda: "{text: %s, n: %d}" % (quoted(self.pick(TEXTS)), self.pick([1, 2])))]
        if depth < 1 and self.chance(20):
            inner, make = self.value_type(depth + 1)
            if not inner.endswith("?") and inner not in ("Mood", "Number[]") and self.chance(50):
                return inner + "?", lambda: "~" if self.chance(30) else make()
            return inner + "[]", lambda: "[%s]" % ", ".join(make() for _ in range(self.random.randrange(3)))
        return self.pick(plain)

    def numbers(self):
        return "[%s]" % ", ".join(self.number() for _ in range(self.random.randrange(3)))

    def by_number(self):
        return "{%s}" % ", ".join(f"{key}: {i}" for i, key in enumerate(self.keys()))

    def looks_by_number(self):
        return "{%s}" % ", ".join("%s: {text: %s, n: 1}" % (key, quoted(self.pick(TEXTS))) for key in self.keys())

    def keys(self):
        """References to different entities. `#0` and the first name in `outer` refer to the same entity, so at most one of them is used. Prefabs cannot refer to `#0`."""
        different = self.outer and [self.pick([self.outer[0], "#0"]), *self.outer[1:-1]]
        return [quoted(way) for way in self.random.sample(different, self.random.randrange(len(different) + 1))]

    def number(self):
        return self.pick(["~"] + [quoted(way) for way in self.outer])

    def entity(self):
        choices = ["~"] + [quoted(way) for way in self.outer] + [quoted(far) for far in self.far]
        return self.pick(choices)

    def fields(self, name, row):
        fields = []
        for i in range(self.random.randrange(5)):
            kind = self.random.randrange(10)
            if kind < 2:
                fields.append((f"e{i}", "entity", self.entity))
            elif kind < 3:
                fields.append((f"n{i}", "Number", self.number))
            elif kind < 4 and not self.no_refs:
                fields.append((f"r{i}", "ref<Item>?", lambda: self.pick(["~", "one", "'a/b'"])))
            elif kind < 6:
                fields.append((f"p{i}", self.pick(["f32", "f64"]), lambda: self.pick(["1", "-0.0", ".nan", "-.inf", "0.1", "1e-45", "3e38"])))
            elif kind < 8 or not row:
                of, make = self.value_type()
                if self.chance(20) and row:
                    fields.append((f"d{i}", f"data<{of}>[2]" if not of.endswith("?") else of, self.twice(make) if not of.endswith("?") else make))
                else:
                    fields.append((f"d{i}", of, make))
            elif self.slots:
                fields.append((f"s{i}", "Slot[3]", lambda: "[%s]" % ", ".join("{l: %s, e: %s}" % (quoted(self.pick(TEXTS[:4])), self.entity()) for _ in range(3))))
        return fields

    @staticmethod
    def twice(make):
        return lambda: f"[{make()}, {make()}]"

    def schema(self):
        lines = ["kiln: 1", "namespace: game" if self.chance(70) else "", "types:",
                 "  Number: {wrap: u32, entity: true}", "  Item: {struct: {n: {type: u8, default: 1}}, asset: true}",
                 "  Mood: {union: {calm: , angry: u8, said: string}}", '  Words: {wrap: "string[]"}', "  Text: {wrap: string}",
                 "  Look: {struct: {text: string, n: u8}}", "  Slot: {struct: {l: string, e: entity}, component: true}",
                 "  Up: {struct: {of: entity}, component: true}", "  Lit: {struct: {}, component: true}"]
        self.slots = self.no_refs = False
        self.components = {"Lit": [], "Slot": [("l", "", lambda: quoted(self.pick(TEXTS))), ("e", "", self.entity)]}
        for i in range(self.random.randrange(2, 7)):
            name = self.pick(["C", "A", "Zed", "b"]) + str(i)
            form = self.pick(["component: true", "component: row"])
            self.slots = form == "component: true"
            fields = self.fields(name, form == "component: true")
            body = ", ".join(f"{n}: {quoted(t)}" for n, t, _ in fields)
            lines.append(f"  {name}: {{struct: {{{body}}}, {form}}}")
            self.components[name] = fields
        lines += ["files:", '  - {match: "*.prefabs.yaml", shape: prefabs}', '  - {match: "items.yaml", shape: map, type: Item}',
                  '  - {match: "*.scene.yaml", shape: scene%s%s}' % (self.pick(["", ", kind: Zone"]), self.pick(["", ", parent: Up.of"]))]
        return "\n".join(lines) + "\n"

    # ---- scenes ----

    def values(self, most=3):
        names = self.random.sample(sorted(self.components), min(len(self.components), self.random.randrange(most + 1)))
        parts = []
        for name in names:
            body = ", ".join(f"{field}: {make()}" for field, _, make in self.components[name])
            parts.append(f"{name}: {{{body}}}")
        return "{" + ", ".join(parts) + "}"

    def entities(self, depth, names, most):
        """Returns the texts of random entities, whose names are not in `names`."""
        texts, used = [], set(names)
        for _ in range(self.random.randrange(most + 1)):
            keys = []
            name = self.pick(NAMES) if self.chance(60) else None
            if name and name not in used:
                used.add(name)
                keys.append(f"name: {quoted(name)}")
            if self.chance(30) and self.prefabs:
                keys.append("base: " + self.pick(self.prefabs))
            if self.chance(85):
                keys.append("components: " + self.values())
            if depth < 3 and self.chance(25):
                keys.append("children: [%s]" % ", ".join(self.entities(depth + 1, names, 3)))
            texts.append("{" + ", ".join(keys) + "}")
        return texts

    def write(self, folder):
        os.mkdir(os.path.join(folder, "in"))
        write(folder, "s.schema.yaml", self.schema())
        write(folder, "in/items.yaml", "one: {}\na/b: {}\n")
        self.outer, self.far, self.prefabs = [], [], []
        lines = []
        for i in range(self.random.randrange(4)):
            lines.append(f"p{i}: {{components: {self.values()}}}")
        write(folder, "in/some.prefabs.yaml", "\n".join(lines) + "\n")
        self.prefabs = [f"p{i}" for i in range(len(lines))]
        # Entities that certainly exist can be referenced from everywhere, also from other scenes.
        firm = self.random.sample(NAMES, self.random.randrange(1, 5))
        for number in range(self.random.randrange(1, 4)):
            self.outer = firm + [firm[0] + "/in", "#0"]
            lines = ["entities:"]
            for i, name in enumerate(firm):
                inner = "[{name: in, components: %s}]" % self.values() if i == 0 else "[]"
                lines.append(f"- {{name: {quoted(name)}, components: {self.values()}, children: {inner}}}")
            lines += ["- " + text for text in self.entities(0, firm, 9)]
            if number and self.chance(40):
                lines.append("scenes: [{scene: s0, name: nested}, {scene: s0}]")
            write(folder, f"in/s{number}.scene.yaml", "\n".join(lines) + "\n")
            self.far += [f"s{number}#{name}" for name in firm]


def go_around(bake, inspect, folder, first, second):
    """The dump of a file bakes to the file's bytes."""
    write(folder, "dumped.unbaked", run(inspect, "dump", "-f", "yaml", first, cwd=folder))
    run_in_silence(bake, "-q", "-s", "s.schema.yaml", "-o", second, "dumped.unbaked", cwd=folder)
    assert read(folder, first) == read(folder, second), f"the dump of {first} bakes to different bytes"


def shuffle(folder, seed):
    """Reorders the entities in the dump, unless something refers to them by index."""
    text = read(folder, "dumped.unbaked").decode()
    if '"#' in text:
        return False
    lines, entity, out = text.split("\n"), [], []

    def end():
        random.Random(seed).shuffle(entity)
        for one in entity:
            out.extend(one)
        entity.clear()
    for line in lines:
        if line.startswith("      - "):
            entity.append([line])
        elif entity and line.startswith("       "):
            entity[-1].append(line)
        else:
            end()
            out.append(line)
    end()
    write(folder, "shuffled.unbaked", "\n".join(out))
    return True


def check(bake, inspect, folder, seed):
    """Checks a seed. Returns whether its scenes were also shuffled."""
    Maker(seed).write(folder)
    run_in_silence(bake, "-q", "-C", "in", "-s", "s.schema.yaml", "-o", "a.kiln", ".", cwd=folder)
    run(inspect, "verify", "a.kiln", cwd=folder)
    go_around(bake, inspect, folder, "a.kiln", "b.kiln")
    if not shuffle(folder, seed):
        return False
    run_in_silence(bake, "-q", "-s", "s.schema.yaml", "-o", "c.kiln", "shuffled.unbaked", cwd=folder)
    go_around(bake, inspect, folder, "c.kiln", "d.kiln")
    return True


def main():
    bake, inspect, seeds = arguments(60)
    shuffled = each_seed(check, bake, inspect, seeds)
    print(f"{len(seeds)} seeds bake to the same bytes, {shuffled} of them also shuffled")
    return 0 if shuffled or len(seeds) < 20 else 1


if __name__ == "__main__":
    sys.exit(main())
