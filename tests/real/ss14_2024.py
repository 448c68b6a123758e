"""Part of a version of the game that is three years newer bakes: its prototypes, and its maps with grouped entities.

Usage: ss14_2024.py KILN_BAKE KILN_INSPECT SCENE_PLACES SOURCE_ROOT

../shared/data/ss14-2024-slice/extern-ids.tsv lists ids that this part refers to but does not define. Most prototypes of the
maps are missing, too. kiln-bake gets both as a list of ids that may be missing. Exit 0: success; 1: failure, see stderr; 77:
the data is missing.
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import maps
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)

wrong = []


def expect(what, found, wanted):
    if found != wanted:
        wrong.append(f"{what}: {found}, not {wanted}")


def read_all(data):
    prototypes, of_maps, files = maps.Prototypes(), {}, 0
    for path in sorted(data.glob("Resources/**/*.yml")):
        files += 1
        if "Maps" in path.parts:
            (of_maps[path.stem],) = maps.read(path)
        else:
            for document in maps.read(path):
                prototypes.add(document)
    expect("files, prototypes, maps", (files, prototypes.kinds.total(), len(of_maps)), (261, 4140, 8))
    return prototypes, of_maps


def missing_ids(data, schema, prototypes, of_maps):
    """A document with the ids that may be missing. It only lists kinds of the schema, because nothing refers to others."""
    text = "".join(path.read_text(encoding="utf-8") for path in schema.glob("*.yaml"))
    kinds = set(re.findall(r"\bkind: (\w+)", text)) | {"Tag", "AirlockGroup"}
    ids = {}
    for line in (data / "extern-ids.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            of, name, _ = line.split("\t")
            for kind in kinds.intersection(of.split(",")):
                ids.setdefault(kind, set()).add(name)
    placed = {prototype for document in of_maps.values() for prototype, _ in maps.entities_of(document)}
    ids["entity"] |= placed - set(prototypes.entities) - {""}
    return "".join(f"{kind}:\n" + "".join(f'  - "{name}"\n' for name in sorted(ids[kind])) for kind in sorted(ids))


def main(kiln_bake, kiln_inspect, scene_places, root):
    root, kiln_bake = pathlib.Path(root).resolve(), pathlib.Path(kiln_bake).resolve()
    schema, data = root / "tests/real/ss14-2024", root.parent / "shared/data/ss14-2024-slice"
    if not data.is_dir():
        print("skipped: no data at ../shared/data/ss14-2024-slice", file=sys.stderr)
        return 77
    prototypes, of_maps = read_all(data)
    with tempfile.TemporaryDirectory() as folder:
        path, accepted = pathlib.Path(folder) / "game.kiln", pathlib.Path(folder) / "accepted.yaml"
        accepted.write_text(missing_ids(data, schema, prototypes, of_maps), encoding="utf-8")
        command = [kiln_bake, "--quiet", "-Werror", "-s", schema / "game.schema.yaml", "-o", path, "Resources", accepted]
        done = subprocess.run(command, capture_output=True, text=True, cwd=data)
        expect("kiln-bake", (done.returncode, done.stderr[:2000]), (0, ""))
        if done.returncode == 0:
            maps.check_dump(kiln_bake, kiln_inspect, schema / "game.schema.yaml", path, expect, accepted)
            check(kiln_inspect, scene_places, path, prototypes, of_maps)
    for line in wrong[:60]:
        print("ss14-2024:", line, file=sys.stderr)
    return 1 if wrong else 0


def check(kiln_inspect, scene_places, path, prototypes, of_maps):
    subprocess.run([kiln_inspect, "verify", path], check=True, capture_output=True)
    listed = subprocess.run([kiln_inspect, "ls", path], check=True, capture_output=True, text=True).stdout
    found = collections.Counter(line.split("/")[0] for line in listed.splitlines())
    scenes = dict.fromkeys(("Scene", "SceneChunks", "SceneData", "MapMeta", "MapTiles"), len(of_maps)) | {"kiln.Clusters": 1}
    expect("assets by kind", found, prototypes.kinds + collections.Counter(scenes) - prototypes.abstract)
    expect("assets", found.total(), 4077)
    placed = maps.check(kiln_inspect, scene_places, path, of_maps, prototypes, expect)
    expect("entities, entities inside another, held entities, links", placed, (15655, 15647, 38, 98))
    print(f"ss14-2024: {found.total()} assets; entities, entities inside another, held entities and links of maps: {placed}")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
