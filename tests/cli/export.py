"""Every value of a database that `export` writes equals the JSON dump: export.py KILN_BAKE KILN_INSPECT FILE...

Exports random files, structs that are difficult for tables, and the given files. From the JSON dump, makes the rows of each table with the descriptions
in the tables `tables` and `columns`, and compares them in order. Also: mounts, --force, a full disk, signals, and hostile names.
"""
import base64
import contextlib
import csv
import io
import json
import os
import pathlib
import re
import resource
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

import questions

BAKE, INSPECT, *SAMPLES = (os.path.abspath(word) for word in sys.argv[1:])
STEP = re.compile(r"\.([^.\[\]{}\"]+|\"[^\"]*\")|\[(\d+)\]|(\[\])|(\{\})")
count = 0


def check(condition, what):
    if not condition:
        sys.exit(f"export.py: {what}")


def run(program, *words, cwd, code=0, **options):
    done = subprocess.run([program, *words], cwd=cwd, text=True, capture_output=True, check=False, **options)
    check(done.returncode == code, f"{words} exits with {done.returncode}: {done.stderr}")
    return done


def signed(number):
    return struct.unpack("q", struct.pack("Q", number))[0]


def is_newtype(value):
    return isinstance(value, dict) and set(value) == {"value"}


def step_into(value, name):
    """The value of a field or an alternative; None if it is absent."""
    while is_newtype(value) and name != "value":
        value = value["value"]
    return value.get(name) if isinstance(value, dict) else None


def follow(value, path):
    for name, number, *_ in STEP.findall(path):
        if value is None:
            return None
        while number and is_newtype(value):
            value = value["value"]
        value = step_into(value, name.strip('"')) if name else value[int(number)]
    return value


class Database:
    def __init__(self, path):
        self.db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.tables = {name: (kind, where, parent) for name, kind, where, parent in self.ask('SELECT * FROM "tables"')}
        self.parts = {}
        for name, (_, _, parent) in self.tables.items():
            self.parts.setdefault(parent, []).append(name)
        self.columns = {}
        for table, *column in self.ask('SELECT * FROM "columns"'):
            self.columns.setdefault(table, []).append(column)
        self.ids = dict(self.ask("SELECT id, name FROM assets"))
        self.entities = {row: tuple(rest) for row, *rest in self.ask(
            "SELECT entity, s.name, number, e.name FROM entities e JOIN assets s ON s.id = e.scene")}
        check(not self.ask("PRAGMA foreign_key_check"), "a foreign key refers to nothing")
        check(self.ask("PRAGMA integrity_check") == [("ok",)], "the database is damaged")

    def ask(self, sql, *values):
        return self.db.execute(sql, values).fetchall()

    def cell(self, value, kind):
        """What a column has for a value of the dump."""
        while is_newtype(value):
            value = value["value"]
        if value is None:
            return None
        if isinstance(value, dict):
            keys = set(value)
            if keys == {"name", "value"}:
                return value["name"]
            if keys == {"names", "value"}:
                return " ".join(value["names"])
            if keys == {"name", "id"}:
                return signed(int(value["id"], 16)) or None
            if keys == {"entity", "name"} or keys == {"scene", "name"}:
                return value
            return next(iter(value))
        if isinstance(value, bool):
            return int(value)
        if kind.rstrip("?").startswith("bytes"):
            return base64.b64decode(value)
        if isinstance(value, str) and re.fullmatch(r"[fiu]\d+\??", kind):
            if kind[0] == "f":
                return "NaN" if value == "NaN" else float(value)
            return int(value) if int(value) < 1 << 63 else value
        return value

    def is_same(self, found, value, kind, is_json):
        if is_json:
            return (json.loads(found) if found is not None else None) == value
        wanted = self.cell(value, kind)
        # The type of a newtype does not show what it contains.
        if isinstance(wanted, str) and isinstance(found, (int, float, bytes)):
            wanted = base64.b64decode(wanted) if isinstance(found, bytes) else type(found)(wanted)
        if isinstance(wanted, dict):
            scene, number, name = self.entities[found]
            return (number if "entity" in wanted else scene) == wanted.get("entity", wanted.get("scene")) and name == wanted["name"]
        if isinstance(wanted, float) and isinstance(found, float):
            return found == wanted  # SQLite has no -0.0
        return found == wanted and isinstance(found, type(wanted))

    def compare(self, table, rows):
        """`rows`: the key of the parent, the key or position or None, and the value, of each row in order."""
        global count
        kind, path, _ = self.tables[table]
        columns = self.columns.get(table, [])
        own = {"list": ["_row", "_parent", "_position"], "map": ["_row", "_parent"], "part": ["_row", "_parent"],
               "asset": ["_asset"], "component": ["_entity"]}[kind]
        names = ", ".join(f'"{name}"' for name in own + [name for name, *_ in columns])
        found = self.ask(f'SELECT {names} FROM "{table}"' + (' ORDER BY "_row"' if "_row" in own else ""))
        if "_row" not in own:
            by_key = {row[0]: row for row in found}
            check(len(found) == len(rows) and set(by_key) == {key for key, _, _ in rows}, f"{table} has other rows than the dump")
            found = [by_key[key] for key, _, _ in rows]
        check(len(found) == len(rows), f"{table} has {len(found)} rows, not {len(rows)}")
        inner = {"list": "[]", "map": "{}"}.get(kind, "")
        for row, (parent, at, value) in zip(found, rows):
            check(row[own.index("_parent")] == parent if "_parent" in own else True, f"{table}: {row} has another parent than {parent}")
            check(row[2] == at if kind == "list" else True, f"{table}: {row} has another position than {at}")
            for cell, (name, where, of, is_json) in zip(row[len(own):], columns):
                if name.startswith("_key"):
                    check(self.is_key(cell, at, name, of), f"{table}.{name} is {cell!r}, not {at!r}")
                    continue
                wanted = follow(value, where[len(path + inner):])
                check(self.is_same(cell, wanted, of, is_json), f"{table}.{name} is {cell!r}, not {wanted!r}")
                count += 1
        parents = [(row[0], value) for row, (_, _, value) in zip(found, rows)]
        for child in self.parts.get(table, []):
            child_kind, child_path, _ = self.tables[child]
            self.compare(child, self.children(child_kind, child_path[len(path + inner):], parents))

    def is_key(self, cell, key, name, of):
        if name != "_key":
            key = key.split(",")[int(name.split("_")[-1])]
        if of.startswith("ref"):
            return self.ids[cell] == key
        return str(cell) == key or (of == "bool" and str(bool(cell)).lower() == key) or (of[0] == "f" and float(cell) == float(key))

    @staticmethod
    def children(kind, path, parents):
        rows = []
        for key, parent in parents:
            value = follow(parent, path)
            while kind != "part" and is_newtype(value):
                value = value["value"]
            if value is None:
                continue
            if kind == "list":
                rows += [(key, number, part) for number, part in enumerate(value)]
            elif kind == "map":
                rows += [(key, name, part) for name, part in value.items()]
            else:
                rows.append((key, None, value))
        return rows


def scenes_of(folder, files, dump):
    """The values of components: (component, scene, number) -> value."""
    found = {}
    for file in files:
        for name, asset in dump[file].items():
            if asset["type"] != "kiln.Scene":
                continue
            listed = json.loads(run(INSPECT, "scene", "-f", "json", file, name, cwd=folder).stdout)["scenes"][0]
            if not listed["entities"]:
                continue
            words = [f"#{number}" for number in range(listed["entities"])]
            shown = json.loads(run(INSPECT, "scene", "-f", "json", file, name, *words, cwd=folder).stdout)
            for entity in shown["entities"]:
                for component, value in entity["components"].items():
                    found[component, name, entity["entity"]] = value
    return found


def compare_files(folder, files):
    """Compares the database with the dumps; a later file overrides assets of earlier ones."""
    run(INSPECT, "export", "--to", "sqlite", "--force", "all.db", *files, cwd=folder)
    base = Database(os.path.join(folder, "all.db"))
    dumps = {file: json.loads(run(INSPECT, "dump", "-f", "json", file, cwd=folder).stdout)["assets"] for file in files}
    owner = {name: file for file in files for name in dumps[file]}
    check({(name, number) for name, number in base.ask("SELECT name, file FROM assets WHERE file IS NOT NULL")} ==
          {(name, files.index(file) + 1) for name, file in owner.items()}, "the table assets has other assets than the dump")
    components = scenes_of(folder, files, dumps)
    rows = {(scene, number): row for row, (scene, number, _) in base.entities.items()}
    ids = {name: key for key, name in base.ids.items()}
    for table, (kind, path, _) in base.tables.items():
        if kind == "asset":
            base.compare(table, [(ids[name], None, dumps[file][name]["value"]) for file in files
                                 for name in sorted(dumps[file], key=str.encode)
                                 if owner[name] == file and dumps[file][name]["type"] == path])
        elif kind == "component":
            wanted = [(rows[scene, number], None, value) for (name, scene, number), value in components.items() if name == path]
            base.compare(table, sorted(wanted, key=lambda row: row[0]))
    base.db.close()


SCHEMA = """
kiln: 1
namespace: t
types:
  Order: {enum: [select, group, "from"]}
  Part: {struct: {key: string, row: u8, parent: i8, more: "Part[]"}}
  Shape: {union: {dot: , size: u32, part: Part, parts: "Part[]"}, by: tag}
  Loop: {struct: {name: string, next: "Loop?"}}
  At: {struct: {x: f32, y: f64}}
  Corner: {struct: {name: string, _asset: u8, _entity: u8, _ROW: u8, _parent: string, _position: u8, _path: u8}}
  Many:
    struct:
@FIELDS@
  Thing:
    struct:
      select: string
      Price: i32
      pRICE: i32
      at: At
      at_x: u8
      "odd.[name]": u8
      big: u64
      low: i64
      order: Order
      shape: Shape
      shapes: "Shape[]"
      part: "Part?"
      list: "string[][]"
      maybe: "u8[]?"
      by: "map<Order, map<string, Part>>"
      grid: "u8[20]"
      corners: "Corner[2]"
      loop: Loop
      data: bytes
      word: "string?"
    asset: true
    kind: thing
  Wide: {struct: {many: Many, after: string}, asset: true, kind: wide}
files:
  - {match: "things.yaml", shape: map, type: Thing}
  - {match: "wide.yaml", shape: map, type: Wide}
"""
PART = {"key": "k", "row": 200, "parent": -1, "more": [{"key": "", "row": 0, "parent": 0, "more": []}]}
CORNERS = [{"name": name, "_asset": 1, "_entity": 2, "_ROW": 3, "_parent": "up", "_position": 4, "_path": 5} for name in ("left", "")]
THINGS = {
    "one": {"select": "x' \"y\"", "Price": -1, "pRICE": 2, "at": {"x": 0.1, "y": 0.1}, "at_x": 3, "odd.[name]": 7, "big": 18446744073709551615,
            "low": -9223372036854775808, "order": "from", "shape": {"part": PART}, "shapes": [{"size": 7}, "dot", {"parts": [PART, PART]}, None],
            "part": PART, "list": [["a", ""], [], ["b"]], "maybe": [], "by": {"group": {"": PART, "z": PART}, "select": {}},
            "grid": list(range(20)), "corners": CORNERS, "loop": {"name": "a", "next": {"name": "b", "next": {"name": "c"}}},
            "data": "AAECAw==", "word": ""},
    "two": {"select": "", "Price": 0, "pRICE": 0, "at": {"x": ".inf", "y": ".nan"}, "at_x": 0, "odd.[name]": 8, "big": 9223372036854775807, "low": 0,
            "order": "select", "shape": "dot", "shapes": [], "list": [], "by": {}, "grid": [0] * 20, "corners": CORNERS,
            "loop": {"name": ""}, "data": ""},
}
WIDE = 2100


def compare_forms(folder):
    """Structs that are difficult for tables: names that SQL reserves, many fields, types that contain themselves."""
    fields = "".join(f"      f{number}: u16\n" for number in range(WIDE))
    questions.write(folder, "forms.schema.yaml", SCHEMA.replace("@FIELDS@\n", fields))
    questions.write(folder, "things.yaml", json.dumps(THINGS).replace('".inf"', ".inf").replace('".nan"', ".nan"))
    questions.write(folder, "wide.yaml", json.dumps({"w": {"many": {f"f{n}": n for n in range(WIDE)}, "after": "end"}}))
    run(BAKE, "-q", "-s", "forms.schema.yaml", "-o", "forms.kiln", "things.yaml", "wide.yaml", cwd=folder)
    compare_files(folder, ["forms.kiln"])
    with contextlib.closing(sqlite3.connect(os.path.join(folder, "all.db"))) as db:
        check(db.execute('SELECT t."pRICE_2", m."after", m."many_f2099" FROM "t_Thing" t, "t_Wide_more" m LIMIT 1').fetchone() ==
              (2, "end", 2099), "names that are equal in SQL, or fields beyond SQLite's limit, have other columns than documented")
        check(db.execute("SELECT typeof(big), big FROM t_Thing ORDER BY _asset IN (SELECT id FROM assets WHERE name = 'thing/two')").fetchall() ==
              [("text", "18446744073709551615"), ("integer", 9223372036854775807)], "a number beyond i64 is no text")
        where = db.execute("SELECT path FROM columns WHERE name = 'odd__name_'").fetchone()[0]
    pasted = run(INSPECT, "get", "forms.kiln", where.replace("t.Thing", "thing/two", 1), cwd=folder).stdout
    check(where == 't.Thing."odd.[name]"' and pasted == "8\n", f"the path of a column is not that of its value: {where}, {pasted}")
    header = run(INSPECT, "export", "--to", "csv", "Corner", "forms.kiln", cwd=folder).stdout.splitlines()[0]
    check(header == "_path,name,_asset,_entity,_ROW,_parent,_position,_path_2", f"a field has the name of another column: {header}")
    lines = run(INSPECT, "export", "--to", "csv", "Part", "forms.kiln", cwd=folder).stdout
    rows = list(csv.reader(io.StringIO(lines, newline="")))
    check(rows[0] == ["_path", "key", "row", "parent", "more"] and len(rows) == 13 and rows[1][1:4] == ["k", "200", "-1"],
          f"CSV has other rows than expected: {rows[:2]}, {len(rows)}")


def compare_samples(folder):
    """Scenes, with entities that refer to each other, to assets of another file, and to data."""
    for file in SAMPLES:
        compare_files(folder, [file])
    compare_files(folder, SAMPLES)


def replace_only_if_asked(folder):
    path = pathlib.Path(folder, "kept.db")
    path.write_text("kept", encoding="utf-8")
    refused = run(INSPECT, "export", "--to", "sqlite", "kept.db", "a.kiln", cwd=folder, code=2)
    check("--force" in refused.stderr and path.read_text(encoding="utf-8") == "kept", "an existing file was replaced without --force")
    for text in ("kept", "SQLite format 3", "SQLite format 4\0 "):
        path.write_text(text, encoding="utf-8")
        refused = run(INSPECT, "export", "--to", "sqlite", "kept.db", "a.kiln", "--force", cwd=folder, code=2)
        check("only SQLite databases" in refused.stderr and path.read_text(encoding="utf-8") == text, "--force replaced another file")
    os.mkdir(os.path.join(folder, "folder.db"))
    refused = run(INSPECT, "export", "--to", "sqlite", "folder.db", "a.kiln", "--force", cwd=folder, code=2)
    check("only SQLite databases" in refused.stderr and os.path.isdir(os.path.join(folder, "folder.db")), "--force replaced a folder")
    for size in (0, None):
        if size == 0:
            path.write_bytes(b"")
        run(INSPECT, "export", "--to", "sqlite", "kept.db", "a.kiln", "--force", cwd=folder)
        check(path.read_bytes().startswith(b"SQLite format 3\0"), "--force did not replace the file")
    names = sorted(row[0] for row in sqlite3.connect(path).execute("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"))
    check({"assets_name", "links_target"} <= set(names), f"indexes are missing: {names}")
    with contextlib.closing(sqlite3.connect(path)) as db:
        children = [name for (name,) in db.execute('SELECT name FROM "tables" WHERE parent IS NOT NULL') if db.execute(f'SELECT 1 FROM "{name}" LIMIT 1').fetchone()]
    check(children and {f"{child}_{column}" for child in children for column in ("_parent", "_asset")} <= set(names), f"indexes are missing: {names}")
    pathlib.Path(folder, "kept.db-wal").write_text("", encoding="utf-8")
    before = path.read_bytes()
    refused = run(INSPECT, "export", "--to", "sqlite", "kept.db", "a.kiln", "--force", cwd=folder, code=2)
    check("in use" in refused.stderr and path.read_bytes() == before, "a database in use was replaced")
    os.remove(os.path.join(folder, "kept.db-wal"))


def write_what_can_be_read(folder):
    """A truncated file gives a database with the assets that are whole, and the exit status 1."""
    whole = pathlib.Path(SAMPLES[0]).read_bytes()
    for size in (10, 3000, len(whole) * 3 // 4):
        pathlib.Path(folder, "cut.kiln").write_bytes(whole[:size])
        done = run(INSPECT, "export", "--to", "sqlite", "--force", "cut.db", "cut.kiln", cwd=folder, code=1)
        check(done.stderr, "a truncated file is not reported")
        base = pathlib.Path(folder, "cut.db")
        if size > 10:
            check("truncated" in done.stderr and base.exists(), f"a truncated file is not exported: {done.stderr}")
            with contextlib.closing(sqlite3.connect(base)) as db:
                check(db.execute("PRAGMA integrity_check").fetchall() == [("ok",)], "the database of a truncated file is damaged")
        else:
            check(not base.exists(), "a file that is no Kiln file gives a database")


def need_sqlite_only_for_databases(folder):
    """With a library that cannot be loaded, only --to sqlite fails."""
    os.mkdir(os.path.join(folder, "lib"))
    pathlib.Path(folder, "lib/libsqlite3.so.0").write_text("none", encoding="utf-8")
    environment = {**os.environ, "LD_LIBRARY_PATH": os.path.join(folder, "lib")}
    refused = run(INSPECT, "export", "--to", "sqlite", "none.db", "a.kiln", cwd=folder, code=2, env=environment)
    check("install libsqlite3" in refused.stderr and not os.path.exists(os.path.join(folder, "none.db")), "a missing library is not reported")
    run(INSPECT, "export", "--to", "ndjson", "Node", "a.kiln", cwd=folder, env=environment)


def leave_nothing_behind(folder):
    """A full disk, and signals at several moments, leave no file, and with --force the former one."""
    place = os.path.join(folder, "place")
    os.mkdir(place)
    for former in (None, b"SQLite format 3\0 former"):
        target = pathlib.Path(place, "out.db")
        if former:
            target.write_bytes(former)
        left = [] if former is None else ["out.db"]
        for size in (0, 4096, 65536):
            done = run(INSPECT, "export", "--to", "sqlite", "--force", "place/out.db", "forms.kiln", cwd=folder, code=2,
                       preexec_fn=lambda size=size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
            check("cannot be written" in done.stderr, f"a full disk is not reported: {done.stderr}")
            check(os.listdir(place) == left, f"a full disk leaves {os.listdir(place)}")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with subprocess.Popen([INSPECT, "export", "--to", "sqlite", "--force", "place/out.db", "forms.kiln", *SAMPLES], cwd=folder,
                                  stdout=subprocess.DEVNULL) as child:
                # Any moment after the temporary file was made; the program may also finish first.
                while child.poll() is None and len(os.listdir(place)) <= len(left):
                    time.sleep(0.0005)
                child.send_signal(number)
                code = child.wait()
            if code == 0:
                os.remove(target)
                if former:
                    target.write_bytes(former)
            check(code in (0, -number) and os.listdir(place) == left, f"signal {number} leaves {os.listdir(place)}, exit status {code}")
        check(former is None or target.read_bytes() == former, "the former file was changed")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(4):
            maker = questions.Maker(seed)
            for name in ("a", "b"):
                chosen = {key: maker.node() for key in questions.IDS if maker.random.random() < 0.7}
                questions.bake(BAKE, folder, name, chosen)
            compare_files(folder, ["a.kiln"])
            compare_files(folder, ["a.kiln", "b.kiln"])
        compare_forms(folder)
        compare_samples(folder)
        replace_only_if_asked(folder)
        write_what_can_be_read(folder)
        need_sqlite_only_for_databases(folder)
        leave_nothing_behind(folder)
        print(f"{count} values are the same")


main()
