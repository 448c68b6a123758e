#include "bake_fixture.h"
#include "path_match.h"

#include <sys/stat.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const kiln_type *type_of(const fixture_schema *f, const char *name)
{
    uint32_t number = kiln_types_find(f->schema->types, name);
    assert_int_not_equal(number, KILN_TYPE_NONE);
    return kiln_types_get(f->schema->types, number);
}

static void read_schema(fixture_schema *f, const char *text)
{
    fixture_write("s.yaml", text);
    fixture_schema_init(f, "s.yaml");
    if (f->result != BAKE_OK)
        fail_msg("%s", fixture_said(f));
}

static void type_expressions_denote_their_types(void **state)
{
    static const struct {
        const char *written, *expected;
        uint32_t size, align;
    } rows[] = {
        {"bool", "bool", 1, 1},
        {"i64", "i64", 8, 8},
        {"string", "string", 8, 4},
        {"bytes", "bytes", 8, 4},
        {"bytes@64", "bytes@64", 8, 4},
        {"ref", "ref", 8, 8},
        {"ref<A>", "ref<n.A>", 8, 8},
        {"ref< n.A >", "ref<n.A>", 8, 8},
        {"A", "n.A", 1, 1},
        {"n.A", "n.A", 1, 1},
        {"u8[]", "u8[]", 8, 4},
        {"f64[]@16", "f64[]@16", 8, 4},
        {"f64[3]", "f64[3]", 24, 8},
        {"u8[0x10]", "u8[16]", 16, 1},
        {"u8[3][]?", "u8[3][]?", 4, 4},
        {"map<string,u8>", "map<string, u8>", 8, 4},
        {" map < f32[2] , map<E, ref<A>[]> > ", "map<f32[2], map<n.E, ref<n.A>[]>>", 8, 4},
        {"u8[2][3]", "u8[2][3]", 6, 1},
        {"entity", "entity", 8, 4},
        {"entity[3]", "entity[3]", 24, 4},
        {"data<string>", "data<string>", 8, 8},
        {"data < map<string,u8[]> >[2]", "data<map<string, u8[]>>[2]", 16, 8},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char schema[512], text[128];
        fixture_schema f;
        snprintf(schema, sizeof schema,
                 "kiln: 1\nnamespace: n\ntypes:\n  R: {struct: {v: \"%s\"}}\n  E: {enum: [x]}\n"
                 "  A: {struct: {x: u8}, asset: true}\n",
                 rows[i].written);
        read_schema(&f, schema);
        uint32_t number = type_of(&f, "n.R")->members[0].type;
        const kiln_type *type = kiln_types_get(f.schema->types, number);
        kiln_type_expression(f.schema->types, number, text, sizeof text);
        if (strcmp(text, rows[i].expected) != 0 || type->size != rows[i].size ||
            type->align != rows[i].align)
            fail_msg("%s: %s, %u bytes at %u", rows[i].written, text, type->size, type->align);
        fixture_schema_fini(&f);
    }
}

static void each_unnamed_type_occurs_once(void **state)
{
    fixture_schema f;
    (void)state;
    read_schema(&f,
                "kiln: 1\ntypes:\n  A: {struct: {a: \"u8[]\", b: \"u8[]\", c: \"map<u8, u8[]>\"}}\n"
                "  B: {struct: {a: \"u8[]?\", b: \"map<u8,u8[]>\"}}\n");
    /* the types A, B, u8, u8[], map<u8, u8[]> and u8[]? */
    assert_int_equal(kiln_types_count(f.schema->types), 6);
    fixture_schema_fini(&f);
}

static void enums_and_flags_get_values_and_bases(void **state)
{
    static const struct {
        const char *body;
        kiln_kind base;
        uint64_t first, second;
    } rows[] = {
        {"{enum: [a, b]}", KILN_KIND_U8, 0, 1},
        {"{enum: [a, b], base: i32}", KILN_KIND_I32, 0, 1},
        {"{enum: {a: 255, b: 256}}", KILN_KIND_U16, 255, 256},
        {"{enum: {a: -1, b: 127}}", KILN_KIND_I8, UINT64_MAX, 127},
        {"{enum: {a: -1, b: 128}}", KILN_KIND_I16, UINT64_MAX, 128},
        {"{enum: {a: 0xffffffffffffffff, b: 0}}", KILN_KIND_U64, UINT64_MAX, 0},
        {"{enum: {a: {value: 4294967295, doc: d}, b: 1}}", KILN_KIND_U32, 4294967295, 1},
        {"{flags: [a, b]}", KILN_KIND_U8, 1, 2},
        {"{flags: {a: 0x100, b: 3}}", KILN_KIND_U16, 256, 3},
        {"{flags: [a, b], base: u64}", KILN_KIND_U64, 1, 2},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char schema[256];
        fixture_schema f;
        snprintf(schema, sizeof schema, "kiln: 1\ntypes:\n  T: %s\n", rows[i].body);
        read_schema(&f, schema);
        const kiln_type *type = type_of(&f, "T");
        if (type->base != rows[i].base || type->members[0].value != rows[i].first ||
            type->members[1].value != rows[i].second)
            fail_msg("%s", rows[i].body);
        fixture_schema_fini(&f);
    }
}

static void attributes_are_stored_in_the_types(void **state)
{
    fixture_schema f;
    (void)state;
    read_schema(
        &f, "kiln: 1\nnamespace: game\ndoc: |\n  All of it.\ntypes:\n"
            "  Item:\n"
            "    struct:\n"
            "      a: {type: u8, doc: In coins., range: [1, null], was: [x, y]}\n"
            "      b: {type: f32, range: [-0.5, 2]}\n"
            "      c: {type: \"string[]\", single: true, required: true, deprecated: true}\n"
            "      d: {type: \"map<string, u8>\", rest: true}\n"
            "      e: {type: \"u16[]\", default: [1, 2]}\n"
            "    doc: A thing.\n    was: Thing\n    asset: true\n    kind: item\n    align: 16\n"
            "  W: {wrap: {type: u8, default: 7}, asset: true}\n");
    const kiln_type *item = type_of(&f, "game.Item");
    assert_string_equal(f.schema->doc, "All of it.");
    assert_string_equal(item->doc, "A thing.");
    assert_int_equal(item->was_count, 1);
    assert_string_equal(item->was[0], "Thing");
    assert_int_equal(item->align, 16);
    assert_int_equal(item->flags, KILN_TYPE_ASSET);
    assert_string_equal(item->members[0].doc, "In coins.");
    assert_int_equal(item->members[0].was_count, 2);
    assert_int_equal(item->members[0].flags, KILN_MEMBER_HAS_MIN);
    assert_int_equal(item->members[0].min, 1);
    double low, high;
    memcpy(&low, &item->members[1].min, sizeof low);
    memcpy(&high, &item->members[1].max, sizeof high);
    assert_true(low == -0.5 && high == 2);
    assert_int_equal(item->members[2].flags,
                     KILN_MEMBER_SINGLE | KILN_MEMBER_REQUIRED | KILN_MEMBER_DEPRECATED);
    assert_int_equal(item->members[3].flags, KILN_MEMBER_REST);
    assert_int_equal(item->members[4].default_size, 12);
    assert_string_equal(bake_schema_kind(f.schema, "item", 4)->name, "item");
    assert_null(bake_schema_kind(f.schema, "Item", 4));
    assert_null(bake_schema_kind(f.schema, "ite", 3));
    const kiln_type *wrap = type_of(&f, "game.W");
    assert_int_equal(wrap->flags, KILN_TYPE_ASSET | KILN_TYPE_TRANSPARENT);
    assert_string_equal(wrap->members[0].name, "value");
    assert_int_equal(wrap->members[0].default_image[0], 7);
    fixture_schema_fini(&f);
}

static void includes_are_relative_to_the_including_file(void **state)
{
    static const char *const folders[] = {"lib"};
    static const char *const paths[] = {"main/s.yaml"};
    fixture_schema f;
    (void)state;
    assert_int_equal(mkdir("main", 0777), 0);
    assert_int_equal(mkdir("lib", 0777), 0);
    fixture_write("main/s.yaml", "kiln: 1\nnamespace: a\ninclude: [t.yaml, u.yaml]\n"
                                 "types: {A: {struct: {b: b.B, c: C, own: D}}, D: {enum: [x]}}\n");
    /* Includes itself by a different path, and the file that includes it. */
    fixture_write("main/t.yaml", "kiln: 1\nnamespace: b\ninclude: [../main/t.yaml, s.yaml]\n"
                                 "types: {B: {struct: {d: D}}, D: {enum: [y, z]}}\n");
    fixture_write("lib/u.yaml", "kiln: 1\ntypes: {C: {struct: {x: u8}}}\n");
    memset(&f, 0, sizeof f);
    f.gateway = bake_gateway_create(NULL);
    f.diagnostics = bake_diagnostics_create();
    bake_schema_def def = {f.gateway, f.diagnostics, paths, 1, folders, 1, false, NULL, 0};
    f.result = bake_schema_load(&def, &f.schema, &f.failure);
    /* ../main/t.yaml is another path to t.yaml, which is still read only once. */
    assert_int_equal(f.result, BAKE_OK);
    fixture_schema_fini(&f);
    fixture_write("main/t.yaml", "kiln: 1\nnamespace: b\ninclude: [s.yaml, t.yaml]\n"
                                 "types: {B: {struct: {d: D}}, D: {enum: [y, z]}}\n");
    f.gateway = bake_gateway_create(NULL);
    f.diagnostics = bake_diagnostics_create();
    def.gateway = f.gateway;
    def.diagnostics = f.diagnostics;
    f.result = bake_schema_load(&def, &f.schema, &f.failure);
    if (f.result != BAKE_OK)
        fail_msg("%s %s", f.failure.text, fixture_said(&f));
    uint32_t own = type_of(&f, "a.A")->members[2].type;
    assert_string_equal(kiln_types_get(f.schema->types, own)->name, "a.D");
    fixture_schema_fini(&f);
}

static void the_order_of_declarations_does_not_affect_layouts(void **state)
{
    fixture_schema f;
    (void)state;
    read_schema(&f,
                "kiln: 1\ntypes:\n  A: {struct: {b: B, n: \"A[]\"}}\n  B: {struct: {x: u32}}\n");
    uint64_t layout = type_of(&f, "A")->layout;
    fixture_schema_fini(&f);
    read_schema(&f,
                "kiln: 1\ntypes:\n  B: {struct: {x: u32}}\n  A: {struct: {b: B, n: \"A[]\"}}\n");
    assert_true(type_of(&f, "A")->layout == layout);
    fixture_schema_fini(&f);
}

static void patterns_match_paths(void **state)
{
    static const struct {
        const char *pattern, *path;
        bool fits;
    } rows[] = {
        {"*.yaml", "a.yaml", true},
        {"*.yaml", "x/y/a.yaml", true},
        {"*.items.yaml", "x/a.items.yaml", true},
        {"*.items.yaml", "x/a.yaml", false},
        {"a?.yaml", "ab.yaml", true},
        {"a?.yaml", "a.yaml", false},
        {"x/*.yaml", "x/a.yaml", true},
        {"x/*.yaml", "x/y/a.yaml", false},
        {"x/*/a.yaml", "x/y/a.yaml", true},
        {"x?a.yaml", "x/a.yaml", false},
        {"x/?.yaml", "x/ab.yaml", false},
        {"**/a.yaml", "a.yaml", true},
        {"**/a.yaml", "x/y/a.yaml", true},
        {"**/a.yaml", "x/ba.yaml", false},
        {"x/**/a.yaml", "x/a.yaml", true},
        {"x/**/a.yaml", "x/y/z/a.yaml", true},
        {"x/**", "x/y/z", true},
        {"x/**", "y/x/z", false},
        {"x/**/*.yaml", "x/y/z/q.yaml", true},
        {"**", "anything/at all", true},
        {"*", "x/y", true},
        {"x/*", "x/", true},
        {"a**/b", "ab", false},
        {"a**/b", "axx/y/b", true},
        {"*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
        {"**a**a**a**b/", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
        {"/a.yaml", "a.yaml", true},
        {"/a.yaml", "x/a.yaml", false},
        {"/a.yaml", "/a.yaml", true},
        {"/a.yaml", "/x/a.yaml", false},
        {"/x/**", "x/y/a.yaml", true},
        {"/*.yaml", "x/a.yaml", false},
        {"/", "", true},
        {"", "", true},
        {"a", "", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (bake_path_matches(rows[i].pattern, rows[i].path) != rows[i].fits)
            fail_msg("pattern %s, path %s: expected %s", rows[i].pattern, rows[i].path,
                     rows[i].fits ? "a match" : "no match");
}

static void fields_with_an_empty_value_may_be_omitted(void **state)
{
    static const struct {
        const char *expression;
        bool empty;
    } rows[] = {
        {"u8[]", true},       {"map<u8, u8>", true},
        {"u8?", true},        {"U", true},
        {"W", true},          {"V", false},
        {"string", false},    {"u8", false},
        {"S", false},         {"u8[2]", false},
        {"entity", true},     {"data<u8[]>", true},
        {"data<W>", true},    {"data<string>", false},
        {"entity[2]", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char schema[512];
        fixture_schema f;
        snprintf(
            schema, sizeof schema,
            "kiln: 1\ntypes:\n  R: {struct: {v: \"%s\"}}\n  U: {union: {a: u8}}\n  W: {wrap: X}\n"
            "  X: {wrap: U}\n  V: {wrap: u8}\n  S: {struct: {}}\n",
            rows[i].expression);
        read_schema(&f, schema);
        if (bake_type_has_empty(f.schema->types, type_of(&f, "R")->members[0].type) !=
            rows[i].empty)
            fail_msg("%s", rows[i].expression);
        fixture_schema_fini(&f);
    }
}

static void assert_field(const fixture_schema *f, const kiln_member *field, const char *name,
                         const char *expression)
{
    char text[128];
    kiln_type_expression(f->schema->types, field->type, text, sizeof text);
    if (strcmp(field->name, name) != 0 || strcmp(text, expression) != 0)
        fail_msg("%s: %s, not %s: %s", field->name, text, name, expression);
}

static const char components[] = "kiln: 1\nnamespace: game\ntypes:\n"
                                 "  Item:\n"
                                 "    struct:\n"
                                 "      name: {type: string, was: [title, label], default: none}\n"
                                 "      owner: entity\n"
                                 "      look: Look\n"
                                 "      slots: Slot[2]\n"
                                 "      tags: {type: \"string[]\", single: true, range: [0, 3]}\n"
                                 "      icon: ref<Icon>\n"
                                 "      texts: data<string>[3]\n"
                                 "      pair: string[2]\n"
                                 "      hp: {type: u32, default: 3}\n"
                                 "    component: true\n"
                                 "    was: game.Thing\n"
                                 "  Slot: {struct: {who: entity, label: string}, component: true}\n"
                                 "  Look: {struct: {state: string, layer: u8}}\n"
                                 "  Word: {wrap: string, component: true}\n"
                                 "  Link: {struct: {to: entity}}\n"
                                 "  Icon: {struct: {path: string}, asset: true}\n";

static void relative_fields_of_components_refer_to_scene_data(void **state)
{
    static const char *const fields[][2] = {
        {"name", "data<string>"},     {"owner", "entity"},         {"look", "data<game.Look>"},
        {"slots", "game.Slot[2]"},    {"tags", "data<string[]>"},  {"icon", "ref<game.Icon>"},
        {"texts", "data<string>[3]"}, {"pair", "data<string[2]>"}, {"hp", "u32"}};
    fixture_schema f;
    (void)state;
    read_schema(&f, components);
    const kiln_type *item = type_of(&f, "game.Item");
    assert_int_equal(item->member_count, COUNT(fields));
    for (uint32_t i = 0; i < COUNT(fields); i++)
        assert_field(&f, &item->members[i], fields[i][0], fields[i][1]);
    assert_int_equal(item->flags, KILN_TYPE_COMPONENT);
    assert_false(item->has_pointers);
    assert_int_equal(item->members[4].flags,
                     KILN_MEMBER_SINGLE | KILN_MEMBER_HAS_MIN | KILN_MEMBER_HAS_MAX);
    assert_int_equal(item->members[4].max, 3);
    /* The default of a data field is a single value of the element type, not a list. */
    assert_int_equal(item->members[0].default_size, 13);
    assert_string_equal((const char *)item->members[0].default_image + 8, "none");
    assert_int_equal(type_of(&f, "game.Look")->flags, 0);
    assert_true(type_of(&f, "game.Look")->has_pointers);
    fixture_schema_fini(&f);
}

static void scene_data_has_a_list_for_each_such_field(void **state)
{
    static const char *const fields[][2] = {
        {"game.Item.name", "string[]"},        {"game.Item.look", "game.Look[]"},
        {"game.Item.slots.label", "string[]"}, {"game.Item.tags", "string[][]"},
        {"game.Item.texts", "string[]"},       {"game.Item.pair", "string[2][]"},
        {"game.Slot.label", "string[]"},       {"game.Word.value", "string[]"}};
    static const char *const was[] = {"game.Thing.name", "game.Item.title", "game.Thing.title",
                                      "game.Item.label", "game.Thing.label"};
    fixture_schema f;
    (void)state;
    read_schema(&f, components);
    const kiln_type *data = type_of(&f, "game.SceneData");
    assert_int_equal(data->flags, KILN_TYPE_ASSET);
    assert_int_equal(data->member_count, COUNT(fields));
    for (uint32_t i = 0; i < COUNT(fields); i++)
        assert_field(&f, &data->members[i], fields[i][0], fields[i][1]);
    assert_int_equal(data->members[0].was_count, COUNT(was));
    for (uint32_t i = 0; i < COUNT(was); i++)
        assert_string_equal(data->members[0].was[i], was[i]);
    assert_int_equal(data->members[6].was_count, 0);
    const bake_kind *kind = bake_schema_kind(f.schema, "SceneData", 9);
    assert_non_null(kind);
    assert_ptr_equal(kiln_types_get(f.schema->types, kind->type), data);
    fixture_schema_fini(&f);
}

static void schemas_without_data_have_no_scene_data(void **state)
{
    static const char *const rows[] = {
        "kiln: 1\ntypes:\n  A: {struct: {x: string}, asset: true}\n",
        "kiln: 1\ntypes:\n  A: {struct: {x: entity, y: \"entity[2]\"}, component: true}\n",
        "kiln: 1\ntypes:\n  A: {struct: {}, component: true}\n",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        fixture_schema f;
        read_schema(&f, rows[i]);
        assert_int_equal(kiln_types_find(f.schema->types, "SceneData"), KILN_TYPE_NONE);
        fixture_schema_fini(&f);
    }
}

static void scene_data_has_the_namespace_of_the_first_schema(void **state)
{
    fixture_schema f;
    (void)state;
    fixture_write("other.yaml", "kiln: 1\nnamespace: other\ntypes:\n"
                                "  A: {struct: {x: string}, component: true}\n");
    read_schema(&f, "kiln: 1\ninclude: [other.yaml]\ntypes:\n"
                    "  B: {struct: {y: bytes}, component: true}\n");
    const kiln_type *data = type_of(&f, "SceneData");
    assert_int_equal(data->member_count, 2);
    assert_field(&f, &data->members[0], "B.y", "bytes[]");
    assert_field(&f, &data->members[1], "other.A.x", "string[]");
    fixture_schema_fini(&f);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(type_expressions_denote_their_types),
        IN_FOLDER(each_unnamed_type_occurs_once),
        IN_FOLDER(enums_and_flags_get_values_and_bases),
        IN_FOLDER(attributes_are_stored_in_the_types),
        IN_FOLDER(includes_are_relative_to_the_including_file),
        IN_FOLDER(the_order_of_declarations_does_not_affect_layouts),
        IN_FOLDER(fields_with_an_empty_value_may_be_omitted),
        IN_FOLDER(relative_fields_of_components_refer_to_scene_data),
        IN_FOLDER(scene_data_has_a_list_for_each_such_field),
        IN_FOLDER(schemas_without_data_have_no_scene_data),
        IN_FOLDER(scene_data_has_the_namespace_of_the_first_schema),
        cmocka_unit_test(patterns_match_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
