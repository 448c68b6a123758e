/* The public builder: its results, and its error for each kind of misuse. */
#include "verdict.h"

#include "counting_allocator.h"

#include <kiln/builder.h>
#include <kiln/value.h>
#include <stdlib.h>
#include <string.h>

typedef struct node {
    uint32_t id;
    kiln_array children;
    kiln_ptr next;
} node;

typedef struct two_strings {
    kiln_string a, b;
} two_strings;

static kiln_builder *b;

static int set_up(void **state)
{
    (void)state;
    verdict_set_up(NULL);
    kiln_builder_def def = kiln_builder_def_default();
    def.types = verdict_types;
    return kiln_builder_create(&def, &b) != KILN_OK;
}

static int tear_down(void **state)
{
    (void)state;
    kiln_builder_destroy(b);
    return verdict_tear_down(NULL);
}

static void finishes(uint32_t type, bool canonical, const void *payload, size_t size)
{
    kiln_buffer blob = {0};
    kiln_error error = {KILN_OK, 0, 0, ""};
    kiln_builder_finish(b, type, canonical ? KILN_FLAG_CANONICAL : 0, &blob, &error);
    assert_error(&error, KILN_OK, 0, "");
    assert_int_equal(blob.size, 32 + size);
    assert_memory_equal(blob.data + 32, payload, size);
    assert_blob_accepted(blob.data, blob.size, type);
    kiln_buffer_fini(&blob);
}
#define FINISHES(type, canonical, literal)                                                         \
    finishes((type), (canonical), (literal), sizeof(literal) - 1)

static void fails(uint32_t type, kiln_status status, const char *path)
{
    for (int canonical = 0; canonical <= 1; canonical++) {
        kiln_buffer blob = {0};
        kiln_error error = {KILN_OK, 0, 0, ""};
        assert_int_equal(
            kiln_builder_finish(b, type, canonical ? KILN_FLAG_CANONICAL : 0, &blob, &error),
            status);
        assert_error(&error, status, 0, path);
        assert_null(blob.data);
    }
}

static test_item *new_item(void)
{
    test_item *root = kiln_builder_root(b, sizeof *root, _Alignof(test_item));
    assert_non_null(root);
    root->color = 1;
    return root;
}

static void blob_of_a_struct_with_text(void **state)
{
    (void)state;
    test_item *root = new_item();
    assert_true(kiln_builder_string(b, &root->name, "ab", 2));
    root->price = 0x01020304;
    FINISHES(T_ITEM, true,
             "\x10\0\0\0\2\0\0\0\4\3\2\1\0\1\0\0"
             "ab\0");
    FINISHES(T_ITEM, false,
             "\x10\0\0\0\2\0\0\0\4\3\2\1\0\1\0\0"
             "ab\0");
}

static void memory_of_objects_is_zeroed(void **state)
{
    (void)state;
    static const unsigned char zeros[3000];
    node *root = kiln_builder_root(b, sizeof *root, 4);
    for (int round = 0; round < 2; round++) {
        assert_memory_equal(root, zeros, sizeof *root);
        memset(root, 0xff, sizeof *root);
        kiln_builder_reset(b);
        root = kiln_builder_root(b, sizeof *root, 4);
        unsigned char *array = kiln_builder_array(b, &root->children, 100, 16, 4);
        assert_memory_equal(array, zeros, 1600);
        memset(array, 0xff, 1600);
        kiln_builder_reset(b);
        root = kiln_builder_root(b, sizeof *root, 4);
    }
}

static void padding_is_cleared_whatever_it_contains(void **state)
{
    (void)state;
    unsigned char *root = kiln_builder_root(b, 8, 4);
    memset(root, 0xff, 8);
    FINISHES(T_PADDED, true, "\xff\0\0\0\xff\xff\xff\xff");
}

/* These types are only meaningful in rows of components. */
static void entities_and_data_are_cleared_like_padding(void **state)
{
    (void)state;
    static const unsigned char expected[96] = {0xff};
    unsigned char *root = kiln_builder_root(b, sizeof expected, 8);
    memset(root, 0xff, sizeof expected);
    finishes(T_SLOT, true, expected, sizeof expected);
    kiln_builder_reset(b);
    root = kiln_builder_root(b, sizeof expected, 8);
    memset(root, 0xff, sizeof expected);
    finishes(T_SLOT, false, expected, sizeof expected);
}

static void empty_values_are_zero(void **state)
{
    (void)state;
    two_strings *root = kiln_builder_root(b, sizeof *root, 4);
    assert_true(kiln_builder_string(b, &root->a, "", 0));
    assert_true(kiln_builder_string(b, &root->b, "x", 1));
    assert_true(kiln_builder_string(b, &root->b, NULL, 0));
    assert_int_equal(kiln_builder_status(b), KILN_OK);
    FINISHES(T_TWO_STRINGS, true, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    kiln_builder_reset(b);
    kiln_array *array = kiln_builder_root(b, sizeof *array, 4);
    assert_null(kiln_builder_array(b, array, 0, 4, 4));
    assert_true(kiln_builder_bytes(b, array, NULL, 0, 1));
    assert_int_equal(kiln_builder_status(b), KILN_OK);
    FINISHES(T_ONE_U32_ARRAY, true, "\0\0\0\0\0\0\0\0");
}

static void setting_a_field_again_replaces_its_target(void **state)
{
    (void)state;
    test_item *root = new_item();
    kiln_builder_string(b, &root->name, "first", 5);
    kiln_builder_string(b, &root->name, "2", 1);
    FINISHES(T_ITEM, false,
             "\x10\0\0\0\1\0\0\0\0\0\0\0\0\1\0\0"
             "2\0");
}

static void equal_objects_are_one_only_in_canonical_form_or_when_shared(void **state)
{
    (void)state;
    two_strings *root = kiln_builder_root(b, sizeof *root, 4);
    kiln_builder_string(b, &root->a, "x", 1);
    kiln_builder_string(b, &root->b, "x", 1);
    FINISHES(T_TWO_STRINGS, false,
             "\x10\0\0\0\1\0\0\0\xa\0\0\0\1\0\0\0"
             "x\0x\0");
    FINISHES(T_TWO_STRINGS, true,
             "\x10\0\0\0\1\0\0\0\x8\0\0\0\1\0\0\0"
             "x\0");
    assert_true(kiln_builder_share(b, &root->b, &root->a));
    FINISHES(T_TWO_STRINGS, false,
             "\x10\0\0\0\1\0\0\0\x8\0\0\0\1\0\0\0"
             "x\0");
}

static void sharing_an_empty_value_empties_the_field(void **state)
{
    (void)state;
    two_strings *root = kiln_builder_root(b, sizeof *root, 4);
    kiln_builder_string(b, &root->b, "x", 1);
    assert_true(kiln_builder_share(b, &root->b, &root->a));
    FINISHES(T_TWO_STRINGS, false, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    /* The field after a pointer is not a count and must not be cleared. */
    kiln_builder_reset(b);
    kiln_ptr *two = kiln_builder_root(b, 12, 4);
    node *nodes = kiln_builder_array(b, two + 1, 1, sizeof *nodes, 4);
    kiln_builder_pointer(b, two, sizeof(node), 4);
    assert_true(kiln_builder_share(b, two, &nodes->next));
    FINISHES(T_NODE_AND_ARRAY, false,
             "\0\0\0\0\x8\0\0\0\1\0\0\0"
             "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
}

static void unions_hold_one_alternative(void **state)
{
    (void)state;
    kiln_union *root = kiln_builder_root(b, sizeof *root, 4);
    uint32_t *damage = kiln_builder_choose(b, root, 1, 4, 4);
    *damage = 7;
    FINISHES(T_ONE_EFFECT, true, "\1\0\0\0\4\0\0\0\7\0\0\0");
    assert_null(kiln_builder_choose(b, root, 3, 0, 1));
    assert_int_equal(kiln_builder_status(b), KILN_OK);
    FINISHES(T_ONE_EFFECT, true, "\3\0\0\0\0\0\0\0");
    kiln_string *say = kiln_builder_choose(b, root, 4, sizeof *say, 4);
    kiln_builder_string(b, say, "hi", 2);
    FINISHES(T_ONE_EFFECT, true,
             "\4\0\0\0\4\0\0\0\x8\0\0\0\2\0\0\0"
             "hi\0");
}

static void maps_are_sorted_at_finish(void **state)
{
    (void)state;
    typedef struct entry {
        kiln_string key;
        uint32_t value;
    } entry;
    static const char *const keys[] = {"b", "\xc3\xa4", "", "ab", "a"};
    kiln_array *root = kiln_builder_root(b, sizeof *root, 4);
    entry *entries = kiln_builder_array(b, root, 5, sizeof *entries, 4);
    for (uint32_t i = 0; i < 5; i++) {
        kiln_builder_string(b, &entries[i].key, keys[i], strlen(keys[i]));
        entries[i].value = i;
    }
    FINISHES(T_ONE_MAP_STRING_U32, true,
             "\x8\0\0\0\5\0\0\0"
             "\0\0\0\0\0\0\0\0\2\0\0\0"
             "\x30\0\0\0\1\0\0\0\4\0\0\0"
             "\x26\0\0\0\2\0\0\0\3\0\0\0"
             "\x1d\0\0\0\1\0\0\0\0\0\0\0"
             "\x13\0\0\0\2\0\0\0\1\0\0\0"
             "a\0ab\0b\0\xc3\xa4\0");
}

static void duplicate_keys_are_refused_with_their_path(void **state)
{
    (void)state;
    kiln_array *root = kiln_builder_root(b, sizeof *root, 4);
    unsigned char *entries = kiln_builder_array(b, root, 3, 4, 2);
    entries[0] = 5;
    entries[4] = 7;
    entries[8] = 5;
    kiln_buffer none = {0};
    assert_int_equal(kiln_builder_finish(b, T_ONE_MAP_I16_BOOL, KILN_FLAG_CANONICAL, &none, NULL),
                     KILN_V_MAP_ORDER);
    assert_int_equal(kiln_builder_finish_image(b, T_ONE_MAP_I16_BOOL, &none, NULL),
                     KILN_V_MAP_ORDER);
    assert_null(none.data);
    fails(T_ONE_MAP_I16_BOOL, KILN_V_MAP_ORDER, "value[5]");
}

static void values_are_checked_against_their_types(void **state)
{
    (void)state;
    test_item *root = new_item();
    root->color = 3;
    fails(T_ITEM, KILN_V_ENUM, "color");
    root->color = 1;
    root->sold = 2;
    fails(T_ITEM, KILN_V_BOOL, "sold");
    root->sold = 1;
    kiln_builder_string(b, &root->name, "a\0b", 3);
    fails(T_ITEM, KILN_V_STRING_NUL, "name");
    kiln_builder_string(b, &root->name, "\xff", 1);
    fails(T_ITEM, KILN_V_STRING_UTF8, "name");
    kiln_builder_string(b, &root->name, "ok", 2);
    FINISHES(T_ITEM, true,
             "\x10\0\0\0\2\0\0\0\0\0\0\0\1\1\0\0"
             "ok\0");
}

static void tag_without_alternative_is_refused(void **state)
{
    (void)state;
    kiln_union *root = kiln_builder_root(b, sizeof *root, 4);
    kiln_builder_choose(b, root, 99, 4, 4);
    fails(T_ONE_EFFECT, KILN_V_UNION_TAG, "value");
    kiln_builder_choose(b, root, 3, 4, 4);
    fails(T_ONE_EFFECT, KILN_V_UNION_VALUE, "value");
    kiln_builder_choose(b, root, 1, 0, 4);
    fails(T_ONE_EFFECT, KILN_V_UNION_VALUE, "value");
}

static void copied_fields_are_caught(void **state)
{
    (void)state;
    two_strings *root = kiln_builder_root(b, sizeof *root, 4);
    kiln_builder_string(b, &root->a, "x", 1);
    memcpy(&root->b, &root->a, sizeof root->b);
    fails(T_TWO_STRINGS, KILN_COPIED_FIELD, "b");
    assert_int_equal(kiln_builder_status(b), KILN_OK);
    /* A patch number that the builder never stored. */
    root->b.offset = 1000;
    fails(T_TWO_STRINGS, KILN_COPIED_FIELD, "b");
    assert_false(kiln_builder_share(b, &root->a, &root->b));
    assert_int_equal(kiln_builder_status(b), KILN_COPIED_FIELD);
}

static void path_locates_a_nested_field_that_was_copied(void **state)
{
    (void)state;
    kiln_array *second;
    kiln_ptr *root = kiln_builder_root(b, 12, 4);
    second = (kiln_array *)(void *)(root + 1);
    node *nodes = kiln_builder_array(b, second, 3, sizeof *nodes, 4);
    node *next = kiln_builder_pointer(b, &nodes[2].next, sizeof *next, 4);
    memcpy(&next->next, &nodes[2].next, sizeof next->next);
    fails(T_NODE_AND_ARRAY, KILN_COPIED_FIELD, "b[2].next.next");
}

static void sizes_that_do_not_fit_the_type_are_caught(void **state)
{
    (void)state;
    kiln_array *root = kiln_builder_root(b, sizeof *root, 4);
    kiln_builder_array(b, root, 3, 2, 2);
    fails(T_ONE_U32_ARRAY, KILN_WRONG_SIZE, "value");
    kiln_builder_array(b, root, 2, 4, 4);
    root->count = 1;
    fails(T_ONE_U32_ARRAY, KILN_WRONG_SIZE, "value");
    kiln_builder_reset(b);
    kiln_builder_root(b, 12, 4);
    fails(T_ITEM, KILN_WRONG_SIZE, "");
}

static void values_inside_themselves_are_caught(void **state)
{
    (void)state;
    node *root = kiln_builder_root(b, sizeof *root, 4);
    node *next = kiln_builder_pointer(b, &root->next, sizeof *next, 4);
    kiln_builder_share(b, &next->next, &root->next);
    fails(T_NODE, KILN_V_DEPTH, "next.next");
}

static void nesting_deeper_than_128_is_caught(void **state)
{
    (void)state;
    node *at = kiln_builder_root(b, sizeof *at, 4);
    for (int depth = 2; depth <= KILN_DEPTH_MAX; depth++)
        at = kiln_builder_pointer(b, &at->next, sizeof *at, 4);
    kiln_buffer blob;
    assert_int_equal(kiln_builder_finish(b, T_NODE, KILN_FLAG_CANONICAL, &blob, NULL), KILN_OK);
    assert_blob_accepted(blob.data, blob.size, T_NODE);
    kiln_buffer_fini(&blob);
    kiln_builder_pointer(b, &at->next, sizeof *at, 4);
    kiln_error error;
    assert_int_equal(kiln_builder_finish(b, T_NODE, KILN_FLAG_CANONICAL, &blob, &error),
                     KILN_V_DEPTH);
    assert_memory_equal(error.path, "next.next.", 10);
}

static void errors_stick_until_reset(void **state)
{
    (void)state;
    test_item *root = new_item();
    kiln_builder_set_error(b, KILN_DUPLICATE);
    kiln_builder_set_error(b, KILN_IO);
    assert_int_equal(kiln_builder_status(b), KILN_DUPLICATE);
    assert_null(kiln_builder_pointer(b, &root->name, 4, 4));
    assert_null(kiln_builder_array(b, &root->name, 1, 4, 4));
    assert_null(kiln_builder_choose(b, &root->name, 1, 4, 4));
    assert_false(kiln_builder_string(b, &root->name, "x", 1));
    assert_false(kiln_builder_bytes(b, &root->name, "x", 1, 1));
    assert_false(kiln_builder_share(b, &root->name, &root->name));
    fails(T_ITEM, KILN_DUPLICATE, "");
    kiln_builder_reset(b);
    assert_int_equal(kiln_builder_status(b), KILN_OK);
    new_item();
    FINISHES(T_ITEM, true, "\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0");
}

static void misuse_of_the_root_is_caught(void **state)
{
    (void)state;
    fails(T_ITEM, KILN_BAD_ARGUMENT, "");
    new_item();
    assert_null(kiln_builder_root(b, 16, 4));
    assert_int_equal(kiln_builder_status(b), KILN_BAD_ARGUMENT);
    kiln_builder_reset(b);
    new_item();
    fails(T_U32, KILN_BAD_ARGUMENT, "");
    fails(KILN_TYPE_NONE, KILN_BAD_ARGUMENT, "");
    kiln_builder_reset(b);
    kiln_string elsewhere = {0};
    kiln_builder_string(b, &elsewhere, "first", 5);
    assert_null(kiln_builder_root(b, 16, 4));
    assert_int_equal(kiln_builder_status(b), KILN_BAD_ARGUMENT);
}

static void unknown_flags_are_refused(void **state)
{
    (void)state;
    static const unsigned rows[] = {1,
                                    0x000f,
                                    0x0100,
                                    0x8000,
                                    0x10000,
                                    0x80000000u,
                                    KILN_FLAG_CANONICAL | 4,
                                    3 << KILN_FLAG_KIND_SHIFT,
                                    4 << KILN_FLAG_KIND_SHIFT,
                                    KILN_FLAG_KIND_MASK};
    new_item();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_buffer none = {NULL, 7, {NULL, NULL, NULL}};
        kiln_error error = {0};
        assert_int_equal(kiln_builder_finish(b, T_ITEM, rows[i], &none, &error), KILN_BAD_ARGUMENT);
        assert_int_equal(error.status, KILN_BAD_ARGUMENT);
        assert_int_equal(none.size, 7);
    }
    FINISHES(T_ITEM, true, "\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0");
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t count, size, align;
        kiln_status status;
    } rows[] = {{UINT32_MAX, UINT32_MAX, 4, KILN_TOO_LARGE},
                {0x80000000u, 1, 4, KILN_TOO_LARGE},
                {1, 4, 0, KILN_BAD_ARGUMENT},
                {1, 4, 3, KILN_BAD_ARGUMENT},
                {1, 4, 8192, KILN_BAD_ARGUMENT}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_builder_reset(b);
        kiln_array *root = kiln_builder_root(b, sizeof *root, 4);
        assert_null(kiln_builder_array(b, root, rows[i].count, rows[i].size, rows[i].align));
        assert_int_equal(kiln_builder_status(b), rows[i].status);
    }
    kiln_builder_reset(b);
    kiln_string *root = kiln_builder_root(b, sizeof *root, 4);
    assert_false(kiln_builder_string(b, root, "x", (size_t)KILN_PAYLOAD_MAX));
    assert_int_equal(kiln_builder_status(b), KILN_TOO_LARGE);
    kiln_builder_reset(b);
    root = kiln_builder_root(b, sizeof *root, 4);
    assert_false(kiln_builder_bytes(b, root, "x", (size_t)KILN_PAYLOAD_MAX + 1, 1));
    assert_int_equal(kiln_builder_status(b), KILN_TOO_LARGE);
}

static void pointers_stay_valid_over_many_blocks(void **state)
{
    (void)state;
    counting_allocator counter = {0};
    kiln_allocator allocator = counting_allocator_of(&counter);
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *small = NULL;
    def.types = verdict_types;
    def.allocator = &allocator;
    def.block_size = 256;
    assert_int_equal(kiln_builder_create(&def, &small), KILN_OK);
    enum { NODES = 500 };
    node *root = kiln_builder_root(small, sizeof *root, 4);
    node *children = kiln_builder_array(small, &root->children, NODES, sizeof *children, 4);
    for (uint32_t i = 0; i < NODES; i++) {
        node *next = kiln_builder_pointer(small, &children[i].next, sizeof *next, 4);
        next->id = i;
        children[i].id = ~i;
    }
    assert_true(counter.live_blocks > 30);
    kiln_buffer blob;
    assert_int_equal(kiln_builder_finish(small, T_NODE, 0, &blob, NULL), KILN_OK);
    assert_int_equal(blob.size, 32 + 16 + NODES * 32);
    assert_blob_accepted(blob.data, blob.size, T_NODE);
    kiln_value value, list, child, next, id;
    kiln_value_root(verdict_types, T_NODE, blob.data + 32, blob.size - 32, &value);
    kiln_value_at(&value, 1, &list);
    for (uint32_t i = 0; i < NODES; i++) {
        assert_int_equal(kiln_value_at(&list, i, &child), KILN_OK);
        kiln_value_field(&child, "next", 4, &next);
        kiln_value_at(&next, 0, &child);
        kiln_value_at(&child, 0, &id);
        assert_int_equal(kiln_value_uint(&id), i);
    }
    kiln_buffer_fini(&blob);
    kiln_builder_destroy(small);
    assert_int_equal(counter.live_bytes, 0);
    assert_false(counter.wrong_free);
}

static void larger_objects_get_a_block_of_their_own(void **state)
{
    (void)state;
    enum { BIG = 1 << 20 };
    kiln_array *root = kiln_builder_root(b, sizeof *root, 4);
    uint32_t *big = kiln_builder_array(b, root, BIG / 4, 4, 64);
    assert_int_equal((uintptr_t)big % 64, 0);
    for (uint32_t i = 0; i < BIG / 4; i++)
        big[i] = i;
    kiln_buffer blob;
    assert_int_equal(kiln_builder_finish(b, T_ONE_U32_ARRAY_64, KILN_FLAG_CANONICAL, &blob, NULL),
                     KILN_OK);
    assert_int_equal(blob.size, 64 + 64 + BIG);
    assert_int_equal((uintptr_t)blob.data % 64, 0);
    assert_memory_equal(blob.data + 128, big, BIG);
    kiln_buffer_fini(&blob);
}

static void finishing_twice_gives_the_same(void **state)
{
    (void)state;
    test_item *root = new_item();
    kiln_builder_string(b, &root->name, "ab", 2);
    kiln_buffer first, second;
    assert_int_equal(kiln_builder_finish(b, T_ITEM, KILN_FLAG_CANONICAL, &first, NULL), KILN_OK);
    assert_int_equal(kiln_builder_finish(b, T_ITEM, KILN_FLAG_CANONICAL, &second, NULL), KILN_OK);
    assert_same_bytes(&first, &second);
    kiln_buffer_fini(&first);
    kiln_buffer_fini(&second);
}

static void images_are_payloads_of_any_type(void **state)
{
    (void)state;
    kiln_string *text = kiln_builder_root(b, sizeof *text, 4);
    kiln_builder_string(b, text, "abc", 3);
    kiln_buffer image = {0};
    kiln_error error;
    assert_int_equal(kiln_builder_finish_image(b, T_STRING, &image, &error), KILN_OK);
    assert_int_equal(image.size, 12);
    assert_memory_equal(image.data,
                        "\x8\0\0\0\3\0\0\0"
                        "abc",
                        12);
    kiln_buffer_fini(&image);
    kiln_builder_reset(b);
    unsigned char *color = kiln_builder_root(b, 1, 1);
    *color = 77;
    assert_int_equal(kiln_builder_finish_image(b, T_COLOR, &image, &error), KILN_V_ENUM);
    assert_error(&error, KILN_V_ENUM, 0, "");
    *color = 200;
    assert_int_equal(kiln_builder_finish_image(b, T_COLOR, &image, &error), KILN_OK);
    assert_int_equal(image.size, 1);
    kiln_buffer_fini(&image);
    assert_int_equal(kiln_builder_finish_image(b, KILN_TYPE_NONE, &image, &error),
                     KILN_BAD_ARGUMENT);
}

static kiln_builder *new_builder(bool share_strings, bool finish_once,
                                 const kiln_allocator *allocator)
{
    kiln_builder_def def = kiln_builder_def_default();
    def.types = verdict_types;
    def.allocator = allocator;
    def.share_strings = share_strings;
    def.finish_once = finish_once;
    kiln_builder *made = NULL;
    assert_int_equal(kiln_builder_create(&def, &made), KILN_OK);
    return made;
}

static void equal_strings_are_shared_at_once_on_request(void **state)
{
    (void)state;
    kiln_builder_destroy(b);
    b = new_builder(true, false, NULL);
    for (int round = 0; round < 2; round++) {
        two_strings *root = kiln_builder_root(b, sizeof *root, 4);
        kiln_builder_string(b, &root->a, "x", 1);
        kiln_builder_string(b, &root->b, "x", 1);
        for (int canonical = 0; canonical <= 1; canonical++)
            FINISHES(T_TWO_STRINGS, canonical,
                     "\x10\0\0\0\1\0\0\0\x8\0\0\0\1\0\0\0"
                     "x\0");
        kiln_builder_reset(b);
    }
}

static void strings_that_only_begin_alike_are_not_shared(void **state)
{
    (void)state;
    kiln_builder_destroy(b);
    b = new_builder(true, false, NULL);
    two_strings *root = kiln_builder_root(b, sizeof *root, 4);
    kiln_builder_string(b, &root->a, "xy", 2);
    kiln_builder_string(b, &root->b, "x", 1);
    FINISHES(T_TWO_STRINGS, true,
             "\x10\0\0\0\2\0\0\0\xb\0\0\0\1\0\0\0"
             "xy\0x\0");
}

static void many_strings_are_found_again(void **state)
{
    (void)state;
    enum { STRINGS = 5000, TIMES = 3 };
    kiln_builder_destroy(b);
    b = new_builder(true, false, NULL);
    kiln_array *root = kiln_builder_root(b, sizeof *root, 4);
    kiln_string *strings = kiln_builder_array(b, root, STRINGS * TIMES, sizeof *strings, 4);
    for (uint32_t i = 0; i < STRINGS * TIMES; i++) {
        char text[8] = {0};
        uint32_t number = i % STRINGS;
        for (int digit = 0; digit < 5; digit++, number /= 10)
            text[digit] = (char)('0' + number % 10);
        assert_true(kiln_builder_string(b, &strings[i], text, 5));
    }
    kiln_buffer blob;
    assert_int_equal(kiln_builder_finish(b, T_ONE_STRING_ARRAY, 0, &blob, NULL), KILN_OK);
    assert_int_equal(blob.size, 32 + 8 + STRINGS * TIMES * 8 + STRINGS * 6);
    assert_blob_accepted(blob.data, blob.size, T_ONE_STRING_ARRAY);
    kiln_buffer_fini(&blob);
}

static void finishing_once_gives_the_same_and_leaves_the_builder_empty(void **state)
{
    (void)state;
    counting_allocator counter = {0};
    kiln_allocator allocator = counting_allocator_of(&counter);
    kiln_builder_destroy(b);
    b = new_builder(false, true, &allocator);
    for (int canonical = 0; canonical <= 1; canonical++) {
        test_item *root = new_item();
        kiln_builder_string(b, &root->name, "ab", 2);
        FINISHES(T_ITEM, canonical,
                 "\x10\0\0\0\2\0\0\0\0\0\0\0\0\1\0\0"
                 "ab\0");
        fails(T_ITEM, KILN_BAD_ARGUMENT, "");
    }
    kiln_array *list = kiln_builder_root(b, sizeof *list, 4);
    kiln_builder_array(b, list, 1 << 20, 4, 4);
    kiln_buffer image;
    assert_int_equal(kiln_builder_finish_image(b, T_U32_ARRAY, &image, NULL), KILN_OK);
    assert_int_equal(image.size, 8 + (4 << 20));
    kiln_buffer_fini(&image);
    assert_true(counter.live_bytes < 1 << 20);
    kiln_builder_destroy(b);
    assert_int_equal(counter.live_bytes, 0);
    b = NULL;
}

static void failing_to_finish_once_leaves_the_builder_empty_too(void **state)
{
    (void)state;
    kiln_builder_destroy(b);
    b = new_builder(true, true, NULL);
    kiln_buffer blob = {0};
    kiln_error error = {KILN_OK, 0, 0, ""};
    test_item *root = new_item();
    kiln_builder_string(b, &root->name, "ab", 2);
    root->color = 3;
    assert_int_equal(kiln_builder_finish(b, T_ITEM, KILN_FLAG_CANONICAL, &blob, &error),
                     KILN_V_ENUM);
    assert_error(&error, KILN_V_ENUM, 0, "color");
    fails(T_ITEM, KILN_BAD_ARGUMENT, "");
    root = new_item();
    assert_null(kiln_builder_array(b, &root->name, 1, 1, 3));
    assert_int_equal(kiln_builder_finish(b, T_ITEM, KILN_FLAG_CANONICAL, &blob, NULL),
                     KILN_BAD_ARGUMENT);
    assert_int_equal(kiln_builder_status(b), KILN_OK);
    new_item();
    FINISHES(T_ITEM, true, "\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0");
}

static void a_string_field_must_not_refer_to_an_array(void **state)
{
    (void)state;
    kiln_string *root = kiln_builder_root(b, sizeof *root, 4);
    kiln_builder_array(b, root, 2, 1, 1);
    root->length = 1;
    fails(T_ONE_STRING, KILN_WRONG_SIZE, "value");
}

static void creating_without_types_is_refused(void **state)
{
    (void)state;
    kiln_builder *none = NULL;
    kiln_builder_def def = kiln_builder_def_default();
    assert_int_equal(kiln_builder_create(&def, &none), KILN_BAD_ARGUMENT);
    def.types = verdict_types;
    def.block_size = 0;
    assert_int_equal(kiln_builder_create(&def, &none), KILN_BAD_ARGUMENT);
    assert_null(none);
    kiln_builder_destroy(NULL);
    kiln_buffer_fini(NULL);
    kiln_buffer empty = {0};
    kiln_buffer_fini(&empty);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(blob_of_a_struct_with_text),
        TEST(memory_of_objects_is_zeroed),
        TEST(padding_is_cleared_whatever_it_contains),
        TEST(entities_and_data_are_cleared_like_padding),
        TEST(empty_values_are_zero),
        TEST(setting_a_field_again_replaces_its_target),
        TEST(equal_objects_are_one_only_in_canonical_form_or_when_shared),
        TEST(sharing_an_empty_value_empties_the_field),
        TEST(unions_hold_one_alternative),
        TEST(maps_are_sorted_at_finish),
        TEST(duplicate_keys_are_refused_with_their_path),
        TEST(values_are_checked_against_their_types),
        TEST(tag_without_alternative_is_refused),
        TEST(copied_fields_are_caught),
        TEST(path_locates_a_nested_field_that_was_copied),
        TEST(sizes_that_do_not_fit_the_type_are_caught),
        TEST(values_inside_themselves_are_caught),
        TEST(nesting_deeper_than_128_is_caught),
        TEST(errors_stick_until_reset),
        TEST(misuse_of_the_root_is_caught),
        TEST(unknown_flags_are_refused),
        TEST(impossible_sizes_are_refused),
        TEST(pointers_stay_valid_over_many_blocks),
        TEST(larger_objects_get_a_block_of_their_own),
        TEST(finishing_twice_gives_the_same),
        TEST(images_are_payloads_of_any_type),
        TEST(equal_strings_are_shared_at_once_on_request),
        TEST(strings_that_only_begin_alike_are_not_shared),
        TEST(many_strings_are_found_again),
        TEST(finishing_once_gives_the_same_and_leaves_the_builder_empty),
        TEST(failing_to_finish_once_leaves_the_builder_empty_too),
        TEST(a_string_field_must_not_refer_to_an_array),
        TEST(creating_without_types_is_refused),
    };
    return cmocka_run_group_tests_name("builder", tests, NULL, NULL);
}
