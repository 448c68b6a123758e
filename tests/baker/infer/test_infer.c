/* Schemas inferred from small inputs: their content, and that the inputs bake with them. */
#include "failing_bake.h"
#include "infer_example.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Wraps a value in ten mappings. */
#define NESTED(value)                                                                              \
    "{a1: 1, a: {b1: 1, b: {c1: 1, c: {d1: 1, d: {e1: 1, e: {f1: 1, f: {g1: 1, g: {h1: 1, h: {i1:" \
    " 1, i: {j1: 1, j: " value "}}}}}}}}}}\n"

static const example examples[] = {
    {"ids_and_records_are_a_map_of_assets",
     {{"data/items.yaml", "sword: {price: 300, name: Sword}\naxe: {price: 7, name: Axe}\n"
                          "bow: {name: Bow, price: 2}\n"}},
     {"shape: map, type: Item}", "  Item:  # 3 assets", "price: i32  # 2..300", "name: string"}},
    {"nested_lists_need_no_name_within_the_depth_of_a_type_expression",
     {{"data/n.yaml",
       "- {id: a, v: [[[[[1, 2, 3, 4, 5]]]]]}\n- {id: b, v: [[[[[6, 2, 3, 4, 5]]]]]}\n"
       "- {id: c, v: [[[[[1, 2, 3, 4, 7]]]]]}\n- {id: d, v: [[[[[1, 2, 3, 8, "
       "5]]]]]}\n"}},
     {"[5][][][][]  #"}},
    {"an_optional_field_restarts_the_depth",
     {{"data/n.yaml", "p: " NESTED("{x: {p: 1, q: 2}, y: 2}") "q: " NESTED("{y: 1}") "r: " NESTED(
                          "{x: {p: 3, q: 1}, y: 7}")}},
     {"      a: A\n", "x: X?  # in 2 of 3"}},
    {"a_mapping_without_alternatives_is_not_counted_with_its_kind",
     {{"data/n.yaml", "one: {type: {type: type, by: 3}}\n"}},
     {"  Type:  # 1 mapping, ", "      type: string  # 1 value"}},
    {"integer_types_leave_room_to_grow",
     {{"data/n.yaml",
       "- {id: a, b: 0, s: -3, w: 200, h: 0x1F000000, l: 18446744073709551615}\n"
       "- {id: b, b: 9, s: 60, w: 1, h: 2, l: 1}\n- {id: c, b: 100, s: 1, w: 2, h: 3, l: 0}\n"
       "- {id: d, b: 3, s: 0, w: 3, h: 9, l: 5}\n- {id: e, b: 4, s: 5, w: 4, h: 0, l: 6}\n"
       "- {id: f, b: 3, s: 0, w: 3, h: 9, l: 5}\n- {id: g, b: 4, s: 5, w: 4, h: 0, l: 6}\n"
       "- {id: h, b: 3, s: 0, w: 3, h: 9, l: 5}\n"}},
     {"shape: list, type: N, id: id}", "b: u8  # 0..100", "s: i8  # -3..60", "w: u16", "h: u32",
      "l: u64"}},
    {"integers_among_floats_are_floats",
     {{"data/n.yaml", "half: [1, 2.5, 3, 7, 8]\nfine: [1.5, 3.14159265358979, 0, 1, 2]\n"}},
     {"half: f32[]", "fine: f64[]"}},
    {"a_number_that_begins_with_a_zero_is_a_string",
     {{"data/n.yaml", "code: [007, 010]\nquoted: ['1', '2']\n"}},
     {"code: string[]", "quoted: string[]  # doubtful: "}},
    {"repeated_names_are_an_enum",
     {{"data/doors.yaml", "a: {state: open, n: 1}\nb: {state: shut, n: 2}\nc: {state: open, n: "
                          "3}\nd: {state: shut, n: 1}\n"
                          "e: {state: open, n: 4}\nf: {state: shut, n: 5}\ng: {n: 3}\n"}},
     {"state: {type: State, default: open}  # in 6 of 7", "enum: [open, shut]"}},
    {"an_optional_field_defaults_to_its_most_frequent_value",
     {{"data/items.yaml",
       "a: {n: 1, w: 5, on: true}\nb: {n: 1, w: 5, on: false}\nc: {n: 1, w: 6, on: true}\n"
       "d: {n: 1, p: {a: 1, k: 2}}\n"}},
     {"w: {type: i32, default: 5}", "\"on\": {type: bool, default: true}", "p: P?"}},
    {"nulls_make_optionals",
     {{"data/items.yaml",
       "a: {n: 1, s: ~, l: [1, null], m: null}\nb: {n: , s: x, l: [], m: {k: 1, j: 2}}\n"}},
     {"\"n\": i32?", "s: string?", "l: i32?[]", "m: M?"}},
    {"keys_that_are_numbers_or_ids_are_maps",
     {{"data/items.yaml",
       "a: {by: {1: x, 20: y}, of: {a: 1, b: 2}, at: {'0,1': s, '2,-1': t}}\n"
       "b: {by: {3: x}, of: {c: 7}, at: {'5,5': u}}\nc: {by: {}, of: {}, at: {}}\n"}},
     {"by: map<i32, string>", "of: map<ref<Item>, i32>", "at: map<i32[2], string>"}},
    {"ids_are_references",
     {{"data/items.yaml",
       "sword: {made: [iron, wood], base: iron}\naxe: {made: [wood], base: wood}\n"
       "bow: {made: [wood, string], base: string}\n"},
      {"data/materials.yaml", "iron: {hard: 5, kind: metal}\nwood: {hard: 2, kind: plant}\n"
                              "string: {hard: 1, kind: plant}\n"}},
     {"ref<Material>[]", "values are ids of Material"}},
    {"mappings_with_a_key_for_their_type_are_a_union",
     {{"data/a.yaml",
       "effects:\n- {type: burn, seconds: 3}\n- {type: push, by: [1, 0.5]}\n- {type: end}\n"}},
     {"by: {key: type}", "      burn: Burn", "      end:  # 1 time", "Vec2"}},
    {"tagged_values_are_a_union",
     {{"data/a.yaml",
       "do:\n- !type:Say {text: hi, loud: true}\n- !type:Wait\n- !type:Say {text: ho}\n"}},
     {"by: {tag: \"!type:\"}", "      Say: Say", "      Wait:"}},
    {"values_with_and_without_tags_are_a_union_too",
     {{"data/a.yaml", "a: {name: !Ref x, cond: !If [a, !Ref b, {k: 1}]}\n"
                      "b: {name: plain, cond: [x, y]}\nc: {name: Ref, cond: {Ref: z}}\n"}},
     {"untagged: no_tag", "by: {tag: \"!\""}},
    {"a_record_among_tagged_values_has_no_empty_comment",
     {{"data/a.yaml", "- !Sword {id: a, edge: 3}\n- {id: d, of: x}\n"}},
     {"      no_tag: ValueValue\n    by: {tag: \"!\", untagged: no_tag}"}},
    {"a_mapping_or_a_scalar_is_a_short_struct",
     {{"data/a.yaml", "a: {icon: x.png, n: 1}\nb: {icon: {path: y.png, size: 3}, n: 2}\nc: {icon: "
                      "{path: z.png}, n: 3}\n"}},
     {"short: path"}},
    {"a_map_or_a_scalar_is_a_struct_with_a_rest",
     {{"data/a.yaml", "a: {m: '${x}', n: 1}\nb: {m: {1: x, 2: y}, n: 2}\nc: {m: {7: z}, n: 3}\n"}},
     {"rest: true", "short: value"}},
    {"a_scalar_among_nested_lists_is_single",
     {{"data/a.yaml", "a: {m: x, n: 1}\nb: {m: [[x, y], z], n: 2}\nc: {m: [], n: 3}\n"}},
     {"single: true"}},
    {"one_union_may_replace_a_list",
     {{"data/a.yaml", "- {id: a, do: {type: p, x: 1}}\n- {id: b, do: [{type: q, y: 2, z: 3}, "
                      "{type: p, x: 2}]}\n"}},
     {"single: true", "by: {key: type}"}},
    {"mappings_of_kinds_among_scalars_are_records",
     {{"data/a.yaml",
       "- {id: a, do: {type: p, x: 1}}\n- {id: b, do: {type: q, y: 2, z: 3}}\n- {id: c, do: 5}\n"}},
     {"short: value", "type: string?"}},
    {"units_and_colours_are_recognized",
     {{"data/a.yaml", "a: {wait: 250ms, hue: '#FF0000'}\nb: {wait: 2s, hue: '#00ff0080'}\nc: "
                      "{wait: 3 min, hue: DarkRed}\n"}},
     {"unit: ms", "hue: Colour"}},
    {"names_that_differ_in_case_are_the_same",
     {{"data/a.yaml", "- Red\n- red\n- Blue\n- Blue\n- Red\n- Red\n- Red\n- Blue\n- Blue\n"}},
     {"enum: [Blue, Red]", "case: any"}},
    {"assets_inherit_if_a_key_has_ids_of_their_own_kind",
     {{"data/a.yaml",
       "- {type: mob, id: base, abstract: true, hp: 5}\n- {type: mob, id: rat, parent: base}\n"
       "- {type: mob, id: cat, parent: [base], hp: 7}\n"}},
     {"inherit: {parent: parent, abstract: abstract}"}},
    {"lists_by_type_are_assets_of_several_kinds",
     {{"data/a.yaml", "- {type: item, id: a, price: 1}\n- {type: mob, id: a, likes: b}\n"},
      {"data/b.yaml", "- {type: item, id: b, price: 2}\n- {type: mob, id: c, likes: a}\n"}},
     {"{match: \"*.yaml\", shape: list, by: type}", "kind: item", "kind: mob", "likes: ref<Item>"}},
    {"a_scalar_may_replace_a_list_of_one",
     {{"data/a.yaml", "a: {tags: x, n: 1}\nb: {tags: [y, z], n: 2}\nc: {n: 3}\n"}},
     {"tags: {type: \"string[]\", single: true}"}},
    {"equal_records_are_one_type",
     {{"data/a.yaml",
       "left: {wide: 1, high: 2, deep: 3}\nright: {wide: 4, high: 5, deep: 6}\nn: 1\n"}},
     {"left: Left\n", "right: Left\n"}},
    {"records_that_contain_themselves_are_recursive",
     {{"data/a.yaml", "root:\n  name: a\n  children:\n  - name: b\n    children:\n    - {name: "
                      "c}\n  - {name: d}\n"}},
     {"children: Root[]"}},
    {"files_with_different_keys_have_different_types",
     {{"data/one/x.yaml", "speed: 1\nmass: 2\n"},
      {"data/one/y.yaml", "speed: 4\nmass: 2\n"},
      {"data/two/z.yaml", "colour: red\nshade: dark\n"}},
     {"{match: z.yaml, shape: one, type: Z}", "type: One}"}},
    {"several_documents_in_a_file_are_several_assets",
     {{"data/a.yaml", "kind: A\nx: 1\n---\nkind: B\ny: 2\nz: 3\n"}},
     {"by: {key: kind}", "shape: one"}},
    {"odd_names_are_quoted", {{"data/a.yaml", "'a b': 1\n\"q\\\"\": 2\nnull: 3\n"}}, {"\"a b\""}},
    {"keywords_may_be_names_of_fields",
     {{"data/a.yaml",
       "struct: {type: {u32: 1, on: 2}, map: 1}\nunion: [1]\nref: {string: x}\nstring: y\n"}},
     {"struct: Struct", "\"on\": i32", "ref: Ref"}},
    {"hex_digits_of_one_length_stay_strings_while_in_doubt",
     {{"data/a.yaml", "- {id: a, n: '12'}\n- {id: b, n: '13'}\n"}},
     {"\"n\": string", "id: string  # the id"}},
    {"empty_collections_and_empty_documents_bake",
     {{"data/a.yaml", "a: []\nb: {}\nc:\n"}, {"data/b.yaml", ""}, {"data/c.yaml", "# nothing\n"}},
     {"a: string[]  # doubtful: always empty", "b: map<string, string>", "c: string?"}},
    {"nested_lists_get_a_name_before_they_nest_too_deep",
     {{"data/a.yaml", "a: [[[[[[[[[[1], [2, 3]]]]]]]]]]\n"}},
     {"wrap: {type: "}},
};

static void inputs_bake_with_their_inferred_schema(void **state)
{
    assert_int_equal(check_examples(state, examples, COUNT(examples)), 0);
}

static void the_order_of_files_does_not_matter(void **state)
{
    (void)state;
    fixture_write("a.yaml", "- {id: a, x: 1, type: p}\n- {id: b, y: 2, type: q}\n");
    fixture_write("b.yaml", "k: {x: 1, list: [a, b]}\n");
    fixture_write("c.yaml", "- {id: c, x: 2.5, type: p}\n");
    call("forth", "schema infer -q a.yaml b.yaml c.yaml -o 1.schema");
    call("back", "schema infer -q c.yaml b.yaml a.yaml a.yaml -o 2.schema");
    call("folder", "schema infer -q . -o 3.schema");
    char *first = fixture_read("1.schema", NULL), *second = fixture_read("2.schema", NULL);
    char *third = fixture_read("3.schema", NULL);
    assert_string_equal(first, second);
    assert_string_equal(first, third);
    free(first);
    free(second);
    free(third);
}

static void the_option_namespace_sets_the_namespace(void **state)
{
    char *out, *err;
    (void)state;
    fixture_write("a.yaml", "x: 1\n");
    assert_int_equal(bake_call("schema infer -q --namespace game a.yaml -o s.yaml", &out, &err), 0);
    char *schema = fixture_read("s.yaml", NULL);
    assert_non_null(strstr(schema, "namespace: game\n"));
    free(schema);
    free(out);
    free(err);
    assert_int_equal(bake_call("schema infer --namespace 1x a.yaml", &out, &err), 2);
    assert_non_null(strstr(err, "--namespace takes a C identifier"));
    free(out);
    free(err);
    assert_int_equal(bake_call("schema infer --namespace kiln a.yaml", &out, &err), 2);
    assert_non_null(strstr(err, "--namespace kiln is reserved"));
    free(out);
    free(err);
}

static void unreadable_input_gives_no_schema(void **state)
{
    char *out, *err;
    (void)state;
    fixture_write("a.yaml", "x: [1\n");
    assert_int_equal(bake_call("schema infer a.yaml -o s.yaml", &out, &err), 1);
    assert_non_null(strstr(err, "a.yaml:1:4"));
    assert_null(fixture_read("s.yaml", NULL));
    free(out);
    free(err);
}

/* Engines use the same file extensions for YAML and for other formats. */
static void files_with_other_extensions_are_recognized_by_their_first_bytes(void **state)
{
    static const char head[] = "%YAML 1.1\n%TAG !u! tag:u,1:\n";
    char *out, *err, text[256];
    (void)state;
    assert_int_equal(system("mkdir -p in/a in/none"), 0);
    snprintf(text, sizeof text, "%s--- !u!1 &1\nNode: {name: a, size: 3}\n", head);
    fixture_write("in/a/a.prefab", text);
    snprintf(text, sizeof text, "%s--- !u!1 &7\nNode: {name: b, size: 400}\n", head);
    fixture_write("in/a/b.asset", text);
    fixture_write("in/a/light.asset", "\x01\x02no text at all");
    fixture_write("in/a/notes.txt", "[");
    bake_well("schema infer -q -C in . -o s.yaml");
    assert_int_equal(bake_call("check -s s.yaml -C in .", &out, &err), 0);
    assert_non_null(strstr(err, "checked: 2 assets"));
    free(out);
    free(err);
    assert_int_equal(bake_call("schema infer -C in/none . -o none.yaml", &out, &err), 2);
    assert_non_null(strstr(err, "contain no data"));
    assert_null(fixture_read("none.yaml", NULL));
    free(out);
    free(err);
}

/* A mapping with 300,000 keys, deeply nested lists and mappings, and aliases that double at each
 * level. */
static void hostile_inputs_are_bounded(void **state)
{
    enum { KEYS = 300000, DEPTH = 100 };
    (void)state;
    FILE *file = fopen("a.yaml", "wb");
    for (int i = 0; i < KEYS; i++)
        fprintf(file, "key%d: value%d\n", i, i);
    fclose(file);
    file = fopen("b.yaml", "wb");
    for (int i = 0; i < DEPTH; i++)
        fputc('[', file);
    for (int i = 0; i < DEPTH; i++)
        fputs("]", file);
    fclose(file);
    file = fopen("c.yaml", "wb");
    for (int i = 0; i < DEPTH; i++)
        fprintf(file, "{k%d: ", i);
    for (int i = 0; i < DEPTH; i++)
        fputs("}", file);
    fclose(file);
    file = fopen("d.yaml", "wb");
    fputs("a0: &a0 [x, y]\n", file);
    for (int i = 1; i < 16; i++)
        fprintf(file, "a%d: &a%d [*a%d, *a%d]\n", i, i, i - 1, i - 1);
    fclose(file);
    call("keys", "schema infer -q a.yaml -o s.yaml");
    call("keys", "check -q -s s.yaml a.yaml");
    call("lists", "schema infer -q b.yaml -o s.yaml");
    call("lists", "check -q -s s.yaml b.yaml");
    call("mappings", "schema infer -q c.yaml -o s.yaml");
    call("mappings", "check -q -s s.yaml c.yaml");
    call("aliases", "schema infer -q d.yaml -o s.yaml");
    call("aliases", "check -q -s s.yaml d.yaml");
}

static void no_failing_allocation_is_fatal(void **state)
{
    (void)state;
    fixture_write("a.yaml", "- {type: p, id: a, x: 1, l: [1, b], r: b}\n"
                            "- {type: q, id: b, y: !t:x {z: 1.5}, m: {1: 2, 3: 4}}\n");
    failing_bake("schema infer -q a.yaml -o s.yaml", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_bake_with_their_inferred_schema),
        cmocka_unit_test_setup_teardown(the_order_of_files_does_not_matter, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(the_option_namespace_sets_the_namespace, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(unreadable_input_gives_no_schema, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(
            files_with_other_extensions_are_recognized_by_their_first_bytes, fixture_enter,
            fixture_leave),
        cmocka_unit_test_setup_teardown(hostile_inputs_are_bounded, fixture_enter, fixture_leave),
        cmocka_unit_test_setup_teardown(no_failing_allocation_is_fatal, fixture_enter,
                                        fixture_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
