#!/usr/bin/env python3
"""check_sites.py finds exactly the checks that a human reader would find."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import check_sites  # noqa: E402

SOURCE = r"""
/* if (comment) return fail(); */
#define IGNORED(x) if (x) return false;
static kiln_status check(const thing *t, const char *text)
{
    uint32_t seen = 0;
    if (t->size > 4 || (t->kind == 2 && t->count != 1))
        return fail(t, KILN_V_BOUNDS, "if (text)");
    kiln_status status = check_part(t, 1);
    if (status)
        return status;
    for (uint32_t i = 0; i < t->count && !status; i++)
        status = check_part(t, i);
    if (t->is_plain)
        return KILN_OK;
    seen |= 1;
    return t->flags & ~t->mask ? fail(t, KILN_V_FLAGS, text) : KILN_OK;
}

static part part_of(const thing *t)
{
    return (part){.kind = 1, .name = t->is_named ? t->name : NULL, .size = 2};
}

static bool is_small(const thing *t)
{
    return t->size < 4 && !(t->a || t->b);
}
"""

EXPECTED = [
    ("check", "t->size > 4 || (t->kind == 2 && t->count != 1)", "false"),
    ("check", "t->size > 4", "false"),
    ("check", "(t->kind == 2 && t->count != 1)", "false"),
    ("check", "check_part(t, 1)", "ok"),
    ("check", "status", "false"),
    ("check", "i < t->count && !status", "false"),
    ("check", "!status", "true"),
    ("check", "status = check_part(t, i)", "nothing"),
    ("check", "check_part(t, i)", "ok"),
    ("check", "t->is_plain", "true"),
    ("check", "seen |= 1", "nothing"),
    ("check", "t->flags & ~t->mask", "false"),
    ("part_of", "t->is_named", "true"),
    ("is_small", "t->size < 4 && !(t->a || t->b)", "false"),
    ("is_small", "t->size < 4 && !(t->a || t->b)", "true"),
    ("is_small", "t->size < 4", "true"),
    ("is_small", "!(t->a || t->b)", "true"),
    ("is_small", "t->a", "false"),
    ("is_small", "t->b", "false"),
]


def main():
    changes = check_sites.find_changes(SOURCE)
    found = [(change.function, change.text, change.value) for change in changes]
    for missing in sorted(set(EXPECTED) - set(found)):
        print("not found:", *missing)
    for more in sorted(set(found) - set(EXPECTED)):
        print("found, but not a check:", *more)
    built = check_sites.instrument(SOURCE, changes, 0)
    whole = all(f"({i}" in built for i in range(len(changes)))
    plain = built.count("(") - built.count(")") == SOURCE.count("(") - SOURCE.count(")")
    if not whole or not plain:
        print("not all changes are built in, or brackets do not match")
    right = sorted(found) == sorted(EXPECTED) and whole and plain
    print(f"{len(found)} checks found" if right else "FAILED")
    return 0 if right else 1


sys.exit(main())
