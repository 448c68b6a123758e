#!/usr/bin/env python3
"""Importers that a project file or the option --importer describes (TAP).

    project_importers.py KILN_BAKE
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

from project_cases import run_cases

BAKE = str(pathlib.Path(sys.argv[1]).resolve())
TYPES = """kiln: 1
types:
  Item: {struct: {n: u32}, asset: true}
  Page: {struct: {text: string}, asset: true}
files:
  - {match: "*.csv", import: csv, shape: kinds}
"""
CSV = "#!/bin/sh\necho \"csv $2\" >>\"$IMPORT_LOG\"\nsed \"s/,/: {n: $1/; s/$/}/; s/^/  /; 1iItem:\" \"$2\"\n"
UP = ["sh", "-c", 'echo "up $0" >>"$IMPORT_LOG"; tr a-z A-Z <"$0"']
CSV_1 = {"command": ["tools/csv", "1"], "output": "yaml"}
CSV_2 = {"command": ["tools/csv", "2"], "output": "yaml", "timeout": "30s"}
UPPER = {"command": UP, "output": "bytes"}
INPUTS = ["data/a.csv", "data/p.yaml"]


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    pathlib.Path(path).write_text(text, encoding="utf-8")
    os.chmod(path, mode)


def run(*words, code=0, cwd=None):
    log = os.path.abspath("../log")
    pathlib.Path(log).write_text("", encoding="utf-8")
    done = subprocess.run([BAKE, *words], capture_output=True, text=True, check=False, cwd=cwd, timeout=60,
                          env=dict(os.environ, IMPORT_LOG=log))
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done.stderr


def started():
    return sorted(line.split()[0] for line in pathlib.Path("../log").read_text(encoding="utf-8").splitlines())


def project(importers, schema=TYPES, **more):
    """Writes a project file as JSON, which is YAML, too."""
    write("s.yaml", schema)
    write("tools/csv", CSV, 0o755)
    write("data/a.csv", "a,5\n")
    write("data/p.yaml", "Page: {p: {text: !import:up a.csv}}\n")
    write("kiln.yaml", json.dumps({"kiln": 1, "schemas": "s.yaml", "importers": importers,
                                   "bundles": {"all": {"sources": ["data/*"], "output": "all.kiln"}}} | more)
          # YAML has no surrogates.
          .replace("\\ud83d\\ude00", "\U0001f600"))


def expected(**importers):
    """The bytes of a bake in which the schema has the importers."""
    write("direct.yaml", TYPES + "importers: " + json.dumps(importers) + "\n")
    run("-q", "-s", "direct.yaml", "-o", "direct.kiln", *INPUTS)
    return pathlib.Path("direct.kiln").read_bytes()


def output():
    return pathlib.Path("all.kiln").read_bytes()


def rules_and_values_name_importers_of_the_project():
    project({"csv": CSV_1, "up": UPPER})
    first = expected(csv=CSV_1, up=UPPER)
    run()
    assert output() == first
    run("check")
    os.mkdir("sub")
    for words, cwd in ((["-C", ".."], "sub"), (["--project", os.path.abspath("kiln.yaml")], "/")):
        os.remove("all.kiln")
        run(*words, "--force", cwd=cwd)
        assert output() == first
    assert "up to date" in run("--project", os.path.abspath("kiln.yaml"), cwd="/")


def they_replace_those_of_schemas_and_profiles_replace_them():
    schema = TYPES + "importers: " + json.dumps({"csv": CSV_1, "up": {"command": ["false"], "output": "bytes"}}) + "\n"
    project({"up": UPPER}, schema, profiles={"ship": {"importers": {"csv": CSV_2, "more": CSV_1}}, "dev": {"importers": None}, "none": None})
    first, second = expected(csv=CSV_1, up=UPPER), expected(csv=CSV_2, up=UPPER)
    assert first != second
    for profile, bytes_of, starts in (([], first, ["csv", "up"]), (["--profile", "ship"], second, ["csv"]), (["--profile", "dev"], first, ["csv"]),
                                      (["--profile", "none"], first, [])):
        run(*profile)
        assert output() == bytes_of and started() == starts, (profile, started())


def the_option_replaces_importers_and_the_last_counts():
    project({}, TYPES + "importers: " + json.dumps({"up": UPPER}) + "\n")
    bake = ["-q", "-s", "s.yaml", "-o", "all.kiln", *INPUTS]
    first, second = expected(csv=CSV_1, up=UPPER), expected(csv=CSV_2, up=UPPER)
    run(*bake, "--importer", "csv: {command: [tools/csv, 1], output: yaml}")
    assert output() == first
    run(*bake, "--importer", json.dumps({"csv": CSV_1, "other": CSV_1}), "--importer", "csv: {command: [tools/csv, 2], output: yaml}")
    assert output() == second
    run("-q", "header", "-s", "s.yaml", "-o", "x.h", "--importer", "csv: {command: [none], output: yaml}")
    run("check", "-s", "s.yaml", *INPUTS, "--importer", json.dumps({"csv": CSV_1}))


def plans_have_the_importers():
    project({"csv": CSV_1, "up": UPPER}, headers={"a.h": None})
    if not shutil.which("make"):
        return
    run("plan", "--format", "make", "-o", "plan.mk")
    path = os.path.dirname(BAKE) + ":" + os.environ["PATH"]
    subprocess.run(["make", "-f", "plan.mk"], check=True, capture_output=True, env=dict(os.environ, PATH=path, IMPORT_LOG="/dev/null"))
    assert output() == expected(csv=CSV_1, up=UPPER)


def all_words_reach_the_program():
    odd = ["", " ", "a b", "'", '"', "\\", "\\n", "\n", "\t", "\x01", "\x7f", "\x85", "$HOME", "$(id)", "#", "- x", "{a: b}", "~", "null", "\u00fc",
           "\u2028", "\ufeff", "\U0001f600", "%s", "x" * 5000]
    show = {"command": ["sh", "-c", 'for i in "$@"; do printf "%s|" "$i"; done', "sh", *odd], "output": "bytes"}
    project({"csv": CSV_1, "up": show})
    run()
    assert ("|".join(odd) + "|data/a.csv|").encode() in output()


def a_change_starts_only_importers_that_change():
    project({"csv": CSV_1, "up": UPPER})
    run()
    assert started() == ["csv", "up"]
    project({"csv": CSV_1, "up": UPPER, "unused": CSV_2})
    run()
    assert started() == []
    project({"csv": dict(CSV_1, timeout="5s"), "up": UPPER})
    run()
    assert started() == []
    project({"csv": CSV_2, "up": UPPER})
    run()
    assert started() == ["csv"] and output() == expected(csv=CSV_2, up=UPPER)
    assert run("-v") == "all.kiln: up to date\n"


def inputs_are_relative_to_the_project():
    more = dict(CSV_1, inputs=["tools/more", "sub/\"odd\" name"])
    project({"csv": more, "up": dict(UPPER, inputs="unknown")})
    write("tools/more", "1")
    run("--project", os.path.abspath("kiln.yaml"), cwd="/")
    assert started() == ["csv", "up"]
    for path in ("tools/more", "sub/\"odd\" name"):
        write(path, "2")
        run("--project", os.path.abspath("kiln.yaml"), cwd="/")
        assert started() == ["csv", "up"], path
        # The inputs of the other are unknown.
        run("--project", os.path.abspath("kiln.yaml"), cwd="/")
        assert started() == ["up"]


MISTAKES = [
    ("", "--importer:1:1: error: importers: expected a mapping of names to importers [schema]"),
    ("csv", "--importer:1:1: error: importers: expected a mapping of names to importers [schema]"),
    ("[csv]", "--importer:1:1: error: importers: expected a mapping of names to importers [schema]"),
    ("{csv", "--importer:"),
    ("{csv: 1}", "--importer:1:7: error: importers: expected a mapping, found a scalar [schema]"),
    ("csv: {output: yaml}", "missing `command` of an importer"),
    ("csv: {command: [x]}", "missing `output` of an importer"),
    ("csv: {command: [x], output: bytes}", "the importer \"csv\" outputs bytes, but a file rule needs yaml"),
    ("csv: {command: [x], output: yaml, outptu: x}", "unknown key \"outptu\""),
    ("{csv: {command: [x], output: yaml}, csv: {command: [x], output: yaml}}", "the key \"csv\" is given twice"),
    ("csv: {command: [x], output: yaml}\n--- a\n", "expected a mapping of names to importers"),
    ("csb: {command: [x], output: yaml}", "unknown importer \"csv\""),
]


def mistakes_are_reported():
    project({"csv": CSV_1, "up": UPPER})
    for text, message in MISTAKES:
        err = run("check", "-s", "s.yaml", *INPUTS, "--importer", text, code=1)
        assert message in err, (text, err)
    assert "with --importer" in run("check", "-s", "s.yaml", *INPUTS, code=1)
    assert "--importer" in run("--importer", "csv: {command: [x], output: yaml}", code=2)


CASES = [rules_and_values_name_importers_of_the_project, they_replace_those_of_schemas_and_profiles_replace_them,
         the_option_replaces_importers_and_the_last_counts, plans_have_the_importers, all_words_reach_the_program,
         a_change_starts_only_importers_that_change, inputs_are_relative_to_the_project, mistakes_are_reported]


sys.exit(run_cases(CASES))
