"""Ctrl-C ends every long command promptly and cleanly: interrupt.py KILN_BAKE [CUT_SHIM]

Interrupts commands while an importer runs, while they wait for a pipe or for its reader, while they write outputs, and while they
compute. Each must end by the signal, print nothing, leave no temporary file and no process of an importer, and leave each output
old or complete. With the library CUT_SHIM, everything is repeated as on a file system without unnamed temporary files. Prints TAP.
"""
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BAKE = str(pathlib.Path(sys.argv[1]).resolve())
SHIM = str(pathlib.Path(sys.argv[2]).resolve()) if len(sys.argv) > 2 else None
MOMENTS = 6
PATIENCE = 30  # seconds, far more than any command needs, even under a sanitizer
SCHEMA = """kiln: 1
types:
  Item: {struct: {name: string, price: {type: u32, default: 0}}, asset: true}
importers:
  rule: {command: [./tool], output: yaml, timeout: none}
  value: {command: [./tool], output: bytes, timeout: none}
files: [{match: "*.in", import: rule, shape: kinds}]
"""
# Both write the process ids of the importer and of its child to the file `pids` in one step.
TOOLS = {
    "an importer": "sleep 600 & echo $$ $! >pids.new; mv pids.new pids; wait",
    "an importer that ignores signals":
        "trap '' INT TERM HUP; sleep 600 & echo $$ $! >pids.new; mv pids.new pids; while :; do sleep 1; done",
    "an importer that writes": "sleep 600 & echo $$ $! >pids.new; mv pids.new pids; while :; do echo '# more'; done",
    "an importer that only leaves a child": "sleep 600 >/dev/null & echo $! $! >pids.new; mv pids.new pids; exec sleep 600",
}
count = failed = 0
# Programs inherit ignored signals: a shell ignores SIGINT for a program that it starts in the background, and nohup SIGHUP.
for inherited in (signal.SIGINT, signal.SIGHUP):
    signal.signal(inherited, signal.SIG_DFL)


def report(name, problems):
    global count, failed
    count += 1
    failed += bool(problems)
    print(f"{'not ok' if problems else 'ok'} {count} - {name}", flush=True)
    for problem in problems:
        print(f"# {problem}")


def write(path, text):
    pathlib.Path(path).write_text(text, encoding="utf-8")


def items(number):
    return "Item:\n" + "".join(f"  item{i}: {{name: The item {i} has a long name, price: {i}}}\n" for i in range(number))


def wait_for(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"no {what}"
        time.sleep(0.01)


def state(process):
    """The letter of the process's state; Z if it does not exist."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(") ", 1)[1][0]
    except (FileNotFoundError, ProcessLookupError):
        return "Z"


def wait_until_asleep(process):
    """Waits until the process has been asleep several times in a row, or has ended."""
    states = []
    def is_asleep():
        states.append(state(process.pid))
        return states[-1] == "Z" or (len(states) > 5 and set(states[-5:]) == {"S"})
    wait_for(is_asleep, "sleep")


def start(arguments, named, **options):
    environment = dict(os.environ)
    if named:
        environment.update(LD_PRELOAD=SHIM, KILN_CUT_NAMED="1")
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.DEVNULL)
    return subprocess.Popen([BAKE, *arguments], stderr=subprocess.PIPE, env=environment, **options)


def strays():
    return sorted(str(path) for path in pathlib.Path(".").rglob(".kiln-bake*"))


def check(process, number, may_finish=False):
    """Waits for the end of an interrupted process and returns what is wrong with it."""
    problems = []
    try:
        err = process.communicate(timeout=PATIENCE)[1] or b""
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return ["still running"]
    if process.returncode != -number and not (may_finish and process.returncode == 0):
        problems.append(f"exit {process.returncode}: {err[:300]}")
    if process.returncode and err:
        problems.append(f"printed {err[:300]}")
    if strays():
        problems.append(f"left {strays()}")
        for path in strays():
            os.unlink(path)
    return problems


def check_outputs(outputs):
    """`outputs` maps paths to the contents that they may have; None: missing."""
    problems = []
    for path, contents in outputs.items():
        now = pathlib.Path(path).read_bytes() if os.path.exists(path) else None
        if now not in contents:
            problems.append(f"{path} has {len(now) if now is not None else 'no'} bytes")
    return problems


# ---- while an importer runs ----

def importer_pids():
    wait_for(lambda: os.path.exists("pids"), "file with the process ids")
    return [int(word) for word in pathlib.Path("pids").read_text(encoding="utf-8").split()]


def check_importer_ended(pids):
    try:
        wait_for(lambda: all(state(pid) == "Z" for pid in pids), "end of the importer")
    except AssertionError as error:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        return [str(error)]
    return []


def prepare_importer(script):
    write("tool", f"#!/bin/sh\n{script}\n")
    os.chmod("tool", 0o755)
    if os.path.exists("pids"):
        os.unlink("pids")
    write("o.kiln", "old")


def test_importers(named):
    # The source map is begun before values are baked, so it is open while the second form runs.
    # Several threads may read many files and bake their assets.
    forms = {"a file": ["x.in"], "a file after many": ["many", "x.in"], "a value": ["--source-map", "o.map", "-MD", "x.yaml"],
             "a value after many": ["many", "x.yaml"]}
    for tool, script in TOOLS.items():
        for form, arguments in forms.items():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                if "many" in arguments and (number != signal.SIGINT or tool == "an importer that ignores signals"):
                    continue
                prepare_importer(script)
                process = start(["-s", "s.yaml", "-o", "o.kiln", *arguments], named)
                pids = importer_pids()
                process.send_signal(number)
                problems = check(process, number) + check_importer_ended(pids)
                problems += check_outputs({"o.kiln": [b"old"], "o.map": [None], "o.d": [None]})
                report(f"{signal.Signals(number).name} while {tool} makes {form}", problems)


def test_project(named):
    """The first bundle is complete and its record saved before the second is interrupted."""
    write("kiln.yaml", "kiln: 1\nschemas: [s.yaml]\nbundles:\n  first: {sources: [good.yaml], output: p/first.kiln}\n"
                       "  second: {sources: [x.yaml], output: p/second.kiln, externs: [first], source_map: p/map}\n")
    for command in ([], ["check"]):
        prepare_importer(TOOLS["an importer"])
        process = start([*command, "--timings=t.json"], named)
        pids = importer_pids()
        process.send_signal(signal.SIGINT)
        process.stderr.close()
        process.stderr = None
        problems = check(process, signal.SIGINT) + check_importer_ended(pids)
        first = None if command else pathlib.Path("good.kiln").read_bytes()
        problems += check_outputs({"p/first.kiln": [first], "p/second.kiln": [None], "p/map": [None], "t.json": [None]})
        report(f"SIGINT while a project {'is checked' if command else 'is baked'}", problems)
        shutil.rmtree("p", ignore_errors=True)
        shutil.rmtree(".kiln", ignore_errors=True)
    os.unlink("kiln.yaml")


def test_prove(named):
    """A child of prove passes the signal on to its importer, and the folder of the children is removed."""
    os.mkdir("scratch")
    for tool, script in TOOLS.items():
        prepare_importer(script)
        os.environ["TMPDIR"] = os.path.abspath("scratch")
        process = start(["prove", "-s", "s.yaml", "x.in"], named)
        del os.environ["TMPDIR"]
        pids = importer_pids()
        process.send_signal(signal.SIGINT)
        problems = check(process, signal.SIGINT) + check_importer_ended(pids)
        problems += [f"left {name}" for name in os.listdir("scratch")]
        report(f"SIGINT while a child of prove runs {tool}", problems)
    os.rmdir("scratch")


def test_terminal(named):
    """The terminal sends SIGINT only to its foreground process group, and the importer is in another."""
    prepare_importer(TOOLS["an importer"])
    child, terminal = pty.fork()
    if child == 0:
        if named:
            os.environ.update(LD_PRELOAD=SHIM, KILN_CUT_NAMED="1")
        os.execv(BAKE, [BAKE, "-s", "s.yaml", "-o", "o.kiln", "--source-map", "o.map", "x.yaml"])
    pids = importer_pids()
    os.write(terminal, b"\x03")
    status = os.waitpid(child, 0)[1]
    problems = [] if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT else [f"status {status}"]
    problems += check_importer_ended(pids) + check_outputs({"o.kiln": [b"old"], "o.map": [None]})
    os.close(terminal)
    report("Ctrl-C in a terminal ends the importer", problems + strays())


def test_ignored(named):
    """SIGINT is ignored, as for a command that a script starts in the background."""
    prepare_importer("echo $$ >pids.new; mv pids.new pids; sleep 0.3; cat good.yaml")
    process = start(["-q", "-s", "s.yaml", "-o", "o.kiln", "x.in"], named,
                    preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    importer_pids()
    process.send_signal(signal.SIGINT)
    err = process.communicate(timeout=PATIENCE)[1]
    problems = [] if process.returncode == 0 and not err else [f"exit {process.returncode}: {err}"]
    report("an ignored SIGINT does not end a run", problems + strays())


# ---- while a pipe has no bytes, no writer or no reader ----

READERS = {
    "an input": ["-s", "s.yaml", "-o", "o.kiln", "good.yaml", "PIPE"],
    "an input after many": ["-s", "s.yaml", "-o", "o.kiln", "many", "PIPE"],
    "an input of a check": ["check", "-s", "s.yaml", "good.yaml", "PIPE"],
    "a schema": ["-s", "PIPE", "-o", "o.kiln", "good.yaml"],
    "an extern": ["-s", "s.yaml", "-x", "PIPE", "-o", "o.kiln", "good.yaml"],
    "a response file": ["@PIPE"],
    "the schema of a header": ["header", "-s", "PIPE", "-o", "o.h"],
    "the file of a repack": ["repack", "PIPE", "-o", "o.kiln"],
    "the list of a repack": ["repack", "good.kiln", "--first", "PIPE", "-o", "o.kiln"],
    "an input of an inference": ["schema", "infer", "PIPE", "-o", "o.schema.yaml"],
    "an old schema": ["schema", "check", "PIPE", "s.yaml"],
    "a file of a schema check": ["schema", "check", "s.yaml", "PIPE"],
    "the schema of a JSON Schema": ["schema", "jsonschema", "-s", "PIPE", "-o", "o.json"],
}


def fresh_pipe(path):
    if os.path.exists(path):
        os.unlink(path)
    os.mkfifo(path)


def test_readers(named):
    for what, arguments in READERS.items():
        if what.endswith("inference") and not has_infer:
            continue
        path = "pipe.kiln" if "repack" in what or "file of" in what or what == "an extern" else "pipe.yaml"
        arguments = [word.replace("PIPE", path) for word in arguments]
        problems = []
        fresh_pipe(path)
        write("o.kiln", "old")
        process = start(arguments, named)
        wait_until_asleep(process)
        process.send_signal(signal.SIGINT)
        problems += check(process, signal.SIGINT)
        process = start(arguments, named)
        with open(path, "wb", buffering=0) as pipe:
            pipe.write(b"KILN" if path == "pipe.kiln" else b"# more\n")
            wait_until_asleep(process)
            process.send_signal(signal.SIGINT)
            problems += check(process, signal.SIGINT)
        report(f"SIGINT while {what} is a pipe without bytes", problems + check_outputs({"o.kiln": [b"old"]}))
        os.unlink(path)
    process = start(["-s", "s.yaml", "-o", "o.kiln", "-"], named, stdin=subprocess.PIPE)
    process.stdin.write(b"Item:\n")
    process.stdin.flush()
    wait_until_asleep(process)
    process.send_signal(signal.SIGINT)
    report("SIGINT while standard input is a pipe without bytes", check(process, signal.SIGINT))


def complete_files():
    """The source map and the depfile of big.yaml."""
    subprocess.run([BAKE, "-q", "-s", "s.yaml", "-o", "-", "--source-map", "m.map", "-MD", "-MF", "m.d", "big.yaml"],
                   stdout=subprocess.DEVNULL, check=True)
    contents = [pathlib.Path(path).read_bytes() for path in ("m.map", "m.d")]
    os.unlink("m.map")
    os.unlink("m.d")
    return contents


def test_writers(named):
    write("big.yaml", items(5000))
    source_map, depfile = complete_files()
    maps = [None, source_map]
    fresh_pipe("out.pipe")
    problems = []
    for path in ("o.map", "o.d"):
        if os.path.exists(path):
            os.unlink(path)
    process = start(["-s", "s.yaml", "-o", "out.pipe", "--source-map", "o.map", "big.yaml"], named)
    wait_until_asleep(process)
    process.send_signal(signal.SIGINT)
    problems = check(process, signal.SIGINT) + check_outputs({"o.map": maps})
    report("SIGINT while an output is a pipe without reader", problems)
    os.unlink("out.pipe")
    read, write_end = os.pipe()
    process = start(["-s", "s.yaml", "-o", "-", "--source-map", "o.map", "-MD", "-MF", "o.d", "big.yaml"], named, stdout=write_end)
    os.close(write_end)
    wait_until_asleep(process)
    process.send_signal(signal.SIGINT)
    report("SIGINT while standard output is a full pipe",
           check(process, signal.SIGINT) + check_outputs({"o.map": maps, "o.d": [None, depfile]}))
    os.close(read)
    if os.path.exists("o.map"):
        os.unlink("o.map")
    write("wrong.yaml", "Item:\n" + "".join(f"  item{i}: {{nam: {'x' * 100}}}\n" for i in range(5000)))
    process = start(["-s", "s.yaml", "-o", "o.kiln", "--source-map", "o.map", "--max-errors", "5000", "wrong.yaml"], named)
    wait_until_asleep(process)
    process.send_signal(signal.SIGINT)
    # Its messages fill the pipe, so that the process cannot end by itself.
    wait_for(lambda: state(process.pid) == "Z", "end")
    process.stderr.close()
    process.stderr = None
    report("SIGINT while standard error is a full pipe",
           check(process, signal.SIGINT) + check_outputs({"o.kiln": [b"old"], "o.map": [None]}))
    process = start(["-v", "-s", "s.yaml", "-o", "o.kiln", "--source-map", "o.map", "big.yaml"], named)
    wait_until_asleep(process)
    process.stderr.close()
    process.stderr = None
    report("SIGPIPE when the reader of standard error ends",
           check(process, signal.SIGPIPE) + check_outputs({"o.kiln": [b"old"], "o.map": [None]}))


# ---- while it computes ----

def test_computing(named):
    """Interrupts a command at several moments, spread over the time that it takes."""
    write("big.yaml", items(5000))
    commands = {
        "a bake": ["-q", "-s", "s.yaml", "-o", "o.kiln", "--compress", "6", "big.yaml"],
        "a bake of many files": ["-q", "-s", "s.yaml", "-o", "o.kiln", "many"],
        "a check": ["check", "-q", "-s", "s.yaml", "big.yaml"],
        "a repack": ["repack", "-q", "big.kiln", "-o", "o.kiln", "--compress", "12"],
        "an inference": ["schema", "infer", "-q", "big.yaml", "-o", "o.kiln"],
    }
    subprocess.run([BAKE, "-q", "-s", "s.yaml", "-o", "big.kiln", "big.yaml"], check=True)
    for what, arguments in commands.items():
        if what == "an inference" and not has_infer:
            continue
        write("o.kiln", "old")
        begin = time.monotonic()
        subprocess.run([BAKE, *arguments], check=True)
        taken = time.monotonic() - begin
        complete = pathlib.Path("o.kiln").read_bytes()
        problems, ended = [], 0
        for moment in range(MOMENTS):
            write("o.kiln", "old")
            process = start(arguments, named)
            time.sleep(taken * (moment + 0.5) / MOMENTS)
            process.send_signal(signal.SIGINT)
            problems += check(process, signal.SIGINT, may_finish=True)
            ended += process.returncode != 0
            problems += check_outputs({"o.kiln": [complete] if process.returncode == 0 else [b"old", complete]})
        report(f"SIGINT during {what}", problems + ([] if ended else ["never ended by a signal"]))


def main():
    # KILN_TEST_SHARE=K/N with N > 1 selects one of the two file systems.
    first, _, every = os.environ.get("KILN_TEST_SHARE", "0/1").partition("/")
    systems = [False, True] if SHIM else [False]
    for named in systems if every == "1" else [systems[int(first) % len(systems)]]:
        if named:
            print("# without unnamed files")
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            write("s.yaml", SCHEMA)
            write("good.yaml", items(3))
            write("x.in", "")
            os.mkdir("many")
            for number in range(500):
                write(f"many/f{number}.yaml", items(10).replace("item", f"item{number}_"))
            write("x.yaml", "Item: {x: {name: !import:value good.yaml}}\n")
            subprocess.run([BAKE, "-q", "-s", "s.yaml", "-o", "good.kiln", "good.yaml"], check=True)
            test_importers(named)
            test_project(named)
            test_prove(named)
            test_terminal(named)
            test_ignored(named)
            test_readers(named)
            test_writers(named)
            test_computing(named)
            os.chdir("/")
    print(f"1..{count}")
    return failed > 0


has_infer = b"schema infer" in subprocess.run([BAKE, "--help"], stdout=subprocess.PIPE, check=True).stdout
sys.exit(main())
