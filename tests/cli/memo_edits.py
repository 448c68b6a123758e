#!/usr/bin/env python3
"""Edits the sources of a bundle at random: exactly the affected assets are baked again (TAP).

    memo_edits.py KILN_BAKE [SEED [STEPS]]

After each edit, the output and the messages equal those of a bake without records in a copy of the project. The number of baked assets,
which `-v` prints, equals that of a model: the assets that are new or whose fields have changed, all that inherit from them, and those with
warnings. With a source map, the number of assets whose values are read for it is that of the model: those whose text has changed, or that of
an ancestor, in other respects than its line. Edits: change, add and remove fields, embedded files, payloads and outputs of importers, change tables that an importer reads, add, remove, rename and move assets, add, remove, rename and exclude files, change parents,
add, change, rename and remove patches, which change fields, parents or parts by path, or delete assets; change references, comments, indentation and the order of keys, and change types; and edits after which everything is baked: change options, break
and repair files, damage the state.
"""

import copy
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

BAKE = str(pathlib.Path(sys.argv[1]).resolve())
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 1
STEPS = int(sys.argv[3]) if len(sys.argv) > 3 else 80
SCHEMA = """kiln: 1
include: [sizes.yaml]
types:
  Thing:  # {comment}
    struct: {{size: {{type: Size, default: {{}}}}, item: {{type: "ref<Item>?", default: null}}, label: {{type: string, default: "{label}"}}}}
    asset: true
  Item:
    struct:
      n: {{type: {type}, inherit: never}}
      text: {{type: string, default: "{default}"}}
      list: {{type: "u8[]", default: []}}
      prices: {{type: "map<string, u16>", default: {{}}, inherit: merge}}
      other: "ref<Item>?"
      old: {{type: u8, default: 0, deprecated: true}}
      image: {{type: "payload?", align: 256, default: null}}
      sound: {{type: "payload?", frames: 4096, default: null}}
      shout: {{type: string, default: ""}}
    asset: true
    inherit: true
importers:
  up: {{command: [sh, -c, 'tr a-z A-Z <"$0"'], output: bytes}}
  table: {{command: [sh, tools/table.sh], output: yaml}}
files:
  - {{match: "*.csv", import: table, shape: kinds}}
  - {{match: "*.patch.yaml", shape: kinds, patch: true}}
  - {{match: "*.paths.yaml", shape: kinds, patch: true, paths: true}}
"""
TABLE = """echo Item:
sed 's/\\(.*\\),\\(.*\\)/  \\1: {n: \\2}/' "$1"
"""
FILE_FIELDS = ("image", "sound", "shout")
SIZES = """kiln: 1
types: {{Size: {{struct: {{x: {{type: u8, default: {size}}}, y: {{type: u8, default: 1}}}}}}}}
"""
PROJECT = """kiln: 1
schemas: s.yaml
bundles:
  game: {{sources: ["data/**/*.yaml", data/t.csv{excluded}], output: out/game.kiln, no_types: {no_types}{more}}}
{bundles}"""
LIBRARY = """  library: {sources: lib.yaml, output: out/library.kiln}
"""
OUTPUT = "out/game.kiln"
MAP = "out/game.map"
REPLACED = {"l1"}


class Model:
    def __init__(self, rng):
        self.rng = rng
        self.type, self.default, self.no_types = "u32", "x", "false"
        self.size, self.label, self.comment = 1, "x", 0
        self.ids = 0
        self.is_unshared, self.is_patch = rng.random() < 0.3, False
        self.broken = None
        self.is_damaged = False
        self.styles = {}
        self.tops = {}
        self.excluded = None
        self.budget = None
        self.patches, self.thing_patch = {}, None
        self.table, self.data = {"r1": 1, "r2": 2}, 0
        self.compress, self.has_library, self.has_map = 0, False, rng.random() < 0.7
        self.files = {f"data/{name}.yaml": {} for name in ("a", "b", "c", "deep/d")}
        for path in self.files:
            self.styles[path] = 0
            for _ in range(4):
                self.add(path)

    def add(self, path):
        self.ids += 1
        self.files[path][f"i{self.ids}"] = {"n": self.ids * 1000, "abstract": self.rng.random() < 0.2}

    def where(self, name):
        return next(path for path in self.files if name in self.files[path])

    def assets(self):
        rows = {name: {"n": n, "abstract": False} for name, n in self.table.items()}
        return rows | {name: fields for path, items in self.files.items() if path != self.excluded for name, fields in items.items()}

    def patches_of(self, name):
        return [(path, self.patches[path][name]) for path in sorted(self.patches) if name in self.patches[path]]

    def patched_assets(self):
        """The fields of assets with those of their patches, and the patches, which are a part of the meaning."""
        found = {}
        for name, own in self.assets().items():
            layers, fields = self.patches_of(name), dict(own)
            if any(patch is None for _, patch in layers):
                continue
            for _, patch in layers:
                fields |= patch
            found[name] = fields | ({"patches": [(path, patch) for path, patch in layers], "unpatched": own} if layers else {})
        return found

    def drop_patches(self):
        names = set(self.assets())
        for path, patches in self.patches.items():
            self.patches[path] = {name: patch for name, patch in patches.items() if name in names}

    def some(self):
        return self.rng.choice(sorted(set(self.assets()) - set(self.table)))

    def ancestors(self, name):
        """All that it can have, whichever patches are removed."""
        found, left, assets = set(), [name], self.assets()
        while left:
            child = left.pop()
            layers = [assets.get(child, {})] + [fields or {} for _, fields in self.patches_of(child)]
            for parent in [parent for fields in layers for parent in fields.get("parent") or []]:
                if parent not in found:
                    found.add(parent)
                    left.append(parent)
        return found

    def text(self, path):
        style = random.Random(self.styles[path])
        lines = ["# top"] * self.tops.get(path, 0) + [f"# {self.styles[path]}"] * style.randrange(3) + ["Item:"]
        names = list(self.files[path])
        style.shuffle(names)
        for name in names:
            fields = [(key, value) for key, value in self.files[path][name].items() if value not in (None, False, [])]
            style.shuffle(fields)
            first = len(lines)
            if style.random() < 0.5:
                lines.append(f"  {name}: {{" + ", ".join(f"{key}: {written(value, style)}" for key, value in fields) + "}  # x" * style.randrange(2))
                lines[-1] += "}" * (lines[-1].count("{") - lines[-1].count("}"))
            else:
                lines.append(f"  {name}:")
                lines += ["    " + f"{key}: {written(value, style)}" for key, value in fields]
            self.shapes[name] = path, [line.replace("  # x", "") for line in lines[first:]]
        return "\n".join(lines) + ("\nItem: [" if path == self.broken else "") + "\n"

    def write(self):
        self.shapes = {}
        wanted = {path: self.text(path) if self.files[path] else "# nothing\n" for path in self.files}
        wanted["s.yaml"] = SCHEMA.format(type=self.type, default=self.default, label=self.label, comment=self.comment)
        wanted["sizes.yaml"] = SIZES.format(size=self.size)
        wanted["data/things.yaml"] = "Thing: {t1: {}, t2: {label: z}}\n"
        excluded = f", \"!{self.excluded}\"" if self.excluded else ""
        more = f", compress: {self.compress}" + (", externs: library" + ", patch: true" * self.is_patch if self.has_library else "") + (f", source_map: {MAP}" if self.has_map else "") + ", no_share: true" * self.is_unshared
        more += f", budgets: {{assets: {{\"Item/*\": {{disk: {self.budget}}}}}, warn: 60%}}" if self.budget else ""
        wanted["kiln.yaml"] = PROJECT.format(no_types=self.no_types, excluded=excluded, more=more, bundles=LIBRARY if self.has_library else "")
        wanted["data/t.csv"] = "".join(f"{name},{n}\n" for name, n in self.table.items())
        self.shapes |= {name: ("data/t.csv", [n]) for name, n in self.table.items()}
        for folder in ("data", "data/deep"):
            for i in range(3):
                # The same contents under different paths, too.
                content = (i + (folder == "data")) % 3
                wanted[f"{folder}/{i}.txt"] = f"{content} is {self.data if content == 0 else 0}\n" * (5 + 3000 * (content > 0))
        wanted["tools/table.sh"] = TABLE
        wanted["lib.yaml"] = "Item: {l1: {n: 1}, l2: {n: 2}}\n"
        for path, patches in self.patches.items():
            lines = [f"  {name}: " + ("null" if fields is None else written_patch(fields)) for name, fields in patches.items()]
            wanted[path] = "# top\n" * self.tops.get(path, 0) + "\n".join(["Item:"] + lines if lines else ["# none"]) + "\n"
        if self.thing_patch is not None:
            wanted["data/t.paths.yaml"] = f"Thing: {{t1: {{size.x: {self.thing_patch}}}}}\n"
        for path in pathlib.Path("data").rglob("*.yaml"):
            if str(path) not in wanted:
                path.unlink()
        for name, text in wanted.items():
            path = pathlib.Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")

    def state(self):
        """Everything that decides what is baked."""
        return {"item": (self.type, self.default), "thing": (self.size, self.label), "options": (self.no_types, self.compress, self.has_library, self.has_map, self.is_unshared, self.is_patch), "budget": self.budget, "broken": self.broken,
                "schema": (self.type, self.default, self.size, self.label, self.comment), "shapes": self.shapes, "data": self.data, "where": {name: path for path in self.files for name in self.files[path]}, "patched": bool(self.patches) or self.thing_patch is not None, "thing patch": self.thing_patch, "assets": copy.deepcopy(self.patched_assets())}


def written_patch(fields):
    return "{" + ", ".join(f"{key}: {written(value, random.Random(0))}" for key, value in sorted(fields.items())) + "}"


def written(value, style):
    if isinstance(value, dict):
        entries = list(value.items())
        style.shuffle(entries)
        return "{" + ", ".join(f"{key}: {one}" for key, one in entries) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(str, value)) + "]"
    return "true" if value is True else str(value)


# ---- edits; each may leave the model as it is ----

def change_a_number(m):
    fields = m.assets()[m.some()]
    fields["n"] = fields["n"] // 1000 * 1000 + m.rng.randrange(1000)


def change_a_text(m):
    m.assets()[m.some()]["text"] = m.rng.choice(["a", "b", "much longer", None])


def change_a_list(m):
    m.assets()[m.some()]["list"] = [m.rng.randrange(9) for _ in range(m.rng.randrange(3))] or None


def change_a_map(m):
    m.assets()[m.some()]["prices"] = {key: m.rng.randrange(9) for key in m.rng.sample("xyz", 2)}


def use_a_deprecated_field(m):
    m.assets()[m.some()]["old"] = m.rng.choice([1, None, None])


def change_a_file(m):
    m.assets()[m.some()][m.rng.choice(FILE_FIELDS[:2])] = m.rng.choice(["!file 0.txt", "!file 1.txt", "!file 2.txt", None])


def change_an_import(m):
    m.assets()[m.some()][m.rng.choice(FILE_FIELDS)] = m.rng.choice(["!import:up 0.txt", "!import:up 1.txt", None])


def change_a_row(m):
    m.table[m.rng.choice(sorted(m.table))] = m.rng.randrange(1000)


def add_a_row(m):
    m.ids += 1
    m.table[f"r{m.ids}"] = m.ids


def remove_a_row(m):
    if len(m.table) > 1:
        del m.table[m.rng.choice(sorted(m.table))]


def patch_an_asset(m):
    name, path = m.some(), f"data/{m.rng.choice(['p', 'a/q', 'z'])}.patch.yaml"
    fields = m.patches.setdefault(path, {}).get(name) or {}
    kind = m.rng.randrange(6)
    if kind == 0:
        fields["text"] = m.rng.choice(["p", "q"])
    elif kind == 1:
        fields["prices"] = {key: m.rng.randrange(9) for key in m.rng.sample("xyz", 2)}
    elif kind == 2:
        parent = m.some()
        if parent != name and name not in m.ancestors(parent):
            fields["parent"] = [parent]
    elif kind == 3:
        fields["old"] = 1
    elif kind == 4 and m.rng.random() < 0.5:
        fields["abstract"] = True
    else:
        fields["n"] = m.rng.randrange(1000)
    m.patches[path][name] = fields


def delete_by_a_patch(m):
    names = set(m.assets()) - set(m.table)
    used = {fields.get("other") for fields in m.patched_assets().values()} | {parent for fields in m.patched_assets().values() for parent in fields.get("parent") or []}
    unused = sorted(names - used)
    if unused and m.rng.random() < 0.5:
        name = m.rng.choice(unused)
        for patches in m.patches.values():
            patches.pop(name, None)
        m.patches.setdefault("data/p.patch.yaml", {})[name] = None


def remove_a_patch(m):
    path = m.rng.choice(sorted(m.patches)) if m.patches else None
    if path and m.patches[path]:
        m.patches[path].pop(m.rng.choice(sorted(m.patches[path])))
    elif path:
        del m.patches[path]


def remove_a_patch_file(m):
    if m.patches and m.rng.random() < 0.5:
        del m.patches[m.rng.choice(sorted(m.patches))]


def rename_a_patch_file(m):
    if m.patches and "data/r.patch.yaml" not in m.patches:
        m.patches["data/r.patch.yaml"] = m.patches.pop(m.rng.choice(sorted(m.patches)))


def insert_lines_in_a_patch(m):
    if m.patches:
        m.tops[m.rng.choice(sorted(m.patches))] = m.rng.randrange(3)


def patch_a_thing(m):
    m.thing_patch = m.rng.choice([None, 1, 2])


def change_several(m):
    for _ in range(3):
        change_a_number(m)


def move_an_asset(m):
    name, path = m.some(), m.rng.choice(sorted(m.files))
    old = m.where(name)
    if len(m.files[old]) > 1:
        m.files[path][name] = m.files[old].pop(name)


def restyle_a_file(m):
    m.styles[m.rng.choice(sorted(m.files))] = m.rng.randrange(1 << 30)


def insert_lines(m):
    m.tops[m.rng.choice(sorted(m.files))] = m.rng.randrange(3)


def change_a_parent(m):
    name, parent = m.some(), m.some()
    if name != parent and name not in m.ancestors(parent):
        m.assets()[name]["parent"] = [parent]
    other = m.some()
    if m.rng.random() < 0.3 and other not in (name, parent) and name not in m.ancestors(other):
        m.assets()[name]["parent"] = (m.assets()[name].get("parent") or []) + [other]


def remove_a_parent(m):
    m.assets()[m.some()]["parent"] = None


def change_a_reference(m):
    concrete = sorted(name for name, fields in m.assets().items() if not fields["abstract"]) + ["l1", "l2"] * m.has_library
    m.assets()[m.some()]["other"] = m.rng.choice(concrete + [None])


def add_an_asset(m):
    m.add(m.rng.choice(sorted(m.files)))


def replace_a_library_asset(m):
    if m.is_patch and m.has_library and not REPLACED & set(m.assets()):
        m.files[m.rng.choice(sorted(set(m.files) - {m.excluded}))]["l1"] = {"n": m.rng.randrange(1000), "abstract": False}


def remove_an_asset(m):
    name = m.some()
    if len(m.files[m.where(name)]) > 1:
        m.files[m.where(name)].pop(name)


def add_a_file(m):
    path = f"data/f{m.rng.randrange(4)}.yaml"
    if path not in m.files:
        m.files[path], m.styles[path] = {}, 0
        m.add(path)


def rename_an_asset(m):
    name = m.some()
    items = m.files[m.where(name)]
    m.ids += 1
    new = f"i{m.ids}"
    items[new] = items.pop(name)
    for fields in m.assets().values() if m.rng.random() < 0.8 else []:
        fields["other"] = new if fields.get("other") == name else fields.get("other")
        fields["parent"] = [new if parent == name else parent for parent in fields.get("parent") or []]


def make_abstract(m):
    fields = m.assets()[m.some()]
    fields["abstract"] = not fields["abstract"]


def remove_a_file(m):
    path = m.rng.choice(sorted(m.files))
    if len(m.files) > 2 and path != m.excluded:
        del m.files[path]


def exclude_a_file(m):
    path = m.rng.choice(sorted(m.files))
    if len(m.files) > 2:
        m.excluded = path


def include_all_files(m):
    m.excluded = None


def rename_a_file(m):
    path, new = m.rng.choice(sorted(m.files)), f"data/r{m.rng.randrange(4)}.yaml"
    if new not in m.files and path != m.excluded:
        m.files[new], m.styles[new] = m.files.pop(path), m.styles.pop(path)


def touch_a_file(m):
    path = m.rng.choice(sorted(m.files))
    if os.path.exists(path):
        os.utime(path, (1, m.rng.randrange(1 << 30)))


def change_the_schema(m):
    m.default = m.rng.choice("xyz")


def change_another_type(m):
    m.label, m.comment = m.rng.choice("xyz"), m.comment + 1


def change_an_included_type(m):
    m.size = m.rng.randrange(9)


def change_data(m):
    m.data += 1


def change_an_option(m):
    m.no_types = m.rng.choice(["true", "false"])
    m.compress = m.rng.choice([0, 3])
    m.has_library = m.rng.random() < 0.5
    m.has_map = m.rng.random() < 0.7
    m.is_unshared = m.rng.random() < 0.3
    m.is_patch = bool(REPLACED & set(m.assets())) or m.rng.random() < 0.5


def set_a_budget(m):
    m.budget = m.rng.choice([None, None, 120, 200, 5000])


def break_a_file(m):
    m.broken = m.rng.choice(sorted(m.files))


def break_a_value(m):
    m.assets()[m.some()]["list"] = [300]


def repair_everything(m):
    m.broken = m.budget = None
    m.drop_patches()
    names = set(m.patched_assets())
    for path, patches in m.patches.items():
        for fields in patches.values():
            if fields:
                fields["parent"] = [parent for parent in fields.get("parent") or [] if parent in names]
                if m.rng.random() < 0.5:
                    fields.pop("abstract", None)
                    fields.pop("parent", None)
    m.is_patch = m.is_patch or bool(REPLACED & names)
    for name in REPLACED & names:
        m.assets()[name]["abstract"] = False
    for fields in m.assets().values():
        if fields.get("list") == [300]:
            fields["list"] = None
        other = fields.get("other")
        if other not in names | ({"l1", "l2"} if m.has_library else set()) or (other in names and m.patched_assets()[other]["abstract"]):
            fields["other"] = None
        fields["parent"] = [parent for parent in fields.get("parent") or [] if parent in names]


def damage_the_state(m):
    m.is_damaged = True
    files = sorted(path for path in pathlib.Path(".kiln").rglob("*") if path.is_file())
    if files:
        path = m.rng.choice(files)
        data = bytearray(path.read_bytes())
        data[m.rng.randrange(len(data))] ^= 1 << m.rng.randrange(8)
        path.write_bytes(data[:m.rng.choice([len(data), m.rng.randrange(len(data))])])


USUAL = [change_a_number, change_a_text, change_a_list, change_a_map, change_several, use_a_deprecated_field, change_a_file, change_a_file, change_an_import, change_a_row, add_a_row, remove_a_row, move_an_asset, restyle_a_file, insert_lines,
         change_a_parent, remove_a_parent, change_a_reference, add_an_asset, patch_an_asset, patch_an_asset, patch_an_asset, delete_by_a_patch, remove_a_patch, remove_a_patch_file, rename_a_patch_file, insert_lines_in_a_patch, patch_a_thing, remove_an_asset, replace_a_library_asset, rename_an_asset, add_a_file, remove_a_file,
         rename_a_file, exclude_a_file, include_all_files, make_abstract]
OTHERS = [touch_a_file, change_the_schema, change_another_type, change_an_included_type, change_data, change_an_option, set_a_budget, break_a_file, break_a_value, damage_the_state]


def children_of(names, assets):
    found = set(names)
    while True:
        more = {name for name, fields in assets.items() if found & set(fields.get("parent") or [])} - found
        if not more:
            return found
        found |= more


def meaning(fields):
    if "patches" in fields:
        return fields["patches"], meaning(fields["unpatched"])
    return {key: value for key, value in fields.items() if value not in (None, False, [])}


def uses_files(name, assets):
    return any(assets[name].get(field) for field in FILE_FIELDS) or any(uses_files(parent, assets) for parent in assets[name].get("parent") or [])


def has_data(name, state):
    """Whether an asset itself contains a file whose content `data` changes."""
    folder = os.path.dirname(state["where"].get(name, ""))
    number = 2 if folder == "data" else 0
    return any((state["assets"][name].get(field) or "").endswith(f" {number}.txt") for field in FILE_FIELDS)


def needed(before, now):
    """How many assets are affected, how many must be baked if any source has changed, how many more can be baked, because they may inherit
    paths of files, and how many are read only for the source map (None: it depends on places in the schema); None if everything may be
    baked."""
    was, new = before["assets"], now["assets"]
    if any(before[key] != now[key] for key in ("options", "broken")) or now["budget"] or before["budget"] or now["broken"]:
        return None
    if now["options"][2] and REPLACED & (set(was) ^ set(new)):  # References to it may become imports, or no longer be.
        return None
    has_other_type = before["item"] != now["item"]
    changed = [name for name in new if has_other_type or name not in was or meaning(was[name]) != meaning(new[name])]
    moved = {name for name in new if name in was and before["where"].get(name) != now["where"].get(name)}
    changed += [name for name in moved if any(new[name].get(field) for field in FILE_FIELDS)]
    users = [name for name in new if before["data"] != now["data"] and has_data(name, now)]
    changed += users
    things = 2 if before["thing"] != now["thing"] else int(before["thing patch"] != now["thing patch"])
    if now["options"][2] and (has_other_type or things):  # The type table of the library changes, too.
        return None
    noisy = {name for name in new if new[name].get("old")}
    # A child can have another value instead.
    may_use = children_of(users, new) - set(users)
    affected = children_of(changed, new) | (children_of(changed, was) & set(new))
    may_use -= children_of([name for name in changed if name not in users], new) | children_of([name for name in changed if name not in users], was)
    affected -= may_use
    shaped = children_of([name for name in new if was.get(name) is None or before["shapes"][name] != now["shapes"][name]], new)
    mapped = {name for name in shaped - affected - noisy if not new[name]["abstract"]} if now["options"][3] else ()
    may_move = (children_of([name for name in moved if uses_files(name, new)], new) | may_use) - affected - noisy
    is_known = before["schema"] == now["schema"] and not may_move and not before["patched"] and not now["patched"]
    return len(affected) + things, len(affected | noisy) + things, len(may_move), len(mapped) if is_known else None


def bake(folder, *words):
    """(exit code, messages, the number of baked assets, of all assets)"""
    done = subprocess.run([BAKE, "build", *words], cwd=folder, capture_output=True, text=True, check=False)
    work = re.search(r"out/game.kiln: baked (\d+) of (\d+) assets, parsed (\d+) of (\d+) files(?:, mapped (\d+) assets? again)?", done.stderr)
    said = [line for line in done.stderr.splitlines() if not line.startswith(("out/", "Item/", "Thing/", "Payload/"))]
    return done.returncode, said, tuple(int(number or 0) for number in work.groups()) if work else None


def check(model, before, edit):
    """The state after the bake; None if it failed."""
    code, said, work = bake(".", "-v")
    shutil.rmtree("../clean", ignore_errors=True)
    shutil.copytree(".", "../clean", ignore=shutil.ignore_patterns("out", ".kiln"))
    clean_code, clean_said, clean_work = bake("../clean", "-v")
    assert (code, said) == (clean_code, clean_said), (edit, code, said, clean_code, clean_said)
    if code:
        return None, 0, 0
    assert pathlib.Path(OUTPUT).read_bytes() == pathlib.Path("../clean", OUTPUT).read_bytes(), f"{edit}: the output is stale"
    if model.has_map:
        assert pathlib.Path(MAP).read_bytes() == pathlib.Path("../clean", MAP).read_bytes(), f"{edit}: the source map is stale"
    assert bake(".", "-v")[2] is None, f"{edit}: baked again"
    state = model.state()
    expected = before and needed(before, state)
    if model.is_damaged:
        expected = None
        model.is_damaged = not work or work[0] < work[1]
    if expected is not None:
        assert 0 <= work[0] - expected[1] <= expected[2] if work else expected[0] == 0, (edit, work, expected)
        assert not work or expected[3] in (None, work[4]), (edit, work, expected)
    return state, work[0] if work else 0, clean_work[1]


def main():
    rng = random.Random(SEED)
    baked = possible = step = 0
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "project"))
        os.chdir(os.path.join(folder, "project"))
        model, state, edit = Model(rng), None, None
        try:
            for step in range(STEPS):
                model.write()
                state, done, most = check(model, state, edit)
                baked, possible = baked + done, possible + most
                assert state or step, "the first bake failed"
                edit = repair_everything if state is None else rng.choice(USUAL if rng.random() < 0.7 else OTHERS)
                edit(model)
                if rng.random() < 0.8:
                    model.drop_patches()
            print(f"ok 1 - {STEPS} edits with seed {SEED}: {baked} of {possible} assets baked")
        except AssertionError as error:
            text = str(error)[:3000].replace("\n", "\n# ")
            print(f"not ok 1 - step {step} with seed {SEED}\n# {text}")
            step = -1
        os.chdir("/")
    print("1..1")
    return 1 if step < 0 else 0


if __name__ == "__main__":
    sys.exit(main())
