/* Compares assets that inherit with the same assets written out. */
#include "same_bake.h"

static const char types[] =
    "  Vec: {struct: {x: {type: i32, default: 0}, y: {type: i32, default: 0}}}\n"
    "  Light:\n"
    "    struct:\n"
    "      on: {type: u8, default: 0}\n"
    "      at: Vec\n"
    "      tags: 'string[]'\n"
    "      own: {type: u8, default: 0, inherit: never}\n"
    "  Part:\n"
    "    union: {vec: Vec, light: {type: Light, was: lamp}, wrapped: Wrapped, none: }\n"
    "    by: {key: type}\n"
    "  Wrapped: {wrap: Light}\n"
    "  Plain: {union: {vec: Vec, light: Light}}\n"
    "  Mixed:\n"
    "    struct:\n"
    "      a: {type: u8, default: 0}\n"
    "      list: 'u8[]'\n"
    "      whole: {type: 'u8[]', inherit: replace}\n"
    "      own: {type: u8, default: 0, inherit: never}\n"
    "      in: {type: Vec, default: {}}\n"
    "      part: {type: Vec, default: {}, inherit: replace}\n"
    "  Item:\n"
    "    struct:\n"
    "      name: {type: string, default: thing}\n"
    "      size: {type: u8, default: 1}\n"
    "      at: {type: Vec, default: {}}\n"
    "      own: {type: u8, default: 9, inherit: never}\n"
    "      tags: 'string[]'\n"
    "      all: {type: 'string[]', inherit: merge, single: true}\n"
    "      by: {type: 'map<string, Vec>', inherit: merge}\n"
    "      numbers: {type: 'map<u16, u8>', inherit: merge}\n"
    "      mixed: {type: Mixed, default: {}, inherit: merge}\n"
    "      maybe: {type: Mixed?, inherit: merge}\n"
    "      parts: {type: 'Part[]', inherit: merge}\n"
    "      plains: {type: 'Plain[]', inherit: merge}\n"
    "      wraps: {type: Tags, inherit: merge}\n"
    "      always: Always\n"
    "      effect: Plain\n"
    "    asset: true\n"
    "    kind: item\n"
    "    inherit: true\n"
    "  Tags: {wrap: 'string[]'}\n"
    "  Always: {wrap: {type: 'string[]', inherit: merge}}\n"
    "  Rest:\n"
    "    struct: {a: {type: u8, default: 0}, rest: {type: 'map<string, u8>', rest: true}}\n"
    "    asset: true\n"
    "    inherit: {parent: from, abstract: ~}\n"
    "  All:\n"
    "    struct: {rest: {type: 'map<string, u8>', rest: true, inherit: merge}}\n"
    "    asset: true\n"
    "    inherit: {parent: parent}\n"
    "  Mine:\n"
    "    struct: {rest: {type: 'map<string, u8>', rest: true, inherit: never}}\n"
    "    asset: true\n"
    "    inherit: true\n"
    "  Deep: {wrap: Item, asset: true, inherit: true}\n";

#define KINDS "files:\n  - {shape: kinds}\n"

static void the_first_layer_with_a_value_wins(void **state)
{
    (void)state;
    static const same_row rows[] = {
        {KINDS,
         {{"in/a.yaml", "item:\n"
                        "  c: {parent: b, name: c}\n"
                        "  b: {parent: a, size: 2, own: 3, at: {x: 1}}\n"
                        "  a: {name: a, size: 1, tags: [x, y], at: {x: 5, y: 6}}\n"}},
         "item:\n"
         "  a: {name: a, size: 1, tags: [x, y], at: {x: 5, y: 6}}\n"
         "  b: {name: a, size: 2, own: 3, at: {x: 1}, tags: [x, y]}\n"
         "  c: {name: c, size: 2, at: {x: 1}, tags: [x, y]}\n"},
        /* With several parents, the first one and all its ancestors come before the second. */
        {KINDS,
         {{"in/a.yaml", "item: {d: {parent: [b, c]}, b: {parent: a}, c: {size: 3, name: c}}\n"},
          {"in/b.yaml", "item: {a: {size: 1}}\n"}},
         "item: {a: {size: 1}, b: {size: 1}, c: {size: 3, name: c}, d: {size: 1, name: c}}\n"},
        /* Abstract assets only serve as parents. */
        {KINDS,
         {{"in/a.yaml", "item: {a: {abstract: true, size: 3}, b: {parent: a, abstract: false},\n"
                        "  c: {parent: item/a, abstract: FALSE, name: a}}\n"}},
         "item: {b: {size: 3}, c: {size: 3, name: a}}\n"},
        /* Null is an ordinary value of a field. As `parent`, null means that there is no parent. */
        {KINDS,
         {{"in/a.yaml", "item: {a: {tags: [x], effect: {vec: {x: 1}}, maybe: {a: 1}, parent: ~},\n"
                        "  b: {parent: [a], tags: ~, effect: null, maybe: ~}, c: {parent: []}}\n"}},
         "item: {a: {tags: [x], effect: {vec: {x: 1}}, maybe: {a: 1}}, b: {}, c: {}}\n"},
        {"files:\n  - {match: x.yaml, shape: list, by: type}\n  - {shape: map, type: Rest}\n",
         {{"in/x.yaml", "- {type: Rest, id: a, a: 1, x: 2}\n- {type: Rest, id: b, from: a, a: 3}\n"
                        "- {type: Rest, id: c, from: [a], y: 4, abstract: 5}\n"},
          {"in/y.yaml", "d: {from: c, a: 7}\n"}},
         "Rest: {a: {a: 1, x: 2}, b: {a: 3, x: 2}, c: {a: 1, y: 4, abstract: 5},\n"
         "  d: {a: 7, y: 4, abstract: 5}}\n"},
        {KINDS,
         {{"in/a.yaml", "All: {a: {x: 1, y: 2}, b: {parent: a, y: 3, z: 4, abstract: 1}}\n"
                        "Mine: {a: {x: 1}, b: {parent: a, y: 2}, c: {parent: b}}\n"}},
         "All: {a: {x: 1, y: 2}, b: {x: 1, y: 3, z: 4, abstract: 1}}\n"
         "Mine: {a: {x: 1}, b: {y: 2}, c: {}}\n"},
        {KINDS,
         {{"in/a.yaml", "Deep: {a: {size: 2, abstract: true}, b: {parent: a, name: b}}\n"}},
         "Deep: {b: {size: 2, name: b}}\n"},
    };
    same_check(types, rows, COUNT(rows));
}

static void merged_fields_combine_all_layers(void **state)
{
    (void)state;
    static const same_row rows[] = {
        {KINDS,
         {{"in/a.yaml",
           "item:\n"
           "  a: {all: [x, y], by: {p: {x: 1}, q: {x: 2, y: 3}}, numbers: {1: 1, 2: 2}}\n"
           "  b: {parent: a, all: z, by: {q: {x: 4}}, numbers: {0x2: 5, 3: 6}}\n"
           "  c: {all: u, abstract: true, wraps: [c], always: [c]}\n"
           "  d: {parent: [b, c], wraps: [d], always: [d]}\n"}},
         "item:\n"
         "  a: {all: [x, y], by: {p: {x: 1}, q: {x: 2, y: 3}}, numbers: {1: 1, 2: 2}}\n"
         "  b: {all: [z, x, y], by: {p: {x: 1}, q: {x: 4}}, numbers: {1: 1, 2: 5, 3: 6}}\n"
         "  d: {all: [z, x, y, u], by: {p: {x: 1}, q: {x: 4}}, numbers: {1: 1, 2: 5, 3: 6},\n"
         "    wraps: [d, c], always: [d, c]}\n"},
        /* An empty map adds nothing to the inherited map. */
        {KINDS,
         {{"in/a.yaml", "item: {a: {numbers: {1: 1}}, b: {parent: a, numbers: {}}}\n"}},
         "item: {a: {numbers: {1: 1}}, b: {numbers: {1: 1}}}\n"},
        /* An ancestor reached by several paths counts once, at its first position. */
        {KINDS,
         {{"in/a.yaml", "item: {a: {all: a}, b: {parent: a, all: b}, c: {parent: a, all: c},\n"
                        "  d: {parent: [b, c, a], all: d}}\n"}},
         "item: {a: {all: a}, b: {all: [b, a]}, c: {all: [c, a]}, d: {all: [d, b, a, c]}}\n"},
        /* Fields inside a merged value are merged unless they declare otherwise. */
        {KINDS,
         {{"in/a.yaml",
           "item:\n"
           "  a: {mixed: {a: 1, list: [1], whole: [1], own: 4, in: {x: 1, y: 2},\n"
           "    part: {x: 1, y: 2}}}\n"
           "  b: {parent: a, mixed: {list: [2], whole: [2], in: {y: 3}, part: {y: 3}}}\n"
           "  c: {parent: a}\n"}},
         "item:\n"
         "  a: {mixed: {a: 1, list: [1], whole: [1], own: 4, in: {x: 1, y: 2}, part: {x: 1, y: "
         "2}}}\n"
         "  b: {mixed: {a: 1, list: [2, 1], whole: [2], in: {x: 1, y: 3}, part: {y: 3}}}\n"
         "  c: {mixed: {a: 1, list: [1], whole: [1], in: {x: 1, y: 2}, part: {x: 1, y: 2}}}\n"},
        /* Null discards the inherited value. */
        {KINDS,
         {{"in/a.yaml",
           "item:\n"
           "  a: {all: a, by: {p: {}}, maybe: {a: 1, own: 1}, parts: [none]}\n"
           "  b: {parent: a, all: ~, by: ~, maybe: ~, parts: ~}\n"
           "  c: {parent: b, all: c, by: {q: {}}, maybe: {list: [1]}, parts: [vec: {}]}\n"
           "  d: {parent: a, maybe: {list: [1]}}\n"}},
         "item:\n"
         "  a: {all: a, by: {p: {}}, maybe: {a: 1, own: 1}, parts: [none]}\n"
         "  b: {}\n"
         "  c: {all: c, by: {q: {}}, maybe: {list: [1]}, parts: [vec: {}]}\n"
         "  d: {all: a, by: {p: {}}, maybe: {a: 1, list: [1]}, parts: [none]}\n"},
    };
    same_check(types, rows, COUNT(rows));
}

static void elements_with_the_same_alternative_are_merged(void **state)
{
    (void)state;
    static const same_row rows[] = {
        {KINDS,
         {{"in/a.yaml",
           "item:\n"
           "  a: {parts: [{type: vec, x: 1, y: 2}, {type: light, on: 1, at: {x: 1, y: 1},\n"
           "    tags: [a], own: 2}]}\n"
           "  b: {parent: a, parts: [{type: light, at: {x: 3}}, none]}\n"
           "  c: {parent: b, parts: [{type: vec, y: 4}, {light: {on: 5}}]}\n"}},
         "item:\n"
         "  a: {parts: [{vec: {x: 1, y: 2}}, {light: {on: 1, at: {x: 1, y: 1}, tags: [a], own: "
         "2}}]}\n"
         "  b: {parts: [{light: {on: 1, at: {x: 3}, tags: [a]}}, none, {vec: {x: 1, y: 2}}]}\n"
         "  c: {parts: [{vec: {x: 1, y: 4}}, {light: {on: 5, at: {x: 3}, tags: [a]}}, none]}\n"},
        /* Several elements with the same alternative are matched in their order. */
        {KINDS,
         {{"in/a.yaml", "item:\n"
                        "  a: {parts: [{type: vec, x: 1}, {type: vec, x: 2}, {type: vec, x: 3}]}\n"
                        "  b: {parent: a, parts: [{type: vec, y: 1}, none, {type: vec, y: 2}]}\n"}},
         "item:\n"
         "  a: {parts: [vec: {x: 1}, vec: {x: 2}, vec: {x: 3}]}\n"
         "  b: {parts: [vec: {x: 1, y: 1}, none, vec: {x: 2, y: 2}, vec: {x: 3}]}\n"},
        {KINDS,
         {{"in/a.yaml",
           "item:\n"
           "  a: {parts: [{type: wrapped, at: {}, on: 1, own: 3}, none], plains: [vec: {x: 1}]}\n"
           "  b: {parent: a, parts: [{wrapped: {own: 2}}], plains: [vec: {y: 1}]}\n"}},
         "item:\n"
         "  a: {parts: [{wrapped: {at: {}, on: 1, own: 3}}, none], plains: [vec: {x: 1}]}\n"
         "  b: {parts: [{wrapped: {at: {}, on: 1, own: 2}}, none], plains: [vec: {y: 1}, vec: {x: "
         "1}]}\n"},
    };
    same_check(types, rows, COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_layer_with_a_value_wins, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(merged_fields_combine_all_layers, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(elements_with_the_same_alternative_are_merged,
                                        fixture_enter, fixture_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
