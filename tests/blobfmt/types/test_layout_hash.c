/* Computes layout hashes a second time from FORMAT.md section 6 alone, with a simple and slow
 * algorithm that shares only the type descriptions with the code under test. */
#include "verdict.h"

#include <inttypes.h>
#include <kiln/cluster_plan.h>
#include <kiln/payload.h>
#include <kiln/redirects.h>
#include <kiln/scene.h>
#include <kiln/type_table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { TYPES_MAX = 128, TEXT_MAX = 1 << 16 };

typedef struct oracle {
    const kiln_types *types;
    uint32_t count;
    bool made_of[TYPES_MAX][TYPES_MAX]; /* directly */
    bool leads_to[TYPES_MAX][TYPES_MAX];
    uint64_t layout[TYPES_MAX];
    bool known[TYPES_MAX];
    char text[TEXT_MAX];
    size_t length;
} oracle;

static void put(oracle *o, const char *text)
{
    size_t size = strlen(text) + 1;
    assert_true(o->length + size <= TEXT_MAX);
    memcpy(o->text + o->length, text, size);
    o->length += size;
}

static void put_number(oracle *o, uint64_t number)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    put(o, digits);
}

static void put_hash(oracle *o, uint64_t hash)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%016" PRIx64, hash);
    put(o, digits);
}

/* The expression of a type as in the table of section 6. */
static void spell(const oracle *o, uint32_t number, char *to)
{
    const kiln_type *type = kiln_types_get(o->types, number);
    char part[1024] = "", key[1024] = "";
    if (!type) {
        *to = '\0';
        return;
    }
    if (type->kind == KILN_KIND_MAP)
        spell(o, type->key, key);
    if (type->element != KILN_TYPE_NONE)
        spell(o, type->element, part);
    switch (type->kind) {
    case KILN_KIND_REF:
        sprintf(to, *part ? "ref<%s>" : "ref", part);
        break;
    case KILN_KIND_ENTITY:
        strcpy(to, "entity");
        break;
    case KILN_KIND_DATA:
        sprintf(to, "data<%s>", part);
        break;
    case KILN_KIND_ARRAY:
        sprintf(to, type->align_at ? "%s[]@%u" : "%s[]", part, (unsigned)type->align_at);
        break;
    case KILN_KIND_MAP:
        sprintf(to, "map<%s, %s>", key, part);
        break;
    case KILN_KIND_OPTIONAL:
        sprintf(to, "%s?", part);
        break;
    case KILN_KIND_FIXED:
        sprintf(to, "%s[%u]", part, (unsigned)type->count);
        break;
    case KILN_KIND_BYTES:
        sprintf(to, type->align_at ? "bytes@%u" : "bytes", (unsigned)type->align_at);
        break;
    default: {
        static const char *const names[] = {"",    "bool", "i8",  "i16", "i32", "i64",   "u8",
                                            "u16", "u32",  "u64", "f32", "f64", "string"};
        strcpy(to, *type->name ? type->name : names[type->kind]);
    }
    }
}

static void put_shape(oracle *o, uint32_t number)
{
    static const char *const bases[] = {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"};
    const kiln_type *type = kiln_types_get(o->types, number);
    bool is_struct = type->kind == KILN_KIND_STRUCT, is_union = type->kind == KILN_KIND_UNION;
    put(o, is_struct                      ? "struct"
           : is_union                     ? "union"
           : type->kind == KILN_KIND_ENUM ? "enum"
                                          : "flags");
    put(o, type->name);
    if (is_struct) {
        put_number(o, type->size);
        put_number(o, type->align);
    } else if (!is_union) {
        put(o, bases[type->base - KILN_KIND_I8]);
    }
    put_number(o, type->member_count);
    uint64_t least = 0;
    for (uint32_t i = 0; i < type->member_count; i++) {
        const kiln_member *member = &type->members[i];
        if (!is_struct) {
            /* The smallest value that is at least `least`. */
            member = NULL;
            for (uint32_t m = 0; m < type->member_count; m++)
                if (type->members[m].value >= least &&
                    (!member || type->members[m].value < member->value))
                    member = &type->members[m];
            least = member->value + 1;
        }
        put(o, member->name);
        put_number(o, is_struct ? member->offset : member->value);
        if (is_struct || is_union) {
            char expression[4096];
            spell(o, member->type, expression);
            put(o, expression);
        }
    }
}

static void mark_parts(oracle *o, uint32_t whole, uint32_t part)
{
    const kiln_type *type = kiln_types_get(o->types, part);
    if (!type || type->kind == KILN_KIND_REF || type->kind == KILN_KIND_DATA)
        return;
    if (*type->name) {
        o->made_of[whole][part] = true;
        return;
    }
    if (type->kind == KILN_KIND_MAP)
        mark_parts(o, whole, type->key);
    if (type->element != KILN_TYPE_NONE)
        mark_parts(o, whole, type->element);
}

static bool one_group(const oracle *o, uint32_t a, uint32_t b)
{
    return a == b || (o->leads_to[a][b] && o->leads_to[b][a]);
}

/* The number of the type whose name follows `after`; TYPES_MAX after the last name. */
static uint32_t next_name(const oracle *o, const char *after)
{
    uint32_t found = TYPES_MAX;
    for (uint32_t i = 0; i < o->count; i++) {
        const char *name = kiln_types_get(o->types, i)->name;
        if (*name && strcmp(name, after) > 0 &&
            (found == TYPES_MAX || strcmp(name, kiln_types_get(o->types, found)->name) < 0))
            found = i;
    }
    return found;
}

static uint64_t layout_of(oracle *o, uint32_t number)
{
    if (o->known[number])
        return o->layout[number];
    bool outside[TYPES_MAX] = {false};
    for (uint32_t member = 0; member < o->count; member++)
        for (uint32_t part = 0; one_group(o, number, member) && part < o->count; part++)
            if (o->made_of[member][part] && !one_group(o, number, part))
                outside[part] = true;
    for (uint32_t part = 0; part < o->count; part++)
        if (outside[part])
            layout_of(o, part);
    o->length = 0;
    for (uint32_t i = next_name(o, ""); i < TYPES_MAX;
         i = next_name(o, kiln_types_get(o->types, i)->name))
        if (one_group(o, number, i))
            put_shape(o, i);
    for (uint32_t i = next_name(o, ""); i < TYPES_MAX;
         i = next_name(o, kiln_types_get(o->types, i)->name)) {
        if (!outside[i])
            continue;
        put(o, kiln_types_get(o->types, i)->name);
        put_hash(o, o->layout[i]);
    }
    uint64_t group = XXH3_64bits(o->text, o->length);
    o->length = 0;
    put(o, kiln_types_get(o->types, number)->name);
    put_hash(o, group);
    o->known[number] = true;
    return o->layout[number] = XXH3_64bits(o->text, o->length);
}

static oracle *oracle_of(const kiln_types *types)
{
    oracle *o = calloc(1, sizeof *o);
    assert_non_null(o);
    o->types = types;
    o->count = kiln_types_count(types);
    assert_true(o->count <= TYPES_MAX);
    for (uint32_t i = 0; i < o->count; i++) {
        const kiln_type *type = kiln_types_get(types, i);
        if (type->kind == KILN_KIND_STRUCT || type->kind == KILN_KIND_UNION)
            for (uint32_t m = 0; m < type->member_count; m++)
                mark_parts(o, i, type->members[m].type);
    }
    memcpy(o->leads_to, o->made_of, sizeof o->made_of);
    for (uint32_t k = 0; k < o->count; k++)
        for (uint32_t i = 0; i < o->count; i++)
            for (uint32_t j = 0; j < o->count; j++)
                if (o->leads_to[i][k] && o->leads_to[k][j])
                    o->leads_to[i][j] = true;
    return o;
}

static void agrees(const kiln_types *types)
{
    oracle *o = oracle_of(types);
    for (uint32_t i = 0; i < o->count; i++) {
        const kiln_type *type = kiln_types_get(types, i);
        char expression[4096], spelled[4096];
        kiln_type_expression(types, i, expression, sizeof expression);
        spell(o, i, spelled);
        assert_string_equal(expression, spelled);
        assert_int_equal(type->layout, *type->name ? layout_of(o, i) : 0);
    }
    free(o);
}

static void hashes_of_the_test_types_are_those_of_the_definition(void **state)
{
    (void)state;
    agrees(verdict_types);
}

static void hashes_of_the_formats_own_types_match_the_definition(void **state)
{
    (void)state;
    kiln_types *builtin = NULL;
    assert_int_equal(kiln_types_create_builtin(NULL, &builtin, NULL), KILN_OK);
    agrees(builtin);
    kiln_types_destroy(builtin);
}

static void hashes_of_scenes_are_those_of_the_definition(void **state)
{
    (void)state;
    kiln_types *scenes = NULL;
    assert_int_equal(kiln_types_with_scene(NULL, NULL, &scenes, NULL), KILN_OK);
    agrees(scenes);
    kiln_types_destroy(scenes);
}

static void hash_of_cluster_plans_is_that_of_the_definition(void **state)
{
    (void)state;
    kiln_types *plans = NULL;
    assert_int_equal(kiln_types_with_clusters(NULL, NULL, &plans, NULL), KILN_OK);
    agrees(plans);
    kiln_types_destroy(plans);
}

static uint64_t hash_in(const kiln_types *types, const char *name)
{
    const kiln_type *type = kiln_types_get(types, kiln_types_find(types, name));
    assert_non_null(type);
    return type->layout;
}

/* FORMAT.md publishes these, because readers of files need them. */
static void hashes_of_the_formats_roots_are_the_published_ones(void **state)
{
    (void)state;
    kiln_types *builtin = NULL, *scenes = NULL, *plans = NULL, *redirects = NULL, *payloads = NULL;
    assert_int_equal(kiln_types_create_builtin(NULL, &builtin, NULL), KILN_OK);
    assert_int_equal(kiln_types_with_scene(NULL, NULL, &scenes, NULL), KILN_OK);
    assert_int_equal(kiln_types_with_clusters(NULL, NULL, &plans, NULL), KILN_OK);
    assert_int_equal(kiln_types_with_redirects(NULL, NULL, &redirects, NULL), KILN_OK);
    assert_int_equal(kiln_types_with_payloads(NULL, NULL, &payloads, NULL), KILN_OK);
    static char document[1 << 17];
    const char *path = getenv("KILN_FORMAT_MD");
    assert_non_null(path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    document[fread(document, 1, sizeof document - 1, file)] = '\0';
    fclose(file);
    const struct {
        const char *name;
        uint64_t hash;
    } roots[] = {{"kiln.TypeTable", hash_in(builtin, "kiln.TypeTable")},
                 {"kiln.Index", hash_in(builtin, "kiln.Index")},
                 {"kiln.Scene", hash_in(scenes, KILN_SCENE_TYPE_NAME)},
                 {"kiln.SceneChunks", hash_in(scenes, KILN_SCENE_CHUNKS_TYPE_NAME)},
                 {"kiln.Clusters", hash_in(plans, KILN_CLUSTERS_TYPE_NAME)},
                 {"kiln.Redirects", hash_in(redirects, KILN_REDIRECTS_TYPE_NAME)},
                 {"kiln.Payload", hash_in(payloads, KILN_PAYLOAD_TYPE_NAME)}};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        char sentence[128];
        snprintf(sentence, sizeof sentence, "layout hash of `%s` is `%016" PRIx64 "`",
                 roots[i].name, roots[i].hash);
        if (!strstr(document, sentence))
            fail_msg("missing from FORMAT.md: %s", sentence);
    }
    assert_true(roots[2].hash == KILN_SCENE_LAYOUT);
    assert_true(roots[3].hash == KILN_SCENE_CHUNKS_LAYOUT);
    assert_true(roots[4].hash == KILN_CLUSTERS_LAYOUT);
    assert_true(roots[6].hash == KILN_PAYLOAD_LAYOUT);
    kiln_types_destroy(payloads);
    assert_true(roots[5].hash == KILN_REDIRECTS_LAYOUT);
    kiln_types_destroy(builtin);
    kiln_types_destroy(plans);
    kiln_types_destroy(scenes);
    kiln_types_destroy(redirects);
}

/* Three groups that depend on each other, two of them cyclic, in several orders of the list. */
static void order_of_the_list_does_not_change_the_hashes(void **state)
{
    (void)state;
    enum { A, A_LIST, B, B_OPTIONAL, C, D, D_LIST, E, U32, COUNT };
    static const uint8_t orders[][COUNT] = {{A, A_LIST, B, B_OPTIONAL, C, D, D_LIST, E, U32},
                                            {U32, E, D, D_LIST, C, B, B_OPTIONAL, A, A_LIST},
                                            {C, A_LIST, D_LIST, B_OPTIONAL, U32, E, A, D, B}};
    uint64_t first[COUNT] = {0};
    for (size_t order = 0; order < sizeof orders / sizeof *orders; order++) {
        uint32_t at[COUNT];
        for (uint32_t i = 0; i < COUNT; i++)
            at[orders[order][i]] = i;
        const kiln_member a[] = {{.name = "b", .type = at[B_OPTIONAL]},
                                 {.name = "c", .type = at[C]}};
        const kiln_member b[] = {{.name = "a", .type = at[A_LIST]},
                                 {.name = "d", .type = at[D_LIST]}};
        const kiln_member c[] = {{.name = "x", .type = at[U32]}, {.name = "e", .type = at[E]}};
        const kiln_member d[] = {{.name = "d", .type = at[D_LIST]}, {.name = "c", .type = at[C]}};
        const kiln_member e[] = {{.name = "two", .value = 2}, {.name = "one", .value = 1}};
        const kiln_type types_by_name[COUNT] = {
            [A] = {.name = "A", .kind = KILN_KIND_STRUCT, .members = a, .member_count = 2},
            [B] = {.name = "B", .kind = KILN_KIND_STRUCT, .members = b, .member_count = 2},
            [C] = {.name = "C", .kind = KILN_KIND_STRUCT, .members = c, .member_count = 2},
            [D] = {.name = "D", .kind = KILN_KIND_STRUCT, .members = d, .member_count = 2},
            [E] = {.name = "E",
                   .kind = KILN_KIND_ENUM,
                   .base = KILN_KIND_U16,
                   .members = e,
                   .member_count = 2},
            [A_LIST] = {.kind = KILN_KIND_ARRAY, .element = at[A]},
            [B_OPTIONAL] = {.kind = KILN_KIND_OPTIONAL, .element = at[B]},
            [D_LIST] = {.kind = KILN_KIND_ARRAY, .element = at[D]},
            [U32] = {.kind = KILN_KIND_U32}};
        kiln_type list[COUNT];
        for (uint32_t i = 0; i < COUNT; i++)
            list[at[i]] = types_by_name[i];
        kiln_types *types = NULL;
        assert_int_equal(kiln_types_create(NULL, list, COUNT, &types, NULL), KILN_OK);
        agrees(types);
        for (uint32_t i = 0; i < COUNT; i++) {
            uint64_t layout = kiln_types_get(types, at[i])->layout;
            assert_int_equal(order ? layout : first[i], first[i]);
            first[i] = layout;
        }
        kiln_types_destroy(types);
    }
}

static uint64_t layout_with(const kiln_type *type, const kiln_member *member)
{
    kiln_type list[] = {{.kind = KILN_KIND_U32}, {.kind = KILN_KIND_I32}, *type};
    list[2].members = member;
    list[2].member_count = 1;
    kiln_types *types = NULL;
    assert_int_equal(kiln_types_create(NULL, list, 3, &types, NULL), KILN_OK);
    uint64_t layout = kiln_types_get(types, 2)->layout;
    kiln_types_destroy(types);
    return layout;
}

static void the_hash_covers_only_the_layout(void **state)
{
    (void)state;
    static const char *const was[] = {"old"};
    const kiln_type plain = {.name = "S", .kind = KILN_KIND_STRUCT},
                    renamed = {.name = "Z", .kind = KILN_KIND_STRUCT},
                    wide = {.name = "S", .kind = KILN_KIND_STRUCT, .align_at = 16},
                    told = {.name = "S",
                            .doc = "x",
                            .kind = KILN_KIND_STRUCT,
                            .flags = KILN_TYPE_ASSET,
                            .was = was,
                            .was_count = 1,
                            .align_at = 2};
    const kiln_member field = {.name = "a", .type = 0}, other_name = {.name = "b", .type = 0},
                      other_type = {.name = "a", .type = 1},
                      ranged = {.name = "a",
                                .type = 0,
                                .doc = "y",
                                .flags = KILN_MEMBER_HAS_MIN | KILN_MEMBER_REQUIRED,
                                .min = 3,
                                .was = was,
                                .was_count = 1};
    uint64_t layout = layout_with(&plain, &field);
    assert_int_equal(layout_with(&told, &ranged), layout);
    assert_int_not_equal(layout_with(&renamed, &field), layout);
    assert_int_not_equal(layout_with(&wide, &field), layout);
    assert_int_not_equal(layout_with(&plain, &other_name), layout);
    assert_int_not_equal(layout_with(&plain, &other_type), layout);
}

/* Values in the scene's data are converted separately from the rows that refer to them. */
static void the_hash_of_a_component_does_not_cover_its_data(void **state)
{
    (void)state;
    uint64_t layouts[2][2];
    for (uint32_t i = 0; i < 2; i++) {
        const kiln_member part[] = {{.name = "x", .type = i}};
        const kiln_member whole[] = {{.name = "d", .type = 3}};
        const kiln_type list[] = {
            {.kind = KILN_KIND_U32},
            {.kind = KILN_KIND_I32},
            {.name = "Part", .kind = KILN_KIND_STRUCT, .members = part, .member_count = 1},
            {.kind = KILN_KIND_DATA, .element = 2},
            {.name = "Whole", .kind = KILN_KIND_STRUCT, .members = whole, .member_count = 1}};
        kiln_types *types = NULL;
        assert_int_equal(kiln_types_create(NULL, list, 5, &types, NULL), KILN_OK);
        agrees(types);
        for (uint32_t k = 0; k < 2; k++)
            layouts[i][k] = kiln_types_get(types, k ? 4 : 2)->layout;
        kiln_types_destroy(types);
    }
    assert_int_not_equal(layouts[0][0], layouts[1][0]);
    assert_int_equal(layouts[0][1], layouts[1][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_of_the_test_types_are_those_of_the_definition),
        cmocka_unit_test(hashes_of_the_formats_own_types_match_the_definition),
        cmocka_unit_test(hashes_of_scenes_are_those_of_the_definition),
        cmocka_unit_test(hash_of_cluster_plans_is_that_of_the_definition),
        cmocka_unit_test(hashes_of_the_formats_roots_are_the_published_ones),
        cmocka_unit_test(order_of_the_list_does_not_change_the_hashes),
        cmocka_unit_test(the_hash_covers_only_the_layout),
        cmocka_unit_test(the_hash_of_a_component_does_not_cover_its_data),
    };
    return cmocka_run_group_tests_name("layout hash", tests, verdict_set_up, verdict_tear_down);
}
