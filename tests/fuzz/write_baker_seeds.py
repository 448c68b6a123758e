#!/usr/bin/env python3
"""Writes seeds for the harnesses `state`, `kept` and `project`: write_baker_seeds.py KILN_BAKE FOLDER

FOLDER/state receives the files of small projects: records, memos, names of bundles, and the objects of a cache, each after a byte for its
kind. FOLDER/kept receives source maps, results of importers, files of budgets and notes of parts. FOLDER/project receives the examples of PROJECT.md and the mistakes that a test makes in project files.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

BAKE = str(pathlib.Path(sys.argv[1]).resolve())
FOLDER = pathlib.Path(sys.argv[2]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORD, SHAPE, MEMO, NAMES, RESULT, OBJECT = range(6)
SCHEMA = """kiln: 1
include: [more.yaml]
types:
  Item: {struct: {n: u8, text: {type: string, default: x}, other: ref<Item>?, old: {type: u8, default: 0, deprecated: true}}, asset: true, inherit: true}
  Place: {struct: {n: u8, in: entity}}
files:
  - {match: "*.scene.yaml", shape: scene}
  - {match: "*.prefabs.yaml", shape: prefabs}
"""
PROJECT = """kiln: 1
schemas: s.yaml
include: [inc1, inc2]
bundles:
  one: {sources: "data/*.yaml", output: p/out/a.kiln, source_map: b.json}
  two: {sources: "data/**/*.yaml", output: two.kiln}
  three: {sources: "scenes/*.yaml", output: three.kiln, source_map: c.json}
headers: {types.h: }
"""
FILES = {"s.yaml": SCHEMA, "kiln.yaml": PROJECT, "inc2/more.yaml": "kiln: 1\ntypes: {U: {struct: {n: u8}}}\n",
         "data/a.yaml": "Item: {a: {n: 1}, base: {n: 2, abstract: true, text: !file t.txt}}\n", "data/t.txt": "text", "data/deep/b.yaml": "Item: {b: {n: 2, parent: base, other: a}}\n",
         "scenes/x.prefabs.yaml": "lamp: {components: {Place: {n: 4}}}\n", "scenes/hut.scene.yaml": "entities: [{name: a, base: lamp}]\n",
         "scenes/hill.scene.yaml": "entities: [{base: lamp, components: {Place: {in: hut#a}}}]\nscenes: [{scene: hut, name: n}]\n"}


def write_projects():
    guide = (ROOT / "baker/PROJECT.md").read_text(encoding="utf-8")
    texts = [text if text.startswith("kiln:") else "kiln: 1\nschemas: s.yaml\n" + text
             for text in re.findall(r"```yaml (?:project|wrong)\n(.*?)```", guide, re.DOTALL)]
    cases = (ROOT / "tests/cli/project_mistakes.txt").read_text(encoding="utf-8")
    texts += [case.split("\n", 1)[1].split("~~~\n")[0] for case in cases.split("=== ")[1:]]
    (FOLDER / "project").mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(texts):
        (FOLDER / f"project/{number}").write_text(text, encoding="utf-8")


def write_states():
    folder_of_states = FOLDER / "state"
    folder_of_states.mkdir(parents=True, exist_ok=True)

    def add(kind, data):
        name = f"{kind}-{len(os.listdir(folder_of_states))}"
        (folder_of_states / name).write_bytes(bytes([kind]) + data)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for text in (1, 2):
            for name, data in FILES.items():
                pathlib.Path(name).parent.mkdir(parents=True, exist_ok=True)
                pathlib.Path(name).write_text(data if text == 1 else data.replace("{n: 1}", "{n: 1, old: 2}"), encoding="utf-8")
            subprocess.run([BAKE, "-q", "--cache", "cache"], check=True, stderr=subprocess.DEVNULL)
            for path in pathlib.Path(".kiln/steps").iterdir():
                add(RECORD, path.read_bytes())
            for path in pathlib.Path(".kiln/memos").iterdir():
                add(MEMO, path.read_bytes())
        subprocess.run([BAKE, "names", "-q", "-s", "s.yaml", "-I", "inc2", "-o", "names", "data"], check=True)
        add(NAMES, pathlib.Path("names").read_bytes())
        for path in pathlib.Path("cache/ac").rglob("*"):
            if path.is_file():
                add(OBJECT, path.read_bytes())
                for variant in range(3):
                    add(RESULT + 6 * variant, path.read_bytes()[56:])
        for path in pathlib.Path("cache/cas").rglob("*"):
            if path.is_file() and path.stat().st_size < 2000 and b"KILN" not in path.read_bytes()[:4]:
                add(SHAPE, path.read_bytes())


KEPT_SCHEMA = """kiln: 1
types:
  Item: {struct: {n: u8, text: {type: string, default: x}, other: ref<Item>?, data: {type: payload?, frames: 4096}, old: {type: u8, default: 0, deprecated: true}}, asset: true, inherit: true}
  Place: {struct: {x: f32}, component: true}
importers:
  head: {command: [head, -c, "9"], output: bytes}
  cat: {command: [cat], output: yaml}
files:
  - {match: "*.csv", import: cat, shape: kinds}
  - {match: "*.scene", shape: scene}
  - {match: "*.yaml", shape: kinds}
"""
KEPT_PROJECT = """kiln: 1
schemas: s.yaml
bundles:
  one:
    sources: ["data/*.yaml", "data/*.csv", "data/*.scene"]
    output: one.kiln
    source_map: one.map
    dangling: warn
    budgets: {warn: 80%, bundle: {disk: 1 MiB, resident: 200 MB}, types: {Item: {load: 100K}}, assets: {"Item/*": {disk: 500 kB}, "*": {resident: 9 MiB}}}
"""
KEPT_FILES = {"s.yaml": KEPT_SCHEMA, "kiln.yaml": KEPT_PROJECT, "data/t.bin": "abc" * 9000, "data/a.csv": "Item:\n  c: {n: 3}\n  d: {n: 4, other: c}\n",
              "data/a.yaml": "Item:\n  a: {n: 1, old: 2, other: gone}\n  base: {n: 2, abstract: true, other: gone, old: 1}\n  m: {n: 1, data: !file t.bin, text: !import:head t.bin}\n",
              "data/b.yaml": "Item: {b: {parent: base, other: a}, e: {parent: base, old: 7}}\n", "data/s.scene": "entities: [{components: {Place: {x: 1}}}, {components: {Place: {x: 2}}}]\n"}
MAP, KEPT_RESULT, BUDGETS, NOTES = range(4)


def write_kept():
    folder_of_kept = FOLDER / "kept"
    folder_of_kept.mkdir(parents=True, exist_ok=True)

    def add(kind, data):
        # Sizes and hashes are corrected.
        (folder_of_kept / f"{kind}-{len(os.listdir(folder_of_kept))}").write_bytes(bytes([kind + 4]) + data)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, data in KEPT_FILES.items():
            pathlib.Path(name).parent.mkdir(parents=True, exist_ok=True)
            pathlib.Path(name).write_text(data, encoding="utf-8")
        subprocess.run([BAKE, "-q"], check=True, stderr=subprocess.DEVNULL)
        add(MAP, pathlib.Path("one.map").read_bytes())
        for path in pathlib.Path(".kiln/imports").rglob("*"):
            if path.is_file():
                add(KEPT_RESULT, path.read_bytes())
        subprocess.run([BAKE, "plan", "-q", "--format", "make", "--parts", "3", "-o", "p.mk"], check=True, stderr=subprocess.DEVNULL)
        for path in pathlib.Path("p.mk.parts").glob("*.budgets"):
            add(BUDGETS, path.read_bytes())
        for path in pathlib.Path("p.mk.parts").glob("*.args"):
            if re.search(r"names\.args$|\.\d+\.args$", path.name):
                subprocess.run([BAKE, "-q", f"@{path}"], check=False, stderr=subprocess.DEVNULL)
        for path in pathlib.Path("p.mk.parts").glob("*.args"):
            if re.search(r"\.\d+\.args$", path.name):
                subprocess.run([BAKE, "-q", f"@{path}"], check=True, stderr=subprocess.DEVNULL)
        for path in pathlib.Path("p.mk.parts").glob("*.part"):
            data = path.read_bytes()
            assert data[-8:] == b"KILNNOTE", path
            add(NOTES, data[-24 - int.from_bytes(data[-24:-16], "little"):-24])


if __name__ == "__main__":
    write_projects()
    write_states()
    write_kept()
