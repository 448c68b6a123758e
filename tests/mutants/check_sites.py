"""Finds the checks in C source: every position where the code decides whether to continue.

A *change* of one expression removes a check:
- the condition of an `if`, or of a ternary with a failing or zero branch, becomes a constant that lets everything pass; each
operand that can refuse alone (of || in a refusing condition, of && in an accepting one) is also changed separately
- a loop does not run, or continues despite a status
- the status that a call returns is replaced by KILN_OK
- a predicate returns true, returns false, or ignores one operand
- an assignment statement or a call statement is skipped

No check is listed by hand, so new checks are found automatically.
"""
import re
from dataclasses import dataclass

OK = "KILN_OK"
FAIL_CALL = re.compile(r"\b(?:\w*_)?fail\s*\(")
FAILING = re.compile(r"\bKILN_(?:[HVCTI]_|NO_|BAD_|TOO_|UNSUPPORTED|NOT_FOUND|IO_|BIG_)|\b(?:\w*_)?fail\s*\(")
WORD = re.compile(r"[A-Za-z_]\w*")
# Statements that only assign to an existing variable, or only make a call.
STEP = re.compile(r"\*?\w+(?:->\w+|\.\w+|\[.*?\])*\s*[|&+-]?=(?!=).*|[\w.>-]+\s*\(.*\)", re.S)
DESIGNATOR = re.compile(r"\s*\.\w+\s*=")
LABEL = re.compile(r"\s*(?:case\b[^:;]*|default\s*):")


@dataclass(frozen=True)
class Change:
    """The source text [start, end) yields `value` instead: 'false', 'true', 'ok' or 'nothing'."""
    start: int
    end: int
    value: str
    function: str
    text: str
    line: int
    lets_pass: bool  # removes the check, so that what it refused passes


def blank(source):
    """The same text with comments, the content of literals and preprocessor lines replaced by
    spaces."""
    pattern = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*',
                         re.S | re.M)

    def spaces(match):
        text = match.group()
        if text[0] in "\"'":
            return text[0] + "_" * (len(text) - 2) + text[0]
        return re.sub(r"[^\n]", " ", text)
    return pattern.sub(spaces, source)


def closing(text, at):
    """The position of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i
    raise ValueError("unbalanced brackets")


def trim(text, start, end):
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def strip_brackets(text, start, end):
    start, end = trim(text, start, end)
    while start < end and text[start] == "(" and closing(text, start) == end - 1:
        start, end = trim(text, start + 1, end - 1)
    return start, end


def split_at(text, start, end, operator):
    """The parts of an expression between `operator` outside brackets."""
    parts, depth, begin, i = [], 0, start, start
    while i < end:
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
        elif depth == 0 and text.startswith(operator, i):
            parts.append(trim(text, begin, i))
            i += len(operator)
            begin = i
            continue
        i += 1
    parts.append(trim(text, begin, end))
    return parts


def split_ternary(text, start, end):
    """(condition, then, else) of an expression, or None."""
    depth = nested = 0
    question = None
    for i in range(start, end):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
        elif depth == 0 and text[i] == "?":
            if question is None:
                question = i
            else:
                nested += 1
        elif depth == 0 and text[i] == ":" and question is not None:
            if nested == 0:
                return trim(text, start, question), trim(text, question + 1, i), trim(text, i + 1, end)
            nested -= 1
    return None


def functions(text):
    """(name, return type, body start, body end) of each function definition."""
    at = 0
    while (at := text.find("{", at)) >= 0:
        end = closing(text, at)
        begin = max(text.rfind(mark, 0, at) for mark in ";{}") + 1
        head = re.match(r"(.*?)\b(\w+)\s*\((.*)\)\s*$", text[max(begin, at - 1500):at], re.S)
        if head and head.group(1).strip():
            yield head.group(2), head.group(1), at, end
        at = end + 1


class Finder:
    def __init__(self, source):
        self.source = source
        self.text = blank(source)
        self.found = {}
        self.function = ""

    def add(self, start, end, value, lets_pass=False):
        start, end = trim(self.text, start, end)
        text = " ".join(self.source[start:end].split())
        if text in ("true", "false", "0", "1") or start >= end:
            return
        line = self.source.count("\n", 0, start) + 1
        self.found.setdefault((start, end, value), Change(start, end, value, self.function, text, line, lets_pass))

    def refuse(self, start, end, value, lets_pass=False):
        """Replaces the whole condition with `value`, and separately each operand that alone
        determines the result."""
        self.add(start, end, value, lets_pass)
        self.parts(start, end, value, lets_pass)

    def parts(self, start, end, value, lets_pass):
        start, end = strip_brackets(self.text, start, end)
        deciding, other = ("||", "&&") if value == "false" else ("&&", "||")
        if split_ternary(self.text, start, end):
            return
        for operator in ("||", "&&"):
            operands = split_at(self.text, start, end, operator)
            if len(operands) > 1:
                for operand in operands:
                    if operator == deciding:
                        self.add(*operand, value, lets_pass)
                    self.parts(*operand, value, lets_pass)
                return
        if self.text[start] == "!" and self.text[start + 1] == "(":
            inner = start + 1
            if closing(self.text, inner) == end - 1:
                self.parts(inner, end, "true" if value == "false" else "false", lets_pass)

    def expression(self, start, end):
        """Ternaries at any depth that choose between failing and continuing."""
        text = self.text
        designator = DESIGNATOR.match(text, start, end)
        start, end = strip_brackets(text, designator.end() if designator else start, end)
        chosen = split_ternary(text, start, end)
        if chosen:
            condition, first, second = chosen
            bad = [self.is_failing(*branch) for branch in (first, second)]
            if not any(bad):
                bad = [text[slice(*branch)] == OK for branch in (second, first)]
            if bad[0] != bad[1]:
                self.refuse(*condition, "false" if bad[0] else "true")
            for branch in chosen:
                self.expression(*branch)
            return
        i = start
        while i < end:
            if text[i] in "([{":
                close = closing(text, i)
                for part in split_at(text, i + 1, close, ","):
                    self.expression(*part)
                i = close
            i += 1

    def is_failing(self, start, end):
        part = self.text[start:end].strip("() \n")
        return part in ("0", "false", "NULL") or bool(FAILING.search(part)) and not split_ternary(self.text, start, end)

    def statement_end(self, at):
        """The position after the statement that begins at `at`."""
        text = self.text
        at, _ = trim(text, at, len(text))
        if text[at] == "{":
            return closing(text, at) + 1
        word = WORD.match(text, at)
        if word and word.group() in ("if", "for", "while", "switch"):
            end = self.statement_end(closing(text, text.index("(", at)) + 1)
            other = re.compile(r"\s*else\b").match(text, end)
            if word.group() == "if" and other:
                end = self.statement_end(other.end())
            return end
        if word and word.group() == "do":
            end = self.statement_end(word.end())
            return text.index(";", end) + 1
        depth = 0
        for i in range(at, len(text)):
            depth += (text[i] in "([{") - (text[i] in ")]}")
            if text[i] == ";" and depth == 0:
                return i + 1
        raise ValueError("a statement without end")

    def accepts(self, start, end):
        """Whether a branch continues as if everything were valid."""
        body = " ".join(self.text[start:end].strip("{} \n").split())
        last = re.search(r"(?:^|[;}] )(return\b[^;]*|continue|break);$", body)
        return bool(last) and last.group(1) in ("return KILN_OK", "return true", "continue")

    def refuses(self, start, end):
        body = self.text[start:end].strip("{} \n")
        last = re.search(r"\breturn\b([^;]*);$", body)
        return bool(last) and last.group(1).strip() not in ("", OK, "true")

    def body(self, start, end, gives):
        text = self.text
        for word in re.compile(r"\b(if|while|for|return)\b").finditer(text, start, end):
            kind = word.group(1)
            if kind == "return":
                self.returned(word.end(), text.index(";", word.end()), gives)
                continue
            opening = text.index("(", word.end())
            close = closing(text, opening)
            condition = (opening + 1, close)
            if kind == "if":
                behind = close + 1
                branch = (behind, self.statement_end(behind))
                accepts = self.accepts(*branch)
                self.refuse(*condition, "true" if accepts else "false", accepts or self.refuses(*branch))
            else:
                if kind == "for":
                    condition = split_at(text, *condition, ";")[1]
                self.add(*condition, "false")
                for operand in split_at(text, *condition, "&&"):
                    if re.search(r"\bstatus\b", text[slice(*operand)]):
                        self.add(*operand, "true")
            self.expression(*condition)
        for match in re.compile(r"(?<![=!<>|&+*/^%-])=(?!=)").finditer(text, start, end):
            self.assigned(match.start(), match.end(), end)
        self.steps(start + 1, end)

    def steps(self, start, end):
        """The statements of a block, including nested ones."""
        text = self.text
        at, _ = trim(text, start, end)
        while at < end and text[at] != "}":
            label = LABEL.match(text, at)
            if label:
                at, _ = trim(text, label.end(), end)
                continue
            behind = self.statement_end(at)
            self.step(at, behind)
            at, _ = trim(text, behind, end)

    def step(self, start, end):
        text = self.text
        start, end = trim(text, start, end)
        if text[start] == "{":
            self.steps(start + 1, end - 1)
            return
        word = WORD.match(text, start)
        word = word.group() if word else ""
        if word in ("if", "for", "while", "switch"):
            inner = closing(text, text.index("(", start)) + 1
            behind = self.statement_end(inner)
            self.step(inner, behind)
            other = re.compile(r"\s*else\b").match(text, behind)
            if word == "if" and other and other.end() < end:
                self.step(other.end(), end)
        elif word == "do":
            self.step(start + 2, self.statement_end(start + 2))
        elif word not in ("return", "goto", "break", "continue") and STEP.fullmatch(text, start, end - 1):
            self.add(start, end - 1, "nothing")

    def is_call(self, start, end):
        match = re.compile(r"\w+(?:->\w+|\.\w+)*\s*\(").match(self.text, start, end)
        return bool(match) and closing(self.text, match.end() - 1) == end - 1 and \
            not FAIL_CALL.match(self.text, start)

    def returned(self, start, end, gives):
        start, end = trim(self.text, start, end)
        self.expression(start, end)
        if gives == "bool":
            for value in ("true", "false"):
                self.refuse(start, end, value, value == "true")
        elif gives == "kiln_status" and self.is_call(start, end):
            self.add(start, end, "ok")

    def assigned(self, at, behind, limit):
        text = self.text
        target = re.search(r"(\w+)\s*$", text[:at])
        depth, end = 0, behind
        while end < limit and not (depth == 0 and text[end] in ",;)}"):
            depth += (text[end] in "([{") - (text[end] in ")]}")
            end += 1
        start, end = trim(text, behind, end)
        self.expression(start, end)
        is_status = target and ("status" in target.group(1) or
                                re.search(r"\bkiln_status\s+\w+\s*$", text[:at]))
        if is_status and self.is_call(start, end):
            self.add(start, end, "ok")
        if target and re.search(r"\bbool\s+\w+\s*$", text[:at]):
            for value in ("true", "false"):
                self.refuse(start, end, value)

    def find(self):
        for name, before, start, end in functions(self.text):
            self.function = name
            gives = re.search(r"\b(\w+)\s*$", before)
            gives = gives.group(1) if gives and not before.rstrip().endswith("*") else ""
            self.body(start, end, gives)
        return sorted(self.found.values(), key=lambda change: (change.start, -change.end, change.value))


def find_changes(source):
    return Finder(source).find()


# The expression is still evaluated, and only its result is replaced.
WRAPS = {
    "false": ("((", ") && !KILN_MUTANT({0}))"),
    "true": ("((", ") || KILN_MUTANT({0}))"),
    "ok": ("KILN_MUTANT_OK({0}, (", "))"),
    "nothing": ("(void)(KILN_MUTANT({0}) || ((", "), 0))"),
}


def instrument(source, changes, first):
    """The source with all changes built in. Change i is active if KILN_MUTANT(first + i) is true.
    """
    pieces = []
    for i, change in enumerate(changes):
        before, after = WRAPS[change.value]
        width = change.end - change.start
        pieces.append(((change.start, 1, -width, i), before.format(first + i)))
        pieces.append(((change.end, 0, width, -i), after.format(first + i)))
    result, at = [], 0
    for (place, *_), piece in sorted(pieces):
        result += [source[at:place], piece]
        at = place
    return "".join(result) + source[at:]
