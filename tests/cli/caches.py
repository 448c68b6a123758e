#!/usr/bin/env python3
"""Bakes projects with a local cache and a shared folder: what is found, what is stored, and what a broken cache does (TAP).

    caches.py KILN_BAKE
"""

import json
import os
import pathlib
import random
import re
import shutil
import stat
import struct
import subprocess
import sys
import tempfile

BAKE = str(pathlib.Path(sys.argv[1]).resolve())
SCHEMA = """kiln: 1
include: [enum.yaml]
importers: {table: {command: [./csv.sh], output: yaml}}
files: [{match: "*.csv", import: table, shape: map, type: T}]
types:
  T: {struct: {n: u8, kind: {type: Kind, default: a}, other: {type: ref<T>?}}, asset: true}
"""
PROJECT = """kiln: 1
schemas: s.yaml
include: [inc1, inc2]
bundles:
  two: {sources: data/two/*.yaml, output: out/two.kiln, externs: [one], dangling: warn}
  one: {sources: "data/one/*.yaml", output: out/one.kiln, source_map: out/one.json}
headers: {out/types.h: }
"""
OUTPUTS = ("out/one.kiln", "out/one.json", "out/two.kiln", "out/types.h")
HASHES = re.compile(r"[0-9a-f]{32}")


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    pathlib.Path(path).write_text(text, encoding="utf-8")


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KILN_CACHE")}
    return dict(kept, **more)


def run(*words, code=0, env=None, cwd=None):
    # On a busy machine, a shared folder may need longer than the default time.
    wait = ["--cache-wait", "50000"] if "--cache-shared" in words else []
    done = subprocess.run([BAKE, *words, *wait], capture_output=True, text=True, check=False, cwd=cwd, env=environment(**(env or {})))
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done.stderr if done.stderr else done.stdout


def project(folder="."):
    for path, text in (("s.yaml", re.sub(r"importers:.*\nfiles:.*\n", "", SCHEMA)),
                       ("inc2/enum.yaml", "kiln: 1\ntypes:\n  Kind: {enum: [a, b]}\n"),
                       ("data/one/a.yaml", "T: {a: {n: 1}}\n"), ("data/two/b.yaml", "T: {b: {n: 2, other: a}}\n"), ("kiln.yaml", PROJECT)):
        write(os.path.join(folder, path), text)


def contents(folder="."):
    return {path: pathlib.Path(folder, path).read_bytes() for path in OUTPUTS}


def forget(folder="."):
    """Removes everything that was baked."""
    for name in ("out", ".kiln"):
        shutil.rmtree(os.path.join(folder, name), ignore_errors=True)


def sources(text):
    """{output: `cache`, `baked` or `old`}, without the folder."""
    found = {}
    for line in text.splitlines():
        path, _, end = line.partition(": ")
        if re.search(r"\.(kiln|h)$", path):
            found[path[path.index("out/"):]] = ("cache" if end.startswith("from the cache ") else
                                                "old" if end == "up to date" else "baked")
    return found


def all_are(text, state):
    found = sources(text)
    assert set(found) == {"out/one.kiln", "out/two.kiln", "out/types.h"} and set(found.values()) == {state}, text


def objects(folder):
    return sorted(path for path in pathlib.Path(folder).glob("*/*/*") if HASHES.fullmatch(path.name))


def clean_bake(*words):
    """What a bake without cache writes, and its messages without lines about success."""
    forget()
    text = run("--no-cache", *words)
    return contents(), text


def a_second_bake_comes_from_the_cache():
    project()
    expected, _ = clean_bake()
    forget()
    all_are(run("--cache", "c"), "baked")
    forget()
    all_are(run("--cache", "c"), "cache")
    assert contents() == expected
    all_are(run("--cache", "c"), "old")
    all_are(run(), "old")
    # The record of such a step is complete.
    write("data/one/a.yaml", "T: {a: {n: 3}}\n")
    assert sources(run()) == {"out/one.kiln": "baked", "out/two.kiln": "baked", "out/types.h": "old"}


def earlier_contents_are_found_again():
    project()
    all_are(run("--cache", "c"), "baked")
    first = contents()
    for number in range(5, 25):
        write("data/one/a.yaml", f"T: {{a: {{n: {number}}}}}\n")
        assert sources(run("--cache", "c"))["out/one.kiln"] == "baked"
    write("data/one/a.yaml", "T: {a: {n: 1}}\n")
    # With a memo, a run bakes what has changed without looking for the whole.
    shutil.rmtree(".kiln/memos")
    assert sources(run("--cache", "c"))["out/one.kiln"] == "cache" and contents() == first
    # The looked-for file inc1/enum.yaml appears, so the schema changes.
    write("inc1/enum.yaml", "kiln: 1\ntypes:\n  Kind: {enum: [b, a]}\n")
    all_are(run("--cache", "c"), "baked")
    os.remove("inc1/enum.yaml")
    all_are(run("--cache", "c"), "cache")
    assert contents() == first


def another_folder_shares_the_cache():
    project("p")
    project("q/r")
    run("--cache", "../c", cwd="p")
    all_are(run("--cache", "../../c", cwd="q/r"), "cache")
    assert contents("p") == contents("q/r")
    # The source map contains paths, which begin at the current folder.
    forget("q/r")
    found = sources(run("-C", "q/r", "--cache", "c"))
    assert found == {"out/one.kiln": "baked", "out/two.kiln": "cache", "out/types.h": "baked"}, found
    cached = contents("q/r")
    forget("q/r")
    run("-C", "q/r")
    assert contents("q/r") == cached
    forget("q/r")
    all_are(run("-C", "q/r", "--cache", "c"), "cache")
    assert contents("q/r") == cached


def each_option_has_its_own_results():
    project()
    run("--cache", "c")
    write("kiln.yaml", PROJECT.replace("dangling: warn", "dangling: warn, compress: 3"))
    found = sources(run("--cache", "c"))
    assert found == {"out/one.kiln": "old", "out/two.kiln": "baked", "out/types.h": "old"}, found
    forget()
    all_are(run("--cache", "c", "--force"), "baked")
    forget()
    all_are(run("--cache", "c", "--no-importers"), "baked")


def messages_come_from_the_cache():
    project()
    write("data/two/b.yaml", "T: {b: {n: 2, other: nobody}}\n")
    for words in ([], ["--color=always"], ["--diagnostics=json"]):
        _, expected = clean_bake(*words)
        forget()
        run("--cache", "c", *words)
        forget()
        found = run("--cache", "c", *words)
        kept = [line for line in expected.splitlines() if not re.match(r"out/.*: ", line)]
        assert [line for line in found.splitlines() if not re.match(r"out/.*: ", line)] == kept, (expected, found)
        assert kept
    # The messages contain paths, so a different spelling of the folder is a different result.
    os.makedirs("elsewhere")
    for _ in range(2):
        forget()
        text = run("-C", "..", "--cache", "../c", cwd="elsewhere")
        assert "../data/two/b.yaml:1" in text, text
    assert sources(text)["out/two.kiln"] == "cache", text


def importers_and_their_files_are_inputs():
    project()
    write("s.yaml", SCHEMA)
    write("csv.sh", "#!/bin/sh\nprintf '%s: {n: %s}\\n' $(tr , ' ' <\"$1\")\n")
    os.chmod("csv.sh", 0o755)
    write("data/one/x.csv", "x,7\n")
    write("kiln.yaml", PROJECT.replace('"data/one/*.yaml"', '["data/one/*.yaml", "data/one/*.csv"]'))
    run("--cache", "c")
    first = contents()
    forget()
    all_are(run("--cache", "c"), "cache")
    assert contents() == first
    write("csv.sh", "#!/bin/sh\nprintf '%s: {n: 9}\\n' x\n")
    assert sources(run("--cache", "c"))["out/one.kiln"] == "baked"


def caches_are_asked_from_near_to_far_and_written_through():
    project()
    os.mkdir("shared")
    run("--cache-shared", "shared")
    forget()
    text = run("--cache", "near", "--cache-shared", "shared")
    assert text.count("from the cache shared\n") == 3, text
    forget()
    assert run("--cache", "near", "--cache-shared", "shared").count("from the cache near\n") == 3
    shutil.rmtree("shared")
    os.mkdir("shared")
    forget()
    assert run("--cache", "near").count("from the cache near\n") == 3
    # What is only in the near cache is not copied to the far one.
    assert not objects("shared")


def everybody_who_may_use_a_shared_folder_may_use_its_objects():
    project()
    for mode in (0o777, 0o1777, 0o2775, 0o755):
        forget()
        os.mkdir("shared")
        os.chmod("shared", mode)
        before = os.umask(0o077)
        try:
            run("--cache", "near", "--cache-shared", "shared")
        finally:
            os.umask(before)
        found = {path.is_dir(): stat.S_IMODE(path.stat().st_mode) for path in pathlib.Path("shared").rglob("*")}
        assert len(objects("shared")) > 5 and found == {True: mode, False: mode & 0o666}, (oct(mode), found)
        assert {stat.S_IMODE(path.stat().st_mode) for path in objects("near")} == {0o600}
        shutil.rmtree("shared")
        shutil.rmtree("near")


def a_read_only_run_writes_no_shared_cache():
    project()
    os.mkdir("shared")
    all_are(run("--cache-shared", "shared", "--cache-read-only"), "baked")
    forget()
    all_are(run("--cache-wait", "50000", env={"KILN_CACHE_SHARED": "shared", "KILN_CACHE_READ_ONLY": "1"}), "baked")
    assert not os.listdir("shared")
    forget()
    run("--cache-shared", "shared")
    before = [(path, path.stat().st_mtime_ns) for path in objects("shared")]
    for path, _ in before:
        os.utime(path, (1, 1))
    forget()
    all_are(run("--cache-shared", "shared", "--cache-read-only"), "cache")
    assert all(path.stat().st_mtime == 1 for path in objects("shared"))


def settings_come_from_options_environment_and_project():
    project()
    write("kiln.yaml", PROJECT + "cache: {local: near, size: 1M, wait: 500, read_only: true}\n")
    run()
    assert objects("near")
    forget()
    run(env={"KILN_CACHE": "by_env"})
    assert objects("by_env")
    forget()
    run("--cache", "by_option", env={"KILN_CACHE": "other"})
    assert objects("by_option") and not os.path.exists("other")
    forget()
    all_are(run("--no-cache"), "baked")
    os.makedirs("elsewhere", exist_ok=True)
    assert "../near: " in run("cache", "stat", "-C", "..", cwd="elsewhere")
    assert "by_env: " in run("cache", "stat", env={"KILN_CACHE": "by_env"})


def bakes_without_a_project_use_caches():
    project()
    os.remove("kiln.yaml")
    words = ["-s", "s.yaml", "-I", "inc1", "-I", "inc2", "-o", "x.kiln", "--source-map", "x.json", "--dangling=warn"]

    def bake(*more, **options):
        for name in ("x.kiln", "x.json"):
            if os.path.exists(name):
                os.remove(name)
        text = run(*words, *more, "data", **options)
        return "cache" if "x.kiln: from the cache" in text else "baked", text, [pathlib.Path(n).read_bytes() for n in ("x.kiln", "x.json")]
    write("data/two/b.yaml", "T: {b: {n: 2, other: nobody}}\n")
    _, clean, expected = bake()
    for number, (more, env) in enumerate(((["--cache", "c"], {}), (["--cache", "c"], {}), ([], {"KILN_CACHE": "c"}))):
        found = bake(*more, env=env)
        assert (found[0], found[2]) == ("cache" if number else "baked", expected), found
        assert ("data/two/b.yaml:1" in found[1]) and found[1].count("warning") == clean.count("warning"), found
    assert bake("--cache", "c", "--diagnostics=json")[1] == bake("--diagnostics=json")[1]
    assert bake("--no-cache", env={"KILN_CACHE": "c"})[0] == bake("--cache", "c", "--force")[0] == bake("--cache", "c", "--no-share")[0] == "baked"
    write("data/one/a.yaml", "T: {a: {n: 9}}\n")
    assert bake("--cache", "c")[0] == "baked" and bake("--cache", "c")[0] == "cache"
    # Another folder with equal contents, and a run that cannot use a cache.
    shutil.copytree(".", "elsewhere", ignore=shutil.ignore_patterns("c", "x.*", "elsewhere"))
    assert "from the cache" in run(*words, "data", "--cache", os.path.abspath("c"), cwd="elsewhere")
    text = bake("-MD", env={"KILN_CACHE": "c"})
    assert text[0] == "baked" and "data/one/a.yaml" in pathlib.Path("x.d").read_text(encoding="utf-8")
    assert bake("--cache-shared", "missing")[1].count("warning: the cache missing") == 1
    assert not os.path.exists(".kiln")


def mistakes_are_usage_errors():
    project()
    for words, message in (
            (["--cache-wait", "0"], "--cache-wait takes milliseconds from 1 to 600000, not '0'"),
            (["--cache-wait", "600001"], "--cache-wait takes milliseconds"),
            (["--cache-url", "ftp://x"], "must begin with http:// or https://"),
            (["--cache-url", "http://x/?a"], "must begin with http:// or https://"),
            (["check", "--cache", "c"], "check does not accept --cache"),
            (["-s", "s.yaml", "--cache", "c", "--each", "x", "data"], "--cache and --each cannot be combined"),
            (["-s", "s.yaml", "--cache-shared", "c", "-o", "x", "-MD", "data"], "--cache and -MD cannot be combined"),
            (["-s", "s.yaml", "--cache-read-only", "-o", "-", "data"], "--cache and standard output cannot be combined"),
            (["-s", "s.yaml", "--cache", "c", "-o", "x", "-"], "--cache and standard input cannot be combined"),
            (["-s", "s.yaml", "--cache", "c", "-o", "x", "-n", "data"], "--cache and --dry-run cannot be combined"),
            (["-s", "s.yaml", "--cache", "c", "-o", "x", "--diagnostics=sarif", "data"],
             "--cache and --diagnostics=sarif cannot be combined"),
            (["-s", "s.yaml", "--cache-url", "x", "-o", "x", "data"], "must begin with http:// or https://"),
            (["cache"], "cache needs one of stat, gc and verify"),
            (["cache", "stat", "gc"], "cache needs one of stat, gc and verify"),
            (["cache", "veryfi"], "did you mean verify?"),
            (["cache", "stat"], "no cache given"),
            (["cache", "stat", "--cache", "none"], "cannot use the cache none: No such file"),
            (["cache", "stat", "--cache-url", "http://x"], "cache shows, shrinks and checks folders, not HTTP stores; use --cache DIR"),
            (["cache", "gc", "--cache-shared", "c"], "cache treats a shared folder like any other; use --cache DIR"),
            (["cahce"], "did you mean cache?")):
        text = run(*words, code=2)
        assert message in text or "without libcurl" in text, (words, text)
    for variable, value, message in (("KILN_CACHE_URL", "http://x", "the only cache is the HTTP store http://x; use --cache DIR for a folder"),
                                     ("KILN_CACHE_SHARED", "s", "the only cache is the shared folder s; use --cache DIR for this folder")):
        assert message in run("cache", "stat", code=2, env={variable: value})
    secret = "http://user:hunter2@host/"
    for text in (run("--cache-url", secret, code=2), run(code=2, env={"KILN_CACHE_URL": secret})):
        assert "hunter2" not in text and ("KILN_CACHE_TOKEN" in text or "without libcurl" in text), text
    for line, message in (("cache: {url: 'http://a:hunter2@b'}", "must not contain a user or password"),
                          ("cache: {wait: 1s}", "expected milliseconds"), ("cache: {size: 0}", "expected a number of bytes"),
                          ("cache: [a]", "mapping"), ("cache: {locl: c}", "local"), ("cache: {token: x}", "unknown")):
        write("kiln.yaml", PROJECT + line + "\n")
        text = run(code=1)
        assert message in text and "kiln.yaml" in text and "hunter2" not in text, text


def a_damaged_object_is_a_warning_and_is_repaired():
    project()
    expected, _ = clean_bake()
    forget()
    run("--cache", "c")
    dice = random.Random("damage")
    for path in objects("c"):
        good = path.read_bytes()
        path.write_bytes(dice.choice((b"", good[:-1], good + b"x", bytes([good[0] ^ 1]) + good[1:], good[:-1] + bytes([good[-1] ^ 1]))))
        forget()
        text = run("--cache", "c")
        assert contents() == expected
        assert text.count("warning: the cache c is not used any more in this run: ") == 1 and "is damaged" in text, text
        assert path.read_bytes() == good
    forget()
    all_are(run("--cache", "c"), "cache")


def an_object_of_another_key_is_damaged():
    project()
    expected, _ = clean_bake()
    forget()
    run("--cache", "c")
    good = {path: path.read_bytes() for path in objects("c")}
    for path in good:
        other = next(other for other in good if good[other] != good[path] and other.parts[1] == path.parts[1])
        path.write_bytes(good[other])
        forget()
        text = run("--cache", "c")
        assert contents() == expected and text.count("is damaged") == 1, text
        assert path.read_bytes() == good[path]


def broken_folders_are_one_warning():
    project()
    expected, _ = clean_bake()
    write("file", "")
    os.mkdir("closed")
    forget()
    run("--cache", "pipe")
    for path in objects("pipe"):
        path.unlink()
        os.mkfifo(path)
    forget()
    run("--cache", "links")
    for path in objects("links"):
        path.unlink()
        path.symlink_to("/dev/zero")
    forget()
    run("--cache", "folders")
    for path in objects("folders"):
        path.unlink()
        path.mkdir()
    for words in (["--cache", "file"], ["--cache", "file/c"], ["--cache-shared", "missing"], ["--cache-shared", "file"],
                  ["--cache", "pipe"], ["--cache", "links"], ["--cache", "folders"], ["--cache", "/dev/null"], ["--cache", "/proc/self"]):
        forget()
        text = run(*words, "--force")
        assert contents() == expected and text.count("warning") == 1, (words, text)
        forget()
        text = run(*words)
        assert contents() == expected and text.count("warning") == 1, (words, text)
        forget()
        assert run(*words, "-q") == "" and contents() == expected
        forget()
        line = json.loads(run(*words, "--diagnostics=json"))
        assert (line["severity"], line["rule"]) == ("warning", "cache") and words[1] in line["message"] and contents() == expected, line


def a_folder_that_cannot_be_written_is_still_read():
    project()
    expected, _ = clean_bake()
    forget()
    os.mkdir("shared")
    run("--cache-shared", "shared")
    write("data/one/a.yaml", "T: {a: {n: 3}}\n")
    kept = {path: path.read_bytes() for path in objects("shared")}
    # Links that lead nowhere contain no objects, and nobody can write there, not even the superuser.
    for path in (f"shared/{kind}/{number:02x}" for kind in ("ac", "cas") for number in range(256)):
        if not os.path.exists(path):
            os.symlink("nowhere/at/all", path)
    forget()
    text = run("--cache-shared", "shared")
    assert text.count("warning: the cache shared is only read from now on in this run: ") == 1, text
    write("data/one/a.yaml", "T: {a: {n: 1}}\n")
    for path, data in kept.items():
        assert path.read_bytes() == data
    forget()
    all_are(run("--cache-shared", "shared"), "cache")
    assert contents() == expected


def a_full_disk_is_one_warning():
    project()
    expected, _ = clean_bake()
    forget()
    for limit in (0, 1, 2):
        forget()
        done = subprocess.run(["sh", "-c", f'ulimit -f {limit}; exec "$0" --cache c', BAKE], capture_output=True, text=True, check=False,
                              env=environment())
        if done.returncode == 0:
            assert contents() == expected
        shutil.rmtree("c", ignore_errors=True)
    # Only the cache is full.
    if not os.path.exists("/dev/full"):
        return
    forget()
    os.makedirs("c/ac")
    os.makedirs("c/cas")
    os.chmod("c/cas", 0o500)
    os.chmod("c/ac", 0o500)
    text = run("--cache", "c")
    os.chmod("c/cas", 0o700)
    os.chmod("c/ac", 0o700)
    assert contents() == expected and (os.geteuid() == 0 or text.count("warning") == 1), text


def totals_gc_and_verify():
    project()
    run("--cache", "c")
    count, size = len(objects("c")), sum(path.stat().st_size for path in objects("c"))
    text = run("cache", "stat", "--cache", "c", "--cache-size", "5M")
    assert f" {size:,} bytes of at most 5,242,880\n" in text, text
    assert sum(int(number) for number in re.findall(r"(\d+) (?:result|content)s?", text)) == count
    assert run("cache", "verify", "--cache", "c").endswith("; 0 damaged\n")
    write("c/cas/00/notes.txt", "mine")
    write("c/cas/notes", "mine")
    write("c/mine", "mine")
    os.makedirs("other")
    os.symlink("../other", "c/zz")
    broken = objects("c")[0]
    broken.write_bytes(b"broken")
    text = run("cache", "verify", "--cache", "c", code=1)
    assert f"{broken}: damaged, removed\n" in text and "; 1 damaged\n" in text, text
    assert not broken.exists()
    # The objects that were used last are kept.
    paths = objects("c")
    for number, path in enumerate(random.Random(1).sample(paths, len(paths))):
        os.utime(path, (1000000000 + number, 1000000000 + number))
    order = sorted(paths, key=lambda path: path.stat().st_mtime)
    kept = order[-3:]
    limit = sum(path.stat().st_size for path in kept)
    text = run("cache", "gc", "--cache", "c", "--cache-size", str(limit))
    assert objects("c") == sorted(kept) and ": removed " in text, text
    for path in ("c/cas/00/notes.txt", "c/cas/notes", "c/mine"):
        assert pathlib.Path(path).read_text(encoding="utf-8") == "mine"
    assert run("cache", "gc", "-q", "--cache", "c", "--cache-size", "1") == "" and not objects("c")


def an_object_larger_than_any_that_is_stored_is_damaged():
    """Its size must not make `verify` need as much memory. The file has no blocks on the disk."""
    project()
    run("--cache", "c")
    name = "cas/00/" + "0" * 31 + "1"
    write("c/" + name, "")
    os.truncate("c/" + name, 1 << 40)
    assert run("cache", "verify", "--cache", "c", code=1).startswith(f"c/{name}: damaged, removed\n")
    assert run("cache", "verify", "--cache", "c").endswith("; 0 damaged\n")


def the_size_is_bounded():
    project()
    for number in range(24):
        write("data/one/a.yaml", "T: {" + ", ".join(f"a{i}: {{n: {number}}}" for i in range(50)) + "}\n")
        run("-q", "--cache", "c", "--cache-size", "100000")
        if number == 12:
            write("c/size", "nonsense")
        if number == 18:
            write("c/size", "99999999999999999999\n")
    size = sum(path.stat().st_size for path in objects("c"))
    assert 20000 < size <= 100000, size
    recorded = int(pathlib.Path("c/size").read_text(encoding="utf-8"))
    assert recorded >= size and recorded <= 100000, (recorded, size)


def old_temporary_files_are_removed():
    project()
    run("--cache", "c")
    folder = objects("c")[0].parent
    old, new = folder / ".kiln-bake.0123456789ab.tmp", folder / ".kiln-bake.ba9876543210.tmp"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (1000000000, 1000000000))
    run("cache", "gc", "--cache", "c")
    assert not old.exists() and new.exists()


def bakes_and_gc_at_once_give_the_same_bytes():
    project()
    expected, _ = clean_bake()
    os.mkdir("s")
    for name in "pqr":
        project(name)
    loop = 'i=0; while [ $i -lt 12 ]; do i=$((i+1)); rm -rf out .kiln; "$0" -q --cache ../c --cache-shared ../s --cache-wait 50000 || exit 1; ' \
           'cmp -s out/two.kiln ../out/two.kiln || exit 3; cmp -s out/one.json ../out/one.json || exit 4; done'
    bakers = [subprocess.Popen(["sh", "-c", loop, BAKE], cwd=name, stderr=subprocess.PIPE, text=True, env=environment()) for name in "pqr"]
    while any(baker.poll() is None for baker in bakers):
        for folder in "cs":
            if os.path.isdir(folder):
                run("cache", "gc", "-q", "--cache", folder, "--cache-size", "3000")
    for baker in bakers:
        assert baker.wait() == 0 and baker.stderr.read() == "", baker.returncode
    assert contents() == expected
    assert run("cache", "verify", "--cache", "c").endswith("; 0 damaged\n")


def a_cache_below_a_pattern_can_be_removed_during_bakes():
    """The pattern makes the bake list all folders of the project, with those of the cache."""
    project()
    write("kiln.yaml", PROJECT.replace("schemas: s.yaml", 'schemas: "s*.yaml"'))
    expected, _ = clean_bake()
    remover = subprocess.Popen(["sh", "-c", "while :; do rm -rf c/ac c/cas; done"], stderr=subprocess.DEVNULL)
    try:
        for _ in range(60):
            forget()
            run("--cache", "c")
            assert contents() == expected
    finally:
        remover.kill()
        remover.wait()


def forged_results_write_only_the_outputs():
    """Somebody who can write to the cache changes results, with correct hashes of the header."""
    project()
    expected, _ = clean_bake()
    forget()
    run("--cache", "c")
    write("victim", "untouched")
    good = {path: path.read_bytes() for path in objects("c/")}
    results = [path for path in good if path.parts[1] == "ac" and b"out/two.kiln" in good[path]]
    assert results
    for path in results:
        for name in (b"out/two.kilm", b"/etc/kiln___", b"../../victim", b"victim\0xxxxx"[:12], b"data/two/b.y"):
            assert len(name) == 12
            forged = reseal(good[path].replace(b"out/two.kiln", name))
            path.write_bytes(forged)
            forget()
            run("--cache", "c")
            assert contents() == expected and pathlib.Path("victim").read_text(encoding="utf-8") == "untouched"
            assert not os.path.exists("out/two.kilm")
            path.write_bytes(good[path])


def reseal(data):
    """Needs XXH3; without it the object is only damaged, which is tested as well."""
    try:
        import xxhash
    except ImportError:
        return data
    body = data[56:]
    digest = xxhash.xxh3_128_intdigest(body)
    return data[:32] + struct.pack("<QQQ", len(body), digest & (1 << 64) - 1, digest >> 64) + body


def memory_of(*words):
    """Runs kiln-bake; returns the KiB of memory that it needed."""
    probe = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=2, stderr=subprocess.DEVNULL); " \
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    env = environment()
    # Memory that malloc fills is used.
    env.pop("MALLOC_PERTURB_", None)
    return int(subprocess.run([sys.executable, "-c", probe, BAKE, *words], capture_output=True, text=True, check=True, env=env).stdout)


def large_outputs_need_little_memory():
    """Stored, found near or far, and copied to the nearer cache; with the payload plain and in frames."""
    for form in ("align: 65536", "frames: 1048576"):
        forget()
        shutil.rmtree("shared", ignore_errors=True)
        os.mkdir("shared")
        write("s.yaml", f"kiln: 1\ntypes: {{T: {{struct: {{p: {{type: payload, {form}}}}}, asset: true}}}}\n")
        write("a.yaml", "T: {a: {p: !file a.bin}}\n")
        write("kiln.yaml", "kiln: 1\nschemas: s.yaml\nbundles: {one: {sources: a.yaml, output: one.kiln}}\n")
        with open("a.bin", "wb") as stream:
            # Not compressible, so that frames are large, too.
            stream.write(random.Random(form).randbytes(1 << 20) * 20)
        used = {}
        shared = ("--cache-shared", "shared", "--cache-wait", "50000")
        for name, words in (("cold", shared), ("far", ("--cache", "near", *shared)), ("near", ("--cache", "near"))):
            used[name] = memory_of("-q", *words)
            data = pathlib.Path("one.kiln").read_bytes()
            assert name == "cold" or data == expected, name
            expected = data
            os.unlink("one.kiln")
            shutil.rmtree(".kiln")
        # The local cache also has the verdict of the verifier and, unless it was built just now, the identity of the program.
        assert len(objects("near")) in (5, 6) and len(objects("shared")) == 4
        used["verify"] = memory_of("cache", "verify", "-q", "--cache", "near")
        print(f"# memory in KiB, {form}: {used}")
        # A sanitizer needs far more memory.
        assert max(used.values()) < 24 << 10 or memory_of("--version") > 12 << 10, used
        shutil.rmtree("near")


CASES = [
    a_second_bake_comes_from_the_cache,
    earlier_contents_are_found_again,
    another_folder_shares_the_cache,
    each_option_has_its_own_results,
    messages_come_from_the_cache,
    importers_and_their_files_are_inputs,
    caches_are_asked_from_near_to_far_and_written_through,
    everybody_who_may_use_a_shared_folder_may_use_its_objects,
    a_read_only_run_writes_no_shared_cache,
    settings_come_from_options_environment_and_project,
    bakes_without_a_project_use_caches,
    mistakes_are_usage_errors,
    a_damaged_object_is_a_warning_and_is_repaired,
    an_object_of_another_key_is_damaged,
    broken_folders_are_one_warning,
    a_folder_that_cannot_be_written_is_still_read,
    a_full_disk_is_one_warning,
    totals_gc_and_verify,
    an_object_larger_than_any_that_is_stored_is_damaged,
    the_size_is_bounded,
    old_temporary_files_are_removed,
    bakes_and_gc_at_once_give_the_same_bytes,
    a_cache_below_a_pattern_can_be_removed_during_bakes,
    forged_results_write_only_the_outputs,
    large_outputs_need_little_memory,
]


def main():
    failed = 0
    os.environ.pop("NO_COLOR", None)
    for number, case in enumerate(CASES, 1):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                case()
                print(f"ok {number} - {case.__name__}")
            except (AssertionError, OSError) as error:
                failed += 1
                print(f"not ok {number} - {case.__name__}")
                print("# " + f"{type(error).__name__}: {error}".replace("\n", "\n# "))
            os.chdir("/")
    print(f"1..{len(CASES)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
