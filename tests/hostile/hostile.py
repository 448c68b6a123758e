#!/usr/bin/env python3
"""Inputs that try to exhaust kiln-bake: each bakes or ends in a diagnostic within a memory limit (TAP).

    hostile.py KILN_BAKE [CASE...] [--large MEBIBYTES]

A case consists of a schema, a document and the expected part of the first line, which is None for valid input. Most inputs are so large
that processing in more than linear time would not finish. Builds with sanitizers run without the memory limit, because
sanitizers reserve more address space than any limit.
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile

# KILN_TEST_SHARE=K/N selects each Nth case, beginning with case K, with inputs of half the size.
FIRST, EVERY = (int(word) for word in os.environ.get("KILN_TEST_SHARE", "0/1").split("/"))
HALF = 2 if EVERY > 1 else 1
DEEP = 100_000 // HALF
MANY = 200_000 // HALF
MILLION = 1_000_000 // HALF
WIDE = 20_000 // HALF
LARGE = (32 << 20) // HALF
# Limit of the address space; for large scalars, a multiple of the input size.
LIMIT = 1 << 30
LIMIT_FACTOR = 16

SCHEMA = """kiln: 1
types:
  E: {enum: [a, b, c]}
  F: {flags: [a, b]}
  N: {struct: {kids: 'N[]', m: 'map<string, N>', o: 'N?'}}
  T:
    struct: {n: {type: u8, default: 0}, s: {type: string, default: ''}, l: 'u8[]', m: 'map<string, u8>', k: 'map<u32, u8>', x: 'N?',
      b: {type: bytes, default: ''}, e: {type: E, default: a}, f: {type: F, default: []}, r: 'ref<T>?', rs: 'ref<T>[]', u: {type: f64, default: 0}}
    asset: true
files: [{match: 'scene*', shape: scene}]
"""


class Schema(str):
    """A case with a hostile schema and a document for it."""

    document = ""

    def __new__(cls, text, document=""):
        made = super().__new__(cls, "kiln: 1\ntypes:\n" + text)
        made.document = document
        return made


class Scene(str):
    """A document that is a scene."""


def lines(count, line):
    return "".join(line.replace("@@", str(i + 1)).replace("@", str(i)) for i in range(count))


def joined(count, item, between=", "):
    return between.join(item.replace("@", str(i)) for i in range(count))


def bomb(count, first, each, entry):
    """Values that each contain nine aliases of the previous one."""
    rows = [f"a0: &a0 {first}"]
    for i in range(1, count):
        rows.append(f"a{i}: &a{i} " + each.replace("@", ", ".join(entry.replace("@", str(k)) + f"*a{i - 1}" for k in range(9))))
    return "\n".join(rows)


def large(before, piece, after):
    return lambda: before + piece * (LARGE // len(piece.encode())) + after


DOCUMENTS = {
    "deeply nested lists": (lambda: "T: {x: {l: " + "[" * DEEP, "nested deeper than 512 levels [depth]"),
    "deeply nested lists that are closed": (lambda: "T: {x: {l: " + "[" * DEEP + "]" * DEEP + "}}", "nested deeper than 512 levels [depth]"),
    "deeply nested mappings": (lambda: "T: {x: " + "{a: " * DEEP, "nested deeper than 512 levels [depth]"),
    "mappings as keys of mappings": (lambda: "{" * DEEP, "a key must be a single value"),
    "deeply nested list entries in one line": (lambda: "- " * DEEP, "nested deeper than 512 levels [depth]"),
    "deeply nested keys with question marks": (lambda: "? " * DEEP, "a key must be a single value"),
    "deep indentation": (lambda: "".join(" " * i + "a:\n" for i in range(2000)), "nested deeper than 512 levels [depth]"),
    "a large plain scalar": (large("T: {a: {s: ", "x", "}}"), None),
    "a large quoted scalar": (large('T: {a: {s: "', "x", '"}}'), None),
    "a large scalar of escapes": (large('T: {a: {n: 300, s: "', "\\u0041", '"}}'), "300 exceeds 255 [range]"),
    "a large block of text": (large("T:\n  a:\n    s: |\n", "      " + "x" * 100 + "\n", "    n: 300\n"), "300 exceeds 255 [range]"),
    "a large number": (large("T: {a: {n: ", "1", "}}"), "... exceeds 255 [range]"),
    "a large float": (large("T: {a: {u: 1e", "1", "}}"), "[range]"),
    "a large name in an enum": (large("T: {a: {e: ", "x", "}}"), 'xxx..." for enum E [enum]'),
    "a large string of flags": (large('T: {a: {f: "', "x" * 1023 + ",", '"}}'), "for flags F [flags]"),
    "a large reference": (large("T: {a: {r: ", "x", "}}"), "unknown asset"),
    "a large invalid base64 scalar": (large("T: {a: {b: ", "A", "=}}"), "expected base64"),
    "a large key": (large('T: {a: {? "', "x", '" : 1}}'), 'T has no field "xxx'),
    "a large id": (large('T: {? "', "x", '" : {n: 300}}'), "300 exceeds 255 [range]"),
    "a large kind": (large('? "', "x", '"\n: {a: {n: 300}}'), "no rule under `files`"),
    "a large tag": (large("T: {a: {n: !", "x", " 1}}"), f"the tag has {LARGE + 1} bytes"),
    "a large undefined alias": (large("T: {a: {n: *", "x", " }}"), "undefined alias *xxx"),
    "a large comment": (large("#", "x", "\nT: {a: {n: 300}}"), "300 exceeds 255 [range]"),
    "many empty lines": (large("", "\n", "T: {a: {n: 300}}"), "300 exceeds 255 [range]"),
    "a quoted scalar that is never closed": (large('T: {a: {s: "', "x\n", ""), "unterminated quoted string"),
    "a file of zeros": (large("", "\0", ""), "the control character U+0000"),
    "a file of dashes": (large("", "-", ""), "no rule under `files`"),
    "an alias bomb of lists": (lambda: bomb(60, "[x]", "[@]", ""), "[alias-bomb]"),
    "an alias bomb of mappings": (lambda: bomb(60, "{x: 1}", "{@}", "k@: "), "[alias-bomb]"),
    "an alias bomb of merge keys": (lambda: bomb(60, "{x: 1}", "{<<: [@], y: 1}", ""), "[alias-bomb]"),
    "a long chain of merge keys": (lambda: "a0: &a0 {x: 1}\n" + lines(DEEP, "a@@: &a@@ {<<: *a@, k@: 1}\n"), "nested deeper than 512 levels"),
    "a wide mapping merged often": (
        lambda: "a: &a {" + joined(WIDE, "k@: 1") + "}\nb:\n" + "  - {<<: *a}\n" * WIDE, "[alias-bomb]"),
    "an alias inside itself": (lambda: "T: &a {a: *a}", "the alias *a contains itself"),
    "many anchors": (lambda: "T: {a: {l: [" + joined(MILLION, "&a@ 1") + "], n: 300}}", "300 exceeds 255 [range]"),
    "many undefined aliases": (lambda: "T: {z: {l: [" + joined(MANY, "&x@ 1") + "]}, a: {l: [" + joined(MANY, "*a@") + "]}}", "undefined alias *a0"),
    "aliases of long invalid scalars": (
        lambda: "T: {z: {l: [&a " + "x" * 5000 + ", &b " + "y" * 5000 + ", " + "*a, *b, " * MANY + "]}}", "expected u8"),
    "a million errors in a line": (lambda: "T: {a: {l: [" + "300," * MILLION + "]}}", "300 exceeds 255 [range]"),
    "a million errors in lines": (lambda: "T:\n  a:\n    l:\n" + "    - 300\n" * MILLION, "300 exceeds 255 [range]"),
    "a million unknown keys": (lambda: "T:\n  a:\n" + lines(MILLION, "    k@: 1\n"), 'T has no field "k0"'),
    "a million duplicate keys": (lambda: "T:\n  a:\n" + "    n: 1\n" * MILLION, 'the key "n" is given twice'),
    "many unknown flags": (lambda: 'T: {a: {f: "' + "x," * MILLION + '"}}', 'unknown value "x" for flags F'),
    "many assets with errors": (lambda: "T:\n" + lines(MANY, "  a@: {e: zz, n: q, zz: 1}\n"), 'unknown value "zz" for enum E'),
    "many unknown kinds": (lambda: lines(MANY, "k@: {}\n"), "no rule under `files`"),
    "many assets with the same name": (lambda: "---\nT: {a: {}}\n" * MANY, "is already defined at"),
    "many references to missing assets": (lambda: "T:\n" + lines(MANY, "  a@: {r: b@}\n"), "unknown asset"),
    "many keys": (lambda: "T:\n  a:\n    n: 300\n    m:\n" + lines(MILLION, "      k@: 1\n"), "300 exceeds 255 [range]"),
    "many keys that are the same number": (lambda: "T: {a: {k: {" + ", ".join(f"{i:#x}: 1, {i}: 1" for i in range(MANY)) + "}}}", "duplicate key"),
    "a million documents": (lambda: "---\n" * MILLION + "T: {a: {n: 300}}", "300 exceeds 255 [range]"),
    "a million invalid documents": (lambda: "--- x\n" * MILLION, "no rule under `files`"),
    "many tags": (lambda: "T: {a: {l: [" + joined(MANY, "!t@ 1") + "]}}", "unknown tag !t0"),
    "many tag handles": (lambda: lines(MANY, "%TAG !a@! tag:x\n") + "---\nT: {}", "more than 64 %TAG lines"),
    "prefabs in a long chain": (lambda: Scene("prefabs:\n" + lines(DEEP, "  p@: {base: p@@}\n") + "entities:\n  - {base: p0}\n"), "more than 64 levels deep [depth]"),
    "prefabs based on themselves": (lambda: Scene("prefabs:\n" + lines(MANY, "  p@: {base: p@}\n")), "the prefab contains itself"),
    "prefabs in a long cycle": (lambda: Scene("prefabs:\n" + lines(DEEP, "  p@: {base: p@@}\n") + f"  p{DEEP}: {{base: p0}}\n"), "more than 64 levels deep [depth]"),
    "prefabs with missing bases": (lambda: Scene("prefabs:\n" + lines(MANY, "  p@: {base: q@}\n")), 'unknown prefab "q0"'),
    "prefabs that each nest the previous one nine times": (
        lambda: Scene("prefabs:\n  p0: {children: [{}]}\n" + lines(59, "  p@@: {children: [" + "{base: p@}," * 9 + "]}\n") + "entities:\n  - {base: p59}\n"),
        "[size]"),
    "a scene in itself": (lambda: Scene("scenes:\n  - {scene: scene}\n"), "the scene contains itself"),
    "many invalid entities": (lambda: Scene("entities:\n" + "  - {name: a, components: {Zz: 1}}\n" * MANY), 'unknown component "Zz"'),
    "many paths of missing entities": (lambda: Scene("entities:\n" + "  - {name: a, drop: [x/y/z]}\n" * MANY), "unknown entity"),
}

SCHEMAS = {
    "an expression of many lists": (lambda: Schema("  A: {struct: {a: 'u8" + "[]" * DEEP + "'}}\n"), "more than 8 unnamed types"),
    "an expression of many optionals": (lambda: Schema("  A: {struct: {a: 'u8" + "?" * DEEP + "'}}\n"), "an optional can already be absent; remove the second `?`"),
    "an expression of many maps": (lambda: Schema("  A: {struct: {a: '" + "map<u8, " * DEEP + "'}}\n"), "more than 8 unnamed types"),
    "a large expression": (lambda: Schema(large("  A: {struct: {a: '", "x", "'}}\n")()), 'unknown type "xxx'),
    "fixed arrays that are too large": (lambda: Schema("  A: {struct: {b: 'u64[65535][65535][65535][65535]'}}\n"), "[type]"),
    "a large enum value": (lambda: Schema(large("  A: {enum: {a: ", "1", "}}\n")()), "does not fit 64 bits"),
    "a large doc": (lambda: Schema(large("  A: {struct: {a: {type: u8, doc: ", "1", ", default: 300}}}\n")()), "300 exceeds 255"),
    "a large key of a type": (lambda: Schema(large('  A: {struct: {a: u8}, ? "', "1", '" : 3}\n')()), 'unknown key "111'),
    "a large namespace": (lambda: Schema("  A: {struct: {a: u8}}\n" + large("namespace: ", "x", "\n")()), "a namespace can have at most"),
    "a large pattern": (lambda: Schema("  A: {struct: {a: u8}, asset: true}\n" + large("files: [{match: ", "x", ", shape: mp, type: A}]\n")()), "unknown shape"),
    "a pattern with many stars": (lambda: Schema("  A: {struct: {a: u8}, asset: true}\nfiles: [{match: '" + "*a" * DEEP + "b', shape: map, type: A}]\n", "A: {a: {a: 300}}"), "300 exceeds 255"),
    "many types": (lambda: Schema(lines(MANY, "  A@: {struct: {a: u8}}\n") + "  B: {struct: {a: zz}}\n"), 'unknown type "zz"'),
    "many invalid types": (lambda: Schema(lines(MANY, "  A@: {struct: {a: u9}}\n")), 'unknown type "u9"'),
    "many types with the same name": (lambda: Schema("  A: {struct: {a: u8}}\n" * MANY), 'the key "A" is given twice'),
    "many invalid fields": (lambda: Schema("  A: {struct: {" + joined(MANY, "a@: zz") + "}}\n"), 'unknown type "zz"'),
    "many invalid defaults": (lambda: Schema("  A: {struct: {" + joined(MANY, "a@: {type: u8, default: 300}") + "}}\n"), "300 exceeds 255"),
    "many earlier names": (
        lambda: Schema("  A: {struct: {a: {type: u8, was: [" + joined(WIDE, "b@") + "]}}}\n  R: {wrap: 'A[]', asset: true}\n",
                       "R: {x: [" + joined(WIDE, "{b@: 1}") + ", {b: 1}]}"), '"b0" was renamed to "a"'),
    "many values of an enum": (
        lambda: Schema("  E: {enum: [" + joined(WIDE, "a@") + "]}\n  R: {wrap: 'E[]', asset: true}\n", "R: {x: [" + joined(WIDE, "b@") + "]}"), 'unknown value "b0" for enum E'),
    "many equal values of an enum": (lambda: Schema("  A: {enum: [" + joined(MANY, "a") + "]}\n"), "is already in the list"),
    "many flags": (lambda: Schema("  A: {flags: [" + joined(MANY, "a@") + "]}\n"), "at most 64 names"),
    "many rules and fields": (
        lambda: Schema("  A: {struct: {" + joined(WIDE, "a@: u8") + "}, asset: true}\nfiles:\n" + "  - {match: x, shape: list, type: A, id: zz}\n" * WIDE),
        'has no field "zz"'),
    "many rules and kinds": (
        lambda: Schema(lines(WIDE, "  A@: {struct: {a: u8}, asset: true}\n") + "files:\n" + lines(WIDE, "  - {match: x, shape: scene, kind: A@}\n")),
        'the kind "A0" is already used by'),
    "structs in a long chain by value": (lambda: Schema(lines(DEEP, "  A@: {struct: {a: A@@}}\n") + f"  A{DEEP}: {{struct: {{a: u8}}}}\n"), "more than 16 types are nested"),
    "structs with two structs by value": (lambda: Schema(lines(100, "  A@: {struct: {a: A@@, b: A@@}}\n") + "  A100: {struct: {a: u8}}\n"), "more than 16 types are nested"),
    "structs that contain themselves": (lambda: Schema(lines(DEEP, "  A@: {struct: {a: A@}}\n")), "contains itself by value"),
    "defaults in a long chain": (
        lambda: Schema(lines(DEEP // 10, "  A@: {struct: {a: {type: 'A@@[]', default: [{}]}}}\n") + f"  A{DEEP // 10}: {{struct: {{a: u8}}}}\n"), "[depth]"),
    "defaults that contain themselves": (lambda: Schema(lines(DEEP, "  A@: {struct: {a: {type: 'A@[]', default: [{}]}}}\n")), "contains itself"),
    "defaults that each contain the previous one nine times": (
        lambda: Schema(lines(40, "  A@: {struct: {a: {type: 'A@@[]', default: [{},{},{},{},{},{},{},{},{}]}}}\n") + "  A40: {struct: {a: {type: u8, default: 1}}}\n"
                       "  R: {struct: {x: {type: A0, default: {}}}, asset: true}\n", "R: {x: {}}"), None),
    "a large default used in many values": (
        lambda: Schema("  E: {struct: {f: {type: 'u8[60000]', default: [" + "1," * 60000 + "]}}}\n  R: {wrap: 'E[]', asset: true}\n",
                       "R: {x: [" + "{}," * 60000 + "]}"), "more than the maximum of 2147483647 for an asset [size]"),
    "many fields of payloads": (
        lambda: Schema("  A: {struct: {" + joined(MANY, "a@: {type: payload, align: 32}") + "}, asset: true}\n",
                       "A: {x: {" + joined(MANY, "a@: !file x.yaml") + "}}"), None),
    "many payloads with the same data": (
        lambda: Schema("  P: {wrap: {type: payload, frames: 4096}}\n  A: {wrap: 'P[]', asset: true}\n",
                       "A: {x: [" + joined(MANY, "!file x.yaml") + "]}"), None),
    "many spellings of the path of a payload": (
        lambda: Schema("  P: {wrap: payload}\n  A: {wrap: 'P[]', asset: true}\n",
                       "A: {x: [" + ", ".join("!file " + "./" * (i % 1000) + "x.yaml" for i in range(4000)) + "]}"), None),
    "a large payload that is not a path": (
        lambda: Schema("  A: {struct: {p: payload}, asset: true}\n", large("A: {x: {p: !file ", "x", "}}")()), "File name too long"),
    "components whose data doubles": (
        lambda: Schema(lines(40, "  A@: {struct: {a: A@@, b: A@@}, component: true}\n") + "  A40: {struct: {a: 'u8[]'}, component: true}\n"), "[component]"),
    "a schema that includes itself": (lambda: Schema("  A: {struct: {a: zz}}\ninclude: [s.yaml]\n"), 'unknown type "zz"'),
    "many missing schemas": (lambda: Schema("  A: {struct: {a: u8}}\ninclude: [" + joined(WIDE, "x@.yaml") + "]\n"), 'cannot find "x0.yaml"'),
    "an alias bomb of types": (lambda: Schema("\n".join("  " + row for row in bomb(60, "{struct: {x: u8}}", "{@}", "k@: ").split("\n"))), "[alias-bomb]"),
}


def is_limited(bake):
    """Whether the program starts within the limit; with sanitizers it does not."""
    return subprocess.run([bake, "--version"], preexec_fn=limit(LIMIT), capture_output=True, check=False).returncode == 0


def limit(bytes_):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_))


def run(bake, folder, made, limited):
    schema, document, name = SCHEMA, made, "x.yaml"
    if isinstance(made, Schema):
        schema, document = made, made.document
    if isinstance(made, Scene):
        name = "scene.yaml"
    (folder / "s.yaml").write_text(schema, encoding="utf-8")
    (folder / name).write_text(document, encoding="utf-8")
    size = len(schema) + len(document)
    bytes_ = LIMIT_FACTOR * size if size > LARGE - 4096 else LIMIT
    return subprocess.run([bake, "-s", "s.yaml", "-o", "o.kiln", name], cwd=folder, capture_output=True, check=False,
                          preexec_fn=limit(bytes_) if limited else None)


def check(done, said):
    text = done.stderr.decode("utf-8", "replace")
    if done.returncode not in (0, 1):
        return f"exit code {done.returncode}: {text[-300:]}"
    if len(done.stderr) > 200_000:
        return f"{len(done.stderr)} bytes of diagnostics"
    if said is None:
        return None if done.returncode == 0 else f"is refused: {text[:300]}"
    first = text.split("\n", 1)[0]
    return None if said in first else f"says: {first[:300]}"


def main():
    global LARGE
    arguments = sys.argv[1:]
    if "--large" in arguments:
        at = arguments.index("--large")
        LARGE = int(arguments[at + 1]) << 20
        del arguments[at : at + 2]
    bake = str(pathlib.Path(arguments[0]).resolve())
    limited = is_limited(bake)
    failed = 0
    cases = [(name, case) for name, case in {**DOCUMENTS, **SCHEMAS}.items() if not arguments[1:] or name in arguments[1:]]
    cases = cases[FIRST % EVERY :: EVERY]
    if not limited:
        print("# no memory limit: the program does not start within it")
    for number, (name, (make, said)) in enumerate(cases, 1):
        with tempfile.TemporaryDirectory() as folder:
            wrong = check(run(bake, pathlib.Path(folder), make(), limited), said)
        if wrong:
            failed += 1
            print("# " + wrong.replace("\n", "\n# "))
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}", flush=True)
    print(f"1..{len(cases)}")
    return 1 if failed else 0


sys.exit(main())
