/* Conversion of component rows, which have no relative fields, between two layouts. */
#include "counting_allocator.h"
#include "type_macros.h"
#include "verdict.h"

#include <kiln/builder.h>
#include <kiln/convert.h>
#include <string.h>

enum {
    U8,
    U16,
    U32,
    F32,
    F64,
    STRING,
    STRING_ARRAY,
    REF,
    ENTITY,
    ENTITY_2,
    DATA_STRING,
    DATA_LIST,
    COLOR,
    PART,
    PART_2,
    FIXED_TYPES,
    ROOT = FIXED_TYPES,
    TYPE_COUNT
};

#define LIST(array) .members = (array), .member_count = sizeof(array) / sizeof *(array)

static const kiln_member colors[] = {
    {.name = "red", .value = 1}, {.name = "green", .value = 2}, {.name = "blue", .value = 3}};
static const kiln_member fewer_colors[] = {{.name = "blue", .value = 1},
                                           {.name = "red", .value = 7}};
static const kiln_member part[] = {FIELD("x", U8), FIELD("who", ENTITY)};
static const kiln_member wider_part[] = {FIELD("who", ENTITY), FIELD("x", U32)};

static kiln_types *make(const kiln_member *members, uint32_t count, bool is_newer)
{
    kiln_type types[TYPE_COUNT] = {
        [U8] = {.kind = KILN_KIND_U8},
        [U16] = {.kind = KILN_KIND_U16},
        [U32] = {.kind = KILN_KIND_U32},
        [F32] = {.kind = KILN_KIND_F32},
        [F64] = {.kind = KILN_KIND_F64},
        [STRING] = {.kind = KILN_KIND_STRING},
        [STRING_ARRAY] = {.kind = KILN_KIND_ARRAY, .element = STRING},
        [REF] = {.kind = KILN_KIND_REF, .element = KILN_TYPE_NONE},
        [ENTITY] = {.kind = KILN_KIND_ENTITY},
        [ENTITY_2] = {.kind = KILN_KIND_FIXED, .element = ENTITY, .count = 2},
        [DATA_STRING] = {.kind = KILN_KIND_DATA, .element = STRING},
        [DATA_LIST] = {.kind = KILN_KIND_DATA, .element = STRING_ARRAY},
        [COLOR] = {.name = "r.Color", .kind = KILN_KIND_ENUM, .base = KILN_KIND_U8, LIST(colors)},
        [PART] = {.name = "r.Part", .kind = KILN_KIND_STRUCT, LIST(part)},
        [PART_2] = {.kind = KILN_KIND_FIXED, .element = PART, .count = 2},
        [ROOT] = {
            .name = "r.Root", .kind = KILN_KIND_STRUCT, .members = members, .member_count = count}};
    kiln_types *made = NULL;
    if (is_newer) {
        types[PART].members = wider_part;
        types[COLOR].members = fewer_colors;
        types[COLOR].member_count = 2;
    }
    assert_int_equal(kiln_types_create(NULL, types, TYPE_COUNT, &made, NULL), KILN_OK);
    return made;
}

typedef struct pair {
    kiln_types *older, *newer;
    kiln_conversion *conversion;
    kiln_error error;
} pair;

static void compile(pair *p)
{
    kiln_conversion_def def = kiln_conversion_def_default();
    def.from = p->older;
    def.to = p->newer;
    def.from_type = def.to_type = ROOT;
    (void)kiln_conversion_create(&def, &p->conversion, &p->error);
}

static void open_pair(pair *p, const kiln_member *older, uint32_t older_count,
                      const kiln_member *newer, uint32_t newer_count)
{
    memset(p, 0, sizeof *p);
    p->older = make(older, older_count, false);
    p->newer = make(newer, newer_count, true);
}

static void close_pair(pair *p)
{
    kiln_conversion_destroy(p->conversion);
    kiln_types_destroy(p->older);
    kiln_types_destroy(p->newer);
}

#define OPEN(p, older, newer)                                                                      \
    open_pair((p), (older), sizeof(older) / sizeof *(older), (newer),                              \
              sizeof(newer) / sizeof *(newer))

static const char *const was_hp[] = {"hp"};

/* A number that gets a wider type, and fields that are moved, renamed and removed. */
static void rows_of_another_layout_are_converted_field_by_field(void **state)
{
    (void)state;
    typedef struct old_row {
        uint16_t hp;
        uint8_t gone;
        float speed;
    } old_row;
    typedef struct new_row {
        _Alignas(8) double speed;
        uint32_t health;
    } new_row;
    static const kiln_member older[] = {FIELD("hp", U16), FIELD("gone", U8), FIELD("speed", F32)};
    static const kiln_member newer[] = {
        FIELD("speed", F64), {.name = "health", .type = U32, .was = was_hp, .was_count = 1}};
    enum { ROWS = 5000 };
    static old_row from[ROWS];
    static new_row to[ROWS + 1];
    pair p;
    OPEN(&p, older, newer);
    compile(&p);
    assert_int_equal(kiln_conversion_need(p.conversion), KILN_CONVERT_NEEDED);
    for (uint32_t i = 0; i < ROWS; i++) {
        old_row row = {(uint16_t)(i * 13), (uint8_t)i, (float)i / 4};
        from[i] = row;
    }
    memset(to, 0xaa, sizeof to);
    assert_int_equal(kiln_conversion_rows(p.conversion, from, ROWS, to, NULL), KILN_OK);
    for (uint32_t i = 0; i < ROWS; i++) {
        static const unsigned char zeros[sizeof(new_row)];
        assert_true(to[i].speed == (double)i / 4);
        assert_int_equal(to[i].health, (uint16_t)(i * 13));
        /* Padding is zero. */
        assert_memory_equal((const unsigned char *)&to[i] + 12, zeros, sizeof(new_row) - 12);
    }
    assert_int_equal(*(const unsigned char *)&to[ROWS], 0xaa);
    assert_int_equal(kiln_conversion_rows(p.conversion, from, 0, to, NULL), KILN_OK);
    close_pair(&p);
}

/* Words are copied unchanged, because the conversion does not interpret them. */
static void words_of_entities_data_and_refs_are_carried_over(void **state)
{
    (void)state;
    typedef struct old_row {
        uint8_t kind;
        uint32_t others[4];
        uint32_t who[2];
        _Alignas(8) uint64_t data;
        uint64_t ref;
        struct {
            uint8_t x;
            uint32_t who[2];
        } parts[2];
    } old_row;
    typedef struct new_row {
        struct {
            uint32_t who[2];
            uint32_t x;
        } parts[2];
        _Alignas(8) uint64_t ref;
        uint64_t data;
        uint32_t who[2];
        uint32_t others[4];
    } new_row;
    static const kiln_member older[] = {FIELD("kind", U8),    FIELD("others", ENTITY_2),
                                        FIELD("who", ENTITY), FIELD("data", DATA_STRING),
                                        FIELD("ref", REF),    FIELD("parts", PART_2)};
    static const kiln_member newer[] = {FIELD("parts", PART_2), FIELD("ref", REF),
                                        FIELD("data", DATA_LIST), FIELD("who", ENTITY),
                                        FIELD("others", ENTITY_2)};
    old_row from[3];
    new_row to[3];
    pair p;
    OPEN(&p, older, newer);
    compile(&p);
    assert_int_equal(kiln_types_get(p.older, ROOT)->size, sizeof(old_row));
    assert_int_equal(kiln_types_get(p.newer, ROOT)->size, sizeof(new_row));
    memset(from, 0x5c, sizeof from);
    for (uint32_t i = 0; i < 3; i++) {
        from[i].ref = UINT64_MAX - i;
        from[i].data = UINT64_C(0x123456789abcdef0) + i;
        from[i].who[0] = 7 * i;
        from[i].who[1] = i;
        for (uint32_t k = 0; k < 4; k++)
            from[i].others[k] = 100 * i + k;
        for (uint32_t k = 0; k < 2; k++) {
            from[i].parts[k].x = (uint8_t)(i + k);
            from[i].parts[k].who[0] = 1000 + i;
            from[i].parts[k].who[1] = 2000 + k;
        }
    }
    assert_int_equal(kiln_conversion_rows(p.conversion, from, 3, to, NULL), KILN_OK);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(to[i].ref, from[i].ref);
        assert_int_equal(to[i].data, from[i].data);
        assert_memory_equal(to[i].who, from[i].who, sizeof to[i].who);
        assert_memory_equal(to[i].others, from[i].others, sizeof to[i].others);
        for (uint32_t k = 0; k < 2; k++) {
            assert_int_equal(to[i].parts[k].x, i + k);
            assert_memory_equal(to[i].parts[k].who, from[i].parts[k].who, 8);
        }
    }
    close_pair(&p);
}

static void rows_of_the_same_layout_are_copied(void **state)
{
    (void)state;
    static const kiln_member fields[] = {FIELD("a", U32), FIELD("b", DATA_STRING)};
    uint64_t from[6] = {1, 2, 3, 4, 5, 6}, to[6] = {0};
    pair p;
    OPEN(&p, fields, fields);
    compile(&p);
    assert_int_equal(kiln_conversion_need(p.conversion), KILN_CONVERT_SAME);
    assert_int_equal(kiln_conversion_rows(p.conversion, from, 3, to, NULL), KILN_OK);
    assert_memory_equal(to, from, sizeof to);
    close_pair(&p);
}

/* New entity fields are null, new data fields are empty or refer to their defaults, and other new
 * fields have their defaults. */
static void fields_that_are_new_take_their_defaults(void **state)
{
    (void)state;
    typedef struct new_row {
        uint32_t a, who[2], hp;
        uint64_t list, text, text_list;
    } new_row;
    static const kiln_member older[] = {FIELD("a", U32)};
    static const kiln_member newer[] = {
        FIELD("a", U32),          FIELD("who", ENTITY),       FIELD("hp", U32),
        FIELD("list", DATA_LIST), FIELD("text", DATA_STRING), FIELD("text_list", DATA_LIST)};
    const uint32_t from[2] = {5, 6};
    new_row to[2];
    pair p;
    OPEN(&p, older, newer);
    assert_int_equal(kiln_types_set_default(p.newer, ROOT, 2, (kiln_span){"\x63\0\0\0", 4}, NULL),
                     KILN_OK);
    assert_int_equal(
        kiln_types_set_default(p.newer, ROOT, 4, (kiln_span){"\0\0\0\0\0\0\0\0", 8}, NULL),
        KILN_OK);
    assert_int_equal(
        kiln_types_set_default(p.newer, ROOT, 5, (kiln_span){"\0\0\0\0\0\0\0\0", 8}, NULL),
        KILN_OK);
    compile(&p);
    memset(to, 0xaa, sizeof to);
    assert_int_equal(kiln_conversion_rows(p.conversion, from, 2, to, NULL), KILN_OK);
    for (uint32_t i = 0; i < 2; i++) {
        const new_row expected = {5 + i, {0, 0}, 99, 0, KILN_DATA_DEFAULT, KILN_DATA_DEFAULT};
        assert_memory_equal(&to[i], &expected, sizeof expected);
    }
    close_pair(&p);
}

static void rows_that_cannot_be_read_report_the_reason(void **state)
{
    (void)state;
    static const kiln_member one[] = {FIELD("a", U32)};
    static const kiln_member with_text[] = {FIELD("a", U32), FIELD("b", DATA_STRING)};
    static const kiln_member must_list[] = {
        FIELD("a", U32), {.name = "b", .type = DATA_LIST, .flags = KILN_MEMBER_REQUIRED}};
    static const kiln_member must_who[] = {
        FIELD("a", U32), {.name = "b", .type = ENTITY, .flags = KILN_MEMBER_REQUIRED}};
    static const kiln_member who[] = {FIELD("a", ENTITY)}, word[] = {FIELD("a", REF)},
                             data[] = {FIELD("a", DATA_STRING)}, text[] = {FIELD("a", STRING)};
    static const struct {
        const kiln_member *from, *to;
        uint32_t to_count;
        kiln_status status;
        const char *path;
    } rows[] = {
        {one, with_text, 2, KILN_UNREADABLE_MISSING, "r.Root.b"},
        {one, must_list, 2, KILN_UNREADABLE_MISSING, "r.Root.b"},
        {one, must_who, 2, KILN_UNREADABLE_MISSING, "r.Root.b"},
        {who, word, 1, KILN_UNREADABLE_KIND, "r.Root.a"},
        {word, who, 1, KILN_UNREADABLE_KIND, "r.Root.a"},
        {who, data, 1, KILN_UNREADABLE_KIND, "r.Root.a"},
        {data, word, 1, KILN_UNREADABLE_KIND, "r.Root.a"},
        {data, text, 1, KILN_UNREADABLE_KIND, "r.Root.a"},
        {text, data, 1, KILN_UNREADABLE_KIND, "r.Root.a"},
        {one, who, 1, KILN_UNREADABLE_KIND, "r.Root.a"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pair p;
        open_pair(&p, rows[i].from, 1, rows[i].to, rows[i].to_count);
        compile(&p);
        assert_error(&p.error, rows[i].status, 0, rows[i].path);
        close_pair(&p);
    }
}

static void a_value_that_was_removed_is_refused_where_it_occurs(void **state)
{
    (void)state;
    static const kiln_member fields[] = {FIELD("a", U8), FIELD("color", COLOR)};
    unsigned char from[2 * 9], to[2 * 9];
    pair p;
    OPEN(&p, fields, fields);
    compile(&p);
    assert_true(kiln_conversion_may_refuse(p.conversion));
    for (uint32_t i = 0; i < 9; i++) {
        from[2 * i] = (unsigned char)i;
        from[2 * i + 1] = i % 2 ? 3 : 1;
    }
    assert_int_equal(kiln_conversion_rows(p.conversion, from, 9, to, NULL), KILN_OK);
    for (uint32_t i = 0; i < 9; i++) {
        assert_int_equal(to[2 * i], i);
        assert_int_equal(to[2 * i + 1], i % 2 ? 1 : 7);
    }
    from[2 * 6 + 1] = 2;
    kiln_error error = {KILN_OK, 0, 0, ""};
    assert_int_equal(kiln_conversion_rows(p.conversion, from, 9, to, &error),
                     KILN_UNREADABLE_VALUE);
    assert_error(&error, KILN_UNREADABLE_VALUE, 13, "[6].color");
    close_pair(&p);
}

static void rows_with_relative_fields_are_a_bad_argument(void **state)
{
    (void)state;
    static const kiln_member number[] = {FIELD("a", U32)}, text[] = {FIELD("a", STRING)},
                             list[] = {{.name = "a", .type = U32}, FIELD("b", STRING_ARRAY)};
    static const struct {
        const kiln_member *from, *to;
        uint32_t to_count;
    } rows[] = {{text, text, 1}, {number, list, 2}};
    uint64_t bytes[4] = {0}, to[4] = {0};
    (void)number;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pair p;
        open_pair(&p, rows[i].from, 1, rows[i].to, rows[i].to_count);
        compile(&p);
        assert_int_equal(kiln_conversion_rows(p.conversion, bytes, 1, to, NULL), KILN_BAD_ARGUMENT);
        close_pair(&p);
    }
}

/* A blob cannot represent the default of a new data field. */
static void blobs_of_components_are_a_bad_argument(void **state)
{
    (void)state;
    static const kiln_member fields[] = {FIELD("a", U32), FIELD("b", ENTITY)},
                             number[] = {FIELD("a", U32)};
    const kiln_member *const lists[] = {fields, number};
    for (uint32_t from = 0; from < 2; from++) {
        for (uint32_t to = 0; to < 2; to++) {
            kiln_builder *builder = NULL;
            kiln_buffer blob, made;
            pair p;
            open_pair(&p, lists[from], 2 - from, lists[to], 2 - to);
            compile(&p);
            kiln_builder_def def = kiln_builder_def_default();
            def.types = p.older;
            assert_int_equal(kiln_builder_create(&def, &builder), KILN_OK);
            assert_non_null(kiln_builder_root(builder, from ? 4 : 12, 4));
            assert_int_equal(kiln_builder_finish(builder, ROOT, 0, &blob, NULL), KILN_OK);
            bool is_plain = from && to;
            assert_int_equal(kiln_conversion_run(p.conversion, (kiln_span){blob.data, blob.size},
                                                 NULL, &made, NULL),
                             is_plain ? KILN_OK : KILN_BAD_ARGUMENT);
            if (is_plain)
                kiln_buffer_fini(&made);
            kiln_buffer_fini(&blob);
            kiln_builder_destroy(builder);
            close_pair(&p);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_another_layout_are_converted_field_by_field),
        cmocka_unit_test(words_of_entities_data_and_refs_are_carried_over),
        cmocka_unit_test(rows_of_the_same_layout_are_copied),
        cmocka_unit_test(fields_that_are_new_take_their_defaults),
        cmocka_unit_test(rows_that_cannot_be_read_report_the_reason),
        cmocka_unit_test(a_value_that_was_removed_is_refused_where_it_occurs),
        cmocka_unit_test(rows_with_relative_fields_are_a_bad_argument),
        cmocka_unit_test(blobs_of_components_are_a_bad_argument),
    };
    return cmocka_run_group_tests_name("row conversion", tests, NULL, NULL);
}
