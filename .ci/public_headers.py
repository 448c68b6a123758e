#!/usr/bin/env python3
"""Checks the rules of public headers: public_headers.py HEADER...

- No function has more than five parameters. The arguments of a longer one become a struct, or a pointer and a size become one
  value (kiln_span).
- A struct `kiln_..._def` has `..._def_default()`, which sets its cookie. A struct `kiln_..._args` has neither: zero is the default
  of each field.

Prints each violation, and exits 1 if there is one."""
import re
import sys

MOST = 5


def without_comments(text):
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", " ", text, flags=re.M)


def parameters(text, at):
    """The number of parameters in the list that begins at `at`, after the opening parenthesis."""
    depth, count, is_empty = 1, 1, True
    for c in text[at:]:
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return 0 if is_empty else count
        count += c == "," and depth == 1
        is_empty = is_empty and c.isspace()
    return count


def functions(text):
    """Name and number of parameters of each declared or defined function."""
    text = without_comments(text)
    # In a declaration, a type precedes the name; in a call, nothing does.
    for match in re.finditer(r"\w[\w\s]*[\s*&](kiln_\w+)\s*\(", text):
        if not re.match(r"(return|else)\b", match.group(0)):
            yield match.group(1), parameters(text, match.end())


def definitions(text):
    """Name and fields of each struct that describes an object or bundles arguments."""
    return re.findall(r"typedef struct (kiln_\w+_(?:def|args)) \{(.*?)\n\} \1;", without_comments(text), re.S)


def complaints(text):
    for name, count in functions(text):
        if count > MOST:
            yield f"{name} has {count} parameters, more than {MOST}"
    for name, fields in definitions(text):
        has_cookie = re.search(r"\buint32_t cookie;", fields) is not None
        has_default = re.search(rf"\b{name} {name}_default\(void\);", text) is not None
        if name.endswith("_def") and not (has_cookie and has_default):
            yield f"{name} lacks its cookie or {name}_default()"
        if name.endswith("_args") and (has_cookie or has_default):
            yield f"{name} must have neither a cookie nor {name}_default(): zero is the default of each field"


def main():
    wrong, found = 0, 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
        found += len(list(functions(text))) + len(definitions(text))
        for complaint in complaints(text):
            print(f"{path}: {complaint}")
            wrong = 1
    if found == 0:
        sys.exit("public_headers.py: nothing found")
    sys.exit(wrong)


if __name__ == "__main__":
    main()
