/* Paths as text: printed for a value, and followed to find the value again. */
#include "random_value.h"
#include "verdict.h"

#include <kiln/builder.h>
#include <kiln/path.h>
#include <stdio.h>
#include <string.h>

static kiln_builder *builder;
static kiln_buffer blob;
static kiln_value root;

/* The shop used in these tests: test.All with some of its fields set. */
static void *field(void *all, const char *name)
{
    const kiln_type *type = kiln_types_get(verdict_types, T_ALL);
    const kiln_member *member = kiln_type_member(type, name, strlen(name));
    assert_non_null(member);
    return (unsigned char *)all + member->offset;
}

static void fill(unsigned char *all)
{
    static const char *const keys[] = {"", "Item/sword", "a\"b\\c\n\x7f", "\xc3\xa4"};
    typedef struct price {
        kiln_string key;
        uint32_t value;
    } price;
    uint64_t link = UINT64_C(0x0123456789abcdef);
    *(unsigned char *)field(all, "color") = 1;
    *(unsigned char *)field(all, "sign") = 0;
    memcpy(field(all, "link"), &link, 8);
    memcpy(field(all, "item"), &link, 8);
    ((test_item *)field(all, "first"))->color = 2;
    test_item *items = kiln_builder_array(builder, field(all, "items"), 3, sizeof *items, 4);
    for (uint32_t i = 0; i < 3; i++) {
        items[i].color = 1;
        items[i].price = i * 10;
    }
    price *prices = kiln_builder_array(builder, field(all, "prices"), 4, sizeof *prices, 4);
    for (uint32_t i = 0; i < 4; i++) {
        kiln_builder_string(builder, &prices[i].key, keys[i], strlen(keys[i]));
        prices[i].value = 100 + i;
    }
    unsigned char *small = kiln_builder_array(builder, field(all, "small"), 2, 4, 2);
    memcpy(small, "\xfd\xff\1\0\7\0\0\0", 8);
    unsigned char *pairs = kiln_builder_array(builder, field(all, "pairs"), 1, 12, 4);
    memcpy(pairs, "\0\0\x80\x3f\0\0\0\xc0\x9\0\0\0", 12);
    unsigned char *ids = kiln_builder_array(builder, field(all, "ids"), 1, 16, 8);
    memcpy(ids, &link, 8);
    ids[8] = 5;
    uint32_t *damage = kiln_builder_choose(builder, field(all, "effect"), 1, 4, 4);
    *damage = 42;
    kiln_array *maybe = kiln_builder_pointer(builder, field(all, "maybe"), sizeof *maybe, 4);
    uint32_t *numbers = kiln_builder_array(builder, maybe, 2, 4, 4);
    numbers[0] = 8;
    numbers[1] = 9;
}

static int set_up(void **state)
{
    verdict_set_up(state);
    kiln_builder_def def = kiln_builder_def_default();
    def.types = verdict_types;
    if (kiln_builder_create(&def, &builder))
        return 1;
    const kiln_type *type = kiln_types_get(verdict_types, T_ALL);
    fill(kiln_builder_root(builder, type->size, type->align));
    kiln_error error;
    if (kiln_builder_finish(builder, T_ALL, KILN_FLAG_CANONICAL, &blob, &error)) {
        fprintf(stderr, "%s at %s\n", kiln_status_text(error.status), error.path);
        return 1;
    }
    kiln_blob_header header;
    kiln_header_read(blob.data, blob.size, &header, NULL);
    return kiln_value_root(verdict_types, T_ALL, blob.data + kiln_header_payload_at(&header),
                           (size_t)header.payload_size, &root) != KILN_OK;
}

static int tear_down(void **state)
{
    kiln_buffer_fini(&blob);
    kiln_builder_destroy(builder);
    return verdict_tear_down(state);
}

static void paths_find_values(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        uint64_t number;
    } rows[] = {
        {"color", 1},
        {"first.color", 2},
        {"items[2].price", 20},
        {"\"items\"[1].\"price\"", 10},
        {"prices[\"\"]", 100},
        {"prices[\"Item/sword\"]", 101},
        {"prices[\"a\\\"b\\\\c\\u000a\\u007f\"]", 102},
        {"prices[\"a\\\"b\\\\c\\n\\u007F\"]", 102},
        {"prices[\"a\\\"b\\\\c\\x0a\\x7f\"]", 102},
        {"prices[\"\xc3\xa4\"]", 103},
        {"prices[\"\\u00e4\"]", 103},
        {"small[-3]", 1},
        {"small[7]", 0},
        {"pairs[\"1,-2\"]", 9},
        {"ids[\"0123456789abcdef\"]", 5},
        {"effect.damage", 42},
        {"maybe[1]", 9},
        {"triple[2]", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_value value;
        kiln_error error = {KILN_OK, 0, 0, ""};
        kiln_path_follow(&root, rows[i].path, &value, &error);
        assert_error(&error, KILN_OK, 0, "");
        assert_int_equal(kiln_value_uint(&value), rows[i].number);
    }
    kiln_value value;
    assert_int_equal(kiln_path_follow(&root, "", &value, NULL), KILN_OK);
    assert_ptr_equal(value.data, root.data);
}

static void paths_without_a_value_report_the_part_that_was_found(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        kiln_status status;
        const char *walked;
    } rows[] = {
        {"nothing", KILN_NOT_FOUND, ""},
        {"items[3]", KILN_NOT_FOUND, "items"},
        {"items[4294967295]", KILN_NOT_FOUND, "items"},
        {"items[99999999999999999999]", KILN_BAD_ARGUMENT, "items"},
        {"items[]", KILN_NOT_FOUND, "items"},
        {"items[-1]", KILN_BAD_ARGUMENT, "items"},
        {"items[\"0\"]", KILN_BAD_ARGUMENT, "items"},
        {"items[0", KILN_BAD_ARGUMENT, "items"},
        {"items[0]price", KILN_BAD_ARGUMENT, "items[0]"},
        {"items[0].price.more", KILN_NOT_FOUND, "items[0].price"},
        {"items.price", KILN_NOT_FOUND, "items"},
        {"first[0]", KILN_NOT_FOUND, "first"},
        {".first", KILN_BAD_ARGUMENT, ""},
        {"first.", KILN_BAD_ARGUMENT, "first"},
        {"first..color", KILN_BAD_ARGUMENT, "first"},
        {"prices[\"no\"]", KILN_NOT_FOUND, "prices"},
        {"prices[Item/sword]", KILN_NOT_FOUND, "prices"},
        {"prices[\"open", KILN_BAD_ARGUMENT, "prices"},
        {"prices[\"\\u12\"]", KILN_BAD_ARGUMENT, "prices"},
        {"prices[\"\\x\"]", KILN_BAD_ARGUMENT, "prices"},
        {"prices[\"a\\", KILN_BAD_ARGUMENT, "prices"},
        {"\"name\\u0000aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"", KILN_NOT_FOUND, ""},
        {"effect.heal", KILN_NOT_FOUND, "effect"},
        {"tree.id", KILN_NOT_FOUND, "tree"},
        {"ids[81985529216486895]", KILN_NOT_FOUND, "ids"},
        {"Items", KILN_NOT_FOUND, ""},
        {"{items", KILN_BAD_ARGUMENT, ""},
        {"9", KILN_BAD_ARGUMENT, ""},
        {" ", KILN_BAD_ARGUMENT, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_value value = {0};
        kiln_error error = {KILN_OK, 0, 0, ""};
        kiln_status status = kiln_path_follow(&root, rows[i].path, &value, &error);
        if (status != rows[i].status || strcmp(error.path, rows[i].walked) != 0)
            print_error("path: %s\n", rows[i].path);
        assert_string_equal(kiln_status_name(status), kiln_status_name(rows[i].status));
        assert_string_equal(error.path, rows[i].walked);
        assert_null(value.types);
    }
}

static void printed(const kiln_path *path, const char *text)
{
    assert_string_equal(path->text, text);
    assert_int_equal(path->length, strlen(text));
}

static void steps_are_printed(void **state)
{
    (void)state;
    kiln_path path = {{0}, 0};
    kiln_path_add_name(&path, "items", 5);
    kiln_path_add_number(&path, 3);
    kiln_path_add_name(&path, "a-b_9", 5);
    printed(&path, "items[3].a-b_9");
    kiln_path_add_name(&path, "two words", 9);
    printed(&path, "items[3].a-b_9.\"two words\"");
    path.length = 0;
    kiln_path_add_name(&path, "9", 1);
    printed(&path, "\"9\"");
    path.length = 0;
    kiln_path_add_name(&path, "a\"\\\n\x7f", 5);
    printed(&path, "\"a\\\"\\\\\\u000a\\u007f\"");
    path.length = 0;
    kiln_path_add_name(&path, "", 0);
    printed(&path, "\"\"");
    path.length = 0;
    kiln_path_add_number(&path, UINT64_MAX);
    printed(&path, "[18446744073709551615]");
}

/* Checks that the path of this value, and of each value below it, leads to that value. */
static void leads_back(const kiln_value *value, const kiln_path *path)
{
    kiln_value again;
    assert_int_equal(kiln_path_follow(&root, path->text, &again, NULL), KILN_OK);
    assert_ptr_equal(again.data, value->data);
    for (uint32_t i = 0; i < kiln_value_count(value); i++) {
        kiln_value child, key;
        kiln_path step = *path;
        assert_int_equal(kiln_value_at(value, i, &child), KILN_OK);
        if (value->of->kind == KILN_KIND_STRUCT) {
            kiln_path_add_name(&step, value->of->members[i].name,
                               strlen(value->of->members[i].name));
        } else if (value->of->kind == KILN_KIND_UNION) {
            kiln_path_add_name(&step, kiln_value_member(value)->name,
                               strlen(kiln_value_member(value)->name));
        } else if (value->of->kind == KILN_KIND_MAP) {
            assert_int_equal(kiln_value_key(value, i, &key), KILN_OK);
            kiln_path_add_key(&step, &key);
        } else if (value->of->kind != KILN_KIND_OPTIONAL) {
            kiln_path_add_number(&step, i);
        } else {
            continue; /* its value has the same path */
        }
        leads_back(&child, &step);
    }
}

static void every_printed_path_finds_its_value(void **state)
{
    (void)state;
    kiln_path path = {{0}, 0};
    leads_back(&root, &path);
}

static void long_paths_are_shortened_in_the_middle(void **state)
{
    (void)state;
    kiln_path path = {{0}, 0};
    for (int i = 0; i < 1000; i++) {
        kiln_path_add_name(&path, "name", 4);
        kiln_path_add_number(&path, (uint64_t)i);
        assert_true(path.length < KILN_PATH_SIZE);
        assert_int_equal(strlen(path.text), path.length);
    }
    assert_memory_equal(path.text, "name[0].name[1].", 16);
    assert_non_null(strstr(path.text, "..."));
    assert_non_null(strstr(path.text, ".name[998].name[999]"));
    char name[4096];
    memset(name, 'x', sizeof name);
    for (int i = 0; i < 20; i++) {
        kiln_path_add_name(&path, name, sizeof name);
        assert_true(path.length < KILN_PATH_SIZE);
        assert_int_equal(strlen(path.text), path.length);
    }
}

static void hostile_path_texts_are_safe(void **state)
{
    (void)state;
    static const char alphabet[] = "items[]\".\\u0prices02namefirst,-";
    uint64_t random = 7;
    for (int round = 0; round < 30000; round++) {
        char text[40];
        size_t length = 0;
        do {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            text[length++] = alphabet[(random >> 33) % (sizeof alphabet - 1)];
        } while (length < sizeof text - 1 && (random >> 60) != 0);
        patched exact = patched_copy(text, length + 1);
        exact.data[length] = '\0';
        kiln_value value;
        kiln_path_follow(&root, (const char *)exact.data, &value, NULL);
        patched_fini(&exact);
    }
    static char deep[20000];
    memset(deep, '[', sizeof deep - 1);
    kiln_value value;
    assert_int_equal(kiln_path_follow(&root, deep, &value, NULL), KILN_BAD_ARGUMENT);
    memset(deep, 'a', sizeof deep - 1);
    assert_true(kiln_path_follow(&root, deep, &value, NULL) != KILN_OK);
    deep[0] = '"';
    assert_true(kiln_path_follow(&root, deep, &value, NULL) != KILN_OK);
}

/* Keys and newtypes in all accepted spellings, on hand-written payloads. */
static void keys_and_newtypes_are_followed_in_every_spelling(void **state)
{
    (void)state;
    static const char bools[] = "\x8\0\0\0\2\0\0\0\0\5\1\6",
                      singles[] = "\x8\0\0\0\1\0\0\0\0\0\xc0\x3f\7\0\0\0",
                      doubles[] = "\x8\0\0\0\1\0\0\0\0\0\0\0\0\0\xf8\x3f\7\0\0\0\0\0\0\0",
                      damage[] = "\1\0\0\0\4\0\0\0\7\0\0\0", silence[] = "\3\0\0\0\0\0\0\0",
                      euro[] = "\x8\0\0\0\1\0\0\0\xc\0\0\0\3\0\0\0\7\0\0\0\xe2\x82\xac";
    static const struct {
        uint32_t type;
        const char *payload;
        size_t size;
        const char *path;
        int64_t at; /* -1 if the path leads nowhere */
    } rows[] = {
        {T_ONE_MAP_BOOL_U8, bools, 12, "value[true]", 11},
        {T_ONE_MAP_BOOL_U8, bools, 12, "value[false]", 9},
        {T_ONE_MAP_BOOL_U8, bools, 12, "value[1]", 11},
        {T_ONE_MAP_BOOL_U8, bools, 12, "value[0]", 9},
        {T_ONE_MAP_BOOL_U8, bools, 12, "value[trux]", -1},
        {T_ONE_MAP_BOOL_U8, bools, 12, "value[tru]", -1},
        {T_ONE_MAP_BOOL_U8, bools, 12, "value[2]", -1},
        {T_ONE_MAP_BOOL_U8, bools, 12, "value.true", -1},
        {T_ONE_MAP_BOOL_U8, bools, 12, "value[]", -1},
        {T_ONE_MAP_F32_U32, singles, 16, "value[1.5]", 12},
        {T_ONE_MAP_F32_U32, singles, 16, "value[1.50]", 12},
        {T_ONE_MAP_F32_U32, singles, 16, "value[15e-1]", 12},
        {T_ONE_MAP_F32_U32, singles, 16, "value[1.5x]", -1},
        {T_ONE_MAP_F32_U32, singles, 16, "value[1.25]", -1},
        {T_ONE_MAP_F64_U8, doubles, 24, "value[1.50]", 16},
        {T_ONE_MAP_F64_U8, doubles, 24, "value[1.500000000000001]", -1},
        {T_ONE_WRAP, "\1", 1, "value", 0},
        {T_ONE_WRAP, "\1", 1, "value.value", 0},
        {T_ONE_WRAP, "\1", 1, "value.other", -1},
        {T_ONE_WRAP, "\1", 1, "value.valux", -1},
        {T_ONE_WRAP, "\1", 1, "value.val", -1},
        {T_ONE_MAP_STRING_U32, euro, 24, "value[\"\\u20ac\"]", 16},
        {T_ONE_MAP_STRING_U32, euro, 24, "value[\"\xe2\x82\xac\"]", 16},
        {T_ONE_MAP_STRING_U32, euro, 24, "value[\"\\u20ad\"]", -1},
        {T_ONE_EFFECT, damage, 12, "value.damage", 8},
        {T_ONE_EFFECT, damage, 12, "value.damagx", -1},
        {T_ONE_EFFECT, damage, 12, "value.heal", -1},
        {T_ONE_EFFECT, silence, 8, "value.silence", -1},
        {T_ONE_EFFECT, "\0\0\0\0\0\0\0\0", 8, "value.damage", -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_value whole, found;
        patched payload = patched_copy(rows[i].payload, rows[i].size);
        assert_int_equal(
            kiln_value_root(verdict_types, rows[i].type, payload.data, payload.size, &whole),
            KILN_OK);
        kiln_status status = kiln_path_follow(&whole, rows[i].path, &found, NULL);
        int64_t at = status ? -1 : (int64_t)kiln_value_offset(&found);
        if (at != rows[i].at)
            print_error("%s\n", rows[i].path);
        assert_int_equal(at, rows[i].at);
        patched_fini(&payload);
    }
}

static void a_quoted_step_longer_than_any_name_finds_nothing(void **state)
{
    (void)state;
    static char text[9000];
    static const unsigned char payload[8];
    kiln_value whole, found;
    strcpy(text, "value[\"");
    memset(text + 7, 'a', sizeof text - 11);
    strcpy(text + sizeof text - 4, "\"]");
    assert_int_equal(
        kiln_value_root(verdict_types, T_ONE_MAP_STRING_U32, payload, sizeof payload, &whole),
        KILN_OK);
    assert_int_not_equal(kiln_path_follow(&whole, text, &found, NULL), KILN_OK);
}

/* Unverified bytes, which an inspector may have to display. */
static void offsets_out_of_the_payload_are_not_followed(void **state)
{
    (void)state;
    static const struct {
        uint32_t type;
        const char *payload;
        size_t size;
        const char *path;
        kiln_status status;
    } rows[] = {{T_ONE_NODE_OPTIONAL, "\x40\0\0\0", 4, "value.id", KILN_V_BOUNDS},
                {T_ONE_MAP_BOOL_U8, "\x40\0\0\0\1\0\0\0", 8, "value[1]", KILN_V_BOUNDS},
                {T_ONE_MAP_STRING_U32, "\x9\0\0\0\1\0\0\0abcdefghijklm", 21, "value[\"a\"]",
                 KILN_V_MISALIGNED},
                {T_ONE_U32_ARRAY, "\x40\0\0\0\1\0\0\0", 8, "value[0]", KILN_V_BOUNDS}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_value whole, found;
        kiln_error error = {KILN_OK, 0, 0, ""};
        patched payload = patched_copy(rows[i].payload, rows[i].size);
        kiln_value_root(verdict_types, rows[i].type, payload.data, payload.size, &whole);
        assert_int_equal(kiln_path_follow(&whole, rows[i].path, &found, &error), rows[i].status);
        assert_error(&error, rows[i].status, 0, "value");
        patched_fini(&payload);
    }
}

/* A newtype of a union. A path may name the member of the newtype (`value`), although no
 * alternative of the union has this name. */
static void the_member_of_a_newtype_of_a_union_may_be_named(void **state)
{
    (void)state;
    enum { U32, CHOICE, WRAP, ROOT, TYPES };
    static const kiln_member choices[] = {{.name = "number", .value = 1, .type = U32}};
    static const kiln_member wrapped[] = {{.name = "value", .type = CHOICE}};
    static const kiln_member members[] = {{.name = "a", .type = WRAP}};
    static const kiln_type list[TYPES] = {
        [U32] = {.kind = KILN_KIND_U32},
        [CHOICE] = {.name = "Choice",
                    .kind = KILN_KIND_UNION,
                    .members = choices,
                    .member_count = 1},
        [WRAP] = {.name = "Wrap",
                  .kind = KILN_KIND_STRUCT,
                  .flags = KILN_TYPE_TRANSPARENT,
                  .members = wrapped,
                  .member_count = 1},
        [ROOT] = {.name = "Root", .kind = KILN_KIND_STRUCT, .members = members, .member_count = 1}};
    static const unsigned char payload[12] = {1, 0, 0, 0, 4, 0, 0, 0, 7};
    static const struct {
        const char *path;
        kiln_status status;
        uint64_t at;
    } rows[] = {{"a", KILN_OK, 0},
                {"a.value", KILN_OK, 0},
                {"a.number", KILN_OK, 8},
                {"a.value.number", KILN_OK, 8},
                {"a.other", KILN_NOT_FOUND, 0}};
    kiln_types *types = NULL;
    assert_int_equal(kiln_types_create(NULL, list, TYPES, &types, NULL), KILN_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_value whole, found;
        kiln_value_root(types, ROOT, payload, sizeof payload, &whole);
        assert_int_equal(kiln_path_follow(&whole, rows[i].path, &found, NULL), rows[i].status);
        if (!rows[i].status)
            assert_int_equal(kiln_value_offset(&found), rows[i].at);
    }
    kiln_types_destroy(types);
}

enum { LONG_KEY = KILN_MAP_KEY_MAX + 64, LONG_ROW = 200 };

/* Keys that are longer than in a valid payload, or than the part of a key that a path shows. */
static void long_keys_are_shortened(void **state)
{
    (void)state;
    enum { U8, F64, ROW, MAP, ROOT, TYPES };
    static const kiln_member members[] = {{.name = "a", .type = MAP}};
    static const kiln_type list[TYPES] = {
        [U8] = {.kind = KILN_KIND_U8},
        [F64] = {.kind = KILN_KIND_F64},
        [ROW] = {.kind = KILN_KIND_FIXED, .element = F64, .count = LONG_ROW},
        [MAP] = {.kind = KILN_KIND_MAP, .key = ROW, .element = U8},
        [ROOT] = {.name = "Root", .kind = KILN_KIND_STRUCT, .members = members, .member_count = 1}};
    static unsigned char text_payload[8 + 12 + 2 * LONG_KEY], row_payload[8 + LONG_ROW * 8 + 8];
    kiln_value whole, map, key;
    kiln_path path = {{0}, 0};
    patch_number(text_payload, 8, 4);
    patch_number(text_payload + 4, 1, 4);
    patch_number(text_payload + 8, 12, 4);
    patch_number(text_payload + 12, 2 * LONG_KEY - 1, 4);
    memset(text_payload + 20, 'k', 2 * LONG_KEY - 1);
    kiln_value_root(verdict_types, T_ONE_MAP_STRING_U32, text_payload, sizeof text_payload, &whole);
    kiln_value_at(&whole, 0, &map);
    assert_int_equal(kiln_value_key(&map, 0, &key), KILN_OK);
    kiln_path_add_key(&path, &key);
    assert_memory_equal(path.text, "[\"kkkk", 6);
    assert_string_equal(path.text + path.length - 6, "kkkk\"]");

    kiln_types *types = NULL;
    assert_int_equal(kiln_types_create(NULL, list, TYPES, &types, NULL), KILN_OK);
    patch_number(row_payload, 8, 4);
    patch_number(row_payload + 4, 1, 4);
    for (int i = 0; i < LONG_ROW; i++) {
        double number = 1.0 / 3 + i;
        memcpy(row_payload + 8 + i * 8, &number, sizeof number);
    }
    kiln_value_root(types, ROOT, row_payload, sizeof row_payload, &whole);
    kiln_value_at(&whole, 0, &map);
    assert_int_equal(kiln_value_key(&map, 0, &key), KILN_OK);
    path.length = 0;
    kiln_path_add_key(&path, &key);
    assert_memory_equal(path.text, "[\"0.33333333333333331,1.33333333333333", 38);
    assert_non_null(strstr(path.text, "..."));
    assert_null(strstr(path.text, ",199.333"));
    kiln_types_destroy(types);
}

/* The longest possible word in a path. */
static void the_longest_key_without_quotes_is_not_a_key(void **state)
{
    (void)state;
    static const unsigned char payload[12] = {8, 0, 0, 0, 2, 0, 0, 0, 0, 5, 1, 6};
    for (size_t length = LONG_KEY - 1; length <= LONG_KEY + 1; length++) {
        char text[LONG_KEY + 16] = "value[";
        kiln_value whole, found;
        memset(text + 6, '1', length);
        strcpy(text + 6 + length, "]");
        kiln_value_root(verdict_types, T_ONE_MAP_BOOL_U8, payload, sizeof payload, &whole);
        assert_int_equal(kiln_path_follow(&whole, text, &found, NULL),
                         length <= LONG_KEY ? KILN_NOT_FOUND : KILN_BAD_ARGUMENT);
    }
}

static void shortened_paths_keep_characters_whole(void **state)
{
    (void)state;
    for (size_t before = 0; before < 3; before++) {
        char name[600] = "";
        kiln_path path = {{0}, 0};
        memset(name, 'x', before);
        while (strlen(name) + 4 < sizeof name)
            strcat(name, "\xe2\x82\xac");
        kiln_path_add_name(&path, name, strlen(name));
        const char *cut = strstr(path.text, "...");
        assert_non_null(cut);
        assert_int_equal((size_t)(cut - path.text - 1 - (ptrdiff_t)before) % 3, 0);
        assert_int_equal((unsigned char)cut[3], 0xe2);
        assert_int_equal((strlen(cut + 3) - 1) % 3, 0);
    }
    /* Continuation bytes without a first byte. */
    char name[600];
    kiln_path path = {{0}, 0};
    memset(name, 0x80, sizeof name);
    kiln_path_add_name(&path, name, sizeof name);
    assert_true(path.length < KILN_PATH_SIZE);
    assert_int_equal(strlen(path.text), path.length);
    path.length = 0;
    for (int i = 0; i < 600; i++)
        kiln_path_add_name(&path, "\x80", 0);
    assert_true(path.length < KILN_PATH_SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_find_values),
        cmocka_unit_test(keys_and_newtypes_are_followed_in_every_spelling),
        cmocka_unit_test(a_quoted_step_longer_than_any_name_finds_nothing),
        cmocka_unit_test(paths_without_a_value_report_the_part_that_was_found),
        cmocka_unit_test(steps_are_printed),
        cmocka_unit_test(every_printed_path_finds_its_value),
        cmocka_unit_test(long_paths_are_shortened_in_the_middle),
        cmocka_unit_test(hostile_path_texts_are_safe),
        cmocka_unit_test(offsets_out_of_the_payload_are_not_followed),
        cmocka_unit_test(the_member_of_a_newtype_of_a_union_may_be_named),
        cmocka_unit_test(long_keys_are_shortened),
        cmocka_unit_test(the_longest_key_without_quotes_is_not_a_key),
        cmocka_unit_test(shortened_paths_keep_characters_whole),
    };
    return cmocka_run_group_tests_name("paths", tests, set_up, tear_down);
}
