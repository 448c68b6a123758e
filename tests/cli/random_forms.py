"""Values in any form bake to the same bytes as in canonical form: random_forms.py KILN_BAKE KILN_INSPECT [SEED [COUNT]]

Makes random values for a schema that has every form. Writes each asset once in canonical form and once with a random form for
each value, bakes both, and bakes the dump of the second.
"""
import random

from random_seeds import arguments, each_seed, read, run, run_in_silence, write

SCHEMA = """kiln: 1
types:
  Vec: {struct: {x: f32, y: {type: f32, default: 0}}, tuple: true}
  Line: {struct: {from: Vec, to: {type: Vec, default: "1,1"}, name: {type: string, default: ""}}, tuple: true}
  Row: {struct: {n: i16, on: {type: bool, default: true}, kind: {type: Kind, default: one}, last: u8?}, tuple: true}
  Kind: {enum: [one, Two, "thr-ee"], case: any, prefix: [enum.Kind., "K:"]}
  Mask: {flags: [Fire, Ice, Air], case: any, prefix: mask_}
  Tint: {struct: {r: u8, g: u8, b: u8, a: {type: u8, default: 3}}, colour: true, tuple: true}
  Sound: {struct: {path: string, volume: {type: u8, default: 9}}, short: path}
  Bag: {struct: {items: "u8[]", n: {type: u8, default: 7}}, short: items}
  Tagged: {union: {none: , number: u8, vec: Vec, sound: Sound, bag: Bag, many: "Tagged[]", keyed: Keyed}, by: tag}
  Keyed: {union: {None: , Vec: Vec, Sound: Sound, Bag: Bag, Self: Self}, by: {key: type}}
  Self: {struct: {all: "Keyed[]", type: {type: string, default: Self}}}
  Delay: {wrap: {type: u32, unit: ms}}
  Thing:
    struct:
      vecs: "Vec[]"
      lines: "Line[]"
      rows: "Row[]"
      kinds: "map<Kind, Mask>"
      tints: "Tint[]"
      sounds: "Sound[]"
      bag: {type: Bag, default: [1, 2]}
      tagged: "Tagged[]"
      keyed: "Keyed[]"
      delays: "Delay[]"
      pair: {type: "i8[2]", default: "1, 2"}
      text: {type: string, default: some}
    asset: true
"""


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def mapping(entries):
    return "{" + ", ".join(f"{key}: {value}" for key, value in entries) + "}"


class Writer:
    """Makes values as pairs of strings: in canonical form and in a random form."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def any_case(self, name):
        return "".join(self.random.choice((c.lower(), c.upper())) for c in name)

    def shuffled(self, entries):
        entries = list(entries)
        self.random.shuffle(entries)
        return mapping(entries)

    def listed(self, make, most=3):
        values = [make() for _ in range(self.random.randint(0, most))]
        return tuple("[" + ", ".join(v[i] for v in values) + "]" for i in (0, 1))

    def struct(self, names, values, tuple_text=False, least=0):
        """Writes the given fields as a mapping, and in a random form: a string, a list or a shuffled mapping."""
        pairs = list(zip(names, values))
        canonical = mapping((n, v[0]) for n, v in pairs)
        form = self.random.randrange(3)
        plain = all(not set(v[1]) & set(',[{"') for _, v in pairs)
        if form == 0 and tuple_text and plain and len(pairs) >= max(least, 1):
            return canonical, quoted((", " if self.random.random() < 0.5 else ",").join(v[1] for _, v in pairs))
        if form == 1:
            return canonical, "[" + ", ".join(v[1] for _, v in pairs) + "]"
        return canonical, self.shuffled((n, v[1]) for n, v in pairs)

    def number(self, low, high):
        number = self.random.randint(low, high)
        return str(number), self.random.choice((str(number), hex(number), f"0b{number:b}" if number >= 0 else str(number)))

    def vec(self):
        parts = [(text, text) for text in (f"{self.random.uniform(-9, 9):.3f}" for _ in range(2))]
        return self.struct(("x", "y"), parts[:self.random.randint(1, 2)], True)

    def line(self):
        name = (quoted("a b"), quoted("a b"))
        return self.struct(("from", "to", "name"), [self.vec(), self.vec(), name][:self.random.randint(1, 3)])

    def kind(self):
        name = self.random.choice(("one", "Two", "thr-ee"))
        prefix = self.random.choice(("", "", "enum.Kind.", "K:"))
        return name, quoted(self.any_case(prefix) + self.any_case(name)) if prefix else self.any_case(name)

    def bare_kind(self):
        name = self.random.choice(("one", "Two", "thr-ee"))
        return name, self.any_case(name)

    def truth(self):
        truth = self.random.random() < 0.5
        return ("true", self.random.choice(("true", "True", "1"))) if truth else ("false", self.random.choice(("FALSE", "0")))

    def row(self):
        values = [self.number(-99, 99), self.truth(), self.bare_kind(), self.number(0, 255)]
        return self.struct(("n", "on", "kind", "last"), values[:self.random.randint(1, 4)], True)

    def mask(self):
        names = ("Fire", "Ice", "Air")
        chosen = [name for name in names if self.random.random() < 0.5]
        written = [self.random.choice(("", "mask_", "MASK_")) + self.any_case(name) for name in chosen]
        form = self.random.randrange(3)
        if form == 0 and chosen:
            other = quoted(self.random.choice((",", " | ")).join(written))
        elif form == 1:
            falses = [(self.any_case(n), self.random.choice(("false", "0"))) for n in names if n not in chosen]
            other = self.shuffled([(w, self.random.choice(("true", "1"))) for w in written] + falses[:1])
        else:
            other = "[" + ", ".join(written) + "]"
        return "[" + ", ".join(chosen) + "]", other

    def kinds(self):
        entries = [(name, self.any_case(name), self.mask()) for name in ("one", "Two", "thr-ee") if self.random.random() < 0.5]
        return mapping((n, v[0]) for n, _, v in entries), self.shuffled((w, v[1]) for _, w, v in entries)

    def tint(self):
        channels = [self.random.choice((0, 17, 255, 68, 18)) for _ in range(4)]
        digits = "".join(f"{c:02x}" for c in channels)
        canonical = mapping(zip("rgba", map(str, channels)))
        forms = [quoted("#" + self.any_case(digits)), quoted(",".join(map(str, channels))), str(channels)]
        if all(c % 17 == 0 for c in channels):
            forms.append(quoted("#" + digits[::2]))
        if channels[3] == 255:
            forms.append(quoted("#" + digits[:6]))
        if channels == [0, 0, 0, 255]:
            forms.append("Black")
        if channels == [255, 0, 0, 255]:
            forms.append("RED")
        return canonical, self.random.choice(forms)

    def sound(self):
        path = quoted(self.random.choice(("a.ogg", "b", "#1", "null", "[")))
        if self.random.random() < 0.5:
            return mapping([("path", path)]), path
        entries = [("path", path), ("volume", str(self.random.randint(0, 255)))]
        return mapping(entries), self.shuffled(entries)

    def bag(self):
        items = self.listed(lambda: self.number(0, 255))
        if self.random.random() < 0.5:
            return mapping([("items", items[0])]), items[1]
        return mapping([("items", items[0]), ("n", "5")]), mapping([("n", "5"), ("items", items[1])])

    def tagged(self, depth=0):
        makers = {"none": None, "number": lambda: self.number(0, 255), "vec": self.vec, "sound": self.sound, "bag": self.bag,
                  "many": lambda: self.listed(lambda: self.tagged(depth + 1)), "keyed": self.keyed}
        name = self.random.choice(list(makers)[:None if depth < 3 else 3])
        form = self.random.random() < 0.6
        if not makers[name]:
            return name, f"!type:{name} " if form else self.random.choice((name, mapping([(name, "~")])))
        value = makers[name]()
        if form and not value[1].startswith("!"):
            return mapping([(name, value[0])]), f"!type:{name} {value[1]}"
        return mapping([(name, value[0])]), mapping([(name, value[1])])

    def keyed(self, depth=0):
        name = self.random.choice(("None", "Vec", "Sound", "Bag", "Self")[:None if depth < 3 else 3])
        form = self.random.random() < 0.6
        if name == "None":
            return name, mapping([("type", name)]) if form else name
        if name == "Self":
            value = self.listed(lambda: self.keyed(depth + 1))
            flat = self.shuffled([("type", name), ("all", value[1])]) if form else mapping([(name, mapping([("all", value[1])]))])
            return mapping([(name, mapping([("all", value[0])]))]), flat
        value = {"Vec": self.vec, "Sound": self.sound, "Bag": self.bag}[name]()
        if form and value[1].startswith("{"):
            return mapping([(name, value[0])]), "{type: " + name + ", " + value[1][1:]
        return mapping([(name, value[0])]), mapping([(name, value[1])])

    def delay(self):
        number = self.random.randint(0, 10**9)
        return str(number), self.random.choice((str(number), f"{number}ms", f"{number / 1000}s", f"{number}000 us", f"{number}e6ns"))

    def thing(self):
        lists = [("vecs", self.vec), ("lines", self.line), ("rows", self.row), ("tints", self.tint), ("sounds", self.sound),
                 ("tagged", self.tagged), ("keyed", self.keyed), ("delays", self.delay)]
        fields = [(name, self.listed(make)) for name, make in lists]
        fields.append(("kinds", self.kinds()))
        if self.random.random() < 0.5:
            fields.append(("bag", self.bag()))
        pair = [self.random.randint(-128, 127) for _ in range(2)]
        fields.append(("pair", (str(pair), self.random.choice((str(pair), quoted(f"{pair[0]} ,{pair[1]}"))))))
        canonical = mapping((n, v[0]) for n, v in fields)
        if self.random.random() < 0.5:
            fields.append(("text", ("", "~")))
        return canonical, self.shuffled((n, v[1]) for n, v in fields)


def check(bake, inspect, folder, seed):
    writer = Writer(seed)
    things = [writer.thing() for _ in range(60)]
    write(folder, "s.yaml", SCHEMA)
    for i, name in enumerate(("canonical", "formed")):
        write(folder, name + ".yaml", "Thing:\n" + "".join(f"  t{n}: {thing[i]}\n" for n, thing in enumerate(things)))
        run_in_silence(bake, "-q", "-Werror", "-s", "s.yaml", "-o", name + ".kiln", name + ".yaml", cwd=folder)
    assert read(folder, "canonical.kiln") == read(folder, "formed.kiln"), \
        "bytes differ from the canonical form\n" + read(folder, "formed.yaml").decode()
    write(folder, "dumped.yaml", run(inspect, "dump", "--format", "yaml", "formed.kiln", cwd=folder))
    run(bake, "-q", "-s", "s.yaml", "-o", "dumped.kiln", "dumped.yaml", cwd=folder)
    assert read(folder, "formed.kiln") == read(folder, "dumped.kiln"), "the dump bakes to different bytes"
    return len(things)


def main():
    bake, inspect, seeds = arguments(8)
    print(f"{len(seeds)} seeds: {each_seed(check, bake, inspect, seeds)} assets bake to the same bytes")


if __name__ == "__main__":
    main()
