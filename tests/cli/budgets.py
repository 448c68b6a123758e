#!/usr/bin/env python3
"""Checks budgets of projects and the command `budget` (TAP).

    budgets.py KILN_BAKE
"""

import csv
import io
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

BAKE = str(pathlib.Path(sys.argv[1]).resolve())
SCHEMA = """kiln: 1
types:
  Room: {struct: {text: string, next: ref<Room>?}, asset: true, cluster: root}
  Place: {struct: {x: f32, name: string}, component: true}
files:
  - {match: "*.scene.yaml", shape: scene}
  - {match: "*.yaml", shape: kinds}
"""
ROOMS = "Room:\n  small: {text: x}\n" + f"  big: {{text: {'b' * 1000}, next: small}}\n"
SCENE = "entities:\n  - {name: a, components: {Place: {x: 1, name: one}}}\n"
TIME = {"SOURCE_DATE_EPOCH": "86400"}


def write(path, text):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def run(*words, code=0, env=None, limit=None):
    def prepare():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    done = subprocess.run([BAKE, *words], capture_output=True, check=False, text=True, preexec_fn=prepare,
                          env={**os.environ, **(env or {})})
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr


def project(budgets, more="", name="rooms"):
    write("s.yaml", SCHEMA)
    write("data/rooms.yaml", ROOMS)
    write("data/yard.scene.yaml", SCENE)
    write("kiln.yaml", f"kiln: 1\nschemas: s.yaml\nbundles:\n  {name}:\n    sources: data/*\n    output: out/{name}.kiln\n"
          + (f"    budgets: {budgets}\n" if budgets else "") + more)


def rows(*words, **more):
    """{(bundle, kind, name, size): row} of the CSV."""
    out, _ = run("budget", "-q", "--format", "csv", *words, **more)
    return {(row["bundle"], row["kind"], row["name"], row["size"]): row for row in csv.DictReader(io.StringIO(out))}


def history(path="history"):
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    assert text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def a_bundle_that_exceeds_a_limit_keeps_its_output():
    project("")
    run()
    before = pathlib.Path("out/rooms.kiln").read_bytes()
    write("data/rooms.yaml", ROOMS.replace("small", "tiny"))
    text = pathlib.Path("kiln.yaml").read_text(encoding="utf-8")
    write("kiln.yaml", text + '    budgets: {assets: {"Room/*": {disk: 1 kB}}}\n')
    for words in ((), ("-j", "2"), ("rooms",), ("check",)):
        _, err = run(*words, code=1)
        assert err == """kiln.yaml:7:41: error: rooms: asset Room/big: 1,057 bytes on disk exceed the limit of 1,000 by 57 [budget]
  7 |     budgets: {assets: {"Room/*": {disk: 1 kB}}}
    |                                         ^~~~
  hint: data/rooms.yaml:3: Room/big: 1,057 bytes on disk (100.0 %)
1 error
""", err
        assert pathlib.Path("out/rooms.kiln").read_bytes() == before
    write("kiln.yaml", text)
    run()
    assert pathlib.Path("out/rooms.kiln").read_bytes() != before


def json_diagnostics_have_the_contributors_as_related_locations():
    project('{types: {Room: {resident: 1}}}')
    _, err = run("--diagnostics=json", code=1)
    report = json.loads(err.splitlines()[0])
    assert report["rule"] == "budget" and report["path"] == "rooms" and report["line"] == 7, report
    assert [(place["file"], place["line"]) for place in report["related"]] == [
        ("data/rooms.yaml", 3), ("data/rooms.yaml", 2)], report


def a_near_limit_is_a_warning_that_is_repeated():
    project('{bundle: {disk: 1 GiB}, assets: {Room/big: {disk: 1100}}}')
    _, err = run()
    assert "kiln.yaml:7:64: warning: rooms: asset Room/big: 1,057 bytes on disk are 96.0 % of the limit of 1,100 [budget]\n" in err, err
    again = run()[1]
    assert again.startswith("out/rooms.kiln: up to date\n"), again
    assert [line for line in again.splitlines() if "warning" in line] == [line for line in err.splitlines() if "warning" in line]
    # The warning has a new location, so the bundle is baked again.
    text = pathlib.Path("kiln.yaml").read_text(encoding="utf-8")
    write("kiln.yaml", "# A comment.\n" + text)
    _, err = run()
    assert "up to date" not in err and "kiln.yaml:8:64: warning: " in err, err
    _, err = run("-Werror", code=1)
    write("kiln.yaml", text.replace("{bundle", "{warn: 97%, bundle"))
    _, err = run()
    assert "warning" not in err and "up to date" not in err, err
    # Without warnings, the location does not matter.
    write("kiln.yaml", "# A comment.\n" + pathlib.Path("kiln.yaml").read_text(encoding="utf-8"))
    assert run()[1] == "out/rooms.kiln: up to date\n"


def an_edit_bakes_only_what_it_affects_as_long_as_all_fits():
    project('{assets: {"Room/*": {disk: 1200}}, bundle: {load: 1 M}}', "    sources: data/rooms.yaml\n".replace("    sources", "    # sources"))
    write("kiln.yaml", pathlib.Path("kiln.yaml").read_text(encoding="utf-8").replace("data/*", "data/rooms.yaml"))
    write("data/rooms.yaml", ROOMS.replace("b" * 1000, "b" * 900))
    run()
    write("data/rooms.yaml", ROOMS.replace("b" * 1000, "b" * 950))
    _, err = run("-v")
    assert "1 of 2 assets" in err, err
    after = pathlib.Path("out/rooms.kiln").read_bytes()
    run("--force", "-q")
    assert pathlib.Path("out/rooms.kiln").read_bytes() == after
    for size, code in ((1050, 0), (1100, 0), (900, 0), (1300, 1), (900, 0)):
        write("data/rooms.yaml", ROOMS.replace("b" * 1000, "b" * size))
        was = pathlib.Path("out/rooms.kiln").read_bytes()
        _, err = run(code=code)
        assert ("warning: " in err) == (code == 0 and size > 1000) and ("error: " in err) == (code == 1), (size, err)
        assert code == 0 or pathlib.Path("out/rooms.kiln").read_bytes() == was
    assert rows()["rooms", "asset", "Room/big", "disk"]["used"] == "957"


def a_result_from_a_cache_is_measured_and_repeats_warnings():
    project('{bundle: {disk: 1 GiB}, assets: {Room/big: {disk: 1100}}}')
    cache = {"KILN_CACHE": os.path.abspath("cache")}
    first, err = run("budget", env=cache)
    shutil.rmtree(".kiln")
    again, cached = run("budget", env=cache)
    assert first == again and cached.splitlines()[0].startswith("out/rooms.kiln: from the cache "), (first, again, cached)
    assert cached.splitlines()[1:] == err.splitlines()[1:], (err, cached)
    text = pathlib.Path("kiln.yaml").read_text(encoding="utf-8")
    write("kiln.yaml", text.replace("1100", "9 M"))
    run(env=cache)
    shutil.rmtree(".kiln")
    assert "from the cache" in run(env=cache)[1]
    write("kiln.yaml", "# A comment.\n" + pathlib.Path("kiln.yaml").read_text(encoding="utf-8"))
    assert run(env=cache)[1] == "out/rooms.kiln: up to date\n"


def a_changed_limit_bakes_only_its_bundle():
    project('{bundle: {disk: 1 GiB}}', '  other: {sources: data/rooms.yaml, output: out/other.kiln}\n')
    run()
    text = pathlib.Path("kiln.yaml").read_text(encoding="utf-8")
    write("kiln.yaml", text.replace("1 GiB", "2 GiB"))
    _, err = run("-v")
    assert "out/rooms.kiln: option budgets: bundle * disk 1073741824 -> bundle * disk 2147483648\n" in err, err
    assert "out/other.kiln: up to date\n" in err, err
    write("kiln.yaml", text.replace("1 GiB", "2048 MiB"))
    assert run()[1] == "out/rooms.kiln: up to date\nout/other.kiln: up to date\n"


def budgets_of_the_project_a_bundle_and_profiles_are_merged():
    project('{assets: {"*": {disk: 2 kB}}, types: {Room: {load: 5 kB}}}', """  other: {sources: data/rooms.yaml, output: out/other.kiln}
budgets: {warn: 50%, assets: {"*": {disk: 3 kB}, Room/big: {disk: none, load: 4 kB}}}
profiles:
  ship: {budgets: {assets: {"*": {disk: none}}, bundle: {disk: 1 M}}, bundles: {rooms: {budgets: {types: {Room: {load: 6 kB}}}}}}
""")
    plain, ship = rows(), rows("--profile", "ship")
    limits = {key: row["limit"] for key, row in plain.items() if key[2] in ("Room/big", "Room")}
    assert limits == {("rooms", "asset", "Room/big", "disk"): "2000", ("rooms", "asset", "Room/big", "load"): "4000",
                      ("rooms", "type", "Room", "load"): "5000", ("other", "asset", "Room/big", "disk"): "3000",
                      ("other", "asset", "Room/big", "load"): "4000"}, limits
    assert plain["rooms", "asset", "Room/big", "disk"]["state"] == "near" and plain["rooms", "bundle", "", "disk"]["limit"] == ""
    limits = {key: row["limit"] for key, row in ship.items() if row["limit"]}
    assert limits == {("rooms", "asset", "Room/big", "load"): "4000", ("other", "asset", "Room/big", "load"): "4000",
                      ("rooms", "type", "Room", "load"): "6000", ("rooms", "bundle", "", "disk"): "1048576",
                      ("other", "bundle", "", "disk"): "1048576"}, limits


def a_pattern_of_a_bundle_that_matches_nothing_is_a_warning():
    project('{scenes: {"Szene/*": {disk: 1}}, clusters: {"*": {disk: 1 M}}}', 'budgets: {types: {Rome: {disk: 1}}}\n')
    _, err = run()
    assert 'kiln.yaml:7:42: warning: rooms: no scene of the bundle matches "Szene/*" [budget]\n' in err, err
    assert err.count("warning:") == 1, err


def the_table_has_all_sizes_of_files_that_are_up_to_date():
    project('{scenes: {"*": {resident: 1 G}}, assets: {"*": {disk: 1 G}}}')
    first, _ = run("budget")
    again, err = run("budget")
    assert first == again and err == "out/rooms.kiln: up to date\n", (first, again, err)
    size = f"{os.path.getsize('out/rooms.kiln'):,}"
    lines = first.splitlines()
    assert lines[0].split() == ["percent", "used", "limit", "size", "of"], first
    assert ["-", size, "-", "disk", "rooms"] in [line.split() for line in lines], first
    assert any(line.endswith(" resident  rooms: scene Scene/yard") for line in lines), first
    data = json.loads(run("budget", "--format", "json")[0])
    assert data["format"] == 1 and data["bundles"][0]["disk"] == os.path.getsize("out/rooms.kiln"), data
    table = rows()
    assert len(data["bundles"][0]["rows"]) == len([row for row in table.values() if row["limit"]]), data
    for row in data["bundles"][0]["rows"]:
        same = table["rooms", row["kind"], row["name"], row["size"]]
        assert [same[key] for key in ("used", "limit", "percent", "state", "line")] == [
            str(row[key]) for key in ("used", "limit", "percent", "state", "line")], (row, same)


def text_has_the_first_ten_rows_of_each_limit():
    project('{assets: {"*": {disk: 1 G, load: 1 G}}}')
    write("data/rooms.yaml", "Room:\n" + "".join(f"  r{i}: {{text: {'x' * i}}}\n" for i in range(1, 31)))
    out, _ = run("budget")
    lines = out.splitlines()
    assert len([line for line in lines if " disk      rooms: asset" in line]) == 10, out
    assert len([line for line in lines if " load      rooms: asset" in line]) == 10, out
    assert lines[-1] == f"{len(rows()) - 23} more rows: only the first 10 of each limit are printed", (out, len(rows()))


def a_budget_that_many_assets_exceed_has_ten_reports():
    project('{assets: {"Room/*": {disk: 1}}}')
    write("data/rooms.yaml", "Room:\n" + "".join(f"  r{i}: {{text: {'x' * i}}}\n" for i in range(1, 31)))
    out, err = run("budget", code=1)
    assert err.count("error: ") == 10 and "  hint: 20 more assets of the bundle exceed this limit\n" in err, err
    assert "Room/r30" in err.splitlines()[0] and "error: rooms: asset Room/r20:" not in err, err
    assert "rooms: asset Room/r30" in out, out
    assert not os.path.exists("out/rooms.kiln")


def a_failed_bundle_does_not_hide_the_others():
    project('{bundle: {disk: 1}}', '  bad: {sources: bad.yaml, output: out/bad.kiln}\n')
    write("bad.yaml", "Room: {a: {txt: x}}\n")
    out, err = run("budget", code=1)
    assert "bad.yaml:1:12: error: Room/a: " in err and "of the limit" not in err, err
    assert "  disk      rooms\n" in out and "bad" not in out, out


def the_history_has_one_line_for_each_bundle():
    project('{assets: {"*": {disk: 1 M}}}', '  other: {sources: data/rooms.yaml, output: out/other.kiln}\n')
    run("budget", "--history", "history", "--commit", 'a"b', env=TIME)
    run("budget", "other", "--history", "history", env=TIME)
    lines = history()
    assert [(line["time"], line.get("commit"), line["bundle"]) for line in lines] == [
        ("1970-01-02T00:00:00Z", 'a"b', "rooms"), ("1970-01-02T00:00:00Z", 'a"b', "other"), ("1970-01-02T00:00:00Z", None, "other")], lines
    assert lines[0]["disk"] == os.path.getsize("out/rooms.kiln") and lines[1]["limits"] == [], lines
    assert [(row["name"], row["used"], row["pattern"]) for row in lines[0]["limits"]] == [("Room/big", 1057, "*")], lines
    assert {key: value for key, value in lines[1].items() if key != "commit"} == lines[2], lines
    _, err = run("budget", "--history", "history", env={"SOURCE_DATE_EPOCH": "soon"}, code=2)
    assert err.splitlines()[-1] == "kiln-bake: SOURCE_DATE_EPOCH is not a number of seconds since 1970", err


def a_history_is_appended_completely_or_not_at_all():
    project('{assets: {"*": {disk: 1 M}}}')
    run("budget", "--history", "history", env=TIME)
    whole = pathlib.Path("history").read_text(encoding="utf-8")
    _, err = run("budget", "--history", "history", env=TIME, limit=len(whole) + 100, code=2)
    assert err.splitlines()[-1] == "kiln-bake: cannot write history: File too large", err
    assert pathlib.Path("history").read_text(encoding="utf-8") == whole
    # A process that was killed left half a line.
    write("history", whole + whole[:50])
    run("budget", "--history", "history", env=TIME)
    assert pathlib.Path("history").read_text(encoding="utf-8") == whole + whole[:50] + "\n" + whole
    os.mkfifo("pipe")
    for path, reason in (("out", "Is a directory"), ("no/history", "No such file or directory"), ("/dev/null", "No such device"),
                         ("pipe", "No such device")):
        _, err = run("budget", "--history", path, code=2)
        assert err.splitlines()[-1] == f"kiln-bake: cannot write {path}: {reason}", err


def several_processes_append_whole_lines():
    project('{assets: {"*": {disk: 1 M}}}')
    run()
    words = [BAKE, "budget", "-q", "--history", "history"]
    tasks = [subprocess.Popen(words, stdout=subprocess.DEVNULL) for _ in range(12)]
    assert [task.wait() for task in tasks] == [0] * 12
    assert len(history()) == 12


def an_asset_counts_with_the_data_of_its_payload():
    project('{assets: {"*": {disk: 100 kB}}, types: {"*": {disk: 1 M}}}')
    write("s.yaml", "kiln: 1\ntypes: {Texture: {struct: {n: u8, pixels: payload}, asset: true}}\n")
    os.remove("data/yard.scene.yaml")
    write("rock.bin", "x" * 90000)
    write("data/rooms.yaml", "Texture:\n  a: {n: 1, pixels: !file ../rock.bin}\n  b: {n: 2, pixels: !file ../rock.bin}\n")
    _, err = run()
    assert "near" not in err and err.count("warning: rooms: asset Texture/") == 2, err
    assert "  hint: data/rooms.yaml:2: Texture/a: " in err and "kiln.Payload" not in err, err
    table = rows()
    sizes = [int(table["rooms", *key, "disk"]["used"]) for key in (("asset", "Texture/a"), ("asset", "Texture/b"), ("type", "Texture"))]
    assert 90000 < sizes[0] == sizes[1] < sizes[2] < 91000, sizes
    assert not [key for key in table if key[1:3] == ("asset", "kiln.Payload")], table
    write("rock.bin", "x" * 100000)
    _, err = run(code=1)
    assert "error: rooms: asset Texture/a: 100," in err, err


def names_are_quoted():
    project('{assets: {"*": {disk: 1 M}}}')
    write("data/rooms.yaml", 'Room: {\'a,"b\': {text: x}, "c d": {text: yy}}\n')
    assert ("rooms", "asset", 'Room/a,"b', "disk") in rows(), rows()
    out, _ = run("budget")
    assert 'rooms: asset Room/a,"b\n' in out, out


def usage_errors_are_reported():
    project("")
    for words, message in (
            (("budget", "room"), "kiln.yaml has no bundle 'room'; did you mean rooms?"),
            (("budget", "--format", "make"), "budget writes text, json or csv, not make"),
            (("schema", "check", "--format", "csv", "s.yaml", "s.yaml"), "schema check writes text or json, not csv"),
            (("build", "--history", "x"), "build does not accept --history; only budget does"),
            (("budget", "-s", "s.yaml"), "budget does not accept -s"),
            (("budgt",), "'budgt' is neither a command nor a bundle of kiln.yaml; did you mean budget?")):
        _, err = run(*words, code=2)
        assert err == f"kiln-bake: {message}\n", err


CASES = [
    a_bundle_that_exceeds_a_limit_keeps_its_output,
    json_diagnostics_have_the_contributors_as_related_locations,
    a_near_limit_is_a_warning_that_is_repeated,
    an_edit_bakes_only_what_it_affects_as_long_as_all_fits,
    a_result_from_a_cache_is_measured_and_repeats_warnings,
    a_changed_limit_bakes_only_its_bundle,
    budgets_of_the_project_a_bundle_and_profiles_are_merged,
    a_pattern_of_a_bundle_that_matches_nothing_is_a_warning,
    the_table_has_all_sizes_of_files_that_are_up_to_date,
    text_has_the_first_ten_rows_of_each_limit,
    a_budget_that_many_assets_exceed_has_ten_reports,
    a_failed_bundle_does_not_hide_the_others,
    the_history_has_one_line_for_each_bundle,
    a_history_is_appended_completely_or_not_at_all,
    several_processes_append_whole_lines,
    an_asset_counts_with_the_data_of_its_payload,
    names_are_quoted,
    usage_errors_are_reported,
]


def main():
    failed = 0
    os.environ.pop("NO_COLOR", None)
    os.environ.pop("SOURCE_DATE_EPOCH", None)
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
