#!/usr/bin/env python3
"""Proves bakes: prove.py KILN_BAKE SAMPLES

Bakes with importers that depend on one condition each, and expects that the report names the asset, the field and the condition.
Prints TAP.
"""
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

BAKE, SAMPLES = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
SCHEMA = """kiln: 1
types:
  Kind: {enum: [a, b]}
  Part: {struct: {text: {type: string, default: ""}, size: {type: u32, default: 0}}}
  T: {struct: {n: {type: u32, default: 0}, s: {type: string, default: ""}, list: "Part[]", more: "map<string, u32>", other: "ref<T>?"}, asset: true}
importers: {tool: {command: [sh, ./tool], output: yaml}}
files: [{match: "*.x", import: tool, shape: kinds}]
"""
SAME = "1 file is the same under 13 conditions\n"


def write(path, text):
    path = os.fsencode(path)
    os.makedirs(os.path.dirname(path) or b".", exist_ok=True)
    with open(path, "wb") as stream:
        stream.write(text.encode())


def prove(*words, code=0, **options):
    """Returns what prove prints, and checks that it leaves nothing."""
    os.makedirs("scratch", exist_ok=True)
    environment = dict(os.environ, TMPDIR=os.path.abspath("scratch"), **options.pop("variables", {}))
    options.setdefault("stdin", subprocess.DEVNULL)
    done = subprocess.run([BAKE, "prove", *words], capture_output=True, check=False, env=environment, **options)
    out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    assert done.returncode == code, (words, done.returncode, out, err)
    assert not os.listdir("scratch"), os.listdir("scratch")
    return out, err


def tool(value, field="s"):
    """An importer that makes an asset with this value."""
    write("s.yaml", SCHEMA)
    write("a.x", "")
    write("tool", f'cat <<END\nT: {{a: {{{field}: {value}}}}}\nEND\n')


def differences(*words):
    out, err = prove("-s", "s.yaml", "a.x", *words, code=1)
    assert not err, err
    *lines, last = out.splitlines()
    assert last == f"{len(lines)} difference{'s' if len(lines) != 1 else ''}", out
    return [re.sub(r"\b\d{2,}\b", "N", line) for line in lines]


def check(found, *expected):
    assert list(found) == list(expected), found


def a_bake_without_importers_is_the_same():
    write("s.yaml", SCHEMA)
    write("d/a.yaml", "T: {a: {n: 1, s: x, list: [{text: y}], more: {k: 2}, other: b}, b: {}}\n")
    write("d/b.yaml", "T: {c: {other: a}}\n")
    check(prove("-s", "s.yaml", "d"), SAME, "")
    check(prove("-s", "s.yaml", "-q", "d"), "", "")
    check(prove("-s", "s.yaml", "--no-types", "--no-share", "--compress", "3", "-C", "d", "."), SAME, "")
    out, err = prove("-v", "-s", "s.yaml", "d")
    assert out == SAME and len(err.splitlines()) == 13 and "baking with two threads\n" in err, err
    assert sorted(os.listdir()) == ["d", "s.yaml", "scratch"], os.listdir()


def a_process_id_differs_in_a_repeated_run():
    tool("$$", "n")
    check(differences(), "output: T/a.n: N, but N in a repeated run")


def the_date_differs_in_one_of_the_time_zones():
    tool("'$(date +%d)'")
    lines = differences()
    assert len(lines) == 1 and "in a time zone " in lines[0] and "T/a.s" in lines[0], lines


def each_condition_is_named():
    write("s.yaml", SCHEMA)
    write("a.x", "")
    write("tool", """cat <<END
T:
  zone: {s: $(date +%Z)}
  locale: {s: x${LC_ALL}y}
  seeds: {s: ${PYTHONHASHSEED:-none} ${PERL_HASH_SEED:-none}}
  umask: {s: "$(umask)"}
  address: {n: $(( ${#KILN_PROVE_PADDING} > 0 ))}
  all: {s: "$(test -n "$LC_ALL" && test -n "$TZ" && echo both)"}
  none: {n: 1}
END
""")
    check(differences(),
          'output: T/locale.s: "xy", but "xCy" in the locale C',
          'output: T/zone.s: "UTC", but "KILN" in a time zone west of UTC (TZ=KILN+N)',
          "output: T/address.n: 0, but 1 with another address layout",
          'output: T/seeds.s: "none none", but "N N" with other hash seeds',
          'output: T/umask.s: "N", but "N" with another umask',
          'output: T/all.s: "", but "both" with all changes at once')


def values_are_shown_with_their_paths():
    tool("[{text: 'x$TZ'}], more: {k: ${TZ:+1}0}, other: ${TZ:+a}", "list")
    where = " in a time zone west of UTC (TZ=KILN+N)"
    check(differences(), 'output: T/a.list[0].text: "x", but "xKILN+N"' + where, 'output: T/a.more["k"]: 0, but N' + where,
          "output: T/a.other: null, but T/a" + where)


def an_asset_that_is_missing_or_added_is_named():
    tool("1}, b${TZ#KILN}: {n: 1", "n")
    write("tool", 'test -z "$TZ" && b=", b: {}" || b=", c: {}"; test "$LC_ALL" && b="$b, d: {}"; echo "T: {a: {}$b}"\n')
    check(differences(),
          "output: T/d: the asset is added in the locale C",
          "output: T/b: the asset is missing in a time zone west of UTC (TZ=KILN+N)",
          "output: T/c: the asset is added in a time zone west of UTC (TZ=KILN+N)")


def without_types_the_asset_is_named():
    tool("$$", "n")
    check(differences("--no-types"), "output: T/a: byte 0 of the payload differs in a repeated run")


def warnings_are_compared():
    tool("1", "n")
    write("s.yaml", SCHEMA.replace("n: {type: u32,", "n: {type: u32, deprecated: true,"))
    write("tool", 'test -z "$TZ" || echo; echo "T: {a: {n: 1}}"\n')
    out, err = prove("-s", "s.yaml", "a.x", code=1)
    assert out.startswith("messages: line 1 differs in a time zone west of UTC") and not err, (out, err)


def a_bake_that_fails_prints_its_messages():
    write("s.yaml", SCHEMA)
    write("a.yaml", "T: {a: {n: x}}\n")
    out, err = prove("-s", "s.yaml", "a.yaml", code=1)
    assert not out and err.startswith("a.yaml:1:12: error: T/a.n:") and err.endswith("1 error\n"), err
    out, err = prove("-s", "s.yaml", "missing.yaml", code=2)
    assert not out and err == "kiln-bake: cannot read missing.yaml: No such file or directory\n", err


def a_bake_that_fails_under_a_condition_is_reported():
    tool("1", "n")
    write("tool", 'test "$LC_ALL" = C && echo no >&2 && exit 1; echo "T: {a: {}}"\n')
    out, err = prove("-s", "s.yaml", "a.x", code=1)
    assert out == "kiln-bake: the bake fails in the locale C\n1 difference\n", out
    assert err.startswith('a.x: error: the importer "tool" exited with code 1') and "it printed: no" in err, err


def differences_beyond_the_limit_are_counted():
    write("s.yaml", SCHEMA)
    write("a.x", "")
    write("tool", 'echo "T:"; for i in 1 2 3 4 5; do echo "  a$i: {n: $$}"; done\n')
    out, err = prove("-s", "s.yaml", "--max-errors", "2", "a.x", code=1)
    assert re.fullmatch(r"(output: T/a\d\.n: \d+, but \d+ in a repeated run\n){2}3 more differences\n5 differences\n", out), out
    assert not err, err


def a_project_is_proved_without_touching_its_outputs():
    tool("$$", "n")
    write("good.yaml", "T: {b: {other: a}}\n")
    write("out/one.kiln", "old")
    write("kiln.yaml", """kiln: 1
schemas: s.yaml
bundles:
  two: {sources: good.yaml, output: out/two.kiln, externs: [one]}
  one: {sources: a.x, output: out/one.kiln, source_map: out/one.map}
headers: {out/t.h: }
""")
    out, err = prove(code=1)
    assert re.fullmatch(r"out/one\.kiln: T/a\.n: \d+, but \d+ in a repeated run\n"
                        r"out/one\.map: line \d+ differs in a repeated run\n2 differences\n", out) and not err, (out, err)
    write("tool", "echo 'T: {a: {}}'\n")
    check(prove(), "4 files are the same under 13 conditions\n", "")
    check(prove("two"), "3 files are the same under 13 conditions\n", "")
    check(prove("-C", "../" + os.path.basename(os.getcwd()), "one"), "2 files are the same under 13 conditions\n", "")
    assert pathlib.Path("out/one.kiln").read_text(encoding="utf-8") == "old"
    assert sorted(os.listdir()) == ["a.x", "good.yaml", "kiln.yaml", "out", "s.yaml", "scratch", "tool"], os.listdir()
    assert os.listdir("out") == ["one.kiln"], os.listdir("out")
    out, err = prove("three", code=2)
    assert "three" in err, err


def words_of_the_command_line_can_contain_anything():
    write("s.yaml", SCHEMA)
    names = ("a b", "it's", 'a "b"', "a\\b", "a\nb", "@a", "-a", "--", "é", "$(a)", "prove", " ", "#a")
    for number, name in enumerate(names):
        write(f"{name}.d/a.yaml", f"T: {{a{number}: {{}}}}\n")
    check(prove("-s", "s.yaml", "--", *[f"{name}.d" for name in names]), SAME, "")
    write("words", "-s s.yaml 'it'\"'\"'s.d' --no-types\n")
    check(prove("@words"), SAME, "")


def many_words_are_passed_on():
    write("s.yaml", SCHEMA)
    words = []
    # More than two megabytes, which a system may refuse as a command line.
    for i in range(700):
        words.append(f"{'./' * 1600}{i}.yaml")
        write(words[-1], "")
    write("words", "\n".join(words))
    check(prove("-q", "-s", "s.yaml", "@words"), "", "")


def usage_errors_take_one_line():
    write("s.yaml", SCHEMA)
    os.mkfifo("pipe.yaml")
    for words, expected in (
            (["-s", "s.yaml", "-"], "cannot read standard input: prove reads each input several times"),
            (["-s", "s.yaml", "pipe.yaml"], "cannot read pipe.yaml: prove reads each input several times"),
            (["-s", "pipe.yaml", "s.yaml"], "cannot read pipe.yaml: "),
            (["-s", "s.yaml", "-j", "2", "s.yaml"], "prove does not accept -j, because it bakes with several numbers of threads"),
            (["-s", "s.yaml", "-o", "x", "s.yaml"], "prove does not accept -o"),
            (["-s", "s.yaml", "--source-map", "x", "s.yaml"], "prove does not accept --source-map"),
            (["-s", "s.yaml", "--diagnostics=json", "s.yaml"], "prove does not accept --diagnostics"),
            (["-s", "s.yaml"], "no inputs given"),
            (["s.yaml"], "no schema given"),
            (["--profile", "x"], "kiln.yaml")):
        out, err = prove(*words, code=2)
        assert not out and err.startswith("kiln-bake: ") and expected in err and err.count("\n") == 1, (words, out, err)
    for command in ("build", "check", "header"):
        done = subprocess.run([BAKE, command, "--prove-into", "x"], capture_output=True, check=False, text=True)
        assert done.returncode == 2 and f"{command} does not accept --prove-into" in done.stderr, done.stderr
    done = subprocess.run([BAKE, "provee"], capture_output=True, check=False, text=True)
    assert "did you mean prove?" in done.stderr, done.stderr
    done = subprocess.run([BAKE, "--help"], capture_output=True, check=False, text=True)
    assert "prove [options]" in done.stdout and "--prove-into" not in done.stdout, done.stdout


def failures_of_the_system_are_reported():
    write("s.yaml", SCHEMA)
    write("a.yaml", "T: {" + ", ".join(f"a{i}: {{s: {'x' * 50}}}" for i in range(2000)) + "}\n")
    environment = dict(os.environ, TMPDIR="/nothing/here")
    done = subprocess.run([BAKE, "prove", "-s", "s.yaml", "a.yaml"], capture_output=True, check=False, text=True, env=environment)
    assert done.returncode == 2 and done.stderr == "kiln-bake: cannot create a temporary folder: No such file or directory\n", done
    out, err = prove("-s", "s.yaml", "a.yaml", code=2, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)))
    assert not out and "File too large" in err and err.count("\n") == 1, err
    with open("/dev/full", "wb") as full:
        done = subprocess.run([BAKE, "prove", "-s", "s.yaml", "a.yaml"], stdout=full, stderr=subprocess.PIPE, check=False, text=True)
    assert done.returncode == 2 and "cannot write standard output: No space left" in done.stderr, done


def the_sample_is_proved():
    check(prove("-C", f"{SAMPLES}/game"), "2 files are the same under 13 conditions\n", "")


CASES = [value for value in list(globals().values()) if callable(value) and getattr(value, "__module__", "") == "__main__"
         and value not in (write, prove, tool, differences, check)]


def main():
    failed = 0
    for name in ("TZ", "LC_ALL", "LANG", "PYTHONHASHSEED", "PERL_HASH_SEED", "MAKEFLAGS", "NO_COLOR"):
        os.environ.pop(name, None)
    os.umask(0o022)
    for number, case in enumerate(CASES, 1):
        home = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                case()
                print(f"ok {number} - {case.__name__}")
            except (AssertionError, OSError, ValueError, KeyError, IndexError) as error:
                failed += 1
                print(f"not ok {number} - {case.__name__}")
                print("\n".join(f"# {line}" for line in f"{type(error).__name__}: {error}"[:2000].splitlines()))
            os.chdir(home)
    print(f"1..{len(CASES)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
