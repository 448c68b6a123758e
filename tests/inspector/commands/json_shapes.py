"""The JSON of each command has the keys and types that JSON.md lists: json_shapes.py KILN_BAKE KILN_INSPECT WRITE_SAMPLE JSON_MD

Each documented key must occur at least once. A command that supports JSON without a section fails.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

BAKE, INSPECT, WRITE_SAMPLE, PAGE = (os.path.abspath(path) for path in sys.argv[1:5])
HEADERS = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", f"sample_{name}.h") for name in ("file", "scene", "clusters")]
SAMPLES = {  # the enumerators that write_sample makes
    "full": "FULL", "small": "SMALL", "bare": "BARE", "shared": "SHARED", "linked": "LINKED", "packed": "PACKED", "scene": "SCENE_FULL",
    "untyped": "SCENE_UNTYPED", "wrong": "SCENE_WRONG", "apart": "SCENE_APART", "tiny": "SCENE_SMALL", "plan": "CLUSTERS_FULL"}
COMMANDS = {  # by section; the arguments of each document
    "info": ["full", "packed", "bare", "/dev/null", "wrong", "cut"],
    "ls": ["packed", "scene", "baked", "packed none"],
    "du": ["packed", "scene", "shared"],
    "du --compare": ["packed --compare full", "tiny --compare scene"],
    "dump": ["full", "scene", "linked"],
    "diff": ["full packed", "packed full", "tiny scene", "--bytes full packed", "--stat full changed", "full changed", "full linked"],
    "scene": ["scene", "scene --chunks", "apart", "tiny --chunks"],
    "scene ENTITY": ["scene Scene/harbour door 4 12 13", "wrong Scene/harbour 1"],
    "forecast": ["scene", "full"],
    "clusters": ["plan"],
    "clusters ASSET": ["plan Node/lone", "plan Node/deep", "plan Level/one"],
    "refs": ["full *", "scene *", "untyped *", "baked *"],
    "rdeps": ["full *", "plan *"],
    "why": ["plan Level/one Node/deep", "full Item/sword Music/theme", "untyped Scene/harbour Coin/*"],
    "orphans": ["plan", "scene"],
    "cycles": ["plan", "full"],
    "find": ["full --match text e", "packed --match type *", "scene 1", "full hp"],
    "verify": ["full packed", "wrong bare /dev/null", "untyped cut", "apart"],
    "hex": ["small", "linked", "packed", "packed Item/sword", "--decompress packed Item/sword", "cut", "baked"],
    "where": ["baked Note/a.text 0x80 600 Note/b.text Note/c Note/c.no", "baked 0x1 0x100 0x180 0x200 0x280 0x300"],
    "type": ["full", "full --data", "scene --data", "linked", "plan"],
    "stats": ["full *.*", "scene *.*", "baked *.*"],
    "ref": ["0x0000000300000017", "4096", "12", "0"],
}
SCHEMA = """kiln: 1
types:
  Note:
    asset: true
    inherit: true
    struct:
      text: string
      number: {type: i32, range: [-9, 99], default: 5}
      data: {type: payload?, default: null}
      twin: {type: ref?, default: null, was: [other]}
files: [{match: "*.yaml", shape: kinds}]
"""
DOCUMENT = "Note: {a: {text: one, number: 4, data: !file a.yaml}, b: {parent: a, text: two}, c: {text: three, twin: Note/a}, "
DOCUMENT += ", ".join(f"n{i}: {{text: x, number: {90 if i == 7 else i % 3}}}" for i in range(30)) + "}\n"


def sample_numbers():
    """The numbers of the samples: each header has an enum, and those of scenes and clusters begin at 100 and 200."""
    numbers = {}
    for base, path in zip((0, 100, 200), HEADERS):
        with open(path, encoding="utf-8") as header:
            names = re.findall(r"^    SAMPLE_(\w+)[, ]", header.read(), re.M)
        numbers.update({name: base + i for i, name in enumerate(names)})
    return numbers


def make_files():
    numbers = sample_numbers()
    for name, sample in SAMPLES.items():
        subprocess.run([WRITE_SAMPLE, str(numbers[sample]), name], check=True, capture_output=True)
    with open("packed", "rb") as whole, open("cut", "wb") as cut:
        cut.write(whole.read()[:15000])
    make_changed("full", "changed")
    for name, text in (("s.schema.yaml", SCHEMA), ("a.yaml", DOCUMENT)):
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    subprocess.run([BAKE, "-q", "-s", "s.schema.yaml", "-o", "baked", "--source-map", "baked.map", "a.yaml"], check=True)


def make_changed(name, changed):
    """Another price in the copy of a file; its hashes are wrong, but `diff` compares values."""
    with open(name, "rb") as file:
        data = bytearray(file.read())
    at = json.loads(inspect("find", name, "25", "Item/sword"))["values"][0]["offset"]
    data[at] = 24
    with open(changed, "wb") as file:
        file.write(data)


def inspect(command, *words):
    done = subprocess.run([INSPECT, command, "-f", "json", *words], capture_output=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{command} {' '.join(words)}: exit code {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode("utf-8")


# ---- the page ----

def read_page():
    """By section: the keys with their types."""
    shapes, section = {}, None
    with open(PAGE, encoding="utf-8") as page:
        for line in page:
            if line.startswith("## "):
                section = line[3:].strip()
            row = re.match(r"\| `([^`]+)` \| (\w+)( or null)?( optional)? \| \S", line)
            if row and section in COMMANDS:
                key, kind, is_null, is_optional = row.groups()
                shapes.setdefault(section, {})[key] = (kind, bool(is_null), bool(is_optional))
            elif line.startswith("| `") and section in COMMANDS:
                sys.exit(f"{PAGE}: cannot read the row: {line}")
    return shapes


def is_of(kind, value):
    if kind in ("integer", "number"):
        return (isinstance(value, int) and not isinstance(value, bool)) or (kind == "number" and isinstance(value, (float, str)))
    return kind == "value" or isinstance(value, {"string": str, "bool": bool, "list": list, "object": dict, "map": dict}[kind])


class Checker:
    def __init__(self, section, shape):
        self.section, self.shape, self.seen, self.children = section, shape, set(), {}
        for key in shape:
            parent, _, last = key.rpartition(".")
            self.children.setdefault(parent, {})[last] = key
        self.errors = []

    def complain(self, text):
        self.errors.append(f"{self.section}: {text}")

    def check(self, key, value):
        kind, is_null, _ = self.shape[key]
        self.seen.add(key)
        if value is None and (is_null or kind == "value"):
            return
        if not is_of(kind, value):
            self.complain(f"{key} is not of type {kind}: {str(value)[:60]}")
        elif kind == "list":
            for item in value:
                if key + "[]" in self.children:
                    self.check_object(key + "[]", item)
                elif isinstance(item, (dict, list)) and key != "changes[].steps":
                    self.complain(f"the elements of {key} are not documented")
        elif kind == "map":
            for item in value.values():
                self.check(key + ".*", item)
        elif kind == "object":
            self.check_object(key, value)

    def check_object(self, place, value):
        keys = self.children[place]
        is_gap = self.section == "hex" and value.get("kind") == "gap"
        for name, item in value.items():
            if name in keys:
                self.check(keys[name], item)
            else:
                self.complain(f"{place}: the key {name} is not documented")
        for name, key in keys.items():
            if name not in value and not self.shape[key][2]:
                self.complain(f"{place}: the key {name} is missing")
            if is_gap and name in value and name not in ("kind", "offset", "rows"):
                self.complain(f"{place}: a gap has the key {name}")


def supports_json(command):
    """Whether no message rejects the format, for any number of arguments."""
    for count in range(1, 4):
        done = subprocess.run([INSPECT, command, "-f", "json", *["no file"] * count], capture_output=True, text=True, check=False)
        if "does not support the format" in done.stderr:
            return False
    return True


def commands_with_json():
    """The commands whose document has a shape; `get` prints only values."""
    help_text = subprocess.run([INSPECT, "--help"], capture_output=True, text=True, check=True).stdout
    return [command for command in re.findall(r"^  kiln-inspect (\w+)", help_text, re.M) if command != "get" and supports_json(command)]


def check_section(section, shape):
    checker = Checker(section, shape)
    command, _, options = section.partition(" ")
    for words in COMMANDS[section]:
        text = inspect(command, *words.split())
        try:
            checker.check_object("", json.loads(text)) if text else None
        except ValueError as error:
            checker.complain(f"{words}: not JSON: {error}: {text[:60]}")
    unseen = set(shape) - checker.seen
    return sorted(set(checker.errors)) + [f"{section}: the key {key} does not occur" for key in sorted(unseen)]


def main():
    shapes = read_page()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_files()
        errors = [f"{section}: no section" for section in COMMANDS if section not in shapes]
        errors += [f"{command}: no section" for command in commands_with_json() if command not in shapes]
        for section, shape in shapes.items():
            errors += check_section(section, shape)
        os.chdir("/")
    print("\n".join(errors) or f"{len(shapes)} shapes with {sum(map(len, shapes.values()))} keys")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
