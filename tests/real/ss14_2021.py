"""All prototypes and maps of a game bake, and each field of the prototypes has the type that its values require.

Usage: ss14_2021.py KILN_BAKE KILN_INSPECT SCENE_PLACES SOURCE_ROOT

../shared/data/ss14-2021-fields.tsv lists the fields of the prototypes, how often they occur, and how their values look.
Exit 0: success; 1: failure, see stderr; 77: the data is missing.
"""

import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import maps
    from types_of_file import Types
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)

# Fields whose values the table lists as ids of one kind, but which mean ids of another kind with the same names.
OTHER_KIND = {
    "C:Tool.useSoundCollection": "soundCollection",
    "C:Welder.weldSoundCollection": "soundCollection",
    "C:Reactive.reactions[]<AddToSolutionReaction>.reagents[]": "reagent",
    "C:Reactive.reactions[]<ExtinguishReaction>.reagents[]": "reagent",
    "C:Reactive.reactions[]<WashCreamPieReaction>.reagents[]": "reagent",
    "gasReaction.effects[]<WaterVaporReaction>.reagent": "reagent",
    "reaction.products": "reagent",
}

# A name that happens to be a number here.
STRINGS = {"constructionGraph.graph[].edges[].completed[]<SpriteStateChange>.state"}

# How many values of the prototypes are ids of existing and of missing assets.
RESOLVED = 6475
DANGLING = {
    "entity/BowlBigTrash": 2, "entity/DiamondOre1": 1, "entity/FlashLightLantern": 1, "entity/FloorTileItemAsteroid": 1,
    "entity/FloorTileItemRock": 1, "entity/FoodMeatPenguinCutletSlice": 1, "entity/FoodPizzaBox": 1,
    "entity/GlowStickRed": 1, "material/metal": 1,
}  # fmt: skip

# Values determined by several rules: an entity, the path of a value from its component on, the value.
SPOTS = [
    # Own values and values inherited over several levels, in components that several ancestors have.
    ("AirlockCommandGlassLocked", "AccessReader.access.0.0.name", "accessLevel/Command"),
    ("AirlockCommandGlassLocked", "Sprite.sprite.value", "Constructible/Structures/Doors/Glass/command.rsi"),
    ("AirlockCommandGlassLocked", "Sprite.layers.4.map.0.name", "WiresVisualLayers.MaintenancePanel"),
    ("AirlockCommandGlassLocked", "Occluder.enabled", False),
    ("AirlockCommandGlassLocked", "Door.occludes", False),
    ("AirlockCommandGlassLocked", "Wires.LayoutId", "Airlock"),
    ("AirlockCommandGlassLocked", "Destructible.thresholds.0.trigger.DamageTrigger.damage", 500),
    ("AirlockCommandGlassLocked", "Physics.fixtures.0.shape.PhysShapeAabb.bounds.left", -0.49),
    # Flags in one string, colours by name, enums in a different case, the empty set by its name.
    ("PowerCellSmallHigh", "SolutionContainer.caps.value", 12),
    ("CrayonOrange", "Crayon.color", {"r": 255, "g": 165, "b": 0, "a": 255}),
    ("CrayonOrange", "Crayon.capacity", 5),
    ("OxygenTankFilled", "GasTank.air.temperature", 293.15),
    ("Bucket", "Clothing.Slots.0.name", "Helmet"),
    ("OxygenTank", "Clothing.Slots.0.name", "back"),
    ("pill", "SolutionContainer.caps.value", 0),
]

wrong = []


def expect(what, found, wanted):
    if found != wanted:
        wrong.append(f"{what}: {found}, not {wanted}")


def bake(command, *rest, code=0):
    done = subprocess.run([command, "--quiet", *(str(word) for word in rest)], capture_output=True, text=True)
    if done.returncode != code:
        wrong.append(f"kiln-bake exits {done.returncode}, not {code}: {done.stderr[:2000]}")
    return done.stderr


class Row:
    """A row of the table: a path, how many scalars it has, and the kind of its values or keys."""

    def __init__(self, line):
        self.path, _, nodes, sort, keys = line.split("\t")[:5]
        self.scalars, self.lists = (int((re.search(word + r"(\d+)", nodes) or [0, 0])[1]) for word in ("scalar", "list"))
        self.sort, self.keys = re.sub(r"\d+$", "", sort), keys


class Fields:
    """The table of fields, and the types in a file at its paths."""

    def __init__(self, path):
        self.rows = {row.path: row for row in map(Row, path.read_text(encoding="utf-8").splitlines()[1:])}
        self.beginnings = {row[:at.start()] for row in self.rows for at in re.finditer(r"[.<\[]|$", row)}

    def types_at(self, types, kinds, path):
        root, rest = re.fullmatch(r"(C:\w+|\w+)(.*)", path).groups()
        component = types.parse("ss14.Component")[1]
        at = {component[root[2:]] if root.startswith("C:") else kinds[root]}
        for field, alternative, _ in re.findall(r"\.([^.<\[]+)|<(\w+)>|(\[\])", rest):
            at = {to for text in at for to in step(types, text, field, alternative)}
        return at


def step(types, text, field, alternative):
    read = types.bare(text)
    if read[0] == "union":
        inner = [to for name, to in read[1].items() if to and alternative in ("", name)]
        # If the alternative is selected by a key, paths do not contain it.
        return inner if alternative else [to for one in inner for to in step(types, one, field, "")]
    if field and read[0] == "struct":
        return [read[1][field]] if field in read[1] else []
    if field and read[0] == "map":
        return [read[2]]
    if not field and read[0] in ("list", "fixed"):
        return [read[1]]
    return [text] if not field and read[0] == "flags" else []


class Values:
    """Counts values by the paths of the table of fields."""

    def __init__(self, types, fields):
        self.types, self.fields = types, fields
        self.counts, self.references = collections.Counter(), collections.Counter()

    def walk(self, path, text, value):
        read = self.types.parse(text)
        if value is None:
            return
        if read[0] == "optional":
            self.walk(path, read[1], value)
        elif read[0] == "wrap":
            self.walk(path, read[1], value["value"])
        elif read[0] in ("list", "fixed"):
            for element in value:
                self.walk(path + "[]", read[1], element)
        elif read[0] == "map":
            self.walk_map(path, read, value)
        elif read[0] == "union":
            self.walk_union(path, read, *value.items())
        elif read[0] == "struct" and self.types.sort(text) == "struct":
            for field, inner in read[1].items():
                self.walk(f"{path}.{field}", inner, value[field])
        elif read[0] == "flags":
            self.counts[path] += 1
        else:
            self.counts[path] += 1
            if read[0] == "ref":
                # Ids that are missing from the baked files are followed by their number.
                self.references[value if isinstance(value, str) else value["name"]] += 1

    def walk_map(self, path, read, value):
        for key, inner in value.items():
            if self.types.bare(read[1])[0] == "ref":
                self.references[key] += 1
                key = key.split("/", 1)[1]
            one = f"{path}.{key}"
            self.walk(one if one in self.fields.beginnings else path + ".*", read[2], inner)

    def walk_union(self, path, read, chosen):
        name, inner = chosen
        if read[2].endswith(".Component"):
            path = "C:" + name
        elif f"{path}<{name}>" in self.fields.beginnings:
            path = f"{path}<{name}>"
        if read[1][name]:
            self.walk(path, read[1][name], inner)


SORTS = ("enum", "bool", "colour", "vec2", "vec4", "int", "float")


def checked_rows(fields):
    """The rows whose values are references, enum values, bools, colours, vectors or numbers, and their kind."""
    for row in fields.rows.values():
        reference = re.fullmatch(r"(?:ref<|dict<ref )(\w+)>", row.keys or row.sort)
        sort = f"ref {OTHER_KIND.get(row.path, reference[1])}" if reference else "enum" if row.sort == "enumref" else row.sort
        # Ids are not fields, and an alternative without fields has no values.
        if (reference or sort in SORTS or row.keys) and not re.search(r"^\w+\.id$|>$", row.path) and row.path not in STRINGS:
            yield row, sort


def check_types(fields, types, kinds):
    kind_of = {text: kind for kind, text in kinds.items()}
    checked = 0
    for row, wanted in checked_rows(fields):
        if row.path in ("entity.parent", "material.parent"):
            continue # they define inheritance, which is already resolved in the file
        checked += 1
        at = fields.types_at(types, kinds, row.path)
        if row.keys:
            at = {types.bare(text)[1] for text in at if types.bare(text)[0] == "map"}
        if not at:
            wrong.append(f"{row.path}: no type has this field")
        for text in at:
            read = types.bare(text)
            if read[0] == "list" and row.scalars and not row.keys:
                text = read[1]  # a single element may replace a list
            sort = types.sort(text)
            if sort == "ref":
                sort = f"ref {kind_of.get(types.bare(text)[1])}"
            # A number without a fraction may mean a length or a time, and a colour may be four numbers.
            also = {"int": ("float",), "enum": ("flags",), "vec4": ("colour",), "": ("int",)}.get(wanted, ())
            expect(f"type at {row.path}", wanted if sort in also else sort, wanted)
    return checked


def check_counts(fields, values):
    """For each path, the file has as many values as the YAML."""
    compared = 0
    for row, _ in checked_rows(fields):
        if row.keys:
            continue
        found, written = values.counts[row.path], row.scalars
        inner = fields.rows.get(row.path + "[]")
        outer = fields.rows.get(row.path.removesuffix("[]"))
        if inner:  # a list, or a single element
            found, written = values.counts[inner.path], row.scalars + inner.scalars
        elif outer is not row and not found:  # a flag set, which has no elements
            found, written = values.counts[outer.path], outer.lists
        expect(f"values at {row.path}", found, written)
        compared += written
    return compared


def main(kiln_bake, kiln_inspect, scene_places, root):
    root = pathlib.Path(root).resolve()
    here = root / "tests/real/ss14-2021"
    data = root.parent / "shared/data/ss14-2021"
    if not data.is_dir():
        print("skipped: no data at ../shared/data/ss14-2021", file=sys.stderr)
        return 77
    fields = Fields(data.parent / "ss14-2021-fields.tsv")
    with tempfile.TemporaryDirectory() as folder:
        check(kiln_bake, kiln_inspect, scene_places, here, data, fields, pathlib.Path(folder))
    for line in wrong[:60]:
        print("ss14-2021:", line, file=sys.stderr)
    return 1 if wrong else 0


def check(kiln_bake, kiln_inspect, scene_places, here, data, fields, folder):
    said = bake(kiln_bake, "-Werror", "-C", data, "-s", here / "game.schema.yaml", "-o", folder / "game.kiln", "Resources")
    expect("messages of kiln-bake", said, "")
    maps.check_dump(kiln_bake, kiln_inspect, here / "game.schema.yaml", folder / "game.kiln", expect)
    check_project(kiln_bake, here, data, folder)
    game = Types(kiln_inspect, folder / "game.kiln")
    subprocess.run([kiln_inspect, "verify", folder / "game.kiln"], check=True, capture_output=True)
    assets = game.assets()
    kinds = {name.split("/")[0]: text for name, (text, _) in assets.items()}
    prototypes, of_maps = check_amounts(data, assets)
    placed = maps.check(kiln_inspect, scene_places, folder / "game.kiln", of_maps, prototypes, expect)
    expect("entities, entities inside another, held entities, links", placed, (5146, 5142, 6, 0))
    check_spots(assets)
    checked = check_types(fields, game, kinds)

    shutil.copytree(here, folder / "strict")
    check_dangling(kiln_bake, data, folder / "strict", folder)

    # The values as written, without inheritance.
    as_written(here, folder / "schema")
    bake(kiln_bake, "-C", data, "-s", folder / "schema/game.schema.yaml", "-o", folder / "written.kiln", "Resources/Prototypes")
    written = Types(kiln_inspect, folder / "written.kiln")
    values = Values(written, fields)
    for name, (text, value) in written.assets().items():
        values.walk(name.split("/")[0], text, value)
    compared = check_counts(fields, values)
    check_references(values.references, assets)
    print(f"ss14-2021: {len(assets)} assets, types of {checked} paths, {compared} values counted")


def as_written(here, folder):
    """The schema without inheritance: `parent` and `abstract` are fields."""
    shutil.copytree(here, folder)
    prototypes = folder / "prototypes.schema.yaml"
    text = prototypes.read_text(encoding="utf-8")
    for before, after in (
        ("      abstract: {type: bool, default: false, inherit: never", '      parent: ref<Entity>?\n      abstract: {type: bool?'),
        ("    inherit: {parent: parent}\n", ""),
        ("    kind: material\n    inherit: true\n", "    kind: material\n"),
        ("  Material:\n    struct:\n", "  Material:\n    struct:\n      parent: ref<Material>?\n      abstract: bool?\n"),
        ('components: {type: "Component[]", inherit: merge}', "components: Component[]"),
    ):
        expect(f"occurrences of {before}", text.count(before), 1)
        text = text.replace(before, after)
    prototypes.write_text(text, encoding="utf-8")


def check_amounts(data, assets):
    """Every file is read, and every prototype in the files is an asset. Returns the prototypes, and the maps by name."""
    files = sorted(data.glob("Resources/**/*.yml"))
    prototypes, of_maps, documents, empty = maps.Prototypes(), {}, 0, 0
    for path in files:
        read = maps.read(path)
        documents += len(read)
        empty += not read
        if "Maps" in path.parts:
            (of_maps[path.stem],) = read
        else:
            for document in read:
                prototypes.add(document)
    expect("files, documents, files without one, maps", (len(files), documents, empty, len(of_maps)), (668, 660, 8, 4))
    # A map is a scene, which consists of three assets. The file has a plan of their clusters.
    kinds = prototypes.kinds | dict.fromkeys(("Scene", "SceneChunks", "SceneData", "MapMeta", "MapTiles", "MapGrids"), 4)
    kinds["kiln.Clusters"] = 1
    expect("assets by kind", collections.Counter(name.split("/")[0] for name in assets), collections.Counter(kinds))
    expect("assets, prototypes of entities", (len(assets), kinds["entity"]), (4060, 2783))
    return prototypes, of_maps


def check_references(written, assets):
    """All references of prototypes lead to an asset, except those to ids that are known to be missing."""
    found = {name: count for name, count in written.items() if name in assets}
    expect("references that lead to an asset", sum(found.values()), RESOLVED)
    expect("references without an asset", {name: n for name, n in written.items() if name not in found}, DANGLING)


def check_project(kiln_bake, here, data, folder):
    """The project gives the same bytes, once, and writes only its output. A copy is baked, next to a link to the data."""
    project = folder / "kiln" / "tests" / "real" / here.name
    shutil.copytree(here, project)
    (folder / "shared").symlink_to(data.parent.parent)
    said = []
    for _ in range(2):
        done = subprocess.run([pathlib.Path(kiln_bake).resolve()], cwd=project, capture_output=True, text=True)
        said += [(done.returncode, re.sub(r"\d[\d,]*", "N", done.stderr))]
    expect("bakes of the project", said, [(0, "out/game.kiln: N assets of N types, N scenes, N bytes\n"),
                                          (0, "out/game.kiln: up to date\n")])
    new = {path.relative_to(project).as_posix() for path in project.rglob("*") if path.is_file()} - {
        path.name for path in here.iterdir()}
    expect("new files", sorted(path for path in new if not path.startswith(".kiln/")), ["out/game.kiln"])
    expect("the project gives the same bytes",
           (project / "out/game.kiln").read_bytes() == (folder / "game.kiln").read_bytes(), True)


def check_dangling(kiln_bake, data, schema, folder):
    """Without the list of ids that may be missing, each missing id is reported once as an error, at its first use."""
    path = schema / "game.schema.yaml"
    path.write_text(path.read_text(encoding="utf-8").split("accepted:")[0], encoding="utf-8")
    said = bake(kiln_bake, "-C", data, "-s", path, "-o", folder / "broken.kiln", "Resources", code=1)
    told = collections.Counter(re.findall(r'yml:\d+:\d+: error: .*unknown (?:asset|prefab) "([\w/]+)"', said))
    expect("reported as missing", told, collections.Counter([*DANGLING, "SinguloGenerator"]))


def check_spots(assets):
    for entity, way, wanted in SPOTS:
        value = {}
        for component in assets["entity/" + entity][1]["components"]:
            value.update(component)
        try:
            for key in way.split("."):
                value = value[int(key) if isinstance(value, list) else key]
        except (KeyError, IndexError):
            value = f"nothing at {key}"
        expect(f"{entity}.{way}", value, wanted)
    expect("the name Null", {"value": "Null"} in assets["dataset/names_ninja"][1]["values"], True)
    icon = {"texture": {"value": "/Textures/Interface/Alerts/Fire/fire.png"}, "sprite": None, "state": None}
    expect("a string for a struct", assets["alert/Fire"][1]["icon"], icon)
    for hair, wanted in ("HumanFacialHairAbe", ["HumanFacialHair"]), ("HairBald", ["HumanHair", "VoxHair"]):
        expect(hair, [one["name"] for one in assets["spriteAccessory/" + hair][1]["categories"]], wanted)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
