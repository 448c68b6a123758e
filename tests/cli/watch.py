"""Tests kiln-bake watch: watch.py KILN_BAKE [RELOADER]

Editors are replayed by their system calls, twice: once while the watch is stopped, so that all calls must be one event, and once while
it runs. RELOADER is a program that mounts the output and replaces it when it changes. Prints TAP.
"""
import contextlib
import ctypes
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

BAKE = str(pathlib.Path(sys.argv[1]).resolve())
RELOADER = str(pathlib.Path(sys.argv[2]).resolve()) if len(sys.argv) > 2 else None
PATIENCE = int(os.environ.get("KILN_PATIENCE", "60"))  # seconds, far more than any step needs, even under a sanitizer
SCHEMA = "kiln: 1\ntypes:\n  Item: {struct: {price: u32}, asset: true}\nfiles: [{match: '*.yaml', shape: kinds}]\n"
PROJECT = """kiln: 1
schemas: [game.schema.yaml]
bundles:
  game: {sources: ["data/**/*.yaml"], output: out/game.kiln}
"""
libc = ctypes.CDLL(None, use_errno=True)
count = failed = 0


def report(name, problems):
    global count, failed
    count += 1
    failed += bool(problems)
    print(f"{'not ok' if problems else 'ok'} {count} - {name}", flush=True)
    for problem in problems:
        print(f"# {problem}", flush=True)


def skip(name, why):
    global count
    count += 1
    print(f"ok {count} - {name} # SKIP {why}", flush=True)


def write(path, text):
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(path).write_text(text, encoding="utf-8")


def item(price, name="sword"):
    return f"Item: {{{name}: {{price: {price}}}}}\n"


def progress(pid):
    """The processor time of a process and its threads and children, or None if it wants to run and the machine is busy."""
    threads = []
    for path in pathlib.Path(f"/proc/{pid}/task").glob("*/stat"):
        with contextlib.suppress(OSError):
            words = path.read_text(encoding="utf-8").rpartition(")")[2].split()
            if words[0] in "RD":
                return None
            threads.append((path.parent.name, words[11:15]))
    return threads


def patient(wait, late, pid):
    """Waits, at most PATIENCE seconds after the last progress of a process: on a busy machine it may get little processor time."""
    before = progress(pid)
    while True:
        try:
            return wait()
        except late:
            after = progress(pid)
            if after is not None and after == before:
                raise
            before = after


class Watch:
    """A running watch. Its lines arrive in a queue."""

    all = []

    def __init__(self, *arguments, before=(), **options):
        self.process = subprocess.Popen([*before, BAKE, "watch", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                        encoding="utf-8", errors="replace", **options)
        self.all.append(self.process)
        self.lines = queue.Queue()
        self.seen = []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stderr:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def line(self):
        line = patient(lambda: self.lines.get(timeout=PATIENCE), queue.Empty, self.process.pid)
        assert line is not None, f"the watch has ended after {self.seen}"
        self.seen.append(line)
        return line

    def until(self, pattern):
        """Returns the lines up to the first that matches."""
        lines = [self.line()]
        while not re.search(pattern, lines[-1]):
            lines.append(self.line())
        return lines

    def event(self):
        """Returns the lines up to the next event. Its line is the last one."""
        return self.until(r"^kiln-bake: .*; (baked|failed) in \d+ ms$")

    def begin(self):
        return self.until(r"^kiln-bake: (baked|failed) in \d+ ms; watching \d+ paths in \d+ folders$")

    @contextlib.contextmanager
    def stopped(self):
        os.kill(self.process.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED)
        yield
        os.kill(self.process.pid, signal.SIGCONT)

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        return patient(lambda: self.process.wait(PATIENCE), subprocess.TimeoutExpired, self.process.pid)


def differs(inputs, output):
    """Compares an output with that of a bake of the same inputs."""
    subprocess.run([BAKE, "-q", "-s", "game.schema.yaml", "-o", ".expected.kiln", *inputs], check=True)
    same = pathlib.Path(output).read_bytes() == pathlib.Path(".expected.kiln").read_bytes()
    os.unlink(".expected.kiln")
    return [] if same else [f"{output} is not what a bake writes"]


def expect(lines, *patterns):
    """Each line must match its pattern, and there must be no others."""
    texts = [line for line in lines if line]
    good = len(texts) == len(patterns) and all(re.search(p, t) for p, t in zip(patterns, texts))
    return [] if good else [f"expected {patterns}, got {texts}"]


# ---- what editors do to save `path` with a new text ----

def put(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def in_place(path, text):
    put(path, text)


def vim(path, text):  # backupcopy=no
    probe = os.path.join(os.path.dirname(path), "4913")
    os.close(os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
    os.chmod(probe, 0o644)
    os.unlink(probe)
    os.rename(path, path + "~")
    file = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o644)
    os.write(file, text.encode())
    os.fsync(file)
    os.close(file)
    os.chmod(path, 0o644)
    os.unlink(path + "~")


def vim_copy(path, text):  # backupcopy=yes
    shutil.copy(path, path + "~")
    file = os.open(path, os.O_TRUNC | os.O_WRONLY)
    os.write(file, text.encode())
    os.fsync(file)
    os.close(file)
    os.unlink(path + "~")


def emacs(path, text):
    lock = os.path.join(os.path.dirname(path), ".#" + os.path.basename(path))
    os.symlink("user@host.1:2", lock)
    os.rename(path, path + "~")
    put(path, text)
    os.utime(path)
    os.unlink(lock)
    os.unlink(path + "~")


def gnome(path, text):
    temporary = os.path.join(os.path.dirname(path), ".goutputstream-A1B2C3")
    put(temporary, text)
    os.rename(temporary, path)


def jetbrains(path, text):
    put(path + "___jb_tmp___", text)
    os.rename(path, path + "___jb_old___")
    os.rename(path + "___jb_tmp___", path)
    os.unlink(path + "___jb_old___")


def delete_and_write(path, text):
    os.unlink(path)
    put(path, text)


def sed(path, text):
    temporary = os.path.join(os.path.dirname(path), "sedXy12Zq")
    put(temporary, text)
    os.chmod(temporary, 0o644)
    os.rename(temporary, path)


def unnamed(path, text, target=None):
    file = os.open(os.path.dirname(path) or ".", os.O_TMPFILE | os.O_RDWR, 0o644)
    os.write(file, text.encode())
    done = libc.linkat(-100, b"/proc/self/fd/%d" % file, -100, (target or path).encode(), 0x400)
    os.close(file)
    if done != 0:
        raise OSError(ctypes.get_errno(), "linkat")


def unnamed_link(path, text):
    os.unlink(path)
    unnamed(path, text)


def unnamed_rename(path, text):
    unnamed(path, text, path + ".new")
    os.rename(path + ".new", path)


def exchange(path, text):
    put(path + ".new", text)
    if libc.renameat2(-100, (path + ".new").encode(), -100, path.encode(), 2) != 0:
        os.rename(path + ".new", path)
    else:
        os.unlink(path + ".new")


def hard_link(path, text):
    put(path + ".new", text)
    os.unlink(path)
    os.link(path + ".new", path)
    os.unlink(path + ".new")


def slow_writes(path, text):
    with open(path, "w", encoding="utf-8", buffering=1) as file:
        for letter in text:
            file.write(letter)
            file.flush()


EDITORS = [in_place, vim, vim_copy, emacs, gnome, jetbrains, delete_and_write, sed, unnamed_link, unnamed_rename, exchange, hard_link,
           slow_writes]


def saves():
    write("data/items.yaml", item(1))
    write("data/mark.yaml", item(1, "axe"))
    watch = Watch("-s", "game.schema.yaml", "-o", "game.kiln", "data")
    watch.begin()
    price = 1
    for editor in EDITORS:
        name = editor.__name__.replace("_", " ")
        price += 1
        try:
            with watch.stopped():
                editor("data/items.yaml", item(price))
            problems = expect(watch.event(), "^kiln-bake: data/items.yaml: content changed; baked in") + differs(["data"], "game.kiln")
            report(f"a save is one event: {name}", problems)
            price += 1
            editor("data/items.yaml", item(price))
            with watch.stopped():
                write("data/mark.yaml", item(price, "axe"))
            watch.until("mark.yaml: content changed|and 1 other change")
            report(f"a save is baked while the watch runs: {name}", differs(["data"], "game.kiln"))
        except OSError as error:
            skip(f"a save by {name}", str(error))
            break
    problems = []
    with watch.stopped():
        os.utime("data/items.yaml")
        write("data/.hidden.yaml", "- wrong")
        write("data/items.yaml.swp", "text")
        os.chmod("data/items.yaml", 0o600)
    with watch.stopped():
        write("data/items.yaml", item(7))
    problems += expect(watch.event(), "items.yaml: content changed; baked")
    report("files that are no inputs, touches and modes cause no bake", problems)
    report("Ctrl-C ends a waiting watch by its signal", [] if watch.end() == -signal.SIGINT else ["another end"])
    report("no temporary file is left", [name for name in os.listdir(".") if name.startswith(".kiln-bake")])


def folders():
    write("data/items.yaml", item(1))
    write("outside/more/rings.yaml", item(3, "ring"))
    write("lib.yaml", "kiln: 1\n")
    watch = Watch("-s", "game.schema.yaml", "-o", "game.kiln", "data")
    watch.begin()

    def step(name, act, *patterns):
        with watch.stopped():
            act()
        lines = watch.event()
        report(name, expect(lines, *patterns) + ([] if "failed" in lines[-1] else differs(["data"], "game.kiln")))

    step("a new file", lambda: write("data/axes.yaml", item(2, "axe")), "data: new file axes.yaml; baked")
    step("a deleted file", lambda: os.unlink("data/axes.yaml"), "data/axes.yaml: missing; baked")
    step("a new folder with a file", lambda: write("data/new/deep/axes.yaml", item(2, "axe")), "data: new folder new; baked")
    step("a file in a folder that was new", lambda: write("data/new/deep/axes.yaml", item(4, "axe")), "deep/axes.yaml: content changed")
    step("a folder that is moved in", lambda: os.rename("outside/more", "data/more"), "data: new folder more; baked")
    step("a file in a folder that was moved in", lambda: write("data/more/rings.yaml", item(5, "ring")), "rings.yaml: content changed")
    step("a folder that is renamed", lambda: os.rename("data/more", "data/other"), "data/more/rings.yaml: missing, and 3 other changes")
    step("a file becomes a folder", lambda: (os.unlink("data/new/deep/axes.yaml"), os.mkdir("data/new/deep/axes.yaml")),
         "data/new/deep/axes.yaml: is now a folder")

    def recreate():
        shutil.rmtree("data")
        write("data/items.yaml", item(9))
    step("the whole folder is deleted and created again", recreate, "changes; baked")
    step("a file in the folder that was created again", lambda: write("data/items.yaml", item(10)), "data/items.yaml: content changed")

    os.rename("data", "away")
    lines = watch.event()
    report("a folder that is missing is an error, and the watch goes on", [] if "failed" in lines[-1] and len(lines) > 1 else [lines])
    with watch.stopped():
        os.rename("away", "data")
        write("data/items.yaml", item(11))
    lines = watch.event()
    report("the folder comes back", expect(lines, "data: .*; baked") + differs(["data"], "game.kiln"))
    write("data/items.yaml", "Item: {sword: {price: -1}}\n")
    lines = watch.event()
    before = pathlib.Path("game.kiln").read_bytes()
    report("the errors of a bake are printed, and the output stays",
           ([] if re.search("items.yaml:1:.*price", "\n".join(lines)) and "failed" in lines[-1] else [str(lines)]))
    with watch.stopped():
        write("data/items.yaml", item(12))
    lines = watch.event()
    report("a corrected mistake is baked", expect(lines, "content changed; baked") + differs(["data"], "game.kiln") +
           ([] if before != pathlib.Path("game.kiln").read_bytes() else ["the output is the same"]))
    with watch.stopped():
        os.unlink("game.schema.yaml")
    lines = watch.event()
    with watch.stopped():
        write("game.schema.yaml", SCHEMA.replace("price: u32", "price: u64"))
    lines2 = watch.event()
    report("a schema that disappears and comes back", ([] if "failed" in lines[-1] else lines) + expect(lines2, "appeared|changed; baked") +
           differs(["data"], "game.kiln"))
    watch.end()


def links():
    write("real/one/items.yaml", item(1))
    write("real/two/items.yaml", item(2))
    write("far/single.yaml", item(3, "axe"))
    os.symlink("one", "real/current")
    os.symlink("../far/single.yaml", "real/axe.yaml")
    watch = Watch("-s", "game.schema.yaml", "-o", "game.kiln", "real/current/items.yaml", "real/axe.yaml")
    watch.begin()
    inputs = ["real/current/items.yaml", "real/axe.yaml"]

    def step(name, act, *patterns):
        with watch.stopped():
            act()
        report(name, expect(watch.event(), *patterns) + differs(inputs, "game.kiln"))

    def point(target, link):
        os.symlink(target, link + ".new")
        os.rename(link + ".new", link)
    step("the target of a link changes", lambda: write("far/single.yaml", item(4, "axe")), "real/axe.yaml: content changed; baked")
    step("a link gets another target", lambda: point("two", "real/current"), "real/current/items.yaml: content changed; baked")
    step("a file below the new target changes", lambda: vim("real/two/items.yaml", item(5)), "real/current/items.yaml: content changed")
    write("far/other.yaml", item(6, "axe"))
    step("a link to a file gets another target", lambda: point("../far/other.yaml", "real/axe.yaml"), "real/axe.yaml: content changed")
    step("the new target is replaced", lambda: gnome("far/other.yaml", item(7, "axe")), "real/axe.yaml: content changed")
    watch.end()


def looked_for():
    write("inc2/e.yaml", "kiln: 1\ntypes:\n  E: {wrap: u8}\n")
    write("game.schema.yaml", SCHEMA.replace("kiln: 1\n", "kiln: 1\ninclude: [e.yaml]\n"))
    write("data/items.yaml", item(1))
    os.mkdir("inc1")
    watch = Watch("-s", "game.schema.yaml", "-I", "inc1", "-I", "inc2", "-o", "game.kiln", "data")
    lines = watch.begin()
    with watch.stopped():
        write("inc1/e.yaml", "kiln: 1\ntypes:\n  E: {wrap: u16}\n")
    report("a schema that was looked for appears", ([] if " baked in" in lines[-1] else lines) +
           expect(watch.event(), "inc1/e.yaml: appeared; baked"))
    watch.end()


def during_a_bake():
    write("game.schema.yaml", "kiln: 1\ntypes:\n  Item: {struct: {price: u32}, asset: true}\n"
          "importers: {slow: {command: [./tool], output: yaml, timeout: none}}\n"
          "files: [{match: '*.in', import: slow, shape: kinds}, {match: '*.yaml', shape: kinds}]\n")
    write("tool", "#!/bin/sh\necho $$ >pid; mkfifo go\nread line <go; rm go\ncat \"$1\"\n")
    os.chmod("tool", 0o755)
    write("z.in", item(1))
    write("b.yaml", item(1, "axe"))

    def go():
        end = time.monotonic() + PATIENCE
        while not os.path.exists("go"):
            assert time.monotonic() < end, "the importer does not start"
            time.sleep(0.01)
        with open("go", "w", encoding="utf-8") as file:
            file.write("go\n")
    watch = Watch("-s", "game.schema.yaml", "-o", "game.kiln", "-j1", "b.yaml", "z.in")
    go()
    watch.begin()
    write("z.in", item(2))
    while not os.path.exists("go"):
        time.sleep(0.01)
    write("b.yaml", item(3, "axe"))
    os.unlink("pid")
    go()
    first = watch.event()
    go()
    second = watch.event()
    report("a change during a bake causes another one", expect(first, "z.in: content changed; baked") +
           expect(second, "b.yaml: content changed; baked"))
    write("z.in", item(4))
    while not os.path.exists("go"):
        time.sleep(0.01)
    pid = int(pathlib.Path("pid").read_text(encoding="utf-8"))
    code = watch.end()
    alive = os.path.exists(f"/proc/{pid}")
    report("Ctrl-C during a bake ends the watch and the importer", ([] if code == -signal.SIGINT else [f"code {code}"]) +
           (["the importer runs"] if alive else []) + [name for name in os.listdir(".") if name.startswith(".kiln-bake")])


def projects():
    write("kiln.yaml", PROJECT)
    write("data/items.yaml", item(1))
    watch = Watch()
    lines = watch.begin()
    report("a project is baked and watched", [] if os.path.exists("out/game.kiln") and " baked in" in lines[-1] else lines)

    def step(name, act, *patterns):
        with watch.stopped():
            act()
        report(name, expect(watch.event(), *patterns))
    step("a source changes", lambda: vim("data/items.yaml", item(2)), "^kiln-bake: data/items.yaml: content changed; baked")
    report("the output is that of a bake", differs(["data"], "out/game.kiln"))
    with watch.stopped():
        os.makedirs("data/deep/deeper")
        write("kiln.yaml", PROJECT.replace("**/*.yaml", "*.yaml"))
    watch.event()
    watch.end()
    watch = Watch()
    lines = watch.begin()
    report("only folders in which a pattern can match are watched", expect(lines[-1:], "watching [0-9]+ paths in 2 folders$"))
    watch.end()
    shutil.rmtree("data/deep")
    write("kiln.yaml", PROJECT)
    watch = Watch()
    watch.begin()
    step("a new source", lambda: write("data/b/axes.yaml", item(2, "axe")), "data: new folder b; baked")
    step("a bundle is added", lambda: write("kiln.yaml", PROJECT + "  dlc: {sources: [dlc.yaml], output: out/dlc.kiln}\n"),
         "kiln.yaml:5:.*error", ".*", ".*", "1 error", "kiln.yaml: content changed; failed")
    step("its source appears", lambda: write("dlc.yaml", item(1, "ring")), "dlc.yaml: appeared; baked")
    report("the new bundle is baked", differs(["dlc.yaml"], "out/dlc.kiln"))
    with watch.stopped():
        os.unlink("kiln.yaml")
    lines = watch.event()
    with watch.stopped():
        write("kiln.yaml", PROJECT)
    lines2 = watch.event()
    report("the project file disappears and comes back", ([] if "failed" in lines[-1] else lines) + expect(lines2, "kiln.yaml: .*; baked"))
    again = subprocess.run([BAKE], capture_output=True, text=True, check=False)
    report("the records are those of other runs", [] if "up to date" in again.stderr else [again.stderr])
    watch.end()


def caches():
    """All bakes of a watch share a cache, so a fault has one warning, and the cache is not tried again."""
    write("kiln.yaml", PROJECT)
    write("data/items.yaml", item(1))
    for form in ((), ("--diagnostics=json",)):
        shutil.rmtree("out", ignore_errors=True)
        shutil.rmtree(".kiln", ignore_errors=True)
        os.makedirs("shared")
        watch = Watch("--cache-shared", "shared", "--cache-wait", "50000", *form)
        baked, problems, price = "baked in", [], 1
        watch.until(baked)
        warnings = []
        for act in ("change", "remove", "stay", "create", "use"):
            if act == "remove":
                shutil.rmtree("shared")
            if act == "create":
                os.mkdir("shared")
            price += 1
            with watch.stopped():
                write("data/items.yaml", item(price))
            lines = watch.until(baked)
            warnings += [act for line in lines if "the cache shared is not used any more" in line]
            if form and any(json.loads(line)["rule"] != "cache" for line in lines[:-1]):
                problems.append(str(lines))
        problems += [f"warnings after {warnings}"] if warnings != ["remove"] else []
        problems += ["the folder is used again"] if os.listdir("shared") else []
        report(f"a cache that fails has one warning {' '.join(form)}", problems)
        watch.end()
        shutil.rmtree("shared")
    os.unlink("kiln.yaml")
    watch = Watch("-v", "-s", "game.schema.yaml", "-o", "game.kiln", "--cache", "near", "data")
    watch.begin()
    problems = []
    for number in (1, 2, 1, 2):
        with watch.stopped():
            write("data/items.yaml", item(1000 + number))
        lines = watch.event()
        problems += differs(["data"], "game.kiln")
    problems += [] if any("from the cache near" in line for line in lines) else lines
    report("a watch without a project uses a cache", problems)
    watch.end()


def json_lines():
    write("data/items.yaml", item(1))
    watch = Watch("-s", "game.schema.yaml", "-o", "game.kiln", "--diagnostics=json", "data")
    problems = []
    begin = json.loads(watch.line())
    members = ["severity", "rule", "message", "file", "line", "column", "end", "path", "hints", "related"]
    if list(begin) != members or begin["rule"] != "watch-baked":
        problems.append(str(begin))
    with watch.stopped():
        write("data/items.yaml", "Item: {sword: {prise: 1}}\n")
        write("data/\x1b\n.yaml", item(1, "axe"))
    lines = [json.loads(watch.line())]
    while not lines[-1]["rule"].startswith("watch-"):
        lines.append(json.loads(watch.line()))
    event = lines[-1]
    if lines[0]["severity"] != "error" or any(list(line) != members for line in lines):
        problems.append(str(lines))
    if event["rule"] != "watch-failed" or event["file"] != "data/items.yaml" or len(event["related"]) != 2:
        problems.append(str(event))
    if event["related"][1] != {"message": "data: new file \x1b\n.yaml", "file": "data", "line": None, "column": None, "end": None}:
        problems.append(str(event["related"]))
    report("JSON lines have the members of diagnostics", problems)
    watch.end()
    watch = Watch("-s", "game.schema.yaml", "-o", "game.kiln", "data")
    watch.begin()
    with watch.stopped():
        write("data/items.yaml", item(2))
        os.unlink("data/\x1b\n.yaml")
    report("names with line breaks do not break lines", expect(watch.event(), r"and 1 other change; baked"))
    write("data/a\x1b\n.yaml", item(1, "axe"))
    report("control characters of names are not printed", expect(watch.event(), r"new file a\?\?\.yaml; baked"))
    watch.end()


def git():
    if not shutil.which("git"):
        skip("git", "git is not installed")
        return
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", "-c", "gc.auto=0"]

    def run(*arguments):
        subprocess.run([*command, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    run("init", ".")
    stream = []
    for branch in (1, 2):
        stream.append(f"commit refs/heads/b{branch}\ncommitter a <a@b> 1 +0000\ndata 1\nx\n")
        for i in range(1000):
            text = item(branch * 1000 + i, f"i{i}")
            stream.append(f"M 100644 inline data/{i % 20}/{i}.yaml\ndata {len(text)}\n{text}\n")
    subprocess.run([*command, "fast-import", "--quiet"], input="".join(stream), text=True, check=True)
    run("checkout", "b1")
    write("kiln.yaml", PROJECT)
    watch = Watch()
    watch.begin()
    run("checkout", "b2")
    lines = watch.event()
    with watch.stopped():
        write("data/0/0.yaml", item(7, "i0"))
    more = watch.event()
    report("a checkout of a thousand files is one event", expect(lines, "content changed, and 999 other changes; baked") +
           expect(more, "data/0/0.yaml: content changed; baked") + differs(["data"], "out/game.kiln"))
    watch.end()


def limits():
    write("data/items.yaml", item(1))
    arguments = ["-s", "game.schema.yaml", "-o", "game.kiln", "data"]
    most = int(pathlib.Path("/proc/sys/fs/inotify/max_queued_events").read_text(encoding="utf-8"))
    if most <= 65536:
        watch = Watch(*arguments)
        watch.begin()
        with watch.stopped():
            for _ in range(most // 2 + 100):
                os.chmod("data/items.yaml", 0o600)
                os.chmod("data", 0o755)
            write("data/items.yaml", item(2))
        lines = watch.event()
        with watch.stopped():
            write("data/items.yaml", item(3))
        report("an overflow of the queue loses no change", expect(lines, "content changed; baked") +
               expect(watch.event(), "content changed; baked") + differs(["data"], "game.kiln"))
        watch.end()
    else:
        skip("an overflow of the queue", "the queue is too large")
    for name, call, error, text in (
            ("the limit of watches", "inotify_add_watch", "ENOSPC:when=2+", "fs.inotify.max_user_watches is reached"),
            ("the limit of instances", "inotify_init1", "EMFILE", "fs.inotify.max_user_instances is reached"),
            ("no inotify", "inotify_init1", "ENOSYS", "this system does not report changes of files"),
            ("a failing inotify", "inotify_init1", "EPERM", "files cannot be watched: Operation not permitted"),
            ("an unreadable folder", "inotify_add_watch", "EACCES", "changes in .* are not reported, because it is unreadable")):
        before = ["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:error={error}"]
        if not shutil.which("strace") or subprocess.run([*before, "true"], capture_output=True, check=False).returncode:
            skip(name, "strace does not work here")
            continue
        watch = Watch(*arguments, before=before)
        watch.begin()
        problems = expect([watch.line()], f"^kiln-bake: warning: .*{text}.*every 1000 ms")
        if "ENOSPC" in error:
            write("data/items.yaml", item(100 + count))
            problems += expect(watch.event(), "content changed; baked")
        report(f"{name}: looks at intervals", problems)
        # strace passes no signal on.
        subprocess.run(["pkill", "-INT", "-P", str(watch.process.pid)], check=False)
        watch.process.wait(PATIENCE)


def polling():
    write("data/items.yaml", item(1))
    watch = Watch("--poll", "20", "-s", "game.schema.yaml", "-o", "game.kiln", "data")
    watch.begin()
    for i, editor in enumerate((vim, gnome, in_place)):
        with watch.stopped():
            editor("data/items.yaml", item(20 + i))
        report(f"polling finds a save: {editor.__name__}", expect(watch.event(), "content changed; baked") + differs(["data"], "game.kiln"))
    with watch.stopped():
        write("data/new/axes.yaml", item(2, "axe"))
    report("polling finds a new folder", expect(watch.event(), "data: new folder new; baked") + differs(["data"], "game.kiln"))
    watch.end()


def usage():
    write("items.yaml", item(1))
    for name, arguments, code, text in (
            ("standard input", ["-s", "game.schema.yaml", "-o", "x", "-"], 2, "watch cannot read standard input"),
            ("standard output", ["-s", "game.schema.yaml", "-o", "-", "items.yaml"], 2, "watch cannot write to standard output"),
            ("no output", ["-s", "game.schema.yaml", "items.yaml"], 2, "no output given"),
            ("SARIF", ["--diagnostics=sarif", "-s", "game.schema.yaml", "-o", "x", "items.yaml"], 2, "watch writes SARIF only to a file"),
            ("timings", ["--timings", "-s", "game.schema.yaml", "-o", "x", "items.yaml"], 2, "watch does not print timings"),
            ("no schema", ["items.yaml"], 2, "no schema given"),
            ("a missing input", ["-s", "game.schema.yaml", "-o", "x", "none.yaml"], 2, "none.yaml: No such file"),
            ("a time that is no number", ["--poll", "fast"], 2, "--poll takes milliseconds from 0 to 60000, not 'fast'"),
            ("a time that is too large", ["--debounce", "60001"], 2, "--debounce takes milliseconds from 0 to 60000"),
            ("an option of another command", ["--order", "name"], 2, "watch does not accept --order; only repack does")):
        ran = subprocess.run([BAKE, "watch", *arguments], capture_output=True, text=True, timeout=PATIENCE, check=False)
        report(f"usage: {name}", [] if ran.returncode == code and text in ran.stderr else [f"{ran.returncode} {ran.stderr}"])
    ran = subprocess.run([BAKE, "-s", "game.schema.yaml", "-o", "x", "--poll", "5", "items.yaml"], capture_output=True, text=True,
                         check=False)
    report("only watch accepts --poll", [] if ran.returncode == 2 and "only watch does" in ran.stderr else [ran.stderr])
    ran = subprocess.run([BAKE, "wacth"], capture_output=True, text=True, check=False)
    report("a misspelt command", [] if "did you mean watch?" in ran.stderr else [ran.stderr])
    with open("/dev/full", "w", encoding="utf-8") as full:
        ran = subprocess.run([BAKE, "watch", "-s", "game.schema.yaml", "-o", "x", "items.yaml"], stderr=full, timeout=PATIENCE, check=False)
    report("a watch whose messages are lost ends", [] if ran.returncode == 2 else [str(ran.returncode)])
    watch = Watch("-q", "-s", "game.schema.yaml", "-o", "x", "items.yaml")
    while not os.path.exists("x"):
        time.sleep(0.01)
    write("items.yaml", "wrong")
    report("-q prints only failures", [] if "items.yaml" in watch.line() else watch.seen)
    watch.end()


def memory():
    """The memory of a watch does not grow with the number of bakes."""
    write("data/items.yaml", item(1))
    watch = Watch("--debounce", "0", "-s", "game.schema.yaml", "-o", "game.kiln", "data")
    watch.begin()

    def bakes(number):
        for i in range(number):
            with watch.stopped():
                write("data/items.yaml", item(i + 1000))
            watch.event()
        status = pathlib.Path(f"/proc/{watch.process.pid}/status").read_text(encoding="utf-8")
        files = len(os.listdir(f"/proc/{watch.process.pid}/fd"))
        return int(re.search(r"RssAnon:\s+(\d+)", status).group(1)), files
    first, files = bakes(20)
    last, files_last = bakes(60)
    report("memory and open files do not grow", ([f"{first} KiB, then {last} KiB"] if last > first * 1.1 + 1024 else []) +
           ([f"{files} files, then {files_last}"] if files != files_last else []))
    watch.end(signal.SIGTERM)


def reloads():
    if not RELOADER:
        skip("a running program reloads", "there is no runtime")
        return
    write("data/items.yaml", item(1))
    watch = Watch("-s", "game.schema.yaml", "-o", "game.kiln", "data")
    watch.begin()
    with subprocess.Popen([RELOADER, "game.kiln", "Item/sword"], stdout=subprocess.PIPE, text=True) as program:
        problems = expect([program.stdout.readline().strip()], "^1$")
        for price in (2, 3, 500):
            with watch.stopped():
                vim("data/items.yaml", item(price))
            problems += expect([program.stdout.readline().strip()], f"^{price}$")
        program.kill()
    report("a running program reads the new values", problems)
    watch.end()


for case in (saves, folders, links, looked_for, during_a_bake, projects, caches, json_lines, git, limits, polling, usage, memory, reloads):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write("game.schema.yaml", SCHEMA)
        try:
            case()
        except (AssertionError, queue.Empty, subprocess.CalledProcessError) as error:
            report(f"{case.__name__} ends", [repr(error)])
        for process in Watch.all:
            if process.poll() is None:
                process.kill()
        os.chdir("/")
print(f"1..{count}")
sys.exit(failed > 0)
