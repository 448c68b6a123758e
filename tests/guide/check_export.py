"""Runs the queries of inspector/EXPORT.md: check_export.py SOURCE_ROOT KILN_BAKE KILN_INSPECT DATA [--update]

Each block `sql` is followed by a table with its result. `--update` writes the results into the guide instead of comparing them.
Exit 77: the data are missing.
"""
import difflib
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```sql\n(.*?)^```\n(?:\n(?:\|[^\n]*\n)+)?", re.M | re.S)


def table_of(database, query):
    found = database.execute(query)
    rows = [[name for name, *_ in found.description], ["---"] * len(found.description)]
    rows += [["" if cell is None else f"{cell:g}" if isinstance(cell, float) else str(cell) for cell in row] for row in found]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main():
    source, bake, inspect, data = sys.argv[1:5]
    if not os.path.isdir(data):
        print(f"skipped: {data} is missing")
        sys.exit(77)
    path = pathlib.Path(source, "inspector/EXPORT.md")
    text = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        file, name = os.path.join(folder, "game.kiln"), os.path.join(folder, "game.db")
        schema = os.path.join(source, "tests/real/ss14-2021/game.schema.yaml")
        subprocess.run([bake, "-q", "-C", data, "-s", schema, "-o", file, "Resources"], check=True)
        subprocess.run([inspect, "export", "--to", "sqlite", name, file], check=True, stdout=subprocess.DEVNULL)
        database = sqlite3.connect(f"file:{name}?mode=ro", uri=True)
        made = BLOCK.sub(lambda block: f"```sql\n{block[1]}```\n\n{table_of(database, block[1])}", text)
        problems = database.execute("PRAGMA foreign_key_check").fetchall()
        database.close()
    if "--update" in sys.argv:
        path.write_text(made, encoding="utf-8")
    elif made != text or problems or len(BLOCK.findall(text)) < 10:
        sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), made.splitlines(True), "guide", "real"))
        sys.exit(f"the guide is wrong: run with --update; broken foreign keys: {problems[:3]}")


main()
