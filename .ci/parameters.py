#!/usr/bin/env python3
"""No public function has more than five parameters: parameters.py HEADER...

Prints each function that has more, and exits 1 if there is one. The arguments of a longer function become a struct, or a
pointer and a size become one value (kiln_span)."""
import re
import sys

MOST = 5


def without_comments(text):
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", " ", text, flags=re.M)


def parameters(text, at):
    """Of the list that begins behind the parenthesis before `at`."""
    depth, count, is_empty = 1, 1, True
    for c in text[at:]:
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return 0 if is_empty else count
        count += c == "," and depth == 1
        is_empty = is_empty and c.isspace()
    return count


def functions(text):
    """Name and number of parameters of each function that is declared or defined."""
    text = without_comments(text)
    # A declaration has a type before its name; a call has not.
    for match in re.finditer(r"\w[\w\s]*[\s*&](kiln_\w+)\s*\(", text):
        if not re.match(r"(return|else)\b", match.group(0)):
            yield match.group(1), parameters(text, match.end())


def main():
    found, wrong = 0, 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as stream:
            for name, count in functions(stream.read()):
                found += 1
                if count > MOST:
                    print(f"{path}: {name} has {count} parameters, more than {MOST}")
                    wrong = 1
    if found == 0:
        sys.exit("parameters.py: no function found")
    sys.exit(wrong)


if __name__ == "__main__":
    main()
