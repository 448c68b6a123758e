"""What json_schema.py holds against kiln-bake: schemas, each with documents that are accepted and refused.

`schema` is what follows the namespace, a file rule for a.yaml among it unless `root` says what the JSON Schema is of;
`beyond` names further rules of kiln-bake that documents changed at random may break unseen.
"""


def fields(name, types, accepted, refused, more="", **others):
    """A case of one asset type Item with these fields; documents are its value."""
    schema = "types:\n  Item: {struct: {" + types + "}, asset: true}\n" + more
    schema += "files:\n  - {match: a.yaml, shape: map, type: Item}\n"
    return dict(name=name, schema=schema, accepted=["a: " + text for text in accepted],
                refused=["a: " + text for text in refused], **others)


CASES = [
    fields("bool", "b: bool", ["{b: true}", "{b: FALSE}", '{b: "true"}', "{b: 1}", '{b: "0"}'], ["{b: yes}", "{b: null}", "{b: 2}", '{b: "on"}', "{b: [true]}"]),
    fields("u8", "n: u8", ["{n: 0}", "{n: 255}", "{n: 0xFF}", '{n: "12"}', "{n: 1_0}", "{n: +5}", "{n: 0b101}", "{n: 0o17}", "{n: 010}", "{n: -0}"],
           ["{n: 256}", "{n: -1}", "{n: 1.5}", "{n: abc}", "{n: 1__0}", "{n: 0x}", "{n: null}", "{n: true}", "{n: []}", "{}", "{n: 1, m: 2}"]),
    fields("i8", "n: i8", ["{n: -128}", "{n: 127}", "{n: -0x10}"], ["{n: -129}", "{n: 128}"]),
    fields("u64", "n: u64", ["{n: 18446744073709551615}", "{n: 0xFFFFFFFFFFFFFFFF}"], ["{n: 18446744073709551616}", "{n: -1}"]),
    fields("i64", "n: i64", ["{n: -9223372036854775808}", "{n: 9223372036854775807}"], ["{n: -9223372036854775809}", "{n: 9223372036854775808}"]),
    fields("range of integers", "n: {type: i16, range: [-5, 300]}", ["{n: -5}", "{n: 300}", "{n: 0x10}"], ["{n: -6}", "{n: 301}"]),
    fields("open range", "n: {type: u64, range: [10, null]}", ["{n: 10}", "{n: 18446744073709551615}"], ["{n: 9}"]),
    fields("f32", "n: f32", ["{n: 1}", "{n: -1.5}", "{n: .5}", "{n: 1e3}", "{n: .inf}", "{n: -.INF}", "{n: .nan}", "{n: inf}", '{n: "nan"}', "{n: 1_000.5}", "{n: 0x10}", "{n: 5.}"],
           ["{n: 1x}", "{n: null}", "{n: true}", "{n: 0x1.8p3}", "{n: {}}", "{n: 1e}"]),
    fields("range of floats", "n: {type: f64, range: [-0.5, 1.5]}", ["{n: -0.5}", "{n: 1.5}", "{n: 1}"], ["{n: -0.6}", "{n: 2}", "{n: .inf}"]),
    fields("string", "s: string", ["{s: abc}", "{s: 12}", "{s: true}", '{s: "null"}', '{s: ""}', "{s: 1.50}", "{s: ~x}", "{s: !file f.bin}"], ["{s: null}", "{s: ~}", "{s: }", "{s: []}", "{s: {}}"]),
    fields("length of a string", "s: {type: string, range: [2, 4]}", ["{s: ab}", "{s: abcd}", "{s: éé}"], ["{s: abcde}", '{s: ""}']),
    fields("bytes", "b: bytes", ['{b: "AAEC"}', "{b: AAE=}", '{b: "A A E C"}', '{b: ""}', "{b: [0, 255, 0x10]}", "{b: []}", "{b: AA==}", "{b: !file f.bin}"],
           ["{b: AAE}", "{b: AB==}", "{b: AAF=}", "{b: [256]}", "{b: null}", "{b: {}}", "{b: 'A==='}", "{b: [a]}"], beyond=["base64"]),
    fields("length of bytes", "b: {type: bytes, range: [1, 2]}", ["{b: [1]}", "{b: [1, 2]}"], ["{b: []}", "{b: [1, 2, 3]}"], beyond=["base64"]),
    fields("enum", "e: E", ["{e: common}", "{e: SF64:X}", "{e: 12}", '{e: "12"}', "{e: older}", "{e: true}"],
           ["{e: rar}", "{e: Common}", "{e: null}", "{e: 13}", "{e: [common]}", '{e: ""}'],
           '  E: {enum: {common: 0, "SF64:X": 1, "12": {value: 2, doc: A number.}, rare: {value: 3, was: older}, "true": 4}}\n'),
    fields("flags", "f: F", ["{f: []}", "{f: [fire, ice]}", "{f: fire}", '{f: "fire, ice"}', '{f: "fire|ice |air"}', '{f: "a,b"}', "{f: [\"a,b\", fire]}"],
           ["{f: null}", "{f: stone}", '{f: "fire,"}', '{f: ""}', "{f: [stone]}", "{f: [null]}", "{f: {fire: true, stone: true}}", '{f: "fire ice"}'],
           '  F: {flags: [fire, ice, air, "a,b"]}\n'),
    fields("flags as a mapping", "f: F", ["{f: {fire: true, ice: 0}}", "{f: {}}"], ["{f: {fire: yes}}", "{f: {stone: true}}", "{f: {fire: null}}"], "  F: {flags: [fire, ice]}\n"),
    fields("names in any case and with a prefix", "l: L, m: \"map<L, u8>\", f: F, p: P", ["{l: Top, f: [], p: a}", "{l: enum.layer.TOP, m: {Layer.base: 1}, f: \"FIRE|ice\", p: P.a}", "{l: layer.base, f: {ICE: true}, p: b}"],
           ["{l: Layer.Layer.Top, f: [], p: a}", "{l: x, f: [], p: a}", "{l: Top, f: [stone], p: a}", "{l: Top, f: [], p: A}", "{l: Top, f: [], p: p.a}", "{l: Layer., f: [], p: a}"],
           "  L: {enum: [Base, Top], case: any, prefix: [enum.Layer., Layer.]}\n  F: {flags: [Fire, Ice], case: any}\n  P: {enum: [a, b], prefix: P.}\n", beyond=["enum"]),
    fields("a word for no flags", "f: F", ["{f: Nothing}", "{f: [a, NOTHING]}", "{f: {nothing: true}}"], ["{f: None}", "{f: {Nothing: []}}"], "  F: {flags: [a, b], case: any, none: Nothing}\n"),
    fields("texts that look like null", "n: N, o: N?, l: \"N[]\"", ["{n: null}", "{n: , l: [~, Null]}", "{n: a, o: null}"], ["{}", "{n: []}"], "  N: {wrap: string, literal: true}\n"),
    fields("null for the default", "n: {type: u8, default: 3}, s: {type: string, default: x}, e: {type: E, default: a}, f: {type: \"u8[2]\", default: [1, 2]}, v: V, b: {type: bytes, default: ''}",
           ["{v: {}}", "{n: null, s: ~, e: , f: null, v: {x: null}, b: null}"], ["{v: null}", "{n: x, v: {}}"], "  E: {enum: [a, b]}\n  V: {struct: {x: {type: u8, default: 1}}}\n"),
    fields("hex digits", "g: {type: \"u8[4]\", hex: true}, o: {type: \"u8[2]?\", hex: true}", ["{g: 0123abCD}", "{g: [1, 2, 3, 4]}", '{g: "00000000", o: "ffff"}', "{g: 12345678}"],
           ["{g: 0123abC}", "{g: x123abCD}", '{g: "1,2,3,4"}', "{g: null}"], beyond=["hex"]),
    fields("units", "a: {type: f32, unit: rad}, t: {type: u32, unit: ms, default: 1}, w: {type: W, default: 1}, p: {type: P, default: [1, 2]}, s: {type: f64, unit: 1, default: 1}",
           ["{a: 1.5}", "{a: 90deg, t: 1.5s}", '{a: "3.14 rad", t: 250ms, w: 2 min, p: "90deg, 1 turn", s: 50%}', "{a: -.5turn, p: [1deg, 2], s: 50 %}"],
           ["{a: 3ms}", "{a: deg}", "{a: 3 degrees}", "{a: null}", '{a: 1, p: "3s, 1"}', "{a: 1, t: 0x3s}"],
           "  W: {wrap: {type: f64, unit: s}}\n  P: {struct: {x: {type: f32, unit: rad}, y: {type: f32, unit: rad}}, tuple: true}\n", beyond=["unit"]),
    fields("reference", "r: ref<Item>?, any: ref?", ["{}", "{r: a}", "{r: Item/a, any: Item/a}", "{r: null}", '{r: ""}'],
           ["{any: a}", "{r: []}", '{any: "Item/"}', '{r: "a\\tb"}', "{any: 3}"]),
    fields("optional", "n: u8?", ["{}", "{n: null}", "{n: 3}"], ["{n: 256}", "{n: x}"]),
    fields("required optional", "n: {type: u8?, required: true, range: [2, 5]}", ["{n: null}", "{n: 3}"], ["{}", "{n: 1}", "{n: 6}"]),
    fields("list", "n: \"u8[]\"", ["{}", "{n: null}", "{n: []}", "{n: [1, 2]}"], ["{n: 1}", "{n: [256]}", "{n: [null]}", "{n: {}}", "{n: [[1]]}"]),
    fields("length of a list", "n: {type: \"u8[]\", range: [1, 2]}", ["{n: [1]}", "{n: [1, 2]}"], ["{n: []}", "{n: null}", "{n: [1, 2, 3]}"]),
    fields("single", "n: {type: \"u8[]\", single: true}, v: {type: \"V[]\", single: true, range: [0, 1]}", ["{n: 1}", "{n: [1, 2]}", "{n: null}", "{v: {x: 1}}", "{v: [{x: 1}]}"],
           ["{n: 256}", "{n: [[1]]}", "{v: {y: 1}}", "{v: [{x: 1}, {x: 1}]}"], "  V: {struct: {x: u8}}\n"),
    fields("fixed array", "n: \"u8[3]\"", ["{n: [1, 2, 3]}", '{n: "1, 2 ,3"}', '{n: "0x1,2,3"}'], ["{n: [1, 2]}", "{n: [1, 2, 3, 4]}", '{n: "1,2"}', '{n: "1,2,x"}', "{n: null}", "{n: 1}"]),
    fields("fixed array of structs", "n: \"V[2]\"", ["{n: [{x: 1}, {x: 2}]}"], ["{n: [{x: 1}]}", '{n: "1,2"}'], "  V: {struct: {x: u8}}\n"),
    fields("map with texts as keys", "m: \"map<string, u8>\"", ["{}", "{m: null}", "{m: {}}", "{m: {a: 1, 2: 3}}"], ["{m: {a: 256}}", "{m: []}", "{m: 1}", "{m: {a: null}}"]),
    fields("length of a map", "m: {type: \"map<string, u8>\", range: [1, 2]}", ["{m: {a: 1}}"], ["{m: {}}", "{m: null}", "{m: {a: 1, b: 2, c: 3}}"]),
    fields("map with integers as keys", "m: \"map<i16, u8>\"", ["{m: {1: 1, -2: 2, 0x10: 3}}"], ["{m: {a: 1}}", "{m: {1.5: 1}}"], beyond=["range"]),
    fields("map with enums as keys", "m: \"map<E, u8>\"", ["{m: {a: 1, b: 2}}"], ["{m: {c: 1}}"], "  E: {enum: [a, b]}\n"),
    fields("map with fixed arrays as keys", "m: \"map<i8[2], u8>\"", ['{m: {"1,2": 1, "3, -4": 2}}'], ['{m: {"1": 1}}', '{m: {"1,2,3": 1}}'], beyond=["range"]),
    fields("map with references as keys", "m: \"map<ref<Item>, u8>\"", ["{m: {a: 1}}"], ['{m: {"": 1}}']),
    fields("struct", "v: V, w: {type: V, default: {x: 1}}", ["{v: {x: 1}}", "{v: {x: 1, y: 2}}", "{v: {x: 1}, w: {x: 2}}"], ["{}", "{v: {}}", "{v: {x: 1, z: 2}}", "{v: null}", "{v: []}", "{v: {y: 1}}"],
           "  V: {struct: {x: u8, y: {type: u8, default: 3}}}\n"),
    fields("earlier names", "n: {type: u8, was: [m, k]}, o: {type: u8, default: 1, was: p}", ["{n: 1}", "{m: 1}", "{k: 1, p: 2}", "{n: 1, o: 2}"], ["{}", "{n: 1, m: 1}", "{m: 1, k: 1}", "{n: 1, o: 1, p: 1}", "{m: 256}"]),
    fields("deprecated", "n: {type: u8, default: 1, deprecated: true}", ["{}", "{n: 2}"], ["{n: x}"]),
    fields("rest", "n: u8, others: {type: \"map<string, bool>\", rest: true}", ["{n: 1}", "{n: 1, a: true, others: false}"], ["{n: 1, a: 2}", "{a: true}"]),
    fields("wrap", "w: W, p: P", ["{p: 5}", "{w: [a], p: 5}"], ["{w: {value: [a]}, p: 5}", "{p: 101}", "{w: []}"], "  W: {wrap: \"string[]\"}\n  P: {wrap: {type: u8, range: [0, 100]}}\n"),
    fields("union", "u: U", ["{}", "{u: null}", "{u: {damage: 3}}", "{u: silence}", "{u: {silence: null}}", "{u: {silence: }}", "{u: {burn: {x: 1}}}", "{u: {older: 3}}"],
           ["{u: damage}", "{u: {damage: 3, silence: null}}", "{u: {}}", "{u: {other: 1}}", "{u: []}", "{u: {silence: 1}}", "{u: {burn: {}}}", "{u: other}"],
           "  U: {union: {damage: {type: u32, was: older}, burn: V, silence: }}\n  V: {struct: {x: u8}}\n"),
    fields("union by key", "u: U", ["{u: {type: Burn, x: 1}}", "{u: {Burn: {x: 1}}}", "{u: {type: None}}", "{u: None}", "{u: null}", "{u: {type: Typed, type2: 1}}"],
           ["{u: {type: Burn}}", "{u: {type: Other}}", "{u: {type: None, x: 1}}", "{u: {type: Burn, y: 1}}", "{u: {type: null}}", "{u: {x: 1}}"],
           "  U: {union: {Burn: V, Typed: T, None: }, by: {key: type}}\n  V: {struct: {x: u8}}\n  T: {struct: {type2: u8}}\n"),
    fields("union by tag", "u: U", ["{u: !type:damage 3}", "{u: !type:burn {x: 1}}", "{u: !type:silence }", "{u: {damage: 3}}", "{u: silence}"], ["{u: {burn: {}}}", "{u: {other: 1}}", "{u: []}"],
           "  U: {union: {damage: u32, burn: V, silence: }, by: tag}\n  V: {struct: {x: u8}}\n", beyond=["union"]),
    fields("tuple", "v: V, s: {type: S, default: {a: [1, 2]}}", ["{v: {x: 1, y: 2}}", "{v: [1, 2]}", '{v: "1, 2"}', '{v: "1,2,3"}', "{v: [1, 2, 3], s: [[1, 2], [a]]}", "{v: [1,2], s: [\"1,2\"]}"],
           ["{v: [1]}", "{v: [1, 2, 3, 4]}", '{v: "1"}', "{v: 1}", '{v: "1,x"}', "{v: null}", "{v: [1, 2], s: []}", "{v: [1, 2], s: 5}"],
           "  V: {struct: {x: f32, y: f32, z: {type: u8, default: 1}}, tuple: true}\n  S: {struct: {a: V, b: \"string[]\"}, tuple: true}\n"),
    fields("tuple of one part", "v: V", ["{v: 5}", "{v: [5]}", '{v: "5,a"}', "{v: {x: 5}}"], ["{v: null}", "{v: []}", "{v: abc}"], "  V: {struct: {x: u8, s: {type: string, default: b}}, tuple: true}\n", beyond=["type"]),
    fields("colour", "c: C, o: {type: O, default: white}", ["{c: {r: 1, g: 2, b: 3}}", '{c: "#FFF"}', '{c: "#FFFa"}', "{c: Orange}", "{c: transparent}", '{c: "#01020304", o: "1, 0.5, 0"}', '{c: red, o: "#fffF"}', "{c: red, o: [1, 1, 1]}"],
           ['{c: "#FF"}', '{c: "#GGG"}', "{c: no colour}", "{c: null}", "{c: [1, 2, 3]}", '{c: red, o: "#FFF0"}', "{c: red, o: transparent}", "{c: 5}"],
           "  C: {struct: {r: u8, g: u8, b: u8, a: {type: u8, default: 255}}, colour: true}\n  O: {struct: {r: f32, g: f32, b: f32}, colour: true, tuple: true}\n", beyond=["colour"]),
    fields("short structs", "s: S, d: {type: D, default: []}, t: {type: T, default: 5}", ["{s: creak.ogg}", "{s: {path: a, volume: 2}}", "{s: 5}", "{s: a, d: [b]}", "{s: a, d: null}", "{s: a, d: {items: [b]}}", "{s: a, t: 5}", "{s: a, t: [5, 6]}"],
           ["{s: null}", "{s: [a]}", "{s: {volume: 2}}", "{s: a, d: b}", "{s: a, t: x}", "{s: a, t: {y: 3}}"],
           "  S: {struct: {path: string, volume: {type: f32, default: 1}}, short: path}\n  D: {struct: {items: \"string[]\", chance: {type: f32, default: 1}}, short: items}\n"
           "  T: {struct: {x: u8, y: {type: u8, default: 1}}, short: x, tuple: true}\n"),
    fields("recursion", "n: N", ["{n: {c: [{c: []}, {}]}}", "{n: {m: {a: {o: {}}}}}"], ["{n: {c: [{d: 1}]}}", "{n: {m: {a: {o: []}}}}"],
           "  N: {struct: {c: \"N[]\", m: \"map<string, N>\", o: N?}}\n"),
    fields("merge keys", "v: V, w: V", ["{v: &v {x: 1}, w: {<<: *v}}"], ["{v: &v {y: 1}, w: {<<: *v}}"], "  V: {struct: {x: u8}}\n"),
    dict(name="documents by kinds", root="kinds",
         schema="types:\n  Item: {struct: {n: u8}, asset: true}\n  Names: {wrap: \"string[]\", asset: true, kind: names}\n",
         accepted=["Item: {a: {n: 1}}\nnames: {b: [x], c: null}", "Item:", "", "{}"],
         refused=["Thing: {}", "Item: {a: {m: 1}}", "Item: []", "[]", "Item: {'': {n: 1}}", "Names: {a: []}"]),
    dict(name="map of assets", schema="types:\n  Item: {struct: {n: u8}, asset: true}\nfiles:\n  - {match: a.yaml, shape: map, type: Item}\n",
         accepted=["a: {n: 1}\nb: {n: 2}", "{}", ""], refused=["a: 1", "[]", "a: {m: 1}", '"": {n: 1}', "a:"]),
    dict(name="list of assets", schema="types:\n  Item: {struct: {id: string, n: u8}, asset: true}\nfiles:\n  - {match: a.yaml, shape: list, type: Item, id: id}\n",
         accepted=["[{id: a, n: 1}, {id: 2, n: 2}]", "[]", ""], refused=["- {n: 1}", "- {id: null, n: 1}", "- {id: [], n: 1}", "{}", "- {id: a}", "- 3"], beyond=["id"]),
    dict(name="list of assets by key", schema="types:\n  Item: {struct: {n: u8}, asset: true, kind: item}\n  Alarm: {struct: {s: string}, asset: true, kind: alarm, id: alarmType}\n"
         "files:\n  - {match: a.yaml, shape: list, by: type}\n",
         accepted=["- {type: item, id: sword, n: 1}\n- {type: alarm, alarmType: fire, s: bell}", "[]"],
         refused=["- {type: item, n: 1}", "- {type: alarm, id: a, s: b}", "- {type: other, id: a}", "- {id: a, n: 1}", "- {type: item, id: a, n: 256}", "- {type: item, id: null, n: 1}", "- 3"],
         beyond=["id", "kind"]),
    dict(name="map of assets by key", schema="types:\n  Item: {struct: {n: u8}, asset: true, kind: item}\n  Alarm: {struct: {s: string}, asset: true, kind: alarm}\n"
         "files:\n  - {match: a.yaml, shape: map, by: type}\n",
         accepted=["sword: {type: item, n: 1}\nfire: {type: alarm, s: bell}", "{}"], refused=["a: {n: 1}", "a: {type: item, s: x}", "a: {type: other}"]),
    dict(name="assets that inherit", schema="types:\n  Size: {struct: {w: u8, h: {type: u8, default: 1}}}\n"
         "  Thing: {struct: {n: u8, size: {type: Size, inherit: merge}, u: {type: \"U[]\", inherit: merge}}, asset: true, inherit: true}\n"
         "  U: {union: {Part: Part}, by: {key: type}}\n  Part: {struct: {a: u8, b: u8}}\n"
         "files:\n  - {match: a.yaml, shape: map, type: Thing}\n",
         accepted=["a: {n: 1, size: {w: 2}}", "a: {abstract: true, size: {w: 1}, u: [{type: Part, a: 1}]}\nb: {parent: a, n: 2, size: {h: 3}, u: [{type: Part, b: 1}]}",
                   "a: {n: 1, size: {w: 2}}\nb: {parent: [a]}"],
         refused=["a: {n: 1}", "a: {n: 1, size: {}}", "a: {abstract: true, m: 1}", "a: {abstract: true, n: 256}", "a: {abstract: true, u: [{type: Part, c: 1}]}"],
         beyond=["missing", "inherit", "parent", "abstract", "cycle", "recursion"]),
    dict(name="objects", schema="types:\n  Guid: {wrap: {type: \"u8[2]\", hex: true}}\n  Thing: {struct: {name: string, guid: Guid?, of: {type: \"ref<Thing>?\", local: fileID}}, asset: true}\n"
         "  Place: {struct: {x: f32}, kind: Place.stripped, asset: true}\nfiles:\n  - {match: a.yaml, shape: objects, tag: \"tag:x,2011:\"}\n",
         accepted=["--- !<tag:x,2011:1> &10\nThing: {name: a, guid: 01ff, of: {fileID: 10}}", "--- !<tag:x,2011:1> &10\nThing: {name: a, of: {fileID: 0}}", ""],
         refused=["--- !<tag:x,2011:1> &10\nThing: {nam: a}", "--- !<tag:x,2011:1> &10\nOther: {}", "--- !<tag:x,2011:1> &10\n[]", "--- !<tag:x,2011:1> &10\nThing: {name: a, of: {guid: 3}}"], beyond=["reference", "kind"]),
    dict(name="heads of documents", schema="types:\n  Tile: {struct: {cost: {type: u8, default: 1}}, asset: true}\n  Set: {struct: {version: u32}, asset: true}\n"
         "files:\n  - {match: a.yaml, shape: map, type: Tile, head: {\":config:\": Set}}\n",
         accepted=["':config:': {version: 3}\nstone: {}", "':config:': null\nstone: {cost: 2}", "stone: {}"], refused=["':config:': {cost: 3}", "':config:': {}", "stone: {version: 3}"]),
    dict(name="head of one asset", schema="types:\n  Tile: {struct: {cost: {type: u8, default: 1}}, asset: true}\n  Set: {struct: {version: u32}, asset: true}\n"
         "files:\n  - {match: a.yaml, shape: one, type: Tile, head: {meta: Set}}\n",
         accepted=["meta: {version: 3}\ncost: 2", "cost: 2"], refused=["meta: {cost: 3}", "meta: {version: 3}\nheight: 3"]),
    dict(name="patches in a list", schema="types:\n  Item: {struct: {price: u8, tags: \"string[]\"}, asset: true}\n"
         "files:\n  - {match: a.yaml, shape: list, by: type, patch: true}\n  - {match: b.yaml, shape: map, type: Item}\n",
         others={"b.yaml": "sword: {price: 1}\nstick: {price: 2}\n"},
         accepted=["- {type: Item, id: sword, tags: [magic]}\n- {type: Item, delete: stick}", "[]"],
         refused=["- {type: Item, id: sword, cost: 3}", "- {type: Item, delete: stick, price: 3}", "- {type: Item, delete: null}", "- {type: Item, price: 256, id: sword}", "- {type: Item}"],
         beyond=["patch", "id", "kind", "reference"]),
    dict(name="patches in a map", schema="types:\n  Item: {struct: {price: u8, tags: \"string[]\"}, asset: true}\n"
         "files:\n  - {match: a.yaml, shape: map, type: Item, patch: true}\n  - {match: b.yaml, shape: map, type: Item}\n",
         others={"b.yaml": "sword: {price: 1}\nstick: {price: 2}\n"},
         accepted=["sword: {tags: [magic]}\nstick: null", "{}"], refused=["sword: {cost: 3}", "sword: 3"], beyond=["patch", "id", "reference"]),
    dict(name="names of files", schema="types:\n  Note: {struct: {guid: string, x: u8}, asset: true}\nfiles:\n"
         "  - {match: a.yaml, shape: guids, key: guid, suffix: .yaml, type: Note, id: file}\n",
         accepted=["{guid: a, x: 1}", "{guid: 12, x: 1}", ""], refused=["{x: 1}", "{guid: a}", "{guid: [a], x: 1}", "{guid: ~, x: 1}", "{guid: '', x: 1}", "[a]"]),
    dict(name="names of files alone", schema="files:\n  - {match: a.yaml, shape: guids, key: guid, suffix: .yaml}\n",
         accepted=["{guid: a, x: 1}", "{guid: 1e3}", ""], refused=["{x: 1}", "{guid: {}}", "a"]),
    dict(name="objects of other files", schema="accepted: {File: [g]}\ntypes:\n  Thing: {struct: {of: {type: \"ref?\", local: id, file_by: guid, beside: [type]}}, asset: true}\n"
         "files:\n  - {match: \"*.meta\", shape: guids, key: guid}\n  - {match: a.yaml, shape: objects, tag: \"tag:x,2011:\"}\n",
         accepted=["%TAG !u! tag:x,2011:\n--- !u!1 &1\nThing: {of: {id: 3, guid: g, type: 2}}", "%TAG !u! tag:x,2011:\n--- !u!1 &1\nThing: {of: {type: [], id: 0, guid: ~}}",
                   "%TAG !u! tag:x,2011:\n--- !u!1 &1\nThing: {of: {id: 1}}"],
         refused=["%TAG !u! tag:x,2011:\n--- !u!1 &1\nThing: {of: {guid: g}}", "%TAG !u! tag:x,2011:\n--- !u!1 &1\nThing: {of: {id: 1, guid: g, more: 1}}",
                  "%TAG !u! tag:x,2011:\n--- !u!1 &1\nThing: {of: {id: 1, guid: [g]}}"]),
    dict(name="patches by path", schema="types:\n  Size: {struct: {w: u8}}\n  Item: {struct: {price: u8, size: Size, tags: {type: \"string[]\", inherit: merge}}, asset: true, inherit: true}\n"
         "files:\n  - {match: a.yaml, shape: map, type: Item, patch: true, paths: true}\n  - {match: b.yaml, shape: map, type: Item}\n",
         others={"b.yaml": "sword: {price: 1, size: {w: 1}, tags: [a]}\nstick: {price: 1, size: {w: 2}}\n"},
         accepted=["sword: {size.w: 3, \"tags[0]\": x, price: 4}\nstick: null", "sword: {\"size\": {w: 1}}"], refused=["sword: {sizes: 3}", "sword: {price: x}"],
         beyond=["patch", "id", "path", "type", "range", "missing", "unknown-key"]),
    dict(name="paths apart from their values", schema="types:\n  Item: {struct: {price: u8, tags: \"string[]\"}, asset: true}\n"
         "files:\n  - {match: a.yaml, shape: list, type: Item, patch: {path: way, value: to, id: of}}\n  - {match: b.yaml, shape: map, type: Item}\n",
         others={"b.yaml": "sword: {price: 1, tags: [a]}\n"},
         accepted=["- {of: sword, way: price, to: 3}\n- {of: sword, way: 'tags[0]', to: x}", "[]", "- {delete: sword}"],
         refused=["- {of: sword, way: price}", "- {way: price, to: 1}", "- {of: sword, way: [], to: 1}", "- {of: sword, way: price, to: 1, if: 3}", "{}", "- price: 1"],
         beyond=["patch", "id", "path", "type", "range", "missing", "unknown-key"]),
    dict(name="ids that changed", schema="types:\n  Item: {struct: {}, asset: true}\nfiles:\n  - {match: a.yaml, shape: renames, type: Item}\n",
         accepted=["a: b\nc: a\nd: null", "{}", ""], refused=["[]", "a: []", "a: {}"], beyond=["id", "rename", "renames", "reference", "cycle", "duplicate"]),
    dict(name="accepted references", schema="types:\n  Item: {struct: {}, asset: true}\nfiles:\n  - {match: a.yaml, shape: accepted}\n",
         accepted=["Item: [a, b]", "{}", ""], refused=["[]", "Item: a", "Item: [[]]"], beyond=["kind", "id", "reference"]),
    dict(name="one asset", schema="types:\n  Item: {struct: {n: u8}, asset: true}\nfiles:\n  - {match: a.yaml, shape: one, type: Item}\n",
         accepted=["n: 1", ""], refused=["{}", "[]", "n: x", "3"]),
    dict(name="scene", schema="types:\n  Place: {struct: {x: f32, y: f32}}\n  Door: {struct: {opens: entity, label: string}, component: true}\n"
         "files:\n  - {match: a.yaml, shape: scene}\n",
         accepted=["prefabs: {gate: {components: {Door: {label: A gate}}, children: [{name: lock, components: {Place: {x: 0.5, y: 1}}}]}}\n"
                   "entities: [{name: east, base: gate, components: {Place: {x: 4, y: 2}, Door: {opens: null}}}, {name: west, base: [gate], remove: Door, drop: lock}]",
                   "entities: [{components: {game.Place: {x: 1, y: 2}}}]", "entities:", "{}"],
         refused=["entities: [{components: {Place: {z: 1}}}]", "entities: {}", "things: []", "entities: [{parts: {}}]", "entities: [{components: {Thing: {}}}]", "prefabs: {a: {name: x}}"],
         beyond=["missing", "prefab", "name", "entity", "component", "abstract", "scene", "drop", "remove", "value", "base", "id", "nested", "key", "recursion", "cycle"]),
    dict(name="scenes by kinds", schema="types:\n  Place: {struct: {x: f32, to: entity}, component: row}\n  Item: {struct: {n: u8}, asset: true}\n"
         "files:\n  - {match: a.yaml, shape: kinds}\n  - {match: \"*.zone.yaml\", shape: scene, kind: Zone, keys: {name: id, by: type}}\n",
         accepted=["Item: {a: {n: 1}}\nZone: {b: {entities: [{way: a/b, components: {Place: {x: 1}}}, {name: c, components: {Place_row: {x: 1, to: a/b}}}]}}\nScene: {c: {}}\n",
                   "Zone: ~\nScene: {}\n", "Zone: {a: {prefabs: {b: ~}, entities: [{base: b, components: {Place: {x: 2, to: \"#0\"}}}]}}"],
         refused=["Zone: []", "Zone: {a: ~}", "Zone: {a: {entities: [{id: a}]}}", "Zone: {a: {entities: [{way: a, name: b}]}}", "Zone: {a: {entities: [{way: a, children: []}]}}",
                  "Zone: {a: {entities: [{way: 'a#b'}]}}", "Zone: {a: {entities: [{name: a, children: [{way: b}]}]}}", "Zone: {a: {prefabs: {b: {way: c}}}}", "Room: {}"],
         beyond=["missing", "prefab", "name", "entity", "component", "abstract", "scene", "drop", "remove", "value", "base", "id", "nested", "key", "recursion", "cycle"]),
    dict(name="scene in other words", schema="types:\n  EntityNumber: {wrap: u32, entity: true}\n  Place: {struct: {x: f32, y: f32, in: entity}, component: row}\n"
         "  Lamp: {struct: {colour: string, on: {type: bool, default: true}}, component: row}\n  Holder: {struct: {holds: {type: \"EntityNumber[]\"}, by: \"map<EntityNumber, u8>\"}, component: row}\n"
         "  Part: {union: {Place: Place, Lamp: Lamp, Holder: Holder}, by: {key: type}}\n  Thing: {struct: {title: string, parts: {type: \"Part[]\", inherit: merge}}, asset: true, inherit: true}\n"
         "files:\n  - {match: a.yaml, shape: scene, keys: {name: uid, components: parts, by: type}, groups: {base: thing, entities: all}, prefabs: Thing.parts}\n",
         accepted=["entities:\n  - {thing: null, all: [{uid: 1, parts: [{type: Place, x: 1, y: 2, in: 3}]}, {uid: 2, parts: [{type: Place, x: 4, y: 2, in: 3}, {type: Lamp, on: false, colour: red}]}]}\n"
                   "  - {all: [{uid: 3, parts: [{type: Place, x: 0, y: 0}, {type: Holder, holds: [1, 2], by: {1: 2, 2: 3}}]}]}",
                   "entities: [{all: [{uid: one, parts: [{type: Holder, by: {one: 1}}]}]}]"],
         refused=["entities: [{uid: 1}]", "entities: [{all: [{name: 1}]}]", "entities: [{thing: [~], all: [{uid: 1}]}]", "entities: [{all: [{uid: 1, parts: [{type: Thing}]}]}]", "entities: [{all: [{uid: 1, parts: [{type: Place, z: 1}]}]}]",
                  "entities: [{all: [{uid: 1, parts: [{x: 1}]}]}]", "entities: [{all: [{uid: one, parts: [{type: Holder, by: {one: x}}]}]}]",
                  "entities: [{all: [{uid: one, parts: [{type: Holder, by: [one]}]}]}]"],
         beyond=["missing", "prefab", "name", "entity", "component", "abstract", "scene", "drop", "remove", "value", "base", "id", "nested", "key", "recursion", "cycle", "duplicate"]),
    dict(name="numbers of entities in assets", schema="types:\n  Number: {wrap: u32, entity: true}\n  Item: {struct: {n: \"map<Number, Number>\"}, asset: true}\n"
         "files:\n  - {match: a.yaml, shape: map, type: Item}\n", accepted=["a: {n: {1: 2}}\nb: {}", "a: {n: {0x10: 0x10}}"], refused=["a: {n: {one: 1}}", "a: {n: {-1: 1}}", "a: {n: {1: one}}"]),
    dict(name="prefabs", schema="types:\n  Place: {struct: {x: f32}}\nfiles:\n  - {match: a.yaml, shape: prefabs}\n",
         accepted=["gate: {components: {Place: {x: 1}}}\nwood: {abstract: true}\n", "{}"], refused=["gate: []", "gate: {components: {Place: {y: 1}}}", "[]", "gate: {abstract: 3}"],
         beyond=["missing", "prefab", "name", "component", "abstract", "drop", "remove", "base", "cycle", "entity", "id", "nested", "key", "recursion"]),
]
