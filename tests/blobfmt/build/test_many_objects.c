/* Values with so many objects that 32-bit hashes collide, that tables grow large, and that a blob
 * would exceed its maximum size. */
#include "type_macros.h"
#include "verdict.h"

#include <kiln/builder.h>
#include <kiln/relative.h>
#include <kiln/verify.h>
#include <stdio.h>
#include <string.h>

enum {
    U32,
    F32,
    STRING,
    NUMBERS, /* u32[] */
    SINGLES, /* f32[] */
    ALIGNED, /* u32[]@8 */
    ROW,
    ROWS,
    TABLE,
    STRINGS,
    WORDS,
    PAGE, /* bytes@4096 */
    PAGES,
    BOOK,
    TYPE_COUNT
};

typedef struct row {
    kiln_string name;
    kiln_array numbers, singles, aligned;
} row;

typedef struct book {
    kiln_array pages;
    kiln_string text;
} book;

static kiln_types *types;

static int set_up(void **state)
{
    (void)state;
    static const kiln_member row_members[] = {FIELD("name", STRING), FIELD("numbers", NUMBERS),
                                              FIELD("singles", SINGLES), FIELD("aligned", ALIGNED)};
    static const kiln_member table[] = {FIELD("rows", ROWS)}, words[] = {FIELD("words", STRINGS)},
                             pages[] = {FIELD("pages", PAGES), FIELD("text", STRING)};
    static const kiln_type list[TYPE_COUNT] = {
        [U32] = {.kind = KILN_KIND_U32},
        [F32] = {.kind = KILN_KIND_F32},
        [STRING] = {.kind = KILN_KIND_STRING},
        [NUMBERS] = {.kind = KILN_KIND_ARRAY, .element = U32},
        [SINGLES] = {.kind = KILN_KIND_ARRAY, .element = F32},
        [ALIGNED] = {.kind = KILN_KIND_ARRAY, .element = U32, .align_at = 8},
        [ROW] = STRUCT("t.Row", row_members),
        [ROWS] = {.kind = KILN_KIND_ARRAY, .element = ROW},
        [TABLE] = STRUCT("t.Table", table),
        [STRINGS] = {.kind = KILN_KIND_ARRAY, .element = STRING},
        [WORDS] = STRUCT("t.Words", words),
        [PAGE] = {.kind = KILN_KIND_BYTES, .align_at = 4096},
        [PAGES] = {.kind = KILN_KIND_ARRAY, .element = PAGE},
        [BOOK] = STRUCT("t.Book", pages)};
    return kiln_types_create(NULL, list, TYPE_COUNT, &types, NULL) != KILN_OK;
}

static int tear_down(void **state)
{
    (void)state;
    kiln_types_destroy(types);
    return 0;
}

static kiln_builder *new_builder(bool share_strings, bool finish_once,
                                 const kiln_allocator *allocator)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    def.types = types;
    def.share_strings = share_strings;
    def.finish_once = finish_once;
    def.allocator = allocator;
    assert_int_equal(kiln_builder_create(&def, &builder), KILN_OK);
    return builder;
}

/* The payload of a finished blob, which must be valid. */
static const void *checked_payload(const kiln_buffer *blob, uint32_t type)
{
    kiln_verify_def def = kiln_verify_def_default();
    kiln_blob_header header;
    def.types = types;
    def.type = type;
    assert_int_equal(kiln_verify(&def, blob->data, blob->size, NULL), KILN_OK);
    memcpy(&header, blob->data, sizeof header);
    return blob->data + kiln_header_payload_at(&header);
}

static const void *target_of(const kiln_array *field)
{
    return kiln_relative_get(field, field->offset);
}

static uint32_t number_of(const kiln_array *field)
{
    uint32_t number;
    assert_int_equal(field->count, 1);
    memcpy(&number, target_of(field), sizeof number);
    return number;
}

/* Objects of the same size that differ only in their bytes, types or alignment, and strings of
 * several sizes. Among 1,200,000 objects, more than a hundred pairs have equal 32-bit hashes. */
static void unequal_objects_stay_apart_whatever_their_hashes(void **state)
{
    (void)state;
    enum { ROW_COUNT = 300000 };
    kiln_builder *b = new_builder(false, true, NULL);
    kiln_array *root = kiln_builder_root(b, sizeof *root, 4);
    row *rows = kiln_builder_array(b, root, ROW_COUNT, sizeof *rows, 4);
    for (uint32_t i = 0; i < ROW_COUNT; i++) {
        char text[16];
        int length = snprintf(text, sizeof text, "%u", (unsigned)i);
        kiln_builder_string(b, &rows[i].name, text, (size_t)length);
        memcpy(kiln_builder_array(b, &rows[i].numbers, 1, 4, 4), &i, 4);
        memcpy(kiln_builder_array(b, &rows[i].singles, 1, 4, 4), &i, 4);
        memcpy(kiln_builder_array(b, &rows[i].aligned, 1, 4, 4), &i, 4);
    }
    kiln_buffer blob;
    assert_int_equal(kiln_builder_finish(b, TABLE, KILN_FLAG_CANONICAL, &blob, NULL), KILN_OK);
    const kiln_array *made = checked_payload(&blob, TABLE);
    const row *found = target_of(made);
    assert_int_equal(made->count, ROW_COUNT);
    for (uint32_t i = 0; i < ROW_COUNT; i++) {
        char text[16];
        (void)snprintf(text, sizeof text, "%u", (unsigned)i);
        assert_string_equal(kiln_string_get(&found[i].name), text);
        assert_int_equal(number_of(&found[i].numbers), i);
        assert_int_equal(number_of(&found[i].singles), i);
        assert_int_equal(number_of(&found[i].aligned), i);
    }
    kiln_buffer_fini(&blob);
    kiln_builder_destroy(b);
}

/* Like the test above, for strings, which the builder itself shares. */
static void unequal_strings_stay_apart_whatever_their_hashes(void **state)
{
    (void)state;
    enum { WORD_COUNT = 1000000 };
    kiln_builder *b = new_builder(true, false, NULL);
    kiln_array *root = kiln_builder_root(b, sizeof *root, 4);
    kiln_string *words = kiln_builder_array(b, root, WORD_COUNT, sizeof *words, 4);
    for (uint32_t i = 0; i < WORD_COUNT; i++) {
        char text[16];
        int length = snprintf(text, sizeof text, i % 2 ? "%06u" : "%07u", (unsigned)i);
        assert_true(kiln_builder_string(b, &words[i], text, (size_t)length));
    }
    kiln_buffer blob;
    assert_int_equal(kiln_builder_finish(b, WORDS, 0, &blob, NULL), KILN_OK);
    const kiln_array *made = checked_payload(&blob, WORDS);
    const kiln_string *found = target_of(made);
    for (uint32_t i = 0; i < WORD_COUNT; i++) {
        char text[16];
        (void)snprintf(text, sizeof text, i % 2 ? "%06u" : "%07u", (unsigned)i);
        assert_string_equal(kiln_string_get(&found[i]), text);
    }
    kiln_buffer_fini(&blob);
    kiln_builder_destroy(b);
}

/* This allocator refuses the memory for a payload near the limit. At the limit a builder requests
 * that memory and fails; one byte above the limit it does not request the memory. */
static void *alloc_small(void *ctx, size_t size, size_t align)
{
    const kiln_allocator heap = kiln_allocator_default();
    (void)ctx;
    return size < KILN_PAYLOAD_MAX / 2 ? heap.alloc(heap.ctx, size, align) : NULL;
}

static void free_small(void *ctx, void *block, size_t size)
{
    const kiln_allocator heap = kiln_allocator_default();
    (void)ctx;
    heap.free(heap.ctx, block, size);
}

static const kiln_allocator small_blocks = {alloc_small, free_small, NULL};

/* `count` pages of four bytes, each aligned to a page, and a string. */
static void check_book(uint32_t count, uint32_t text_length, kiln_status status)
{
    static const char text[8192] = {' '};
    for (int finish_once = 0; finish_once <= 1; finish_once++) {
        kiln_builder *b = new_builder(false, finish_once, &small_blocks);
        book *root = kiln_builder_root(b, sizeof *root, 4);
        kiln_array *pages = kiln_builder_array(b, &root->pages, count, sizeof *pages, 4);
        for (uint32_t i = 0; i < count; i++)
            assert_true(kiln_builder_bytes(b, &pages[i], &i, sizeof i, 1));
        assert_true(kiln_builder_string(b, &root->text, text, text_length));
        kiln_buffer made = {0};
        kiln_error error = {KILN_OK, 0, 0, ""};
        if (!finish_once)
            kiln_builder_finish_image(b, BOOK, &made, &error);
        else
            kiln_builder_finish(b, BOOK, 0, &made, &error);
        assert_error(&error, status, 0, "");
        assert_null(made.data);
        kiln_builder_destroy(b);
    }
}

/* Alignment makes the payload this large, although the objects have few bytes. */
static void rule_l1_payloads_that_would_be_too_large_are_refused(void **state)
{
    (void)state;
    const uint64_t page = 4096;
    uint32_t most = 500000;
    uint64_t end;
    do {
        uint64_t first = (16 + 8 * (uint64_t)++most + page - 1) / page * page;
        end = first + (most - 1) * page + 4;
    } while (end <= KILN_PAYLOAD_MAX);
    check_book(most, 0, KILN_TOO_LARGE);
    check_book(most - 1, 8191, KILN_TOO_LARGE);
    /* The string and its NUL end exactly at the limit of a payload. */
    uint64_t first = (16 + 8 * (uint64_t)(most - 1) + page - 1) / page * page;
    uint64_t before = first + (most - 2) * page + 4;
    check_book(most - 1, (uint32_t)(KILN_PAYLOAD_MAX - before - 1), KILN_NO_MEMORY);
    check_book(most - 1, (uint32_t)(KILN_PAYLOAD_MAX - before), KILN_TOO_LARGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unequal_objects_stay_apart_whatever_their_hashes),
        cmocka_unit_test(unequal_strings_stay_apart_whatever_their_hashes),
        cmocka_unit_test(rule_l1_payloads_that_would_be_too_large_are_refused),
    };
    return cmocka_run_group_tests_name("many objects", tests, set_up, tear_down);
}
