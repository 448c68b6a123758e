"""Planned bakes give the same files as a direct bake: plan.py KILN_BAKE SOURCE [workers]

Runs plans with ninja, make and Makeflow, and each command in a folder that contains only its inputs. With `workers`, runs a plan with
Makeflow and two workers of Work Queue, one of which is killed.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROJECT = """kiln: 1
schemas: [s.yaml]
bundles:
  base:
    sources: ["base/*.far.yaml", "base/*.raw"]
    base: base
    output: out/base.kiln
  game:
    sources: ["data/**/*.yaml", "data/*.node", "data/*.meta", "!data/res/**"]
    base: data
    externs: [base]
    output: out/game.kiln
    compress: 3
    resources: warn
  mapped:
    sources: ["map/*.far.yaml"]
    base: map
    output: out/mapped.kiln
    source_map: out/mapped.map
headers:
  out/game.h:
"""

SCHEMA = """kiln: 1
include: [more.yaml]
importers:
  copy: {command: [./tool.sh], output: yaml}
files:
  - {match: "*.items.yaml", shape: map, type: Item}
  - {match: "*.mod.yaml", shape: map, type: Item, patch: true}
  - {match: "*.far.yaml", shape: map, type: Far}
  - {match: "*.raw", import: copy, shape: map, type: Far}
  - {match: "*.scene.yaml", shape: scene}
  - {match: "*.prefabs.yaml", shape: prefabs}
  - {match: "*.renames.yaml", shape: renames, type: Item}
  - {match: "*.meta", shape: guids, key: guid}
  - {match: "*.node", shape: objects, tag: "tag:u,1:"}
"""

MORE = """kiln: 1
types:
  Path: {wrap: string, path: {roots: res}}
  Item:
    asset: true
    inherit: true
    cluster: root
    struct:
      n: {type: u8, default: 1}
      next: {type: "ref<Item>?", default: null}
      far: {type: "ref<Far>?", default: null}
      look: {type: "Path?", default: null}
      text: {type: string, default: ""}
      data: {type: "payload?", default: null}
  Far: {struct: {n: u32}, asset: true}
  Node: {struct: {to: {type: "ref?", local: id, file_by: guid, default: null}}, asset: true}
  Place: {struct: {x: {type: f32, default: 0}}, component: true}
"""

FILES = {
    "kiln.yaml": PROJECT, "s.yaml": SCHEMA, "more.yaml": MORE, "tool.sh": '#!/bin/sh\nexec cat "$1"\n',
    "base/x.far.yaml": "f0: {n: 1}\n", "base/y.raw": "g0: {n: 7}\n", "base/z.far.yaml": "f1: {n: 2}\n",
    "data/a.items.yaml": "a: {n: 2, far: g0, next: old, data: !file words.txt}\nb: {parent: c, look: p.png}\n",
    "data/b.items.yaml": "c: {abstract: true, n: 9, text: !file words.txt}\nd: {parent: c, next: a}\n",
    "data/c.items.yaml": "e: {parent: d, far: f0, look: gone.png, data: !file words.txt}\n", "data/q.mod.yaml": "a: {n: 44}\n",
    "data/r.renames.yaml": "old: e\n", "data/words.txt": "some words\n", "data/res/p.png": "",
    "data/p.prefabs.yaml": "p: {components: {Place: {x: 3}}}\n", "data/deep/s.scene.yaml": "entities: [{base: p}, {base: p}]\n",
    "data/t.scene.yaml": "scenes: [{scene: s, name: inner}]\nentities: [{base: p}]\n",
    "data/m.node": "--- !<tag:u,1:1> &1\nNode: {to: {id: 1, guid: g2}}\n", "data/m.node.meta": "guid: g1\n",
    "data/n.node": "--- !<tag:u,1:1> &1\nNode: {to: {id: 1, guid: g1}}\n", "data/n.node.meta": "guid: g2\n",
    "map/a.far.yaml": "m1: {n: 1}\n", "map/b.far.yaml": "m2: {n: 2}\n",
}

OUTPUTS = ["out/base.kiln", "out/game.kiln", "out/mapped.kiln", "out/mapped.map", "out/game.h"]


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    if path.endswith(".sh"):
        os.chmod(path, 0o755)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def run(words, code=0):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False, text=True)
    if done.returncode != code:
        sys.exit(f"{words}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout + done.stderr


class Plans:
    def __init__(self, bake, files, outputs):
        self.bake, self.files, self.outputs = bake, files, outputs

    def enter(self, name):
        os.makedirs(name)
        os.chdir(name)
        for path, text in self.files.items():
            write(path, text)

    def expect(self, folder, what):
        """Compares the outputs with a direct bake of the current folder."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(".", folder, ignore=shutil.ignore_patterns("out", ".kiln", "*.parts"))
        here = os.getcwd()
        os.chdir(folder)
        run([self.bake, "-q"])
        os.chdir(here)
        for output in self.outputs:
            if read(output) != read(os.path.join(folder, output)):
                sys.exit(f"{what}: {output} differs from a direct bake")

    def ninja(self, folder, edits):
        self.enter(folder)
        run([self.bake, "plan", "-q", "--format", "ninja", "-o", "build.ninja", "--parts", "4"])
        run(["ninja", "-j2"])
        self.expect("../direct", "ninja")
        assert "no work to do" in run(["ninja"]), "ninja runs twice"
        for path, text in edits:
            time.sleep(0.02)
            os.remove(path) if text is None else write(path, text)
            done = run(["ninja", "-j2", "-v"])
            self.expect("../direct", f"ninja after a change of {path}")
            assert "no work to do" in run(["ninja"]), f"ninja runs twice after a change of {path}"
            yield done
        os.chdir("..")

    def make(self, folder):
        self.enter(folder)
        run([self.bake, "plan", "-q", "--format", "make", "-o", "game.mk"])
        run(["make", "-j2", "-f", "game.mk"])
        self.expect("../direct", "make")
        assert "up to date" in run(["make", "-f", "game.mk"]), "make runs twice"
        self.run_alone("game.mk")
        time.sleep(0.02)
        write("map/c.far.yaml", "m3: {n: 3}\n")
        run(["make", "-j2", "-f", "game.mk.parts/self.mk"])
        self.expect("../direct", "make after a new file")
        assert "up to date" in run(["make", "-f", "game.mk.parts/self.mk"]), "make plans twice"
        os.chdir("..")

    def run_alone(self, graph):
        """Runs each command in a folder with nothing but its inputs."""
        with open(graph, encoding="utf-8") as file:
            rules = file.read().split("\n\n")[1:]
        for rule in rules:
            head, command = rule.rstrip("\n").split("\n\t")
            target, inputs = head.split(": ", 1)
            with tempfile.TemporaryDirectory() as alone:
                for path in inputs.split():
                    os.makedirs(os.path.dirname(os.path.join(alone, path)), exist_ok=True)
                    shutil.copy(path, os.path.join(alone, path))
                done = subprocess.run(["sh", "-c", command.replace("$(KILN_BAKE)", self.bake)], cwd=alone, capture_output=True,
                                      check=False, text=True)
                if done.returncode or read(os.path.join(alone, target)) != read(target):
                    sys.exit(f"alone: {command}\n{done.stderr}")

    def makeflow(self, folder):
        self.enter(folder)
        run([self.bake, "plan", "-q", "--format", "make", "-o", "game.mk"])
        run(["makeflow", "-T", "local", "-j", "2", "game.mk"])
        self.expect("../direct", "makeflow")
        os.chdir("..")

    def work_queue(self, folder):
        """Two workers on loopback; one of them is killed when it has a task."""
        self.enter(folder)
        run([self.bake, "plan", "-q", "--format", "make", "-o", "game.mk"])
        write("slow.sh", f'#!/bin/sh\necho "$PWD" >>{os.getcwd()}/started\nsleep 0.2\nexec {self.bake} "$@"\n')
        with open("game.mk", encoding="utf-8") as file:
            text = file.read()
        write("game.mk", text.replace(f"KILN_BAKE={os.path.realpath(self.bake)}", f"KILN_BAKE={os.getcwd()}/slow.sh"))
        processes = [subprocess.Popen(["makeflow", "-T", "wq", "-Z", "port", "-r", "9", "game.mk"], stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)]
        try:
            wait(lambda: os.path.exists("port") and read("port"), "the port of makeflow")
            port = read("port").decode().strip()
            for number in (1, 2):
                os.makedirs(f"../worker{number}")
                processes.append(subprocess.Popen(["work_queue_worker", "--cores", "1", "-t", "30", "-s", os.path.abspath(f"../worker{number}"),
                                                   "127.0.0.1", port], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                                  stderr=subprocess.DEVNULL, start_new_session=True))
            wait(lambda: os.path.exists("started") and b"/worker1/" in read("started"), "a task of the first worker")
            os.killpg(processes[1].pid, signal.SIGKILL)
            if processes[0].wait(timeout=60):
                sys.exit("makeflow failed with a killed worker")
            with open("game.mk.wqlog.tr", encoding="utf-8") as file:
                log = file.read()
            assert "DISCONNECTION FAILURE" in log, "the worker was not lost"
        finally:
            for process in processes:
                if process.poll() is None:
                    process.kill()
                process.wait()
        self.expect("../direct", "Work Queue")
        os.chdir("..")


def wait(is_there, what):
    for _ in range(600):
        if is_there():
            return
        time.sleep(0.05)
    sys.exit(f"waited 30 s for {what}")


def refusals(bake):
    """Each row: a file to add, the format, the exit code, and the message."""
    rows = [("data/%.items.yaml", "make", 2, 'the path "data/%.items.yaml" cannot be written in the syntax of make'),
            ("data/a\nb.items.yaml", "ninja", 2, "cannot be written in the syntax of ninja"),
            ("data/|.items.yaml", "ninja", 2, 'the path "data/|.items.yaml" cannot be written in the syntax of ninja'),
            ("data/bad.items.yaml", "make", 1, "data/bad.items.yaml:1:9: error: Item/z1.n: 999 exceeds 255 [range]")]
    for path, form, code, message in rows:
        write(path, "z1: {n: 999, text: !file words.txt}\n" if "bad" in path else "z1: {n: 3}\n")
        done = run([bake, "plan", "--format", form, "-o", "refused"], code)
        assert message in done and not os.path.exists("refused"), (path, done)
        os.remove(path)
    for words, message in ((["plan", "-o", "x"], "plan needs --format ninja or --format make"),
                           (["plan", "--format", "json", "-o", "x"], "plan needs --format ninja or --format make"),
                           (["plan", "--format", "ninja"], "plan needs the name of a file; use -o FILE"),
                           (["plan", "--format", "make", "-o", "x", "gam"], "has no bundle 'gam'; did you mean game?"),
                           (["plan", "--format", "make", "-o", "x", "--parts", "0"], "--parts takes a number above 0, not '0'"),
                           (["plan", "--format", "make", "-o", "no/where/x"], None),
                           (["plna"], "did you mean plan?")):
        done = run([bake] + words, 0 if message is None else 2)
        assert message is None or message in done, (words, done)


def budgets(bake):
    """Commands of a plan check budgets with the messages of a direct bake, and an exceeded one leaves the earlier output."""
    project = ("kiln: 1\nschemas: s.yaml\nbundles:\n  b:\n    sources: [data/**/*.yaml]\n    output: b.kiln\n"
               "    budgets: {bundle: {disk: 4 KiB}, assets: {\"*\": {disk: LIMIT}, none: {disk: 9}}}\n"
               "  one: {sources: data/a.yaml, output: one.kiln, werror: true, budgets: {types: {T: {disk: LIMIT}}}}\n")
    write("s.yaml", "kiln: 1\ntypes: {T: {struct: {n: u8, s: {type: string, default: ''}}, asset: true}}\n")
    write("data/a.yaml", "# a\nT:\n  a: {n: 1}\n")
    write("data/b.yaml", "T: {b: {n: 2}}\n")
    write("data/sub/c.yaml", "T:\n  c: {n: 3, s: a longer text}\n  d: {n: 4}\n")
    codes = set()
    for limit in ("100", "60", "50", "20"):
        write("kiln.yaml", project.replace("LIMIT", limit))
        for name in ("b", "one"):
            direct = subprocess.run([bake, "-q", "--force", "-j1", name], capture_output=True, check=False, text=True)
            before = read(f"{name}.kiln") if os.path.exists(f"{name}.kiln") else None
            run([bake, "plan", "-q", "--format", "make", "--parts", "2", "-o", "p.mk", name])
            done = subprocess.run(["make", "-s", "-f", "p.mk"], capture_output=True, check=False, text=True)
            said = "".join(line for line in done.stderr.splitlines(True) if not line.startswith("make: "))
            assert said == direct.stderr, (limit, name, said, direct.stderr)
            assert (done.returncode == 0) == (direct.returncode == 0), (limit, name, done)
            assert before is None or read(f"{name}.kiln") == before
            codes.add((direct.returncode, "warning" in direct.stderr))
    assert codes >= {(0, True), (1, True)}, codes
    with open("p.mk.parts/1-one.budgets", "ab") as file:
        file.write(b"x")
    done = subprocess.run(["make", "-s", "-f", "p.mk"], capture_output=True, check=False, text=True)
    assert "cannot read p.mk.parts/1-one.budgets: it was not written by `kiln-bake plan` of this version" in done.stderr, done


def warnings(bake):
    """A plan prints the warnings of a direct bake once, whatever a part inherits, and -Werror makes the last command fail."""
    write("s.yaml", "kiln: 1\ntypes:\n  T: {struct: {n: {type: u8, default: 1}, old: {type: u8, default: 0, deprecated: true}, "
          "to: {type: ref<T>?, default: null}}, asset: true, inherit: true}\n"
          "files: [{match: '*.mod.yaml', shape: map, type: T, patch: true}, {match: '*.yaml', shape: map, type: T}]\n")
    write("d/a.yaml", "a: {n: 1}\nmany:\n  to: gone\n")
    write("d/b.yaml", "b: {abstract: true, old: 4, to: gone}\n")
    write("d/c.yaml", "c: {parent: b, n: 3}\nd: {parent: b}\n")
    write("d/q.mod.yaml", "a: {old: 3, to: gone}\n")
    write("d/z.yaml", "".join(f"z{i}: {{old: {i % 9}}}\n" for i in range(150)))
    project = "kiln: 1\nschemas: s.yaml\nbundles: {g: {sources: d/*.yaml, base: d, output: g.kiln, dangling: warn, werror: WERRORMAP}}\n"
    for werror, source_map in (("false", ""), ("true", ""), ("false", ", source_map: g.map")):
        write("kiln.yaml", project.replace("WERROR", werror).replace("MAP", source_map))
        direct = subprocess.run([bake, "-q", "--force"], capture_output=True, check=False, text=True)
        assert "here and in 2 more places" in direct.stderr and "(53 not shown)" in direct.stderr, direct
        for parts in ("1", "2", "5"):
            shutil.rmtree("p.mk.parts", ignore_errors=True)
            run([bake, "plan", "-q", "--format", "make", "--parts", parts, "-o", "p.mk"])
            if os.path.exists("g.kiln"):
                os.remove("g.kiln")
            done = subprocess.run(["make", "-s", "-f", "p.mk"], capture_output=True, check=False, text=True)
            said = "".join(line for line in done.stderr.splitlines(True) if not line.startswith("make: "))
            assert said == direct.stderr, (parts, said, direct.stderr)
            assert (done.returncode == 0) == (direct.returncode == 0) == os.path.exists("g.kiln"), (werror, done)


def listed_folder(bake, tools):
    """The plan and the outputs are in a folder that a pattern lists."""
    def write_project(folder):
        os.makedirs(folder)
        os.chdir(folder)
        write("s.yaml", "kiln: 1\ntypes:\n  A: {struct: {n: u8}, asset: true}\nfiles:\n  - {match: '*.a.yaml', shape: map, type: A}\n")
        write("kiln.yaml", "kiln: 1\nschemas: [s.yaml]\nbundles:\n  game: {sources: ['**/*.a.yaml'], output: game.kiln}\n")
        write("a.a.yaml", "a: {n: 1}\n")
        write("b/b.a.yaml", "b: {n: 1}\n")

    def run_twice(words, done):
        # Without a limit, make would plan again and again.
        run(["timeout", "60", *words])
        run(["timeout", "60", *words])
        assert done in run(["timeout", "60", *words]), f"{words} never ends to plan"

    for format, graph, words, done in (("ninja", "build.ninja", ["ninja"], "no work to do"),
                                       ("make", "game.mk", ["make", "-f", "game.mk.parts/self.mk"], "up to date")):
        if not tools[words[0]]:
            continue
        write_project(f"listed_{format}")
        run([bake, "plan", "-q", "--format", format, "-o", graph])
        run_twice(words, done)
        time.sleep(0.02)
        write("c.a.yaml", "c: {n: 1}\n")
        run_twice(words, done)
        planned = read("game.kiln")
        run([bake, "-q", "--force"])
        assert planned == read("game.kiln"), f"{format} does not notice a new file"
        os.chdir("..")


def unknown_inputs(bake):
    """An importer may read files that no plan can list."""
    for values, place in (("bytes", "{d: !import:conv a.raw}"), ("yaml", "{}")):
        os.makedirs(f"unknown_{values}")
        os.chdir(f"unknown_{values}")
        rule = ", {match: '*.raw', import: conv, shape: map, type: A}" if values == "yaml" else ""
        write("s.yaml", f"kiln: 1\nimporters:\n  conv: {{command: [./tool.sh], output: {values}, inputs: unknown}}\ntypes:\n"
              "  A: {struct: {d: {type: bytes, default: ''}}, asset: true}\n"
              f"files: [{{match: '*.a.yaml', shape: map, type: A}}{rule}]\n")
        write("tool.sh", '#!/bin/sh\ncat "$1" extra.txt\n')
        write("extra.txt", "x: {}\n")
        write("data/a.raw", "a: {}\n")
        write("data/b.a.yaml", f"b: {place}\n")
        write("data/c.a.yaml", "c: {}\n")
        raw = ", data/*.raw" if values == "yaml" else ""
        write("kiln.yaml", f"kiln: 1\nschemas: [s.yaml]\nbundles:\n  game: {{sources: [data/*.a.yaml{raw}], output: game.kiln}}\n")
        for format in ("ninja", "make"):
            failed = run([bake, "plan", "--format", format, "-o", "plan"], 2)
            assert "the importer of data/a.raw has unknown `inputs`, so a plan cannot list them" in failed, failed
            assert not os.path.exists("plan")
        write("s.yaml", read("s.yaml").decode().replace("unknown", "[extra.txt]"))
        run([bake, "plan", "-q", "--format", "make", "-o", "plan"])
        assert "extra.txt" in read("plan").decode()
        os.chdir("..")


def moved_files(bake, tools):
    """A file that is no source moves to another folder, and schemas include one file by two paths."""
    schema = "kiln: 1\ninclude: [../more/types.yaml]\n"
    for format, graph, words in (("ninja", "build.ninja", ["ninja"]), ("make", "game.mk", ["make", "-f", "game.mk.parts/self.mk"])):
        if not tools[words[0]]:
            continue
        os.makedirs(f"moved_{format}")
        os.chdir(f"moved_{format}")
        write("more/types.yaml", "kiln: 1\ntypes:\n  Path: {wrap: string, path: {roots: [one, two]}}\n"
              "  A: {struct: {look: Path}, asset: true}\nfiles:\n  - {match: '*.a.yaml', shape: map, type: A}\n")
        write("x/x.yaml", schema)
        write("y/y.yaml", schema)
        write("kiln.yaml", "kiln: 1\nschemas: [x/x.yaml, y/y.yaml]\nbundles:\n  game: {sources: ['d/*.a.yaml'], output: game.kiln}\n")
        write("d/a.a.yaml", "a: {look: p.png}\n")
        write("d/b.a.yaml", "b: {look: q.png}\n")
        write("two/p.png", "")
        write("two/q.png", "")
        run([bake, "plan", "-q", "--format", format, "-o", graph])
        run(words)
        time.sleep(0.02)
        os.makedirs("one")
        os.rename("two/p.png", "one/p.png")
        run(words)
        os.remove("one/p.png")
        failed = run(words, 1 if format == "ninja" else 2)
        assert 'cannot find the file "p.png"' in failed, failed
        os.chdir("..")


def options_of_plans(bake):
    """A plan that is written again has the options that were given first."""
    def files():
        return {name: read(f"opt.mk.parts/{name}") for name in os.listdir("opt.mk.parts")} | {"": read("opt.mk")}

    for words in (["-Werror"], ["--no-importers", "mapped"], ["--max-input", "9000000"], ["--max-input", "0"], ["--max-errors", "7"], ["--parts", "3"],
                  ["game"], ["-Werror", "--max-errors", "1", "mapped"]):
        shutil.rmtree("opt.mk.parts", ignore_errors=True)
        run([bake, "plan", "-q", "--format", "make", "-o", "opt.mk", *words])
        before = files()
        run([bake, "@opt.mk.parts/plan.args"])
        assert files() == before, f"plan {words}: other files than before"


def unwritable_places(bake):
    """A plan that cannot be written leaves the earlier one as it was."""
    write("there", "earlier\n")
    write("there.parts", "a file\n")
    done = run([bake, "plan", "--format", "make", "-o", "there"], 2)
    assert "cannot write there.parts: " in done and read("there") == b"earlier\n", done
    os.makedirs("folder")
    done = run([bake, "plan", "--format", "make", "-o", "folder"], 2)
    assert "cannot write folder: Is a directory" in done, done
    full = subprocess.run(["sh", "-c", f"ulimit -f 1; exec '{bake}' plan --format make -o full"], capture_output=True, check=False, text=True)
    assert full.returncode == 2 and "File too large" in full.stderr and not os.path.exists("full"), full


def main():
    bake, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    strange = dict(FILES)
    for name in ("a b", "$x", "#1", "c:d", "it's", '"q"', "ä&(1)"):
        strange[f"data/{name}.items.yaml"] = f"s{len(strange)}: {{n: 5}}\n"
    tools = ("makeflow", "work_queue_worker") if sys.argv[3:] == ["workers"] else ("ninja", "make", "makeflow")
    have = {tool: shutil.which(tool) for tool in tools}
    missing = [tool for tool, path in have.items() if not path]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        plans = Plans(bake, FILES, OUTPUTS)
        if "work_queue_worker" in tools:
            if not missing:
                plans.work_queue("queue")
            finish(missing)
        if have["ninja"]:
            edits = [("data/c.items.yaml", "e: {parent: d, far: f0, n: 3}\n"), ("data/words.txt", "other words\n"),
                     ("data/b.items.yaml", "c: {abstract: true, n: 8}\nd: {parent: a, next: a}\n"),
                     ("data/new.items.yaml", "new: {parent: d}\n"), ("data/new.items.yaml", None)]
            for _ in Plans(bake, strange, OUTPUTS).ninja("ninja", edits):
                pass
        if have["make"]:
            plans.make("make")
        if have["makeflow"]:
            plans.makeflow("makeflow")
        if have["make"]:
            os.makedirs("budgets")
            os.chdir("budgets")
            budgets(bake)
            os.chdir("..")
            os.makedirs("warnings")
            os.chdir("warnings")
            warnings(bake)
            os.chdir("..")
        listed_folder(bake, have)
        moved_files(bake, have)
        unknown_inputs(bake)
        plans.enter("refused")
        options_of_plans(bake)
        refusals(bake)
        unwritable_places(bake)
        os.chdir("..")
        shutil.copytree(f"{source}/samples/game", "game")
        os.chdir("game")
        game = {}
        for where, _, names in os.walk("."):
            for name in names:
                if name.endswith(".yaml"):
                    path = os.path.relpath(os.path.join(where, name))
                    game[path] = read(path).decode()
        os.chdir("..")
        if have["make"]:
            samples = Plans(bake, game, ["out/game.kiln", "out/game.h"])
            samples.enter("sample")
            run([bake, "plan", "-q", "--format", "make", "-o", "game.mk"])
            run(["make", "-j2", "-f", "game.mk"])
            samples.expect("../direct", "samples/game")
            samples.run_alone("game.mk")
        finish(missing)


def finish(missing):
    os.chdir("/")
    print("all plans give the same files" + (f"; not installed: {', '.join(missing)}" if missing else ""))
    sys.exit(77 if missing else 0)


main()
