#!/usr/bin/env python3
"""Results of importers that a project keeps: which edits start which importers again, and that all outputs and messages are those
of a project without results (TAP).

    kept_results.py KILN_BAKE
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from project_cases import run_cases

BAKE = str(pathlib.Path(sys.argv[1]).resolve())
SCHEMA = """kiln: 1
types:
  Item: {struct: {n: u32, old: {type: u8, default: 0, deprecated: true}}, asset: true}
  Page: {struct: {text: string, more: bytes?}, asset: true}
importers:
  csv: {command: [tools/csv, --strict], output: yaml}
  upper: {command: [sh, tools/upper, tools/words], output: bytes}
  found: {command: [lower], output: bytes}
files:
  - {match: "*.csv", import: csv, shape: kinds}
"""
CSV = """#!/bin/sh
echo "csv $2" >>"$IMPORT_LOG"
echo "not shown" >&2
sed 's/,/: {n: /; s/$/}/; s/^/  /; 1iItem:' "$2"
"""
UPPER = 'echo "upper $2" >>"$IMPORT_LOG"\ncat "$1" "$2" | tr a-z A-Z\n'
LOWER = '#!/bin/sh\necho "lower $1" >>"$IMPORT_LOG"\necho "$WORD"; tr A-Z a-z <"$1"\n'
ALL = ["csv data/a.csv", "csv data/b.csv", "lower data/t.txt", "upper data/t.txt"]


def write(path, text, mode=None):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    pathlib.Path(path).write_text(text, encoding="utf-8")
    if mode:
        os.chmod(path, mode)


def edit(path, old, new):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    assert old in text, (path, text)
    pathlib.Path(path).write_text(text.replace(old, new), encoding="utf-8")


def project():
    write("kiln.yaml", "kiln: 1\nschemas: s.yaml\nbundles: {all: {sources: [data/*.yaml, data/*.csv], output: out/all.kiln}}\n")
    write("s.yaml", SCHEMA)
    write("tools/csv", CSV, 0o755)
    write("tools/upper", UPPER)
    write("tools/words", "words ")
    write("bin/lower", LOWER, 0o755)
    write("data/a.csv", "a,1\n")
    write("data/b.csv", "b,2\n")
    write("data/t.txt", "Text")
    write("data/pages.yaml", "Page: {p: {text: !import:upper t.txt, more: !import:found t.txt}, q: {text: !import:upper t.txt}}\n")


def started():
    return sorted(pathlib.Path("../log").read_text(encoding="utf-8").splitlines())


def only(*words):
    """Bakes with the records of earlier runs. Returns the messages."""
    return run(*words, repeats=False)[1]


def run(*words, env=None, repeats=True):
    """Returns exit code, messages, and the importers that were started."""
    log = os.path.abspath("../log")
    pathlib.Path(log).write_text("", encoding="utf-8")
    # No step is up to date.
    for name in ("steps", "memos") if repeats else ():
        shutil.rmtree(os.path.join(".kiln", name), ignore_errors=True)
    variables = dict(os.environ, IMPORT_LOG=log, PATH=os.path.abspath("bin") + ":" + os.environ["PATH"])
    variables.update(env or {})
    done = subprocess.run([BAKE, *words], capture_output=True, text=True, check=False, env=variables, timeout=60)
    return done.returncode, done.stderr, started()


def output():
    return pathlib.Path("out/all.kiln").read_bytes() if os.path.exists("out/all.kiln") else b""


COUNTS = r"importers were started (\d+) times?, results reused (\d+) times?\n"


def bake(*words, env=None):
    """Bakes, and compares everything with a bake of the same project without results. Returns the started importers."""
    code, messages, starts = run("-v", *words, env=env)
    assert code or sum(int(count[0]) for count in re.findall(COUNTS, messages)) == len(starts), (messages, starts)
    baked = output()
    os.rename(".kiln", "../kept") if os.path.exists(".kiln") else None
    os.rename("out", "../old") if os.path.exists("out") else None
    clean = run("-v", *words, env=env)
    assert clean[0] == code and re.sub(COUNTS, "", clean[1]) == re.sub(COUNTS, "", messages), (messages, clean)
    assert code or output() == baked, "the bytes differ from those of a clean bake"
    for path in (".kiln", "out"):
        shutil.rmtree(path, ignore_errors=True)
    os.rename("../kept", ".kiln") if os.path.exists("../kept") else None
    os.rename("../old", "out") if os.path.exists("../old") else None
    return starts


def kept():
    return sorted(pathlib.Path(".kiln/imports/all").glob("*")) if os.path.exists(".kiln/imports/all") else []


def result_of(text):
    """The file with the result that contains a text."""
    found = [path for path in kept() if text in path.read_bytes()]
    assert len(found) == 1, found
    return found[0]


def change(text, make):
    """An edit that damages the file of a result."""
    def damage():
        path = result_of(text)
        data = path.read_bytes()
        path.unlink()
        make(path, data)
    return damage


def flip(at):
    return lambda path, data: path.write_bytes(data[:at % len(data)] + bytes([data[at % len(data)] ^ 1]) + data[at % len(data) + 1:])


def swap():
    a, b = result_of(b"a: {n"), result_of(b"b: {n")
    a.rename("swapped")
    b.rename(a)
    pathlib.Path("swapped").rename(b)


def second_item():
    edit("data/pages.yaml", "q:", "r:")


# Edits in this order, and the importers that they start. The output is always that of a clean bake.
EDITS = [
    ("the first bake", project, ALL),
    ("nothing", lambda: None, []),
    ("another source", second_item, []),
    ("touched inputs", lambda: [os.utime(path, (5, 5)) for path in ("data/a.csv", "tools/csv", "data/t.txt")], []),
    ("a source", lambda: edit("data/a.csv", "1", "3"), ["csv data/a.csv"]),
    ("a source as it was", lambda: edit("data/a.csv", "3", "1"), ["csv data/a.csv"]),
    ("a source of two importers", lambda: write("data/t.txt", "Other"), ALL[2:]),
    ("a program with a path", lambda: edit("tools/csv", "1i", "1 i"), ALL[:2]),
    ("a program that is an argument", lambda: edit("tools/upper", "tr a-z A-Z", "tr a-y A-Y"), ALL[3:]),
    ("a file that is an argument", lambda: write("tools/words", "other words "), ALL[3:]),
    ("a missing file that is an argument", lambda: os.unlink("tools/words"), ALL[3:]),
    ("a new file that is an argument", lambda: write("tools/words", "new words "), ALL[3:]),
    ("a program in PATH", lambda: edit("bin/lower", "A-Z a-z", "A-Y a-y"), ALL[2:3]),
    ("an argument", lambda: edit("s.yaml", "--strict", "--lenient"), ALL[:2]),
    ("the time limit", lambda: edit("s.yaml", "output: yaml", "output: yaml, timeout: 50s"), []),
    ("the name of an importer", lambda: (edit("s.yaml", "upper: ", "large: "), edit("data/pages.yaml", "import:upper", "import:large")), []),
]

# The same for damages of what is kept; the output does not change.
DAMAGES = [
    ("a byte of a kept output", change(b"a: {n", flip(-3)), ["csv data/a.csv"]),
    ("a byte of its magic", change(b"a: {n", flip(0)), ["csv data/a.csv"]),
    ("its version", change(b"a: {n", flip(8)), ["csv data/a.csv"]),
    ("its zero", change(b"a: {n", flip(12)), ["csv data/a.csv"]),
    ("the hash of its command", change(b"a: {n", flip(16)), ["csv data/a.csv"]),
    ("the hash of its inputs", change(b"a: {n", flip(40)), ["csv data/a.csv"]),
    ("the hash of its output", change(b"a: {n", flip(48)), ["csv data/a.csv"]),
    ("its size", change(b"a: {n", flip(64)), ["csv data/a.csv"]),
    ("a result without its last byte", change(b"b: {n", lambda path, data: path.write_bytes(data[:-1])), ["csv data/b.csv"]),
    ("a result with one byte more", change(b"b: {n", lambda path, data: path.write_bytes(data + b"\n")), ["csv data/b.csv"]),
    ("half a header", change(b"b: {n", lambda path, data: path.write_bytes(data[:40])), ["csv data/b.csv"]),
    ("an empty result", change(b"b: {n", lambda path, data: path.write_bytes(b"")), ["csv data/b.csv"]),
    ("a huge result", change(b"b: {n", lambda path, data: (path.write_bytes(b""), os.truncate(path, 1 << 40))), ["csv data/b.csv"]),
    ("a dangling link", change(b"b: {n", lambda path, data: path.symlink_to("nowhere")), ["csv data/b.csv"]),
    ("two results whose names are exchanged", swap, ALL[:2]),
    ("a pipe", change(b"b: {n", lambda path, data: os.mkfifo(path)), ["csv data/b.csv"]),
    ("no results", lambda: shutil.rmtree(".kiln/imports"), ALL),
]


def edits_start_what_they_affect():
    for name, make, expected in EDITS:
        make()
        starts = bake()
        assert starts == expected, (name, starts, run("-v"))
        assert len(kept()) == 4, (name, kept())


def damaged_results_are_not_used():
    project()
    assert bake() == ALL
    clean = output()
    for name, make, expected in DAMAGES:
        make()
        os.remove("out/all.kiln")
        code, messages, starts = run()
        assert code == 0 and starts == expected and output() == clean, (name, starts, messages)
        assert len(kept()) == 4, (name, kept())


def variables_are_inputs():
    project()
    assert bake(env={"WORD": "a"}) == ALL
    assert bake(env={"WORD": "a"}) == []
    assert bake(env={"WORD": "b"}) == ALL
    assert bake() == ALL
    assert bake(env={"WORD": ""}) == ALL
    # Those of the shell, of make and of caches are not.
    same = {"SHLVL": "7", "OLDPWD": "/", "MAKELEVEL": "2", "MFLAGS": "-k", "KILN_CACHE_TOKEN": "secret"}
    assert bake(env=dict(same, WORD="")) == []


def the_working_folder_is_an_input():
    project()
    assert bake() == ALL
    here = os.getcwd()
    os.rename(here, here + "2")
    os.chdir(here + "2")
    assert bake() == ALL and bake() == []


def an_importer_that_fails_is_never_kept():
    project()
    write("tools/csv", CSV.replace("sed", "[ \"$2\" != data/b.csv ] || exit 3\nsed"))
    assert bake() == ALL
    assert bake() == ["csv data/b.csv"] and bake() == ["csv data/b.csv"]
    write("tools/csv", CSV)
    assert bake() == ALL[:2]
    # One that fails now is not replaced by an earlier success.
    os.chmod("tools/csv", 0o644)
    code, messages, starts = run()
    assert code == 1 and starts == [] and messages.count("Permission denied") == 2, messages
    os.chmod("tools/csv", 0o755)
    assert bake() == []
    os.rename("tools/csv", "tools/gone")
    assert run()[0] == 1
    os.rename("tools/gone", "tools/csv")
    assert bake() == []


def whether_a_program_can_be_started_is_an_input():
    project()
    write("early/lower", LOWER.replace("echo", "echo early; echo"), 0o644)
    cache = os.path.abspath("../cache")
    words = {"env": {"PATH": os.pathsep.join([os.path.abspath("early"), os.path.abspath("bin"), os.environ["PATH"]]), "KILN_CACHE": cache}}
    assert run(**words)[2] == ALL
    first = output()
    # A program that can no longer be started is an error, with and without a result in a cache.
    os.chmod("tools/csv", 0o644)
    for more in ([], ["--compare-contents"]):
        code, messages, _ = run("-v", *more, repeats=False, **words)
        assert code == 1 and "tools/csv: is no longer executable" in messages, messages
    assert run(**words)[0] == 1
    os.chmod("tools/csv", 0o755)
    code, messages, starts = run(repeats=False, **words)
    assert code == 0 and starts == [] and output() == first, messages
    # One that comes earlier in PATH replaces the one that was found.
    os.chmod("early/lower", 0o755)
    code, messages, starts = run("-v", repeats=False, **words)
    assert "lower: is executable now" in messages and starts == ["lower data/t.txt"] and output() != first, messages
    # Another change of permissions changes nothing.
    os.chmod("tools/csv", 0o700)
    assert "up to date" in run(repeats=False, **words)[1]


def a_bake_that_fails_keeps_results():
    project()
    edit("data/pages.yaml", "q: {", "q: {wrong: 1, ")
    assert bake() == ALL and not os.path.exists("out/all.kiln")
    edit("data/pages.yaml", "wrong: 1, ", "")
    assert bake() == []


def results_are_not_used_where_they_must_not():
    project()
    assert bake() == ALL and bake() == []
    assert run("--force")[2] == ALL
    assert run("check")[2] == ALL
    code, messages, starts = run("--no-importers")
    assert code == 1 and starts == [] and messages.count("because of --no-importers") == 5, messages
    code, messages, starts = run("prove")
    # One bake for each condition.
    assert code == 0 and len(starts) > 4 * len(ALL) and len(starts) % len(ALL) == 0, (messages, len(starts))
    assert bake() == []


def force_replaces_results():
    project()
    write("tools/csv", CSV.replace("sed ", "cat data/hidden >>/dev/null; [ ! -e data/other ] || { echo 'Item: {o: {n: 9}}'; exit; }; sed ", 1))
    os.remove("data/b.csv")
    write("data/hidden", "")
    assert run()[0] == 0
    before = output()
    write("data/other", "")
    # The importer does not show this input.
    assert run()[0] == 0 and output() == before
    assert run("--force")[0] == 0 and output() != before
    assert bake() == []


def declared_inputs_are_inputs():
    project()
    hidden = CSV.replace("sed ", "cat data/hidden data/late >>\"$IMPORT_LOG.seen\" 2>/dev/null; sed ", 1)
    write("tools/csv", hidden)
    write("sub/s.yaml", SCHEMA.replace("[tools/csv, --strict]", "[../tools/csv, --strict], inputs: [../data/hidden, ../data/late]")
          .replace("[sh, tools/upper, tools/words]", "[sh, tools/upper, tools/words], inputs: []"))
    edit("kiln.yaml", "s.yaml", "sub/s.yaml")
    write("data/hidden", "1")
    assert bake() == ALL and bake() == []
    for make in (lambda: write("data/hidden", "2"), lambda: write("data/late", "3"), lambda: os.remove("data/late"),
                 lambda: os.remove("data/hidden"), lambda: write("data/hidden", "4")):
        make()
        # The record of the step has them, too.
        assert "up to date" not in only() and started() == ALL[:2] and bake() == []
        assert "up to date" in only()
    done = subprocess.run([BAKE, "-q", "-s", "sub/s.yaml", "-o", "x.kiln", "-MD", "data/a.csv"], check=True, env=dict(os.environ, IMPORT_LOG="/dev/null"))
    assert done.returncode == 0 and "data/hidden" in pathlib.Path("x.d").read_text(encoding="utf-8")


def importers_with_equal_commands_have_their_own_results():
    project()
    write("s.yaml", SCHEMA.replace("  found:", "  upper2: {command: [sh, tools/upper, tools/words], inputs: [data/more], output: bytes}\n  found:"))
    edit("data/pages.yaml", "more: !import:found t.txt", "more: !import:upper2 t.txt")
    assert bake() == [ALL[0], ALL[1], ALL[3], ALL[3]]
    assert bake() == [] and bake() == []
    # A change of the inputs of one does not start the other.
    write("data/more", "")
    assert bake() == ["upper data/t.txt"] and bake() == []


def paths_without_files_in_arguments_are_inputs():
    project()
    assert bake() == ALL
    for make in (lambda: os.remove("tools/words"), lambda: write("tools/words", "new words ")):
        make()
        # The record of the step has the path, too.
        assert "up to date" not in only() and started() == ALL[3:] and bake() == []
        assert "up to date" in only()
    edit("s.yaml", "tools/words]", f"tools/none, {'x' * 5000}, {'y/' * 300}]")
    assert "up to date" not in only() and "up to date" in only()


def unknown_inputs_start_an_importer_always():
    project()
    edit("s.yaml", "[lower], output: bytes", "[lower], output: bytes, inputs: unknown")
    assert bake() == ALL and bake() == ALL[2:3] and len(kept()) == 3
    # Without the record being removed, the step runs, too.
    for _ in range(2):
        assert "up to date" not in only() and started() == ALL[2:3]
    # An earlier record explains nothing any more.
    edit("s.yaml", ", inputs: unknown", "")
    assert bake() == ALL[2:3]
    edit("s.yaml", "[lower], output: bytes", "[lower], output: bytes, inputs: unknown")
    run(repeats=False)
    assert subprocess.run([BAKE, "why"], capture_output=True, text=True, check=True).stdout == "out/all.kiln: no record of an earlier bake\n"
    edit("s.yaml", "inputs: unknown", "inputs: [data]")
    assert bake() == ALL[2:3] and bake() == ALL[2:3]
    edit("s.yaml", ", inputs: [data]", "")
    assert bake() == ALL[2:3] and bake() == []
    # Another importer of the same source is not affected.
    edit("s.yaml", "tools/words], output: bytes", "tools/words], output: bytes, inputs: unknown")
    assert bake() == ALL[3:] and bake() == ALL[3:]


def results_of_vanished_importers_are_removed():
    project()
    assert bake() == ALL and len(kept()) == 4
    write(".kiln/imports/all/README", "not a result")
    os.remove("data/a.csv")
    assert bake() == [] and len(kept()) == 4
    os.remove(".kiln/imports/all/README")
    edit("data/pages.yaml", ", more: !import:found t.txt", "")
    assert bake() == [] and len(kept()) == 2
    write("s.yaml", SCHEMA.split("importers")[0])
    for path in ("data/b.csv", "data/pages.yaml"):
        os.remove(path)
    write("data/pages.yaml", "Item: {a: {n: 1}}\n")
    write("kiln.yaml", "kiln: 1\nschemas: s.yaml\nbundles: {all: {sources: data/*.yaml, output: out/all.kiln}}\n")
    assert bake() == [] and kept() == []


def an_input_that_changes_meanwhile_prevents_a_result():
    project()
    write("tools/csv", CSV + 'echo >>"$2"\n')
    write("tools/csv", (CSV + "touch \"$2\"\n"), 0o755)
    assert run()[2] == ALL and run()[2] == ALL[:2] and run()[2] == ALL[:2]
    # Its earlier result was not from these inputs either.
    write("tools/csv", CSV)
    assert bake() == ALL[:2] and bake() == []


def a_killed_bake_keeps_the_results_that_it_has():
    project()
    write("tools/csv", CSV + '[ "$2" != data/b.csv ] || { [ -e ../go ] || { touch ../ready; exec sleep 5; }; }\n')
    bake_of = subprocess.Popen([BAKE, "-q"], env=dict(os.environ, IMPORT_LOG=os.path.abspath("../log"), PATH=os.path.abspath("bin") + ":" + os.environ["PATH"]))
    while not os.path.exists("../ready"):
        time.sleep(0.01)
    bake_of.kill()
    bake_of.wait()
    write("../go", "")
    assert len(kept()) == 1
    assert bake() == ALL[1:] and bake() == []


def the_limit_of_outputs_applies():
    project()
    write("tools/words", "words " * 200)
    assert bake("--max-input=4K") == ALL
    assert bake("--max-input=4K") == []
    code, messages, starts = run("--max-input=1K")
    assert code and starts == [] or "upper data/t.txt" in starts, messages


def results_that_cannot_be_written_change_nothing():
    project()
    write(".kiln/imports", "")
    assert bake() == ALL and bake() == ALL
    os.remove(".kiln/imports")
    assert bake() == ALL and bake() == []


def steps_have_their_own_results():
    project()
    edit("kiln.yaml", "bundles: {", "bundles: {b_1: {sources: data/b.csv, output: out/b.kiln}, ")
    assert bake() == sorted(ALL + ["csv data/b.csv"]) and bake() == []
    assert len(kept()) == 4 and len(os.listdir(".kiln/imports")) == 2
    assert run("clean")[0] == 0 and not os.path.exists(".kiln")


def messages_are_those_of_a_clean_bake():
    project()
    edit("tools/csv", "s/$/}/", "s/$/, old: 1}/")
    for expected in (ALL, []):
        assert bake() == expected
        assert run()[1].count("warning") >= 2 and "not shown" not in run()[1]


CASES = [edits_start_what_they_affect, damaged_results_are_not_used, variables_are_inputs, the_working_folder_is_an_input, an_importer_that_fails_is_never_kept,
         whether_a_program_can_be_started_is_an_input, a_bake_that_fails_keeps_results, results_are_not_used_where_they_must_not, force_replaces_results, declared_inputs_are_inputs, importers_with_equal_commands_have_their_own_results,
         paths_without_files_in_arguments_are_inputs, unknown_inputs_start_an_importer_always,
         results_of_vanished_importers_are_removed, an_input_that_changes_meanwhile_prevents_a_result, a_killed_bake_keeps_the_results_that_it_has,
         the_limit_of_outputs_applies,
         results_that_cannot_be_written_change_nothing, steps_have_their_own_results, messages_are_those_of_a_clean_bake]


sys.exit(run_cases(CASES))
