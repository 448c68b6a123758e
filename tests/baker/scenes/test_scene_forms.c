/* Component values in their different forms, and values in these forms overriding each other. */
#include "failing_bake.h"
#include "scene_text.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char schema_text[] =
    "kiln: 1\n"
    "namespace: game\n"
    "types:\n"
    "  Item: {struct: {price: {type: u8, default: 1}}, asset: true}\n"
    "  Place: {struct: {x: i32, y: {type: i32, default: 0}}, tuple: true}\n"
    "  Body: {struct: {at: Place, of: {type: \"u8[2]\", default: \"1,2\"}}}\n"
    "  Label: {struct: {text: string, tail: u8?, far: {type: u8, default: 4}}, tuple: true}\n"
    "  Sign: {struct: {label: Label, all: \"Place[]\"}, component: true}\n"
    "  Mood: {union: {calm: , angry: u8, at: Place}, by: tag}\n"
    "  Act: {union: {Wait: , Go: Place}, by: {key: type}}\n"
    "  Mind: {struct: {mood: Mood, acts: \"Act[]\"}, component: true}\n"
    "  Tint: {struct: {r: u8, g: u8, b: u8, a: {type: u8, default: 9}}, colour: true}\n"
    "  Sound: {struct: {path: string, level: {type: u8, default: 1}}, short: path}\n"
    "  Play: {struct: {sound: Sound}, component: true}\n"
    "  Far: {struct: {at: {type: u16, unit: cm}, to: {type: \"u8[2]\", hex: true, default: "
    "\"00ff\"},\n"
    "        name: {type: string, default: n}}, short: at, component: row}\n"
    "  Feel: {wrap: Mood, component: true}\n"
    "  Who: {wrap: u32, entity: true}\n"
    "  Band: {struct: {all: \"Who[]\", first: Who?, at: Who}, component: true}\n"
    "  Net: {struct: {to: \"map<Who, u8>\", in: \"map<Who, map<Who, string>[]>?\"}, component: "
    "true}\n"
    "  Web: {struct: {to: {type: \"map<Who, Place>\", inherit: merge}}, component: row}\n"
    "files:\n"
    "  - {match: \"*.prefabs.yaml\", shape: prefabs}\n"
    "  - {match: \"*.scene.yaml\", shape: scene, keys: {none: nobody}}\n";

static void write_inputs(const char *scene, const char *prefabs)
{
    scene_write(schema_text, scene, prefabs);
}

static void check_rows(const scene_row *rows, size_t count)
{
    scene_check_rows(rows, count, write_inputs);
}

static void components_accept_every_form(void **state)
{
    static const scene_row rows[] = {
        {NULL, "entities: [{components: {Place: \"1,2\"}}, {components: {Place: [3]}}]\n",
         "#0: Place{x:1 y:2}\n#1: Place{x:3 y:0}\n"},
        {NULL, "entities: [{components: {Body: {at: \"1,2\", of: \"3,4\"}}}]\n",
         "#0: Body{at:{x:1 y:2} of:[3 4]}\n"},
        {NULL,
         "entities: [{components: {Sign: {label: \"a,3\", all: [\"1,2\"]}}},\n"
         "{components: {Sign: {label: {text: a, tail: 3}, all: [[1, 2]]}}}]\n",
         "#0: Sign{label:{text:'a' tail:3 far:4} all:[{x:1 y:2}]}\n"
         "#1: Sign{label:{text:'a' tail:3 far:4} all:[{x:1 y:2}]}\n"},
        {NULL,
         "entities: [{components: {Mind: {mood: !type:angry 3, acts: [{type: Go, x: 2}]}}}]\n",
         "#0: Mind{mood:{angry:3} acts:[{Go:{x:2 y:0}}]}\n"},
        {NULL, "entities: [{components: {Mind: {acts: [{type: Go, x: 1}]}, Feel: !type:at 9}}]\n",
         "#0: Feel{value:{at:{x:9 y:0}}} Mind{mood:- acts:[{Go:{x:1 y:0}}]}\n"},
    };
    (void)state;
    check_rows(rows, COUNT(rows));
}

static void rows_accept_the_forms_of_their_structs(void **state)
{
    static const scene_row rows[] = {
        {"a: {components: {Far: 3m}}\n",
         "entities: [{base: a, components: {Far: {to: \"0203\"}}}, {components: {Far: {at: "
         "20mm}}}]\n",
         "#0: Far_row{at:300 to:[2 3] name:'n'}\n#1: Far_row{at:2 to:[0 255] name:'n'}\n"},
    };
    (void)state;
    check_rows(rows, COUNT(rows));
}

/* Entity numbers follow the order of archetypes in the scene, which differs from the order in the
 * document. */
static void data_names_entities_by_their_numbers(void **state)
{
    static const scene_row rows[] = {
        {NULL,
         "entities:\n"
         "  - {name: e, components: {Place: [5]}}\n"
         "  - {name: d, components: {Play: {sound: p}, Place: [4]}}\n"
         "  - {name: c, components: {Place: [3]}}\n"
         "  - {name: b, components: {Band: {all: [a, b, c, d, e, ~], first: e, at: d}}}\n"
         "  - {name: a, components: {Band: {all: [], at: ~}}}\n",
         "b: Band{all:[{value:2} {value:1} {value:4} {value:5} {value:3} {value:0}] "
         "first:{value:3} at:{value:5}}\n"
         "a: Band{all:- first:- at:{value:0}}\n"
         "e: Place{x:5 y:0}\n"
         "c: Place{x:3 y:0}\n"
         "d: Place{x:4 y:0} Play{sound:{path:'p' level:1}}\n"},
    };
    (void)state;
    check_rows(rows, COUNT(rows));
}

/* Keys are sorted by entity number, regardless of the names. */
static void keys_of_maps_name_entities_by_their_numbers(void **state)
{
    static const scene_row rows[] = {
        {NULL,
         "entities:\n"
         "  - {name: e, components: {Place: [5]}}\n"
         "  - {name: c, components: {Place: [3]}}\n"
         "  - {name: b, components: {Net: {to: {c: 1, b: 2, e: 3, nobody: 4, '#3': 5}}}}\n"
         "  - {name: a, components: {Net: {to: {}, in: {e: [{b: x, a: y}, {}]}}}}\n",
         "b: Net{to:{0:4 1:2 2:5 3:3 4:1} in:-}\n"
         "a: Net{to:- in:{3:[{1:'x' 2:'y'} {}]}}\n"
         "e: Place{x:5 y:0}\n"
         "c: Place{x:3 y:0}\n"},
        /* There are so many keys that they are not compared one by one. Each name looks like the
         * number of a different entity, or like null. */
        {NULL,
         "entities:\n"
         "  - {name: '7', components: {Net: {to: {9: 1, 8: 2, 7: 3, 6: 4, 5: 5, 4: 6, 3: 7, 2: 8, "
         "1: "
         "9, ~: 10}}}}\n"
         "  - {name: 9}\n  - {name: '8'}\n  - {name: 6}\n  - {name: 5}\n  - {name: 4}\n"
         "  - {name: 3}\n  - {name: 2}\n  - {name: 1}\n  - {name: '~'}\n",
         "9:\n8:\n6:\n5:\n4:\n3:\n2:\n1:\n~:\n"
         "7: Net{to:{1:1 2:2 3:4 4:5 5:6 6:7 7:8 8:9 9:10 10:3} in:-}\n"},
        /* Keys that name the same entity in several layers become one key. */
        {"p: {components: {Web: {to: {a: [1], '#1': [2], nobody: [3]}}}}\n",
         "entities:\n"
         "  - {name: a, base: p, components: {Web: {to: {b: [4], nobody: [5]}}}}\n"
         "  - {name: b, base: p}\n",
         "a: Web_row{to:{0:{x:5 y:0} 1:{x:1 y:0} 2:{x:4 y:0}}}\n"
         "b: Web_row{to:{0:{x:3 y:0} 1:{x:1 y:0} 2:{x:2 y:0}}}\n"},
        /* A prefab is checked without the entities of any scene. */
        {"p: {components: {Net: {to: {a: 1, b: 2, c: 3, '#0': 4, nobody: 5}}}}\n",
         "entities: [{name: a}]\n", "a:\n"},
    };
    (void)state;
    check_rows(rows, COUNT(rows));
}

static void values_other_than_mappings_are_replaced_whole(void **state)
{
    static const scene_row rows[] = {
        /* A mapping that overrides a value in another form changes only the fields it contains. */
        {"a: {components: {Place: \"1,2\"}}\n",
         "entities: [{base: a, components: {Place: {y: 5}}}, {base: a, components: {Place: {x: "
         "6}}}]\n",
         "#0: Place{x:1 y:5}\n#1: Place{x:6 y:2}\n"},
        {"a: {components: {Place: [1, 2]}}\n",
         "entities: [{base: a, components: {Place: {y: 5}}}, {base: a, components: {Place: {x: "
         "6}}}]\n",
         "#0: Place{x:1 y:5}\n#1: Place{x:6 y:2}\n"},
        /* A value that is not a mapping discards the values that it overrides. */
        {"a: {components: {Place: {x: 1, y: 2}}}\n",
         "entities: [{base: a, components: {Place: \"3\"}}, {base: a, components: {Place: [3]}}]\n",
         "#0: Place{x:3 y:0}\n#1: Place{x:3 y:0}\n"},
        {"a: {components: {Place: {x: 1, y: 2}}}\nb: {base: a, components: {Place: \"3\"}}\n",
         "entities: [{base: b, components: {Place: {x: 4}}}]\n", "#0: Place{x:4 y:0}\n"},
        /* Both rules also apply inside other values. */
        {"a: {components: {Body: {at: \"1,2\"}}}\n",
         "entities: [{base: a, components: {Body: {at: {y: 5}, of: [5, 6]}}}]\n",
         "#0: Body{at:{x:1 y:5} of:[5 6]}\n"},
        {"a: {components: {Sign: {label: \"a,3,5\"}}}\n",
         "entities:\n- {base: a, components: {Sign: {label: {text: b}}}}\n"
         "- {base: a, components: {Sign: {label: {tail: ~}}}}\n"
         "- {base: a, components: {Sign: {label: {far: 6}}}}\n",
         "#0: Sign{label:{text:'b' tail:3 far:5} all:-}\n"
         "#1: Sign{label:{text:'a' tail:- far:5} all:-}\n"
         "#2: Sign{label:{text:'a' tail:3 far:6} all:-}\n"},
        {"a: {components: {Sign: {label: [a, 3]}}}\n",
         "entities: [{base: a, components: {Sign: {label: {tail: ~}}}}]\n",
         "#0: Sign{label:{text:'a' tail:- far:4} all:-}\n"},
        {"a: {components: {Tint: '#0102ff'}}\n",
         "entities: [{base: a, components: {Tint: {b: 3}}}, {base: a, components: {Tint: red}}]\n",
         "#0: Tint{r:1 g:2 b:3 a:255}\n#1: Tint{r:255 g:0 b:0 a:255}\n"},
        {"a: {components: {Play: {sound: {path: x, level: 2}}}}\n",
         "entities: [{base: a, components: {Play: {sound: y}}}, {base: a}]\n",
         "#0: Play{sound:{path:'y' level:1}}\n#1: Play{sound:{path:'x' level:2}}\n"},
        {"a: {components: {Play: {sound: x}}}\n",
         "entities: [{base: a, components: {Play: {sound: {level: 3}}}}]\n",
         "#0: Play{sound:{path:'x' level:3}}\n"},
        /* For a field whose type has no empty value, null means the default. */
        {"a: {components: {Tint: '#0102ff04'}}\n",
         "entities: [{base: a, components: {Tint: {a: ~}}}, {base: a, components: {Tint: {a: "
         "3}}}]\n",
         "#0: Tint{r:1 g:2 b:255 a:9}\n#1: Tint{r:1 g:2 b:255 a:3}\n"},
        /* Unions are never merged. */
        {"a: {components: {Mind: {mood: !type:at {x: 1, y: 2}, acts: [{type: Go, x: 1, y: 2}]}}}\n",
         "entities: [{base: a, components: {Mind: {mood: !type:at {x: 3}, acts: [{type: Go, x: "
         "3}]}}}]\n",
         "#0: Mind{mood:{at:{x:3 y:0}} acts:[{Go:{x:3 y:0}}]}\n"},
    };
    (void)state;
    check_rows(rows, COUNT(rows));
}

/* A scene reads the components of a prefab asset in every form that the asset may use. */
static void components_of_prefab_assets_accept_every_form(void **state)
{
    static const char *const written[] = {
        "[{type: Lamp, on: false}, {type: Place, x: 1}]",
        "[Lamp: {on: false}, Place: {x: 1}]",
        "[~, Lamp: {on: false}, {type: Place, x: 1}]",
        "{type: Both, lamp: false, x: 1}",
        "{Both: {lamp: false, x: 1}}",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(written); i++) {
        char text[200];
        bool is_both = *written[i] == '{';
        assert_int_equal(system("rm -rf in && mkdir in"), 0);
        fixture_write("s.yaml",
                      "kiln: 1\nnamespace: game\ntypes:\n"
                      "  Place: {struct: {x: i32}, component: row}\n"
                      "  Lamp: {struct: {on: bool}, component: row}\n"
                      "  Both: {struct: {lamp: bool, x: i32}, component: row}\n"
                      "  Part: {union: {Place: Place, Lamp: Lamp, Both: Both}, by: {key: type}}\n"
                      "  Thing: {struct: {parts: {type: \"Part[]\", single: true}}, asset: true}\n"
                      "files:\n"
                      "  - {match: \"*.scene.yaml\", shape: scene, prefabs: Thing.parts}\n"
                      "  - {match: \"*.things.yaml\", shape: map, type: Thing}\n");
        snprintf(text, sizeof text, "a: {parts: %s}\n", written[i]);
        fixture_write("in/a.things.yaml", text);
        fixture_write("in/room.scene.yaml", "entities: [{base: a}]\n");
        bake_all();
        char *shown = scene_text("Scene", "room");
        assert_string_equal(shown, is_both ? "#0: Both_row{lamp:0 x:1}\n"
                                           : "#0: Lamp_row{on:0} Place_row{x:1}\n");
        free(shown);
    }
}

/* The field with the list of components may be written with its earlier name. */
static void prefab_assets_may_have_old_names(void **state)
{
    (void)state;
    assert_int_equal(system("rm -rf in && mkdir in"), 0);
    fixture_write(
        "s.yaml",
        "kiln: 1\nnamespace: game\ntypes:\n"
        "  Place: {struct: {x: i32}, component: row}\n"
        "  Part: {union: {Place: Place}, by: {key: type}}\n"
        "  Thing: {struct: {parts: {type: \"Part[]\", was: [bits, pieces]}}, asset: true}\n"
        "files:\n"
        "  - {match: \"*.scene.yaml\", shape: scene, prefabs: Thing.parts}\n"
        "  - {match: \"*.things.yaml\", shape: map, type: Thing}\n");
    fixture_write("in/a.things.yaml", "a: {bits: [{type: Place, x: 1}]}\n"
                                      "b: {pieces: [{type: Place, x: 2}]}\n");
    fixture_write("in/room.scene.yaml", "entities: [{base: a}, {base: b}]\n");
    assert_int_equal(bake_code("-q -s s.yaml -o o.kiln -C in .", NULL), 0);
    char *shown = scene_text("Scene", "room");
    assert_string_equal(shown, "#0: Place_row{x:1}\n#1: Place_row{x:2}\n");
    free(shown);
}

/* The error is reported for the asset, whether or not a scene uses the prefab. */
static void errors_in_prefab_assets_are_reported_once(void **state)
{
    (void)state;
    static const char schema[] =
        "kiln: 1\n"
        "types:\n"
        "  Place: {struct: {x: f32, y: {type: f32, default: 0}, w: {type: u8, default: 1, "
        "deprecated: "
        "true}}, component: row}\n"
        "  Part: {union: {Place: Place}, by: {key: type}}\n"
        "  Thing: {struct: {parts: {type: 'Part[]', inherit: merge}}, asset: true, inherit: true}\n"
        "files:\n"
        "  - {match: '*.map.yaml', shape: scene, keys: {components: parts, by: type}, prefabs: "
        "Thing.parts}\n";
    static const char expected[] =
        "in/b.map.yaml:1:56: error: Scene/b[0].Place.y: expected f32, found \"no\" [type]\n"
        "in/t.yaml:2:35: error: Thing/lamp.parts[0].Place.x: expected f32, found \"wrong\" [type]\n"
        "in/t.yaml:2:42: error: Thing/lamp.parts[0].Place: Place has no field \"z\" [unknown-key]\n"
        "in/t.yaml:3:18: error: Thing/bare.parts[0].Place: missing field \"x\" [missing]\n"
        "in/t.yaml:5:37: warning: Thing/old.parts[0].Place: \"w\" is deprecated [deprecated]\n"
        "4 errors, 1 warning\n";
    char *out, *err, *at = NULL, told[2048] = "";
    assert_int_equal(system("rm -rf in && mkdir in"), 0);
    fixture_write("s.yaml", schema);
    fixture_write("in/a.map.yaml", "entities:\n- {base: lamp}\n"
                                   "- {parts: [{type: Place, x: 1}]}\n- {base: bare}\n");
    fixture_write("in/b.map.yaml",
                  "entities: [{base: lamp, parts: [{type: Place, x: 2, y: no}]}, {base: old}]\n");
    fixture_write("in/t.yaml", "Thing:\n  lamp: {parts: [{type: Place, x: wrong, z: 1}]}\n"
                               "  bare: {parts: [{type: Place}]}\n"
                               "  more: {parent: lamp}\n"
                               "  old: {parts: [{type: Place, x: 1, w: 3}]}\n");
    assert_int_equal(bake_call("-s s.yaml -C in -o x.kiln .", &out, &err), 1);
    for (char *line = strtok_r(err, "\n", &at); line; line = strtok_r(NULL, "\n", &at))
        if (line[0] != ' ')
            snprintf(told + strlen(told), sizeof told - strlen(told), "%s\n", line);
    assert_string_equal(told, expected);
    free(out);
    free(err);
}

/* Every allocation fails once. The document contains every form. */
static void failing_allocations_are_reported_in_every_form(void **state)
{
    (void)state;
    assert_int_equal(system("rm -rf in && mkdir in"), 0);
    fixture_write("in/note.txt", "content");
    fixture_write(
        "in/all.items.yaml",
        "x: {by: [!type:angry 3, !type:at 4], acts: [{type: Go, x: 3}], tint: RED,\n"
        "    tints: ['#123', '1,2,3'], row: \"3, a, 4\", sound: [1, 2], mask: {A: 1, m_b: 0},\n"
        "    kinds: {enum.tWo: 1, one: 2}, angles: [90deg, 0.25 turn], note: !file note.txt,\n"
        "    raw: !file ../in/note.txt, none: ~, pair: '1,2'}\n");
    fixture_write("in/room.scene.yaml",
                  "prefabs: {a: {components: {Body: {at: 3}, Note: {text: !file note.txt}}}}\n"
                  "entities: [{base: a, components: {Body: {at: {y: 3}}}}]\n");
    fixture_write(
        "s.yaml",
        "kiln: 1\ntypes:\n"
        "  Place: {struct: {x: i32, y: {type: i32, default: 0}}, tuple: true}\n"
        "  Mood: {union: {calm: , angry: u8, at: Place}, by: tag}\n"
        "  Act: {union: {Wait: , Go: Place}, by: {key: type}}\n"
        "  Tint: {struct: {r: u8, g: f32, b: f64}, colour: true, tuple: true}\n"
        "  Row: {struct: {n: u8, s: string, o: u8?}, tuple: true}\n"
        "  Sound: {struct: {all: \"u8[]\", far: {type: u8, default: 4}}, short: all}\n"
        "  Mask: {flags: [a, b], case: any, prefix: m_}\n"
        "  Kind: {enum: [one, two], case: any, prefix: [enum., e.]}\n"
        "  Angle: {wrap: {type: f32, unit: rad}}\n"
        "  Body: {struct: {at: Place}}\n"
        "  Note: {struct: {text: string}, component: true}\n"
        "  Item:\n"
        "    struct: {by: \"Mood[]\", acts: \"Act[]\", tint: Tint, tints: \"Tint[]\", row: Row,\n"
        "             sound: Sound, mask: Mask, kinds: \"map<Kind, u8>\", angles: \"Angle[]\",\n"
        "             note: string, raw: bytes, none: {type: string, default: x}, pair: "
        "\"u8[2]\"}\n"
        "    asset: true\n"
        "files:\n"
        "  - {match: \"*.scene.yaml\", shape: scene}\n"
        "  - {match: \"*.items.yaml\", shape: map, type: Item}\n");
    failing_bake("-q -s s.yaml -o o.kiln -C in .", 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(components_accept_every_form),
        IN_FOLDER(rows_accept_the_forms_of_their_structs),
        IN_FOLDER(data_names_entities_by_their_numbers),
        IN_FOLDER(keys_of_maps_name_entities_by_their_numbers),
        IN_FOLDER(values_other_than_mappings_are_replaced_whole),
        IN_FOLDER(components_of_prefab_assets_accept_every_form),
        IN_FOLDER(prefab_assets_may_have_old_names),
        IN_FOLDER(errors_in_prefab_assets_are_reported_once),
        IN_FOLDER(failing_allocations_are_reported_in_every_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
