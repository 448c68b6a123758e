"""Finds the positions in C source where a small change gives a different program: the sites of random mutants.

The changes are the classical ones of mutation testing (Jia and Harman, "An Analysis and Survey of the Development of
Mutation Testing", IEEE TSE 37(5), 2011):
- a comparison is replaced by its neighbour: < and <=, > and >=, == and !=
- + and - are exchanged, << and >>, the binary & and |, && and ||
- the condition of an if, while or for is negated
- an integer constant is incremented; true and false are exchanged
- a call statement or an assignment is removed
- a returned value is replaced: a bool is negated, a pointer becomes NULL, a number is incremented

Every change is compiled in next to the original and selected by number at run time. The original text stays in one branch of a
conditional, and the changed text is the other branch.
"""
import re
from dataclasses import dataclass

import check_sites

NEIGHBOURS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+", "<<": ">>",
              ">>": "<<", "&": "|", "|": "&", "&&": "||", "||": "&&"}
# Longest first. Operators without an entry in NEIGHBOURS only delimit operands.
TOKEN = re.compile(r"<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+<>&|=?:;,(){}\[\]]")
# Operators that end an operand of the given operator, besides unmatched brackets.
ENDS = {"&&": {"||", "?", ":", "=", ",", ";"}, "||": {"?", ":", "=", ",", ";"}}
ENDS_OTHER = {"&&", "||", "?", ":", "=", ",", ";", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
NUMBER = re.compile(r"(?<![\w.'\"])(\d+)(?![\w.'\"])")
TRUTH = re.compile(r"\b(true|false)\b")
RETURN = re.compile(r"\breturn\b")
CONDITION = re.compile(r"\b(if|while|for)\s*\(")
# A binary operator follows the end of an operand.
OPERAND_END = re.compile(r"[\w)\]'\"]\s*$")
INTEGERS = {"int", "size_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "int32_t", "int64_t", "unsigned", "long"}


@dataclass(frozen=True)
class Site:
    """The source text [start, end) becomes `template`, in which {n} is the mutant's number and {0} the
    original text."""
    start: int
    end: int
    template: str
    change: str  # description for the report
    function: str
    line: int


class Finder:
    def __init__(self, source):
        self.source = source
        self.text = check_sites.blank(source)
        self.sites = []
        self.function = ""

    def add(self, start, end, template, change):
        start, end = check_sites.trim(self.text, start, end)
        if start < end:
            self.sites.append(Site(start, end, template, change, self.function, self.source.count("\n", 0, start) + 1))

    def words(self, start, end):
        return " ".join(self.source[start:end].split())

    def extent(self, tokens, i, operator):
        """The expression around token `i` between the nearest delimiters of operands, or None if that is not an expression."""
        ends = ENDS.get(operator, ENDS_OTHER)
        depth, start, end = 0, None, None
        for token in reversed(tokens[:i]):
            word = token.group()
            if word in ")]}":
                depth += 1
            elif word in "([{":
                if depth == 0:
                    start = token.end()
                    break
                depth -= 1
            elif depth == 0 and word in ends:
                start = token.end()
                break
        depth = 0
        for token in tokens[i + 1:]:
            word = token.group()
            if word in "([{":
                depth += 1
            elif word in ")]}":
                if depth == 0:
                    end = token.start()
                    break
                depth -= 1
            elif depth == 0 and word in ends:
                end = token.start()
                break
        if start is None or end is None:
            return None
        start, end = check_sites.trim(self.text, start, end)
        returned = RETURN.match(self.text, start)
        if returned:
            start, end = check_sites.trim(self.text, returned.end(), end)
        return (start, end) if start < end and "{" not in self.text[start:end] else None

    def operators(self, start, end):
        tokens = list(TOKEN.finditer(self.text, start, end + 1))
        for i, token in enumerate(tokens):
            word = token.group()
            if word not in NEIGHBOURS or not OPERAND_END.search(self.text[start:token.start()][-40:]):
                continue
            extent = self.extent(tokens, i, word)
            if not extent or not extent[0] < token.start() < extent[1]:
                continue
            other = (self.source[extent[0]:token.start()] + NEIGHBOURS[word] + self.source[token.end():extent[1]])
            self.add(*extent, "(KILN_MUTANT({n}) ? (" + other.replace("{", "{{").replace("}", "}}") + ") : ({0}))",
                     f"`{self.words(*extent)}`: {word} becomes {NEIGHBOURS[word]}")

    def conditions(self, start, end):
        for match in CONDITION.finditer(self.text, start, end):
            opening = match.end() - 1
            inside = (opening + 1, check_sites.closing(self.text, opening))
            if match.group(1) == "for":
                inside = check_sites.split_at(self.text, *inside, ";")[1]
            if self.text[slice(*inside)].strip():
                self.add(*inside, "(!({0}) != !KILN_MUTANT({n}))", f"`{self.words(*inside)}` is negated")

    def constants(self, start, end):
        for match in NUMBER.finditer(self.text, start, end):
            self.add(*match.span(), "({0} + KILN_MUTANT({n}))", f"{match.group()} becomes one more, after `{self.words(max(start, match.start() - 40), match.start())[-30:]}`")
        for match in TRUTH.finditer(self.text, start, end):
            self.add(*match.span(), "({0} != KILN_MUTANT({n}))", f"{match.group()} becomes the other, after `{self.words(max(start, match.start() - 40), match.start())[-30:]}`")

    def returns(self, start, end, gives):
        for match in RETURN.finditer(self.text, start, end):
            inside = check_sites.trim(self.text, match.end(), self.text.index(";", match.end()))
            what = self.words(*inside)
            if not what or "{" in self.text[slice(*inside)]:
                continue
            if gives == "bool" and what not in ("true", "false"):
                self.add(*inside, "(!({0}) != !KILN_MUTANT({n}))", f"the returned `{what}` is negated")
            elif gives == "*" and what != "NULL":
                self.add(*inside, "(KILN_MUTANT({n}) ? NULL : ({0}))", f"NULL is returned instead of `{what}`")
            elif gives in INTEGERS and not what.isdigit():
                self.add(*inside, "(({0}) + KILN_MUTANT({n}))", f"one more than `{what}` is returned")

    def steps(self, source):
        """Statements that check_sites can remove."""
        for change in check_sites.find_changes(source):
            if change.value == "nothing":
                self.sites.append(Site(change.start, change.end, "(void)(KILN_MUTANT({n}) || (({0}), 0))",
                                       f"`{change.text}` is left out", change.function, change.line))

    def find(self):
        for name, before, start, end in check_sites.functions(self.text):
            self.function = name
            gives = re.search(r"(\*|\b\w+)\s*$", before)
            self.operators(start, end)
            self.conditions(start, end)
            self.constants(start, end)
            self.returns(start, end, gives.group(1) if gives else "")
        self.steps(self.source)
        # Assertions are compiled out in mutant builds.
        asserts = [(m.start(), check_sites.closing(self.text, m.end() - 1))
                   for m in re.finditer(r"\b(?:assert|_Static_assert|static_assert)\s*\(", self.text)]
        return sorted((site for site in self.sites if not any(a <= site.start <= b for a, b in asserts)),
                      key=lambda site: (site.start, site.end, site.change))


def find_sites(source):
    return Finder(source).find()


def instrument(source, numbered):
    """The source with each (number, site) built in. Of two overlapping sites, one must be inside the
    other."""
    def build(start, end, inside):
        """The text of [start, end) with the sites inside it, outermost first."""
        result, at = [], start
        while inside:
            number, site = inside[0]
            within = [pair for pair in inside[1:] if pair[1].end <= site.end]
            inside = [pair for pair in inside[1:] if pair[1].end > site.end]
            result.append(source[at:site.start])
            original = build(site.start, site.end, within)
            result.append(site.template.format(original, n=number))
            at = site.end
        result.append(source[at:end])
        return "".join(result)
    order = sorted(numbered, key=lambda pair: (pair[1].start, -pair[1].end))
    return build(0, len(source), order)


def crosses(one, other):
    """Whether two sites overlap without one containing the other."""
    return one.start < other.start < one.end < other.end or other.start < one.start < other.end < one.end
