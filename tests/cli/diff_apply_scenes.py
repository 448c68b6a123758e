"""`kiln-inspect diff` finds exactly the differences between scenes: diff_apply_scenes.py KILN_BAKE KILN_INSPECT [SEED [COUNT]]

Bakes random pairs of scenes. The second one is the first with entities that were added, removed, moved or named differently, and with
other components and values. The JSON of `diff`, applied to the entities that `scene` prints of the first file, must give those of the
second. Entities without names are renumbered as the changes of the kind `renumber` state, also where references lead to them.
"""
import copy
import json
import random
import sys

from diff_apply import apply_value, find_changes, inspect, plain, test_pairs
from random_seeds import run, write

SCHEMA = """kiln: 1
types:
  Place: {component: true, struct: {x: f32, y: {type: f32, default: 0}}}
  Door: {component: true, struct: {open: bool, to: entity, width: {type: u16, default: 1}}}
  Label: {component: true, struct: {texts: "data<string[]>"}}
files: [{match: "*.scene.yaml", shape: scene}]
"""
NAMES = ["door", "lamp", "a b", "é", "hall-x", "12"]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def component(self, kind, names):
        pick = self.random.choice
        if kind == "Place":
            return {"x": pick([0.0, 1.5, -2.0]), "y": pick([0.0, 0.25])}
        if kind == "Door":
            return {"open": pick([True, False]), "to": pick([None, *names]), "width": pick([1, 2, 700])}
        return {"texts": [pick(["", "a", "two\nlines"]) for _ in range(self.random.randrange(4))]}

    def components(self, names):
        kinds = [kind for kind in ("Place", "Door", "Label") if self.random.randrange(2)]
        return {kind: self.component(kind, names) for kind in kinds}

    def scene(self):
        names = [name for name in NAMES if self.random.randrange(3)]
        entities = [{"name": name} for name in names] + [{} for _ in range(self.random.randrange(6))]
        self.random.shuffle(entities)
        for entity in entities:
            entity["components"] = self.components(names)
        return entities

    def changed(self, entities):
        entities = copy.deepcopy(entities)
        for _ in range(self.random.choice([0, 1, 1, 2, 4])):
            names = [entity["name"] for entity in entities if "name" in entity]
            at, kind = self.random.randrange(len(entities) + 1), self.random.randrange(5)
            if kind == 0 or not entities:
                entities.insert(at, {"components": self.components(names)})
            elif kind == 1:
                gone = entities.pop(at % len(entities))
                forget(entities, gone.get("name"))
            elif kind == 2:
                entities.insert(at, entities.pop(self.random.randrange(len(entities))))
            elif kind == 3:
                entity = entities[at % len(entities)]
                entity["components"] = self.components(names)
            else:
                components = entities[at % len(entities)]["components"]
                for name in components:
                    components[name] = self.component(name, names)
        return entities


def forget(entities, name):
    """Clears the references to an entity that was removed."""
    for entity in entities:
        door = entity["components"].get("Door")
        if door and name and door["to"] == name:
            door["to"] = None


# ---- the model ----

def key_of(number, name):
    if not name:
        return f"#{number}"
    is_plain = all(c.isalnum() and c.isascii() or c in "_-/" for c in name) and not name[0].isdigit()
    return "#" + (name if is_plain else json.dumps(name, ensure_ascii=False))


def with_keys(value):
    """References to entities are written as their keys."""
    if isinstance(value, dict) and set(value) == {"entity", "name"}:
        return key_of(value["entity"], value["name"])
    if isinstance(value, dict):
        return {key: with_keys(item) for key, item in value.items()}
    return [with_keys(item) for item in value] if isinstance(value, list) else value


def read_scene(tool, path, count):
    if not count:
        return {}
    _, text = inspect(tool, "scene", "-f", "json", path, "Scene/hall", *[f"#{i}" for i in range(count)])
    return {key_of(e["entity"], e["name"]): with_keys(e["components"]) for e in json.loads(text)["entities"]}


def renumber(scene, changes):
    """Moves all entities at once, and the references to them."""
    moved = {f"#{c['from'] + i}": f"#{c['to'] + i}" for c in changes if c["op"] == "renumber" for i in range(c["count"])}
    fixed = {moved.get(key, key): components for key, components in scene.items()}
    for components in fixed.values():
        for component in components.values():
            if "to" in component:
                component["to"] = moved.get(component["to"], component["to"])
    return fixed


def apply_scene(scene, changes):
    for change in changes:
        if change["op"] == "remove" and len(change["steps"]) == 1:
            assert plain(scene.pop(change["steps"][0])) == plain(change["old"]), change
    scene = renumber(scene, changes)
    for change in changes:
        assert change["asset"] == "Scene/hall" and change["op"] in ("set", "add", "remove", "renumber", "by position"), change
        if change["op"] in ("set", "add") or (change["op"] == "remove" and len(change["steps"]) > 1):
            apply_value(scene, change["steps"], change)
    return scene


def is_plan(change):
    """A cluster plan is present only if an asset has only one owner."""
    return change["asset"] == "kiln.Clusters/plan"


def check_pair(bake, tool, folder, seed):
    maker = Maker(seed)
    before = maker.scene()
    after = maker.changed(before)
    write(folder, "s.schema.yaml", SCHEMA)
    scenes = []
    for name, entities in (("a", before), ("b", after)):
        run("mkdir", "-p", name, cwd=folder)
        write(folder, f"{name}/hall.scene.yaml", json.dumps({"entities": entities}))
        run(bake, "--schema", "s.schema.yaml", "-C", name, "-o", f"{name}.kiln", "hall.scene.yaml", cwd=folder)
        scenes.append(read_scene(tool, f"{folder}/{name}.kiln", len(entities)))
    code, changes = find_changes(tool, folder)
    found = apply_scene(scenes[0], [change for change in changes if not is_plan(change)])
    assert plain(found) == plain(scenes[1]), (changes, found, scenes[1])
    return code


if __name__ == "__main__":
    sys.exit(test_pairs(check_pair, "scenes"))
