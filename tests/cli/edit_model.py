"""The project that edits.py changes: a model from which all files are written, and the edits.

Each bundle has its own folder of sources. The model knows which files each step reads, and what the fields of each asset mean, so it
predicts which steps must run and which assets must be baked.
"""

import copy
import os
import pathlib
import random
import shutil

SCHEMA = """kiln: 1
include: [more.yaml]
types:
  Item:
    struct:
      n: {{type: {type}, inherit: never, default: 0}}
      text: {{type: string, default: "{item_default}"}}
      list: {{type: "u8[]", default: []}}
      prices: {{type: "map<string, u16>", default: {{}}, inherit: merge}}
      other: "ref<Item>?"
      old: {{type: u8, default: 0, deprecated: true}}
    asset: true
    inherit: true
  Note: {{struct: {{n: u32, text: {{type: string, default: "{note_default}"}}, about: "ref<Item>?"}}, asset: true}}
importers:
  csv: {{command: [sh, tools/csv], output: yaml}}
files:
  - {{match: "*.csv", import: csv, shape: kinds}}
"""
PROJECT = """kiln: 1
schemas: s.yaml
include: [inc1, inc2]
bundles:
  one: {{sources: "one/**/*.yaml", output: out/one.kiln, compress: {compress}}}
  two: {{sources: "two/**/*.yaml", output: out/two.kiln, externs: [one], source_map: out/two.json, dangling: {dangling}}}
  three: {{sources: "three/*.yaml", output: out/three.kiln, externs: [one], no_types: {no_types}}}
  four: {{sources: "four/*.csv", output: out/four.kiln}}
headers: {{out/types.h: {{prefix: {prefix}}}}}
"""
# Lists its starts next to the project.
IMPORTER = """echo "$1" >>../imports
grep -q bad "$1" && exit 1
sed 's/,/: {{n: /; s/$/{more}}}/; s/^/  /; 1iItem:' "$1"
"""
# The steps in the order of the bake, with their outputs.
STEPS = {"one": ["out/one.kiln"], "two": ["out/two.kiln", "out/two.json"], "three": ["out/three.kiln"],
         "four": ["out/four.kiln"], "types": ["out/types.h"]}
OUTPUTS = [path for paths in STEPS.values() for path in paths]
# The bundles whose sources are YAML.
BUNDLES = ["one", "two", "three"]
# Undecodable bytes are lone surrogates, as os.fsdecode makes them.
NAMES = ["f", "a b", "it's", 'quo"te', "$HOME", "#x", "new\nline", "\udcff\udcfe", "-dash", "\u00fc", "back\\slash", "*", "[x]", "!x", "%41", "&amp;",
         "tab\t", "~", "{a,b}", "a:b", "a: b"]


class Model:
    def __init__(self, rng):
        self.rng = rng
        self.schema = {"type": "u32", "item_default": "x", "note_default": "x"}
        self.settings = {"compress": 0, "dangling": "warn", "no_types": "false", "prefix": "a"}
        self.includes = {"inc2/more.yaml": "kiln: 1\ntypes: {U: {struct: {n: u8}}}\n"}
        self.importer, self.imports = "", {"four/a.csv": {"a": 1}, "four/b.csv": {"b": 1, "c": 2}}
        self.ids = 0
        self.broken = None
        self.styles, self.files, self.links, self.texts = {}, {}, set(), {}
        for path in ("one/a.yaml", "one/b.yaml", "one/deep/c.yaml", "two/a.yaml", "two/b.yaml", "three/a.yaml", "three/b.yaml"):
            self.add_file(path)
            for _ in range(2):
                self.add_asset(path)

    def add_file(self, path):
        self.files[path], self.styles[path] = {}, 0
        self.add_asset(path)

    def add_asset(self, path):
        """The number of an asset makes its blob different from all others."""
        self.ids += 1
        kind = self.rng.choice(["Item", "Item", "Note"])
        fields = {"n": self.ids * 1000 + self.rng.randrange(1000)}
        if kind == "Item" and self.rng.random() < 0.2:
            fields["abstract"] = True
        self.files[path][f"{kind}/x{self.ids}"] = fields

    def some_file(self, bundle=None):
        return self.rng.choice(sorted(path for path in self.files if bundle is None or bundle_of(path) == bundle))

    def assets(self, bundle=None):
        return {name: fields for path, items in self.files.items() if bundle in (None, bundle_of(path)) for name, fields in items.items()}

    def some(self, kind="", bundle=None):
        """The name of an asset; None if there is none."""
        return self.rng.choice(sorted(name for name in self.assets(bundle) if name.startswith(kind)) or [None])

    def where(self, name):
        return next(path for path in self.files if name in self.files[path])

    def text(self, path):
        """Texts are remembered, because most files of a step are those of the step before."""
        key = (path, self.styles[path], path == self.broken, repr(self.files[path]))
        if key not in self.texts:
            self.texts[key] = self.make_text(path)
        return self.texts[key]

    def make_text(self, path):
        style = random.Random(self.styles[path])
        lines = [f"# {self.styles[path]}"] * style.randrange(3)
        for kind in style.sample(["Item", "Note"], 2):
            names = [name for name in self.files[path] if name.startswith(kind)]
            style.shuffle(names)
            lines += [f"{kind}:"] * bool(names)
            for name in names:
                fields = [(key, value) for key, value in self.files[path][name].items() if value not in (None, False, [])]
                style.shuffle(fields)
                lines.append(f"  {name[5:]}:")
                if style.random() < 0.5:
                    lines[-1] += " {" + ", ".join(f"{key}: {written(value, style)}" for key, value in fields) + "}" + "  # x" * style.randrange(2)
                else:
                    lines += [f"    {key}: {written(value, style)}" for key, value in fields]
        return "\n".join(lines or ["{}"]) + ("\nItem: [" if path == self.broken else "") + "\n"

    def contents(self):
        found = {path: self.text(path) for path in self.files}
        found["s.yaml"] = SCHEMA.format(**self.schema)
        found["kiln.yaml"] = PROJECT.format(**self.settings)
        found["tools/csv"] = IMPORTER.format(more=self.importer)
        found.update({path: "".join(f"{name},{n}\n" for name, n in rows.items()) for path, rows in self.imports.items()})
        found.update(self.includes)
        return found

    def write(self, folder=".", renames=True):
        """Makes the files those of the model. Writes only files whose content differs, and renames new files to some paths."""
        wanted = self.contents()
        self.texts = dict(list(self.texts.items())[-1000:])
        for top in BUNDLES + ["four", "inc1"]:
            for path in pathlib.Path(folder, top).rglob("*"):
                if not path.is_dir() and str(path.relative_to(folder)) not in wanted:
                    path.unlink()
        for name, text in wanted.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_symlink() != (name in self.links):
                path.unlink(missing_ok=True)
                if name in self.links:
                    make_link(path, folder)
            replace(path, text, renames and self.rng.random() < 0.3)

    def keys(self):
        """For each step, everything that it reads from files of the model."""
        contents = self.contents()
        include = "inc1/more.yaml" if "inc1/more.yaml" in contents else "inc2/more.yaml"
        schema = (contents["s.yaml"], include, contents[include])
        sources = {bundle: tuple(sorted((path, contents[path]) for path in self.files if bundle_of(path) == bundle)) for bundle in BUNDLES}
        return {"one": (schema, sources["one"], self.settings["compress"]), "two": (schema, sources["two"], self.settings["dangling"]),
                "three": (schema, sources["three"], self.settings["no_types"]),
                "four": (schema, tuple((path, contents[path]) for path in [*sorted(self.imports), "tools/csv"])), "types": (schema, self.settings["prefix"])}

    def state(self, bundle):
        """What decides which assets of a bundle are baked."""
        assets = copy.deepcopy(self.assets(bundle))
        types = {"Item": (self.schema["type"], self.schema["item_default"]), "Note": self.schema["note_default"]}
        return {"include": self.keys()[bundle][0][1:], "types": types, "options": self.keys()[bundle][2], "assets": assets}


def bundle_of(path):
    return path.split("/")[0]


def make_link(path, folder):
    """The target has a name of its own below `store`."""
    target = pathlib.Path(folder, "store", path.relative_to(folder).as_posix().replace("/", "+"))
    target.parent.mkdir(exist_ok=True)
    target.touch()
    path.symlink_to(os.path.relpath(target, path.parent))


def replace(path, text, renames):
    """Writes in place, or renames a new file to the path. A file that changes gets another time of change: a test may not be quicker
    than the clock of the file system."""
    data = text.encode()
    if path.exists() and path.read_bytes() == data:
        return
    if renames and not path.is_symlink():
        new = path.with_name(".new")
        new.write_bytes(data)
        new.rename(path)
        return
    before = path.stat().st_ctime_ns if path.exists() else None
    path.write_bytes(data)
    while path.stat().st_ctime_ns == before:
        path.write_bytes(data)


def written(value, style):
    if isinstance(value, dict):
        entries = list(value.items())
        style.shuffle(entries)
        return "{" + ", ".join(f"{key}: {one}" for key, one in entries) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(str, value)) + "]"
    return "true" if value is True else str(value)


# ---- which assets must be baked ----

def meaning(fields):
    return {key: value for key, value in fields.items() if value not in (None, False, [])}


def heirs_of(names, assets):
    found = set(names)
    while True:
        more = {name for name, fields in assets.items() if found & {f"Item/{parent}" for parent in fields.get("parent") or []}} - found
        if not more:
            return found
        found |= more


def needed_assets(was, now):
    """The number of assets of a bundle that must be baked, with abstract ones: they or their types have changed, they are new, or they
    inherit from such."""
    old, new = was["assets"], now["assets"]
    changed = [name for name in new if name not in old or meaning(old[name]) != meaning(new[name]) or
               was["types"][name[:4]] != now["types"][name[:4]]]
    return len(heirs_of(changed, new) | heirs_of(changed, old) & set(new))


# ---- edits; each may leave the model as it is ----

def change_a_number(m):
    fields = m.assets()[m.some()]
    fields["n"] = fields["n"] // 1000 * 1000 + m.rng.randrange(1000)


def change_a_text(m):
    m.assets()[m.some()]["text"] = m.rng.choice(["a", "b", "much longer", None])


def change_a_list(m):
    m.assets()[m.some("Item")]["list"] = [m.rng.randrange(9) for _ in range(m.rng.randrange(3))] or None


def change_a_map(m):
    m.assets()[m.some("Item")]["prices"] = {key: m.rng.randrange(9) for key in m.rng.sample("xyz", 2)}


def change_several(m):
    for _ in range(3):
        change_a_number(m)


def change_with_equal_times(m):
    """The time of the content and the size stay the same."""
    name = m.some()
    path, fields = pathlib.Path(m.where(name)), m.assets()[name]
    before = path.stat() if path.exists() else None
    fields["n"] = fields["n"] // 1000 * 1000 + (fields["n"] + 1 + m.rng.randrange(999)) % 1000
    if before:
        m.write()
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def change_a_parent(m):
    bundle = m.rng.choice(BUNDLES)
    name, *others = (m.some("Item", bundle) for _ in range(m.rng.choice([2, 2, 3])))
    heirs = heirs_of([name], m.assets(bundle)) if name else set()
    if name and not heirs & set(others) and len(set(others)) == len(others):
        m.assets()[name]["parent"] = [other[5:] for other in others]


def remove_a_parent(m):
    m.assets()[m.some("Item")]["parent"] = None


def change_a_reference(m):
    name = m.some()
    bundle = bundle_of(m.where(name))
    targets = {**m.assets(bundle), **(m.assets("one") if bundle != "one" else {})}
    ids = sorted(other[5:] for other, fields in targets.items() if other.startswith("Item") and not fields.get("abstract"))
    m.assets()[name]["other" if name.startswith("Item") else "about"] = m.rng.choice(ids + [None])


def use_a_deprecated_field(m):
    m.assets()[m.some("Item")]["old"] = m.rng.choice([1, 2, None])


def change_comments(m):
    m.styles[m.some_file()] = m.rng.randrange(1 << 30)


def add_an_asset(m):
    m.add_asset(m.some_file())


def remove_an_asset(m):
    name = m.some()
    if len(m.files[m.where(name)]) > 1:
        m.files[m.where(name)].pop(name)


def rename_an_asset(m):
    name = m.some()
    m.ids += 1
    items = m.files[m.where(name)]
    items[f"{name[:5]}x{m.ids}"] = items.pop(name)


def move_an_asset(m):
    name = m.some()
    old = m.where(name)
    if len(m.files[old]) > 1:
        m.files[m.some_file(bundle_of(old))][name] = m.files[old].pop(name)


def odd_path(m):
    bundle = m.rng.choice(BUNDLES)
    folder = m.rng.choice(["", "", "deep/", m.rng.choice(NAMES) + "/"]) if bundle != "three" else ""
    return f"{bundle}/{folder}{m.rng.choice(NAMES)}.yaml"


def add_a_file(m):
    path = odd_path(m)
    if path not in m.files and len(m.files) < 24:
        m.add_file(path)


def remove_a_file(m):
    path = m.some_file()
    if sum(bundle_of(other) == bundle_of(path) for other in m.files) > 2:
        del m.files[path]
        m.links.discard(path)


def rename_a_file(m):
    path, new = m.some_file(), odd_path(m)
    if new not in m.files and bundle_of(new) == bundle_of(path):
        m.files[new], m.styles[new] = m.files.pop(path), m.styles.pop(path)
        m.links.discard(path)
        if os.path.exists(path):
            os.makedirs(os.path.dirname(new), exist_ok=True)
            os.rename(path, new)


def swap_two_files(m):
    """All their assets move."""
    path = m.some_file()
    other = m.some_file(bundle_of(path))
    m.files[path], m.files[other] = m.files[other], m.files[path]


def touch_a_file(m):
    path = m.some_file()
    if os.path.exists(path):
        os.utime(path, (1, m.rng.randrange(1 << m.rng.choice([30, 33]))))


def link_a_file(m):
    """A link to a file, or again the file itself."""
    m.links ^= {m.some_file()}


def add_an_unrelated_file(m):
    path = pathlib.Path(os.path.dirname(m.some_file()), f"{m.rng.choice(NAMES)}.txt")
    if path.parent.exists():
        path.write_text("x", encoding="utf-8")


def change_the_schema(m):
    m.schema[m.rng.choice(["item_default", "note_default"])] = m.rng.choice("xyz")
    m.schema["type"] = m.rng.choice(["u32", "u32", "u64"])


def break_the_schema(m):
    m.schema["type"] = "u99"


def add_an_earlier_include(m):
    text = f"kiln: 1\ntypes: {{V: {{struct: {{n: u{m.rng.choice([8, 16])}}}}}}}\n"
    if m.includes.pop("inc1/more.yaml", None) is None:
        m.includes["inc1/more.yaml"] = text


def change_a_setting(m):
    m.settings["compress"] = m.rng.choice([0, 0, 0, 1, 2])
    m.settings["dangling"] = m.rng.choice(["error", "warn"])
    m.settings["no_types"] = m.rng.choice(["true", "false"])
    m.settings["prefix"] = m.rng.choice("ab")


def change_an_import(m):
    rows = m.imports[m.rng.choice(sorted(m.imports))]
    rows[m.rng.choice(sorted(rows))] = m.rng.choice([m.rng.randrange(100), m.rng.randrange(100), "bad"])


def add_or_remove_an_import(m):
    path = f"four/{m.rng.choice('cdef')}.csv"
    if m.imports.pop(path, None) is None:
        m.imports[path] = {f"i{path[5]}": m.rng.randrange(100)}


def change_the_importer(m):
    m.importer = m.rng.choice(["", ", text: y", ", text: z"])


def break_a_file(m):
    m.broken = m.some_file()


def break_a_value(m):
    m.assets()[m.some("Item")]["list"] = [300]


def repair_everything(m):
    m.broken = None
    m.schema["type"] = "u32"
    m.imports = {path: {name: 1 if n == "bad" else n for name, n in rows.items()} for path, rows in m.imports.items()}
    for path, items in m.files.items():
        ids = {name for name, fields in m.assets(bundle_of(path)).items() if name.startswith("Item")}
        more = m.assets("one") if bundle_of(path) != "one" else {}
        targets = {name for name in [*ids, *more] if not m.assets()[name].get("abstract")}
        for fields in items.values():
            fields["list"] = None if fields.get("list") == [300] else fields.get("list")
            fields["parent"] = [parent for parent in fields.get("parent") or [] if f"Item/{parent}" in ids]
            for key in ("other", "about"):
                if f"Item/{fields.get(key)}" not in targets:
                    fields[key] = None
            fields["old"] = None


def damage_an_output(m):
    path = m.rng.choice(OUTPUTS)
    if os.path.exists(path) and m.rng.random() < 0.5:
        os.remove(path)
    elif os.path.exists(path):
        with open(path, "r+b") as stream:
            stream.write(b"damaged")


def damage_a_state(m):
    """A record or a memo, or all of them."""
    files = sorted(path for path in pathlib.Path(".kiln").rglob("*") if path.is_file())
    if not files:
        return
    damage(m.rng, m.rng.choice(files))
    if m.rng.random() < 0.2:
        shutil.rmtree(".kiln")


def damage(rng, path):
    data = bytearray(path.read_bytes())
    if data:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data[:rng.choice([len(data), rng.randrange(len(data) + 1)])])


# Edits that change only the model, with their weights.
USUAL = [change_a_number, change_a_text, change_a_list, change_a_map, change_several, change_with_equal_times, change_a_parent,
         remove_a_parent, change_a_reference, change_comments, move_an_asset]
OTHERS = [use_a_deprecated_field, add_an_asset, remove_an_asset, rename_an_asset, add_a_file, remove_a_file, rename_a_file,
          swap_two_files, touch_a_file, link_a_file, add_an_unrelated_file, change_the_schema, break_the_schema, add_an_earlier_include,
          change_a_setting, change_an_import, change_an_import, add_or_remove_an_import, change_the_importer, break_a_file, break_a_value, repair_everything, repair_everything, damage_an_output, damage_a_state]
