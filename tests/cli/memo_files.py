#!/usr/bin/env python3
"""Changes sources that matter for more than the assets in them: the next bake of the project equals a complete one (TAP).

    memo_files.py KILN_BAKE

Each case is a project and edits (None: the file is removed). After each edit, exit code, output and messages equal those of a bake in a copy without records.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BAKE = str(pathlib.Path(sys.argv[1]).resolve())
PROJECT = "kiln: 1\nschemas: s.yaml\nbundles: {game: {sources: [\"data/**/*.yaml\"], output: out/game.kiln}}\n"
OUTPUT = "out/game.kiln"
MAP = "out/game.map"
SCHEMA = """kiln: 1
types:
  Item: {struct: {n: u32}, asset: true}
  Atlas: {wrap: string, path: data, states: {file: list.yaml, names: "Names.a.names[]"}}
  Names: {struct: {names: "string[]"}, asset: true}
  Picture: {struct: {of: Atlas, state: {type: string, state_of: of}}, asset: true}
  Page: {struct: {n: {type: u32, default: 0}, text: {type: string, default: DEFAULT}, old: {type: u8, default: 0, deprecated: true}}, asset: true, inherit: true}
  Large: {struct: {data: payload}, asset: true}
  Loud: {struct: {sound: {type: payload, frames: 4096}, wide: {type: "payload?", align: 4096, default: null}}, asset: true}
  Place: {wrap: string, path: data}
  Spot: {struct: {x: f32}, component: row}
  Shown: {struct: {at: Place, to: {type: "ref<Item>?", default: null}}, asset: true, inherit: true}
importers:
  first: {command: [cat, data/b.yaml], output: bytes}
  copy: {command: [cat], output: bytes}
"""
B = "Item:\n  x: {n: 1}\n  y: {n: 2}\n"
CHANGED_B = {"data/b.yaml": B.replace("1", "3")}
SAME_B = {"data/b.yaml": "# a comment\n" + B.replace("1", "3")}
EMPTY_X = {"data/x/a.yaml": "Page:\n  k: {n: 4}\n"}
MOVED = "Page:\n  a: {text: !file t.txt}\n"
MOVED_PARENT = "Page:\n  a: {abstract: true, text: !file t.txt}\n"
HEIR = "  b: {parent: a, n: 1}\n"

CASES = [
    ("a value contains a source", {"data/a.yaml": "Page: {a: {text: !file b.yaml}}\n", "data/b.yaml": B}, [CHANGED_B, SAME_B]),
    ("a default contains a source", {"data/a.yaml": "Page: {a: {n: 1}}\n", "data/b.yaml": B,
                                     "s.yaml": SCHEMA.replace("DEFAULT", "!file data/b.yaml")}, [CHANGED_B, SAME_B]),
    ("a value is made from a source", {"data/a.yaml": "Page: {a: {text: !import:copy b.yaml}}\n", "data/b.yaml": B}, [CHANGED_B, SAME_B]),
    ("a source is an argument of an importer", {"data/a.yaml": "Page: {a: {text: !import:first t.txt}}\n", "data/b.yaml": B,
                                                "data/t.txt": "text"}, [CHANGED_B, SAME_B]),
    ("a source is the data of a payload", {"data/a.yaml": "Large: {a: {data: !file b.yaml}}\n", "data/b.yaml": B}, [CHANGED_B, SAME_B]),
    ("a source lists states", {"data/a.yaml": "Picture: {a: {of: b, state: on}}\n", "data/b/list.yaml": "Names: {a: {names: [on, off]}}\n"},
     [{"data/b/list.yaml": "Names: {a: {names: [off, on]}}\n"}, {"data/b/list.yaml": "Names: {a: {names: [off]}}\n"}]),
    ("an asset with an embedded file moves", {"data/x/a.yaml": EMPTY_X["data/x/a.yaml"] + MOVED[6:], "data/y/b.yaml": B,
                                              "data/x/t.txt": "one", "data/y/t.txt": "two"},
     [EMPTY_X | {"data/y/b.yaml": B + MOVED}, {"data/y/b.yaml": B.replace("1", "5") + MOVED}]),
    ("an asset moves away from its embedded file", {"data/x/a.yaml": EMPTY_X["data/x/a.yaml"] + MOVED[6:], "data/y/b.yaml": B,
                                                    "data/x/t.txt": "one"}, [EMPTY_X | {"data/y/b.yaml": B + MOVED}]),
    ("a parent with an embedded file moves", {"data/x/a.yaml": EMPTY_X["data/x/a.yaml"] + MOVED_PARENT[6:], "data/y/b.yaml": "Page:\n" + HEIR,
                                              "data/x/t.txt": "one", "data/y/t.txt": "two"},
     [EMPTY_X | {"data/y/b.yaml": MOVED_PARENT + HEIR}, {"data/y/b.yaml": MOVED_PARENT + HEIR + "# a comment\n"}]),
]

def changed_schema(old="", new=""):
    schema = SCHEMA.replace("DEFAULT", "''")
    assert old in schema
    return schema.replace(old, new, 1)


OTHERS = PROJECT.replace("[\"data/**/*.yaml\"]", "[\"data/**/*.yaml\", \"!data/b.yaml\"]")
SHOWN = {"data/a.yaml": "Shown: {a: {at: b.yaml}}\n", "data/b.yaml": B}
WARN = PROJECT.replace("output:", "dangling: warn, resources: warn, output:")
BUDGETS = PROJECT.replace("output:", "budgets: {assets: {\"Page/*\": {disk: 100}}, warn: 50%}, output:")
OLD = "Page:\n  a: {old: 5}\n"
BASE = "Shown:\n  a: {abstract: true, to: x}\n"
CASES += [
    ("a source is a resource and disappears", SHOWN, [{"data/b.yaml": None}]),
    ("a source is a resource and is excluded", SHOWN, [{"kiln.yaml": OTHERS}, {"data/b.yaml": None}]),
    ("a value begins to contain a source", {"data/a.yaml": "Page: {a: {n: 1}}\n", "data/b.yaml": B},
     [{"data/a.yaml": "Page: {a: {text: !file b.yaml}}\n"}, CHANGED_B]),
    ("a value begins to contain a file", {"data/a.yaml": "Page: {a: {n: 1}}\n", "data/b.yaml": B, "data/t.txt": "one"},
     [{"data/a.yaml": "Page: {a: {text: !file t.txt}}\n"}, {"data/t.txt": "two"}, {"data/a.yaml": "Page: {a: {n: 2}}\n"}, {"data/t.txt": None}]),
    ("a contained file becomes a source", {"data/a.yaml": "Page: {a: {text: !file b.yaml}}\n", "data/b.yaml": B, "data/c.yaml": "Page: {c: {n: 1}}\n",
                                           "kiln.yaml": OTHERS}, [{"kiln.yaml": PROJECT}, CHANGED_B]),
    ("the last asset of a type disappears", {"data/a.yaml": "Page: {a: {n: 1}}\n", "data/b.yaml": B}, [{"data/a.yaml": None}]),
    ("an asset appears twice", {"data/a.yaml": "Page: {a: {n: 1}}\n", "data/b.yaml": B}, [{"data/c.yaml": "Item: {y: {n: 2}}\n"}, {"data/b.yaml": None}]),
    ("an asset appears that an empty file lacked", {"data/a.yaml": "Page: {a: {n: 1}}\n", "data/b.yaml": "# nothing\n"}, [{"data/b.yaml": B}]),
    ("an abstract asset refers to one that disappears", {"data/a.yaml": BASE, "data/b.yaml": B}, [{"data/b.yaml": B.replace("x", "z")}]),
    ("an abstract asset refers to one that comes back", {"data/a.yaml": BASE, "data/b.yaml": B},
     [{"data/b.yaml": None, "data/c.yaml": B}, {"data/c.yaml": B.replace("x", "z")}, {"data/c.yaml": B}]),
    ("a resource is missing", {"data/a.yaml": "Shown: {a: {at: none.png}, b: {at: none.png}}\n", "data/b.yaml": B, "kiln.yaml": WARN},
     [{"data/a.yaml": "# 1\nShown: {a: {at: none.png}, b: {at: none.png}}\n"}, CHANGED_B, {"data/a.yaml": "Shown: {b: {at: none.png}}\n"},
      {"data/a.yaml": "Shown: {b: {at: other.png}, c: {at: none.png}}\n"}, {"data/a.yaml": None}]),
    ("a reference dangles", {"data/a.yaml": BASE + "  c: {parent: a, at: b.yaml}\n  d: {parent: a, at: b.yaml}\n", "data/b.yaml": CHANGED_B["data/b.yaml"].replace("x", "z"),
                             "kiln.yaml": WARN}, [{"data/a.yaml": BASE + "  d: {parent: a, at: b.yaml}\n"}, {"data/b.yaml": B}, {"data/b.yaml": B.replace("x", "z")}]),
    ("a size is near its budget", {"data/a.yaml": "Page: {a: {text: abcdefgh}}\n", "data/b.yaml": B, "kiln.yaml": BUDGETS},
     [{"data/a.yaml": "Page: {a: {text: abcdefghi}}\n"}, {"data/a.yaml": "Page: {a: {text: a}}\n"}, CHANGED_B]),
    ("a budget matches nothing any more", {"data/a.yaml": "Page: {a: {text: a}}\n", "data/b.yaml": B, "kiln.yaml": BUDGETS.replace("100", "1M")},
     [{"data/a.yaml": "Item: {a: {n: 1}}\n"}, {"data/a.yaml": "Page: {a: {text: b}}\n"}, {"data/a.yaml": "Page: {a: {text: c}}\n"}]),
    ("a deprecated field moves", {"data/a.yaml": OLD, "data/b.yaml": B},
     [{"data/a.yaml": "\n\n" + OLD}, {"data/a.yaml": "Page: {a: {n: 1}}\n", "data/c.yaml": OLD.replace("a:", "c:")}, CHANGED_B, {"data/c.yaml": None}, SAME_B]),
    ("a value is outside of a new range", {"data/a.yaml": "Page: {a: {n: 1}}\n", "data/b.yaml": B},
     [{"s.yaml": changed_schema("{n: u32}", "{n: {type: u32, range: [2, 3]}}")}, {"data/b.yaml": B.replace("1", "3")}]),
    ("a value contains the schema", {"data/a.yaml": "Page: {a: {text: !file ../s.yaml}}\n", "data/b.yaml": B},
     [{"s.yaml": "# a comment\n" + changed_schema()}, CHANGED_B]),
    ("a type has no assets any more", {"data/a.yaml": "Page: {a: {n: 1}}\n", "data/b.yaml": B},
     [{"s.yaml": changed_schema("{n: u32}, asset: true", "{n: u32}")}]),
    ("a type has another name", {"data/a.yaml": "Page: {a: {n: 1}}\n", "data/b.yaml": B},
     [{"s.yaml": changed_schema("  Item:", "  Thing:").replace("ref<Item>", "ref<Thing>")},
      {"s.yaml": changed_schema("  Item: {", "  Thing: {kind: Item, ").replace("ref<Item>", "ref<Thing>")}]),
    ("a type gets another kind", SHOWN, [{"s.yaml": changed_schema("  Item: {", "  Item: {kind: Thing, ")}]),
    ("a type is inserted", SHOWN, [{"s.yaml": changed_schema("  Item:", "  First: {struct: {x: u8}, asset: true}\n  Item:")}, CHANGED_B]),
    ("a default of the schema contains a file", {"data/a.yaml": "Page: {a: {n: 1}}\n", "data/b.yaml": B, "data/t.txt": "one"},
     [{"s.yaml": changed_schema("default: ''", "default: !file data/t.txt")}, {"data/t.txt": "two"}]),
    ("fields change their order", SHOWN, [{"s.yaml": changed_schema("{at: Place, to: {type: \"ref<Item>?\", default: null}}",
                                                                    "{to: {type: \"ref<Item>?\", default: null}, at: Place}")}]),
    ("a scene appears", {"data/a.yaml": "Page: {a: {n: 1}}\n", "data/b.yaml": B}, [{"data/c.yaml": "Scene: {s: {entities: {}}}\n"}, {"data/c.yaml": None}]),
]

LARGE, LOUD = "Large: {l: {data: !file t.txt}}\n", "Loud: {m: {sound: !file t.txt}, n: {sound: !file u.txt}}\n"
WIDE = LOUD.replace("{sound: !file u.txt}", "{sound: !file u.txt, wide: !file t.txt}")
DATA = {"data/b.yaml": B, "data/t.txt": "one\n" * 5000, "data/u.txt": "two\n" * 5000}
COMPRESSED = PROJECT.replace("output:", "compress: 3, output:")
CASES += [(f"{name}{how}", DATA | {"data/a.yaml": LARGE, "kiln.yaml": project} | files, edits)
          for how, project in (("", PROJECT), (" in a compressed file", COMPRESSED)) for name, files, edits in [
    ("data are used in another form", {"data/c.yaml": LOUD},
     [{"data/a.yaml": None}, {"data/a.yaml": LARGE}, {"data/c.yaml": WIDE}, {"data/a.yaml": None}, {"data/c.yaml": LOUD}]),
    ("data are used no more", {"data/c.yaml": LOUD}, [{"data/c.yaml": None}, {"data/c.yaml": LOUD}, {"data/a.yaml": "Large: {l: {data: !file u.txt}}\n"}, CHANGED_B]),
    ("data have another name", {"data/v.txt": DATA["data/t.txt"]}, [{"data/a.yaml": LARGE.replace("t.txt", "v.txt")}, {"data/t.txt": "other"}, {"data/v.txt": "x"}]),
    ("data appear", {"data/a.yaml": "Page: {a: {n: 1}}\n"}, [{"data/a.yaml": LARGE}, {"data/a.yaml": "# a\n" + LARGE}, CHANGED_B, {"data/u.txt": "new"}]),
    ("the data of an importer change", {"data/a.yaml": LARGE.replace("!file", "!import:copy")}, [{"data/c.yaml": LOUD}, {"data/t.txt": "other\n"}, {"data/a.yaml": LARGE}]),
    ("data are missing", {"data/c.yaml": LOUD}, [{"data/c.yaml": LOUD.replace("u.txt", "x.txt")}, {"data/c.yaml": LOUD}]),
]]

MAPPED = PROJECT.replace("output:", "source_map: out/game.map, output:")
ALIASES = "Page:\n  a: &a {n: 1}\n  b: *a\n  c: {parent: b, text: x}\n"
PAIR = "Page: {a: {n: 1, text: y}, b: {n: 2, parent: a}}\n"
HEIRS = "Page:\n  c:\n    parent: a\n    n: 7\n"


def mapped_cases(*cases):
    return [(name, {"data/b.yaml": B, "kiln.yaml": MAPPED} | files, edits) for name, files, edits in cases]


CASES += mapped_cases(
    ("a source map is damaged", {"data/a.yaml": PAIR},
     [{MAP: "kiln-source-map\t3\n", "data/b.yaml": "#\n" + B}, {MAP: None, "data/b.yaml": B}, {MAP: "x", "data/b.yaml": CHANGED_B["data/b.yaml"]}, SAME_B]),
    ("a source map is new", {"data/a.yaml": PAIR, "kiln.yaml": PROJECT}, [{"kiln.yaml": MAPPED}, {"data/a.yaml": "#\n" + PAIR}, {"kiln.yaml": PROJECT}, CHANGED_B]),
    ("places of aliases move", {"data/a.yaml": ALIASES},
     [{"data/a.yaml": "#\n\n" + ALIASES}, {"data/a.yaml": ALIASES.replace("  b", "\n  b")}, {"data/a.yaml": ALIASES.replace("&a {", "&a  {")},
      {"data/a.yaml": ALIASES.replace("  c", "\n#\n  c")}, {"data/a.yaml": ALIASES.replace("&a", "&b").replace("*a", "*b")}]),
    ("assets share lines", {"data/a.yaml": PAIR},
     [{"data/a.yaml": "\n" + PAIR}, {"data/a.yaml": PAIR.replace(" b", "\n  b")}, {"data/a.yaml": PAIR.replace(" b", "\n\n  b")},
      {"data/a.yaml": PAIR.replace("text", "\n   text").replace(" b", "\n  b")}, {"data/a.yaml": PAIR.replace(", b", ",  b")}, {"data/a.yaml": PAIR.replace("n: 2", "n: 3")}]),
    ("places of ancestors move", {"data/a.yaml": PAIR, "data/c.yaml": HEIRS},
     [{"data/a.yaml": "#\n" + PAIR}, {"data/a.yaml": PAIR.replace("y}", "y }").replace("n: 1", "n:  1")}, {"data/a.yaml": None, "data/d.yaml": "# moved\n" + PAIR},
      {"data/c.yaml": "\n" + HEIRS}, {"data/c.yaml": None, "data/d.yaml": HEIRS[:-1] + "\n  a: {n: 1, text: y}\n  b: {n: 2, parent: a}\n"}]),
    ("places of defaults move", {"data/a.yaml": PAIR},
     [{"s.yaml": "# a comment\n" + changed_schema()}, {"data/a.yaml": "#\n" + PAIR}, {"s.yaml": changed_schema(" {n: u32}", "  {n: u32}")}, CHANGED_B]),
    ("names of files have quotes", {"data/\"a.yaml": PAIR, "data/c\td.yaml": HEIRS},
     [{"data/\"a.yaml": "#\n" + PAIR}, {"data/c\td.yaml": "\n" + HEIRS}, CHANGED_B, {"data/\"a.yaml": None, "data/a.yaml": PAIR}]),
    ("files of a source map appear in another order", {"data/a.yaml": "Page: {k: {n: 1}}\n", "data/c.yaml": "Page: {m: {n: 1}}\n"},
     [{"data/c.yaml": "Page: {j: {n: 1}, m: {n: 1}}\n"}, {"data/a.yaml": "Page: {k: {n: 1}, a: {n: 2}}\n"}, {"data/c.yaml": None}, {"data/c.yaml": "Item: {a: {n: 1}}\n"}]),
    ("a deprecated field moves in a source map", {"data/a.yaml": OLD}, [{"data/a.yaml": "\n\n" + OLD}, CHANGED_B, SAME_B]),
)

PATCH = PROJECT.replace("output:", "externs: library, patch: true, source_map: out/game.map, output:").replace("}}", "}, library: {sources: lib.yaml, output: out/library.kiln}}")
TO_GONE = {"data/a.yaml": "Shown: {a: {at: t.txt, to: gone}, b: {at: t.txt, to: older}}\n", "data/b.yaml": B, "data/r.yaml": "renames: {Item: {gone: ~, older: gone}}\n"}
CASES += [("a deleted id is no longer deleted", TO_GONE | {"data/t.txt": ""},
           [{"data/r.yaml": "renames: {Item: {gone: x, older: gone}}\n"}, {"data/r.yaml": TO_GONE["data/r.yaml"]}, {"data/r.yaml": "renames: {Item: {gone: ~, older: y}}\n"},
            {"data/r.yaml": "# nothing\n"}, {"data/r.yaml": TO_GONE["data/r.yaml"]}, {"data/b.yaml": B + "  gone: {n: 3}\n", "data/r.yaml": "renames: {Item: {older: x}}\n"}])]
TO_X = "Shown: {a: {at: b.yaml, to: x}}\n"
CASES += [(name, {"kiln.yaml": PATCH, "lib.yaml": B} | files, edits) for name, files, edits in [
    ("a patch replaces other values", {"data/b.yaml": "Item: {x: {n: 5}}\n", "data/p.yaml": "Page: {p: {n: 1}}\n"},
     [{"data/b.yaml": "Item: {x: {n: 6}}\n"}, {"data/b.yaml": "#\nItem: {x: {n: 6}, y: {n: 6}}\n"}, {"data/b.yaml": "Item: {y: {n: 6}}\n"}]),
    ("a patch begins and ends to replace the target of a reference", {"data/a.yaml": TO_X, "data/b.yaml": "Item: {y: {n: 5}}\n"},
     [{"data/b.yaml": "Item: {x: {n: 5}}\n"}, {"data/a.yaml": "#\n" + TO_X}, {"data/b.yaml": "Item: {y: {n: 5}}\n"}, {"lib.yaml": "Item: {y: {n: 1}}\n"}]),
    ("a patch changes a type", {"data/b.yaml": "Item: {x: {n: 5}}\n", "data/p.yaml": "Page: {p: {n: 1}}\n", "lib.yaml": B + "Page: {q: {n: 1}}\n"},
     [{"data/p.yaml": "Page: {p: {n: 1}, q: {n: 2}}\n"}, {"s.yaml": changed_schema("  Page: {", "  Other: {kind: Page, ")},
      {"data/p.yaml": "Page: {p: {n: 2}, q: {abstract: true}}\n"}, {"data/p.yaml": "Page: {p: {n: 2}}\n"}]),
]]

NEAR = {"data/a.yaml": "Page: {a: {text: abcdefgh}}\n", "data/b.yaml": B, "data/c.yaml": "Page:\n  c: {n: 1}\n  d: {text: abcdefgh}\n", "kiln.yaml": BUDGETS}
LINKED = {"data/a.yaml": "Shown: {a: {at: t.txt, to: x}, b: {at: t.txt, to: y}, c: {at: t.txt}}\n", "data/b.yaml": B, "data/t.txt": "", "kiln.yaml": WARN}
CASES += [
    ("only the edited asset is baked near a budget", NEAR,
     [({"data/b.yaml": B.replace("1", "3")}, 1), ({"data/c.yaml": "# moved\n" + NEAR["data/c.yaml"]}, 0), ({"data/c.yaml": NEAR["data/c.yaml"].replace("c:", "e:")}, 1),
      ({"data/a.yaml": "Page: {a: {text: abcdefg}}\n"}, 1), ({"data/c.yaml": NEAR["data/c.yaml"]}, 1)]),
    ("only the edited asset is baked near the budget of a scene",
     {"data/a.yaml": "Page: {a: {n: 1}, b: {n: 2}}\n", "data/b.yaml": B, "data/s.scene.yaml": "entities:\n  - {name: e, components: {Spot: {x: 1}}}\n",
      "s.yaml": SCHEMA.replace("DEFAULT", "''") + "files:\n  - {match: \"*.scene.yaml\", shape: scene}\n",
      "kiln.yaml": BUDGETS.replace("assets: {\"Page/*\": {disk: 100}}, warn: 50%", "scenes: {\"*\": {disk: 9999}}, warn: 1%")},
     [({"data/a.yaml": "Page: {a: {n: 3}, b: {n: 2}}\n"}, 1), ({"data/a.yaml": "Page: {a: {n: 3}, b: {n: 4}}\n"}, 1)]),
    ("only the assets whose references change are baked", LINKED,
     [({"data/b.yaml": B.replace("  x", "  z")}, 2), ({"data/b.yaml": B.replace("1", "4")}, 2), ({"data/b.yaml": "#\n" + B.replace("1", "4")}, 0),
      ({"data/b.yaml": B.replace("  x", "  z") + "renames: {Item: {x: z}}\n"}, 2), ({"data/b.yaml": B + "renames: {Item: {z: x}}\n"}, 2)]),
    ("only the asset with other data is baked", DATA | {"data/a.yaml": LARGE, "data/c.yaml": LOUD},
     [({"data/c.yaml": LOUD.replace("u.txt", "t.txt")}, 1), ({"data/a.yaml": LARGE.replace("!file", "!import:copy")}, 1), (CHANGED_B, 1)]),
]

TABLES = """  table: {command: [sh, -c, 'echo run >>log; grep -v none "$0"'], output: yaml}
files:
  - {match: "*.table.yaml", import: table, shape: kinds}
  - {match: "*.table", import: table, shape: kinds}
"""
CASES.append(("importers run only for changed files", {"data/a.table": "Page: {p: {n: 1}}\n", "data/b.table.yaml": "Page: {q: {n: 2}}\n",
                                                   "data/c.yaml": "Page: {r: {parent: p, text: x}}\n"},
              [{"data/c.yaml": "Page: {r: {parent: p, text: y}}\n"}, {"data/b.table.yaml": "Page: {q: {n: 3}}\n"},
               {"data/c.yaml": "Page: {r: {parent: q, text: y}}\n"}, {"data/b.table.yaml": "none\n"}, {"data/b.table.yaml": "Page: {q: {n: 4}}\n"}]))

# Files that are neither sources nor schemas.
SCRIPT = "#!/bin/sh\necho run >>log\ncat data/more.txt 2>/dev/null\ncat \"$1\"\n"
SCRIPTED = """  made: {command: [sh, tool.sh], output: bytes, inputs: [data/more.txt]}
  table: {command: [sh, table.sh], output: yaml}
files:
  - {match: "*.table.yaml", import: table, shape: kinds}
"""
MADE = {"s.yaml": SCHEMA.replace("DEFAULT", "''") + SCRIPTED, "tool.sh": SCRIPT, "table.sh": "cat \"$1\"\n", "data/t.txt": "one", "data/u.txt": "two", "data/b.yaml": B}
TEXTS = "Page:\n  a: {abstract: true, text: !file t.txt}\n  b: {parent: a, n: 1}\n  c: {parent: b, text: !file u.txt}\n  d: {n: 1}\n"
SHAPES = "Large: {l: {data: !file t.txt}, m: {data: !file t.txt}}\nLoud: {n: {sound: !file u.txt}}\n"
STATES = "Picture: {a: {of: p, state: on}, b: {of: p, state: off}, c: {of: q, state: on}}\n"
STATE_FILES = {f"data/{name}/list.yaml": "Names: {a: {names: [on, off]}}\n" for name in "pq"}
ONLY_YAML = PROJECT.replace("data/**/*.yaml", "data/*.yaml")
CASES += [
    ("only the assets that contain a changed file are baked", MADE | {"data/a.yaml": TEXTS},
     [({"data/t.txt": "other"}, 2), ({"data/u.txt": "three"}, 1), ({"data/t.txt": "one", "data/b.yaml": B.replace("1", "3")}, 3), ({"data/a.yaml": "#\n" + TEXTS}, 0),
      ({"data/t.txt": "four"}, 2), ({"data/a.yaml": TEXTS.replace("!file u.txt", "u")}, 1), ({"data/u.txt": "unused"}, 0), ({"data/u.txt": "still unused"}, None),
      ({"data/a.yaml": TEXTS}, 1), ({"data/u.txt": "used"}, 1)]),
    ("only the assets that contain a changed file are baked, with a source map", MADE | {"data/a.yaml": TEXTS, "kiln.yaml": MAPPED},
     [({"data/t.txt": "other"}, 2), ({"data/a.yaml": "#\n" + TEXTS}, 0), ({"data/u.txt": "three"}, 1), ({"data/a.yaml": TEXTS.replace("1}\n  c", "1 }\n  c")}, 0),
      ({"data/t.txt": "four"}, 2)]),
    ("only the assets with changed data are baked", DATA | {"data/a.yaml": SHAPES},
     [({"data/t.txt": "other"}, 2), ({"data/u.txt": "other"}, 1), ({"data/t.txt": "one", "data/u.txt": "one"}, 3), ({"data/a.yaml": "#\n" + SHAPES}, 0), ({"data/t.txt": "x"}, 2)]),
    ("only the assets with changed imports are baked", MADE | {"data/a.yaml": "Page: {a: {text: !import:made t.txt}, b: {text: !import:made t.txt}, c: {text: !import:copy u.txt}}\n"},
     [({"data/t.txt": "other"}, 2), ({"data/u.txt": "three"}, 1), ({"data/more.txt": "appears"}, 2), ({"data/more.txt": "changes"}, 2), ({"data/more.txt": None}, 2),
      ({"tool.sh": SCRIPT + "echo end\n"}, 2), ({"table.sh": "# unused\n"}, None)]),
    ("only the sources of a changed importer are parsed", MADE | {"data/a.yaml": "Page: {a: {n: 1}}\n", "data/c.table.yaml": "Page: {c: {n: 1}, d: {n: 2}}\n"},
     [({"table.sh": "# the same\ncat \"$1\"\n"}, 0), ({"table.sh": "sed 's/n: 2/n: 3/' \"$1\"\n"}, 1), ({"data/c.table.yaml": "Page: {c: {n: 4}, d: {n: 2}}\n"}, 1),
      ({"table.sh": "cat \"$1\"\n"}, 1)]),
    ("only the assets with changed states are baked", {"kiln.yaml": ONLY_YAML, "data/a.yaml": STATES} | STATE_FILES,
     [({"data/p/list.yaml": "Names: {a: {names: [off, on]}}\n"}, 2), ({"data/q/list.yaml": "Names: {a: {names: [on]}}\n"}, 1)]),
    ("only the assets with appearing resources are baked", {"kiln.yaml": WARN, "data/a.yaml": "Shown: {a: {at: t.txt}, b: {at: u.txt}, c: {at: t.txt}, d: {at: u.txt}}\n",
                                                        "data/b.yaml": B, "data/t.txt": "", "data/u.txt": ""},
     [({"data/t.txt": None}, 2), ({"data/b.yaml": B.replace("1", "3")}, 3), ({"data/t.txt": ""}, 2), ({"data/u.txt": "content"}, None)]),
]
CASES += [(name, MADE | files, edits) for name, files, edits in [
    ("a contained file disappears and comes back", {"data/a.yaml": TEXTS}, [{"data/t.txt": None}, {"data/t.txt": "back"}, {"data/u.txt": "x"}]),
    ("a contained file is used in other ways", {"data/a.yaml": TEXTS + "Shown: {s: {at: t.txt}}\nLarge: {l: {data: !file t.txt}}\n"},
     [{"data/t.txt": "1"}, {"data/a.yaml": TEXTS + "Shown: {s: {at: t.txt}}\n"}, {"data/t.txt": "2"}, {"data/a.yaml": "Shown: {s: {at: t.txt}}\n"}, {"data/t.txt": "3"},
      {"data/t.txt": "4", "data/b.yaml": B.replace("1", "4")}, {"data/a.yaml": TEXTS}, {"data/t.txt": "5"}]),
    ("a default and a value contain a file", {"data/a.yaml": TEXTS, "s.yaml": SCHEMA.replace("DEFAULT", "!file data/t.txt")}, [{"data/t.txt": "1"}, {"data/t.txt": "2"}]),
    ("an asset that contains a file moves and is removed", {"data/a.yaml": "Page: {a: {text: !file t.txt}}\n"},
     [{"data/a.yaml": "Item: {q: {n: 1}}\n", "data/c.yaml": "Page: {a: {text: !file t.txt}}\n"}, {"data/t.txt": "1"}, {"data/c.yaml": None}, {"data/t.txt": "2"}, {"data/t.txt": None}]),
    ("a program fails and works again", {"data/a.yaml": "Page: {a: {text: !import:made t.txt}}\n"},
     [{"tool.sh": "exit 1\n"}, {"tool.sh": SCRIPT + "#\n"}, {"tool.sh": None}, {"tool.sh": SCRIPT}]),
    ("a scene contains a file", {"s.yaml": SCHEMA.replace("DEFAULT", "''").replace("Spot: {struct: {x: f32}, component: row}", "Spot: {struct: {text: string}, component: true}") +
                                 "files:\n  - {match: \"*.scene.yaml\", shape: scene}\n",
                                 "data/a.yaml": "Page: {p: {text: !file t.txt}}\n", "data/s.scene.yaml": "entities:\n  - {name: e, components: {Spot: {text: !file t.txt}}}\n"},
     [{"data/t.txt": "1"}, {"data/t.txt": "2"}, {"data/s.scene.yaml": "entities: []\n"}, {"data/t.txt": "3"}]),
]]


def write(files):
    for name, text in files.items():
        path = pathlib.Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink()
        else:
            path.write_text(text, encoding="utf-8")


def bake(folder):
    done = subprocess.run([BAKE, "build"], cwd=folder, capture_output=True, text=True, check=False)
    outputs = [pathlib.Path(folder, name) for name in (OUTPUT, MAP)]
    has_map = "source_map" in pathlib.Path(folder, "kiln.yaml").read_text(encoding="utf-8")
    return done.returncode, done.stderr, [path.read_bytes() for path in outputs[:1 + has_map]] if done.returncode == 0 else None


def complete_bake():
    """In a copy without output and records."""
    shutil.rmtree("../copy", ignore_errors=True)
    shutil.copytree(".", "../copy", ignore=shutil.ignore_patterns("out", ".kiln"))
    return bake("../copy")


def check_bytes(files, edits):
    """What is wrong; None if nothing is."""
    write({"kiln.yaml": PROJECT, "s.yaml": SCHEMA.replace("DEFAULT", "''")} | files)
    code, messages, _ = bake(".")
    if code:
        return f"the first bake failed: {messages}"
    for number, edit in enumerate(edits):
        write(edit)
        code, messages, output = bake(".")
        expected = complete_bake()
        # A failed bake leaves output and record in place.
        if (code, messages) != expected[:2] and "up to date" not in messages:
            return f"edit {number}: {code} {messages} instead of {expected[0]} {expected[1]}"
        if output != expected[2]:
            return f"edit {number}: the output is stale"
    return None


def check_importers(files, edits):
    """The first bake runs the importer for two files, and later ones for those that have changed. It fails for a file without a table."""
    write({"kiln.yaml": PROJECT.replace("*.yaml", "*"), "s.yaml": SCHEMA.replace("DEFAULT", "''") + TABLES} | files)
    for edit in [{}] + edits:
        write(edit)
        needed = sum(".table" in name for name in edit or files)
        pathlib.Path("log").unlink(missing_ok=True)
        code, messages, _ = bake(".")
        log = pathlib.Path("log")
        runs = log.read_text(encoding="utf-8").count("run") if log.exists() else 0
        if (code != 0) != ("none\n" in edit.values()) or runs != needed:
            return f"{edit}: code {code}, {runs} runs: {messages}"
    return None


def check_work(files, edits):
    """Each edit has the number of assets that are baked; None: the output is up to date."""
    wrong = check_bytes(files, [])
    for number, (edit, expected) in enumerate(edits):
        write(edit)
        done = subprocess.run([BAKE, "build", "-v"], capture_output=True, text=True, check=False)
        work = re.search(r"out/game.kiln: baked (\d+) of", done.stderr)
        _, messages, outputs = complete_bake()
        wrong = wrong or (f"edit {number}: {done.returncode} {done.stderr}" if done.returncode or (int(work[1]) if work else None) != expected else None)
        said = "".join(line for line in done.stderr.splitlines(True) if "warning" in line or "hint" in line)
        wrong = wrong or (f"edit {number}: {said}" if said != "".join(line for line in messages.splitlines(True) if "warning" in line or "hint" in line)
                          else None)
        wrong = wrong or (f"edit {number}: the output is stale" if bake(".")[2] != outputs else None)
    return wrong


def main():
    failures = 0
    for number, (name, files, edits) in enumerate(CASES, 1):
        check = check_importers if name.startswith("importers run") else check_work if name.startswith("only ") else check_bytes
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "project"))
            os.chdir(os.path.join(folder, "project"))
            wrong = check(files, edits)
            os.chdir("/")
        failures += wrong is not None
        print(f"{'not ' if wrong else ''}ok {number} - {name}")
        if wrong:
            print(re.sub("^", "# ", wrong, flags=re.MULTILINE))
    print(f"1..{len(CASES)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
