"""All programs and commands report the same counts for a file.

    figures.py SOURCE_ROOT KILN_BAKE KILN_INSPECT [RUNTIME_FIGURES]

Bakes samples and compares the counts of kiln-bake for each file with those of every kiln-inspect command and of a program that
loads the file. Prints TAP.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE, BAKE, INSPECT = sys.argv[1:4]
RUNTIME = sys.argv[4] if len(sys.argv) > 4 else None
REAL = os.environ.get("KILN_REAL_FIGURES")  # if set, use a game's data instead of the samples
COUNT = r"([\d,]+)"
count = failed = 0


def report(name, differs):
    global count, failed
    count += 1
    failed += bool(differs)
    print(f"{'not ok' if differs else 'ok'} {count} - {name}")
    for line in differs:
        print(f"# {line}")


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (command, done.stderr)
    return done


def numbers(pattern, text):
    """Returns the numbers in the only match of the pattern."""
    found = re.findall(pattern, text, re.M)
    assert len(found) == 1, (pattern, text, found)
    groups = found[0] if isinstance(found[0], tuple) else (found[0],)
    return [int(number.replace(",", "")) if number else 0 for number in groups]


def baked(said):
    """Parses the output of `kiln-bake -v`: a line per asset, then the total."""
    lines = said.splitlines()
    assets, types, scenes, size = numbers(rf": {COUNT} assets? of {COUNT} types?(?:, {COUNT} scenes?)?, {COUNT} bytes$", lines[-1])
    return {"assets": assets, "asset types": types, "scenes": scenes, "bytes": size}, len(lines) - 1


def inspected(path):
    """Returns the counts that all commands print as (subject, source, number)."""
    info = run(INSPECT, "info", "--all", path).stdout
    size, = numbers(rf"^file .*, {COUNT} bytes$", info)
    assets, types, own, members, stored = numbers(
        rf"^assets +{COUNT} assets? of {COUNT} types? in {COUNT} of {COUNT} members?, {COUNT} bytes", info)
    shared = re.search(rf"\({COUNT} (?:shares its|share their) bytes with ", info)
    described, = numbers(rf"^types +{COUNT} named types? described", info)
    by_type = [[int(n.replace(",", "")) for n in line] for line in re.findall(rf"^(?:by type| ) +\S+: {COUNT} assets?, {COUNT} bytes?$", info, re.M)]
    scenes = re.search(rf" kiln\.Scene: {COUNT} assets?,", info)
    rows = json.loads(run(INSPECT, "ls", "-f", "json", path).stdout)["assets"]
    verified = numbers(rf": ok \({COUNT} assets?, {COUNT} members?\)$", run(INSPECT, "verify", path).stdout)
    # These commands fail for a file without scenes.
    forecast, shown = (json.loads(run(INSPECT, command, "-f", "json", path).stdout)["scenes"] if scenes else [] for command in ("forecast", "scene"))
    listed = re.findall(r"^  [^ #].*:", run(INSPECT, "type", path).stdout, re.M)
    yield from (
        ("bytes", "info", size), ("bytes", "stat", os.path.getsize(path)),
        ("assets", "info", assets), ("assets", "info by type", sum(n for n, _ in by_type)), ("assets", "ls", len(rows)),
        ("assets", "ls as text", len(run(INSPECT, "ls", path).stdout.splitlines())), ("assets", "verify", verified[0]),
        ("assets", "info, members and shared", own + (int(shared[1].replace(",", "")) if shared else 0)),
        ("asset types", "info", types), ("asset types", "info by type", len(by_type)), ("asset types", "ls", len({row["type"] for row in rows})),
        ("members", "info", members), ("members", "verify", verified[1]),
        ("members of assets", "info", own), ("members of assets", "ls", len({row["member"] for row in rows})),
        ("stored bytes", "info", stored), ("stored bytes", "info by type", sum(n for _, n in by_type)),
        ("stored bytes", "ls", sum({row["member"]: row["stored"] for row in rows}.values())),
        ("types of the schema", "info", described), ("types of the schema", "type", len(listed)),
        ("scenes", "info", int(scenes[1].replace(",", "")) if scenes else 0), ("scenes", "forecast", len(forecast)), ("scenes", "scene", len(shown)),
        ("scenes", "ls", sum(row["type"] == "kiln.Scene" for row in rows)),
    )  # fmt: skip
    for who, scenes in (("forecast", forecast), ("scene", shown)):
        for scene in scenes:
            for what in ("entities", "chunks"):
                yield f"{what} of {scene['name']}", who, scene[what]


def loaded(paths):
    told = json.loads(run(RUNTIME, *paths).stdout)
    yield from (("assets", "kiln_file_asset_count", told["assets"]), ("assets", "kiln_assets_stats.known", told["known"]),
                ("asset types", "kiln_index", told["types"]), ("members", "kiln_index", told["members"]),
                ("scenes", "runtime", len(told["scenes"])))  # fmt: skip
    for name, scene in told["scenes"].items():
        for who in ("", "world_", "forecast_"):
            for what in ("entities", "chunks"):
                yield f"{what} of {name}", f"runtime {who}{what}", scene[who + what]
        yield f"entities of {name}", "runtime living", scene["living"]


def compare(name, told):
    """Fails if two sources report different numbers for the same subject."""
    by_what = {}
    for what, who, number in told:
        by_what.setdefault(what, {}).setdefault(number, []).append(who)
    report(name, [f"{what}: {numbers}" for what, numbers in by_what.items() if len(numbers) > 1])


def check(name, folder, schema, below=(), options=(), inputs="."):
    """Bakes, and compares the numbers of all programs."""
    path = os.path.join(name + ".kiln")
    extern = [word for file in below for word in ("-x", file)]
    common = ["-C", os.path.join(SOURCE, folder), "-s", os.path.join(SOURCE, schema), *extern]
    counts, lines = baked(run(BAKE, "-v", *common, *options, "-o", path, inputs).stderr)
    said = run(BAKE, "check", *common, inputs).stderr
    plain, scenes, types = numbers(rf"^checked: {COUNT} assets?(?: and {COUNT} scenes?)? against {COUNT} types? of the schema, nothing written$", said)
    told = [(what, "kiln-bake", number) for what, number in counts.items()]
    told += [("assets", "kiln-bake -v", lines), ("scenes", "kiln-bake check", scenes), ("types of the schema", "kiln-bake check", types)]
    told += inspected(path)
    rows = json.loads(run(INSPECT, "ls", "-f", "json", path).stdout)["assets"]
    parts = sum(row["name"].startswith(("Scene/", "SceneChunks/", "SceneData/", "kiln.Clusters/")) for row in rows)
    told += [("assets other than scenes", "kiln-bake check", plain), ("assets other than scenes", "ls", len(rows) - parts)]
    if RUNTIME:
        told += loaded([*below, path])
    compare(name, told)

    again = f"{name}-repacked.kiln"
    assets, size, before = numbers(rf": {COUNT} assets?, {COUNT} bytes instead of {COUNT}$", run(BAKE, "repack", "--compress", "3", "-o", again, path).stderr)
    told = [("assets", "kiln-bake", counts["assets"]), ("assets", "repack", assets), ("bytes", "repack", size), ("before", "repack", before),
            ("before", "kiln-bake", counts["bytes"]), *inspected(again)]  # fmt: skip
    if RUNTIME:
        told += loaded([*below, again])
    compare(f"{name}, repacked", told)


with tempfile.TemporaryDirectory() as work:
    SOURCE = os.path.realpath(SOURCE)
    BAKE, INSPECT = os.path.realpath(BAKE), os.path.realpath(INSPECT)
    RUNTIME = RUNTIME and os.path.realpath(RUNTIME)
    os.chdir(work)
    if not REAL:
        check("game", "samples/game/data", "samples/game/game.schema.yaml")
        check("shared", "samples/game/data", "samples/game/game.schema.yaml", options=("--no-share",))
        check("village", "samples/village/scenes", "samples/village/village.schema.yaml", below=("game.kiln",))
    data = os.path.join(SOURCE, "..", "shared", "data", "ss14-2021")
    if REAL and not os.path.isdir(data):
        count += 1
        print(f"ok {count} - station # SKIP no data at ../shared/data/ss14-2021")
    elif REAL:
        check("station", os.path.relpath(data, SOURCE), "tests/real/ss14-2021/game.schema.yaml", inputs="Resources")
print(f"1..{count}")
sys.exit(failed > 0)
