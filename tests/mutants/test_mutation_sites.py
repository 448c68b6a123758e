#!/usr/bin/env python3
"""mutation_sites.py finds exactly the changes that a human reader would find."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import mutation_sites  # noqa: E402

SOURCE = r"""
/* if (a < b) return; */
#define IGNORED(x) ((x) + 1)
static bool is_small(const thing *t, const char *text)
{
    assert(t->size < 9);
    if (t->size <= 4 && !t->is_long) // a < b
        return true;
    *text = '<';
    note(t, "a < b");
    return t->a | t->b;
}

static uint32_t sum(const thing *t)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < t->count; i++)
        all += t->of[i] << 1;
    return all - t->less;
}

static thing *first(thing *t)
{
    return -t->n ? t->next : NULL;
}
"""

EXPECTED = [
    ("is_small", "`t->size <= 4`: <= becomes <"),
    ("is_small", "`t->size <= 4 && !t->is_long` is negated"),
    ("is_small", "`t->size <= 4 && !t->is_long`: && becomes ||"),
    ("is_small", "4 becomes one more, after `t(t->size < 9); if (t->size <=`"),
    ("is_small", "true becomes the other, after `& !t->is_long) // a < b return`"),
    ("is_small", "`*text = '<'` is left out"),
    ("is_small", '`note(t, "a < b")` is left out'),
    ("is_small", "`t->a | t->b`: | becomes &"),
    ("is_small", "the returned `t->a | t->b` is negated"),
    ("sum", "0 becomes one more, after `{ uint32_t all =`"),
    ("sum", "0 becomes one more, after `2_t all = 0; for (uint32_t i =`"),
    ("sum", "`i < t->count` is negated"),
    ("sum", "`i < t->count`: < becomes <="),
    ("sum", "`all += t->of[i] << 1` is left out"),
    ("sum", "`t->of[i] << 1`: << becomes >>"),
    ("sum", "1 becomes one more, after `count; i++) all += t->of[i] <<`"),
    ("sum", "`all - t->less`: - becomes +"),
    ("sum", "one more than `all - t->less` is returned"),
    ("first", "NULL is returned instead of `-t->n ? t->next : NULL`"),
]

# Each change is next to the original code, and inner changes are inside outer ones.
BUILT = [
    "if ((!((KILN_MUTANT(2) ? (t->size <= 4 || !t->is_long) : ((KILN_MUTANT(0) ? (t->size < 4) : "
    "(t->size <= (4 + KILN_MUTANT(3)))) && !t->is_long))) != !KILN_MUTANT(1))) // a < b",
    "(void)(KILN_MUTANT(5) || ((*text = '<'), 0));",
    "return (KILN_MUTANT(16) ? (all + t->less) : (((all - t->less) + KILN_MUTANT(17))));",
    "return (KILN_MUTANT(18) ? NULL : (-t->n ? t->next : NULL));",
]


def site(start, end):
    return mutation_sites.Site(start, end, "{0}", "", "", 1)


def main():
    sites = mutation_sites.find_sites(SOURCE)
    found = [(change.function, change.change) for change in sites]
    faults = [("not found:", *missing) for missing in set(EXPECTED) - set(found)]
    faults += [("found, but not a change:", *more) for more in set(found) - set(EXPECTED)]
    if sorted(found) != sorted(EXPECTED):
        faults.append(("some are found more than once",))
    built = mutation_sites.instrument(SOURCE, list(enumerate(sites)))
    faults += [("not built in:", line) for line in BUILT if line not in built]
    faults += [("not built in exactly once:", str(i)) for i in range(len(sites)) if built.count(f"KILN_MUTANT({i})") != 1]
    if mutation_sites.instrument(SOURCE, []) != SOURCE:
        faults.append(("without changes the source differs",))
    crossing = [(a, b) for a in range(4) for b in range(4) if mutation_sites.crosses(site(a, a + 2), site(b, b + 2))]
    if crossing != [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)] or mutation_sites.crosses(site(0, 3), site(0, 1)):
        faults.append(("wrong result for crossing sites",))
    for fault in faults:
        print(*fault)
    print("FAILED" if faults else f"{len(found)} changes found")
    return 1 if faults else 0


sys.exit(main())
