/* Baked scenes as text: entities, rows, names and data. */
#include "failing_bake.h"
#include "scene_text.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char schema_text[] =
    "kiln: 1\n"
    "namespace: game\n"
    "types:\n"
    "  Item: {struct: {price: {type: u8, default: 1}}, asset: true}\n"
    "  Place: {struct: {x: i32, y: {type: i32, default: 0}}}\n"
    "  Size: {struct: {w: u8, h: u8}}\n"
    "  Body: {struct: {at: Place, size: Size, id: {type: u8, default: 9}}}\n"
    "  Parent: {struct: {of: entity, order: {type: u8, default: 7}}}\n"
    "  Link: {struct: {to: entity}}\n"
    "  Pair: {struct: {both: \"entity[2]\"}}\n"
    "  Holds: {struct: {item: ref<Item>}, component: true}\n"
    "  Speed: {wrap: i16}\n"
    "  Lit: {struct: {}}\n"
    "  State: {struct: {name: string, level: {type: u8, default: 1}}}\n"
    "  Sprite:\n"
    "    struct:\n"
    "      path: {type: string, default: none}\n"
    "      tags: {type: \"string[]\", single: true}\n"
    "      by: \"map<string, u32>\"\n"
    "      look: {type: State, default: {name: plain}}\n"
    "      maybe: State?\n"
    "    component: true\n"
    "  Old: {struct: {a: {type: u8, default: 0, deprecated: true}, b: {type: u8, default: 0}}}\n"
    "  Olds: {struct: {all: \"Old[]\"}, component: true}\n"
    "  Wear: {enum: {new: 1, worn: {value: 2, deprecated: true}}}\n"
    "  Gate: {struct: {a: data<Wear>, b: data<Wear>}, component: true}\n"
    "  Bit: {flags: {l: {value: 1, deprecated: true}, r: {value: 2, deprecated: true, was: s}}}\n"
    "  Bits: {struct: {all: Bit}, component: true}\n"
    "  Link2: {struct: {next: Link2?}}\n"
    "  Deep: {struct: {next: Link2?}, component: true}\n"
    "  Mood: {union: {calm: , angry: u8, with: Place}}\n"
    "  More: {struct: {a: {type: u8, default: 1}, rest: {type: \"map<string, u8>\", rest: true}}}\n"
    "  New: {struct: {now: {type: u8, default: 0, was: then}, far: {type: u8, default: 0}}}\n"
    "  Whole: {wrap: Place}\n"
    "  Mix:\n"
    "    struct:\n"
    "      mood: Mood\n"
    "      by: \"map<string, u8>\"\n"
    "      list: \"Place[]\"\n"
    "      more: {type: More, default: {}}\n"
    "      whole: {type: Whole, default: {x: 0}}\n"
    "      new: {type: New, default: {}}\n"
    "    component: true\n"
    "files:\n"
    "  - {match: \"*.items.yaml\", shape: map, type: Item}\n"
    "  - {match: \"*.prefabs.yaml\", shape: prefabs}\n"
    "  - {match: \"*.family.yaml\", shape: scene, kind: Family, parent: Parent.of}\n"
    "  - {match: \"*.scene.yaml\", shape: scene}\n";

static const char items_text[] = "sword: {}\naxe: {price: 2}\n";

static void write_inputs(const char *scene, const char *prefabs)
{
    scene_write(schema_text, scene, prefabs);
    fixture_write("in/x.items.yaml", items_text);
}

static void check_rows(const scene_row *rows, size_t count)
{
    scene_check_rows(rows, count, write_inputs);
}

static void entities_have_the_written_values(void **state)
{
    static const scene_row rows[] = {
        {NULL, "entities: []\n", ""},
        {NULL, "{}\n", ""},
        {NULL, "entities: [{}, {name: a}]\n", "#0:\na:\n"},
        {NULL, "entities: [{name: a, components: {Place: {x: 1}, Lit: {}}}]\n",
         "a: Lit Place{x:1 y:0}\n"},
        {NULL, "entities: [{components: {game.Place: {x: 0x10}, Lit: , Speed: -3}}]\n",
         "#0: Lit Place{x:16 y:0} Speed{value:-3}\n"},
        {NULL,
         "entities:\n- {name: b, components: {Speed: 1}}\n- {name: a, components: {Speed: 2}}\n"
         "- {name: l, components: {Lit: {}, Speed: 3}}\n- {name: c, components: {Speed: 4}}\n",
         "l: Lit Speed{value:3}\nb: Speed{value:1}\na: Speed{value:2}\nc: Speed{value:4}\n"},
        {NULL,
         "entities:\n- {components: {Holds: {item: axe}}}\n- components: {Holds: {item: "
         "Item/sword}}\n- components: {Holds: {item: axe}}\n",
         "#0: Holds{item:Item/axe}\n#1: Holds{item:Item/sword}\n#2: Holds{item:Item/axe}\n"},
    };
    (void)state;
    check_rows(rows, COUNT(rows));
}

static void prefabs_combine_their_bases(void **state)
{
    static const scene_row rows[] = {
        {"a: {components: {Speed: 1, Lit: }}\n", "entities: [{name: e, base: a}]\n",
         "e: Lit Speed{value:1}\n"},
        {"a: {components: {Speed: 1, Lit: }}\n",
         "entities: [{name: e, base: a, components: {Speed: 2}, remove: Lit}]\n",
         "e: Speed{value:2}\n"},
        /* Mappings of structs are merged at any depth. */
        {"a: {components: {Body: {at: {x: 1, y: 2}, size: {w: 3, h: 4}}}}\n"
         "b: {base: a, components: {Body: {at: {y: 5}}}}\n",
         "entities: [{name: e, base: b, components: {Body: {size: {h: 6}, id: 7}}}, {base: a}]\n",
         "e: Body{at:{x:1 y:5} size:{w:3 h:6} id:7}\n#1: Body{at:{x:1 y:2} size:{w:3 h:4} id:9}\n"},
        /* Later bases override earlier ones, and the entity's own values override both. */
        {"a: {components: {Place: {x: 1, y: 1}}}\nb: {components: {Place: {x: 2}, Speed: 1}}\n",
         "entities: [{base: [a, b]}, {base: [b, a]}, {base: [a, b], components: {Place: {y: "
         "3}}}]\n",
         "#0: Place{x:2 y:1} Speed{value:1}\n#1: Place{x:1 y:1} Speed{value:1}\n"
         "#2: Place{x:2 y:3} Speed{value:1}\n"},
        /* A value that both bases inherit from one prefab applies with the later base. */
        {"a: {components: {Place: {x: 1, y: 1}}}\nb: {base: a, components: {Place: {x: 2}}}\n"
         "c: {base: a}\n",
         "entities: [{base: [b, c]}, {base: [c, b]}]\n",
         "#0: Place{x:1 y:1}\n#1: Place{x:2 y:1}\n"},
        /* A component that is removed and written again starts from its defaults. */
        {"a: {components: {Place: {x: 1, y: 1}}}\n",
         "entities: [{base: a, remove: [Place], components: {Place: {x: 5}}}]\n",
         "#0: Place{x:5 y:0}\n"},
        /* An abstract prefab may lack values that prefabs based on it add. */
        {"a: {abstract: true, components: {Place: {y: 1}}}\nb: {base: a, components: {Place: {x: "
         "4}}}\n",
         "entities: [{base: b}]\n", "#0: Place{x:4 y:1}\n"},
        {"a: {components: {Speed: 1}}\n",
         "prefabs: {a: {components: {Speed: 2}}, b: {base: a}}\nentities: [{base: a}, {base: b}]\n",
         "#0: Speed{value:2}\n#1: Speed{value:2}\n"},
        {"a: {components: {Speed: 1, Lit: }}\n",
         "prefabs: {a: {base: a, components: {Speed: 2}}}\nentities: [{base: a}]\n",
         "#0: Lit Speed{value:2}\n"},
        {"b: {base: a}\na: {components: {Speed: 1}}\nc: \n", "entities: [{base: b}, {base: c}]\n",
         "#0:\n#1: Speed{value:1}\n"},
    };
    (void)state;
    check_rows(rows, COUNT(rows));
}

static void values_other_than_structs_are_replaced_whole(void **state)
{
    static const struct {
        const char *lower, *upper, *expected;
    } rows[] = {
        {"{mood: {angry: 1}, by: {a: 1, b: 2}, list: [{x: 1}, {x: 2}]}",
         "{mood: {with: {x: 1}}, by: {b: 3}, list: [{x: 3}]}",
         "mood:{with:{x:1 y:0}} by:{'b':3} list:[{x:3 y:0}] more:{a:1 rest:{}} whole:{value:{x:0 "
         "y:0}} new:{now:0 far:0}"},
        {"{mood: {with: {x: 1, y: 2}}}", "{mood: {with: {x: 3}}}",
         "mood:{with:{x:3 y:0}} by:- list:- more:{a:1 rest:{}} whole:{value:{x:0 y:0}} new:{now:0 "
         "far:0}"},
        {"{mood: {angry: 1}, by: {a: 1}}", "{mood: ~, by: ~}",
         "mood:- by:- list:- more:{a:1 rest:{}} whole:{value:{x:0 y:0}} new:{now:0 far:0}"},
        /* The rest field is a map, which an overriding map replaces. */
        {"{more: {a: 2, b: 3, c: 4}}", "{more: {d: 5}}",
         "mood:- by:- list:- more:{a:2 rest:{'d':5}} whole:{value:{x:0 y:0}} new:{now:0 far:0}"},
        {"{more: {b: 3, c: 4}}", "{more: {a: 6}}",
         "mood:- by:- list:- more:{a:6 rest:{'b':3 'c':4}} whole:{value:{x:0 y:0}} new:{now:0 "
         "far:0}"},
        {"{whole: {x: 1, y: 2}}", "{whole: {x: 3}}",
         "mood:- by:- list:- more:{a:1 rest:{}} whole:{value:{x:3 y:2}} new:{now:0 far:0}"},
        /* An earlier name of a field has the same meaning. */
        {"{new: {then: 1, far: 2}}", "{new: {now: 3}}",
         "mood:- by:- list:- more:{a:1 rest:{}} whole:{value:{x:0 y:0}} new:{now:3 far:2}"},
        {"{new: {now: 1, far: 2}}", "{new: {then: 3}}",
         "mood:- by:- list:- more:{a:1 rest:{}} whole:{value:{x:0 y:0}} new:{now:3 far:2}"},
        {"{new: {now: 1}}", "~",
         "mood:- by:- list:- more:{a:1 rest:{}} whole:{value:{x:0 y:0}} new:{now:1 far:0}"},
        {"~", "{new: {now: 1}}",
         "mood:- by:- list:- more:{a:1 rest:{}} whole:{value:{x:0 y:0}} new:{now:1 far:0}"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char prefabs[256], scene[256], expected[512], *out, *err;
        snprintf(prefabs, sizeof prefabs, "a: {components: {Mix: %s}}\n", rows[i].lower);
        snprintf(scene, sizeof scene, "entities: [{name: e, base: a, components: {Mix: %s}}]\n",
                 rows[i].upper);
        snprintf(expected, sizeof expected, "e: Mix{%s}\n", rows[i].expected);
        write_inputs(scene, prefabs);
        /* Earlier names cause a warning. */
        int code = bake_call("-q -s s.yaml -o o.kiln -C in .", &out, &err);
        if (code != 0)
            fail_msg("exit code %d: %s", code, err);
        free(out);
        free(err);
        char *text = scene_text("Scene", "room");
        assert_string_equal(text, expected);
        free(text);
    }
}

static void children_come_with_their_prefab(void **state)
{
    static const scene_row rows[] = {
        /* Each alias adds a child, however bases are combined. A child that both bases inherit from
         * one prefab exists once. */
        {"a: {children: [&c {components: {Speed: 1}}, *c]}\nb: {base: a}\n"
         "z: {components: {Lit: }}\n",
         "entities: [{base: [z, a]}, {base: [a, b]}, {base: [z, b, a]}]\n",
         "#0:\n#1: Lit\n#2: Lit\n#3: Speed{value:1}\n#4: Speed{value:1}\n#5: Speed{value:1}\n"
         "#6: Speed{value:1}\n#7: Speed{value:1}\n#8: Speed{value:1}\n"},
        {"a: {components: {Lit: }, children: [{name: b, components: {Speed: 1}}, {}]}\n",
         "entities: [{name: x, base: a}, {name: y, base: a}]\n",
         "#0:\n#1:\nx: Lit\ny: Lit\nx/b: Speed{value:1}\ny/b: Speed{value:1}\n"},
        {"a: {children: [{name: b, components: {Place: {x: 1, y: 2}}}]}\n",
         "entities: [{name: x, base: a, children: [{name: b, components: {Place: {y: 3}, Lit: }}, "
         "{name: c}]}]\n",
         "x:\nx/c:\nx/b: Lit Place{x:1 y:3}\n"},
        {"a: {children: [{name: b, children: [{name: c}]}, {name: d}]}\n",
         "entities: [{name: x, base: a, drop: [b/c, d]}, {name: y, base: a, drop: b}, {name: z, "
         "base: a}]\n",
         "x:\ny:\nz:\nx/b:\ny/d:\nz/b:\nz/d:\nz/b/c:\n"},
        {"a: {children: [{name: b, components: {Speed: 1}}]}\nc: {base: a, children: [{name: b, "
         "components: {Speed: 2}}]}\nd: {children: [{name: b, components: {Lit: }}]}\n",
         "entities: [{name: x, base: [c, d]}, {name: y, base: a}]\n",
         "x:\ny:\nx/b: Lit Speed{value:2}\ny/b: Speed{value:1}\n"},
        /* A child without a name that both bases inherit also exists once. */
        {"a: {children: [{components: {Speed: 1}}]}\nb: {base: a}\nc: {base: a, components: {Lit: "
         "}}\n",
         "entities: [{name: x, base: [b, c]}]\n", "x: Lit\n#1: Speed{value:1}\n"},
        {"a: {children: [{name: b}]}\n",
         "entities: [{name: x, base: a, drop: b, children: [{name: b, components: {Lit: }}]}]\n",
         "x:\nx/b: Lit\n"},
    };
    (void)state;
    check_rows(rows, COUNT(rows));
}

static void names_refer_to_entities(void **state)
{
    static const scene_row rows[] = {
        {NULL,
         "entities: [{name: a, components: {Link: {to: b}}}, {name: b, components: {Link: {to: "
         "b}}}, {components: {Link: {to: ~}}}, {components: {Link: {}}}]\n",
         "a: Link{to:b}\nb: Link{to:b}\n#2: Link{to:~}\n#3: Link{to:~}\n"},
        {NULL, "entities: [{name: 1, components: {Pair: {both: [2, 1]}}}, {name: 2}]\n",
         "2:\n1: Pair{both:[2 1]}\n"},
        /* Names are searched in children first, then in siblings, then in each outer level. */
        {"a: {components: {Link: {to: b}}, children: [{name: b, components: {Link: {to: c}}}, "
         "{name: c, components: {Link: {to: d}}}]}\n",
         "entities: [{name: x, base: a}, {name: y, base: a}, {name: b}, {name: c}, {name: d}]\n",
         "b:\nc:\nd:\nx: Link{to:x/b}\ny: Link{to:y/b}\nx/b: Link{to:x/c}\nx/c: Link{to:d}\n"
         "y/b: Link{to:y/c}\ny/c: Link{to:d}\n"},
        {"a: {children: [{name: b}]}\n",
         "entities: [{name: x, base: a}, {name: y, components: {Pair: {both: [x/b, x]}}}]\n",
         "x:\nx/b:\ny: Pair{both:[x/b x]}\n"},
    };
    (void)state;
    check_rows(rows, COUNT(rows));
}

static void nested_scenes_are_copied_with_their_overrides(void **state)
{
    static const scene_row rows[] = {
        {NULL, "scenes: [{scene: hall, name: h}, {scene: Scene/hall}]\n",
         "h/b:\n#1:\nh/a: Link{to:h/b/c} Lit\n#3: Link{to:#5} Lit\nh/b/c: Speed{value:1}\n"
         "#5: Speed{value:1}\n"},
        {NULL,
         "scenes: [{scene: hall, name: h, drop: a, overrides: {b: {components: {Lit: }}, b/c: "
         "{components: {Speed: 4}}}}]\n",
         "h/b: Lit\nh/b/c: Speed{value:4}\n"},
        {NULL,
         "scenes: [{scene: hall, name: h, overrides: {a: {remove: [Lit], components: {Link: {to: "
         "o}}}, b: {children: [{name: n}], drop: c}}}]\nentities: [{name: o}]\n",
         "o:\nh/b:\nh/b/n:\nh/a: Link{to:o}\n"},
        {NULL,
         "scenes: [{scene: hall, name: h}]\nentities: [{name: p, components: {Pair: {both: [h/a, "
         "h/b/c]}}}]\n",
         "h/b:\nh/a: Link{to:h/b/c} Lit\np: Pair{both:[h/a h/b/c]}\nh/b/c: Speed{value:1}\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        write_inputs(rows[i].scene, NULL);
        fixture_write("in/hall.scene.yaml",
                      "entities: [{name: a, components: {Link: {to: b/c}, Lit: }}, {name: b, "
                      "children: [{name: c, components: {Speed: 1}}]}]\n");
        scene_check("Scene", "room", rows[i].expected);
    }
}

static void entities_of_other_scenes_are_imports(void **state)
{
    (void)state;
    write_inputs("entities: [{name: a, components: {Pair: {both: [\"hall#x/y\", "
                 "\"Scene/room#a\"]}}}, {components: {Link: {to: Scene/hall#x}}}]\n",
                 NULL);
    fixture_write("in/hall.scene.yaml", "entities: [{name: x, children: [{name: y, components: "
                                        "{Link: {to: \"room#a\"}}}]}]\n");
    scene_check("Scene", "room", "#0: Link{to:Scene/hall#x}\na: Pair{both:[Scene/hall#x/y a]}\n");
    char *text = scene_text("Scene", "hall");
    assert_string_equal(text, "x:\nx/y: Link{to:Scene/room#a}\n");
    free(text);
}

static void the_rule_names_the_field_for_the_parent(void **state)
{
    (void)state;
    write_inputs("{}", "a: {children: [{name: b, components: {Parent: {order: 3}}, children: "
                       "[{name: c}]}]}\n");
    fixture_write("in/home.family.yaml",
                  "entities: [{name: x, base: a, components: {Parent: {of: y}}}, {name: y}]\n");
    scene_check("Family", "home",
                "y:\nx: Parent{of:y order:7}\nx/b: Parent{of:x order:3}\n"
                "x/b/c: Parent{of:x/b order:7}\n");
}

static void equal_values_in_scene_data_are_stored_once(void **state)
{
    static const scene_row rows[] = {
        {NULL, "entities: [{components: {Sprite: {}}}]\n",
         "#0: Sprite{path:'none' tags:- by:- look:{name:'plain' level:1} maybe:-}\n"},
        {NULL,
         "entities: [{components: {Sprite: {path: \"\", tags: a, by: {x: 1}, look: {name: \"\"}, "
         "maybe: {name: m}}}}]\n",
         "#0: Sprite{path:- tags:['a'] by:{'x':1} look:{name:'' level:1} maybe:{name:'m' "
         "level:1}}\n"},
        {"a: {components: {Sprite: {tags: [a, b], look: {name: l, level: 2}, maybe: {name: m}}}}\n",
         "entities: [{base: a, components: {Sprite: {look: {level: 3}, maybe: {level: 4}}}}, "
         "{base: "
         "a, components: {Sprite: {tags: [], maybe: ~}}}]\n",
         "#0: Sprite{path:'none' tags:['a' 'b'] by:- look:{name:'l' level:3} maybe:{name:'m' "
         "level:4}}\n#1: Sprite{path:'none' tags:- by:- look:{name:'l' level:2} maybe:-}\n"},
    };
    (void)state;
    check_rows(rows, COUNT(rows));
    write_inputs(
        "entities:\n- &a {components: {Sprite: {path: p, tags: [t], maybe: {name: m}}}}\n"
        "- {components: {Sprite: {path: 'p', tags: t, maybe: {level: 1, name: m}}}}\n- *a\n",
        NULL);
    bake_all();
    scene_file f;
    kiln_value root;
    scene_open(&f, "Scene", "room");
    assert_int_equal(kiln_value_root(f.schema.schema->types, f.data_type, f.data, 1 << 20, &root),
                     KILN_OK);
    for (uint32_t i = 0; i < kiln_value_count(&root); i++) {
        kiln_value list;
        assert_int_equal(kiln_value_at(&root, i, &list), KILN_OK);
        assert_in_range(kiln_value_count(&list), 0, 1);
    }
    scene_close(&f);
}

/* A default is stored once per blob, and values of the scene's data share nothing with values baked
 * earlier. */
static void scene_data_has_its_own_defaults(void **state)
{
    (void)state;
    scene_write("kiln: 1\n"
                "namespace: game\n"
                "types:\n"
                "  Note: {struct: {all: {type: \"u8[]\", default: [1, 2]}, n: u8}}\n"
                "  Holder: {struct: {note: Note}, component: true}\n"
                "files:\n"
                "  - {match: \"*.scene.yaml\", shape: scene}\n",
                "entities: [{components: {Holder: {note: {n: 1}}}}, {components: {Holder: {note: "
                "{n: 2, all: [3]}}}}, {components: {Holder: {note: {n: 3}}}}]\n",
                NULL);
    scene_check("Scene", "room",
                "#0: Holder{note:{all:[1 2] n:1}}\n#1: Holder{note:{all:[3] n:2}}\n"
                "#2: Holder{note:{all:[1 2] n:3}}\n");
}

static void deprecated_names_are_reported_once(void **state)
{
    static const struct {
        const char *prefabs, *scene;
        int warnings;
    } rows[] = {
        {"a: {components: {Old: {a: 1}}}\n", "entities: [{base: a}, {base: a}]\n", 1},
        {"a: {components: {Old: {a: 1}}}\n", "{}\n", 1},
        {"a: {components: {Old: {a: 1}}}\nb: {base: a, components: {Old: {b: 1}}}\n",
         "entities: [{base: b, components: {Old: {b: 2}}}, {base: a, components: {Old: {b: 3}}}]\n",
         1},
        {NULL, "entities: [{components: {Old: {a: 1}}}, {components: {Old: {a: 1}}}]\n", 2},
        {NULL, "entities: [{components: {Olds: {all: [{a: 1}]}}}]\n", 1},
        /* Each warning is reported once, whether several entities have the value, another value
         * overrides it, or no entity has it. */
        {"old: {abstract: true, components: {Gate: {a: worn, b: worn}}}\n"
         "a: {base: old, components: {Gate: {b: new}}}\n"
         "b: {base: old, components: {Gate: {a: new}}}\n",
         "entities: [{base: a}, {base: b}, {components: {Gate: {a: new, b: worn}}}]\n", 3},
        {"a: {base: old, components: {Gate: {b: new}}}\n"
         "old: {abstract: true, components: {Gate: {a: worn, b: worn}}}\n",
         "entities: [{base: a}]\n", 2},
        {"old: {abstract: true, components: {Gate: {a: worn}, Old: {a: 1}},\n"
         "  children: [{name: b, components: {Gate: {b: worn, a: worn}}}]}\n",
         "{}\n", 4},
        /* One scalar may contain several deprecated names. */
        {"a: {components: {Bits: {all: 'l|s'}}}\n", "entities: [{base: a}, {base: a}]\n", 2},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *out, *err;
        int warnings = 0;
        write_inputs(rows[i].scene, rows[i].prefabs);
        assert_int_equal(bake_call("-q -s s.yaml -o o.kiln -C in .", &out, &err), 0);
        for (const char *at = err; (at = strstr(at, "[deprecated]")); at++)
            warnings++;
        assert_int_equal(warnings, rows[i].warnings);
        free(out);
        free(err);
    }
}

/* Scenes that are copied into others are also baked on their own. */
static void errors_in_a_nested_scene_are_reported_once(void **state)
{
    static const char *const said[] = {
        "in/a.family.yaml:2:39: error: Family/a.k.Parent: unknown entity \"x\" [entity]",
        "in/a.family.yaml:3:60: error: Family/a.m/n.Parent: the parent must be the entity",
        "in/b.family.yaml:1:115: error: Family/b.d.Parent: unknown entity \"y\" [entity]",
        "\n3 errors\n"};
    char *out, *err;
    (void)state;
    write_inputs("{}\n", NULL);
    fixture_write("in/a.family.yaml",
                  "entities:\n- {name: k, components: {Parent: {of: x}, Lit: ~}}\n"
                  "- {name: m, children: [{name: n, components: {Parent: {of: k}}}]}\n");
    fixture_write("in/b.family.yaml",
                  "{scenes: [{scene: Family/a, name: c}, {scene: Family/a, name: e}], entities: "
                  "[{name: d, components: {Parent: {of: y}}}]}\n");
    fixture_write("in/c.family.yaml", "scenes: [{scene: Family/b, name: f}]\n");
    assert_int_equal(bake_call("-q -s s.yaml -o o.kiln -C in .", &out, &err), 1);
    check_said(err, said, COUNT(said));
    free(out);
    free(err);
}

static void values_in_scene_data_nest_up_to_the_depth_limit(void **state)
{
    (void)state;
    for (int depth = 120; depth < 130; depth++) {
        char scene[4096] = "entities: [{components: {Deep: {next: ";
        char *out, *err;
        for (int i = 0; i < depth; i++)
            strcat(scene, "{next: ");
        strcat(scene, "~");
        for (int i = 0; i < depth; i++)
            strcat(scene, "}");
        strcat(scene, "}}}]\n");
        write_inputs(scene, NULL);
        int code = bake_call("-q -s s.yaml -o o.kiln -C in .", &out, &err);
        /* The levels are the root, its list, and the value of each optional. */
        bool fits = depth + 2 <= KILN_DEPTH_MAX;
        assert_int_equal(code, fits ? 0 : 1);
        assert_int_equal(strstr(err, "nested more than") != NULL, !fits);
        free(out);
        free(err);
    }
}

static void an_error_after_a_valid_scene_is_reported(void **state)
{
    char *out, *err;
    (void)state;
    write_inputs("entities: [{components: {Sprite: {tags: {}}}}]\n", NULL);
    fixture_write("in/hall.scene.yaml", "entities: [{components: {Sprite: {}}}]\n");
    assert_int_equal(bake_call("-q -s s.yaml -o o.kiln -C in .", &out, &err), 1);
    assert_non_null(strstr(err, "expected string, found a mapping"));
    free(out);
    free(err);
}

static void many_entities_fill_chunks_in_the_order_of_the_document(void **state)
{
    enum { ENTITIES = 5000 };
    (void)state;
    write_inputs("{}", NULL);
    FILE *file = fopen("in/room.scene.yaml", "w");
    assert_non_null(file);
    fputs("entities:\n", file);
    for (int i = 0; i < ENTITIES; i++)
        fprintf(file, "- {name: e%d, components: {Place: {x: %d}, Link: {to: e%d}}}\n", i, i,
                (i * 7 + 1) % ENTITIES);
    fclose(file);
    bake_all();
    char *text = scene_text("Scene", "room");
    const char *at = text;
    for (int i = 0; i < ENTITIES; i++) {
        char line[128];
        snprintf(line, sizeof line, "e%d: Link{to:e%d} Place{x:%d y:0}\n", i,
                 (i * 7 + 1) % ENTITIES, i);
        assert_memory_equal(at, line, strlen(line));
        at += strlen(line);
    }
    assert_string_equal(at, "");
    free(text);
}

/* Finding duplicates among these children must not take quadratic time, which would exceed the
 * limits on work. */
static void many_children_without_names_come_from_several_bases(void **state)
{
    enum { CHILDREN = 3000 };
    (void)state;
    write_inputs("entities: [{base: [a, b, c, d]}]\n", "");
    FILE *file = fopen("in/p.prefabs.yaml", "w");
    assert_non_null(file);
    for (int prefab = 0; prefab < 2; prefab++) {
        fprintf(file, "%c: {children: [", prefab ? 'd' : 'a');
        for (int i = 0; i < CHILDREN; i++)
            fputs("{},", file);
        fputs("]}\n", file);
    }
    fputs("b: {base: a}\nc: {base: [a, b], components: {Lit: }}\n", file);
    fclose(file);
    bake_all();
    char *text = scene_text("Scene", "room");
    size_t lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_int_equal(lines, 1 + 2 * CHILDREN);
    free(text);
}

static void failing_allocations_are_reported_without_leaks(void **state)
{
    (void)state;
    write_inputs(
        "prefabs: {l: {base: a, components: {Speed: 2}}}\n"
        "entities: [{name: x, base: l}, {name: y, base: a, components: {Sprite: {look: "
        "{name: q}}}, children: [{name: b, components: {Link: {to: hall#h}}}]}]\n"
        "scenes: [{scene: hall, name: n, overrides: {h: {components: {Place: {x: 1}}}}}]\n",
        "a: {components: {Sprite: {tags: [q], maybe: {name: m}}}, children: [{name: b}]}\n");
    fixture_write("in/hall.scene.yaml", "entities: [{name: h}]\n");
    failing_bake("-q -s s.yaml -o o.kiln -C in .", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entities_have_the_written_values),
        cmocka_unit_test(prefabs_combine_their_bases),
        cmocka_unit_test(values_other_than_structs_are_replaced_whole),
        cmocka_unit_test(children_come_with_their_prefab),
        cmocka_unit_test(names_refer_to_entities),
        cmocka_unit_test(nested_scenes_are_copied_with_their_overrides),
        cmocka_unit_test(entities_of_other_scenes_are_imports),
        cmocka_unit_test(the_rule_names_the_field_for_the_parent),
        cmocka_unit_test(equal_values_in_scene_data_are_stored_once),
        cmocka_unit_test(scene_data_has_its_own_defaults),
        cmocka_unit_test(deprecated_names_are_reported_once),
        cmocka_unit_test(errors_in_a_nested_scene_are_reported_once),
        cmocka_unit_test(values_in_scene_data_nest_up_to_the_depth_limit),
        cmocka_unit_test(an_error_after_a_valid_scene_is_reported),
        cmocka_unit_test(many_entities_fill_chunks_in_the_order_of_the_document),
        cmocka_unit_test(many_children_without_names_come_from_several_bases),
        cmocka_unit_test(failing_allocations_are_reported_without_leaks),
    };
    return cmocka_run_group_tests(tests, fixture_enter, fixture_leave);
}
