#!/usr/bin/env python3
"""Edits names at random: guids, objects with numbers, renamed, deleted, accepted and missing ids (TAP).

    memo_names.py KILN_BAKE [SEED [STEPS]]

After each edit, the exit code, the outputs and the messages equal those of a bake without records in a copy of the project. An edit of a
number bakes only its asset and those with warnings.
"""

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
STEPS = int(sys.argv[3]) if len(sys.argv) > 3 else 40
TAG = "%TAG !u! tag:unity3d.com,2011:\n"
POINTER = 'local: fileID, file_by: guid, beside: type, default: null'
SCHEMA = f"""kiln: 1
accepted: {{Item: [known], File: [{'e' * 8}]}}
types:
  Item:
    struct: {{n: u32, to: {{type: "ref<Item>?", default: null}}, any: {{type: "ref?", default: null}}, old: {{type: u8, default: 0, deprecated: true}}}}
    asset: true
    inherit: true
  GameObject:
    struct: {{m_Name: string, mesh: {{type: "ref?", {POINTER}}}, next: {{type: "ref<GameObject>?", {POINTER}}}}}
    asset: true
  Transform: {{struct: {{m_Name: string, mesh: {{type: "ref?", {POINTER}}}, next: {{type: "ref?", {POINTER}}}}}, asset: true}}
  Note: {{struct: {{n: u32}}, asset: true}}
files:
  - {{match: "*.meta", shape: guids, key: guid}}
  - {{match: "*.one.yaml", shape: one, type: Note}}
  - {{match: "*.prefab", shape: objects, tag: "tag:unity3d.com,2011:", whole: 100}}
  - {{match: "names/*.renames.yaml", shape: renames, type: Item}}
"""
CLASSES = {"GameObject": 1, "Transform": 4}


class Model:
    def __init__(self, rng):
        self.rng, self.ids, self.broken = rng, 0, False
        self.has_map, self.compress, self.dangling = rng.random() < 0.5, rng.choice([0, 3]), rng.choice(["warn", "warn", "error"])
        self.items = {"data/a.yaml": {}, "data/b.yaml": {}, "data/deep/c.yaml": {}}
        self.renames, self.accepted, self.notes, self.prefabs, self.guids = {}, {}, {}, {}, {}
        for path in self.items:
            for _ in range(3):
                self.add_item(path)
        for name in ("p", "deep/q"):
            self.add_prefab(f"data/{name}.prefab")

    def add_item(self, path):
        self.ids += 1
        self.items[path][f"i{self.ids}"] = {"n": self.ids}

    def add_prefab(self, path):
        self.ids += 1
        self.prefabs[path] = {10 + i: {"class": self.rng.choice(sorted(CLASSES)), "m_Name": f"o{i}"} for i in range(3)}
        self.guids[path] = f"{self.ids:08x}"

    def item(self):
        return self.rng.choice([item for items in self.items.values() for item in items.values()])

    def object(self):
        return self.rng.choice([one for objects in self.prefabs.values() for one in objects.values()])

    def names(self):
        return sorted(name for items in self.items.values() for name in items)

    def pointer(self):
        """Another object, mostly an existing one."""
        path = self.rng.choice(sorted(self.prefabs))
        number = self.rng.choice(sorted(self.prefabs[path])) if self.rng.random() < 0.8 else self.rng.choice([77, 100])
        guid = self.rng.choice(sorted(self.guids.values())) if self.rng.random() < 0.8 else self.rng.choice(["e" * 8, "f" * 8])
        return f"{{fileID: {number}}}" if self.rng.random() < 0.4 else f"{{fileID: {number}, guid: {guid}, type: 3}}"

    def write(self):
        wanted = {"s.yaml": SCHEMA}
        options = f", compress: {self.compress}" + ", source_map: out/game.map" * self.has_map
        wanted["kiln.yaml"] = ("kiln: 1\nschemas: s.yaml\nbundles: {game: {sources: [\"data/**/*.yaml\", \"data/**/*.prefab\", \"data/**/*.meta\"], "
                               f"base: data, dangling: {self.dangling}, output: out/game.kiln{options}}}}}\n")
        for path, items in self.items.items():
            lines = ["# nothing"] + (["Item:"] if items else [])
            lines += [f"  {name}: {{" + ", ".join(f"{key}: {value}" for key, value in item.items()) + "}" for name, item in items.items()]
            accepted = self.accepted.get(path)
            lines += [f"accepted: {{Item: [{', '.join(accepted)}]}}"] if accepted else []
            wanted[path] = "\n".join(lines) + "\n"
        wanted["data/names/x.renames.yaml"] = "# renamed\n" + "".join(f"{old}: {new or '~'}\n" for old, new in self.renames.items())
        for path, number in self.notes.items():
            wanted[path] = f"n: {number}\n"
        for path, objects in self.prefabs.items():
            wanted[path] = "".join(f"{TAG if first == 0 else ''}--- !u!{CLASSES[one['class']]} &{number}\n{one['class']}:\n"
                                   + "".join(f"  {key}: {value}\n" for key, value in one.items() if key != "class")
                                   for first, (number, one) in enumerate(objects.items()))
            wanted[path] = wanted[path].replace("--- !u!", TAG + "--- !u!").replace(TAG + TAG, TAG)
        for path, guid in self.guids.items():
            wanted[path + ".meta"] = f"guid: {guid}\n"
        if self.broken:
            wanted["data/a.yaml"] += "Item: ["
        for path in [path for path in pathlib.Path("data").rglob("*") if path.is_file() and str(path) not in wanted]:
            path.unlink()
        for name, text in wanted.items():
            path = pathlib.Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")


def change_a_number(m):
    m.item()["n"] = m.rng.randrange(1000)


def change_a_reference(m):
    missing = ["none", "known"] + sorted(m.renames) + sorted({name for names in m.accepted.values() for name in names})
    target = m.rng.choice(m.names() if m.rng.random() < 0.6 else missing)
    m.item()[m.rng.choice(["to", "any"])] = m.rng.choice(["~", target])
    for item in [item for items in m.items.values() for item in items.values()]:
        item.update({"any": f"Item/{item['any']}"} if item.get("any") not in (None, "~") and "/" not in item["any"] else {})


def inherit(m):
    """From an item of the first file to one of the last, so that there is no cycle."""
    if m.items["data/a.yaml"] and m.items["data/deep/c.yaml"]:
        m.items["data/deep/c.yaml"][m.rng.choice(sorted(m.items["data/deep/c.yaml"]))]["parent"] = m.rng.choice(sorted(m.items["data/a.yaml"]))


def rename(m):
    path = m.rng.choice(sorted(path for path in m.items if m.items[path]) or [None])
    if path:
        old = m.rng.choice(sorted(m.items[path]))
        m.ids += 1
        m.items[path][f"i{m.ids}"] = m.items[path].pop(old)
        for item in [item for items in m.items.values() for item in items.values() if item.get("parent") == old]:
            item["parent"] = f"i{m.ids}"
        if m.rng.random() < 0.8:
            m.renames[old] = f"i{m.ids}"


def delete(m):
    path = m.rng.choice(sorted(m.items))
    if len(m.items[path]) > 1:
        name = m.rng.choice(sorted(m.items[path]))
        del m.items[path][name]
        for item in [item for items in m.items.values() for item in items.values() if item.get("parent") == name]:
            del item["parent"]
        if m.rng.random() < 0.3:
            m.renames[name] = None


def forget_a_rename(m):
    if m.renames:
        del m.renames[m.rng.choice(sorted(m.renames))]


def accept(m):
    m.accepted[m.rng.choice(sorted(m.items))] = m.rng.choice([["none"], ["none", "more"], ["more"], []])


def add_an_item(m):
    m.add_item(m.rng.choice(sorted(m.items)))
    if m.rng.random() < 0.2 and "none" not in m.names():
        m.items["data/b.yaml"]["none"] = {"n": 1}


def move_an_item(m):
    path, other = m.rng.sample(sorted(m.items), 2)
    if m.items[path]:
        name = m.rng.choice(sorted(m.items[path]))
        if not m.items[path][name].get("parent") and path != "data/a.yaml":
            m.items[other][name] = m.items[path].pop(name)


def point(m):
    m.object()[m.rng.choice(["mesh", "next"])] = m.pointer()


def change_an_object(m):
    m.object()["m_Name"] = m.rng.choice(["x", "y", "z"])


def change_a_class(m):
    m.object()["class"] = m.rng.choice(sorted(CLASSES))


def add_an_object(m):
    path = m.rng.choice(sorted(m.prefabs))
    m.prefabs[path][m.rng.choice([13, 14, 77])] = {"class": m.rng.choice(sorted(CLASSES)), "m_Name": "new"}


def remove_an_object(m):
    path = m.rng.choice(sorted(m.prefabs))
    if len(m.prefabs[path]) > 1:
        del m.prefabs[path][m.rng.choice(sorted(m.prefabs[path]))]


def add_a_prefab(m):
    path = f"data/{m.rng.choice(['r', 's'])}.prefab"
    if path not in m.prefabs:
        m.add_prefab(path)
        if m.rng.random() < 0.3:
            m.guids[path] = "f" * 8


def remove_a_prefab(m):
    if len(m.prefabs) > 1:
        path = m.rng.choice(sorted(m.prefabs))
        del m.prefabs[path]
        if m.rng.random() < 0.8:
            m.guids.pop(path, None)


def change_a_guid(m):
    path = m.rng.choice(sorted(m.prefabs))
    m.ids += 1
    m.guids[path] = m.rng.choice([f"{m.ids:08x}", "f" * 8, m.rng.choice(sorted(m.guids.values()) or ["0"])])


def remove_a_guid(m):
    if len(m.guids) > 1:
        del m.guids[m.rng.choice(sorted(m.guids))]


def note(m):
    path = f"data/{m.rng.choice('no')}.one.yaml"
    if path in m.notes and m.rng.random() < 0.5:
        del m.notes[path]
        m.guids.pop(path, None)
        return
    m.notes[path] = m.rng.randrange(10)
    if m.rng.random() < 0.7:
        m.ids += 1
        m.guids[path] = f"{m.ids:08x}"


def break_a_file(m):
    m.broken = True


def repair(m):
    m.broken = False
    names = m.names()
    m.renames = {old: new for old, new in m.renames.items() if old not in names and (new in names or not new)}
    known = set(names) | set(m.renames) | {"known"}
    for item in [item for items in m.items.values() for item in items.values()]:
        if m.dangling == "error":
            for key in ("to", "any"):
                if item.get(key, "~").rpartition("/")[2] not in known | {"~"}:
                    item.pop(key)
        if item.get("parent") not in names:
            item.pop("parent", None)
    for path in [path for path in m.items if len(set(m.accepted.get(path, ())) & set(names)) > 0]:
        m.accepted[path] = []
    seen = set()
    for path in sorted(m.guids):
        if m.guids[path] in seen:
            m.ids += 1
            m.guids[path] = f"{m.ids:08x}"
        seen.add(m.guids[path])
    # Pointers of any kind can be wrong.
    for one in [one for objects in m.prefabs.values() for one in objects.values()]:
        for key in ("mesh", "next"):
            if m.rng.random() < 0.7:
                one.pop(key, None)


EDITS = [change_a_number, change_a_number, change_a_reference, change_a_reference, inherit, rename, rename, delete, forget_a_rename, accept, add_an_item,
         move_an_item, point, point, change_an_object, change_an_object, change_a_class, add_an_object, remove_an_object, add_a_prefab, remove_a_prefab,
         change_a_guid, remove_a_guid, note, break_a_file]


def bake(folder, has_map):
    done = subprocess.run([BAKE, "build", "-v"], cwd=folder, capture_output=True, text=True, check=False)
    work = re.search(r"out/game.kiln: baked (\d+) of (\d+) assets", done.stderr)
    said = [line for line in done.stderr.splitlines() if not re.match(r"out/|(Item|GameObject|Transform|Note)/[^:]*: \d+ bytes", line)]
    outputs = [pathlib.Path(folder, "out", name).read_bytes() for name in ("game.kiln", "game.map")[:1 + has_map]] if done.returncode == 0 else None
    return (done.returncode, said, outputs), (int(work[1]), int(work[2])) if work else (0, 0)


def main():
    rng = random.Random(SEED)
    model, edit, was_good, failures = Model(rng), None, False, []
    baked = possible = good = 0
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "project"))
        os.chdir(os.path.join(folder, "project"))
        for step in range(STEPS):
            model.write()
            result, work = bake(".", model.has_map)
            shutil.rmtree("../clean", ignore_errors=True)
            shutil.copytree(".", "../clean", ignore=shutil.ignore_patterns("out", ".kiln"))
            expected, most = bake("../clean", model.has_map)
            dangling = sum("unknown" in line for line in result[1])
            if result != expected:
                failures.append(f"step {step}, {edit and edit.__name__}: {result[:2]} instead of {expected[:2]}, baked {work}")
            elif was_good and result[0] == 0 and edit is change_a_number and not dangling and work[0] > 2:
                failures.append(f"step {step}: {work} assets were baked instead of one")
            if failures:
                break
            was_good = result[0] == 0
            good, baked, possible = good + was_good, baked + work[0], possible + most[1]
            edit = rng.choice(EDITS) if was_good else repair
            edit(model)
        os.chdir("/")
    text = f" - {STEPS} edits with seed {SEED}: {good} without errors, {baked} of {possible} assets baked"
    print(f"not ok 1{text}\n# " + failures[0][:4000].replace("\n", "\n# ") if failures else f"ok 1{text}")
    print("1..1")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
