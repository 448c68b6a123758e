/* Assets that refer to a deleted asset: they can be loaded if the reference may be null. Each case
 * stores the reference in a different kind of value. */
#include "asset_fixture.h"

#include <kiln/builder.h>
#include <kiln/type_table.h>
#include <string.h>

enum {
    T_U32,
    T_ITEM,
    T_REF,
    T_MAYBE,
    T_REFS,
    T_MAYBES,
    T_BY_REF,
    T_TO_REF,
    T_TO_MAYBE,
    T_PAIR,
    T_NUMBERS,
    T_USE,
    T_PART,
    T_PARTS,
    T_MAYBE_PART,
    T_NODE,
    T_MAYBE_NODE,
    T_ROOT,
    T_COUNT
};

/* The fields of a root, in the order of its members. */
enum {
    PLAIN,
    MAYBE,
    REFS,
    MAYBES,
    BY_REF,
    TO_REF,
    TO_MAYBE,
    PAIR,
    USE,
    PARTS,
    PART,
    NODE,
    NUMBERS
};

#define STRUCT(text, fields, bits)                                                                 \
    {                                                                                              \
        .kind = KILN_KIND_STRUCT, .name = (text), .members = (fields),                             \
        .member_count = sizeof(fields) / sizeof *(fields), .flags = (bits)                         \
    }

static kiln_types *make_types(void)
{
    static const kiln_member item[] = {{.name = "n", .type = T_U32}};
    static const kiln_member part[] = {{.name = "of", .type = T_REF}};
    static const kiln_member node[] = {{.name = "a", .type = T_MAYBE_NODE},
                                       {.name = "b", .type = T_MAYBE_NODE},
                                       {.name = "of", .type = T_MAYBE}};
    static const kiln_member use[] = {{.name = "none", .type = KILN_TYPE_NONE, .value = 1},
                                      {.name = "item", .type = T_REF, .value = 2}};
    static const kiln_member root[] = {[PLAIN] = {.name = "plain", .type = T_REF},
                                       [MAYBE] = {.name = "maybe", .type = T_MAYBE},
                                       [REFS] = {.name = "refs", .type = T_REFS},
                                       [MAYBES] = {.name = "maybes", .type = T_MAYBES},
                                       [BY_REF] = {.name = "by_ref", .type = T_BY_REF},
                                       [TO_REF] = {.name = "to_ref", .type = T_TO_REF},
                                       [TO_MAYBE] = {.name = "to_maybe", .type = T_TO_MAYBE},
                                       [PAIR] = {.name = "pair", .type = T_PAIR},
                                       [USE] = {.name = "use", .type = T_USE},
                                       [PARTS] = {.name = "parts", .type = T_PARTS},
                                       [PART] = {.name = "part", .type = T_MAYBE_PART},
                                       [NODE] = {.name = "node", .type = T_MAYBE_NODE},
                                       [NUMBERS] = {.name = "numbers", .type = T_NUMBERS}};
    static const kiln_type list[T_COUNT] = {
        [T_U32] = {.kind = KILN_KIND_U32},
        [T_ITEM] = STRUCT("t.Item", item, KILN_TYPE_ASSET),
        [T_REF] = {.kind = KILN_KIND_REF, .element = T_ITEM},
        [T_MAYBE] = {.kind = KILN_KIND_OPTIONAL, .element = T_REF},
        [T_REFS] = {.kind = KILN_KIND_ARRAY, .element = T_REF},
        [T_MAYBES] = {.kind = KILN_KIND_ARRAY, .element = T_MAYBE},
        [T_BY_REF] = {.kind = KILN_KIND_MAP, .key = T_REF, .element = T_U32},
        [T_TO_REF] = {.kind = KILN_KIND_MAP, .key = T_U32, .element = T_REF},
        [T_TO_MAYBE] = {.kind = KILN_KIND_MAP, .key = T_U32, .element = T_MAYBE},
        [T_PAIR] = {.kind = KILN_KIND_FIXED, .element = T_REF, .count = 2},
        [T_NUMBERS] = {.kind = KILN_KIND_ARRAY, .element = T_U32},
        [T_USE] = {.kind = KILN_KIND_UNION, .name = "t.Use", .members = use, .member_count = 2},
        [T_PART] = STRUCT("t.Part", part, 0),
        [T_PARTS] = {.kind = KILN_KIND_ARRAY, .element = T_PART},
        [T_MAYBE_PART] = {.kind = KILN_KIND_OPTIONAL, .element = T_PART},
        [T_NODE] = STRUCT("t.Node", node, 0),
        [T_MAYBE_NODE] = {.kind = KILN_KIND_OPTIONAL, .element = T_NODE},
        [T_ROOT] = STRUCT("t.Root", root, KILN_TYPE_ASSET),
    };
    kiln_types *plain = NULL, *types = NULL;
    kiln_error error = {0};
    if (kiln_types_create(NULL, list, T_COUNT, &plain, &error) != KILN_OK)
        fail_msg("%s", error.path);
    EXPECT_STATUS(KILN_OK, kiln_types_with_redirects(plain, NULL, &types, NULL));
    kiln_types_destroy(plain);
    return types;
}

/* ---- values ---- */

typedef struct null_case {
    int field;
    bool is_allowed;
    uint32_t depth; /* of the nodes */
} null_case;

typedef struct making {
    kiln_builder *builder;
    unsigned char *root;
    const kiln_type *type;
    const null_case *of;
    kiln_id kept, gone;
} making;

static void *field_of(const making *m, int field)
{
    return m->root + m->type->members[field].offset;
}

/* The id for a reference in this field. */
static kiln_id id_in(const making *m, int field)
{
    return field == m->of->field ? m->gone : m->kept;
}

static void *add_array(const making *m, int field, uint32_t count, uint32_t size, uint32_t align)
{
    void *items = kiln_builder_array(m->builder, field_of(m, field), count, size, align);
    assert_non_null(items);
    return items;
}

static void add_maps(const making *m)
{
    typedef struct by_ref {
        KILN_ALIGNAS(8) kiln_id key;
        uint32_t value;
    } by_ref;
    typedef struct to_ref {
        uint32_t key;
        KILN_ALIGNAS(8) kiln_id value;
    } to_ref;
    typedef struct to_maybe {
        uint32_t key;
        kiln_ptr value;
    } to_maybe;
    by_ref *by = add_array(m, BY_REF, 1, sizeof *by, 8);
    by->key = id_in(m, BY_REF);
    to_ref *to = add_array(m, TO_REF, 1, sizeof *to, 8);
    to->value = id_in(m, TO_REF);
    to_maybe *maybe = add_array(m, TO_MAYBE, 1, sizeof *maybe, 4);
    *(kiln_id *)kiln_builder_pointer(m->builder, &maybe->value, 8, 8) = id_in(m, TO_MAYBE);
}

/* A chain in which both fields of a node refer to the next one, so that the number of paths doubles
 * with each node. The last node has the reference. */
static void add_nodes(const making *m)
{
    typedef struct node {
        kiln_ptr a, b, of;
    } node;
    node *at = kiln_builder_pointer(m->builder, field_of(m, NODE), sizeof *at, 4);
    for (uint32_t i = 1; i < m->of->depth; i++) {
        node *next = kiln_builder_pointer(m->builder, &at->a, sizeof *next, 4);
        assert_true(kiln_builder_share(m->builder, &at->b, &at->a));
        at = next;
    }
    *(kiln_id *)kiln_builder_pointer(m->builder, &at->of, 8, 8) = id_in(m, NODE);
}

static void fill(const making *m)
{
    const kiln_id pair[2] = {m->kept, id_in(m, PAIR)};
    kiln_id plain = id_in(m, PLAIN);
    memcpy(field_of(m, PLAIN), &plain, sizeof plain);
    memcpy(field_of(m, PAIR), pair, sizeof pair);
    *(kiln_id *)kiln_builder_pointer(m->builder, field_of(m, MAYBE), 8, 8) = id_in(m, MAYBE);
    kiln_id *refs = add_array(m, REFS, 2, 8, 8);
    refs[0] = m->kept;
    refs[1] = id_in(m, REFS);
    kiln_ptr *maybes = add_array(m, MAYBES, 1, sizeof *maybes, 4);
    *(kiln_id *)kiln_builder_pointer(m->builder, maybes, 8, 8) = id_in(m, MAYBES);
    *(kiln_id *)kiln_builder_choose(m->builder, field_of(m, USE), 2, 8, 8) = id_in(m, USE);
    *(kiln_id *)add_array(m, PARTS, 1, 8, 8) = id_in(m, PARTS);
    *(kiln_id *)kiln_builder_pointer(m->builder, field_of(m, PART), 8, 8) = id_in(m, PART);
    *(uint32_t *)add_array(m, NUMBERS, 1, 4, 4) = (uint32_t)m->gone;
    add_maps(m);
    add_nodes(m);
}

static void add_root(kiln_file_writer *writer, const kiln_types *types, const null_case *of)
{
    const uint32_t type = kiln_types_find(types, "t.Root");
    making m = {.type = kiln_types_get(types, type),
                .of = of,
                .kept = scene_id("Item/kept"),
                .gone = scene_id("Item/gone")};
    kiln_builder_def def = kiln_builder_def_default();
    kiln_error error = {0};
    def.types = types;
    EXPECT_STATUS(KILN_OK, kiln_builder_create(&def, &m.builder));
    m.root = kiln_builder_root(m.builder, m.type->size, m.type->align);
    fill(&m);
    if (kiln_file_writer_build(writer, "Root/one", type, m.builder, &error) != KILN_OK)
        fail_msg("%s %s", kiln_status_name(error.status), error.path);
    kiln_builder_destroy(m.builder);
}

static void add_item(kiln_file_writer *writer, const kiln_types *types)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    def.types = types;
    EXPECT_STATUS(KILN_OK, kiln_builder_create(&def, &builder));
    kiln_builder_root(builder, 4, 4);
    EXPECT_STATUS(KILN_OK, kiln_file_writer_build(writer, "Item/kept",
                                                  kiln_types_find(types, "t.Item"), builder, NULL));
    kiln_builder_destroy(builder);
}

/* A file in which Item/gone is deleted. */
static kiln_buffer make_file(const null_case *of, bool omit_types)
{
    static const kiln_rename deleted = {"Item/gone", NULL};
    kiln_types *types = make_types();
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *writer = NULL;
    kiln_buffer image = {0};
    def.types = types;
    def.omit_type_table = omit_types;
    EXPECT_STATUS(KILN_OK, kiln_file_writer_create(&def, &writer, NULL));
    EXPECT_STATUS(KILN_OK, kiln_file_writer_import(writer, "Item/gone"));
    add_item(writer, types);
    add_root(writer, types, of);
    const kiln_redirects_finish_args args = {&deleted, 1, types, writer, NULL};
    EXPECT_STATUS(KILN_OK, kiln_redirects_finish(&args, NULL));
    EXPECT_STATUS(KILN_OK, kiln_file_writer_finish_buffer(writer, &image, NULL));
    kiln_file_writer_destroy(writer);
    kiln_types_destroy(types);
    return image;
}

/* ---- the table ---- */

static kiln_buffer program_types;

static void use_types(kiln_assets_def *def)
{
    def->types = program_types.data;
    def->types_size = program_types.size;
}

static void check(const null_case *of, bool has_program_types, bool omit_types)
{
    scene s;
    kiln_types *types = make_types();
    kiln_mount_def def = kiln_mount_def_default();
    kiln_mount mount = {0};
    kiln_ref ref = {0};
    kiln_buffer image = make_file(of, omit_types);
    if (has_program_types)
        EXPECT_STATUS(KILN_OK, kiln_type_table_write(NULL, types, &program_types, NULL));
    scene_begin_with(&s, use_types);
    def.file.data = image.data;
    def.file.size = image.size;
    def.file.level = KILN_VERIFY_HASH; /* without types there is no deep check */
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(s.assets, &def, &mount, &s.error));
    const bool is_known = has_program_types || !omit_types;
    kiln_status status = scene_try_load(&s, "Root/one", &ref);
    if ((status == KILN_OK) != (of->is_allowed && is_known))
        fail_msg("field %d: %s", of->field, kiln_status_name(status));
    if (status != KILN_OK) {
        assert_int_equal(KILN_MISSING, status);
        assert_string_equal("Root/one > Item/gone (deleted)", s.error.path);
    }
    assert_int_equal(status == KILN_OK ? 2 : 0, scene_stats(&s).loaded);
    scene_clear(&s, &ref);
    scene_end(&s);
    kiln_types_destroy(types);
    kiln_buffer_fini(&program_types);
    kiln_buffer_fini(&image);
}

static void only_references_that_may_be_null_may_lead_to_deleted_assets(void **state)
{
    (void)state;
    static const null_case cases[] = {
        {PLAIN, false, 1},  {MAYBE, true, 1},   {REFS, false, 1},    {MAYBES, true, 1},
        {BY_REF, false, 1}, {TO_REF, false, 1}, {TO_MAYBE, true, 1}, {PAIR, false, 1},
        {USE, false, 1},    {PARTS, false, 1},  {PART, false, 1},    {NODE, true, 1},
        {NODE, true, 5},    {MAYBE, true, 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int types = 0; types < 4; types++)
            check(&cases[i], types & 1, types & 2);
}

/* Visiting each path of this value would take 2^60 steps. */
static void a_value_with_too_many_paths_is_not_searched_to_the_end(void **state)
{
    (void)state;
    static const null_case deep = {MAYBE, false, 60};
    check(&deep, true, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_references_that_may_be_null_may_lead_to_deleted_assets),
        cmocka_unit_test(a_value_with_too_many_paths_is_not_searched_to_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
