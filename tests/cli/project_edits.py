#!/usr/bin/env python3
"""Edits a project at random and bakes it after each edit: nothing is stale, and nothing is baked twice (TAP).

    project_edits.py KILN_BAKE [SEED [STEPS [cache]]]

After each edit, the outputs and messages equal those of a bake without records in a copy of the project, and a second bake does nothing.
Edits: change, add, remove, rename and touch files, move assets to other files, change comments, change and break schemas, break and
repair files, change settings, damage outputs and records, kill a bake, run two bakes at once. With `cache`, the project uses a local cache
and a shared folder, and all its outputs and records are removed now and then.
"""

import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BAKE = str(pathlib.Path(sys.argv[1]).resolve())
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 1
STEPS = int(sys.argv[3]) if len(sys.argv) > 3 else 60
CACHE = ["--cache", "../near", "--cache-shared", "../shared", "--cache-size", "200000", "--cache-wait", "50000"] if sys.argv[4:] == ["cache"] else []
SCHEMA = """kiln: 1
include: [{include}]
types:
  T: {{struct: {{n: {type}, s: {{type: string, default: {default}}}, other: "ref<T>?", old: {{type: u8, default: 0, deprecated: true}}}}, asset: true}}
"""
PROJECT = """kiln: 1
schemas: s.yaml
include: [inc1, inc2]
bundles:
  one: {{sources: "one/**/*.yaml", output: out/one.kiln, compress: {compress}}}
  two: {{sources: "two/**/*.yaml", output: out/two.kiln, externs: [one], source_map: out/two.json, dangling: {dangling}}}
  three: {{sources: "three.yaml", output: out/three.kiln, no_types: {no_types}}}
headers: {{out/types.h: }}
"""
OUTPUTS = ["out/one.kiln", "out/two.kiln", "out/two.json", "out/three.kiln", "out/types.h"]
BUNDLES = ["one", "two", "three"]


class Project:
    """The state from which all files of the project are written."""

    def __init__(self, rng):
        self.rng = rng
        self.schema = {"type": "u16", "default": "x", "include": "more.yaml"}
        self.settings = {"compress": 0, "dangling": "warn", "no_types": "false"}
        self.comments = 0
        self.broken = None
        self.ids = 0
        self.files = {"one/a.yaml": {}, "one/deep/b.yaml": {}, "two/a.yaml": {}, "three.yaml": {}}
        for path in self.files:
            for _ in range(3):
                self.add_asset(path)

    def add_asset(self, path):
        self.ids += 1
        self.files[path][f"a{self.ids}"] = {"n": self.rng.randrange(300)}

    def some(self, what=None):
        return self.rng.choice(sorted(path for path in self.files if what is None or path.startswith(what)))

    def text(self, path):
        lines = [f"# {self.comments}" if self.comments % 2 else "", "T:" if self.files[path] else "{}"]
        for name, value in self.files[path].items():
            lines.append(f"  {name}: {{" + ", ".join(f"{key}: {one}" for key, one in value.items()) + "}")
        return "\n".join(lines) + ("\nT: [" if path == self.broken else "") + "\n"

    def write(self):
        wanted = {path: self.text(path) for path in self.files}
        wanted["s.yaml"] = SCHEMA.format(**self.schema)
        wanted["inc2/more.yaml"] = "kiln: 1\ntypes: {U: {struct: {n: u8}}}\n"
        wanted["kiln.yaml"] = PROJECT.format(**self.settings)
        for folder in ("one", "two"):
            for path in pathlib.Path(folder).rglob("*.yaml"):
                if str(path) not in wanted:
                    path.unlink()
        for path, text in wanted.items():
            path = pathlib.Path(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")


# ---- edits; each may leave the project as it is ----

def change_a_value(p):
    path = p.some()
    if p.files[path]:
        p.files[path][p.rng.choice(sorted(p.files[path]))]["n"] = p.rng.randrange(300)


def add_an_asset(p):
    p.add_asset(p.some())


def remove_an_asset(p):
    path = p.some()
    if len(p.files[path]) > 1:
        p.files[path].pop(p.rng.choice(sorted(p.files[path])))


def move_an_asset(p):
    path, other = p.some("one"), p.some("one")
    if len(p.files[path]) > 1:
        name = p.rng.choice(sorted(p.files[path]))
        p.files[other][name] = p.files[path].pop(name)


def refer_to_another_asset(p):
    path, other = p.some("two"), p.some("one")
    if p.files[path] and p.files[other]:
        p.files[path][p.rng.choice(sorted(p.files[path]))]["other"] = p.rng.choice(sorted(p.files[other]))


def use_a_deprecated_field(p):
    path = p.some()
    if p.files[path]:
        p.files[path][p.rng.choice(sorted(p.files[path]))]["old"] = 1


def add_a_file(p):
    path = p.rng.choice(["one/", "two/", "one/deep/", "two/x y/"]) + f"f{p.rng.randrange(6)}.yaml"
    if path not in p.files:
        p.files[path] = {}
        p.add_asset(path)


def remove_a_file(p):
    path = p.some(p.rng.choice(["one", "two"]))
    if sum(other.startswith(path[:3]) for other in p.files) > 1:
        del p.files[path]


def rename_a_file(p):
    path = p.some("one")
    new = f"one/r{p.rng.randrange(6)}.yaml"
    if new not in p.files:
        p.files[new] = p.files.pop(path)


def change_comments(p):
    p.comments += 1


def touch_a_file(p):
    path = p.some()
    if os.path.exists(path):
        os.utime(path, (1, p.rng.randrange(1 << 30)))


def change_the_schema(p):
    p.schema["type"] = p.rng.choice(["u16", "u32", "u8"])
    p.schema["default"] = p.rng.choice("xyz")


def break_the_schema(p):
    p.schema["type"] = p.rng.choice(["u99", "u16"])


def change_a_setting(p):
    p.settings["compress"] = p.rng.randrange(3)
    p.settings["dangling"] = p.rng.choice(["error", "warn"])
    p.settings["no_types"] = p.rng.choice(["true", "false"])


def break_a_file(p):
    p.broken = p.some()


def repair_everything(p):
    p.broken = None
    p.schema["type"] = "u16"


def add_an_earlier_include(p):
    path = pathlib.Path("inc1/more.yaml")
    if path.exists():
        path.unlink()
    else:
        path.parent.mkdir(exist_ok=True)
        path.write_text("kiln: 1\ntypes: {V: {struct: {n: u8}}}\n", encoding="utf-8")


def damage_an_output(p):
    path = p.rng.choice(OUTPUTS)
    if os.path.exists(path) and p.rng.random() < 0.5:
        os.remove(path)
    elif os.path.exists(path):
        with open(path, "r+b") as stream:
            stream.write(b"damaged")


def damage_a_record(p):
    records = sorted(pathlib.Path(".kiln/steps").glob("*"))
    if not records:
        return
    record = p.rng.choice(records)
    data = bytearray(record.read_bytes())
    choice = p.rng.randrange(3)
    if choice == 0 and data:
        data[p.rng.randrange(len(data))] ^= 1 << p.rng.randrange(8)
    record.write_bytes(data[:p.rng.randrange(len(data) + 1)] if choice == 1 else data)
    if choice == 2:
        shutil.rmtree(".kiln")


def kill_a_bake(p):
    p.write()
    with subprocess.Popen([BAKE, "--force", *CACHE], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        time.sleep(p.rng.random() * 0.02)
        process.send_signal(signal.SIGKILL)


def bake_twice_at_once(p):
    p.write()
    both = [subprocess.Popen([BAKE, *CACHE], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(2)]
    for process in both:
        process.wait()


EDITS = [change_a_value, add_an_asset, remove_an_asset, move_an_asset, refer_to_another_asset, use_a_deprecated_field, add_a_file,
         remove_a_file, rename_a_file, change_comments, touch_a_file, change_the_schema, break_the_schema, change_a_setting,
         break_a_file, repair_everything, repair_everything, add_an_earlier_include, damage_an_output, damage_a_record, kill_a_bake,
         bake_twice_at_once]


def forget():
    """The caches have some of the results."""
    shutil.rmtree("out", ignore_errors=True)
    shutil.rmtree(".kiln", ignore_errors=True)


def bake(folder, *words):
    """(exit code, messages without summaries, names of the steps that ran)"""
    done = subprocess.run([BAKE, "build", *words], cwd=folder, capture_output=True, text=True, check=False)
    lines = done.stderr.splitlines()
    ran = [line.split(":")[0] for line in lines if re.match(r"out/\S+: [\d,]+ (assets?|bytes)", line)]
    said = [line for line in lines if not re.match(r"out/\S+: ([\d,]+ |up to date$|from the cache )", line)]
    return done.returncode, said, ran


def outputs(folder):
    found = {}
    for name in OUTPUTS:
        path = pathlib.Path(folder, name)
        found[name] = path.read_bytes() if path.exists() else None
    return found


def check(project, clean, edit):
    code, said, ran = bake(".", *CACHE)
    shutil.rmtree(clean, ignore_errors=True)
    shutil.copytree(".", clean, ignore=shutil.ignore_patterns("out", ".kiln"))
    clean_code, clean_said, clean_ran = bake(clean)
    assert (code, said) == (clean_code, clean_said), (edit, code, said, clean_code, clean_said)
    now, expected = outputs("."), outputs(clean)
    # A step that fails leaves its earlier outputs.
    for name, data in expected.items():
        assert data is None or now[name] == data, f"{edit}: {name} is stale"
    again, said_again, ran_again = bake(".")
    assert (again, said_again) == (code, said), (edit, said_again, said)
    assert ran_again == [], f"{edit}: baked again: {ran_again}"
    assert set(ran) <= set(clean_ran), (edit, ran, clean_ran)
    if edit is touch_a_file:
        assert ran == [], f"touching a file ran {ran}"
    return len(ran), len(clean_ran)


def main():
    rng = random.Random(SEED)
    ran = possible = step = 0
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "project"))
        os.mkdir(os.path.join(folder, "shared"))
        os.chdir(os.path.join(folder, "project"))
        project = Project(rng)
        project.write()
        edit = None
        try:
            for step in range(STEPS):
                project.write()
                done, most = check(project, "../clean", edit)
                ran, possible = ran + done, possible + most
                edit = rng.choice(EDITS)
                edit(project)
                if CACHE and rng.randrange(3) == 0:
                    forget()
            print(f"ok 1 - {STEPS} edits with seed {SEED}: {ran} of {possible} steps ran")
        except AssertionError as error:
            text = str(error)[:3000].replace("\n", "\n# ")
            print(f"not ok 1 - step {step} with seed {SEED}\n# {text}")
            step = -1
        os.chdir("/")
    print("1..1")
    return 1 if step < 0 else 0


if __name__ == "__main__":
    sys.exit(main())
