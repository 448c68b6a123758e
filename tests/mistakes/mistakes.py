"""Random mistakes in valid input are reported as errors: mistakes.py BAKE_LOOP KILN_BAKE PACK_CORPUS SOURCE_ROOT [SEED [COUNT
[FIRST]]]

Takes valid data (the samples, the golden and round-trip files, the examples of SCHEMA.md, the fuzzers' data) and the inputs of
tests/broken. Makes one or more mistakes at random positions of schemas and data, and bakes each case. A case must exit with 1,
an error with a location and no output, or with 0 and a readable file. Any other result, including a crash, is a failure.

Case N of a seed does not depend on COUNT. FIRST is the number of the first case (0 by default). KEEP=FOLDER in the environment
keeps the files of failing cases.
"""
import io
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```\w+ (?:(schema|data|same|wrong)\b)?([^\n]*)\n(.*?)^```$", re.M | re.S)
PLACE = re.compile(rb"^[^\n]*:\d+:\d+: error: ", re.M)
TOKEN = re.compile(rb"[A-Za-z_][A-Za-z0-9_.]*|\d[0-9A-Za-z_.]*|\"[^\"\n]*\"|'[^'\n]*'|[\[\]{},:&*!?|>#-]")
WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
VALUE = re.compile(rb"(?<=: )[^\s,{}\[\]#][^,{}\[\]#\n]*|(?<=- )[^\s,{}\[\]#][^,{}\[\]#\n]*|(?<=[\[,] )[^\s,{}\[\]#:][^,{}\[\]#\n:]*")
SCHEMA_WORDS = (
    b"default: 1", b"default: {}", b"default: [*a]", b"default: *a", b"range: [3, 2]", b"range: [0, 1]", b"was: x", b"required: true",
    b"single: true", b"rest: true", b"hex: true", b"inherit: merge", b"inherit: true", b"inherit: never", b"unit: ms", b"local: id",
    b"local_by: id", b"file_by: guid", b"beside: x", b"state_of: x", b"deprecated: true", b"asset: true", b"component: true",
    b"component: row", b"by: tag", b"by: {key: type}", b"tuple: true", b"colour: true", b"short: path", b"case: any", b"prefix: x",
    b"literal: true", b"entity: true", b"none: x", b"kind: x", b"id: name", b"align: 64", b"base: i8", b"path: resources",
    b"accepted: {Item: [x]}", b"include: [nowhere.yaml]", b"shape: map", b"shape: list", b"shape: one", b"shape: kinds",
    b"shape: scene", b"shape: prefabs", b"shape: objects", b"shape: guids", b"patch: true", b"paths: true", b"parent: X.y",
    b"match: \"*\"", b"type: u8", b"type: string", b"type: \"string[]\"", b"type: \"map<string, u8>\"", b"type: ref", b"type: \"u8?\"")
TYPES = (b"u8", b"i64", b"f32", b"bool", b"string", b"bytes", b"ref", b"entity", b'"u8[3]"', b'"string[]"', b'"map<string, u8>"',
         b'"ref<Item>?"', b'"data<string>"', b'"f32[2]?"', b'"X[]"', b'"map<f32, bytes@64>"', b"bytes@3", b'"u8[0]"', b'"u8[4294967296]"')
VALUES = (b"[]", b"{}", b"-1", b"1e999", b"18446744073709551616", b"null", b"~", b"", b".nan", b"0x", b'""', b"true", b"x", b"nobody",
          b"[[]]", b"[1, 2, 3, 4]", b"{a: 1}", b"{a: {b: [c]}}", b'"\\0"', b"Item/none", b"!file none.bin", b"!import:x y", b"-", b"?",
          b"&a x", b"<<", b"*a", b"9" * 50, b"x" * 300, b"{<<: *a}", b"[*a, *b]", b"a.b[3].c", b"#fff", b'"#ff"', b"1,2,3", b"3deg", b"!!str x")
TAGS = (b"!bad ", b"!!int ", b"!!map ", b"!!seq ", b"!!binary ", b"!!null ", b"!type:x ", b"!type: ", b"!file ", b"!import:x ", b"! ",
        b"!<tag:x,1:y> ", b"!u!1 ", b"!!str ")
BYTES = (b"\0", b"\t", b"\xff", b"\xc3", b"\xe2\x80\xa8", b"\r", b"\x1b", b"%", b"@", b"`", b"\xef\xbb\xbf")


# ---- mistakes: each takes a text and returns a changed one, or None if it does not apply ----


def replaced(text, span, by):
    return text[:span[0]] + by + text[span[1]:]


def some(random_, pattern, text):
    found = [match.span() for match in pattern.finditer(text)]
    return random_.choice(found) if found else None


def at_value(random_, text, make):
    span = some(random_, VALUE, text)
    return span and replaced(text, span, make(text[span[0]:span[1]]))


def undefined_alias(r, text, pool):
    return at_value(r, text, lambda old: b"*" + r.choice((b"a", b"nobody", b"x1")))


def alias(r, text, pool):
    """Puts an anchor at one value and an alias at another, which may be before or inside it."""
    spans = [match.span() for match in VALUE.finditer(text)]
    if len(spans) < 2:
        return None
    one, other = r.sample(spans, 2)
    late, early = max(one, other), min(one, other)
    first, second = (b"&a " + text[early[0]:early[1]], b"*a") if r.random() < 0.8 else (b"*a", b"&a " + text[late[0]:late[1]])
    return replaced(replaced(text, late, second), early, first)


def anchored_collection(r, text, pool):
    spans = [match.span() for match in re.finditer(rb"[{\[]", text)]
    if not spans:
        return None
    at = r.choice(spans)[0]
    text = text[:at] + b"&a " + text[at:]
    return at_value(r, text, lambda old: b"*a")


def misspelt(r, text, pool):
    span = some(r, WORD, text)
    if not span:
        return None
    word = bytearray(text[span[0]:span[1]])
    at = r.randrange(len(word))
    what = r.randrange(4)
    if what == 0 and len(word) > 1:
        del word[at]
    elif what == 1:
        word.insert(at, r.choice(b"abcxyz_19"))
    elif what == 2 and at + 1 < len(word):
        word[at], word[at + 1] = word[at + 1], word[at]
    else:
        word[at] = r.choice(b"abcxyzAZ_9")
    return replaced(text, span, bytes(word))


def wrong_value(r, text, pool):
    return at_value(r, text, lambda old: r.choice(VALUES))


def other_value(r, text, pool):
    return at_value(r, text, lambda old: r.choice(pool))


def wrapped_value(r, text, pool):
    return at_value(r, text, lambda old: r.choice((b"[%s]", b"{a: %s}", b"[%s, *a]", b"{%s: *a}", b"{*a : %s}", b"[%s, %s]")).replace(b"%s", old))


def bad_tag(r, text, pool):
    return at_value(r, text, lambda old: r.choice(TAGS) + old)


def lines_of(text):
    return text.splitlines(keepends=True)


def some_lines(r, lines):
    first = r.randrange(len(lines))
    return first, min(len(lines), first + r.choice((1, 1, 1, 2, 5)))


def lines_doubled(r, text, pool):
    lines = lines_of(text)
    first, last = some_lines(r, lines)
    at = r.choice((last, r.randrange(len(lines) + 1)))
    return b"".join(lines[:at] + lines[first:last] + lines[at:])


def entry_doubled(r, text, pool):
    span = some(r, re.compile(rb"[A-Za-z_]+: [^,{}\[\]\n]+(?=[,}])"), text)
    return span and replaced(text, span, text[span[0]:span[1]] + b", " + text[span[0]:span[1]])


def line_deleted(r, text, pool):
    lines = lines_of(text)
    first, last = some_lines(r, lines)
    del lines[first:last]
    return b"".join(lines)


def lines_swapped(r, text, pool):
    lines = lines_of(text)
    one, other = r.randrange(len(lines)), r.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


def indented(r, text, pool):
    lines = lines_of(text)
    first, last = some_lines(r, lines)
    by = r.choice((-4, -2, -1, 1, 2, 4))
    for at in range(first, last):
        line = lines[at]
        lines[at] = b" " * by + line if by > 0 else line[min(-by, len(line) - len(line.lstrip(b" "))):]
    return b"".join(lines)


def punctuation_removed(r, text, pool):
    span = some(r, re.compile(rb"[\"'\[\]{},:&*!-]"), text)
    return span and replaced(text, span, b"")


def punctuation_inserted(r, text, pool):
    at = r.randrange(len(text) + 1)
    return text[:at] + r.choice((b'"', b"'", b"[", b"]", b"{", b"}", b", ", b": ", b"- ", b"&a ", b"*a ", b"!x ", b"#", b" ", b"\n", b"| ", b"? ",
                                 b"<<: *a, ", b"---\n", b"...\n", b"%TAG ! tag:x:\n")) + text[at:]


def tokens_swapped(r, text, pool):
    spans = [match.span() for match in TOKEN.finditer(text)]
    if len(spans) < 2:
        return None
    at = r.randrange(len(spans) - 1)
    one, other = sorted((spans[at], spans[at + 1] if r.random() < 0.5 else r.choice(spans)))
    if one[1] > other[0]:
        return None
    return replaced(replaced(text, other, text[one[0]:one[1]]), one, text[other[0]:other[1]])


def token_deleted(r, text, pool):
    span = some(r, TOKEN, text)
    return span and replaced(text, span, b"")


def token_replaced(r, text, pool):
    span = some(r, TOKEN, text)
    return span and replaced(text, span, r.choice(pool))


def junk_attribute(r, text, pool):
    """Inserts an attribute of the schema language among other attributes."""
    span = some(r, re.compile(rb"(?<=[{,] )(?=[A-Za-z_]+: )|(?<=\{)(?=[A-Za-z_]+: )"), text)
    return span and replaced(text, span, r.choice(SCHEMA_WORDS) + b", ")


def type_replaced(r, text, pool):
    return at_value(r, text, lambda old: r.choice(TYPES))


def value_as_type(r, text, pool):
    return at_value(r, text, lambda old: b"{type: " + old + b", " + r.choice(SCHEMA_WORDS) + b"}")


def junk_line(r, text, pool):
    lines = lines_of(text)
    at = r.randrange(len(lines) + 1)
    near = lines[min(at, len(lines) - 1)]
    indent = near[:len(near) - len(near.lstrip(b" "))]
    line = r.choice((r.choice(SCHEMA_WORDS), b"<<: *a", b"- *a", b"x: *a", b"junk", r.choice(pool) + b": " + r.choice(pool)))
    return b"".join(lines[:at]) + indent + line + b"\n" + b"".join(lines[at:])


def cut(r, text, pool):
    return text[:r.randrange(len(text) + 1)]


def bad_byte(r, text, pool):
    at = r.randrange(len(text) + 1)
    return text[:at] + r.choice(BYTES) + text[at:]


def part_moved(r, text, pool):
    one, other, to = sorted(r.randrange(len(text) + 1) for _ in range(3))
    return text[:one] + text[other:to] + text[one:other] + text[to:]


MISTAKES = (
    (undefined_alias, 12), (alias, 3), (anchored_collection, 2), (misspelt, 8), (wrong_value, 8), (other_value, 8), (wrapped_value, 3),
    (bad_tag, 4), (lines_doubled, 3), (entry_doubled, 2), (line_deleted, 4), (lines_swapped, 2), (indented, 4), (punctuation_removed, 4),
    (punctuation_inserted, 4), (tokens_swapped, 5), (token_deleted, 4), (token_replaced, 6), (junk_attribute, 6), (type_replaced, 5),
    (value_as_type, 3), (junk_line, 4), (cut, 1), (bad_byte, 2), (part_moved, 1))
MAKERS = [maker for maker, _ in MISTAKES]
WEIGHTS = [weight for _, weight in MISTAKES]


# ---- inputs ----


class Set:
    """Files by name, and the arguments for baking them. The files in `kept` are not changed."""

    def __init__(self, name, files, schema, inputs, more=(), kept=()):
        self.name, self.files, self.schema, self.inputs, self.more, self.kept = name, files, schema, inputs, list(more), set(kept)

    def arguments(self, folder, output):
        words = ["-C", folder, "-s", os.path.join(folder, self.schema), *self.more, "-o", output, *self.inputs]
        return words if "importers" in self.name else ["--no-importers", *words]


def read(path):
    with open(path, "rb") as stream:
        return stream.read()


def below(root, folder, *names):
    files = {}
    for at, _, found in os.walk(os.path.join(root, folder)):
        for name in found:
            if name.endswith((".yaml", ".json", ".txt", ".bin")) and (not names or name in names):
                path = os.path.join(at, name)
                files[os.path.relpath(path, os.path.join(root, folder))] = read(path)
    return files


def sample_sets(root, bake, work):
    def file(path):
        return read(os.path.join(root, path))

    first = "samples/first/"
    yield Set("first", {"s.yaml": file(first + "spell.schema.yaml"), "spells.yaml": file(first + "spells.yaml")}, "s.yaml", ["spells.yaml"])
    game = {"data/" + name: text for name, text in below(root, "samples/game/data").items()}
    schemas = {name: file("samples/game/" + name) for name in ("game.schema.yaml", "shapes.schema.yaml")}
    yield Set("game", {**game, **schemas}, "game.schema.yaml", sorted(game))
    game_kiln = os.path.join(work, "game.kiln")
    subprocess.run([bake, "--quiet", "-C", os.path.join(root, "samples/game/data"), "-s", os.path.join(root, "samples/game/game.schema.yaml"),
                    "-o", game_kiln, "."], check=True)
    village = below(root, "samples/village/scenes")
    yield Set("village", {**village, "village.schema.yaml": file("samples/village/village.schema.yaml")}, "village.schema.yaml",
              sorted(village), ["-x", game_kiln])
    for more in ("", "_forms"):
        schemas = {name: file("tests/cli/" + name) for name in os.listdir(os.path.join(root, "tests/cli")) if name.endswith(".schema.yaml")}
        yield Set("round trip" + more, {**schemas, "d.yaml": file(f"tests/cli/round_trip{more}.yaml")}, f"round_trip{more}.schema.yaml", ["d.yaml"])


def example_sets(root):
    """The examples of baker/SCHEMA.md, see check_schema.py."""
    text = read(os.path.join(root, "baker", "SCHEMA.md")).decode()
    schema, files = None, {}
    for number, match in enumerate(FENCE.finditer(text)):
        word, names, body = match.groups()
        names = names.split() or ["data.yaml"]
        if word == "schema":
            files = {}
            schema = ("" if body.startswith("kiln:") else "kiln: 1\n") + body
            continue
        files[names[0]] = body.encode()
        if schema and word in ("data", "same") and "importers:" not in schema:
            yield Set(f"example {number}", {**files, "s.schema.yaml": schema.encode()}, "s.schema.yaml", names)


def corpus(pack_corpus, root, name, work):
    """The inputs of a fuzz harness."""
    folder = os.path.join(work, "corpus-" + name)
    subprocess.run([pack_corpus, "unpack", os.path.join(root, f"tests/fuzz/corpus/{name}.tar.zst"), folder], check=True)
    return [read(os.path.join(folder, file)) for file in sorted(os.listdir(folder))]


def corpus_sets(pack_corpus, root, work):
    schema = read(os.path.join(root, "tests/fuzz/every_feature.schema.yaml"))
    for number, text in enumerate(corpus(pack_corpus, root, "bake", work)):
        name = "d.unity" if text.startswith(b"%TAG ") else "d.yaml"
        yield Set(f"every feature {number}", {"s.yaml": schema, name: text}, "s.yaml", [name])
    schema = read(os.path.join(root, "tests/fuzz/every_scene.schema.yaml"))
    for number, text in enumerate(corpus(pack_corpus, root, "scene", work)):
        parts = (text.split(b"\x1c", 2) + [b"", b""])[:3]
        names = ["t.yaml", "u.yaml", "p.prefabs.yaml"]
        yield Set(f"every scene {number}", {"s.schema": schema, **dict(zip(names, parts))}, "s.schema", names)
    for number, text in enumerate(corpus(pack_corpus, root, "schema", work)):
        one, _, other = text.rpartition(b"\n===\n")
        if one:
            yield Set(f"any schema {number}", {"s.yaml": one + b"\n", "d.yaml": other}, "s.yaml", ["d.yaml"])


def broken_sets(root):
    folder = os.path.join(root, "tests/broken")
    files = {name: read(os.path.join(folder, name)) for name in os.listdir(folder) if name.endswith((".yaml", ".data"))}
    for name in sorted(files):
        stem = name[:-len(".yaml")]
        if not name.endswith(".yaml") or stem.endswith(".schema") or len(files[name]) > 20000 or stem.startswith("import"):
            continue
        if stem.startswith("schema_"):
            yield Set(stem, {name: files[name], "empty.data": b""}, name, ["empty.data"])
            continue
        schema = stem + ".schema.yaml"
        if schema not in files:
            schema = "scenes.schema.yaml" if stem.startswith("scene_") else "data.schema.yaml"
        inputs = [name] + [stem + ".data"] * (stem + ".data" in files)
        chosen = {each: files[each] for each in [schema, *inputs]}
        if b"importers:" not in chosen[schema]:
            yield Set(stem, chosen, schema, inputs)


def importer_sets():
    """The output of an importer is ordinary YAML, or any bytes. Its command is not changed."""
    schema = (b"kiln: 1\ntypes:\n  Icon: {struct: {name: string, next: \"ref<Icon>?\", raw: {type: bytes, default: \"\"}}, asset: true}\n"
              b"importers:\n  same: {command: [cat], output: yaml}\n  raw: {command: [cat], output: bytes}\n"
              b"files:\n  - {match: \"*.txt\", import: same, shape: map, type: Icon}\n")
    yield Set("importers", {"s.yaml": schema, "a.txt": b"one: {name: a, next: two}\ntwo: {name: b}\n", "b.bin": b"abc",
                            "d.yaml": b"Icon: {c: {name: c, raw: !import:raw b.bin}, d: {name: d, next: *x}}\n"}, "s.yaml",
              ["a.txt", "d.yaml"], kept=["s.yaml"])


# ---- cases ----


class Loop:
    """The process that bakes; it is restarted after a crash."""

    def __init__(self, program):
        self.program, self.process = program, None

    def bake(self, words):
        if not self.process:
            self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process.stdin.write("".join(word + "\x1f" for word in words).encode() + b"\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if not answer:
            code = self.process.wait()
            self.process = None
            return f"a crash ({code})", b""
        return int(answer[0]), self.process.stdout.read(int(answer[1]))

    def end(self):
        """The exit status; leaks make it nonzero."""
        if not self.process:
            return 0
        self.process.stdin.close()
        return self.process.wait()


def materialize(folder, files):
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as stream:
            stream.write(text)


def judge(code, said, output):
    if code == 1 and os.path.exists(output):
        return "exit code 1, but an output exists"
    if code == 1 and not PLACE.search(said):
        return "exit code 1 without an error with a location"
    return None if code in (0, 1) else f"exit code {code}"


def prepare(sets, folder, loop):
    """Writes the sets. Drops generated sets that do not bake. Exits if a set fails with a code other than 1."""
    good = []
    for number, each in enumerate(sets):
        each.folder = os.path.join(folder, str(number))
        materialize(each.folder, each.files)
        output = os.path.join(folder, "out.kiln")
        code, said = loop.bake([output, *each.arguments(each.folder, output)])
        each.is_valid = code == 0
        if code == 0:
            os.remove(output)
        if code not in (0, 1):
            raise SystemExit(f"{each.name}: {judge(code, said, output)} without a change\n{said.decode(errors='replace')}")
        if code == 0 or not each.name.startswith(("every", "any")):
            each.changed = [name for name in each.files if name not in each.kept and each.files[name]]
            each.pool = [token for name in each.changed for token in TOKEN.findall(each.files[name])] or [b"x"]
            good.append(each)
        else:
            shutil.rmtree(each.folder)
    return good


def run_case(each, r, folder, loop):
    """Returns what is wrong (or None), the exit code, the messages and the changed files."""
    changed = {}
    for _ in range(r.choice((1, 1, 1, 1, 2, 2, 3, 5))):
        name = each.schema if r.random() < 0.4 and each.schema in each.changed else r.choice(each.changed)
        text = changed.get(name, each.files[name])
        made = text and r.choices(MAKERS, WEIGHTS)[0](r, text, each.pool)
        if made is not None and made != b"":
            changed[name] = made
    materialize(each.folder, changed)
    output = os.path.join(folder, "out.kiln")
    code, said = loop.bake([output, *each.arguments(each.folder, output)])
    wrong = judge(code, said, output)
    if code in (0, 99) and os.path.exists(output):
        os.remove(output)
    return wrong, code, said, changed


def keep(each, seed, number, changed):
    folder = os.environ.get("KEEP")
    if not folder:
        return
    folder = os.path.join(folder, f"{seed}-{number}")
    materialize(folder, {**each.files, **changed})
    with open(os.path.join(folder, "command"), "w", encoding="utf-8") as stream:
        stream.write("kiln-bake " + " ".join(each.arguments(folder, os.path.join(folder, "out.kiln"))) + "\n")


def main():
    loop = Loop(os.path.abspath(sys.argv[1]))
    bake, pack_corpus, root = (os.path.abspath(word) for word in sys.argv[2:5])
    seed, count, first = (int(word) for word in (sys.argv[5:] + ["1", "2000", "0"][len(sys.argv) - 5:]))
    print(f"seed {seed}, {count} cases from {first}")
    wrong, codes = 0, {}
    with tempfile.TemporaryDirectory() as work:
        groups = [[*sample_sets(root, bake, work)], [*example_sets(root)], [*corpus_sets(pack_corpus, root, work)], [*broken_sets(root)], [*importer_sets()]]
        numbered = prepare([each for group in groups for each in group], os.path.join(work, "sets"), loop)
        groups = [[each for each in group if each in numbered] for group in groups]
        print(", ".join(f"{len(group)} {name}" for group, name in zip(groups, ("samples", "examples", "fuzz inputs", "broken", "importers"))))
        if not all(groups):
            raise SystemExit("no input to change")
        for number in range(first, first + count):
            r = random.Random(seed * 1000003 + number)
            each = r.choice(r.choices(groups, (3, 3, 3, 2, 0.1))[0])
            said_wrong, code, said, changed = run_case(each, r, work, loop)
            codes[code] = codes.get(code, 0) + 1
            if said_wrong:
                wrong += 1
                keep(each, seed, number, changed)
                if wrong <= 20:
                    print(f"seed {seed} case {number} ({each.name}): {said_wrong}\n{said[-1500:].decode(errors='replace')}", file=sys.stderr)
            materialize(each.folder, {name: each.files[name] for name in changed})
        leaked = loop.end()
    print(", ".join(f"{codes[code]} times {code}" for code in sorted(codes, key=str)))
    if leaked:
        print(f"the loop exited with {leaked}", file=sys.stderr)
    print(f"{count} cases, {wrong} wrong")
    return 1 if wrong or leaked or not codes.get(0) or not codes.get(1) else 0


if __name__ == "__main__":
    sys.exit(main())
