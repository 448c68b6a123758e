#!/usr/bin/env python3
"""Edits a bundle with scenes at random: exactly the affected scenes are baked again (TAP).

    scene_edits.py KILN_BAKE [SEED [STEPS]]

After each edit, the output, the source map and the messages equal those of a bake without records in a copy of the project. The number of
baked assets, which `-v` prints, equals that of a model: assets and scenes that are new or whose text has changed, assets that inherit from
such an asset, and scenes that use it as a prefab, contain it, or refer to its entities. Edits: values, entities, bases, references, nested
scenes, overrides, private and shared prefabs, inheritance, comments and lines, moves to other files, prefabs with the name of an asset, renamed,
deleted and accepted names, guids of scenes and references by guid, payloads of components, types of the schema; broken documents, and a damaged state.
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
STEPS = int(sys.argv[3]) if len(sys.argv) > 3 else 60
SCHEMA = """kiln: 1  # {comment}
types:
  Item: {{struct: {{n: {item}}}, asset: true}}
  Place: {{struct: {{x: {{type: u32, default: 0}}}}, component: row}}
  Lamp:
    struct:
      label: {{type: string, default: "{label}"}}
      item: {{type: "ref<Item>?", default: null}}
      old: {{type: u8, default: 0, deprecated: true}}
    component: row
  Door: {{struct: {{opens: entity}}, component: true}}
  Skin: {{struct: {{image: {{type: "payload?", align: 64, default: null}}, sounds: {{type: "Sound[]", default: []}}}}, component: row}}
  Sound: {{struct: {{data: {{type: payload, frames: 4096}}}}}}
  Pin: {{struct: {{to: {{type: "ref?", local: fileID, file_by: guid, default: null}}}}, component: row}}
  Part: {{union: {{Place: Place, Lamp: Lamp}}, by: {{key: type}}}}
  Thing: {{struct: {{title: {{type: string, default: ""}}, parts: {{type: "Part[]", inherit: merge, default: []}}}}, asset: true, inherit: true}}
files:
  - {{match: "*.scene.yaml", shape: scene}}
  - {{match: "*.prefabs.yaml", shape: prefabs}}
  - {{match: "*.map.yaml", shape: scene, keys: {{components: parts, by: type}}, groups: {{base: thing, entities: all}}, prefabs: Thing.parts}}
  - {{match: "*.meta", shape: guids, key: guid}}
  - {{match: "*.items.names", shape: renames, type: Item}}
  - {{match: "*.things.names", shape: renames, type: Thing}}
  - {{match: "*.accepted.names", shape: accepted}}
"""
PROJECT = """kiln: 1
schemas: s.yaml
bundles:
  game: {{sources: "data/*.*", output: out/game.kiln{more}}}
"""
OUTPUTS = ["out/game.kiln", "out/game.map"]


class Model:
    def __init__(self, rng):
        self.rng, self.ids = rng, 0
        self.item, self.label, self.comment = "u32", "x", 0
        self.more = rng.choice(["", "", ", compress: 3", ", no_types: true", ", no_share: true", ", dangling: warn",
                                ", budgets: {warn: 1%, scenes: {\"*\": {disk: 100000, load: 1000000}}}"]) + rng.choice(["", ", source_map: out/game.map"])
        self.broken, self.is_damaged = None, False
        # Renamed or deleted (None) and accepted names by kind, and guids of scenes.
        self.renames, self.accepted, self.guids = {"item": {}, "thing": {}}, {}, {}
        self.items, self.things, self.prefabs, self.scenes, self.tops = {}, {}, {}, {}, {}
        for _ in range(4):
            add_an_item(self)
            add_a_thing(self)
            add_a_prefab(self)
        for _ in range(3):
            add_a_scene(self)
            add_a_map(self)

    def new(self, letter):
        self.ids += 1
        return f"{letter}{self.ids}"

    def some(self, what):
        return self.rng.choice(sorted(what)) if what else None

    def lamp(self):
        return {"label": self.rng.choice(["a", "b", "a long label"]), "item": self.rng.choice([None, self.some(names_of(vars(self), "item"))]), "old": None}

    # ---- texts ----

    def write(self):
        wanted = {"s.yaml": SCHEMA.format(item=self.item, label=self.label, comment=self.comment), "kiln.yaml": PROJECT.format(more=self.more)}
        files = {}
        for kind, all_ in (("Item", self.items), ("Thing", self.things)):
            for name, fields in all_.items():
                files.setdefault(f"data/{fields['file']}.yaml", {}).setdefault(kind, []).append(f"  {name}: {asset_text(kind, fields)}")
        for path, kinds in files.items():
            wanted[path] = "".join(f"{kind}:\n" + "\n".join(lines) + "\n" for kind, lines in kinds.items())
        for name, prefab in self.prefabs.items():
            path = f"data/{prefab['file']}.prefabs.yaml"
            wanted[path] = wanted.get(path, "") + f"{name}: {prefab_text(prefab)}\n"
        for name, scene in self.scenes.items():
            wanted[f"data/{name}.{scene['form']}.yaml"] = scene_text(scene)
        for path in [path for path in wanted if path.startswith("data/")]:
            wanted[path] = "# top\n" * self.tops.get(path, 0) + wanted[path] + "x: [" * (path == self.broken)
        wanted["data/empty.prefabs.yaml"] = "# no prefabs\n"
        for kind, renames in self.renames.items():
            if renames:
                wanted[f"data/x.{kind}s.names"] = "".join(f"{old}: {new or '~'}\n" for old, new in renames.items())
        if self.accepted:
            wanted["data/x.accepted.names"] = "".join(f"{kind.title()}: [{name}]\n" for kind, name in self.accepted.items())
        for name, guid in self.guids.items():
            wanted[f"data/{name}.yaml.meta"] = f"guid: {guid}\n"
        for number in range(3):
            wanted[f"data/bins/{number}.bin"] = f"{number} " * 5000
        for path in pathlib.Path("data").glob("*.*"):
            if str(path) not in wanted:
                path.unlink()
        for name, text in wanted.items():
            path = pathlib.Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")

    def state(self):
        return copy.deepcopy({key: value for key, value in vars(self).items() if key not in ("rng", "is_damaged")})


def names_of(state, kind):
    """Everything that a reference or the base of an entity can name."""
    return {*state[f"{kind}s"], *(old for old, new in state["renames"][kind].items() if new), *filter(None, [state["accepted"].get(kind)])}


def lamp_text(lamp):
    return "{" + ", ".join(f"{key}: {value}" for key, value in lamp.items() if value is not None) + "}"


def asset_text(kind, fields):
    if kind == "Item":
        return f"{{n: {fields['n']}}}"
    lamp = fields["lamp"]
    parts = f"[{{type: Lamp, {lamp_text(lamp)[1:]}]" if lamp else "[]"
    parent = f"parent: {fields['parent']}, " if fields["parent"] else ""
    return f"{{{parent}{'abstract: true, ' * fields['abstract']}title: {fields['title']}, parts: {parts}}}"


def prefab_text(prefab):
    base = f"base: {prefab['base']}, " if prefab["base"] else ""
    inner = f", children: [{{name: part, components: {{Place: {{x: {prefab['x']}}}}}}}]" if prefab["x"] else ""
    return f"{{{base}components: {{Lamp: {lamp_text(prefab['lamp'])}{skin_text(prefab)}}}{inner}}}"


def skin_text(fields):
    if fields.get("skin") is None:
        return ""
    image, sound = fields["skin"]
    return f", Skin: {{image: !file bins/{image}.bin{f', sounds: [{{data: !file bins/{sound}.bin}}]' if sound is not None else ''}}}"


def scene_text(scene):
    if scene["form"] == "map":
        return "entities:\n" + "".join(f"- {{thing: {base}, all: [{{name: {name}, parts: [{{type: Place, x: {x}}}]}}]}}\n" for name, base, x in scene["groups"])
    lines = ["prefabs:"] + [f"  {name}: {prefab_text(prefab)}" for name, prefab in scene["prefabs"].items()] if scene["prefabs"] else []
    lines.append("entities:")
    for name, entity in scene["entities"].items():
        base = f"base: {entity['base']}, " if entity["base"] else ""
        door = f", Door: {{opens: \"{entity['opens']}\"}}" if entity["opens"] else ""
        pin = f", Pin: {{to: {{fileID: 1, guid: {entity['pin']}}}}}" if entity.get("pin") else ""
        lines.append(f"- {{name: {name}, {base}components: {{Place: {{x: {entity['x']}}}{door}{pin}{skin_text(entity)}}}}}")
    if scene["nested"]:
        lines += ["scenes:"] + [f"- {{scene: {inner}, name: n{i}, overrides: {{e0: {{components: {{Place: {{x: {x}}}}}}}}}}}" for i, (inner, x) in enumerate(scene["nested"])]
    return "\n".join(lines) + "\n"


# ---- edits; each may leave the model as it is ----

def add_an_item(m):
    m.items[m.new("i")] = {"n": m.rng.randrange(1000), "file": m.rng.choice("ab")}


def remove_an_item(m):
    if "dangling" in m.more and len(m.items) > 2:
        del m.items[m.some(m.items)]


def add_a_thing(m):
    concrete = sorted(m.things)
    m.things[m.new("t")] = {"parent": m.rng.choice([None, m.some(concrete)]), "lamp": m.lamp() if m.rng.random() < 0.8 else None, "title": "x",
                            "abstract": m.rng.random() < 0.2, "file": m.rng.choice("abc")}


def add_a_prefab(m):
    name = m.some(m.things) if m.things and m.rng.random() < 0.1 else m.new("p")
    if name not in m.prefabs:
        m.prefabs[name] = {"base": m.rng.choice([None, m.some(m.prefabs)]), "lamp": m.lamp(), "x": m.rng.choice([0, 5]), "file": m.rng.choice("ab")}


def add_a_scene(m):
    m.scenes[m.new("s")] = {"form": "scene", "prefabs": {}, "entities": {f"e{i}": {"base": m.rng.choice([None, m.some(m.prefabs)]), "x": i, "opens": None} for i in range(3)},
                            "nested": []}


def add_a_map(m):
    usable = sorted(name for name, thing in m.things.items() if not thing["abstract"])
    m.scenes[m.new("m")] = {"form": "map", "groups": [[f"e{i}", m.some(usable) or '""', i] for i in range(2)]}


def some_scene(m, form="scene"):
    return m.scenes[name] if (name := m.some(name for name, scene in m.scenes.items() if scene["form"] == form)) else None


def change_an_item(m):
    m.items[m.some(m.items)]["n"] = m.rng.randrange(1000)


def change_a_thing(m):
    m.things[m.some(m.things)].update(m.rng.choice([{"title": m.rng.choice("xyz")}, {"lamp": m.lamp()}, {"lamp": None}]))


def change_a_parent(m):
    name, parent = m.some(m.things), m.some(m.things)
    up = parent
    while up and up != name:
        up = m.things[up]["parent"]
    if not up:
        m.things[name]["parent"] = m.rng.choice([parent, None])


def change_a_prefab(m):
    m.prefabs[m.some(m.prefabs)].update(m.rng.choice([{"lamp": m.lamp()}, {"x": m.rng.randrange(9)}]))


def change_a_base(m):
    name, base = m.some(m.prefabs), m.some(m.prefabs)
    up = base
    while up and up != name:
        up = m.prefabs[up]["base"]
    if not up:
        m.prefabs[name]["base"] = m.rng.choice([base, None])


def change_an_entity(m):
    if scene := some_scene(m):
        scene["entities"][m.some(scene["entities"])].update(m.rng.choice([{"x": m.rng.randrange(99)}, {"base": m.rng.choice([None, m.some([*m.prefabs, *scene["prefabs"]])])}]))


def change_a_map(m):
    if scene := some_scene(m, "map"):
        usable = sorted({name for name in names_of(vars(m), "thing") if not m.things.get(m.renames["thing"].get(name, name), {}).get("abstract")} | set(m.prefabs))
        group = m.rng.choice(scene["groups"])
        group[1 + m.rng.randrange(2)] = m.some(usable)
        if not isinstance(group[2], int):
            group[2] = m.rng.randrange(99)


def add_an_entity(m):
    if scene := some_scene(m):
        scene["entities"][f"e{len(scene['entities'])}"] = {"base": None, "x": 1, "opens": None}


def change_a_private_prefab(m):
    if scene := some_scene(m):
        name = m.rng.choice(["own", m.some(m.prefabs)])
        if name in scene["prefabs"] and m.rng.random() < 0.5:
            del scene["prefabs"][name]
        else:
            scene["prefabs"][name] = {"base": None, "lamp": m.lamp(), "x": 0}


def open_a_door(m):
    if scene := some_scene(m):
        other = m.some(name for name, of in m.scenes.items() if of["form"] == "scene")
        scene["entities"][m.some(scene["entities"])]["opens"] = m.rng.choice([None, "e1", f"{other}#e1", f"Scene/{other}#e0"])


def nest_a_scene(m):
    name = m.some(name for name, scene in m.scenes.items() if scene["form"] == "scene")
    inner = m.some(m.scenes)
    if name and not contains(m.scenes, inner, name):
        m.scenes[name]["nested"] = m.scenes[name]["nested"][:1] + [[inner, m.rng.randrange(9)]]


def all_prefabs(prefabs, scenes):
    return [*prefabs.values(), *(prefab for scene in scenes.values() for prefab in scene.get("prefabs", {}).values())]


def contains(scenes, name, wanted):
    return name == wanted or any(contains(scenes, inner, wanted) for inner, _ in scenes[name].get("nested", ()))


def unnest_scenes(m):
    if scene := some_scene(m):
        scene["nested"] = []


def use_a_deprecated_field(m):
    lamps = [fields["lamp"] for fields in [*m.things.values(), *m.prefabs.values()] if fields["lamp"]]
    m.rng.choice(lamps)["old"] = m.rng.choice([1, None, None])


def forget_deprecated_fields(m):
    for fields in [*m.things.values(), *all_prefabs(m.prefabs, m.scenes)]:
        if fields["lamp"]:
            fields["lamp"]["old"] = None


def insert_lines(m):
    m.tops[m.rng.choice(sorted(str(path) for path in pathlib.Path("data").rglob("*.yaml")) or ["data/a.yaml"])] = m.rng.randrange(3)


def move_something(m):
    fields = m.rng.choice([m.items, m.things, m.prefabs])
    if fields:
        fields[m.some(fields)]["file"] = m.rng.choice("abc")


def remove_something(m):
    fields = m.rng.choice([m.items, m.things, m.prefabs, m.scenes])
    if len(fields) > 2:
        del fields[m.some(fields)]


def rename_a_prefab(m):
    name, new = m.some(m.prefabs), m.new("p")
    m.prefabs[new] = m.prefabs.pop(name)
    for prefab in m.prefabs.values():
        prefab["base"] = new if prefab["base"] == name else prefab["base"]
    for scene in m.scenes.values():
        for entity in scene.get("entities", {}).values():
            entity["base"] = new if entity["base"] == name and name not in scene["prefabs"] else entity["base"]
        for group in scene.get("groups", ()):
            group[1] = new if group[1] == name else group[1]


def shadow_a_thing(m):
    m.prefabs[m.some(m.things)] = {"base": None, "lamp": m.lamp(), "x": 0, "file": "c"}


def rename_an_asset(m):
    """Inheritance needs the new name; references and bases can keep the old one."""
    kind = m.rng.choice(["item", "thing"])
    names = getattr(m, kind + "s")
    old, new = m.some(names), m.new(kind[0])
    names[new] = names.pop(old)
    for fields in m.things.values():
        fields["parent"] = new if kind == "thing" and fields["parent"] == old else fields["parent"]
    for before, after in m.renames[kind].items():
        m.renames[kind][before] = new if after == old else after
    m.renames[kind][old] = new


def forget_a_rename(m):
    kind = m.rng.choice(["item", "thing"])
    m.renames[kind].pop(m.some(m.renames[kind]), None)


def delete_an_item(m):
    if len(m.items) > 2:
        name = m.some(m.items)
        del m.items[name]
        m.renames["item"][name] = None


def accept_a_name(m):
    kind = m.rng.choice(["item", "thing"])
    if m.accepted.pop(kind, None) is None:
        m.accepted[kind] = f"lost_{kind}"


def add_an_accepted_asset(m):
    if m.rng.random() < 0.5:
        m.items["lost_item"] = {"n": 1, "file": "a"}
    else:
        m.things["lost_thing"] = {"parent": None, "lamp": m.lamp(), "title": "x", "abstract": m.rng.random() < 0.3, "file": "b"}


def pin_an_entity(m):
    if scene := some_scene(m):
        scene["entities"][m.some(scene["entities"])]["pin"] = m.rng.choice([None, m.some(m.guids.values()), "f" * 8])


def change_a_skin(m):
    scene = some_scene(m)
    owner = m.prefabs[m.some(m.prefabs)] if not scene or m.rng.random() < 0.4 else scene["entities"][m.some(scene["entities"])]
    owner["skin"] = m.rng.choice([None, (m.rng.randrange(3), None), (m.rng.randrange(3), m.rng.randrange(3))])


def change_a_guid(m):
    name = m.rng.choice([f"{name}.{scene['form']}" for name, scene in sorted(m.scenes.items())])
    m.ids += 1
    m.guids[name] = m.rng.choice([f"{m.ids:08x}", "f" * 8]) if "f" * 8 not in m.guids.values() else f"{m.ids:08x}"


def remove_a_guid(m):
    m.guids.pop(m.some(m.guids), None)


def make_abstract(m):
    thing = m.things[m.some(m.things)]
    thing["abstract"] = not thing["abstract"]


def change_the_schema(m):
    m.rng.choice([lambda: setattr(m, "item", m.rng.choice(["u32", "u64"])), lambda: setattr(m, "label", m.rng.choice("xyz")),
                  lambda: setattr(m, "comment", m.comment + 1)])()


def break_a_file(m):
    m.broken = m.rng.choice(sorted(str(path) for path in pathlib.Path("data").rglob("*.yaml")))


def damage_the_state(m):
    m.is_damaged = True
    files = sorted(path for path in pathlib.Path(".kiln").rglob("*") if path.is_file())
    if files:
        path = m.rng.choice(files)
        data = bytearray(path.read_bytes())
        data[m.rng.randrange(len(data))] ^= 1 << m.rng.randrange(8)
        path.write_bytes(data)


def repair_everything(m):
    m.broken = None
    for kind, names in (("item", m.items), ("thing", m.things)):
        m.renames[kind] = {old: new for old, new in m.renames[kind].items() if old not in names and new in names and old != m.accepted.get(kind)}
    m.guids = {name: guid for name, guid in m.guids.items() if name.partition(".")[0] in m.scenes}
    for prefab in all_prefabs(m.prefabs, m.scenes):
        prefab["base"] = prefab["base"] if prefab["base"] in m.prefabs else None
    for thing in m.things.values():
        thing["parent"] = thing["parent"] if thing["parent"] in m.things else None
    for fields in [*m.things.values(), *all_prefabs(m.prefabs, m.scenes)]:
        if fields["lamp"] and fields["lamp"]["item"] not in names_of(vars(m), "item"):
            fields["lamp"]["item"] = None
    usable = sorted(name for name, thing in m.things.items() if not thing["abstract"])
    for scene in m.scenes.values():
        if scene["form"] == "map":
            for group in scene["groups"]:
                base = m.renames["thing"].get(group[1], group[1])
                group[1] = group[1] if base in usable or base in m.prefabs or group[1] == m.accepted.get("thing") and group[1] not in m.things else m.some(usable) or '""'
            continue
        scene["nested"] = [[inner, x] for inner, x in scene["nested"] if inner in m.scenes]
        for entity in scene["entities"].values():
            entity["base"] = entity["base"] if entity["base"] in m.prefabs or entity["base"] in scene["prefabs"] else None
            where = (entity["opens"] or "").split("#")[0].replace("Scene/", "")
            if "#" in (entity["opens"] or "") and where not in m.scenes:
                entity["opens"] = None
            if entity.get("pin") not in m.guids.values():
                entity["pin"] = None


USUAL = [change_an_item, change_a_thing, change_a_parent, change_a_prefab, change_a_prefab, change_a_base, change_an_entity, change_an_entity, change_a_map, add_an_entity,
         change_a_private_prefab, open_a_door, nest_a_scene, unnest_scenes, insert_lines, insert_lines, move_something, rename_a_prefab, add_an_item, add_a_thing,
         add_a_prefab, add_a_scene, add_a_map]
OTHERS = [remove_something, remove_an_item, remove_an_item, shadow_a_thing, make_abstract, change_the_schema, use_a_deprecated_field, forget_deprecated_fields, break_a_file, damage_the_state]
NAMES = [rename_an_asset, rename_an_asset, forget_a_rename, delete_an_item, accept_a_name, accept_a_name, add_an_accepted_asset, pin_an_entity, pin_an_entity,
         change_a_guid, change_a_guid, remove_a_guid]
USUAL += [change_a_skin, change_a_skin]


# ---- the model of what must be baked ----

def uses_of(state):
    """By (kind, name): what it depends on."""
    things, prefabs, scenes, renames = state["things"], state["prefabs"], state["scenes"], state["renames"]["thing"]
    uses = {("thing", name): {("thing", thing["parent"])} - {("thing", None)} for name, thing in things.items()}
    uses.update({("prefab", name): {("prefab", prefab["base"])} - {("prefab", None)} for name, prefab in prefabs.items()})
    for name, scene in scenes.items():
        if scene["form"] == "map":
            uses["scene", name] = {("prefab", base) if base in prefabs else ("thing", renames.get(base, base)) for _, base, _ in scene["groups"]}
            continue
        bases = {entity["base"] for entity in scene["entities"].values()} - set(scene["prefabs"]) - {None}
        inherited = {prefab["base"] for prefab in scene["prefabs"].values()} - {None}
        doors = {entity["opens"].split("#")[0].replace("Scene/", "") for entity in scene["entities"].values() if "#" in (entity["opens"] or "")}
        uses["scene", name] = {("prefab", base) for base in bases | inherited} | {("scene", inner) for inner, _ in scene["nested"]} | {("scene", other) for other in doors - {name}}
    # A nested scene brings its doors with it.
    for name, scene in scenes.items():
        left = [inner for inner, _ in scene.get("nested", ())]
        while left:
            inner = left.pop()
            uses["scene", name] |= {use for use in uses["scene", inner] if use[0] == "scene" and use[1] != name}
            left += [more for more, _ in scenes[inner].get("nested", ())]
    return uses


def texts_of(state):
    texts = {("item", name): fields["n"] for name, fields in state["items"].items()}
    texts.update({("thing", name): asset_text("Thing", fields) for name, fields in state["things"].items()})
    texts.update({("prefab", name): (prefab_text(prefab), prefab["file"]) for name, prefab in state["prefabs"].items()})
    texts.update({("scene", name): (scene_text(scene)) for name, scene in state["scenes"].items()})
    return texts


def is_noisy(state):
    lamps = [fields["lamp"] for fields in [*state["things"].values(), *all_prefabs(state["prefabs"], state["scenes"])] if fields["lamp"]]
    if any(entity.get("pin") and entity["pin"] not in state["guids"].values() for scene in state["scenes"].values() for entity in scene.get("entities", {}).values()):
        return True
    return any(lamp["old"] or (lamp["item"] and lamp["item"] not in names_of(state, "item")) for lamp in lamps)


def needed(before, now):
    """How many assets must be baked; None if that is not known."""
    if before["broken"] or is_noisy(before) or any(before[key] != now[key] for key in ("item", "label", "more", "renames", "accepted", "guids")):
        return None
    if any(kind in now["accepted"] and (now["accepted"][kind] in now[f"{kind}s"]) != (now["accepted"][kind] in before[f"{kind}s"]) for kind in ("item", "thing")):
        return None
    if any(set(before[key]) - set(now[key]) for key in ("prefabs", "items", "scenes")):
        return None
    was, new, uses = texts_of(before), texts_of(now), uses_of(now)
    changed = {key for key in new if was.get(key) != new[key]}
    if any(("prefab", name) in changed and name not in before["prefabs"] and name in now["things"] for name in now["prefabs"]):
        changed |= {key for key in new if key[0] == "scene"}
    while more := {key for key, of in uses.items() if key not in changed and of & changed}:
        changed |= more
    return sum(kind != "prefab" for kind, _ in changed)


def bake(folder, *words):
    """(exit code, messages, the numbers of baked assets, all assets, parsed files, all files)"""
    done = subprocess.run([BAKE, "build", *words], cwd=folder, capture_output=True, text=True, check=False)
    work = re.search(r"out/game.kiln: baked (\d+) of (\d+) assets, parsed (\d+) of (\d+) files", done.stderr)
    said = [line for line in done.stderr.splitlines()
            if not re.match(r"(Item|Thing|Scene\w*|kiln.Clusters|kiln.Payload)/\S+: [\d,]+ bytes|out/game.kiln: (?![\d,]+ assets)", line)]
    return done.returncode, said, tuple(map(int, work.groups())) if work else None


def check(model, before, edit, totals):
    """The state after the bake; None if it failed."""
    code, said, work = bake(".", "-v")
    shutil.rmtree("../clean", ignore_errors=True)
    shutil.copytree(".", "../clean", ignore=shutil.ignore_patterns("out", ".kiln"))
    clean_code, clean_said, clean_work = bake("../clean", "-v")
    counts = [line for line in clean_said if line.startswith("out/game.kiln: ")]
    assert code == clean_code and said in (clean_said, [line for line in clean_said if work or line not in counts]), (edit, code, said, clean_code, clean_said)
    totals["failed"] += code != 0
    if code:
        return None
    for path in OUTPUTS:
        assert not os.path.exists(f"../clean/{path}") or pathlib.Path(path).read_bytes() == pathlib.Path("../clean", path).read_bytes(), f"{edit}: {path} is stale"
    again = bake(".", "-v")
    assert again[2] is None, f"{edit}: baked again"
    state = model.state()
    expected = needed(before, state) if before and not model.is_damaged else None
    model.is_damaged = model.is_damaged and not (work and work[0] == work[1])
    if expected is not None:
        assert work[0] == expected if work else expected == 0, (edit, work, expected)
        totals["exact"] += 1
    totals["baked"] += work[0] if work else 0
    totals["possible"] += clean_work[1]
    return state


VILLAGE = """kiln: 1
schemas: village/village.schema.yaml
bundles:
  game: {sources: "game/data/**/*.yaml", base: game/data, output: out/other.kiln}
  village: {sources: village/scenes/*.yaml, base: village/scenes, output: out/game.kiln, externs: [game], source_map: out/game.map}
"""


def the_village_is_baked_in_part():
    samples = pathlib.Path(__file__).resolve().parents[2] / "samples"
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "project"))
        os.chdir(os.path.join(folder, "project"))
        for name in ("game", "village"):
            shutil.copytree(samples / name, name)
        os.remove("game/kiln.yaml")
        pathlib.Path("kiln.yaml").write_text(VILLAGE, encoding="utf-8")
        assert bake(".", "-v")[0] == 0
        for name, old, new, work in (("hut.scene", "x: 0.25", "x: 0.75", (2, 2, 3, 3)), ("emberwick.scene", "x: 1, y: 3", "x: 2, y: 3", (1, 2, 3, 3)),
                                     ("folk.prefabs", "points: 400", "points: 500", (2, 2, 3, 3)), ("folk.prefabs", "thing: {", "\nthing: {", (0, 2, 1, 3)),
                                     ("hut.scene", "entities:", "prefabs: {own: {base: fire, components: {Place: {x: 1}}}}\nentities:", (2, 2, 3, 3))):
            path = pathlib.Path(f"village/scenes/{name}.yaml")
            path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
            found = bake(".", "-v")
            shutil.rmtree("../clean", ignore_errors=True)
            shutil.copytree(".", "../clean", ignore=shutil.ignore_patterns("out", ".kiln"))
            assert found[0] == bake("../clean", "-v")[0] == 0 and found[2] == work, (name, new, found, work)
            for output in OUTPUTS:
                assert pathlib.Path(output).read_bytes() == pathlib.Path("../clean", output).read_bytes(), (name, new, output)
        os.chdir("/")


LEVELS = """kiln: 1
types: {Door: {struct: {opens: entity}, component: true}}
files: [{match: "*.scene.yaml", shape: scene}, {match: "*.level.yaml", shape: scene, kind: Level}]
"""


def a_scene_of_another_kind_has_precedence():
    """`Scene/x` is also an id, which `Level/Scene/x` has until there is a scene with that name."""
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "project", "data"))
        os.chdir(os.path.join(folder, "project"))
        entity = "{name: a, components: {Door: }}"
        for name, text in (("s.yaml", LEVELS), ("kiln.yaml", PROJECT.format(more="")), ("data/all.yaml", f"Level: {{Scene/x: {{entities: [{entity}]}}}}\n"),
                           ("data/b.level.yaml", "scenes: [{scene: Scene/x, name: n}]\n"), ("data/c.scene.yaml", f"entities: [{entity}]\n")):
            pathlib.Path(name).write_text(text, encoding="utf-8")
        assert bake(".", "-v")[0] == 0
        pathlib.Path("data/x.scene.yaml").write_text(f"entities: [{entity}, {entity.replace('a,', 'b,')}]\n", encoding="utf-8")
        found = bake(".", "-v")
        shutil.copytree(".", "../clean", ignore=shutil.ignore_patterns("out", ".kiln"))
        assert found[0] == bake("../clean", "-v")[0] == 0, found
        assert pathlib.Path(OUTPUTS[0]).read_bytes() == pathlib.Path("../clean", OUTPUTS[0]).read_bytes(), found
        os.chdir("/")


NAMES_SCHEMA = """kiln: 1
types:
  Item: {struct: {n: {type: u32, default: 0}}, asset: true, inherit: true}
  Place: {struct: {x: {type: u32, default: 0}, item: {type: "ref<Item>?", default: null}}, component: row}
  Part: {union: {Place: Place}, by: {key: type}}
  Thing: {struct: {parts: "Part[]"}, asset: true, inherit: true}
files:
  - {match: "*.scene.yaml", shape: scene, keys: {components: parts, by: type}, prefabs: Thing.parts}
  - {match: "*.prefabs.yaml", shape: prefabs}
  - {match: "*.things.names", shape: renames, type: Thing}
  - {match: "*.accepted.names", shape: accepted}
"""
NAMES_FILES = {
    "t1.yaml": "Thing: {t1: {parts: [{type: Place, x: 1}]}}\n", "t2.yaml": "Thing: {t2: {parts: [{type: Place, x: 2}]}}\n", "i.yaml": "Item: {i1: {}}\n",
    "x.things.names": "old: t1\n", "x.accepted.names": "Thing: [lost]\nItem: [lost]\n", "p.prefabs.yaml": "unused: {components: {Place: {item: lost}}}\n",
    "a.scene.yaml": "entities: [{name: a, base: old}]\n", "b.scene.yaml": "entities: [{name: a, base: lost}]\n", "c.scene.yaml": "entities: [{name: a, base: t2}]\n"}
# By what is changed: the files, and how many assets are baked and how many files are parsed; None: the whole run is repeated.
NAMES_CHANGES = [
    ("an item, so that nothing else is parsed", {"i.yaml": "Item: {i1: {n: 2}}\n"}, (1, 3)),
    ("a scene with the old name of its base", {"a.scene.yaml": "entities: [{name: b, base: old}]\n"}, (1, 4)),
    ("a scene gets the old name of a base", {"c.scene.yaml": "entities: [{name: a, base: old}]\n"}, (1, 5)),
    ("a scene with an accepted base", {"b.scene.yaml": "entities: [{name: b, base: lost}]\n"}, (1, 3)),
    ("an asset gets the accepted name", {"l.yaml": "Thing: {lost: {parts: [{type: Place, x: 3}]}}\n"}, (4, 8)),
    ("that asset is removed", {"l.yaml": None}, None),
    ("a prefab gets the renamed name", {"q.prefabs.yaml": "old: {components: {Place: {x: 4}}}\n"}, (3, 8)),
    ("that prefab is removed", {"q.prefabs.yaml": None}, None),
    ("the renamed name means another asset", {"x.things.names": "old: t2\n"}, (3, 8)),
    ("an abstract asset gets the accepted name to which a prefab refers", {"i.yaml": "Item: {i1: {}, lost: {abstract: true}}\n"}, None),
    ("an asset gets it", {"i.yaml": "Item: {i1: {}, lost: {n: 1}}\n"}, None),
    ("that asset is removed, too", {"i.yaml": "Item: {i1: {}}\n"}, (0, 8)),
    ("nothing accepts the name", {"x.accepted.names": "Thing: [lost]\n"}, None)]


def scenes_use_names_that_no_asset_has():
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "project", "data"))
        os.chdir(os.path.join(folder, "project"))
        for name, text in {"s.yaml": NAMES_SCHEMA, "kiln.yaml": PROJECT.format(more=""), **{f"data/{name}": text for name, text in NAMES_FILES.items()}}.items():
            pathlib.Path(name).write_text(text, encoding="utf-8")
        assert bake(".", "-v")[0] == 0, bake(".", "-v")
        for change, files, expected in NAMES_CHANGES:
            for name, text in files.items():
                if text is None:
                    os.remove(f"data/{name}")
                else:
                    pathlib.Path(f"data/{name}").write_text(text, encoding="utf-8")
            found = bake(".", "-v")
            shutil.rmtree("../clean", ignore_errors=True)
            shutil.copytree(".", "../clean", ignore=shutil.ignore_patterns("out", ".kiln"))
            clean = bake("../clean", "-v")
            assert found[:2] == clean[:2] and (not expected or found[2][::2] == expected), (change, found, clean, expected)
            assert found[0] or pathlib.Path(OUTPUTS[0]).read_bytes() == pathlib.Path("../clean", OUTPUTS[0]).read_bytes(), change
        os.chdir("/")


CASES = [(scenes_use_names_that_no_asset_has, "scenes use names that no asset has"),
         (the_village_is_baked_in_part, "the village is baked in part"),
         (a_scene_of_another_kind_has_precedence, "a scene of another kind has precedence")]


def main():
    rng = random.Random(SEED)
    totals = {"baked": 0, "possible": 0, "exact": 0, "failed": 0}
    step = 0
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "project"))
        os.chdir(os.path.join(folder, "project"))
        model, state, edit = Model(rng), None, None
        try:
            for step in range(STEPS):
                model.write()
                state = check(model, state, edit, totals)
                assert state or step, "the first bake failed"
                edit = repair_everything if state is None else rng.choice(rng.choices([USUAL, OTHERS, NAMES], [6, 2, 2])[0])
                edit(model)
            print(f"ok 1 - {STEPS} edits with seed {SEED}: {totals['baked']} of {totals['possible']} assets baked; {totals['failed']} failed, {totals['exact']} exact")
        except AssertionError as error:
            text = str(error)[:3000].replace("\n", "\n# ")
            print(f"not ok 1 - step {step} with seed {SEED}\n# {text}")
            if os.environ.get("KILN_KEEP"):
                shutil.copytree(".", os.environ["KILN_KEEP"], dirs_exist_ok=True)
            step = -1
        os.chdir("/")
    for number, (case, name) in enumerate(CASES, 2):
        try:
            case()
            print(f"ok {number} - {name}")
        except AssertionError as error:
            print(f"not ok {number} - {name}\n# {error}")
            step = -1
    print(f"1..{len(CASES) + 1}")
    return 1 if step < 0 else 0


if __name__ == "__main__":
    sys.exit(main())
