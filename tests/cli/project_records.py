#!/usr/bin/env python3
"""Bakes projects again: what is repeated, what is not, and why (TAP).

    project_records.py KILN_BAKE
"""

import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile

BAKE = str(pathlib.Path(sys.argv[1]).resolve())
SCHEMA = "kiln: 1\ninclude: [enum.yaml]\ntypes: {T: {struct: {n: u8, kind: {type: Kind, default: a}, other: {type: ref<T>?}}, asset: true}}\n"
ENUM = "kiln: 1\ntypes:\n  Kind: {enum: [a, b]}\n"
PROJECT = """kiln: 1
schemas: s.yaml
include: [inc1, inc2]
bundles:
  two: {sources: data/two/*.yaml, output: out/two.kiln, externs: [one]}
  one: {sources: "data/one/*.yaml", output: out/one.kiln, source_map: out/one.json}
headers: {out/types.h: }
profiles: {small: {compress: 3}}
"""
OUTPUTS = ("out/one.kiln", "out/one.json", "out/two.kiln", "out/types.h")
ALL = ["out/one.kiln", "out/two.kiln", "out/types.h"]


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    pathlib.Path(path).write_text(text, encoding="utf-8")


def run(*words, code=0, env=None):
    done = subprocess.run([BAKE, *words], capture_output=True, text=True, check=False, env=dict(os.environ, **(env or {})))
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done.stderr


def project():
    write("s.yaml", SCHEMA)
    write("inc2/enum.yaml", ENUM)
    write("data/one/a.yaml", "T: {a: {n: 1}}\n")
    write("data/two/b.yaml", "T: {b: {n: 2, other: a}}\n")
    write("kiln.yaml", PROJECT)


def baked(*words, **more):
    """The outputs that a run bakes; all others are up to date."""
    lines = [line.rsplit(": ", 1) for line in run(*words, **more).splitlines()]
    assert sorted(path.split(": ")[0] for path, _ in lines) == ALL, lines
    return [path.split(": ")[0] for path, end in lines if end != "up to date"]


def identity():
    return {path: (os.stat(path).st_ino, os.stat(path).st_mtime_ns) for path in OUTPUTS}


def contents():
    return {path: pathlib.Path(path).read_bytes() for path in OUTPUTS}


def edit(path, old, new):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    assert old in text
    write(path, text.replace(old, new))


def an_unchanged_project_is_not_baked_again():
    project()
    assert baked() == ALL
    before = identity()
    for words in ([], ["--compare-contents"], ["build"], []):
        assert baked(*words) == [] and identity() == before
    assert run("-q") == "" and run("--diagnostics=json") == "" and identity() == before
    assert run("build", "one") == "out/one.kiln: up to date\n"
    assert baked("--force") == ALL and identity() != before


def each_change_bakes_exactly_what_depends_on_it():
    def touch():
        os.utime("data/one/a.yaml", (5, 5))

    def same_times():
        before = os.stat("s.yaml")
        edit("s.yaml", "default: a", "default: b")
        os.utime("s.yaml", ns=(before.st_atime_ns, before.st_mtime_ns))

    def damage():
        path = ".kiln/steps/two"
        with open(path, "r+b") as stream:
            stream.truncate(os.path.getsize(path) - 1)

    changes = [
        (lambda: None, []),
        (lambda: edit("data/one/a.yaml", "n: 1", "n: 3"), ["out/one.kiln", "out/two.kiln"]),
        (lambda: edit("data/one/a.yaml", "}\n", "} # comment\n"), ["out/one.kiln"]),
        (lambda: edit("data/two/b.yaml", "n: 2", "n: 4"), ["out/two.kiln"]),
        (touch, []),
        (same_times, ALL),
        (lambda: write("data/one/c.yaml", "T: {c: {n: 1}}\n"), ["out/one.kiln", "out/two.kiln"]),
        (lambda: os.rename("data/one/c.yaml", "data/two/c.yaml"), ["out/one.kiln", "out/two.kiln"]),
        (lambda: os.remove("data/two/c.yaml"), ["out/two.kiln"]),
        (lambda: write("inc1/enum.yaml", ENUM.replace("a, b", "a, b, c")), ALL),
        (lambda: os.remove("inc1/enum.yaml"), ALL),
        (lambda: write("inc1/unrelated.yaml", ENUM), []),
        (lambda: os.remove("out/one.json"), ["out/one.kiln"]),
        (lambda: write("out/two.kiln", "damaged"), ["out/two.kiln"]),
        (lambda: os.utime("out/two.kiln", (7, 7)), []),
        (lambda: edit("kiln.yaml", "headers", "# comment\nheaders"), []),
        (lambda: edit("kiln.yaml", "out/one.json", "out/other.json"), ["out/one.kiln"]),
        (lambda: edit("kiln.yaml", "out/other.json", "out/one.json"), ["out/one.kiln"]),
        (damage, ["out/two.kiln"]),
        (lambda: write(".kiln/steps/one", "KILNSTEP"), ["out/one.kiln"]),
        (lambda: shutil.rmtree(".kiln"), ALL),
    ]
    for words in ([], ["--compare-contents"]):
        project()
        run("-q")
        for number, (change, expected) in enumerate(changes):
            change()
            found = baked(*words)
            assert found == expected, (number, found)
            assert baked(*words) == [], number
    assert baked("--profile", "small") == ["out/one.kiln", "out/two.kiln"]
    assert baked("--profile", "small") == []
    assert baked("--max-errors", "5") == ALL


def the_reasons_are_printed():
    project()
    run("-q")
    edit("data/two/b.yaml", "n: 2", "n: 5")
    write("inc1/enum.yaml", ENUM)
    lines = [line for line in run("-v", "--profile", "small").splitlines() if "asset" not in line and "bytes" not in line]
    assert lines == [
        "out/one.kiln: option --compress: 3 added", "out/one.kiln: inc1/enum.yaml: appeared",
        "out/two.kiln: option --compress: 3 added", "out/two.kiln: inc1/enum.yaml: appeared",
        "out/two.kiln: data/two/b.yaml: content changed",
        "out/types.h: inc1/enum.yaml: appeared"], lines
    os.remove("out/types.h")
    assert "out/types.h: output out/types.h: missing\n" in run("-v")


def why(*words):
    done = subprocess.run([BAKE, "why", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, (words, done)
    return done.stdout.splitlines()


def why_prints_the_changes_without_baking():
    project()
    assert why() == ["out/one.kiln: no record of an earlier bake", "out/two.kiln: reads out/one.kiln, which is not up to date",
                     "out/two.kiln: no record of an earlier bake", "out/types.h: no record of an earlier bake"]
    assert not os.path.exists("out") and not os.path.exists(".kiln")
    run("-q")
    assert why() == [f"{path}: up to date" for path in ALL]
    before = contents(), identity()
    edit("data/one/a.yaml", "n: 1", "n: 5")
    one = "out/one.kiln: data/one/a.yaml: content changed"
    two = "out/two.kiln: reads out/one.kiln, which is not up to date"
    for words, expected in (([], [one, two, "out/types.h: up to date"]), (["out/one.kiln"], [one]), (["one"], [one]),
                            (["out/one.json"], [one]), (["./out/two.kiln"], [two]), (["two", "one"], [one, two])):
        assert why(*words) == expected, words
    edit("data/two/b.yaml", "n: 2", "n: 5")
    os.remove("out/types.h")
    assert why("two", "out/types.h") == [two, "out/two.kiln: data/two/b.yaml: content changed",
                                         "out/types.h: output out/types.h: missing"]
    assert why("--profile=small", "one") == ["out/one.kiln: option --compress: 3 added", one]
    write("out/types.h", "")
    assert (contents()["out/one.kiln"], identity()["out/one.kiln"]) == (before[0]["out/one.kiln"], before[1]["out/one.kiln"])


def why_names_what_a_scene_uses():
    write("s.yaml", "kiln: 1\ntypes:\n  Place: {struct: {x: u8}}\n  Lamp: {struct: {label: string}, component: true}\n"
          "files:\n  - {match: \"*.scene.yaml\", shape: scene}\n  - {match: \"*.prefabs.yaml\", shape: prefabs}\n"
          "  - {match: \"*.items.yaml\", shape: map, type: Item}\n")
    edit("s.yaml", "types:\n", "types:\n  Item: {struct: {n: u8}, asset: true}\n")
    write("kiln.yaml", "kiln: 1\nschemas: s.yaml\nbundles: {game: {sources: \"data/*.yaml\", output: out/game.kiln}}\n")
    write("data/x.items.yaml", "a: {n: 1}\n")
    write("data/all.prefabs.yaml", "wood: {components: {Place: {x: 1}}}\ngate: {base: wood, components: {Lamp: {label: x}}}\n")
    write("data/hall.scene.yaml", "entities: [{name: a, base: gate}]\n")
    write("data/town.scene.yaml", "entities: [{name: b, components: {Place: {x: 2}}}]\nscenes: [{scene: hall, name: hall}]\n")
    run("-q")
    edit("data/x.items.yaml", "n: 1", "n: 2")
    edit("data/all.prefabs.yaml", "x: 1", "x: 3")
    prefab = "data/all.prefabs.yaml: the prefab wood has changed, which Scene/{} uses"
    assert why("Scene/town", "Scene/hall") == [prefab.format("town"), prefab.format("hall")], why("Scene/town", "Scene/hall")
    edit("data/hall.scene.yaml", "name: a", "name: c")
    assert why("Scene/town") == ["data/hall.scene.yaml: Scene/hall has changed, which Scene/town uses", prefab.format("town")], why("Scene/town")
    assert why("Scene/hall") == ["data/hall.scene.yaml: Scene/hall has changed", prefab.format("hall")], why("Scene/hall")
    assert "out/game.kiln: baked 3 of 3 assets, parsed 4 of 4 files\n" in run("-v")
    edit("data/x.items.yaml", "n: 2", "n: 3")
    assert why("Scene/hall") == ["Scene/hall: unchanged in out/game.kiln"]
    assert "out/game.kiln: baked 1 of 3 assets, parsed 1 of 4 files\n" in run("-v")
    edit("s.yaml", "x: u8", "x: u16")
    assert why("Scene/hall") == ["Scene/hall: a type has changed in the schema"]
    assert "out/game.kiln: baked 2 of 3 assets, parsed 3 of 4 files\n" in run("-v")


def why_names_the_values_of_an_asset():
    write("s.yaml", "kiln: 1\ntypes:\n  Size: {struct: {x: u8, y: u8}}\n  Item: {struct: {damage: {type: u32, default: 1}, size: {type: Size, default: "
          "{x: 1, y: 2}}, tags: {type: \"string[]\", default: []}, prices: {type: \"map<string, u16>\", default: {}, inherit: merge}, "
          "other: \"ref<Item>?\"}, asset: true, inherit: true}\n")
    write("kiln.yaml", "kiln: 1\nschemas: s.yaml\nbundles: {game: {sources: \"data/*.yaml\", output: out/game.kiln}}\n")
    write("data/base.yaml", "Item:\n  weapon:\n    abstract: true\n    damage: 10\n    size: {x: 3, y: 4}\n  plain: {damage: 5}\n")
    write("data/items.yaml", "Item:\n  sword: {parent: weapon, tags: [b]}\n  axe: {parent: weapon, prices: {gold: 3}}\n"
          "  club:\n    parent: axe\n    damage: 7\n")
    run("-q")
    assert why("Item/sword", "Item/weapon") == ["Item/sword: unchanged in out/game.kiln", "Item/weapon: unchanged in out/game.kiln"]
    edit("data/base.yaml", "damage: 10", "damage: 12")
    edit("data/base.yaml", "y: 4", "y: 5")
    damage = "data/base.yaml:4: Item/weapon.damage: 10 -> 12, inherited by 2 assets"
    size = "data/base.yaml:5: Item/weapon.size.y: 4 -> 5, inherited by 3 assets"
    for name, expected in (("sword", [damage, size]), ("axe", [damage, size]), ("club", [size]), ("weapon", [damage, size]),
                           ("plain", ["Item/plain: unchanged in out/game.kiln"])):
        assert why(f"Item/{name}") == expected, (name, why(f"Item/{name}"))
    assert why() == ["out/game.kiln: data/base.yaml: content changed"]
    run("-q")
    edit("data/items.yaml", "gold: 3", "gold: 4")
    edit("data/items.yaml", "tags: [b]", "tags: [c], other: axe")
    edit("data/items.yaml", "    damage: 7\n", "")
    edit("data/base.yaml", "plain: {damage: 5}", "plain: {}")
    gold = "data/items.yaml:3: Item/axe.prices[\"gold\"]: 3 -> 4, inherited by 1 asset"
    assert why("Item/sword") == ["data/items.yaml:2: Item/sword.tags[0]: \"b\" -> \"c\"",
                                 "data/items.yaml:2: Item/sword.other: null -> Item/axe"], why("Item/sword")
    assert why("Item/axe") == [gold]
    assert why("Item/club") == ["data/base.yaml:4: Item/weapon.damage: 7 -> 12, inherited by 3 assets", gold], why("Item/club")
    assert why("Item/plain") == ["data/base.yaml:6: Item/plain.damage: 5 -> 1, no longer written"], why("Item/plain")
    write("data/x.yaml", "Item: {x: {damage: 3}}\n")
    assert why("Item/axe") == [gold]
    edit("data/base.yaml", "  plain: {}\n", "")
    assert why("Item/plain") == ["Item/plain: no longer in the sources of out/game.kiln"]
    edit("s.yaml", "damage: {type: u32,", "damage: {type: u64,")
    assert why("Item/axe") == ["Item/axe: its type has changed in the schema"]
    edit("kiln.yaml", "out/game.kiln", "out/game.kiln, no_types: true")
    assert why("Item/sword")[0] == "Item/sword: baked with all of out/game.kiln: option --no-types: added", why("Item/sword")
    for word, close in (("Item/swrod", "Item/sword"), ("sword", "Item/sword"), ("wepon", "Item/weapon"), ("item/Club", "Item/club"), ("/", None), ("qqqqqqqq", None)):
        done = subprocess.run([BAKE, "why", word], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and done.stderr.endswith(f"; did you mean {close}?\n" if close else "of kiln.yaml\n"), done
    done = subprocess.run([BAKE, "why", "Item/x"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "neither an output, a bundle nor a baked asset of kiln.yaml" in done.stderr, done
    run("-q")
    assert why("Item/x") == ["Item/x: unchanged in out/game.kiln"]
    edit("kiln.yaml", "no_types: true", "compress: 3")
    edit("data/x.yaml", "3}", f"3, tags: [{'y' * 900}]}}")
    run("-q")
    edit("data/x.yaml", "damage: 3", "damage: 4")
    assert why("Item/x") == ["data/x.yaml:1: Item/x.damage: 3 -> 4"], why("Item/x")
    run("-q")
    write("data/x.yaml", "# 1\nItem: {x: {damage: 4, abstract: true}}\n")
    run("-q")
    write("data/x.yaml", "# 1\nItem: {x: {damage: 4}}\n")
    assert why("Item/x") == ["Item/x: data/x.yaml has changed"], why("Item/x")


def why_names_the_files_that_an_asset_uses():
    write("s.yaml", "kiln: 1\ntypes:\n  Page: {struct: {n: {type: u32, default: 0}, text: {type: string, default: ''}}, asset: true, inherit: true}\n"
          "importers:\n  copy: {command: [cat], output: bytes}\n")
    write("kiln.yaml", "kiln: 1\nschemas: s.yaml\nbundles: {game: {sources: \"data/*.yaml\", output: out/game.kiln}}\n")
    write("data/a.yaml", "Page: {a: {text: !file t.txt}, b: {n: 1}, c: {text: !import:copy u.txt}, d: {parent: a, n: 2}}\n")
    write("data/t.txt", "one")
    write("data/u.txt", "two")
    run("-q")
    write("data/t.txt", "ten")
    changed = "data/a.yaml:1: Page/a.text: \"one\" -> \"ten\", inherited by 1 asset"
    for name, expected in (("a", ["data/t.txt: has changed, which Page/a uses", changed]), ("b", ["Page/b: unchanged in out/game.kiln"]),
                           ("d", ["data/t.txt: has changed, which Page/d uses", changed])):
        assert why(f"Page/{name}") == expected, why(f"Page/{name}")
    write("data/u.txt", "new")
    assert why("Page/c") == ["data/u.txt: has changed, which Page/c uses"], why("Page/c")
    assert why("Page/b") == ["Page/b: unchanged in out/game.kiln"]
    assert "out/game.kiln: baked 3 of 4 assets, parsed 1 of 1 files\n" in run("-v")


def warnings_are_repeated():
    project()
    edit("s.yaml", "{n: u8,", "{n: {type: u8, deprecated: true},")
    for words in ([], ["--color=always"], ["--diagnostics=json"], ["-q"]):
        shutil.rmtree(".kiln", ignore_errors=True)
        first = run(*words).splitlines()
        for _ in range(2):
            again = run(*words).splitlines()
            assert [line for line in first if ".kiln: " not in line and "types.h" not in line] == \
                [line for line in again if "up to date" not in line] and len(again) > 1, (first, again)
    # Messages do not depend on how the recorded run printed them.
    run("-q", "--force")
    lines = [json.loads(line) for line in run("--diagnostics=json").splitlines()]
    assert {line["rule"] for line in lines} == {"deprecated"}, lines
    assert "is not baked" in run("-Werror", code=1)
    assert "up to date" in run()


def failed_runs_are_repeated():
    project()
    run("-q")
    before = contents()
    edit("data/two/b.yaml", "n: 2", "n: 256")
    for _ in range(2):
        assert "256 exceeds 255" in run(code=1)
    assert contents() == before
    edit("data/two/b.yaml", "n: 256", "n: 2")
    assert baked() == []


def importers_are_inputs():
    project()
    write("import.sh", "cat \"$1\"\n")
    write("data/one/x.txt", "T: {x: {n: 1}}\n")
    write("s.yaml", SCHEMA + "importers: {text: {command: [sh, import.sh], output: yaml}}\n"
          "files: [{match: \"*.txt\", import: text, shape: kinds}]\n")
    edit("kiln.yaml", "data/one/*.yaml", "data/one/*")
    run("-q")
    assert baked() == []
    both = ["out/one.kiln", "out/two.kiln"]
    write("data/one/x.txt", "T: {x: {n: 2}}\n")
    assert baked() == both and baked() == []
    write("import.sh", "tr 2 3 <\"$1\"\n")
    assert baked() == both and baked() == []
    write("bin/sh", "#!/bin/sh\nexec /bin/sh \"$@\"\n")
    os.chmod("bin/sh", 0o755)
    # Another program with the same result.
    assert baked(env={"PATH": os.getcwd() + "/bin:" + os.environ["PATH"]}) == ["out/one.kiln"]
    assert "is not baked" in run("--no-importers", code=1)


def a_record_that_cannot_be_written_is_a_warning():
    project()
    write(".kiln/steps", "")
    err = run()
    assert err.count("kiln-bake: warning: cannot write .kiln/steps/one: ") == 1 and len(contents()) == 4, err
    assert "up to date" not in run() and run("-q") == ""


def records_have_the_usual_permissions():
    project()
    run("-q")
    mode = stat.S_IMODE(os.stat(".kiln/steps/one").st_mode)
    write("probe", "")
    assert mode == stat.S_IMODE(os.stat("probe").st_mode), oct(mode)
    assert sorted(os.listdir(".kiln/steps")) == ["header%20out%2ftypes%2eh", "one", "two"]


CASES = [
    an_unchanged_project_is_not_baked_again,
    each_change_bakes_exactly_what_depends_on_it,
    the_reasons_are_printed,
    why_prints_the_changes_without_baking,
    why_names_the_values_of_an_asset,
    why_names_the_files_that_an_asset_uses,
    why_names_what_a_scene_uses,
    warnings_are_repeated,
    failed_runs_are_repeated,
    importers_are_inputs,
    a_record_that_cannot_be_written_is_a_warning,
    records_have_the_usual_permissions,
]


def main():
    failed = 0
    os.environ.pop("NO_COLOR", None)
    for number, case in enumerate(CASES, 1):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                case()
                print(f"ok {number} - {case.__name__}")
            except (AssertionError, OSError) as error:
                failed += 1
                print(f"not ok {number} - {case.__name__}")
                print("# " + f"{type(error).__name__}: {error}".replace("\n", "\n# "))
            os.chdir("/")
    print(f"1..{len(CASES)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
