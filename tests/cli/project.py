#!/usr/bin/env python3
"""Bakes projects: order, failures, profiles, patterns, links, hostile names, clean (TAP).

    project.py KILN_BAKE SAMPLES GAME.kiln GAME.h

GAME.kiln and GAME.h are what the build makes of SAMPLES/game without a project file.
"""

import filecmp
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

BAKE = str(pathlib.Path(sys.argv[1]).resolve())
SAMPLES, GAME_FILE, GAME_HEADER = (pathlib.Path(word).resolve() for word in sys.argv[2:5])
SCHEMA = b"kiln: 1\ntypes: {T: {struct: {n: u8, other: {type: ref<T>?}}, asset: true}}\n"
HEAD = "kiln: 1\nschemas: s.yaml\n"
# Two bundles that need each other in reverse order, and one that needs none.
THREE = HEAD + """bundles:
  two: {sources: data/two/*.yaml, output: out/deep/two.kiln, externs: [one], source_map: out/two.json}
  one: {sources: data/one/*.yaml, output: out/one.kiln}
  other: {sources: data/other.yaml, output: out/other.kiln, compress: 1}
headers: {out/types.h: }
profiles:
  big: {no_types: true, bundles: {other: {output: out/big.kiln, no_types: false}}}
"""
OUTPUTS = ["out/deep/two.kiln", "out/one.kiln", "out/other.kiln", "out/two.json", "out/types.h"]


def write(path, data):
    path = os.fsencode(path)
    os.makedirs(os.path.dirname(path) or b".", exist_ok=True)
    with open(path, "wb") as stream:
        stream.write(data if isinstance(data, bytes) else data.encode())


def run(*words, code=0, cwd=None):
    done = subprocess.run([BAKE, *words], cwd=cwd, capture_output=True, check=False)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr.decode(errors="surrogateescape")


def tree(folder=b"."):
    """{path: content, target of a link or None for a folder} of everything below a folder but the state of projects."""
    found = {}
    for at, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != b".kiln" or os.path.islink(os.path.join(at, name))]
        for name in folders + names:
            path = os.path.join(at, name)
            if os.path.islink(path):
                found[path] = os.readlink(path)
            elif os.path.isdir(path):
                found[path] = None
            else:
                found[path] = pathlib.Path(os.fsdecode(path)).read_bytes()
    return found


def files():
    return sorted(os.fsdecode(os.path.relpath(path)) for path, data in tree().items() if data is not None)


def three():
    write("s.yaml", SCHEMA)
    write("data/one/a.yaml", "T: {a: {n: 1}}\n")
    write("data/two/b.yaml", "T: {b: {n: 2, other: a}}\n")
    write("data/other.yaml", "T: {c: {n: 3}}\n")
    write("kiln.yaml", THREE)
    return sorted(["s.yaml", "data/one/a.yaml", "data/two/b.yaml", "data/other.yaml", "kiln.yaml"])


def without_a_project_file_the_help_is_printed():
    out, err = run(code=2)
    assert out == b"" and err.startswith("kiln-bake - compile YAML"), err
    os.mkdir("kiln.yaml")
    out, err = run(code=2)
    assert err.startswith("kiln-bake - compile YAML"), err
    _, err = run("list-outputs", code=2)
    assert err == "kiln-bake: cannot read kiln.yaml: Is a directory\n", err
    _, err = run("--profile", "x", "-C", "nowhere", code=2)
    assert err == "kiln-bake: cannot read nowhere/kiln.yaml: No such file or directory\n", err


def bundles_are_baked_after_those_that_they_need():
    inputs = three()
    out, err = run()
    lines = err.splitlines()
    assert out == b"" and [line.split(":")[0] for line in lines] == [
        "out/one.kiln", "out/deep/two.kiln", "out/other.kiln", "out/types.h"], err
    assert lines[1] == "out/deep/two.kiln: 1 asset of 1 type, " + lines[1].split(", ")[1], err
    assert files() == sorted(inputs + OUTPUTS), files()
    before = tree()
    assert run("build", "-q") == (b"", "") and tree() == before
    shutil.rmtree("out")
    _, err = run("two")
    assert [line.split(":")[0] for line in err.splitlines()] == ["out/one.kiln", "out/deep/two.kiln"], err
    _, err = run("build", "other", "one", "other")
    assert [line.split(":")[0] for line in err.splitlines()] == ["out/other.kiln", "out/one.kiln"], err


def each_bundle_is_what_the_single_form_bakes():
    three()
    run()
    single = ["-q", "-s", "s.yaml"]
    run(*single, "-o", "one", "data/one/a.yaml")
    run(*single, "-x", "one", "-o", "two", "--source-map", "two.json", "data/two/b.yaml")
    run(*single, "-o", "other", "--compress", "1", "data/other.yaml")
    run("header", *single, "-o", "types.h")
    for single, name in (("one", "one.kiln"), ("two", "deep/two.kiln"), ("other", "other.kiln"),
                         ("two.json", "two.json"), ("types.h", "types.h")):
        assert filecmp.cmp(single, "out/" + name, shallow=False), name


def a_failed_bundle_stops_only_those_that_need_it():
    three()
    write("data/one/a.yaml", "T: {a: {n: 256}}\n")
    _, err = run(code=1)
    lines = err.splitlines()
    assert lines[0].startswith("data/one/a.yaml:1:12: error: T/a.n: 256 exceeds"), err
    assert "kiln-bake: two is not baked, because one failed" in lines, err
    written = [path for path in files() if path.startswith("out/")]
    assert written == ["out/other.kiln", "out/types.h"], written
    _, err = run("check", code=1)
    assert "kiln-bake: two is not checked, because one failed\n" in err and "other: checked: 1 asset" in err, err
    _, err = run("--diagnostics=json", code=1)
    rules = [json.loads(line)["rule"] for line in err.splitlines()]
    assert rules == ["range", "run"], err
    os.remove("data/one/a.yaml")
    before = tree()
    _, err = run(code=1)
    assert err.startswith("kiln.yaml:5:18: error: bundles.one.sources: this pattern matches no file"), err
    assert tree() == before


def a_warning_is_an_error_if_the_project_or_the_command_line_says_so():
    write("s.yaml", SCHEMA.replace(b"n: u8", b"n: {type: u8, deprecated: true}"))
    write("a.yaml", "T: {a: {n: 1}}\n")
    write("kiln.yaml", HEAD + "bundles: {a: {sources: a.yaml, output: a.kiln}}\nprofiles: {ship: {werror: true}}\n")
    assert "warning" in run()[1]
    before = tree()
    assert "warning" in run("--profile", "ship", code=1)[1] and "warning" in run("-Werror", code=1)[1]
    assert tree() == before


def check_writes_nothing_and_needs_no_outputs():
    three()
    before = tree()
    _, err = run("check")
    assert [line.split(",")[0] for line in err.splitlines()] == [
        f"{name}: checked: 1 asset against 1 type of the schema" for name in ("one", "two", "other")], err
    write("data/two/b.yaml", "T: {b: {n: 2, other: missing}}\n")
    _, err = run("check", "two", code=1)
    assert err.startswith("one: checked") and "[reference]" in err, err
    write("data/two/b.yaml", "T: {b: {n: 2, other: a}}\n")
    assert tree() == before
    env = dict(os.environ, TMPDIR="/nowhere")
    done = subprocess.run([BAKE, "check"], capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 2 and "kiln-bake: cannot write a temporary file: " in done.stderr, done
    assert tree() == before


def outputs_are_listed_and_exactly_these_are_removed():
    inputs = three()
    listed = run("list-outputs")[0].decode().splitlines()
    assert listed == OUTPUTS, listed
    listed = run("list-outputs", "--profile=big")[0].decode().splitlines()
    assert listed == sorted([*OUTPUTS[:2], "out/big.kiln", *OUTPUTS[3:]]), listed
    run("-q")
    run("-q", "--profile", "big")
    write("out/mine.txt", "mine")
    write(".kiln/steps/deep/one", "state")
    os.symlink("../../out", ".kiln/steps/link")
    _, err = run("clean")
    assert err.splitlines() == [f"{path}: removed" for path in [*OUTPUTS, ".kiln"]], err
    assert files() == sorted(inputs + ["out/big.kiln", "out/mine.txt"]), files()
    assert run("clean") == (b"", "") and os.path.isdir("out/deep")


def clean_removes_no_folder_and_follows_no_link():
    three()
    os.makedirs("out/one.kiln/full")
    write("out/deep/two.kiln", "x")
    _, err = run("clean", code=2)
    assert err.endswith("kiln-bake: cannot remove out/one.kiln: it is a folder\n"), err
    os.rmdir("out/one.kiln/full")
    os.rmdir("out/one.kiln")
    write("mine/a", "mine")
    os.symlink("../mine/a", "out/one.kiln")
    os.symlink("mine", ".kiln")
    _, err = run("clean", code=2)
    assert err == "out/one.kiln: removed\nkiln-bake: cannot remove .kiln: it is not a folder\n", err
    assert pathlib.Path("mine/a").read_text(encoding="utf-8") == "mine" and os.path.islink(".kiln")


def clean_works_without_sources_but_never_removes_one():
    three()
    run("-q")
    shutil.rmtree("data")
    os.remove("s.yaml")
    run("clean", "-q")
    three()
    write("kiln.yaml", HEAD + "bundles: {a: {sources: data/one/*.yaml, output: out/a.yaml}}\n")
    shutil.rmtree("out")
    os.symlink("data/one", "out")
    before = tree()
    for command in ("clean", "build", "check"):
        _, err = run(command, code=1)
        assert '"out/a.yaml" cannot be an output: it is the source "data/one/a.yaml"' in err, err
        assert tree() == before


def two_names_of_one_output_are_an_error():
    three()
    os.mkdir("real")
    os.symlink("real", "link")
    write("kiln.yaml", HEAD + "bundles:\n  a: {sources: data/one/*.yaml, output: real/x}\n"
          "  b: {sources: data/other.yaml, output: link/x}\n")
    _, err = run(code=1)
    assert "two outputs have the path" in err, err


def a_project_can_be_baked_from_any_folder():
    inputs = three()
    run("-q")
    expected = tree()
    run("-q", "clean")
    folder = os.getcwd()
    with tempfile.TemporaryDirectory() as elsewhere:
        relative = os.path.relpath(folder, elsewhere)
        for words in (["-C", folder], ["-C", relative + "//"], ["--project", folder + "/kiln.yaml"],
                      ["--project", os.path.join(relative, "kiln.yaml")]):
            _, err = run(*words, cwd=elsewhere)
            assert os.path.join(words[1].removesuffix("/kiln.yaml").rstrip("/"), "out/one.kiln") in err, err
            found = tree()
            # The map has the paths of the inputs, as seen from the current folder.
            for path in expected:
                assert found[path] == expected[path] or path.endswith(b".json"), path
            listed = run("list-outputs", *words, cwd=elsewhere)[0].decode().splitlines()
            assert len(listed) == 5 and all(os.path.exists(os.path.join(elsewhere, path)) for path in listed), listed
            run("check", "-q", *words, cwd=elsewhere)
            run("clean", "-q", *words, cwd=elsewhere)
            assert files() == inputs and os.listdir(elsewhere) == [], files()
    os.rename("kiln.yaml", "other.yaml")
    run("-q", "--project", "other.yaml")
    assert files() == sorted(inputs[:3] + ["other.yaml", "s.yaml"] + OUTPUTS), files()


def usage_errors_take_one_line():
    inputs = three()
    rows = [
        ("--profile bgi", "kiln.yaml has no profile 'bgi'; did you mean big?"),
        ("--profile qqq", "kiln.yaml has no profile 'qqq'"),
        ("build othr", "kiln.yaml has no bundle 'othr'; did you mean other?"),
        ("build one qqq", "kiln.yaml has no bundle 'qqq'"),
        ("data/other.yaml", "kiln.yaml has no bundle 'data/other.yaml'"),
        ("chekc", "'chekc' is neither a command nor a bundle of kiln.yaml; did you mean check?"),
        ("claen", "'claen' is neither a command nor a bundle of kiln.yaml; did you mean clean?"),
        ("--project x.yaml", "cannot read x.yaml: No such file or directory"),
        ("-C data --project kiln.yaml", "-C and --project cannot be combined; use one of them"),
        ("-o x", "-o cannot be used with a project file; to bake without kiln.yaml, give a schema with -s"),
        ("-s s.yaml --profile big", "-s cannot be used with a project file"),
        ("--compress 3", "--compress cannot be used with a project file"),
        ("check -x out/one.kiln", "-x cannot be used with a project file"),
        ("list-outputs one", "unexpected argument 'one'"),
        ("clean out/one.kiln", "unexpected argument 'out/one.kiln'"),
        ("clean -s s.yaml", "clean does not accept -s"),
        ("clean --no-importers", "clean does not accept --no-importers"),
        ("list-outputs --durable", "list-outputs does not accept --durable"),
        ("why on", "'on' is neither an output, a bundle nor a baked asset of kiln.yaml; did you mean one?"),
        ("why one qqqqq", "'qqqqq' is neither an output, a bundle nor a baked asset of kiln.yaml"),
        ("why --force", "why does not accept --force"),
        ("why --profile=qqq", "kiln.yaml has no profile 'qqq'"),
        ("header --profile big -s s.yaml -o x", "header does not accept --profile"),
        ("--diagnostics=sarif", "a project cannot write SARIF"),
        ("--diagnostics=json --diagnostics-file=x", "a project cannot write a file of diagnostics"),
        ("--timings=x.yaml", "cannot write x.yaml: the name of a timings file must not end in .yaml"),
        ("build other --timings=out/one.kiln", "cannot write out/one.kiln: it is an output of the project"),
        ("-q --timings", "--timings prints nothing with -q; use --timings=FILE"),
        ("--project=", "cannot read \"\": No such file or directory"),
    ]
    for words, expected in rows:
        _, err = run(*words.split(), code=2)
        assert err.startswith("kiln-bake: " + expected) and err.count("\n") == 1, (words, err)
        assert files() == inputs, words


def each_option_that_the_manual_names_works():
    three()
    text = (SAMPLES.parent / "baker" / "PROJECT.md").read_text(encoding="utf-8")
    listed = text.split("These options work with projects, too: ")[1].split(". All other")[0]
    options = [word.strip("`") for word in listed.replace(" and", ",").replace("\n", " ").split(", ")]
    values = {"-j": ["2"], "--max-input": ["1M"], "--memory": ["1M"], "--max-errors": ["9"], "--color": ["never"], "--cache": ["c"],
              "--cache-shared": ["c"], "--cache-url": ["http://[::1]:9/"], "--cache-size": ["9M"], "--cache-wait": ["50"]}
    assert len(options) > 10, options
    for option in options:
        words = [option, *values.get(option, [])]
        done = subprocess.run([BAKE, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0 or "built without libcurl" in done.stderr, (words, done.stderr)


def a_schema_on_the_command_line_ignores_the_project():
    three()
    write("kiln.yaml", "nonsense: [\n")
    run("-q", "-s", "s.yaml", "-o", "x", "data/other.yaml")
    run("check", "-q", "-s", "s.yaml", "data/other.yaml")
    run("header", "-q", "-s", "s.yaml", "-o", "x.h")


def paths_can_contain_any_character():
    folder = b"a 'b' \"c\" $HOME `d` #e\\f\n\xff*?"
    names = [b"x y.yaml", b"'.yaml", b'".yaml', b"$(x).yaml", b"#.yaml", b"\n.yaml", b"\xfe\xff.yaml", b"-.yaml",
             b"-", b"*.yaml", b"a\\b.yaml", "ä€.yaml".encode(), b"~.yaml", b"%s%n.yaml", b"!x.yaml"]
    os.mkdir(folder)
    os.chdir(folder)
    write("s.yaml", SCHEMA)
    for number, name in enumerate(names):
        write(b"in #1/" + name, f"T: {{a{number}: {{n: {number}}}}}\n")
    write("-", "T: {stdin: {n: 1}}\n")
    output = "o $x \"y\" 'z' #1/ä b%s.kiln"
    write("kiln.yaml", HEAD + "bundles: {a: {sources: [\"in #1/*\", \"-\"], output: " + json.dumps(output) + "}}\n")
    before = len(tree(b".."))
    _, err = run()
    assert err.startswith(output + ": 16 assets of 1 type, "), err
    assert run("list-outputs")[0].decode() == output + "\n"
    assert len(tree(b"..")) == before + 2
    expected = pathlib.Path(output).read_bytes()
    run("-q", "clean")
    os.chdir(b"..")
    os.mkdir("elsewhere")
    run("-q", "-C", b"../" + folder, cwd="elsewhere")
    assert pathlib.Path(os.fsdecode(folder), output).read_bytes() == expected
    assert os.listdir("elsewhere") == []


def patterns_follow_links_to_files_only():
    write("s.yaml", SCHEMA)
    write("data/a.yaml", "T: {a: {n: 1}}\n")
    write("data/.hidden.yaml", "T: {hidden: {n: 1}}\n")
    write("data/.deep/x.yaml", "T: {deep: {n: 1}}\n")
    write("far/b.yaml", "T: {b: {n: 1}}\n")
    write("far/more/c.yaml", "T: {c: {n: 1}}\n")
    os.symlink("../far/b.yaml", "data/link.yaml")
    os.symlink("../far/more", "data/folder")
    os.symlink(".", "data/loop")
    os.symlink("nowhere", "data/dangling.yaml")
    os.mkfifo("data/pipe.yaml")
    rows = [
        ("data/**/*.yaml", 2),          # a, b
        ("data/*", 2),
        ("data/folder/*.yaml", 1),      # c
        ("data/.deep/*.yaml", 1),
        ("[data/.hidden.yaml, data/link.yaml]", 2),
        ("[data/a.yaml, 'data/?.yaml', 'd*/a.yaml', data/loop/a.yaml]", None),
        ("['**', '!s.yaml', '!data/**', '!.a']", 2),
        ("['**/*.yaml', '!data', '!far/more']", 1),
        ("['far/**.yaml']", 2),
        ("['far/**/c.yaml']", 1),
        ("['f??/*/*.yaml']", 1),
    ]
    for patterns, count in rows:
        write("kiln.yaml", HEAD + f"bundles: {{a: {{sources: {patterns}, output: .a}}}}\n")
        if count is None:
            assert "[duplicate]" in run("check", code=1)[1] or "[id]" in run("check", code=1)[1]
            continue
        _, err = run("check")
        assert err.startswith(f"a: checked: {count} asset"), (patterns, err)
    for name, message in (("data/pipe.yaml", "this is not a regular file"), ("data/dangling.yaml", "there is no such file"),
                          ("data/folder", "this is a folder, not a file")):
        write("kiln.yaml", HEAD + f"bundles: {{a: {{sources: {name}, output: .a}}}}\n")
        assert message in run("check", code=1)[1], name


def sources_can_be_outside_of_the_project():
    write("data/a.yaml", "T: {a: {n: 1}}\n")
    write("p/s.yaml", SCHEMA + b"files: [{match: a.yaml, shape: kinds}]\n")
    write("p/kiln.yaml", HEAD + "bundles: {a: {sources: ../data/**/*.yaml, base: ../data, output: a.kiln}}\n")
    run("-q", "-C", "p")
    assert files() == ["data/a.yaml", "p/a.kiln", "p/kiln.yaml", "p/s.yaml"], files()
    run("-q", "-s", "p/s.yaml", "-C", "data", "-o", "x", "a.yaml")
    assert filecmp.cmp("x", "p/a.kiln", shallow=False)
    write("p/kiln.yaml", HEAD + f"bundles: {{a: {{sources: {os.getcwd()}/data/*.yaml, output: ../y}}}}\n")
    run("-q", "-C", "p")
    assert filecmp.cmp("x", "y", shallow=False) and run("clean", "-C", "p")[1] == "p/../y: removed\np/.kiln: removed\n"


def folders_that_cannot_be_used_are_failures():
    three()
    write("out", "a file")
    _, err = run("one", code=2)
    assert err == "kiln-bake: cannot write out/one.kiln: Not a directory\n", err
    os.remove("out")
    os.mkdir("data/one/deep")
    os.chmod("data/one/deep", 0)
    # `data/one/*.yaml` does not need this folder.
    run("one")
    write("kiln.yaml", THREE.replace("data/one/*", "data/one/**/*"))
    if os.geteuid() != 0:
        _, err = run("one", code=2)
        assert err == "kiln-bake: cannot list data/one/deep: Permission denied\n", err
    os.chmod("data/one/deep", 0o700)


def many_bundles_need_each_other_in_a_chain():
    count = 2000
    write("s.yaml", SCHEMA)
    write("a.yaml", "T: {a: {n: 1}}\n")
    lines = "".join(f"  b{i}: {{sources: a.yaml, output: b{i}.kiln, externs: b{(i + 1) % count}}}\n" for i in range(count))
    write("kiln.yaml", HEAD + "bundles:\n" + lines)
    _, err = run("list-outputs")
    assert err == ""
    _, err = run("check", code=1)
    assert "form a cycle: b0 needs b1 needs" in err and err.endswith("1 error\n"), err[-400:]
    for count, code in ((10000, 0), (10001, 1)):
        write("kiln.yaml", HEAD + "headers:\n" + "".join(f"  h{i}:\n" for i in range(count)))
        out, err = run("list-outputs", code=code)
        assert out.count(b"\n") == count if code == 0 else "headers: more than 10000 entries [project]" in err, err


def the_sample_gives_the_bytes_of_its_build():
    shutil.copytree(SAMPLES / "game", "game")
    before = files()
    run("-q", "-C", "game")
    assert files() == sorted([*before, "game/out/game.h", "game/out/game.kiln"]), files()
    assert filecmp.cmp("game/out/game.kiln", GAME_FILE, shallow=False)
    assert filecmp.cmp("game/out/game.h", GAME_HEADER, shallow=False)


def init_makes_an_example_in_an_empty_folder():
    _, err = run("init")
    assert err.splitlines() == ["schemas/game.schema.yaml: written", "data/items.yaml: written", "kiln.yaml: written",
                                "To bake, run `kiln-bake`."], err
    before = tree()
    for words in (["-Werror"], ["--profile", "ship"]):
        _, err = run(*words)
        assert err.startswith("out/game.kiln: 2 assets of 1 type, ") and "out/game.h: " in err, err
        run("clean", "-q")
        os.rmdir("out")
        assert tree() == before
    _, err = run("init", "-q", "new/folder//")
    assert err == ""
    assert {path[len(b"./new/folder/"):] for path in tree() if path.startswith(b"./new/folder/")} == {
        path[2:] for path in before}
    run("-q", "-C", "new/folder")


def init_replaces_no_file():
    rows = [("kiln.yaml", "mine"), ("kiln.yaml", None), ("schemas/game.schema.yaml", None), ("data/items.yaml", None),
            ("data", "mine"), ("schemas", "mine")]
    for number, (name, text) in enumerate(rows):
        folder = f"f{number}"
        os.makedirs(os.path.dirname(f"{folder}/{name}"))
        if text:
            write(f"{folder}/{name}", text)
        else:
            os.symlink("nowhere", f"{folder}/{name}")
        before = {path: data for path, data in tree().items() if data is not None}
        _, err = run("init", folder, code=2)
        reason = "Not a directory" if name in ("data", "schemas") else None
        assert err.startswith(f"kiln-bake: cannot write {folder}/{name}/") and reason in err if reason else \
            err == f"kiln-bake: {folder}/{name} already exists; init does not replace files\n", err
        assert {path: data for path, data in tree().items() if data is not None} == before, name
    _, err = run("init", "a", "b", code=2)
    assert err == "kiln-bake: unexpected argument 'b'\n", err
    _, err = run("init", "-s", "x", code=2)
    assert err == "kiln-bake: init does not accept -s\n", err


def init_infers_a_schema_for_existing_yaml():
    if b"kiln-bake schema infer" not in run("--help")[0]:
        return
    shutil.copytree(SAMPLES / "game" / "data", "data")
    write("top level.yml", "name: x\n")
    write(b"*?! \"\\\n\xff\xc2\x85/a.yaml", "name: y\n")
    write(".hidden/a.yaml", "[: not YAML")
    write("readme.txt", "text")
    before = tree()
    _, err = run("init")
    assert err.splitlines() == ["schemas/data.schema.yaml: written", "kiln.yaml: written",
                                "The schema is a guess: its comments state the evidence.", "To bake, run `kiln-bake`."], err
    new = {b"./kiln.yaml", b"./schemas", b"./schemas/data.schema.yaml"}
    assert {path: data for path, data in tree().items() if path not in new} == before
    _, err = run()
    assert err.startswith("out/data.kiln: "), err
    single = [os.fsdecode(path[2:]) for path in before if path.endswith((b".yaml", b".yml")) and b".hidden" not in path]
    run("-q", "-s", "schemas/data.schema.yaml", "-o", "x", *single)
    assert filecmp.cmp("x", "out/data.kiln", shallow=False)


def init_writes_nothing_for_broken_yaml():
    if b"kiln-bake schema infer" not in run("--help")[0]:
        return
    write("data/a.yaml", "a: [\n")
    before = tree()
    _, err = run("init", code=1)
    assert err.startswith("data/a.yaml:2:1: error: expected a value [yaml]"), err
    assert tree() == before


def init_uses_existing_schemas():
    write("types/s.schema.yaml", SCHEMA)
    _, err = run("init", code=2)
    assert err == "kiln-bake: the folder has schemas, but no YAML files with data\n", err
    write("data/a.yaml", "T: {a: {n: 1}}\n")
    write("data/b.yml", "T: {b: {n: 1}}\n")
    write("c.yaml", "T: {c: {n: 1}}\n")
    _, err = run("init")
    assert err == "kiln.yaml: written\nTo bake, run `kiln-bake`.\n", err
    assert run("check")[1].startswith("data: checked: 3 assets"), pathlib.Path("kiln.yaml").read_text(encoding="utf-8")


def init_recognizes_schemas_by_their_keys():
    write("s.yaml", b"# a schema\ninclude: [lib/e.yaml]\n" + SCHEMA)
    write("lib/e.yaml", "kiln: 1\ntypes:\n  E: {enum: [a]}\n")
    write("lib/d.yaml", "T: {d: {n: 1}}\n")
    write("a.yaml", "T: {a: {n: 1}}\n# types: is no key here\n")
    _, err = run("init")
    assert err == "kiln.yaml: written\nTo bake, run `kiln-bake`.\n", err
    text = pathlib.Path("kiln.yaml").read_text(encoding="utf-8")
    assert 'schemas:\n  - "lib/e.yaml"\n  - "s.yaml"\n' in text, text
    assert run("check")[1].startswith("data: checked: 2 assets"), text


def init_leaves_out_folders_that_are_projects():
    write("s.schema.yaml", SCHEMA)
    write("data/a.yaml", "T: {a: {n: 1}}\n")
    for folder in ("data/sub", "data/sub/deeper", "other"):
        write(f"{folder}/kiln.yaml", "kiln: 1\nschemas: s.yaml\nbundles: {b: {sources: d.yaml, output: o.kiln}}\n")
        write(f"{folder}/s.yaml", SCHEMA)
        write(f"{folder}/d.yaml", "T: {d: {n: 1}}\n")
    run("init")
    text = pathlib.Path("kiln.yaml").read_text(encoding="utf-8")
    assert '      - "data/**/*.yaml"\n      - "!data/sub/**"\n    output' in text, text
    assert 'schemas:\n  - "s.schema.yaml"\nbundles' in text, text
    assert run("check")[1].startswith("data: checked: 1 asset "), text
    _, err = run("init", "data/sub/deeper", code=2)
    assert err == "kiln-bake: data/sub/deeper/kiln.yaml already exists; init does not replace files\n", err
    os.makedirs("above")
    shutil.move("other", "above/other")
    _, err = run("init", "above", code=2)
    assert err == "kiln-bake: above has projects, but no YAML files with data\n", err


CASES = [
    init_makes_an_example_in_an_empty_folder,
    init_replaces_no_file,
    init_infers_a_schema_for_existing_yaml,
    init_writes_nothing_for_broken_yaml,
    init_uses_existing_schemas,
    init_recognizes_schemas_by_their_keys,
    init_leaves_out_folders_that_are_projects,
    without_a_project_file_the_help_is_printed,
    bundles_are_baked_after_those_that_they_need,
    each_bundle_is_what_the_single_form_bakes,
    a_failed_bundle_stops_only_those_that_need_it,
    a_warning_is_an_error_if_the_project_or_the_command_line_says_so,
    check_writes_nothing_and_needs_no_outputs,
    outputs_are_listed_and_exactly_these_are_removed,
    clean_removes_no_folder_and_follows_no_link,
    clean_works_without_sources_but_never_removes_one,
    two_names_of_one_output_are_an_error,
    a_project_can_be_baked_from_any_folder,
    usage_errors_take_one_line,
    each_option_that_the_manual_names_works,
    a_schema_on_the_command_line_ignores_the_project,
    paths_can_contain_any_character,
    patterns_follow_links_to_files_only,
    sources_can_be_outside_of_the_project,
    folders_that_cannot_be_used_are_failures,
    many_bundles_need_each_other_in_a_chain,
    the_sample_gives_the_bytes_of_its_build,
]


def main():
    failed = 0
    os.environ.pop("NO_COLOR", None)
    for number, case in enumerate(CASES, 1):
        home = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                case()
                print(f"ok {number} - {case.__name__}")
            except (AssertionError, OSError, ValueError, KeyError, IndexError) as error:
                failed += 1
                print(f"not ok {number} - {case.__name__}")
                print("\n".join(f"# {line}" for line in f"{type(error).__name__}: {error}"[:2000].splitlines()))
            os.chdir(home)
    print(f"1..{len(CASES)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
