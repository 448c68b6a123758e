/* Fails each allocation in turn for values, types and files in which every table grows. One part is
 * tried with every length, so that each table is full at a different moment. Another part is so
 * long that it gets a separate block. */
#include "counting_allocator.h"
#include "failing_memory.h"
#include "type_macros.h"
#include "verdict.h"

#include <kiln/builder.h>
#include <kiln/canonical.h>
#include <kiln/file_writer.h>
#include <kiln/index.h>
#include <kiln/type_table.h>
#include <kiln/verify.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    U8,
    U32,
    STRING,
    REF,
    NUMBERS, /* u32[] */
    STRINGS, /* string[] */
    PAD,     /* u8, u32: three bytes of padding */
    PADS,
    PADS_LIST, /* Pad[][] */
    PART,
    PARTS,  /* Part[] */
    PRICES, /* map<string, u32> */
    BYTES,
    ROOT,
    REFS,
    LINKS,
    VALUE,
    TYPE_COUNT
};

typedef struct pad {
    uint8_t small;
    uint32_t large;
} pad;

typedef struct part {
    kiln_array texts;
    kiln_string name, same;
    kiln_array few, many;
} part;

typedef struct root {
    kiln_array words, parts, again, pads, bytes, prices;
} root;

static const kiln_member pad_members[] = {FIELD("small", U8), FIELD("large", U32)};
static const kiln_member part_members[] = {FIELD("texts", STRINGS), FIELD("name", STRING),
                                           FIELD("same", STRING), FIELD("few", PADS),
                                           FIELD("many", PADS)};
static const kiln_member root_members[] = {FIELD("words", STRINGS), FIELD("parts", PARTS),
                                           FIELD("again", PARTS),   FIELD("pads", PADS_LIST),
                                           FIELD("bytes", BYTES),   FIELD("prices", PRICES)};
static const kiln_member links_members[] = {FIELD("refs", REFS)};
static const kiln_member value_members[] = {FIELD("value", U32)};
static const kiln_type fixed_types[TYPE_COUNT] = {
    [U8] = {.kind = KILN_KIND_U8},
    [U32] = {.kind = KILN_KIND_U32},
    [STRING] = {.kind = KILN_KIND_STRING},
    [REF] = {.kind = KILN_KIND_REF, .element = KILN_TYPE_NONE},
    [NUMBERS] = {.kind = KILN_KIND_ARRAY, .element = U32},
    [STRINGS] = {.kind = KILN_KIND_ARRAY, .element = STRING},
    [PAD] = STRUCT("t.Pad", pad_members),
    [PADS] = {.kind = KILN_KIND_ARRAY, .element = PAD},
    [PADS_LIST] = {.kind = KILN_KIND_ARRAY, .element = PADS},
    [PART] = STRUCT("t.Part", part_members),
    [PARTS] = {.kind = KILN_KIND_ARRAY, .element = PART},
    [PRICES] = {.kind = KILN_KIND_MAP, .key = STRING, .element = U32},
    [BYTES] = {.kind = KILN_KIND_BYTES},
    [ROOT] = STRUCT("t.Root", root_members),
    [REFS] = {.kind = KILN_KIND_ARRAY, .element = REF},
    [LINKS] = STRUCT("t.Links", links_members),
    [VALUE] = STRUCT("t.Value", value_members)};

static kiln_types *types;

/* Lengths of the lists in a value. */
static uint32_t word_count, part_count, pad_count;

static void add_text(kiln_builder *b, kiln_string *field, const char *what, uint32_t number)
{
    char text[24];
    int length = snprintf(text, sizeof text, "%s%u", what, (unsigned)number);
    kiln_builder_string(b, field, text, (size_t)length);
}

/* The padding is left nonzero. */
static void add_pads(kiln_builder *b, kiln_array *field, uint32_t count, uint32_t number)
{
    pad *pads = kiln_builder_array(b, field, count, sizeof *pads, 4);
    for (uint32_t i = 0; pads && i < count; i++) {
        memset(&pads[i], 0xff, sizeof *pads);
        pads[i].large = number;
    }
}

static void fill(kiln_builder *b, root *r)
{
    typedef struct price {
        kiln_string key;
        uint32_t value;
    } price;
    kiln_string *words = kiln_builder_array(b, &r->words, word_count, sizeof *words, 4);
    for (uint32_t i = 0; words && i < word_count; i++)
        add_text(b, &words[i], "word", i);
    part *parts = kiln_builder_array(b, &r->parts, part_count, sizeof *parts, 4);
    for (uint32_t i = 0; parts && i < part_count; i++) {
        kiln_string *texts = kiln_builder_array(b, &parts[i].texts, 1, sizeof *texts, 4);
        if (texts)
            add_text(b, texts, "text", i);
        add_text(b, &parts[i].name, "part", i);
        kiln_builder_share(b, &parts[i].same, &parts[i].name);
        add_pads(b, &parts[i].few, 2, i);
        add_pads(b, &parts[i].many, 30, i);
    }
    kiln_builder_share(b, &r->again, &r->parts);
    kiln_array *pads = kiln_builder_array(b, &r->pads, pad_count, sizeof *pads, 4);
    for (uint32_t i = 0; pads && i < pad_count; i++)
        add_pads(b, &pads[i], 1, i);
    price *prices = kiln_builder_array(b, &r->prices, 2, sizeof *prices, 4);
    if (prices) {
        add_text(b, &prices[0].key, "b", 0);
        add_text(b, &prices[1].key, "a", 0);
    }
}

static kiln_status build(const kiln_allocator *allocator, bool canonical, bool share_strings,
                         kiln_buffer *ret_blob, kiln_error *reterr)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *b = NULL;
    def.types = types;
    def.allocator = allocator;
    def.share_strings = share_strings;
    kiln_status status = kiln_builder_create(&def, &b);
    if (status)
        return kiln_fail(reterr, status, 0, NULL);
    root *r = kiln_builder_root(b, sizeof *r, _Alignof(root));
    if (r)
        fill(b, r);
    status = kiln_builder_finish(b, ROOT, canonical ? KILN_FLAG_CANONICAL : 0, ret_blob, reterr);
    kiln_builder_destroy(b);
    return status;
}

static kiln_status build_canonical(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_buffer blob = {0};
    kiln_status status = build(allocator, true, false, &blob, reterr);
    kiln_buffer_fini(&blob);
    return status;
}

static kiln_buffer plain;

static kiln_status canonicalize(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_buffer blob = {0};
    kiln_status status = kiln_canonicalize(
        &(kiln_canonical_args){
            .types = types, .type = ROOT, .blob = {plain.data, plain.size}, .allocator = allocator},
        &blob, reterr);
    kiln_buffer_fini(&blob);
    return status;
}

static void check_value(uint32_t words, uint32_t parts, uint32_t pads)
{
    word_count = words;
    part_count = parts;
    pad_count = pads;
    assert_int_equal(build(NULL, false, false, &plain, NULL), KILN_OK);
    check_each_lone_failure(canonicalize);
    check_each_lone_failure(build_canonical);
    kiln_buffer_fini(&plain);
}

static void tables_of_a_value_may_be_full_anywhere(void **state)
{
    (void)state;
    for (uint32_t length = 0; length < 60; length++) {
        check_value(length, 3, 2);
        check_value(2, length, 2);
        check_value(2, 3, length);
    }
}

/* Larger than any block. */
enum { LARGE = 100000 };

static kiln_status build_large(const kiln_allocator *allocator, bool share_strings,
                               kiln_error *reterr)
{
    static char text[LARGE];
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *b = NULL;
    kiln_buffer blob = {0};
    def.types = types;
    def.allocator = allocator;
    def.share_strings = share_strings;
    memset(text, 'x', sizeof text);
    kiln_status status = kiln_builder_create(&def, &b);
    if (status)
        return kiln_fail(reterr, status, 0, NULL);
    root *r = kiln_builder_root(b, sizeof *r, _Alignof(root));
    kiln_string *words = r ? kiln_builder_array(b, &r->words, 1, sizeof *words, 4) : NULL;
    if (words)
        kiln_builder_string(b, words, text, sizeof text);
    if (r)
        kiln_builder_bytes(b, &r->bytes, text, sizeof text, 1);
    status = kiln_builder_finish(b, ROOT, KILN_FLAG_CANONICAL, &blob, reterr);
    kiln_buffer_fini(&blob);
    kiln_builder_destroy(b);
    return status;
}

static kiln_status build_large_text(const kiln_allocator *allocator, kiln_error *reterr)
{
    return build_large(allocator, false, reterr);
}

static kiln_status build_large_shared_text(const kiln_allocator *allocator, kiln_error *reterr)
{
    return build_large(allocator, true, reterr);
}

static void large_strings_get_separate_memory(void **state)
{
    (void)state;
    check_each_lone_failure(build_large_text);
    check_each_lone_failure(build_large_shared_text);
}

/* Objects with alignment 1, to which fields refer in reverse order. */
static kiln_status verify_backwards(const kiln_allocator *allocator, kiln_error *reterr)
{
    patched blob = patched_blob(verdict_types, T_BYTES_AND_ARRAY, 0,
                                "\x12\0\0\0\2\0\0\0"
                                "\x8\0\0\0\2\0\0\0"
                                "abcd",
                                20);
    kiln_verify_def def = kiln_verify_def_default();
    def.types = verdict_types;
    def.type = T_BYTES_AND_ARRAY;
    def.allocator = allocator;
    kiln_status status = kiln_verify(&def, blob.data, blob.size, reterr);
    patched_fini(&blob);
    return status;
}

static void objects_in_reverse_order_are_sorted(void **state)
{
    (void)state;
    check_each_lone_failure(verify_backwards);
}

/* Types with long strings and many earlier names. */
enum { WAS_COUNT = 3000 };
static char was_texts[WAS_COUNT][8], doc[LARGE];
static const char *was[WAS_COUNT + 1];
static kiln_member long_members[1];
enum { NAME_COUNT = 200, NAME_LENGTH = 250 };
static char long_names[NAME_COUNT][NAME_LENGTH + 1];
static kiln_member named_members[NAME_COUNT];
enum { LONG_TYPES = 3 + NAME_COUNT };
static kiln_type long_types[LONG_TYPES];

static void describe_long_types(void)
{
    for (uint32_t i = 0; i < WAS_COUNT; i++) {
        (void)snprintf(was_texts[i], sizeof was_texts[i], "w%u", (unsigned)i);
        was[i] = was_texts[i];
    }
    memset(doc, 'd', sizeof doc - 1);
    long_members[0] =
        (kiln_member){.name = "a", .doc = doc, .type = 0, .was = was, .was_count = WAS_COUNT};
    long_types[0] = (kiln_type){.kind = KILN_KIND_STRING};
    long_types[1] = (kiln_type){.kind = KILN_KIND_STRUCT,
                                .name = "t.Long",
                                .doc = doc,
                                .was = was,
                                .was_count = WAS_COUNT,
                                .members = long_members,
                                .member_count = 1};
    for (uint32_t i = 0; i < NAME_COUNT; i++) {
        memset(long_names[i], 'n', NAME_LENGTH);
        (void)snprintf(long_names[i], 8, "m%u", (unsigned)i);
        long_names[i][strlen(long_names[i])] = '_';
        named_members[i] = (kiln_member){.name = long_names[i], .type = 0};
    }
    long_types[2] = (kiln_type){.kind = KILN_KIND_STRUCT,
                                .name = "t.Named",
                                .members = named_members,
                                .member_count = NAME_COUNT};
    for (uint32_t i = 0; i < NAME_COUNT; i++)
        long_types[3 + i] = (kiln_type){.kind = KILN_KIND_STRUCT,
                                        .name = long_names[i],
                                        .members = named_members,
                                        .member_count = 1};
}

static unsigned char long_default[8 + LARGE + 1] = {8};

static kiln_status create_long_types(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_types *made = NULL;
    kiln_status status = kiln_types_create(allocator, long_types, LONG_TYPES, &made, reterr);
    if (!status)
        status = kiln_types_set_default(made, 1, 0, (kiln_span){long_default, sizeof long_default},
                                        reterr);
    kiln_types_destroy(made);
    return status;
}

static kiln_buffer table;

static kiln_status read_table(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_types *made = NULL;
    kiln_status status = kiln_type_table_read(allocator, table.data, table.size, &made, reterr);
    kiln_types_destroy(made);
    return status;
}

static void long_strings_of_types_get_separate_memory(void **state)
{
    (void)state;
    kiln_types *made = NULL;
    describe_long_types();
    patch_number(long_default + 4, LARGE, 4);
    memset(long_default + 8, 'x', LARGE);
    check_each_lone_failure(create_long_types);
    assert_int_equal(kiln_types_create(NULL, long_types, LONG_TYPES, &made, NULL), KILN_OK);
    assert_int_equal(kiln_type_table_write(NULL, made, &table, NULL), KILN_OK);
    kiln_types_destroy(made);
    check_each_lone_failure(read_table);
    kiln_buffer_fini(&table);
}

static kiln_file_writer *new_writer(const kiln_types *of, bool omit_type_table,
                                    const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *writer = NULL;
    def.types = of;
    def.allocator = allocator;
    def.omit_type_table = omit_type_table;
    kiln_file_writer_create(&def, &writer, reterr);
    return writer;
}

static kiln_status write_empty_file(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_buffer file = {0};
    kiln_file_writer *writer = new_writer(types, false, allocator, reterr);
    if (!writer)
        return KILN_NO_MEMORY;
    kiln_status status = kiln_file_writer_finish_buffer(writer, &file, reterr);
    kiln_buffer_fini(&file);
    kiln_file_writer_destroy(writer);
    return status;
}

static kiln_status import_first(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_file_writer *writer = new_writer(types, false, allocator, reterr);
    if (!writer)
        return KILN_NO_MEMORY;
    kiln_status status = kiln_file_writer_import(writer, "Item/a");
    kiln_file_writer_destroy(writer);
    return status ? kiln_fail(reterr, status, 0, NULL) : status;
}

static patched added;

static kiln_status add_large(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_file_writer *writer = new_writer(types, false, allocator, reterr);
    if (!writer)
        return KILN_NO_MEMORY;
    kiln_status status =
        kiln_file_writer_add(writer, "Links/a", LINKS, (kiln_span){added.data, added.size}, reterr);
    kiln_file_writer_destroy(writer);
    return status;
}

/* A list of references to `count` imports: `I/0`, `I/1` and so on. */
static patched links_blob(uint32_t count)
{
    size_t size = 8 + (size_t)count * 8;
    unsigned char *payload = calloc(1, size);
    assert_non_null(payload);
    patch_number(payload, 8, 4);
    patch_number(payload + 4, count, 4);
    for (uint32_t i = 0; i < count; i++) {
        char name[24];
        int length = snprintf(name, sizeof name, "I/%u", (unsigned)i);
        patch_number(payload + 8 + (size_t)i * 8, kiln_asset_id(name, (size_t)length), 8);
    }
    patched blob = patched_blob(types, LINKS, 0, payload, size);
    free(payload);
    return blob;
}

static void adding_to_a_file_may_run_out_of_memory_anywhere(void **state)
{
    (void)state;
    check_each_lone_failure(write_empty_file);
    check_each_lone_failure(import_first);
    added = links_blob(LARGE / 8);
    check_each_lone_failure(add_large);
    patched_fini(&added);
}

/* So many assets, types, members and imports that each list of them gets a separate block. */
enum { MANY = 17000, LINKS_TO_ALL = 20 };

static kiln_types *many_types(void)
{
    static kiln_type list[TYPE_COUNT + MANY];
    static char names[MANY][12];
    kiln_types *made = NULL;
    memcpy(list, fixed_types, sizeof fixed_types);
    for (uint32_t i = 0; i < MANY; i++) {
        (void)snprintf(names[i], sizeof names[i], "t.N%u", (unsigned)i);
        list[TYPE_COUNT + i] = (kiln_type){.kind = KILN_KIND_STRUCT,
                                           .name = names[i],
                                           .members = value_members,
                                           .member_count = 1};
    }
    assert_int_equal(kiln_types_create(NULL, list, TYPE_COUNT + MANY, &made, NULL), KILN_OK);
    return made;
}

static void fill_file(kiln_file_writer *writer)
{
    for (uint32_t i = 0; i < MANY; i++) {
        char name[24];
        snprintf(name, sizeof name, "I/%u", (unsigned)i);
        assert_int_equal(kiln_file_writer_import(writer, name), KILN_OK);
        name[0] = 'V';
        patched blob = patched_blob(types, VALUE, 0, &i, sizeof i);
        assert_int_equal(
            kiln_file_writer_add(writer, name, VALUE, (kiln_span){blob.data, blob.size}, NULL),
            KILN_OK);
        patched_fini(&blob);
    }
    patched blob = links_blob(MANY);
    for (uint32_t i = 0; i < LINKS_TO_ALL; i++) {
        char name[24];
        snprintf(name, sizeof name, "L/%u", (unsigned)i);
        assert_int_equal(
            kiln_file_writer_add(writer, name, LINKS, (kiln_span){blob.data, blob.size}, NULL),
            KILN_OK);
    }
    patched_fini(&blob);
}

static void finishing_a_large_file_may_run_out_of_memory_anywhere(void **state)
{
    (void)state;
    counting_allocator counter = {0};
    kiln_allocator allocator = counting_allocator_of(&counter);
    kiln_types *made = many_types();
    kiln_file_writer *writer = new_writer(made, true, &allocator, NULL);
    kiln_status status = KILN_NO_MEMORY;
    fill_file(writer);
    size_t live = counter.live_blocks;
    for (size_t at = 1; status; at++) {
        kiln_buffer file = {0};
        kiln_error error = {KILN_OK, 0, 0, ""};
        counter.fail_at = counter.calls + at;
        status = kiln_file_writer_finish_buffer(writer, &file, &error);
        assert_int_equal(status, counter.calls < counter.fail_at ? KILN_OK : KILN_NO_MEMORY);
        assert_error(&error, status, 0, "");
        kiln_buffer_fini(&file);
        assert_int_equal(counter.live_blocks, live);
    }
    kiln_file_writer_destroy(writer);
    kiln_types_destroy(made);
    assert_int_equal(counter.live_blocks, 0);
    assert_false(counter.wrong_free);
}

static int set_up(void **state)
{
    verdict_set_up(state);
    return kiln_types_create(NULL, fixed_types, TYPE_COUNT, &types, NULL) != KILN_OK;
}

static int tear_down(void **state)
{
    kiln_types_destroy(types);
    return verdict_tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_a_value_may_be_full_anywhere),
        cmocka_unit_test(large_strings_get_separate_memory),
        cmocka_unit_test(objects_in_reverse_order_are_sorted),
        cmocka_unit_test(long_strings_of_types_get_separate_memory),
        cmocka_unit_test(adding_to_a_file_may_run_out_of_memory_anywhere),
        cmocka_unit_test(finishing_a_large_file_may_run_out_of_memory_anywhere),
    };
    return cmocka_run_group_tests_name("failing places", tests, set_up, tear_down);
}
