"""The traces and tables of --timings with the real clock: timings.py KILN_BAKE

Every trace must be JSON in the array form of the Trace Event Format. Its events must nest within each thread, their sums must be
possible, and each file, importer run and asset must be among them. The tables must show the same numbers. Prints TAP.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BAKE = str(pathlib.Path(sys.argv[1]).resolve())
KEYS = ["name", "cat", "ph", "ts", "dur", "pid", "tid"]
PHASES = {"build": ["read schema", "read inputs", "bake", "write"], "check": ["read schema", "read inputs", "bake"],
          "infer": ["read inputs", "infer", "write"]}
SCHEMA = """kiln: 1
types:
  Item: {struct: {name: string, text: {type: string, default: ""}}, asset: true}
importers:
  rule: {command: [cat, --], output: yaml}
  value: {command: [cat], output: bytes}
files: [{match: "*.in", import: rule, shape: kinds}]
"""
count = failed = 0


def case(name, function):
    global count, failed
    count += 1
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write("s.yaml", SCHEMA)
        try:
            function()
            print(f"ok {count} - {name}", flush=True)
        except AssertionError as error:
            failed += 1
            print(f"not ok {count} - {name}")
            print(*(f"# {line}" for line in repr(error).split("\\n")), sep="\n", flush=True)
        os.chdir("/")


def write(path, text):
    os.makedirs(os.path.dirname(path) or (b"." if isinstance(path, bytes) else "."), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def run(*arguments, code=0):
    done = subprocess.run([BAKE, *arguments], capture_output=True, check=False)
    assert done.returncode == code, (arguments, done)
    return done.stderr


def item(first, number=1):
    return "Item:\n" + "".join(f"  i{i}: {{name: The item {i}}}\n" for i in range(first, first + number))


def read_trace(path):
    """Returns the events of a trace by category, after checking their form."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)
    threads, by_kind = collections.defaultdict(list), collections.defaultdict(list)
    for event in events:
        assert list(event) == KEYS and event["ph"] == "X" and event["pid"] == 1 and event["tid"] >= 1, event
        # In nanoseconds, so that sums are exact.
        event["begin"] = round(event["ts"] * 1000)
        event["end"] = event["begin"] + round(event["dur"] * 1000)
        threads[event["tid"]].append(event)
        by_kind[event["cat"]].append(event)
    whole, = by_kind["run"]
    assert whole is events[0] and whole["begin"] == 0 and whole["name"] == "kiln-bake", whole
    for same in threads.values():
        check_nesting(same, whole)
    check_sums(by_kind, whole)
    return by_kind


def check_nesting(events, whole):
    """Events of a thread come in the order of their begin, each before those that it contains."""
    open_events = []
    for event in events:
        while open_events and open_events[-1]["end"] <= event["begin"] and open_events[-1]["end"] < event["end"]:
            open_events.pop()
        assert not open_events or event["end"] <= open_events[-1]["end"], (open_events[-1], event)
        assert event["end"] <= whole["end"], event
        open_events.append(event)


def duration(events):
    return sum(event["end"] - event["begin"] for event in events)


def check_sums(by_kind, whole):
    threads = max(event["tid"] for events in by_kind.values() for event in events)
    assert duration(by_kind["phase"]) <= duration([whole])
    assert duration(by_kind["step"]) <= duration([whole])
    assert duration(by_kind["importer"]) <= duration([whole])
    for kind in ("file", "asset"):
        assert duration(by_kind[kind]) <= threads * duration([whole]), kind


def names(events):
    return sorted(set(event["name"] for event in events))


def check_tables(err, by_kind):
    """The tables have the sums of the trace, rounded to microseconds."""
    titles = {"steps": "step", "phases": "phase", "files": "file", "importers": "importer", "assets": "asset"}
    kind, shown = None, collections.defaultdict(dict)
    text = err.decode("utf-8")
    for line in text[text.index("time: "):].splitlines():
        row = re.fullmatch(r" *([0-9,]+\.[0-9]{3}) ms +[0-9]+\.[0-9] %  (.*)", line)
        if row:
            shown[kind][row[2]] = row[1]
        elif not line.startswith("time: "):
            kind = titles[re.match(r"[a-z]+", line)[0]]
    assert sorted(shown) == sorted(kind for kind in by_kind if kind != "run" and by_kind[kind]), shown.keys()
    for kind, rows in shown.items():
        sums = collections.Counter()
        for event in by_kind[kind]:
            sums[event["name"]] += event["end"] - event["begin"]
        assert len(rows) == (len(sums) if kind == "phase" else min(10, len(sums))), kind
        least = min(float(time.replace(",", "")) for time in rows.values())
        for name, time in sums.items():
            wanted = f"{(time + 500) // 1000 / 1000:,.3f}"
            assert rows.get(name, wanted) == wanted, (kind, name, rows[name], wanted)
            assert name in rows or time / 1e6 <= least + 0.001, (kind, name)


def make_inputs():
    for number in range(30):
        write(f"data/f{number}.yaml", item(number * 100, 50))
    write("data/x.in", item(9000, 3))
    write("data/y.yaml", "Item: {y: {name: y, text: !import:value text}}\n")
    write("data/text", "text")
    files = [f"data/f{number}.yaml" for number in range(30)] + ["data/x.in", "data/y.yaml"]
    assets = [f"Item/i{first * 100 + i}" for first in range(30) for i in range(50)]
    return files, assets + [f"Item/i{9000 + i}" for i in range(3)] + ["Item/y"]


def check_complete(by_kind, command, files, assets):
    assert names(by_kind["phase"]) == sorted(PHASES[command]), names(by_kind["phase"])
    assert names(by_kind["file"]) == sorted(files), names(by_kind["file"])
    assert names(by_kind["asset"]) == sorted(assets)
    importers = ["cat -- data/x.in", "cat data/text"] if assets else []
    assert names(by_kind["importer"]) == importers, names(by_kind["importer"])


def traces_and_tables_are_complete():
    files, assets = make_inputs()
    for more in [[]] + [["-j", number] for number in ("1", "2", "5") if has_jobs]:
        for command, output in (("build", ["-o", "o.kiln"]), ("check", [])):
            err = run(command, "-s", "s.yaml", *output, "--timings=t.json", *more, "data")
            by_kind = read_trace("t.json")
            check_complete(by_kind, command, ["s.yaml"] + files, assets)
            check_tables(err, by_kind)
    if has_infer:
        err = run("schema", "infer", "-o", "i.yaml", "--timings=t.json", "data")
        by_kind = read_trace("t.json")
        check_complete(by_kind, "infer", [file for file in files if file.endswith(".yaml")], [])
        check_tables(err, by_kind)


def timings_change_no_output():
    make_inputs()
    plain = run("-s", "s.yaml", "-o", "a.kiln", "--source-map", "a.map", "data")
    timed = run("-s", "s.yaml", "-o", "b.kiln", "--source-map", "b.map", "--timings=t.json", "data")
    for extension in ("kiln", "map"):
        assert pathlib.Path(f"a.{extension}").read_bytes() == pathlib.Path(f"b.{extension}").read_bytes()
    assert timed.startswith(plain.replace(b"a.kiln", b"b.kiln") + b"time: "), timed


def files_of_each_input_are_measured():
    make_inputs()
    os.mkdir("out")
    err = run("-s", "s.yaml", "--each", "out", "--timings=t.json", "data")
    check_tables(err, read_trace("t.json"))


def steps_of_a_project_are_measured():
    make_inputs()
    write("kiln.yaml", "kiln: 1\nschemas: [s.yaml]\nbundles:\n  one: {sources: [data/f*.yaml], output: one.kiln}\n"
                       "  two: {sources: [data/y.yaml], output: two.kiln, externs: [one]}\nheaders: {s.h: {}}\n")
    err = run("--timings=t.json")
    by_kind = read_trace("t.json")
    assert names(by_kind["step"]) == ["one", "s.h", "two"], names(by_kind["step"])
    check_tables(err, by_kind)
    check_tables(run("check", "--timings=t.json"), read_trace("t.json"))
    err = run("--timings=t.json")
    assert err.count(b"up to date") == 3, err
    by_kind = read_trace("t.json")
    assert names(by_kind["step"]) == ["one", "s.h", "two"] and not by_kind["asset"], by_kind
    check_tables(err, by_kind)
    assert not [name for name in os.listdir(".") if name.startswith(".kiln-bake")]


def hostile_names_are_valid_json():
    path = b"data/\"q\"\\ \n\t\x1b[2J\xff\xc3\x28\xe2\x80\xae{[,].yaml"
    write(path, "Item: {\"a\\\"b\\\\c\\u202Ed{[,]é€😀\": {name: x}}\n")
    err = run("-s", "s.yaml", "-o", "o.kiln", "--timings=t.json", "data")
    by_kind = read_trace("t.json")
    assert by_kind["asset"][0]["name"] == 'Item/a"b\\c\u202ed{[,]é€😀', by_kind["asset"]
    wanted = path.replace(b"\xff", "\ufffd".encode()).replace(b"\xc3\x28", "\ufffd(".encode()).decode()
    assert names(by_kind["file"]) == sorted([wanted, "s.yaml"]), names(by_kind["file"])
    table = err.decode()
    assert 'data/"q"\\ \\x0a\\x09\\x1b[2J\\xff\\xc3(\\u202e{[,].yaml' in table, table
    assert not re.search(r"[^\n\x20-\x7eé€😀]", table), table


def a_full_disk_leaves_the_older_trace():
    if not os.path.exists("/dev/full"):
        return
    write("a.yaml", item(0))
    os.symlink("/dev/full", "full.json")
    err = run("-s", "s.yaml", "-o", "o.kiln", "--timings=full.json", "a.yaml", code=2)
    assert b"kiln-bake: cannot write full.json: No space left on device\n" in err, err
    write("t.json", "older")
    limited = f"ulimit -f 4; exec {BAKE} -q -s s.yaml -o o.kiln --timings=t.json big.yaml"
    write("big.yaml", item(0, 2000))
    done = subprocess.run(["sh", "-c", limited], capture_output=True, check=False)
    assert done.returncode == 2 and b"File too large" in done.stderr, done
    assert pathlib.Path("t.json").read_text(encoding="utf-8") == "older"


help_text = subprocess.run([BAKE, "--help"], stdout=subprocess.PIPE, check=True).stdout
has_infer = b"kiln-bake schema infer" in help_text
has_jobs = b"  -j" in help_text
case("traces and tables are complete", traces_and_tables_are_complete)
case("timings change no output", timings_change_no_output)
case("files of each input are measured", files_of_each_input_are_measured)
case("steps of a project are measured", steps_of_a_project_are_measured)
case("hostile names are valid JSON", hostile_names_are_valid_json)
case("a full disk leaves the older trace", a_full_disk_leaves_the_older_trace)
print(f"1..{count}")
sys.exit(failed > 0)
