"""The types of a Kiln file, as printed by `kiln-inspect type`, and the values of its assets."""

import json
import re
import subprocess

import yaml

WORDS = {"bool": "bool", "string": "string", "bytes": "bytes", "entity": "entity", "f32": "float", "f64": "float"}
WORDS.update({sign + bits: "int" for sign in "iu" for bits in ("8", "16", "32", "64")})

VECTORS = [("vec2", "x y"), ("vec3", "x y z"), ("vec4", "x y z w"), ("vec4", "left bottom right top"), ("colour", "r g b a")]


class Types:
    """A type is a tuple: its kind, then its parts."""

    def __init__(self, inspect, path):
        self.inspect, self.path, self.read = inspect, path, {}
        text = self.printed("type")
        # Everything is a string, including keys such as `y` and `on`.
        self.types = yaml.load(text, Texts)["types"]
        self.wraps = set(re.findall(r"^  (\S+):[^\n]*\n(?:    .*\n)*?    struct: # newtype: written as its field's value", text, re.M))

    def printed(self, command, *rest):
        line = [self.inspect, *command.split(), self.path, *rest]
        return subprocess.run(line, check=True, capture_output=True, text=True).stdout

    def assets(self):
        """The type and value of each asset."""
        return {name: (a["type"], a["value"]) for name, a in json.loads(self.printed("dump -f json"))["assets"].items()}

    def parse(self, text):
        """Parses a type expression such as `map<ref<game.Item>, u32[2]?>`."""
        if text not in self.read:
            self.read[text] = self._parse(text)
        return self.read[text]

    def _parse(self, text):
        if text.endswith("?"):
            return ("optional", text[:-1])
        several = re.fullmatch(r"(.*)\[(\d*)\](?:@\d+)?", text)
        if several:
            return ("fixed" if several[2] else "list", several[1])
        if text.startswith("map<"):
            return ("map", *self._key_and_value(text[4:-1]))
        if text == "ref" or text.startswith("ref<"):
            return ("ref", text[4:-1])
        if text.split("@")[0] in WORDS:
            return (WORDS[text.split("@")[0]],)
        return self._named(text)

    @staticmethod
    def _key_and_value(text):
        depth = 0
        for at, letter in enumerate(text):
            depth += {"<": 1, ">": -1}.get(letter, 0)
            if letter == "," and depth == 0:
                return text[:at], text[at + 1 :].strip()
        raise ValueError(text)

    def _named(self, name):
        described = self.types[name]
        for word in ("enum", "flags"):
            if word in described:
                return (word, name)
        if "union" in described:
            return ("union", {k: v.get("type") if v else None for k, v in described["union"].items()}, name)
        fields = {k: v["type"] for k, v in (described["struct"] or {}).items()}
        return ("wrap", fields["value"], name) if name in self.wraps else ("struct", fields, name)

    def bare(self, text):
        """The type without optionals and newtypes."""
        read = self.parse(text)
        while read[0] in ("optional", "wrap"):
            read = self.parse(read[1])
        return read

    def sort(self, text):
        """The meaning of a value of this type to a reader: a colour, a vector, a number, …"""
        read = self.bare(text)
        if read[0] != "struct":
            return read[0]
        fields = {(field, self.bare(text)[0] in ("int", "float")) for field, text in read[1].items()}
        for sort, names in VECTORS:
            if fields == {(name, True) for name in names.split()}:
                return sort
        return "struct"


class Texts(getattr(yaml, "CBaseLoader", yaml.BaseLoader)):
    """Reads every scalar as a string."""
