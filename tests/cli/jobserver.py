#!/usr/bin/env python3
"""kiln-bake takes the tokens of make's jobserver for its threads, and returns all of them: jobserver.py KILN_BAKE [--unlimited]
[--without-infer]

Some cases run under the installed make, the others under a jobserver of their own, a pipe or a FIFO. With --unlimited, omits the case
that limits the memory; with --without-infer, the command schema infer. Prints TAP.
"""
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BAKE = str(pathlib.Path(sys.argv[1]).resolve())
SCHEMA = """kiln: 1
types: {T: {struct: {n: u32, s: string}, asset: true}}
importers: {tool: {command: [sh, ./tool], output: yaml}}
files: [{match: "*.x", import: tool, shape: kinds}]
"""
TOKENS = b"+-*/"
WARNING = "kiln-bake: warning: jobserver unavailable: using one thread; add '+' to the make rule, or use -j\n"
PROCESSORS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def write(path, text):
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(path).write_text(text, encoding="utf-8")


def inputs(count=100, each=20, more=""):
    write("s.yaml", SCHEMA)
    for i in range(count):
        write(f"d/{i:03}.yaml", "T:\n" + "".join(f"  a{i}-{k}: {{n: {k}, s: the asset {k} of file {i}{more}}}\n" for k in range(each)))
    subprocess.run([BAKE, "-q", "-j", "1", "-s", "s.yaml", "-o", "one.kiln", "d"], check=True, env=environment())


def environment(flags=None):
    kept = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "NO_COLOR")}
    return dict(kept, MAKEFLAGS=flags) if flags is not None else kept


class Server:
    """A jobserver: a pipe, or a FIFO as GNU make 4.4 makes it."""

    def __init__(self, fifo=None, tokens=TOKENS):
        if fifo:
            os.mkfifo(fifo)
            self.read = self.write = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
            self.flags = f" -j5 --jobserver-auth=fifo:{fifo} -- V=x"
            self.passed = ()
        else:
            self.read, self.write = os.pipe()
            self.flags = f"k -j5 --jobserver-auth={self.read},{self.write}"
            self.passed = (self.read, self.write)
        os.write(self.write, tokens)
        self.tokens = sorted(tokens)

    def start(self, *words, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.Popen([BAKE, *words], env=environment(self.flags), pass_fds=self.passed, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True, **options)

    def run(self, *words, code=0, **options):
        process = self.start(*words, **options)
        err = process.communicate()[1]
        assert process.returncode == code, (words, process.returncode, err)
        return err

    def check(self):
        """All tokens are back, in any order, and the shared descriptor still blocks."""
        if self.passed:
            assert os.get_blocking(self.read), "the mode of the shared descriptor has changed"
        os.set_blocking(self.read, False)
        try:
            left = os.read(self.read, 1000) if self.tokens else b""
        except BlockingIOError:
            left = b""
        os.set_blocking(self.read, bool(self.passed))
        assert sorted(left) == self.tokens, (left, self.tokens)
        os.write(self.write, left)

    def end(self):
        self.check()
        for file in {self.read, self.write}:
            os.close(file)


def same(path):
    assert pathlib.Path(path).read_bytes() == pathlib.Path("one.kiln").read_bytes(), f"{path} has other bytes"


def every_token_is_returned():
    inputs()
    for fifo in (None, os.path.abspath("fifo")):
        for tokens in (b"", b"+", TOKENS):
            server = Server(fifo, tokens)
            assert server.run("-q", "-s", "s.yaml", "-o", "o.kiln", "d") == ""
            same("o.kiln")
            server.end()
            if fifo:
                os.unlink(fifo)


def threads_work_only_with_tokens():
    inputs()
    for tokens, most in ((b"", 1), (b"+", 2)):
        server = Server(None, tokens)
        used = 0
        # A helper may come too late to get work.
        for _ in range(20):
            server.run("-q", "-s", "s.yaml", "-o", "o.kiln", "--timings=t.json", "d")
            used = max(used, len({event["tid"] for event in json.loads(pathlib.Path("t.json").read_text(encoding="utf-8"))}))
            assert used <= most, (tokens, used)
            if used == min(most, PROCESSORS):
                break
        assert used == min(most, PROCESSORS), (tokens, used)
        server.end()


def a_run_that_fails_returns_its_tokens():
    inputs()
    server = Server()
    write("d/099.yaml", "T: {x: {n: y}}\n")
    assert "2 errors" in server.run("-s", "s.yaml", "-o", "o.kiln", "d", code=1)
    server.check()
    server.run("check", "-s", "s.yaml", "d", code=1)
    server.check()
    server.run("-s", "s.yaml", "-o", "/dev/full", "--compress", "3", "d", code=1)
    server.check()
    write("d/099.yaml", "")
    server.run("-s", "s.yaml", "-o", "/dev/full", "d", code=2)
    server.check()
    if "--without-infer" not in sys.argv:
        server.run("schema", "infer", "d", "-o", "o.yaml")
    server.end()


def a_run_without_memory_returns_its_tokens():
    inputs(60, 400, " with many more words" * 20)
    server = Server()
    failed = 0
    for megabytes in (4, 8, 12, 16, 24, 32):
        process = server.start("-q", "-s", "s.yaml", "-o", "o.kiln", "d", preexec_fn=lambda megabytes=megabytes: resource.setrlimit(
            resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20)))
        err = process.communicate()[1]
        assert process.returncode == 0 or (process.returncode == 2 and "out of memory" in err), (process.returncode, err)
        failed += process.returncode == 2
        server.check()
    server.end()


def a_run_that_a_signal_ends_returns_its_tokens():
    inputs(200, 100)
    server = Server()
    begin = time.monotonic()
    server.run("-q", "-s", "s.yaml", "-o", "o.kiln", "d")
    whole = time.monotonic() - begin
    chance = random.Random(1)
    ended = 0
    for _ in range(12):
        process = server.start("-q", "-s", "s.yaml", "-o", "o.kiln", "d")
        time.sleep(whole * chance.random())
        process.send_signal(chance.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)))
        process.communicate()
        ended += process.returncode < 0
        assert process.returncode <= 0, process.returncode
        server.check()
    assert ended, "no run was ended by its signal"
    server.end()


def importers_do_not_get_the_pipe():
    write("s.yaml", SCHEMA)
    write("tool", "test ! -e /proc/self/fd/$(cat number) && echo 'T: {a: {n: 1, s: x}}'\n")
    write("a.x", "")
    server = Server()
    write("number", str(server.read))
    server.run("-q", "-s", "s.yaml", "-o", "o.kiln", "a.x")
    server.end()


def without_the_pipe_one_thread_works_and_a_warning_is_printed():
    inputs()
    for flags in ("-j4 --jobserver-auth=93,94", "-j4 --jobserver-auth=-2,-2", "--jobserver-auth=fifo:/nothing", "--jobserver-auth=0,1"):
        for words, expected in (([], WARNING), (["-q"], ""), (["-j", "2"], ""), (["--diagnostics=json"], "")):
            done = subprocess.run([BAKE, *words, "-s", "s.yaml", "-o", "o.kiln", "d"], env=environment(flags), capture_output=True,
                                  text=True, check=True, stdin=subprocess.DEVNULL)
            assert ("jobserver" in done.stderr) == bool(expected) and done.stderr.startswith(expected), (flags, words, done.stderr)
            same("o.kiln")
    done = subprocess.run([BAKE, "header", "-s", "s.yaml", "-o", "o.h"], env=environment("--jobserver-auth=93,94"), capture_output=True,
                          text=True, check=True)
    assert "jobserver" not in done.stderr, done.stderr


def make(text, *words):
    write("Makefile", text.replace("BAKE", BAKE))
    done = subprocess.run(["make", *words], env=environment(), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    return done.stderr


def real_make_gets_all_tokens_back():
    """make itself counts its tokens at the end, and reports an error if one is missing."""
    inputs()
    rules = "all: 1.kiln 2.kiln 3.kiln 4.kiln 5.kiln 6.kiln p\n%.kiln:\n\t+@BAKE -q -s s.yaml -o $@ d\np:\n\t+@BAKE -q -C project\n"
    write("project/kiln.yaml", "kiln: 1\nschemas: ../s.yaml\nbundles: {a: {sources: ../d/*.yaml, output: a.kiln}}\n")
    for words in (["-j3"], ["-j"], ["-j1"], []):
        shutil.rmtree("project/.kiln", ignore_errors=True)
        assert make(rules, "-s", "-B", *words) == "", words
        for i in range(1, 7):
            same(f"{i}.kiln")
        same("project/a.kiln")


def real_make_without_a_plus_gives_one_thread():
    inputs()
    assert make("all: 1.kiln 2.kiln\n%.kiln:\n\t@BAKE -s s.yaml -o $@ d\n", "-s", "-B", "-j3").count(WARNING) == 2
    same("1.kiln")
    assert "warning" not in make("all: 1.kiln\n%.kiln:\n\t@BAKE -s s.yaml -j 2 -o $@ d\n", "-s", "-B", "-j3")


CASES = [every_token_is_returned, threads_work_only_with_tokens, a_run_that_fails_returns_its_tokens,
         a_run_without_memory_returns_its_tokens, a_run_that_a_signal_ends_returns_its_tokens, importers_do_not_get_the_pipe,
         without_the_pipe_one_thread_works_and_a_warning_is_printed, real_make_gets_all_tokens_back,
         real_make_without_a_plus_gives_one_thread]


def main():
    failed = 0
    for number, case in enumerate(CASES, 1):
        if "make" in case.__name__ and not shutil.which("make"):
            print(f"ok {number} - {case.__name__} # SKIP make is not installed")
            continue
        if "memory" in case.__name__ and "--unlimited" in sys.argv:
            print(f"ok {number} - {case.__name__} # SKIP sanitizers need more memory than the limits of this case")
            continue
        home = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                case()
                print(f"ok {number} - {case.__name__}")
            except (AssertionError, OSError, ValueError, KeyError, subprocess.CalledProcessError) as error:
                failed += 1
                print(f"not ok {number} - {case.__name__}")
                print("\n".join(f"# {line}" for line in f"{type(error).__name__}: {error}"[:2000].splitlines()))
            os.chdir(home)
    print(f"1..{len(CASES)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
