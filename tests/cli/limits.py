"""Input at a limit can be baked and read; input one above the limit is refused: limits.py KILN_BAKE KILN_INSPECT CHECK_FILE

Covers each limit of FORMAT.md section 11 that data and schemas can reach. At the limit, kiln-bake exits with 0, and
kiln-inspect verify and kiln_file_verify accept the file. One above it, kiln-bake exits with 1, reports the limit with a
location, and writes nothing. Limits that need gigabytes (payload, entities of a scene, entries of a file) are tested in
tests/blobfmt/test_limits.c and tests/blobfmt/build/test_many_objects.c with simulated memory.
"""
import os
import re
import subprocess
import sys
import tempfile

PLACE = re.compile(r"^\S+:\d+:\d+: error: .*$", re.M)
HEAD = "kiln: 1\ntypes:\n"
SCENE = "files: [{match: \"*.scene.yaml\", shape: scene}]\n"


def depth(n):
    """`n` nested objects: the root of the asset, and lists."""
    return HEAD + "  N: {struct: {c: \"N[]\"}, asset: true}\n", {"d.yaml": "N: {x: " + "{c: [" * (n - 1) + "{}" + "]}" * (n - 1) + "}\n"}


def by_value(n):
    """Structs nested by value; the innermost of the `n` types contains the number."""
    types = "".join(f"  T{i}: {{struct: {{a: T{i + 1}}}, asset: true}}\n" for i in range(1, n - 1))
    return HEAD + types + f"  T{n - 1}: {{struct: {{a: u8}}}}\n", {"d.yaml": "T1: {x: " + "{a: " * (n - 1) + "1" + "}" * (n - 1) + "}\n"}


def unnamed(n):
    return HEAD + f"  A: {{struct: {{a: \"u8{'[]' * n}\"}}, asset: true}}\n", {"d.yaml": "A: {x: {a: " + "[" * n + "1" + "]" * n + "}}\n"}


def type_name(n):
    space = "s" * (n - 101)
    return f"kiln: 1\nnamespace: {space}\ntypes:\n  {'A' * 100}: {{struct: {{a: u8}}, asset: true, kind: A}}\n", {"d.yaml": "A: {x: {a: 1}}\n"}


def row_name(n):
    """The component for the rows of a struct has the struct's name plus four bytes."""
    space = "s" * (n - 105)
    return (f"kiln: 1\nnamespace: {space}\ntypes:\n  {'A' * 100}: {{struct: {{a: u8}}, component: row}}\n" + SCENE,
            {"d.scene.yaml": f"entities: [{{components: {{{'A' * 100}: {{a: 1}}}}}}]\n"})


def member_name(n):
    name = "a" * n
    return HEAD + f"  A: {{struct: {{{name}: u8}}, asset: true}}\n", {"d.yaml": f"A: {{x: {{{name}: 1}}}}\n"}


def value_name(n):
    name = "a" * n
    return HEAD + f"  E: {{enum: [{name}]}}\n  A: {{struct: {{a: E}}, asset: true}}\n", {"d.yaml": f"A: {{x: {{a: {name}}}}}\n"}


def list_name(n):
    """A list in the scene's data is named after the component and the field."""
    field = "f" * (n - 2)
    return (HEAD + f"  C: {{struct: {{{field}: string}}, component: true}}\n" + SCENE,
            {"d.scene.yaml": f"entities: [{{components: {{C: {{{field}: x}}}}}}]\n"})


def map_key(n):
    return HEAD + "  A: {struct: {m: \"map<string, u8>\"}, asset: true}\n", {"d.yaml": f"A:\n  x:\n    m:\n      ? {'k' * n}\n      : 1\n"}


def struct_align(n):
    return HEAD + f"  A: {{struct: {{a: u8}}, align: {n}, asset: true}}\n", {"d.yaml": "A: {x: {a: 1}}\n"}


def list_align(n):
    return (HEAD + f"  A: {{struct: {{a: \"u8[]@{n}\", b: bytes@{n}}}, asset: true}}\n",
            {"d.yaml": "A: {x: {a: [1], b: [1, 2]}}\n"})


def type_size(n):
    """The type is only in the type table; no value of this size is made."""
    return HEAD + f"  L: {{struct: {{a: \"u8[{n}]\"}}}}\n  A: {{struct: {{a: u8}}, asset: true}}\n", {"d.yaml": "A: {x: {a: 1}}\n"}


def flags(n):
    return HEAD + f"  F: {{flags: [{', '.join(f'f{i}' for i in range(n))}]}}\n  A: {{struct: {{f: F}}, asset: true}}\n", {"d.yaml": "A: {x: {f: f0}}\n"}


def component_size(n):
    return (HEAD + f"  C: {{struct: {{a: \"u8[{n}]\"}}, component: true}}\n" + SCENE,
            {"d.scene.yaml": f"entities: [{{components: {{C: {{a: [{'1, ' * (n - 1)}1]}}}}}}]\n"})


def component_align(n):
    return (HEAD + f"  C: {{struct: {{a: u8}}, align: {n}, component: true}}\n" + SCENE,
            {"d.scene.yaml": "entities: [{components: {C: {a: 1}}}]\n"})


def row_size(n):
    """Two components. The first takes all but 64 bytes of a chunk."""
    return (HEAD + "  C: {struct: {a: {type: Many, default: {}}}, component: true}\n  Many: {struct: {" +
            ", ".join(f"v{i}: {{type: u64, default: 0}}" for i in range(2040)) + f"}}}}\n  D: {{struct: {{a: \"u8[{n - 16320}]\"}}, component: true}}\n" + SCENE,
            {"d.scene.yaml": f"entities: [{{components: {{C: {{}}, D: {{a: [{'1, ' * (n - 16321)}1]}}}}}}]\n"})


def entity_name(n):
    """Nested entities, whose path is limited."""
    parts = ["a" * 200, "b" * 200, "c" * 200, "d" * 200, "e" * (n - 804)]
    text = ""
    for part in reversed(parts):
        text = f"{{name: {part}" + (f", children: [{text}]" if text else "") + "}"
    return HEAD + "  C: {struct: {a: u8}, component: true}\n" + SCENE, {"d.scene.yaml": f"entities: [{text}]\n"}


def scene_name(n):
    """A scene that another scene refers to."""
    name = "s" * (n - len("Scene/"))
    return (HEAD + "  C: {struct: {to: entity}, component: true}\n" + SCENE,
            {"d.yaml": f"Scene:\n  a: {{entities: [{{components: {{C: {{to: \"{name}#x\"}}}}}}]}}\n  ? {name}\n  : {{entities: [{{name: x}}]}}\n"})


def enums(n):
    """Enums with the same value names, which a type table stores once."""
    names = ", ".join(f"value_{i}" for i in range(400))
    return (HEAD + "".join(f"  E{i}: {{enum: [{names}]}}\n" for i in range(n)) +
            "  A: {struct: {a: E0}, asset: true}\n", {"d.yaml": "A: {x: {a: value_3}}\n"})


# The case, its limit, the next possible value above the limit, and part of the error message for that value.
CASES = (
    (depth, 128, 129, "more than 128 levels deep"),
    (by_value, 16, 17, "more than 16 types"),
    (unnamed, 8, 9, "more than 8 unnamed types"),
    (type_name, 255, 256, "255 bytes"),
    (row_name, 255, 256, "the maximum is 255"),
    (member_name, 255, 256, "255 bytes"),
    (value_name, 255, 256, "255 bytes"),
    (list_name, 255, 256, "255 bytes"),
    (map_key, 1024, 1025, "1024"),
    (struct_align, 4096, 8192, "4096"),
    (list_align, 4096, 8192, "4096"),
    (type_size, 2147483647, 2147483648, "2147483647"),
    (flags, 64, 65, "at most 64 names"),
    (component_size, 16384, 16385, "16384 bytes"),
    (component_align, 64, 128, "an alignment of 64"),
    (row_size, 16384, 16385, "16384 bytes"),
    (entity_name, 1024, 1025, "1024"),
    (scene_name, 1024, 1025, "1024"),
)


class Limits:
    def __init__(self, bake, inspect, verify, folder):
        self.bake, self.inspect, self.verify, self.folder = bake, inspect, verify, folder
        self.wrong = 0

    def complain(self, what, text):
        print(f"{what}: {text[:2000]}", file=sys.stderr)
        self.wrong += 1

    def run(self, *words):
        return subprocess.run(words, cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

    def make(self, case, *more):
        schema, files = case
        for name in os.listdir(self.folder):
            os.remove(os.path.join(self.folder, name))
        for name, text in {**files, "s.yaml": schema}.items():
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as stream:
                stream.write(text)
        return self.run(self.bake, "-q", "-C", ".", "-s", "s.yaml", "-o", "o.kiln", *more, *files)

    def accepts(self, what, case, *more):
        done = self.make(case, *more)
        if done.returncode or done.stdout:
            self.complain(what, f"exit code {done.returncode}\n{done.stdout}")
            return
        for words in ((self.inspect, "verify", "o.kiln"), (self.verify, "o.kiln")):
            done = self.run(*words)
            if done.returncode:
                self.complain(what, done.stdout)

    def refuses(self, what, case, says):
        done = self.make(case)
        if done.returncode != 1 or not any(says in line for line in PLACE.findall(done.stdout)):
            self.complain(what, f"exit code {done.returncode}, without \"{says}\"\n{done.stdout}")
        if os.path.exists(os.path.join(self.folder, "o.kiln")):
            self.complain(what, "an output was written")

    def find_enums(self):
        """Returns how many enums fit into a type table. One more exceeds the limit on the unfolded size."""
        low, high = 1, 400
        while high - low > 1:
            middle = (low + high) // 2
            if self.make(enums(middle)).returncode == 0:
                low = middle
            else:
                high = middle
        return low


def main():
    with tempfile.TemporaryDirectory() as folder:
        limits = Limits(*(os.path.abspath(word) for word in sys.argv[1:4]), folder)
        for make, limit, above, says in CASES:
            limits.accepts(f"{make.__name__} {limit}", make(limit))
            limits.refuses(f"{make.__name__} {above}", make(above), says)
        most = limits.find_enums()
        print(f"{most} enums with the same 400 names")
        limits.accepts(f"{most} enums", enums(most))
        for count in (most + 1, 150):
            limits.refuses(f"{count} enums", enums(count), "a type table unfolds to more than 1048576 bytes plus 64 for each byte")
        done = limits.run(limits.bake, "header", "-s", "s.yaml", "-o", "h.h")
        if done.returncode != 1 or not PLACE.search(done.stdout):
            limits.complain("header of 150 enums", f"exit code {done.returncode}\n{done.stdout}")
        done = limits.run(limits.bake, "-q", "--no-types", "-s", "s.yaml", "-o", "o.kiln", "d.yaml")
        if done.returncode or done.stdout:
            limits.complain("150 enums without a type table", done.stdout)
    print(f"{2 * len(CASES) + 5} cases, {limits.wrong} wrong")
    return 1 if limits.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
