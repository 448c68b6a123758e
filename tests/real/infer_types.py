"""The schema inferred from a whole game has the right type for nearly all fields of its prototypes, and reads its maps as scenes.

Usage: infer_types.py KILN_BAKE KILN_INSPECT SOURCE_ROOT

../shared/data/ss14-2021-fields.tsv describes the values of each field. Exit 0: success; 1: failure, see stderr; 77: the data is
missing.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import ss14_2021
    from types_of_file import Types
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)

# Number of paths that may have a different type, because only the meaning of a word shows whether it is a name, or because an id
# belongs to two kinds.
OTHERS_MAX = 15

WORDS = ("shape: scene", "5146 entities", "parent: entity", "none: None", "prefix: enum.", "inherit: {parent: parent}", "case: any")


def main(kiln_bake, kiln_inspect, root):
    data = pathlib.Path(root).resolve().parent / "shared/data/ss14-2021"
    if not data.is_dir():
        print("skipped: no data at ../shared/data/ss14-2021", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        schema, baked = pathlib.Path(folder) / "game.schema.yaml", pathlib.Path(folder) / "game.kiln"
        subprocess.run([kiln_bake, "schema", "infer", "-q", "-C", data, "-o", schema, "Resources"], check=True)
        subprocess.run([kiln_bake, "-q", "-C", data, "-s", schema, "-o", baked, "Resources"], check=True)
        text = schema.read_text(encoding="utf-8")
        return compare(text, Inferred(kiln_inspect, baked), ss14_2021.Fields(data.parent / "ss14-2021-fields.tsv"))


class Inferred(Types):
    """Types in which the name `ss14.Component` of the table means the inferred union of all components."""

    def _parse(self, text):
        if text == "ss14.Component":
            return self.parse(self.component)
        return super()._parse(text)

    def _named(self, name):
        read = super()._named(name)
        if read[0] == "union":
            return (read[0], {k: None if v == "null" else v for k, v in read[1].items()}, read[2])
        return read


def compare(text, types, fields):
    kinds = {}
    for name, body in re.findall(r"^  (\w+):(?:  #.*)?\n((?:    .*\n)*)", text, re.M):
        if "    asset: true" in body:
            kind = re.search(r"^    kind: (\S+)", body, re.M)
            kinds[kind[1] if kind else name] = f"data.{name}"
    types.component = types.bare(types.parse(kinds["entity"])[1]["components"])[1]
    checked = ss14_2021.check_types(fields, types, kinds)
    wrong = [f"the schema does not contain {word}" for word in WORDS if word not in text]
    if len(ss14_2021.wrong) > OTHERS_MAX:
        wrong += [f"{len(ss14_2021.wrong)} types differ, more than {OTHERS_MAX}:", *ss14_2021.wrong]
    for line in wrong[:40]:
        print("inferred:", line, file=sys.stderr)
    print(f"inferred: {checked - len(ss14_2021.wrong)} of {checked} paths have the types that their values require")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
