"""Compares the documents that a JSON Schema from kiln-bake accepts with those that kiln-bake accepts.

Usage: json_schema.py KILN_BAKE [SEED [COUNT]]

For each construct there is a table of accepted and refused documents. COUNT random changes of accepted documents are tested,
too. Like an editor, the reader here gives plain scalars the types of YAML's core schema. The JSON Schema must accept everything
that kiln-bake accepts. It may accept a document that kiln-bake refuses only for the reasons listed in LIMITS, which SCHEMA.md
documents.
"""

import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"1..0 # SKIP {missing.name} is not installed, so JSON Schemas are not compared with kiln-bake")
    sys.exit(0)

from json_schema_cases import CASES


class Reader(yaml.SafeLoader):
    """Reads YAML as an editor does: the core schema of YAML 1.2, keys as strings, tags ignored."""


Reader.yaml_implicit_resolvers = {}
for tag, pattern in (
    ("null", r"^(?:~|null|Null|NULL|)$"),
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$"),
    ("int", r"^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$"),
    ("float", r"^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"),
    ("merge", r"^<<$"),
):
    Reader.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile(pattern), None)


def scalar(text, tag):
    if tag.endswith(":null"):
        return None
    if tag.endswith(":bool"):
        return text.lower() == "true"
    if tag.endswith(":int"):
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        return int(text[2:], base) if base != 10 else int(text)
    if tag.endswith(":float"):
        return float(text.replace(".inf", "inf").replace(".Inf", "inf").replace(".INF", "inf").replace(".nan", "nan")
                     .replace(".NaN", "nan").replace(".NAN", "nan"))
    return text


def value_of(loader, node):
    if isinstance(node, yaml.ScalarNode):
        tag = node.tag
        if not tag.startswith("tag:yaml.org,2002:"):
            tag = loader.resolve(yaml.ScalarNode, node.value, (node.style is None, node.style is not None))
        return scalar(node.value, tag)
    if isinstance(node, yaml.SequenceNode):
        return [value_of(loader, element) for element in node.value]
    loader.flatten_mapping(node)
    return {key.value: value_of(loader, value) for key, value in node.value}


def read(text):
    loader = Reader(text)
    node = loader.get_single_node()
    return None if node is None else value_of(loader, node)


# Rules of kiln-bake that JSON Schema cannot express, each with a pattern for the messages concerned
# ("" matches all).
LIMITS = {
    "reference": "",        # whether the referenced asset exists
    "duplicate": "",        # keys given twice, or keys with equal values
    "tag": "",              # tags
    "text": "NUL",          # NUL bytes
    "depth": "",            # depth
    "range": r"bytes?\b|entr(y|ies)|^[^ ]+ (exceeds|is below)|NaN",  # lengths in bytes, numbers of entries, numbers written as strings
    # 1.0 is an integer in JSON; other spellings of 0 and 1
    "type": r"expected [iu]\d+.*, found \"[-+0-9.eE]+\"|a byte|expected bool, found \"[-+]?(0[xo])?[01]+\"",
    "key": "",              # numeric keys
    "union": "needs a value",
}


def is_beyond(case, error):
    pattern = LIMITS.get(error["rule"])
    return (pattern is not None and re.search(pattern, error["message"])) or error["rule"] in case.get("beyond", ())


class Case:
    def __init__(self, bake, folder, case):
        self.bake, self.folder, self.case = bake, folder, case
        text = "kiln: 1\nnamespace: game\n" + case["schema"]
        (folder / "s.yaml").write_text(text)
        (folder / "f.bin").write_text("content")
        self.inputs = ["a.yaml", *case.get("others", {})]
        for name, content in case.get("others", {}).items():
            (folder / name).write_text(content)
        root = case.get("root", "a.yaml")
        done = subprocess.run([bake, "schema", "jsonschema", "-s", "s.yaml", "--root", root], cwd=folder,
                              capture_output=True, text=True)
        assert done.returncode == 0, f"{case['name']}: {done.stderr}"
        self.json = json.loads(done.stdout)
        jsonschema.Draft7Validator.check_schema(self.json)
        self.validator = jsonschema.Draft7Validator(self.json)

    def baked(self, document):
        (self.folder / "a.yaml").write_text(document)
        done = subprocess.run([self.bake, "check", "-q", "-s", "s.yaml", "--diagnostics=json", *self.inputs],
                              cwd=self.folder, capture_output=True, text=True)
        assert done.returncode in (0, 1), f"{self.case['name']}: {document}: {done.stderr}"
        errors = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
        return done.returncode == 0, [error for error in errors if error["severity"] == "error"]

    def disagreement(self, document, expected=None):
        accepts = self.validator.is_valid(read(document))
        bakes, errors = self.baked(document)
        said = "; ".join(error["message"] + " [" + error["rule"] + "]" for error in errors)
        if expected is not None and bakes != expected:
            return f"kiln-bake {'accepts' if bakes else 'refuses'}: {document!r}: {said}"
        if bakes and not accepts:
            worst = jsonschema.exceptions.best_match(self.validator.iter_errors(read(document)))
            return f"refused by the JSON Schema alone: {document!r}: {worst.message[:200]} at {list(worst.path)}"
        if accepts and not bakes and (expected is not None or not all(is_beyond(self.case, e) for e in errors)):
            return f"accepted by the JSON Schema alone: {document!r}: {said}"
        return None


# ---- random changes to documents ----

POOL = ["null", "~", "true", "False", "yes", "0", "1", "-1", "255", "256", "70000", "3.5", "1e3", ".inf", ".nan", "0x10",
        "0b11", "0o7", "1_000", "010", "+5", "abc", "18446744073709551615", "18446744073709551616", "1,2", "-0"]


class Plain(str):
    """An unquoted scalar."""


def tree_of(node):
    if isinstance(node, yaml.ScalarNode):
        return Plain(node.value) if node.style is None else node.value
    if isinstance(node, yaml.SequenceNode):
        return [tree_of(element) for element in node.value]
    return {"": [(key.value, tree_of(value)) for key, value in node.value]} if node else None


def written(tree):
    if isinstance(tree, list):
        return "[" + ", ".join(written(element) for element in tree) + "]"
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {written(value)}" for key, value in tree[""]) + "}"
    if isinstance(tree, Plain) and re.fullmatch(r"[A-Za-z0-9.~_+-]*", tree) and tree not in ("-", ""):
        return str(tree)
    return json.dumps(str(tree))


def places(tree, found):
    if isinstance(tree, list):
        for i, element in enumerate(tree):
            found.append((tree, i))
            places(element, found)
    elif isinstance(tree, dict):
        for i, (_, value) in enumerate(tree[""]):
            found.append((tree[""], i))
            places(value, found)
    return found


def change(tree, texts, rng):
    """Changes one position in the tree."""
    found = places(tree, [])
    if not found:
        return
    where, i = rng.choice(found)
    key, old = where[i] if isinstance(where[i], tuple) else (None, where[i])
    kind = rng.randrange(9)
    new = old
    if kind == 0:
        del where[i]
        return
    if kind == 1 and key is not None:
        keys = {k for k, _ in where}
        renamed = rng.choice(texts)
        key = renamed if renamed not in keys else key
    elif kind == 2:
        new = [old]
    elif kind == 3:
        new = {"": [(rng.choice(texts), old)]}
    elif kind == 4:
        new = rng.choice(texts)
    elif kind == 5 and isinstance(old, list):
        new = old + [Plain(rng.choice(POOL))]
    elif kind == 6 and isinstance(old, list) and old:
        new = old[:-1]
    else:
        new = Plain(rng.choice(POOL + texts))
    where[i] = new if key is None else (key, new)


def texts_of(tree, found):
    if isinstance(tree, list):
        for element in tree:
            texts_of(element, found)
    elif isinstance(tree, dict):
        for key, value in tree[""]:
            found.append(key)
            texts_of(value, found)
    else:
        found.append(str(tree))
    return found


def random_documents(case, rng, count):
    documents = case["accepted"]
    trees = [tree_of(yaml.compose(text, Loader=Reader)) for text in documents if "!" not in text and "<<" not in text]
    trees = [tree for tree in trees if isinstance(tree, (list, dict))]
    texts = sorted({text for tree in trees for text in texts_of(tree, [])})
    for _ in range(count if trees else 0):
        tree = json.loads("null")
        while tree is None:
            tree = rng.choice(trees)
        tree = copy_of(tree)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            change(tree, texts, rng)
        yield written(tree)


def copy_of(tree):
    if isinstance(tree, list):
        return [copy_of(element) for element in tree]
    if isinstance(tree, dict):
        return {"": [(key, copy_of(value)) for key, value in tree[""]]}
    return tree


def main():
    bake = str(pathlib.Path(sys.argv[1]).resolve())
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 40
    print(f"1..{len(CASES)}")
    failed = 0
    for number, case in enumerate(CASES, 1):
        wrong = []
        with tempfile.TemporaryDirectory() as folder:
            checked = Case(bake, pathlib.Path(folder), case)
            for text in case["accepted"]:
                wrong.append(checked.disagreement(text, True))
            for text in case["refused"]:
                wrong.append(checked.disagreement(text, False))
            for text in random_documents(case, rng, count):
                wrong.append(checked.disagreement(text))
        wrong = [line for line in wrong if line]
        print(f"{'not ok' if wrong else 'ok'} {number} - {case['name']}")
        for line in wrong[:20]:
            print("# " + line)
        failed += bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
