"""The output of kiln-inspect has a limit in bytes: output_limit.py KILN_BAKE KILN_INSPECT SAMPLES

Truncated output is the beginning of the whole output and a last line that makes it invalid: it parses neither as JSON nor as
YAML. A message states what is missing, and the exit code is 1.
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    yaml = None

BAKE, INSPECT, SAMPLES = sys.argv[1:4]
MARK = b": @ cut\n@ cut: output truncated\n"
LEAST, FACTOR = 1 << 20, 256

SCHEMA = """kiln: 1
types:
  Item:
    asset: true
    struct: {name: string, note: {type: string, default: ""}, sizes: "u16[]", at: At, tags: "map<string, f32>", more: "At[]"}
  At: {struct: {x: f32, y: f32}}
files: [{match: "*.yaml", shape: kinds}]
"""
DATA = """Item:
  sword: {name: "a \\"long\\" sword # not a comment", sizes: [1, 2, 300], at: {x: 1, y: -2.5}, tags: {a b: 1, "c: d": 2}, more: [{x: 1, y: 2}]}
  'shield: no': {name: "line\\nline", sizes: [], at: {x: 0, y: 0}, tags: {}, more: []}
  empty: {name: "", note: "--- x", sizes: [7], at: {x: 12345, y: 0}, tags: {}, more: []}
"""


def run(*args, code=0):
    done = subprocess.run(args, capture_output=True)
    if done.returncode != code:
        raise SystemExit(f"{' '.join(args)}: exit code {done.returncode}, not {code}\n{done.stdout[-500:]}{done.stderr}")
    return done


def parses(loads, text):
    try:
        loads(text)
    except Exception:
        return False
    return True


def first_document(text):
    """Parses the first document, like readers that ignore what follows it."""
    return next(yaml.load_all(text, yaml.SafeLoader))


def check_cut(path, arguments, size, whole):
    command, *rest = arguments
    done = run(INSPECT, command, "--max-bytes", str(size), path, *rest, code=1)
    assert done.stdout == whole[:size] + MARK, (arguments, size, done.stdout)
    assert f"the output was truncated after {size} bytes: ".encode() in done.stderr and b"missing" in done.stderr, done.stderr
    text = done.stdout.decode("utf-8", "replace")
    if "json" in arguments:
        assert not parses(json.loads, text), (arguments, size, text)
    if "yaml" in arguments and yaml:
        assert not parses(first_document, text), (arguments, size, text)
    return done


def check_command(path, arguments, cuts):
    """Truncates the output at about `cuts` evenly spaced sizes. At its full size it must not be
    truncated."""
    command, *rest = arguments
    whole = run(INSPECT, command, path, *rest).stdout
    assert len(whole) > 1, arguments
    for size in sorted({1, len(whole) - 1, *(1 + i * (len(whole) - 1) // cuts for i in range(cuts))} - {len(whole)}):
        check_cut(path, arguments, size, whole)
    for size in (0, len(whole), len(whole) + 1):
        assert run(INSPECT, command, f"--max-bytes={size}", path, *rest).stdout == whole, (arguments, size)


def check_forms(folder):
    with open(f"{folder}/s.yaml", "w") as file:
        file.write(SCHEMA)
    os.mkdir(f"{folder}/in")
    with open(f"{folder}/in/a.yaml", "w") as file:
        file.write(DATA)
    out = f"{folder}/out.kiln"
    run(BAKE, "-q", "-s", f"{folder}/s.yaml", "-C", f"{folder}/in", "-o", out, "--source-map", out + ".map", ".")
    for form, cuts in (("tree", 20), ("yaml", 600), ("json", 200)):
        check_command(out, ["dump", "-f", form], cuts)
        check_command(out, ["get", "Item/sword", "-f", form], 30)
        check_command(out, ["get", "Item/sword.at.y", "-f", form], 9)
        check_command(out, ["get", "Item/empty.at.x", "-f", form], 9)
        check_command(out, ["get", "Item/sword.name", "-f", form], 30)
    for arguments in (["ls"], ["ls", "-f", "json"], ["info"], ["hex"], ["hex", "Item/sword"], ["type"], ["verify"],
                      ["where", "Item/sword.name"], ["where", "Item/sword.name", "-f", "json"]):
        check_command(out, arguments, 12)
    check_told(out)
    check_bake(folder, out)


def check_told(out):
    """The message counts the missing assets."""
    whole = run(INSPECT, "dump", out).stdout
    second = whole.index(b"\nItem/shield")
    for size, missing in ((5, 3), (second - 1, 3), (second + 1, 2), (len(whole) - 1, 1)):
        done = check_cut(out, ["dump"], size, whole)
        assert f"assets missing or incomplete: {missing} of 3\n".encode() in done.stderr, (size, done.stderr)
    for word in ("x", "-1", "", "12k", "1Mi", "M", "99999999999999999999999"):
        run(INSPECT, "dump", f"--max-bytes={word}", out, code=2)
    run(INSPECT, "dump", "--max-values", "5", out, code=2)
    assert run(INSPECT, "dump", "--max-bytes", "4K", out).stdout == whole


def check_bake(folder, out):
    """kiln-bake refuses every truncated dump. It bakes the whole dump to the same file."""
    whole = run(INSPECT, "dump", "-f", "yaml", out).stdout
    for size in (*range(1, len(whole), max(1, len(whole) // 25)), len(whole) - 1, 0):
        with open(f"{folder}/in/a.yaml", "wb") as file:
            file.write(run(INSPECT, "dump", "-f", "yaml", "--max-bytes", str(size), out, code=1 if size else 0).stdout)
        run(BAKE, "-q", "-s", f"{folder}/s.yaml", "-C", f"{folder}/in", "-o", f"{folder}/again.kiln", ".", code=1 if size else 0)
    with open(out, "rb") as one, open(f"{folder}/again.kiln", "rb") as other:
        assert one.read() == other.read()


def check_scenes(folder):
    game, village = f"{folder}/game.kiln", f"{folder}/village.kiln"
    run(BAKE, "-q", "-s", f"{SAMPLES}/game/game.schema.yaml", "-C", f"{SAMPLES}/game/data", "-o", game, ".")
    run(BAKE, "-q", "-x", game, "-s", f"{SAMPLES}/village/village.schema.yaml", "-C", f"{SAMPLES}/village/scenes", "-o", village, ".")
    for arguments in (["scene"], ["scene", "-f", "json", "--chunks"], ["scene", "Scene/emberwick", "oda", "#1"], ["forecast"],
                      ["scene", "-f", "json", "Scene/emberwick", "oda", "#1"], ["forecast", "-f", "json"], ["dump", "-f", "yaml"],
                      ["dump", "-f", "json"]):
        check_command(village, arguments, 12)


def check_default(folder):
    """Nested structs of one byte with long names: the output is thousands of times larger than the
    file."""
    name = "x" * 200
    structs = "".join(f"  S{i}: {{struct: {{{name}: {{type: S{i + 1}, default: {{}}}}}}}}\n" for i in range(14))
    with open(f"{folder}/names.yaml", "w") as file:
        file.write("kiln: 1\ntypes:\n  T: {struct: {list: 'S0[]'}, asset: true}\n" + structs + f"  S14: {{struct: {{{name}: {{type: u8, default: 7}}}}}}\n")
    os.mkdir(f"{folder}/names")
    with open(f"{folder}/names/a.yaml", "w") as file:
        file.write("T: {a: {list: [" + "{}, " * 20000 + "]}}\n")
    out = f"{folder}/names.kiln"
    run(BAKE, "-q", "-s", f"{folder}/names.yaml", "-C", f"{folder}/names", "-o", out, ".")
    most = LEAST + FACTOR * os.path.getsize(out)
    for arguments in (["dump", "--all"], ["dump", "-f", "yaml"], ["dump", "-f", "json"], ["get", "-f", "json", "T/a.list"]):
        command, *rest = arguments
        done = run(INSPECT, command, out, *rest, code=1)
        assert len(done.stdout) == most + len(MARK), (arguments, len(done.stdout), most)
        assert f"the output was truncated after {most} bytes: ".encode() in done.stderr, done.stderr
    assert len(run(INSPECT, "dump", "-f", "json", "--max-bytes", "0", out).stdout) > 5 * most


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_forms(folder)
        check_scenes(folder)
        check_default(folder)
    print("truncated output is reported and does not parse" if yaml else "skipped: PyYAML is not installed, so only kiln-bake reads truncated YAML")


main()
