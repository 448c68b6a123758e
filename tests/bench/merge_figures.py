#!/usr/bin/env python3
"""merge_figures.py FIGURES.csv PART.csv: replaces the rows of figures.csv that a run with --only measured again.

The heading of that run, with its date, processors and load, becomes a comment for each of these rows.
"""
import csv
import datetime
import sys


def rows_of(path):
    """Returns the heading lines, the line of column names, rows as {name: line} in order, and the lines at the end."""
    head, rows, end, columns = [], {}, [], ""
    for line in open(path, encoding="utf-8"):
        if line.startswith("#"):
            (end if columns else head).append(line)
        elif not columns:
            columns = line
        else:
            rows[next(csv.reader([line]))[0]] = line
    return head, columns, rows, end


def main():
    head, columns, rows, end = rows_of(sys.argv[1])
    part_head, part_columns, part, part_end = rows_of(sys.argv[2])
    if columns != part_columns or not part:
        sys.exit(f"{sys.argv[2]}: other columns, or no row")
    rows.update(part)
    date = datetime.date.today().isoformat()
    note = [line for line in end if not any(f'"{name}"' in line for name in part)]
    note += [f'# "{name}" was measured on {date}; {part_head[0][2:].strip()}\n' for name in part]
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.writelines(head + [columns] + list(rows.values()) + note)
    return 0


if __name__ == "__main__":
    sys.exit(main())
