#!/usr/bin/env python3
"""Bakes files with payloads, and reads their data again (TAP).

    payloads.py KILN_BAKE KILN_INSPECT [MIB]

MIB is the size of the payload whose bake must need little memory: 96 by default, 1024 in the long form. It is a sparse file.
"""

import ctypes
import hashlib
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile

BAKE, INSPECT = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
MIB = int(sys.argv[3]) if len(sys.argv) > 3 else 96
# A bake of a payload of any size needs less than this, and far less than the data.
MEMORY_KIB = 48 << 10
SCHEMA = """kiln: 1
namespace: game
types:
  Pixels: {wrap: {type: payload, align: 4096}}
  Texture: {struct: {image: {type: payload, align: 65536}, mips: "Pixels[]", sound: {type: payload?, frames: 4096}}, asset: true}
importers: {twice: {command: [sh, ./twice], output: bytes}}
"""
DATA = """Texture:
  a: {image: !file noise.bin, mips: [!file noise.bin, !file text.bin], sound: null}
  b: {image: !file text.bin, mips: [], sound: !file empty.bin}
  c: {image: !file ./noise.bin, mips: [], sound: !file sound.bin}
"""


def write(path, data):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    pathlib.Path(path).write_bytes(data if isinstance(data, bytes) else data.encode())


def run(*words, code=0, **options):
    done = subprocess.run(words, capture_output=True, check=False, **options)
    out, err = done.stdout, done.stderr.decode(errors="replace")
    assert done.returncode == code, (words, done.returncode, out[:500], err)
    return out, err


def bake(*words, code=0):
    return run(BAKE, *words, code=code)[1]


def inspect(*words, code=0):
    return run(INSPECT, *words, code=code)[0]


def noise(seed, size):
    return hashlib.shake_128(seed.encode()).digest(size)


def set_up():
    write("s.yaml", SCHEMA)
    write("d.yaml", DATA)
    write("noise.bin", noise("a", 70000))
    write("text.bin", b"a line of text\n" * 5000)
    write("sound.bin", b"boom " * 9000)
    write("empty.bin", b"")
    write("twice", "cat $1 $1\n")
    bake("-q", "-s", "s.yaml", "-o", "o.kiln", "d.yaml")


def listed(path="o.kiln"):
    rows = json.loads(inspect("ls", "-f", "json", path))["assets"]
    return {row["name"]: row for row in rows if row["type"] == "kiln.Payload"}


def data_are_stored_once_and_aligned():
    set_up()
    inspect("verify", "o.kiln")
    rows = listed()
    sizes = sorted(row["size"] for row in rows.values())
    assert sizes == [72, 45000, 70000, 75000], sizes  # empty data have no member: the size is that of the asset
    by_size = {row["size"]: row for row in rows.values()}
    assert by_size[70000]["alignment"] == by_size[75000]["alignment"] == 65536
    assert by_size[70000]["place"] % 65536 == by_size[75000]["place"] % 65536 == 0
    assert by_size[45000]["compression"] == "frames" and by_size[45000]["stored"] < 3000
    whole = pathlib.Path("o.kiln").read_bytes()
    at = by_size[70000]["place"]
    assert whole[at:at + 70000] == noise("a", 70000)


def extracted_data_bake_to_the_same_bytes():
    set_up()
    dump = inspect("dump", "-f", "yaml", "o.kiln").decode()
    write("back/d.yaml", dump)
    names = set(re.findall(r"!file (\S+)", dump))
    assert len(names) == 4, dump
    for name in names:
        write("back/" + name, inspect("extract", "o.kiln", name))
    bake("-q", "-s", "s.yaml", "-o", "back.kiln", "back/d.yaml")
    assert pathlib.Path("back.kiln").read_bytes() == pathlib.Path("o.kiln").read_bytes()
    assert inspect("extract", "o.kiln", "Texture/c.sound") == b"boom " * 9000
    assert inspect("extract", "o.kiln", "Texture/a.mips[1]") == b"a line of text\n" * 5000
    for path, said in (("Texture/a.sound", "does not refer"), ("Texture/a", "is not a payload"), ("Texture/a.x", "no value")):
        err = run(INSPECT, "extract", "o.kiln", path, code=1)[1]
        assert said in err, err


def every_thread_count_and_repack_keep_the_bytes():
    set_up()
    bytes_of = pathlib.Path("o.kiln").read_bytes()
    bake("-q", "-j4", "-s", "s.yaml", "-o", "o4.kiln", "d.yaml")
    assert pathlib.Path("o4.kiln").read_bytes() == bytes_of
    bake("repack", "-q", "o.kiln", "-o", "r.kiln")
    assert pathlib.Path("r.kiln").read_bytes() == bytes_of
    bake("repack", "-q", "--compress", "19", "o.kiln", "-o", "small.kiln")
    inspect("verify", "small.kiln")
    assert inspect("extract", "small.kiln", "Texture/c.sound") == b"boom " * 9000
    bake("-q", "schema", "check", "s.yaml", "o.kiln")


def linked_parts_have_the_bytes_of_a_direct_bake():
    set_up()
    write("e.yaml", "Texture:\n  e: {image: !file sound.bin, mips: [!file noise.bin], sound: !file text.bin}\n")
    write("f.yaml", "Texture:\n  0: {image: !file empty.bin, mips: [], sound: !file sound.bin}\n")
    files = ("d.yaml", "e.yaml", "f.yaml")
    bake("-q", "-s", "s.yaml", "-o", "whole.kiln", *files)
    bake("names", "-q", "-s", "s.yaml", "-o", "all.names", *files)
    for number, part in enumerate((files[:1], files[1:2], files[2:])):
        bake("build", "-q", "-s", "s.yaml", "--names", "all.names", "-o", f"{number}.part", *part)
    bake("link", "-q", "-s", "s.yaml", "--names", "all.names", "-o", "linked.kiln", "2.part", "0.part", "1.part")
    assert pathlib.Path("linked.kiln").read_bytes() == pathlib.Path("whole.kiln").read_bytes()


def importers_provide_data():
    set_up()
    write("i.yaml", "Texture:\n  a: {image: !import:twice noise.bin, mips: [], sound: !import:twice sound.bin}\n")
    bake("-q", "-s", "s.yaml", "-o", "i.kiln", "i.yaml")
    inspect("verify", "i.kiln")
    assert inspect("extract", "i.kiln", "Texture/a.image") == 2 * noise("a", 70000)
    assert inspect("extract", "i.kiln", "Texture/a.sound") == b"boom " * 18000


def damaged_data_are_found():
    set_up()
    whole = bytearray(pathlib.Path("o.kiln").read_bytes())
    for row in listed().values():
        if row["size"] == 72:
            continue
        for at in (0, row["stored"] // 2, row["stored"] - 1):
            whole[row["place"] + at] ^= 1
            write("bad.kiln", bytes(whole))
            said = inspect("verify", "bad.kiln", code=1).decode()
            assert ("I16" if row["compression"] == "frames" else "I12") in said, said
            run(INSPECT, "extract", "bad.kiln", row["name"], code=1)
            bake("repack", "bad.kiln", "-o", "r.kiln", code=1)
            whole[row["place"] + at] ^= 1


def mistakes_are_reported_at_their_values():
    set_up()
    rows = (
        ("{image: noise.bin, mips: []}", "expected the data of a file, as in `!file image.bin`"),
        ("{image: !file none.bin, mips: []}", 'cannot read "none.bin": No such file'),
        ("{image: !file ., mips: []}", "cannot read"),
        ("{image: [1], mips: []}", "expected ref<kiln.Payload>, found a list"),
        ("{mips: []}", 'missing field "image"'),
        ("{image: kiln.Payload/0123, mips: []}", 'unknown asset "kiln.Payload/0123"'),
        ("{image: !import:none noise.bin, mips: []}", 'the schema has no importer "none"'),
    )
    for value, said in rows:
        write("bad.yaml", f"Texture: {{a: {value}}}\n")
        err = bake("-s", "s.yaml", "-o", "x.kiln", "bad.yaml", code=1)
        assert said in err and "bad.yaml:1:" in err, err
        assert not os.path.exists("x.kiln")
    for field, said in (
        ("{type: payload, align: 48}", "`align` of a payload must be a power of two from 1 to 65536, not 48"),
        ("{type: payload, align: 131072}", "not 131072"),
        ("{type: payload?, frames: 2048}", "`frames` of a payload must be a power of two from 4096 to 4194304, not 2048"),
        ("{type: u32, align: 4}", "`align` is only for fields of the type payload"),
        ('{type: "payload[]", frames: 4096}', "`frames` is only for fields of the type payload"),
        ("{type: payload, default: !file noise.bin}", "a default cannot have the data of a payload"),
    ):
        write("bad.s.yaml", f"kiln: 1\ntypes: {{T: {{struct: {{a: {field}}}, asset: true}}}}\n")
        err = bake("check", "-s", "bad.s.yaml", "d.yaml", code=1)
        assert said in err, err
    for types, said in (
        ("T: {struct: {a: payload}, asset: true, kind: kiln.Payload}", "reserved for payloads"),
        ("payload: {struct: {a: u8}}", '"payload" is a built-in type'),
    ):
        write("bad.s.yaml", f"kiln: 1\ntypes: {{{types}}}\n")
        err = bake("check", "-s", "bad.s.yaml", "d.yaml", code=1)
        assert said in err, err


def a_project_bakes_again_when_data_change():
    set_up()
    write("kiln.yaml", "kiln: 1\nschemas: s.yaml\nbundles: {all: {sources: d.yaml, output: out/all.kiln}}\n")
    bake()
    first = pathlib.Path("out/all.kiln").read_bytes()
    assert first == pathlib.Path("o.kiln").read_bytes()
    changed = os.stat("out/all.kiln").st_mtime_ns
    bake()
    assert os.stat("out/all.kiln").st_mtime_ns == changed
    write("sound.bin", b"bang " * 9000)
    bake()
    assert inspect("extract", "out/all.kiln", "Texture/c.sound") == b"bang " * 9000
    bake("-q", "-s", "s.yaml", "-o", "o.kiln", "-MD", "-MF", "o.d", "d.yaml")
    assert {"noise.bin", "text.bin", "sound.bin", "empty.bin"} <= set(pathlib.Path("o.d").read_text().split())


def outputs_share_no_data():
    set_up()
    write("e.yaml", "Texture:\n  e: {image: !file noise.bin, mips: []}\n")
    os.makedirs("each", exist_ok=True)
    bake("-q", "-s", "s.yaml", "--each", "each", "d.yaml", "e.yaml")
    for name in ("d", "e"):
        inspect("verify", f"each/{name}.kiln")
    assert inspect("extract", "each/e.kiln", "Texture/e.image") == noise("a", 70000)


def every_command_compresses_frames_at_the_same_level():
    write("f.yaml", "kiln: 1\ntypes: {S: {struct: {s: {type: payload, frames: 16384}}, asset: true}}\n")
    write("f.data.yaml", "S: {a: {s: !file words.bin}}\n")
    write("words.bin", b" ".join(b"%d" % (n * n * n % 7919) for n in range(9000)))
    level = ("-q", "--compress", "19")
    bake("names", "-q", "-s", "f.yaml", "-o", "all.names", "f.data.yaml")
    bake("-q", "-s", "f.yaml", "-o", "plain.kiln", "f.data.yaml")
    bake("build", "-q", "-s", "f.yaml", "--names", "all.names", "-o", "0.part", "f.data.yaml")
    bake(*level, "-s", "f.yaml", "-o", "built.kiln", "f.data.yaml")
    bake("repack", *level, "plain.kiln", "-o", "repacked.kiln")
    bake("link", *level, "-s", "f.yaml", "--names", "all.names", "-o", "linked.kiln", "0.part")
    built = pathlib.Path("built.kiln").read_bytes()
    assert len(built) < os.path.getsize("plain.kiln")
    assert pathlib.Path("repacked.kiln").read_bytes() == built
    assert pathlib.Path("linked.kiln").read_bytes() == built


def memory_of(*words):
    """Runs kiln-bake; returns the KiB of memory that it needed."""
    probe = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); " \
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    return int(run(sys.executable, "-c", probe, BAKE, *words)[0])


def many_payloads_need_the_memory_of_one_frame():
    count, frame = 24, 4 << 20
    for i in range(count):
        with open(f"{i}.bin", "wb") as stream:
            stream.write(b"%d" % i)
            stream.truncate(frame)
    write("f.yaml", f"kiln: 1\ntypes: {{S: {{struct: {{s: {{type: payload, frames: {frame}}}}}, asset: true}}}}\n")
    write("f.data.yaml", "S:\n" + "".join(f"  {i}: {{s: !file {i}.bin}}\n" for i in range(count)))
    bake("-q", "-s", "f.yaml", "-o", "many.kiln", "f.data.yaml")
    bake("names", "-q", "-s", "f.yaml", "-o", "all.names", "f.data.yaml")
    bake("build", "-q", "-s", "f.yaml", "--names", "all.names", "-o", "0.part", "f.data.yaml")
    for words in (("repack", "-q", "many.kiln", "-o", "again.kiln"),
                  ("link", "-q", "-s", "f.yaml", "--names", "all.names", "-o", "again.kiln", "0.part")):
        used = memory_of(*words)
        print(f"# {words[0]} of {count} payloads: {used} KiB of memory")
        assert used < MEMORY_KIB, used
        assert pathlib.Path("again.kiln").read_bytes() == pathlib.Path("many.kiln").read_bytes()


def large_data_need_little_memory():
    set_up()
    with open("large.bin", "wb") as stream:
        stream.truncate(MIB << 20)
        stream.seek((MIB << 20) - 3)
        stream.write(b"end")
    write("l.yaml", "Texture:\n  a: {image: !file large.bin, mips: [], sound: null}\n")
    write("f.yaml", "kiln: 1\ntypes: {S: {struct: {s: {type: payload, frames: 1048576}}, asset: true}}\n")
    write("f.data.yaml", "S: {a: {s: !file large.bin}}\n")
    for schema, data in (("s.yaml", "l.yaml"), ("f.yaml", "f.data.yaml")):
        used = memory_of("-q", "-s", schema, "-o", "large.kiln", data)
        print(f"# {MIB} MiB of {data}: {used} KiB of memory")
        assert used < MEMORY_KIB, used
        size = os.path.getsize("large.kiln")
        assert size >= MIB << 20 if data == "l.yaml" else size < MIB << 14, size
    os.unlink("large.bin")
    os.unlink("large.kiln")


class Opened:
    """Counts how often files are opened."""

    def __init__(self, *paths):
        libc = ctypes.CDLL(None, use_errno=True)
        self.file, self.count = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC), 0
        # IN_OPEN and IN_CLOSE_NOWRITE: without the latter, equal events would be joined.
        assert self.file >= 0 and all(libc.inotify_add_watch(self.file, path.encode(), 0x20 | 0x10) > 0 for path in paths)

    def update(self):
        try:
            data = os.read(self.file, 1 << 16)
        except BlockingIOError:
            return self.count
        for at in range(0, len(data), 16):
            self.count += struct.unpack_from("iI", data, at)[1] & 0x20 != 0
        return self.count


def data_that_change_while_they_are_written_are_named():
    """Each file is hashed, added and then written; the change happens when the first file is being written."""
    set_up()
    names, size = ("first.bin", "second.bin", "third.bin"), 8 << 20
    write("l.yaml", "Texture:\n" + "".join(f"  {i}: {{image: !file {name}, mips: [], sound: null}}\n" for i, name in enumerate(names)))

    def fill():
        for name in names:
            with open(name, "wb") as stream:
                stream.write(name.encode())
                stream.truncate(size)
    fill()
    opened = Opened(*names)
    words = ("-q", "-s", "s.yaml", "-o", "changed.kiln", "l.yaml")
    bake(*words)
    # One to hash, and then as many to add as to write.
    half = (opened.update() + len(names)) // 2
    for name in names:
        for _ in range(20):
            fill()
            opened.update()
            opened.count = 0
            with subprocess.Popen((BAKE, *words), stderr=subprocess.PIPE, text=True) as process:
                while process.poll() is None and opened.update() <= half:
                    pass
                process.send_signal(signal.SIGSTOP)
                with open(name, "r+b") as stream:
                    stream.seek(size - 1)
                    stream.write(b"x")
                process.send_signal(signal.SIGCONT)
                err = process.communicate()[1]
            # On a busy machine, the process may have ended before.
            if process.returncode:
                break
        assert err.count("changed while it was read") == 1 and f'"{name}" changed while it was read' in err, (name, err)


def main():
    tests = [test for name, test in globals().items() if callable(test) and getattr(test, "__module__", None) == "__main__" and
             name not in ("Opened", "write", "run", "bake", "inspect", "noise", "set_up", "listed", "memory_of", "main")]
    failed = 0
    home = os.getcwd()
    for number, test in enumerate(tests, 1):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                test()
                word = "ok"
            except AssertionError as error:
                print("#", str(error).replace("\n", "\n# "))
                word = "not ok"
                failed += 1
            finally:
                os.chdir(home)
        print(f"{word} {number} - {test.__name__}", flush=True)
    print(f"1..{len(tests)}")
    if len(sys.argv) > 3 and not failed:
        print(f"# payloads of {MIB} MiB are baked in less than {MEMORY_KIB} KiB of memory")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
