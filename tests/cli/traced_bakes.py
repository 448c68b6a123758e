#!/usr/bin/env python3
"""Compares the system calls of whole bakes with the records of these bakes (TAP).

    traced_bakes.py RECORDED_BAKE KILN_BAKE SAMPLES [REAL_DATA REAL_SCHEMA]

strace lists every path that a bake opens, examines or lists. Each of them must be in the record, and each path of the record must be in
the trace. Only libraries, the locale, /proc, outputs and the state of the records are left out. Skipped if strace cannot trace here.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RECORDED, BAKE, SAMPLES = (os.path.realpath(word) for word in sys.argv[1:4])
REAL = [os.path.realpath(word) for word in sys.argv[4:6]]
CALLS = "%file,getdents64,%process"
SYSTEM = re.compile(rb"/(?:lib|lib32|lib64|usr/lib|usr/lib32|usr/lib64|usr/local/lib|usr/share/locale|proc|sys|dev)(?:/|$)|/etc/(?:ld\.so|localtime)")
LINE = re.compile(rb"(\d+) +(.*)")
CALL = re.compile(rb"(\w+)\((.*)\) += (-?\d+|\?)(.*)", re.DOTALL)
TEXT = re.compile(rb'(?:(AT_FDCWD|\d+)<((?:\\x[0-9a-f]{2})*)>, )?"((?:\\x[0-9a-f]{2})*)"')
FILE = re.compile(rb"(\d+)<((?:\\x[0-9a-f]{2})*)>")
# A depfile restores the times of folders.
LOOKS = {b"utimensat", b"stat", b"lstat", b"newfstatat", b"statx", b"access", b"faccessat", b"faccessat2", b"readlink", b"readlinkat", b"stat64",
         b"lstat64", b"fstatat64"}
OPENS = {b"open", b"openat", b"openat2"}
WRITES = {b"unlink", b"unlinkat", b"rename", b"renameat", b"renameat2", b"link", b"linkat", b"mkdir", b"mkdirat", b"chmod",
          b"creat", b"getxattr", b"lgetxattr", b"llistxattr", b"listxattr", b"symlink", b"truncate"}
FORKS = {b"clone", b"clone3", b"fork", b"vfork"}


def unescape(text):
    return bytes.fromhex(text.replace(b"\\x", b"").decode())


def calls(log):
    """(process, name, arguments, result, rest) of each call; calls that others interrupt are joined."""
    begun = {}
    for line in log.splitlines():
        process, rest = LINE.match(line).groups()
        if rest.endswith(b"<unfinished ...>"):
            begun[process] = rest.removesuffix(b"<unfinished ...>")
            continue
        resumed = re.match(rb"<\.\.\. \w+ resumed>(.*)", rest, re.DOTALL)
        if resumed:
            rest = begun.pop(process) + resumed.group(1)
        call = CALL.match(rest)
        if call:
            yield process, *call.groups()


def paths_of(arguments, folder):
    """The absolute paths of the arguments of a call. Paths are relative to their folder, else to `folder`."""
    for at, base, text in TEXT.findall(arguments):
        path = unescape(text)
        if path:
            yield os.path.normpath(os.path.join(unescape(base) if at else folder, path))


def children_of_programs(events):
    """The processes that other programs start. A child can make calls before its parent's fork returns."""
    found, before = set(), None
    while before != found:
        before, others, first = set(found), set(found), True
        for process, name, _, result, _ in events:
            if name == b"execve" and not result.startswith(b"-"):
                others |= set() if first else {process}
                first = False
            elif name in FORKS and process in others:
                found.add(result)
    return found


def touched(log, folder):
    """{path: uses} of the process and its children, until these run other programs."""
    events = list(calls(log))
    uses, others, first = {}, children_of_programs(events), True
    for process, name, arguments, result, _ in events:
        if process in others:
            continue
        done = not result.startswith(b"-")
        if name == b"execve":
            if not first:
                uses.setdefault(next(paths_of(arguments, folder)), set()).add("read" if done else "look")
            if done and not first:
                others.add(process)
            first = False
        elif name == b"getdents64":
            uses.setdefault(os.path.normpath(unescape(FILE.match(arguments).group(2))), set()).add("list")
        elif name in LOOKS | OPENS | WRITES | {b"statfs", b"chdir"}:
            is_write = name in WRITES or (name in OPENS and re.search(rb"O_WRONLY|O_RDWR|O_CREAT|O_TMPFILE", arguments))
            is_read = name in OPENS and done and b"O_DIRECTORY" not in arguments
            kind = "write" if is_write else "read" if is_read else "look"
            for path in paths_of(arguments, folder):
                uses.setdefault(path, set()).add(kind)
        else:
            assert name in {b"exit", b"exit_group", b"wait4", b"waitid", b"getcwd", b"execveat", b"kill", b"tgkill"} | FORKS or \
                not list(paths_of(arguments, folder)), name
    return uses


def record_of(files):
    record = {}
    lines = subprocess.run([RECORDED, "dump", *files], stdout=subprocess.PIPE, check=True).stdout.splitlines()
    for line in lines:
        kind, path = line.split(b" ") if b" " in line else (line, b"")
        record.setdefault(kind.decode(), set()).add(os.path.normpath(os.path.join(os.getcwdb(), bytes.fromhex(path.decode()))))
    return record


def trace(*command, code=0):
    environment = dict(os.environ, PATH=os.getcwd() + "/none:" + os.getcwd() + "/tools:/usr/bin:/bin", LC_ALL="C", ASAN_OPTIONS="detect_leaks=0")
    done = subprocess.run(["strace", "-f", "-y", "-xx", "-s", "4200", "-e", "trace=" + CALLS, "-o", "/dev/fd/1", *command], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    assert done.returncode == code, (command, done.returncode, done.stderr)
    uses = touched(done.stdout, os.getcwdb())
    # A sanitizer's runtime looks at the program itself.
    uses.pop(os.fsencode(os.path.abspath(command[0])), None)
    return uses


def compare(uses, record, project=None, patterns=None, state="state", before=None):
    """Checks that the trace and the record name the same paths. A project reads its file `project` and lists the folders below
    `patterns` in each run, so these are in no record. A run first examines what is in the record `before`, if there is one."""
    before = before or {}
    here = os.getcwdb()
    outputs = record.get("output", set())
    folders = {os.path.dirname(path) for path in outputs} | {os.path.join(here, os.fsencode(state))}
    examined = set().union(*(record.get(kind, set()) for kind in ("read", "file", "folder", "other", "missing", "list", "names")))
    needed = set(examined)
    examined |= set().union(*(paths for kind, paths in before.items() if kind != "output"))
    lists = record.get("list", set()) | record.get("names", set())
    # A depfile names the nearest existing folder of a missing path.
    above = {parent for path in record.get("missing", set()) for parent in (os.path.dirname(path), os.path.dirname(os.path.dirname(path)))}
    # Examining many files in a folder opens the folder first. Its existence follows from that of the files.
    above |= {os.path.dirname(path) for path in examined}
    seen = set()
    for path, kinds in sorted(uses.items()):
        is_own = project and path == os.path.join(here, os.fsencode(project))
        is_matched = patterns and (path + b"/").startswith(os.path.join(here, os.fsencode(patterns)) + b"/")
        is_output = any(path == folder or path.startswith(folder + b"/") for folder in folders) and path not in examined
        if SYSTEM.match(path) or is_own or is_output:
            continue
        seen.add(path)
        assert "write" not in kinds, ("written", path)
        assert "read" not in kinds or path in record["read"] | before.get("read", set()) or path in record.get("other", ()), ("read", path)
        assert "list" not in kinds or path in lists or is_matched, ("listed", path)
        # A name in a listed folder is examined as a part of the list.
        assert path in examined or os.path.dirname(path) in lists or is_matched or path in above or \
            path.endswith(b"/linux-vdso.so.1"), ("examined", path)
    left = {path for path in needed - seen if not SYSTEM.match(path)} - set(uses)
    assert not left, ("not used", sorted(left))
    return len(seen)


def recorded(*arguments, code=0):
    uses = trace(RECORDED, "bake", *arguments, code=code)
    assert not code
    return compare(uses, record_of(["state/steps/step"]))


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    pathlib.Path(path).write_text(text, encoding="utf-8")


SCHEMA = """kiln: 1
include: [more.yaml]
types:
  Lamp: {struct: {n: u8, text: string?, page: bytes?, light: Texture?, other: {type: ref<Lamp>?}}, asset: true}
  Texture: {wrap: string, path: {roots: [res, mods], missing: warn}}
importers:
  path: {command: [./tools/upper], output: bytes}
  found: {command: [lower, tools/words], output: bytes}
  yaml: {command: [sh, tools/convert], output: yaml}
files:
  - {match: "*.txt", import: yaml, shape: kinds}
"""


def bake_with_everything():
    write("s.yaml", SCHEMA)
    write("inc2/more.yaml", "kiln: 1\n")
    write("tools/upper", "#!/bin/sh\ntr a-z A-Z <\"$1\"\n")
    write("tools/lower", "#!/bin/sh\ncat \"$1\" \"$2\"\n")
    write("tools/words", "words")
    write("tools/convert", "cat \"$1\"\n")
    os.chmod("tools/upper", 0o755)
    os.chmod("tools/lower", 0o755)
    write("data/a.yaml", "Lamp: {a: {n: 1, text: !file note, page: !import:path note, light: here.png, other: x}}\n")
    write("data/b.yaml", "Lamp: {b: {n: 1, page: !import:found note, light: lost.png, other: z}}\n")
    write("data/sub/c.txt", "Lamp: {c: {n: 3}}\n")
    write("data/sub/ignored", "")
    write("data/.hidden.yaml", "")
    write("single.yaml", "Lamp: {x: {n: 9}}\n")
    write("data/note", "note")
    write("mods/here.png", "")
    write("res/lots.png", "")
    os.makedirs("out")
    os.symlink("../single2.yaml", "data/dangling.yaml")
    write("y.yaml", "Lamp: {z: {n: 0}}\n")
    subprocess.run([BAKE, "-q", "-s", "s.yaml", "-I", "inc2", "-o", "extern.kiln", "y.yaml"], check=True)


def a_bake_with_everything():
    bake_with_everything()
    options = ["-s", "s.yaml", "-I", "inc1", "-I", "inc2", "-x", "extern.kiln", "-o", "out/all.kiln", "data", "single.yaml"]
    assert recorded(*options, "--source-map", "out/map.json", "-MD") > 20


def a_check_of_everything():
    bake_with_everything()
    assert recorded("check", "-s", "s.yaml", "-I", "inc1", "-I", "inc2", "-x", "extern.kiln", "data", "single.yaml") > 20


def a_header():
    write("s.yaml", "kiln: 1\ninclude: [a.yaml, b.yaml]\ntypes: {T: {struct: {n: u8}}}\n")
    write("i/a.yaml", "kiln: 1\n")
    write("b.yaml", "kiln: 1\n")
    os.makedirs("out")
    assert recorded("header", "-s", "s.yaml", "-I", "i", "-o", "out/t.h") >= 4


def a_project():
    shutil.copytree(os.path.join(SAMPLES, "game"), "game")
    os.chdir("game")
    uses = trace(BAKE, "-q")
    steps = sorted(os.path.join(".kiln/steps", name) for name in os.listdir(".kiln/steps"))
    assert len(steps) == 2 and compare(uses, record_of(steps), "kiln.yaml", "data", ".kiln") > 10


# What is done to the files of the project below before each bake; None removes a file.
EDITS = [
    {"data/a.yaml": "Item: {a: {n: 2, other: b}, base: {n: 3, abstract: true}}\n"},
    {"data/new/d.yaml": "Item: {d: {parent: base}}\n"},
    {"data/a.yaml": "Item: {a: {n: 2, other: d}}\n", "data/new/e.yaml": "Item: {base: {n: 4, abstract: true}}\n"},
    {"data/b.yaml": None, "data/c.yaml": "Item: {b: {n: 9}, c: {parent: base, page: !file ../note}}\n"},
    {"note": "another note"},
    {"data/a.yaml": "# moved\nItem: {a: {n: 2, other: d, old: 1}}\n"},
    {"data/c.yaml": "Item: {b: {n: 8}, c: {parent: base, page: !import:upper ../note}}\n"},
    {"data/a.yaml": "Item: {a: {n: 3, other: d}}\n"},
    {"inc1/more.yaml": "kiln: 1\n"},
    {"data/f.txt": "Item: {f: {n: 7}}\n", "data/new/d.yaml": "Item: {d: {n: 5, parent: base}}\n"},
    {"data/f.txt": None},
]


def bakes_after_edits():
    """Most of them bake only some assets."""
    write("kiln.yaml", "kiln: 1\nschemas: s.yaml\ninclude: [inc1, inc2]\nbundles: {all: {sources: [data/**/*.yaml, data/**/*.txt, "
          "\"!data/none\"], output: out/all.kiln}}\n")
    write("s.yaml", "kiln: 1\ninclude: [more.yaml]\ntypes:\n  Item: {struct: {n: {type: u8, inherit: never, default: 0}, "
          "page: {type: bytes, default: \"\"}, other: ref<Item>?, old: {type: u8, default: 0, deprecated: true}}, asset: true, inherit: true}\n"
          "importers: {upper: {command: [./tools/upper], output: bytes}, yaml: {command: [sh, tools/convert], output: yaml}}\n"
          "files: [{match: \"*.txt\", import: yaml, shape: kinds}]\n")
    write("inc2/more.yaml", "kiln: 1\n")
    write("tools/upper", "#!/bin/sh\ntr a-z A-Z <\"$1\"\n")
    write("tools/convert", "cat \"$1\"\n")
    os.chmod("tools/upper", 0o755)
    write("note", "note")
    write("data/a.yaml", "Item: {a: {n: 1}, base: {n: 3, abstract: true}}\n")
    write("data/b.yaml", "Item: {b: {n: 2, parent: base}}\n")
    write("data/x.txt", "Item: {x: {n: 6}}\n")
    record = None
    for edit in [{}, *EDITS]:
        for path, text in edit.items():
            if text is None:
                os.remove(path)
            else:
                write(path, text)
        uses = trace(BAKE, "-q")
        try:
            before, record = record, record_of([".kiln/steps/all"])
            assert compare(uses, record, "kiln.yaml", "data", ".kiln", before) > 5
        except AssertionError as error:
            raise AssertionError(edit, error) from error


def real_data():
    os.makedirs("out")
    assert recorded("-q", "-s", REAL[1], "--resources=warn", "-C", REAL[0], "-o", "out/all.kiln", ".") > 500


def can_trace():
    try:
        done = subprocess.run(["strace", "-f", "-y", "-xx", "-e", "trace=" + CALLS, "-o", "/dev/null", "true"], capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


CASES = [a_bake_with_everything, a_check_of_everything, a_header, a_project, bakes_after_edits] + ([real_data] if REAL else [])


def main():
    if not can_trace():
        print("1..0 # SKIP strace cannot trace here")
        return 0
    failed = 0
    for number, case in enumerate(CASES, 1):
        name = case.__name__ + "_reads_what_its_record_contains"
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                case()
                print(f"ok {number} - {name}")
            except (AssertionError, OSError, subprocess.SubprocessError) as error:
                failed += 1
                print(f"not ok {number} - {name}")
                print("# " + f"{type(error).__name__}: {error}".replace("\n", "\n# "))
            os.chdir("/")
    print(f"1..{len(CASES)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
