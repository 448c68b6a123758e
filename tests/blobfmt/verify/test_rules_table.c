/* The rules T1 to T10 of FORMAT.md section 9 for type tables: a valid table with one change. */
#include "verdict.h"

#include "type_table_write.h"

#include <kiln/type_table.h>
#include <stdio.h>
#include <string.h>

#define COUNT(list) ((uint32_t)(sizeof(list) / sizeof *(list)))

/* A table of the test types with a default, ranges and earlier names, read back after a change. */
typedef struct table {
    kiln_types *builtin;
    uint32_t root;
    kiln_buffer blob;
} table;

static table written_table(void)
{
    static const char *const was[] = {"colour", "tint"};
    table t = {0};
    kiln_type list[TEST_TYPE_COUNT];
    memcpy(list, test_type_descriptions(), sizeof list);
    kiln_member fields[4];
    memcpy(fields, list[T_ITEM].members, sizeof fields);
    fields[1].flags = KILN_MEMBER_HAS_MAX | KILN_MEMBER_REQUIRED;
    fields[1].max = 9999;
    fields[3].was = was;
    fields[3].was_count = 2;
    fields[3].doc = "Of the outside.";
    list[T_ITEM].members = fields;
    kiln_member ranges[2];
    memcpy(ranges, list[T_PADDED].members, sizeof ranges);
    ranges[0].min = 1; /* not flagged, so it is not written */
    ranges[0].max = 2;
    ranges[0].value = 5; /* a field has no value, so it is not written */
    ranges[1].flags = KILN_MEMBER_HAS_MIN;
    ranges[1].min = 3;
    list[T_PADDED].members = ranges;
    kiln_types *types = NULL;
    assert_int_equal(kiln_types_create(NULL, list, TEST_TYPE_COUNT, &types, NULL), KILN_OK);
    assert_int_equal(kiln_types_set_default(types, T_ITEM, 3, (kiln_span){"\2", 1}, NULL), KILN_OK);
    assert_int_equal(kiln_type_table_write(NULL, types, &t.blob, NULL), KILN_OK);
    kiln_types_destroy(types);
    assert_int_equal(kiln_types_create_builtin(NULL, &t.builtin, NULL), KILN_OK);
    t.root = kiln_types_find(t.builtin, "kiln.TypeTable");
    /* The changes below break the canonical form, which is allowed. */
    t.blob.data[6] &= (unsigned char)~KILN_FLAG_CANONICAL;
    patched_rehash(t.blob.data);
    return t;
}

static void end_table(table *t)
{
    kiln_buffer_fini(&t->blob);
    kiln_types_destroy(t->builtin);
}

/* Writes `number` at `path` of a valid table and expects this verdict. */
static void changed(const char *path, uint64_t number, kiln_status expected, const char *where)
{
    table t = written_table();
    patch_value(t.blob.data, t.builtin, t.root, path, number);
    kiln_types *types = NULL;
    kiln_error error = {KILN_OK, 0, 0, ""};
    kiln_status status = kiln_type_table_read(NULL, t.blob.data, t.blob.size, &types, &error);
    assert_error(&error, expected, 0, where);
    assert_int_equal(status, expected);
    assert_int_equal(types != NULL, status == KILN_OK);
    kiln_types_destroy(types);
    end_table(&t);
}

/* The path of a part of the type with this number. */
static const char *at_type(uint32_t type, const char *rest)
{
    static char path[128];
    snprintf(path, sizeof path, "types[%u]%s", type, rest);
    return path;
}

static void a_table_is_read_as_it_was_written(void **state)
{
    (void)state;
    table t = written_table();
    kiln_types *types = NULL;
    assert_int_equal(kiln_type_table_read(NULL, t.blob.data, t.blob.size, &types, NULL), KILN_OK);
    assert_int_equal(kiln_types_count(types), TEST_TYPE_COUNT);
    const kiln_type *read_item = kiln_types_get(types, T_ITEM);
    assert_string_equal(read_item->name, "test.Item");
    assert_string_equal(read_item->doc, "Something to sell.");
    assert_int_equal(read_item->flags, KILN_TYPE_ASSET);
    assert_int_equal(read_item->members[1].max, 9999);
    assert_int_equal(read_item->members[3].was_count, 2);
    assert_string_equal(read_item->members[3].was[1], "tint");
    assert_string_equal(read_item->members[3].doc, "Of the outside.");
    assert_int_equal(read_item->members[3].default_size, 1);
    const kiln_member *ranges = kiln_types_get(types, T_PADDED)->members;
    assert_int_equal(ranges[0].min, 0);
    assert_int_equal(ranges[0].max, 0);
    assert_int_equal(ranges[0].value, 0);
    assert_int_equal(ranges[1].min, 3);
    kiln_buffer again;
    assert_int_equal(kiln_type_table_write(NULL, types, &again, NULL), KILN_OK);
    t.blob.data[6] |= KILN_FLAG_CANONICAL;
    patched_rehash(t.blob.data);
    assert_int_equal(again.size, t.blob.size);
    assert_memory_equal(again.data, t.blob.data, again.size);
    kiln_buffer_fini(&again);
    kiln_types_destroy(types);
    end_table(&t);
}

static void rule_t1_properties_that_do_not_apply_to_a_kind_are_refused_in_a_table(void **state)
{
    (void)state;
    changed(at_type(T_U64, ".kind"), 99, KILN_T_KIND, "unknown");
    changed(at_type(T_U64, ".base"), KILN_KIND_U8, KILN_T_KIND, "u64");
    changed(at_type(T_ITEM, ".base"), KILN_KIND_U8, KILN_T_KIND, "test.Item");
    changed(at_type(T_U64, ".reserved"), 1, KILN_T_KIND, "u64");
    changed(at_type(T_U64, ".flags"), 1, KILN_T_KIND, "u64");
}

static void rule_t2_name_of_an_unnamed_type_is_refused_in_a_table(void **state)
{
    (void)state;
    /* An unnamed type gets an existing name, doc and members. */
    static const char *const fields[] = {".name", ".doc", ".was", ".members"};
    for (size_t i = 0; i < COUNT(fields); i++) {
        table t = written_table();
        size_t size;
        char path[64];
        snprintf(path, sizeof path, "types[%d]%s", T_STRING, fields[i]);
        unsigned char *to = patch_find(t.blob.data, t.builtin, t.root, path, &size);
        snprintf(path, sizeof path, i == 2 ? "types[%d].members[3].was" : "types[%d]%s", T_ITEM,
                 fields[i]);
        unsigned char *from = patch_find(t.blob.data, t.builtin, t.root, path, &size);
        uint32_t words[2];
        memcpy(words, from, 8);
        words[0] = (uint32_t)(from + words[0] - to);
        memcpy(to, words, 8);
        patched_rehash(t.blob.data);
        kiln_types *types;
        kiln_error error;
        assert_int_equal(kiln_type_table_read(NULL, t.blob.data, t.blob.size, &types, &error),
                         KILN_T_NAME);
        assert_error(&error, KILN_T_NAME, 0, "string");
        end_table(&t);
    }
}

static void rule_t3_numbers_where_none_apply_are_refused_in_a_table(void **state)
{
    (void)state;
    changed(at_type(T_U64, ".element"), 0, KILN_T_INDEX, "u64");
    changed(at_type(T_U64, ".key"), 0, KILN_T_INDEX, "u64");
    changed(at_type(T_ENTITY, ".element"), 0, KILN_T_INDEX, "entity");
    changed(at_type(T_DATA_STRING, ".element"), KILN_TYPE_NONE, KILN_T_INDEX, "data<?>");
    changed(at_type(T_DATA_STRING, ".element"), T_ENTITY, KILN_T_INDEX, "data<entity>");
    changed(at_type(T_DATA_STRING, ".kind"), 25, KILN_T_KIND, "unknown");
    changed(at_type(T_U64, ".count"), 1, KILN_T_INDEX, "u64");
    changed(at_type(T_U32_ARRAY, ".element"), 100000, KILN_T_INDEX, "?[]");
    changed(at_type(T_ITEM, ".members[1].type"), KILN_TYPE_NONE, KILN_T_INDEX, "test.Item.price");
    changed(at_type(T_ITEM, ".members[1].reserved"), 1, KILN_T_INDEX, "test.Item.price");
    changed(at_type(T_ITEM, ".members[1].min"), 1, KILN_T_INDEX, "test.Item.price");
    changed(at_type(T_ITEM, ".members[1].max"), 1, KILN_OK, "");
    changed(at_type(T_ITEM, ".members[2].max"), 1, KILN_T_INDEX, "test.Item.sold");
    changed(at_type(T_PADDED, ".members[1].min"), 4, KILN_OK, "");
    changed(at_type(T_COLOR, ".members[0].type"), T_U32, KILN_T_INDEX, "test.Color.red");
}

static void rule_t5_layout_that_is_not_the_computed_one_is_refused_in_a_table(void **state)
{
    (void)state;
    changed(at_type(T_ITEM, ".size"), 20, KILN_T_LAYOUT, "test.Item");
    changed(at_type(T_ITEM, ".align"), 8, KILN_T_LAYOUT, "test.Item");
    changed(at_type(T_U64, ".align_at"), 8, KILN_T_LAYOUT, "u64");
    changed(at_type(T_ITEM, ".members[1].offset"), 12, KILN_T_LAYOUT, "test.Item.price");
    changed(at_type(T_COLOR, ".members[0].offset"), 1, KILN_T_LAYOUT, "test.Color.red");
}

static void rule_t7_value_of_a_field_is_refused_in_a_table(void **state)
{
    (void)state;
    changed(at_type(T_ITEM, ".members[1].value"), 1, KILN_T_VALUE, "test.Item.price");
    changed(at_type(T_COLOR, ".members[0].value"), 256, KILN_T_VALUE, "test.Color.red");
}

/* An enum value also refers to the field's default. */
static void rule_t7_default_of_a_value_is_refused_in_a_table(void **state)
{
    (void)state;
    table t = written_table();
    size_t size;
    uint32_t words[2];
    unsigned char *to =
        patch_find(t.blob.data, t.builtin, t.root, at_type(T_COLOR, ".members[0].default"), &size);
    const unsigned char *from =
        patch_find(t.blob.data, t.builtin, t.root, at_type(T_ITEM, ".members[3].default"), &size);
    memcpy(words, from, sizeof words);
    words[0] = (uint32_t)(from + words[0] - to);
    memcpy(to, words, sizeof words);
    patched_rehash(t.blob.data);
    kiln_types *types;
    kiln_error error;
    assert_int_equal(kiln_type_table_read(NULL, t.blob.data, t.blob.size, &types, &error),
                     KILN_T_VALUE);
    assert_error(&error, KILN_T_VALUE, 0, "test.Color.red");
    end_table(&t);
}

static void rule_t9_another_layout_hash_is_refused(void **state)
{
    (void)state;
    changed(at_type(T_ITEM, ".layout"), 1, KILN_T_HASH, "test.Item");
    changed(at_type(T_U64, ".layout"), 1, KILN_T_HASH, "u64");
}

static void rule_t10_broken_default_is_refused_in_a_table(void **state)
{
    (void)state;
    table t = written_table();
    size_t size;
    unsigned char *field =
        patch_find(t.blob.data, t.builtin, t.root, at_type(T_ITEM, ".members[3].default"), &size);
    uint32_t offset;
    memcpy(&offset, field, 4);
    field[offset] = 3;
    patched_rehash(t.blob.data);
    kiln_types *types;
    kiln_error error;
    assert_int_equal(kiln_type_table_read(NULL, t.blob.data, t.blob.size, &types, &error),
                     KILN_T_DEFAULT);
    assert_error(&error, KILN_T_DEFAULT, 0, "test.Item.color");
    end_table(&t);
}

/* Strings and members are stored once and read for each reference. */
static void rule_l3_tables_that_unfold_too_far_are_neither_written_nor_read(void **state)
{
    (void)state;
    enum { STRUCTS = 400, MEMBERS = 1000 };
    static const struct {
        size_t type_doc, was_name, member_doc;
        uint32_t member_count;
        kiln_status status;
    } rows[] = {{20000, 0, 0, 1, KILN_L_UNFOLDED},
                {0, 20000, 0, 1, KILN_L_UNFOLDED},
                {0, 0, 20000, 1, KILN_L_UNFOLDED},
                {0, 0, 0, MEMBERS, KILN_L_UNFOLDED},
                {100, 100, 100, 1, KILN_OK}};
    static char doc[20001], struct_names[STRUCTS][8], names[MEMBERS][8];
    static kiln_member members[MEMBERS];
    static kiln_type list[STRUCTS + 1];
    memset(doc, 'd', sizeof doc - 1);
    for (size_t k = 0; k < COUNT(rows); k++) {
        kiln_types *types = NULL, *read = NULL;
        kiln_buffer blob;
        kiln_error error = {KILN_OK, 0, 0, ""};
        for (uint32_t i = 0; i < MEMBERS; i++) {
            (void)snprintf(names[i], sizeof names[i], "m%u", (unsigned)i);
            members[i].name = names[i];
            members[i].doc = doc + sizeof doc - 1 - rows[k].member_doc;
        }
        const char *const was = doc + sizeof doc - 1 - rows[k].was_name;
        list[0].kind = KILN_KIND_U8;
        for (uint32_t i = 0; i < STRUCTS; i++) {
            (void)snprintf(struct_names[i], sizeof struct_names[i], "S%u", (unsigned)i);
            list[i + 1] = (kiln_type){.kind = KILN_KIND_STRUCT,
                                      .name = struct_names[i],
                                      .doc = doc + sizeof doc - 1 - rows[k].type_doc,
                                      .was = &was,
                                      .was_count = 1,
                                      .members = members,
                                      .member_count = rows[k].member_count};
        }
        assert_int_equal(kiln_types_create(NULL, list, STRUCTS + 1, &types, NULL), KILN_OK);
        assert_int_equal(kiln_type_table_write(NULL, types, &blob, &error), rows[k].status);
        assert_error(&error, rows[k].status, 0, "");
        if (rows[k].status)
            assert_int_equal(kiln_type_table_build(NULL, types, &blob, NULL), KILN_OK);
        assert_int_equal(kiln_type_table_read(NULL, blob.data, blob.size, &read, &error),
                         rows[k].status);
        assert_error(&error, rows[k].status, 0, "");
        kiln_types_destroy(read);
        kiln_buffer_fini(&blob);
        kiln_types_destroy(types);
    }
}

/* The unfolded size of FORMAT.md section 11 for a list without defaults, in which only types have
 * earlier names. */
static uint64_t unfolded_size(const kiln_type *list, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const kiln_type *type = &list[i];
        const char *name = type->name ? type->name : "", *doc = type->doc ? type->doc : "";
        sum += 112 + strlen(name) + 1 + strlen(doc) + 1;
        for (uint32_t w = 0; w < type->was_count; w++)
            sum += 8 + strlen(type->was[w]);
        for (uint32_t m = 0; m < type->member_count; m++)
            sum += 80 + strlen(type->members[m].name) + 1 + 1;
    }
    return sum;
}

/* Structs that share a doc, an earlier name and their members; one doc is not shared. */
enum { UNFOLDED_STRUCTS = 403, UNFOLDED_MEMBERS = 20, UNFOLDED_DOC = 9000 };

typedef struct unfolded {
    char names[UNFOLDED_STRUCTS][8], members_names[UNFOLDED_MEMBERS][8];
    char shared[UNFOLDED_DOC], single[UNFOLDED_DOC];
    kiln_member members[UNFOLDED_MEMBERS];
    kiln_type list[UNFOLDED_STRUCTS + 1];
} unfolded;

/* Writes the table; `*ret_status` receives the status of writing. */
static kiln_buffer unfolded_table(unfolded *u, size_t shared_length, size_t single_length,
                                  kiln_status *ret_status)
{
    static const char *const was[] = {"Earlier"};
    kiln_buffer blob, written = {0};
    kiln_types *types = NULL;
    assert_true(shared_length < UNFOLDED_DOC && single_length < UNFOLDED_DOC);
    memset(u, 0, sizeof *u);
    memset(u->shared, 'd', shared_length);
    memset(u->single, 'e', single_length);
    u->list[0].kind = KILN_KIND_U8;
    for (uint32_t i = 0; i < UNFOLDED_MEMBERS; i++) {
        (void)snprintf(u->members_names[i], sizeof u->members_names[i], "m%u", (unsigned)i);
        u->members[i] = (kiln_member){.name = u->members_names[i]};
    }
    for (uint32_t i = 0; i < UNFOLDED_STRUCTS; i++) {
        (void)snprintf(u->names[i], sizeof u->names[i], "S%u", (unsigned)i);
        u->list[i + 1] = (kiln_type){.kind = KILN_KIND_STRUCT,
                                     .name = u->names[i],
                                     .doc = i ? u->shared : u->single,
                                     .was = was,
                                     .was_count = 1,
                                     .members = u->members,
                                     .member_count = UNFOLDED_MEMBERS};
    }
    assert_int_equal(kiln_types_create(NULL, u->list, UNFOLDED_STRUCTS + 1, &types, NULL), KILN_OK);
    assert_int_equal(kiln_types_unfolded_size(types), unfolded_size(u->list, UNFOLDED_STRUCTS + 1));
    assert_int_equal(kiln_type_table_build(NULL, types, &blob, NULL), KILN_OK);
    *ret_status = kiln_type_table_write(NULL, types, &written, NULL);
    kiln_buffer_fini(&written);
    kiln_types_destroy(types);
    return blob;
}

/* The amount by which the unfolded size exceeds the limit. */
static int64_t excess(const unfolded *u, const kiln_buffer *blob)
{
    kiln_blob_header header;
    memcpy(&header, blob->data, sizeof header);
    return (int64_t)unfolded_size(u->list, UNFOLDED_STRUCTS + 1) -
           (int64_t)((1 << 20) + 64 * header.payload_size);
}

/* One more byte of the shared doc adds STRUCTS - 1 to the unfolded size and 64 to the limit. One
 * more byte of the single doc adds 1 and 64. These steps have no common divisor, so every excess
 * can be reached. */
static void rule_l3_a_table_unfolds_to_the_limit_and_no_further(void **state)
{
    (void)state;
    enum { UP = UNFOLDED_STRUCTS - 1 - 64, DOWN = 63 };
    unfolded *u = test_malloc(sizeof *u);
    kiln_status written;
    kiln_buffer blob = unfolded_table(u, 1, 1, &written);
    int64_t first = excess(u, &blob);
    assert_true(first < 0);
    kiln_buffer_fini(&blob);
    for (int64_t wanted = -1; wanted <= 1; wanted++) {
        int64_t up = 0;
        while ((first + up * UP - wanted) % DOWN != 0 || first + up * UP < wanted)
            up++;
        blob = unfolded_table(u, (size_t)(1 + up), (size_t)(1 + (first + up * UP - wanted) / DOWN),
                              &written);
        assert_int_equal(excess(u, &blob), wanted);
        kiln_types *read = NULL;
        kiln_error error = {KILN_OK, 0, 0, ""};
        kiln_status status = wanted > 0 ? KILN_L_UNFOLDED : KILN_OK;
        assert_int_equal(written, status);
        assert_int_equal(kiln_type_table_read(NULL, blob.data, blob.size, &read, &error), status);
        assert_error(&error, status, 0, "");
        kiln_types_destroy(read);
        kiln_buffer_fini(&blob);
    }
    test_free(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_read_as_it_was_written),
        cmocka_unit_test(rule_t1_properties_that_do_not_apply_to_a_kind_are_refused_in_a_table),
        cmocka_unit_test(rule_t2_name_of_an_unnamed_type_is_refused_in_a_table),
        cmocka_unit_test(rule_t3_numbers_where_none_apply_are_refused_in_a_table),
        cmocka_unit_test(rule_t5_layout_that_is_not_the_computed_one_is_refused_in_a_table),
        cmocka_unit_test(rule_t7_value_of_a_field_is_refused_in_a_table),
        cmocka_unit_test(rule_t7_default_of_a_value_is_refused_in_a_table),
        cmocka_unit_test(rule_t9_another_layout_hash_is_refused),
        cmocka_unit_test(rule_t10_broken_default_is_refused_in_a_table),
        cmocka_unit_test(rule_l3_tables_that_unfold_too_far_are_neither_written_nor_read),
        cmocka_unit_test(rule_l3_a_table_unfolds_to_the_limit_and_no_further),
    };
    return cmocka_run_group_tests_name("type table rules", tests, NULL, NULL);
}
