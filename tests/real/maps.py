"""A game's maps: compares the entities in their YAML with those that a program and kiln-inspect
find in the baked scenes."""

import collections
import json
import subprocess

import yaml


class Plain(getattr(yaml, "CBaseLoader", yaml.BaseLoader)):
    """Reads scalars as strings and ignores tags."""


def untagged(loader, _, node):
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    return loader.construct_sequence(node, deep=True) if isinstance(node, yaml.SequenceNode) else node.value


Plain.add_multi_constructor("!", untagged)


def read(path):
    """The nonempty documents of a file."""
    return [one for one in yaml.load_all(path.read_text(encoding="utf-8-sig"), Plain) if one]


class Prototypes:
    """The components of each prototype, including those of its parents."""

    def __init__(self):
        self.entities, self.resolved = {}, {"": frozenset()}
        self.kinds, self.abstract = collections.Counter(), collections.Counter()

    def add(self, document):
        for one in document:
            self.kinds[one["type"]] += 1
            self.abstract[one["type"]] += one.get("abstract", "").lower() == "true"
            if one["type"] == "entity":
                self.entities[one["id"]] = one

    def components(self, name):
        if name not in self.resolved:
            one = self.entities.get(name, {})
            parents = one.get("parent") or []
            found = {component["type"] for component in one.get("components") or []}
            for parent in parents if isinstance(parents, list) else [parents]:
                found |= self.components(parent)
            self.resolved[name] = frozenset(found)
        return self.resolved[name]


def entities_of(document):
    """Yields each entity of a map with its prototype. A map has one list of entities, or groups by
    prototype."""
    for one in document["entities"]:
        for entity in one.get("entities", [one] if "uid" in one else []):
            yield one.get("proto", one.get("type", "")) if "uid" not in one else one.get("type", ""), entity


def said_by(document, name, prototypes):
    """The lines that the program should print for a map."""
    lines, archetypes, count = [], set(), 0
    for prototype, entity in entities_of(document):
        count += 1
        components = entity.get("components") or []
        archetypes.add(prototypes.components(prototype) | {component["type"] for component in components})
        for component in components:
            if component["type"] == "Transform" and component.get("parent", "null") not in ("null", "invalid"):
                lines.append(f"in {entity['uid']} {component['parent']}")
            if component["type"] == "ContainerContainer":
                lines += [f"held {key} {entity['uid']} {uid}" for key, uid in held(component.get("containers") or {})]
            lines += [f"linked {entity['uid']} {uid} {len(ports)}" for uid, ports in component.get("linkedPorts", {}).items()]
    return [f"scene Scene/{name} {count} {len(archetypes)}", *lines]


def held(containers):
    for key, container in containers.items():
        several = container.get("ents") or []
        yield from ((key, uid) for uid in several)
        if container.get("ent", "null") != "null":
            yield key, container["ent"]


def check(kiln_inspect, scene_places, path, maps, prototypes, expect):
    """Compares the scenes of a file with the YAML of the maps, by name. Returns the numbers of
    entities, of entities inside another one, of held entities, and of links."""
    shown = json.loads(subprocess.run([kiln_inspect, "scene", "-f", "json", path], check=True, capture_output=True).stdout)
    scenes = {scene["name"]: scene for scene in shown["scenes"]}
    expect("scenes", sorted(scenes), sorted("Scene/" + name for name in maps))
    totals = collections.Counter()
    for name, document in maps.items():
        done = subprocess.run([scene_places, path, "Scene/" + name], capture_output=True, text=True)
        expect(f"output of loading {name}", (done.returncode, done.stderr), (0, ""))
        printed, wanted = done.stdout.splitlines(), said_by(document, name, prototypes)
        expect(f"entities and archetypes of {name}", printed[:1], wanted[:1])
        expect(f"places of {name}", difference(printed[1:], wanted[1:]), ([], []))
        scene = scenes.get("Scene/" + name, {"entities": 0, "archetypes": []})
        expect(f"kiln-inspect on {name}", f"{scene['entities']} {len(scene['archetypes'])}", wanted[0].split(" ", 2)[2])
        totals["entities"] += scene["entities"]
        totals.update(line.split(" ")[0] for line in printed[1:])
    return totals["entities"], totals["in"], totals["held"], totals["linked"]


def check_dump(kiln_bake, kiln_inspect, schema, path, expect, *more):
    """The dump of a file bakes to the same bytes with the same extra inputs."""
    dumped, again = path.with_name("all.unbaked"), path.with_name("again.kiln")
    with open(dumped, "wb") as stream:
        done = subprocess.run([kiln_inspect, "dump", "--format", "yaml", path], stdout=stream, stderr=subprocess.PIPE, text=True)
    expect("dump", (done.returncode, done.stderr[:2000]), (0, ""))
    done = subprocess.run([kiln_bake, "--quiet", "-s", schema, "-o", again, dumped, *more], capture_output=True, text=True)
    expect("bake of the dump", (done.returncode, done.stderr[:2000]), (0, ""))
    expect("the bytes baked from the dump are the same", done.returncode == 0 and again.read_bytes() == path.read_bytes(), True)


def difference(found, wanted):
    """The first few unexpected lines, and the first few missing lines."""
    more, less = collections.Counter(found), collections.Counter(wanted)
    return sorted((more - less).elements())[:5], sorted((less - more).elements())[:5]
