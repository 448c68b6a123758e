#!/usr/bin/env python3
"""The diagnostics of kiln-bake in JSON and SARIF agree with those in text (TAP).

    diagnostics.py KILN_BAKE BROKEN

BROKEN is the folder of broken inputs and their expected diagnostics as text. Each input is checked once with JSON and once with
SARIF diagnostics, and both are compared with the text.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

BAKE = str(pathlib.Path(sys.argv[1]).resolve())
BROKEN = pathlib.Path(sys.argv[2]).resolve()
MEMBERS = ["severity", "rule", "message", "file", "line", "column", "end", "path", "hints", "related"]
SCHEMA = "kiln: 1\ntypes: {T: {struct: {n: u8, m: {type: u8, default: 0, was: old}}, asset: true}}\n"


def run(folder, *arguments, text=None):
    done = subprocess.run([BAKE, *arguments], cwd=folder, capture_output=True, input=text, check=False)
    return done.returncode, done.stdout, done.stderr


def read_lines(data):
    """Parses JSON lines. Each object must have exactly the expected members."""
    lines = data.decode("utf-8").split("\n")
    assert lines.pop() == "", "the last line has no newline"
    objects = [json.loads(line) for line in lines]
    for one in objects:
        assert list(one) == MEMBERS, list(one)
        assert one["severity"] in ("error", "warning", "note"), one
        assert (one["line"] is None) == (one["column"] is None), one
        if one["line"] is not None:
            assert one["file"] and one["line"] >= 1 and one["column"] >= 1, one
        if one["end"] is not None:
            assert one["end"] > one["column"], one
        for place in one["related"]:
            assert list(place) == ["message", "file", "line", "column", "end"], place
    return objects


def check_location(location, is_related):
    if "physicalLocation" in location:
        physical = location["physicalLocation"]
        uri = physical["artifactLocation"]["uri"]
        assert re.fullmatch(r"(file://)?([A-Za-z0-9._~/-]|%[0-9A-F]{2})+", uri), uri
        if "region" in physical:
            region = physical["region"]
            assert region["startLine"] >= 1 and region["startColumn"] >= 1, region
            assert region.get("endColumn", 1 << 30) > region["startColumn"], region
    else:
        assert not is_related
    if is_related:
        assert location["id"] >= 1 and location["message"]["text"], location


def read_sarif(data):
    """Returns the results of a log that has everything SARIF 2.1.0 requires."""
    log = json.loads(data.decode("utf-8"))
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-schema-2.1.0.json")
    (one,) = log["runs"]
    driver = one["tool"]["driver"]
    assert driver["name"] == "kiln-bake" and driver["version"]
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(ids) == len(set(ids)), "a rule is listed twice"
    for rule in driver["rules"]:
        assert "shortDescription" in rule, f"rule {rule['id']} has no description (diagnostics_text.c)"
    (invocation,) = one["invocations"]
    assert invocation["executionSuccessful"] == (invocation["exitCode"] == 0)
    for notification in invocation["toolExecutionNotifications"]:
        assert notification["message"]["text"] and notification["level"] in ("error", "note")
    assert one["columnKind"] == "unicodeCodePoints"
    for result in one["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning") and result["message"]["text"]
        for location in result["locations"]:
            check_location(location, False)
        for location in result.get("relatedLocations", []):
            check_location(location, True)
    return one


def uri_of(name):
    return "file://" * name.startswith("/") + urllib.parse.quote(name, safe="/-._~")


def escaped(text):
    return re.sub(r"[\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]",
                  lambda m: ("\\x%02x" if ord(m[0]) < 0x80 else "\\u%04x") % ord(m[0]), text)


def as_text(one):
    place = (one["file"] or "") + (f":{one['line']}:{one['column']}" if one["line"] else "")
    head = (place + ": ") * bool(place) + one["severity"] + ": " + (one["path"] + ": " if one["path"] else "")
    return [escaped(f"{head}{one['message']} [{one['rule']}]")] + ["  hint: " + escaped(hint) for hint in one["hints"]]


def check_carets(text, objects):
    """The underlined columns run from `column` to `end`."""
    lines = text.split("\n")
    blocks = [i for i, line in enumerate(lines) if re.search(r"\[[a-z0-9-]+\]$", line) and not line.startswith(" ")]
    assert len(blocks) == len(objects)
    for at, one in zip(blocks, objects):
        if at + 2 >= len(lines) or not re.match(r" +\|", lines[at + 2]):
            continue
        shown = lines[at + 1]
        if "\\" in shown or "..." in shown:
            continue
        assert lines[at + 2].count("^") + lines[at + 2].count("~") == one["end"] - one["column"], (lines[at + 1 : at + 3], one)


def check_agree(text, objects, log):
    """Asserts that all three agree. `objects` and `log` are the parsed data."""
    said = [line for line in text.split("\n") if not re.match(r" +([0-9]+ )?\|", line)]
    told = [line for one in objects for line in as_text(one) if one["severity"] != "note"]
    assert said[: len(told)] == told, (said, told)
    assert len(said) == len(told) + 2, "the text and the data have different numbers of lines"
    check_carets(text, objects)
    assert len(log["results"]) == len(objects)
    for result, one in zip(log["results"], objects):
        assert result["ruleId"] == one["rule"] and result["level"] == one["severity"]
        whole = (one["path"] + ": " if one["path"] else "") + one["message"]
        assert result["message"]["text"] == "\nhint: ".join([whole, *one["hints"]])
        assert len(result.get("relatedLocations", [])) == len(one["related"])
        if one["file"]:
            (location,) = result["locations"]
            assert location["physicalLocation"]["artifactLocation"]["uri"] == uri_of(one["file"])
            region = location["physicalLocation"].get("region", {})
            assert (region.get("startLine"), region.get("startColumn"), region.get("endColumn")) == (one["line"], one["column"], one["end"])


def broken(name):
    def case(_):
        schema = "data.schema.yaml"
        if name.startswith("scene_"):
            schema = "scenes.schema.yaml"
        if (BROKEN / f"{name}.schema.yaml").exists():
            schema = f"{name}.schema.yaml"
        inputs = ["-s", f"{name}.yaml", "empty.data"] if name.startswith("schema_") else ["-s", schema, f"{name}.yaml"]
        if (BROKEN / f"{name}.data").exists():
            inputs.append(f"{name}.data")
        text = (BROKEN / f"{name}.stderr").read_text(encoding="utf-8")
        code, out, data = run(BROKEN, "check", "--diagnostics=json", *inputs)
        assert (code, out) == (1, b""), code
        objects = read_lines(data)
        code, out, data = run(BROKEN, "check", "--diagnostics", "sarif", *inputs)
        assert (code, out) == (1, b""), code
        log = read_sarif(data)
        if objects[-1]["severity"] == "note":
            assert objects.pop()["rule"] == "max-errors"
            (note,) = log["invocations"][0]["toolExecutionNotifications"]
            assert note["descriptor"]["id"] == "max-errors"
        check_agree(text, objects, log)

    return case


def write(folder, name, data):
    path = os.path.join(os.fsencode(folder), name if isinstance(name, bytes) else name.encode())
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def arbitrary_bytes_in_names_and_strings(folder):
    names = [b'a"b\\c.yaml', b"sp ace%23#?.yaml", b"\xff\xfe.yaml", "grüße.yaml".encode(), b"a:b.yaml", b"line\nend\x1b.yaml"]
    for name in names:
        write(folder, name, b'T: {"a\\"\\\\\\u202e": {n: 300, "\\x1b[31m": 1}}\n')
    code, out, err = run(folder, "check", "--diagnostics=json", "-s", "s.yaml", *names)
    objects = read_lines(err)
    assert (code, out) == (1, b"")
    assert {one["file"] for one in objects} == {name.decode("utf-8", "replace") for name in names}
    assert sum(one["path"] == 'T/a"\\\u202e.n' for one in objects) == len(names)
    assert sum("\x1b[31m" in one["message"] for one in objects) == len(names)
    assert b"\x1b" not in err and "\u202e".encode() not in err, "terminal escapes are not escaped"
    code, out, err = run(folder, "check", "--diagnostics=sarif", "-s", "s.yaml", *names)
    uris = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in read_sarif(err)["results"]}
    assert {urllib.parse.unquote_to_bytes(uri) for uri in uris} == set(names)


def an_absolute_name_is_a_file_uri(folder):
    write(folder, "x y.yaml", "T: {a: {n: 300}}\n")
    name = os.path.join(os.path.realpath(folder), "x y.yaml")
    _, _, err = run(folder, "check", "--diagnostics=sarif", "-s", "s.yaml", name)
    (result,) = read_sarif(err)["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri_of(name)


def columns_are_code_points(folder):
    write(folder, "x.yaml", "T: {ä€𝄞: {n: 300}}\n")
    _, _, err = run(folder, "check", "--diagnostics=json", "-s", "s.yaml", "x.yaml")
    (one,) = read_lines(err)
    assert (one["line"], one["column"], one["end"]) == (1, 14, 17), one


def a_fatal_error_is_reported_as_data(folder):
    for arguments, code in ((["-s", "none.yaml", "x"], 2), (["x.yaml"], 2), (["-s", "s.yaml", "none.yaml"], 2)):
        got, _, err = run(folder, "check", "--diagnostics=json", *arguments)
        (one,) = read_lines(err)
        assert got == code and one["rule"] == "run" and one["file"] is None, one
        got, _, err = run(folder, "check", "--diagnostics=sarif", *arguments)
        (invocation,) = read_sarif(err)["invocations"]
        (notification,) = invocation["toolExecutionNotifications"]
        assert got == code == invocation["exitCode"] and notification["message"]["text"] == one["message"]


def without_errors_there_are_no_lines_and_an_empty_log(folder):
    write(folder, "x.yaml", "T: {a: {n: 3}}\n")
    code, _, err = run(folder, "--diagnostics=json", "-v", "-s", "s.yaml", "-o", "o.kiln", "x.yaml")
    assert (code, err) == (0, b""), err
    code, _, err = run(folder, "--diagnostics=sarif", "-s", "s.yaml", "-o", "o.kiln", "x.yaml")
    assert code == 0 and read_sarif(err)["results"] == []
    assert os.path.exists(os.path.join(folder, "o.kiln"))


def standard_input_has_a_name(folder):
    _, _, err = run(folder, "check", "--diagnostics=json", "-s", "s.yaml", "-", text=b"T: {a: {n: 300}}\n")
    (one,) = read_lines(err)
    assert one["file"] == "<stdin>"
    _, _, err = run(folder, "check", "--diagnostics=sarif", "-s", "s.yaml", "-", text=b"T: {a: {n: 300}}\n")
    assert read_sarif(err)["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "%3Cstdin%3E"


def warnings_are_reported_with_werror(folder):
    write(folder, "x.yaml", "T: {a: {n: 3, old: 1}}\n")
    for more, code in (([], 0), (["-Werror"], 1)):
        got, _, err = run(folder, "check", "--diagnostics=json", *more, "-s", "s.yaml", "x.yaml")
        (one,) = read_lines(err)
        assert got == code and one["severity"] == "warning" and one["rule"] == "renamed"


def omitted_diagnostics_are_counted(folder):
    write(folder, "x.yaml", "T: {a: {n: 300, old: 1, q: 1, r: 1}, b: {n: 3, old: 4}}\n")
    got, _, err = run(folder, "check", "--diagnostics=json", "--max-errors=1", "-s", "s.yaml", "x.yaml")
    objects = read_lines(err)
    assert [one["severity"] for one in objects] == ["error", "warning", "note"] and got == 1
    assert objects[2]["message"] == "2 more errors and 1 more warning are not shown", objects[2]


def the_file_gets_data_and_standard_error_gets_text(folder):
    write(folder, "x.yaml", "T: {a: {n: 300}}\n")
    arguments = ["-s", "s.yaml", "x.yaml"]
    _, _, text = run(folder, "check", *arguments)
    for word, read in (("json", read_lines), ("sarif", lambda data: read_sarif(data)["results"])):
        code, out, err = run(folder, "check", f"--diagnostics={word}", "--diagnostics-file", "log", *arguments)
        assert (code, out, err) == (1, b"", text)
        with open(os.path.join(folder, "log"), "rb") as file:
            assert len(read(file.read())) == 1
        code, out, err = run(folder, "check", f"--diagnostics={word}", "--diagnostics-file=-", *arguments)
        assert (code, err) == (1, text) and len(read(out)) == 1
    write(folder, "x.yaml", "T: {a: {n: 3}}\n")
    code, _, err = run(folder, "--diagnostics=json", "--diagnostics-file=log", "-o", "o.kiln", *arguments)
    assert code == 0 and err.startswith(b"o.kiln: 1 asset"), "the diagnostics file is not empty after the errors are fixed"
    assert os.path.getsize(os.path.join(folder, "log")) == 0


def the_file_must_not_be_an_input_or_output(folder):
    write(folder, "x.yaml", "T: {a: {n: 3}}\n")
    for name in ("o.kiln", "o.d", "x.yaml", "s.yaml", ".", "none/log"):
        code, _, err = run(folder, "--diagnostics=json", "--diagnostics-file", name, "-MD", "-MF", "o.d", "-s", "s.yaml", "-o", "o.kiln", "x.yaml")
        assert code == 2 and f"cannot write {name}: ".encode() in err, (code, err)
        with open(os.path.join(folder, "o.kiln"), "rb") as file:
            assert file.read(4) == b"KILN"
    os.symlink(".", os.path.join(folder, "here"))
    outputs = ("-MD", "-MF", "o.d", "--source-map", "o.map", "-s", "s.yaml", "-o", "o.kiln")
    for number in (300, 3):
        write(folder, "x.yaml", f"T: {{a: {{n: {number}}}}}\n")
        for name in ("./o.kiln", "here/o.kiln", "here/o.d", "o.map", "./o.map"):
            code, _, err = run(folder, "--diagnostics=json", "--diagnostics-file", name, *outputs, "x.yaml")
            assert code == 2 and f"cannot write {name}: it is an output of this run".encode() in err, (name, code, err)
            with open(os.path.join(folder, "o.kiln"), "rb") as file:
                assert file.read(4) == b"KILN", name
    by_name = b"cannot write x.yaml: the name of a diagnostics file must not end in .yaml or .yml, because a folder of inputs may"
    for arguments, text in ((["none.yaml", "x.yaml"], b"cannot write x.yaml: it is an input"), (["."], by_name), ([], by_name)):
        code, _, err = run(folder, "check", "--diagnostics=json", "--diagnostics-file=x.yaml", "-s", "s.yaml", *arguments)
        assert text in err, err
        assert code == 2 and os.path.getsize(os.path.join(folder, "x.yaml")) == 15, "a run that failed early overwrote an input"
    code, _, err = run(folder, "check", "--diagnostics-file", "log", "-s", "s.yaml", "x.yaml")
    assert code == 2 and b"needs --diagnostics=json" in err
    code, _, err = run(folder, "check", "--diagnostics=xml", "-s", "s.yaml", "x.yaml")
    assert code == 2 and b"text, json or sarif" in err


def the_header_command_reports_as_data_too(folder):
    write(folder, "x.yaml", "kiln: 1\ntypes: {T: {struct: {n: u9}}}\n")
    code, _, err = run(folder, "header", "--diagnostics=json", "-s", "x.yaml", "-o", "x.h")
    (one,) = read_lines(err)
    assert code == 1 and one["rule"] == "type" and one["file"] == "x.yaml"
    code, _, err = run(folder, "header", "--diagnostics=json", "-s", "s.yaml", "-o", "x.h")
    assert (code, err) == (0, b"")


CASES = [
    arbitrary_bytes_in_names_and_strings,
    an_absolute_name_is_a_file_uri,
    columns_are_code_points,
    a_fatal_error_is_reported_as_data,
    without_errors_there_are_no_lines_and_an_empty_log,
    standard_input_has_a_name,
    warnings_are_reported_with_werror,
    omitted_diagnostics_are_counted,
    the_file_gets_data_and_standard_error_gets_text,
    the_file_must_not_be_an_input_or_output,
    the_header_command_reports_as_data_too,
]


def main():
    cases = [(case.__name__, case) for case in CASES]
    for path in sorted(BROKEN.glob("*.yaml")):
        if not path.name.endswith(".schema.yaml"):
            cases.append((f"broken {path.stem}", broken(path.stem)))
    failed = 0
    for number, (name, case) in enumerate(cases, 1):
        with tempfile.TemporaryDirectory() as folder:
            write(folder, "s.yaml", SCHEMA)
            try:
                case(folder)
                print(f"ok {number} - {name}")
            except (AssertionError, ValueError, KeyError, IndexError, TypeError) as error:
                failed += 1
                print(f"# {type(error).__name__}: {error}".replace("\n", "\n# "))
                print(f"not ok {number} - {name}")
    print(f"1..{len(cases)}")
    return 1 if failed else 0


sys.exit(main())
