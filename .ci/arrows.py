#!/usr/bin/env python3
"""Checks the dependencies between the files of each room: arrows.py BUILD [ROOT] [--list]

The storeys of a room are the folders that its meson.build enters, from the lowest to the highest. The symbols of the object files in
BUILD show the dependencies. These are errors:
- a use of a higher storey, or of a room other than blobfmt
- a circle of files that ROOT/.ci/circles.txt does not list, and a listed circle that does not exist
- a function or variable that other files use, but that no expected header declares. Expected are public headers, the header with the
  name of the source, and headers whose first comment lists the source as a part (`value_*.c` lists several)

A line of circles.txt is `file file...: reason`. ROOT is by default the tree of this script. --list also prints the size of each storey
and the circles.
"""
import collections
import fnmatch
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOMS = ["blobfmt", "runtime", "inspector", "baker"]


def storeys_of(root, room):
    return re.findall(r"^\s*subdir\('(\w+)'\)", (root / room / "meson.build").read_text(), re.MULTILINE)


def objects(build, root):
    """{source, relative to the root: object file}. A source that is compiled twice, for the shared library, counts once."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source, made = Path(os.path.normpath(build / entry["file"])), build / entry["output"]
        if source.is_relative_to(root) and source.suffix == ".c" and made.exists():
            source = source.relative_to(root)
            if source.parts[0] in ROOMS:
                found[source] = made
    return found


def symbols(made):
    """(defined, used) names of an object file."""
    defined, used = set(), set()
    for line in subprocess.run(["nm", made], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines():
        kind, name = line.split()[-2:]
        if kind == "U":
            used.add(name)
        elif kind in "TDBRVWCS":
            defined.add(name)
    return defined, used


def uses(found):
    """{source: {source: names}}"""
    tables = {source: symbols(made) for source, made in found.items()}
    owner = {name: source for source, (defined, _) in tables.items() for name in defined if name != "main"}
    graph = {source: collections.defaultdict(set) for source in found}
    for source, (_, used) in tables.items():
        for name in used:
            if owner.get(name, source) != source:
                graph[source][owner[name]].add(name)
    return graph


def circles(graph):
    """Strongly connected components of two or more files (Tarjan 1972)."""
    sys.setrecursionlimit(100000)
    order, low, stack, result = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in graph[node]:
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                result.append(tuple(sorted(path.name for path in stack[at:])))
            del stack[at:]

    for node in sorted(graph):
        if node not in order:
            visit(node)
    return sorted(result)


def wrong_arrows(graph, levels):
    for source in sorted(graph):
        room, storey = source.parts[0], source.parts[1]
        for other, names in sorted(graph[source].items()):
            arrow = f"{source} -> {other} ({', '.join(sorted(names)[:3])})"
            if other.parts[0] not in (room, "blobfmt"):
                yield f"into another room: {arrow}"
            # main.c, which is in no storey, is above all of them.
            elif other.parts[0] == room and storey in levels[room] and \
                    (len(other.parts) < 3 or levels[room].index(other.parts[1]) > levels[room].index(storey)):
                yield f"upward: {arrow}"


def headers(root):
    """For each header of the rooms: its path, its text, and patterns of the sources that it lists as parts."""
    for room in ROOMS:
        for path in sorted((root / room).rglob("*.h")):
            text = path.read_text()
            parts = re.findall(r"[\w*]+\.c\b", text[:text.find("*/")])
            yield path.relative_to(root), re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL), parts


def misplaced(graph, root):
    declared = collections.defaultdict(list)
    for path, text, parts in headers(root):
        for name in set(re.findall(r"\w+", text)):
            declared[name].append((path, parts))
    names = collections.defaultdict(set)
    for others in graph.values():
        for other, used in others.items():
            names[other] |= used
    for source in sorted(names):
        for name in sorted(names[source]):
            # A name that no header contains is composed by a macro.
            if declared[name] and not any("include" in path.parts or path.stem == source.stem or
                                          any(fnmatch.fnmatchcase(source.name, part) for part in parts)
                                          for path, parts in declared[name]):
                yield f"misplaced: {source} defines {name}, declared in {', '.join(path.name for path, _ in declared[name])}"


def listed_circles(file):
    listed = {}
    for line in file.read_text().splitlines():
        if line and not line.startswith("#"):
            names, _, reason = line.partition(":")
            listed[tuple(sorted(names.split()))] = reason.strip()
    return listed


def print_storeys(graph, levels, root):
    for room, names in levels.items():
        for name in names:
            sources = [source for source in graph if source.parts[:2] == (room, name)]
            lines = sum(len((root / source).read_text().splitlines()) for source in sources)
            print(f"{room}/{name}: {len(sources)} sources, {lines} lines")


def main():
    places = [Path(word).resolve() for word in sys.argv[1:] if word != "--list"]
    build, root = places[0], places[1] if len(places) > 1 else Path(__file__).resolve().parents[1]
    graph = uses(objects(build, root))
    levels = {room: storeys_of(root, room) for room in ROOMS if (root / room / "meson.build").exists()}
    there, listed = circles(graph), listed_circles(root / ".ci/circles.txt")
    errors = [*wrong_arrows(graph, levels), *misplaced(graph, root)]
    errors += [f"unlisted circle: {' '.join(circle)}" for circle in there if not listed.get(circle)]
    errors += [f"no longer a circle, but listed in circles.txt: {' '.join(circle)}" for circle in listed if circle not in there]
    if not graph:
        errors.append(f"no object files of the rooms in {build}")
    if "--list" in sys.argv:
        print_storeys(graph, levels, root)
        print(*(f"circle of {len(circle)}: {' '.join(circle)}" for circle in there), sep="\n")
    print(*errors, sep="\n", end="\n" if errors else "", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
