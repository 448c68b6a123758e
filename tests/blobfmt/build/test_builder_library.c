/* Objects that a builder reuses from another builder, its library. */
#include "failing_memory.h"
#include "random_value.h"
#include "type_macros.h"
#include "verdict.h"

#include <kiln/builder.h>
#include <string.h>

/* A name, a map of strings and another item. The root of each blob is a list of items. */
typedef struct item {
    kiln_string name;
    kiln_array tags; /* string -> string */
    kiln_ptr next;
    uint32_t number, rest;
} item;
typedef struct tag {
    kiln_string key, value;
} tag;

enum { I_ITEM, I_STRING, I_MAP, I_OPTIONAL, I_U32, I_ALL, I_ITEMS, I_COUNT };
enum { ITEMS = 6 };

static kiln_types *item_types(void)
{
    static const kiln_member members[] = {FIELD("name", I_STRING), FIELD("tags", I_MAP),
                                          FIELD("next", I_OPTIONAL), FIELD("number", I_U32),
                                          FIELD("rest", I_U32)};
    static const kiln_member all[] = {FIELD("items", I_ITEMS)};
    kiln_type list[I_COUNT] = {
        STRUCT("Item", members),
        {.kind = KILN_KIND_STRING},
        {.kind = KILN_KIND_MAP, .key = I_STRING, .element = I_STRING},
        {.kind = KILN_KIND_OPTIONAL, .element = I_ITEM},
        {.kind = KILN_KIND_U32},
        STRUCT("All", all),
        {.kind = KILN_KIND_ARRAY, .element = I_OPTIONAL},
    };
    kiln_types *types = NULL;
    list[I_ALL].flags = KILN_TYPE_ASSET;
    assert_int_equal(KILN_OK, kiln_types_create(NULL, list, I_COUNT, &types, NULL));
    return types;
}

static kiln_types *types;

static int set_up(void **state)
{
    (void)state;
    types = item_types();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    kiln_types_destroy(types);
    return 0;
}

static kiln_builder *begin(kiln_builder *library, const kiln_allocator *allocator, bool once)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    def.types = types;
    def.allocator = allocator;
    def.library = library;
    def.finish_once = once;
    def.share_strings = once;
    return kiln_builder_create(&def, &builder) == KILN_OK ? builder : NULL;
}

/* Chains of items with repeated strings and unsorted entries. */
static void build_item(kiln_builder *builder, kiln_ptr *field, unsigned seed)
{
    static const char *const texts[] = {"bolt", "plate", "a rather long text of some use", "x"};
    for (unsigned i = 0; i <= seed % 3; i++) {
        item *at = kiln_builder_pointer(builder, field, sizeof *at, 4);
        if (!at)
            return;
        const char *text = texts[(seed + i) % 4];
        at->number = seed / 2;
        kiln_builder_string(builder, &at->name, text, strlen(text));
        tag *tags = kiln_builder_array(builder, &at->tags, 2, sizeof *tags, 4);
        if (!tags)
            return;
        kiln_builder_string(builder, &tags[0].key, "z", 1);
        kiln_builder_string(builder, &tags[0].value, text, strlen(text));
        kiln_builder_string(builder, &tags[1].key, "b", 1);
        field = &at->next;
    }
}

static void *begin_all(kiln_builder *builder)
{
    void *root = kiln_builder_root(builder, sizeof(kiln_array), 4);
    return root ? kiln_builder_array(builder, root, ITEMS, sizeof(kiln_ptr), 4) : NULL;
}

static kiln_buffer end(kiln_builder *builder, bool canonical)
{
    kiln_buffer blob = {0};
    kiln_error error = {KILN_OK, 0, 0, ""};
    kiln_builder_finish(builder, I_ALL, canonical ? KILN_FLAG_CANONICAL : 0, &blob, &error);
    assert_error(&error, KILN_OK, 0, "");
    return blob;
}

/* The fields that refer to the items of the library. */
static kiln_ptr kept[64];

static kiln_builder *new_library(void)
{
    kiln_builder *library = begin(NULL, NULL, false);
    memset(kept, 0, sizeof kept);
    for (unsigned i = 0; i < 64; i++)
        build_item(library, &kept[i], i);
    return library;
}

/* Blobs of six items. `mask` selects those from the library. */
static void a_blob_is_the_same_whoever_built_its_parts(void **state)
{
    (void)state;
    kiln_builder *library = new_library();
    for (int once = 0; once < 2; once++) {
        kiln_builder *builder = begin(library, NULL, once), *alone = begin(NULL, NULL, once);
        for (unsigned round = 0; round < 640; round++) {
            kiln_ptr *shared = begin_all(builder), *own = begin_all(alone);
            for (unsigned i = 0; i < ITEMS; i++) {
                unsigned seed = (round * 7 + i * (round % 5)) % 64;
                build_item(alone, &own[i], seed);
                if (round >> i & 1)
                    assert_true(kiln_builder_share(builder, &shared[i], &kept[seed]));
                else
                    build_item(builder, &shared[i], seed);
            }
            kiln_buffer blob = end(builder, true), expected = end(alone, true);
            assert_same_bytes(&expected, &blob);
            kiln_buffer_fini(&blob);
            kiln_buffer_fini(&expected);
            kiln_builder_reset(builder);
            kiln_builder_reset(alone);
        }
        kiln_builder_destroy(builder);
        kiln_builder_destroy(alone);
    }
    kiln_builder_destroy(library);
}

static void objects_shared_twice_are_one_object_even_if_not_canonical(void **state)
{
    (void)state;
    kiln_builder *library = new_library(), *builder = begin(library, NULL, false);
    kiln_buffer blobs[2];
    for (int twice = 0; twice < 2; twice++) {
        kiln_ptr *items = begin_all(builder);
        kiln_builder_share(builder, &items[0], &kept[5]);
        if (twice)
            kiln_builder_share(builder, &items[1], &items[0]);
        blobs[twice] = end(builder, false);
        kiln_builder_reset(builder);
    }
    assert_int_equal(blobs[0].size, blobs[1].size);
    kiln_buffer_fini(&blobs[0]);
    kiln_buffer_fini(&blobs[1]);
    kiln_builder_destroy(builder);
    kiln_builder_destroy(library);
}

/* Finishing sets the `note` of the library's objects, and clears it even if it fails. */
static void a_failed_finish_leaves_the_library_as_it_was(void **state)
{
    (void)state;
    kiln_builder *library = new_library(), *builder = begin(library, NULL, true);
    kiln_buffer blob = {0};
    kiln_error error = {KILN_OK, 0, 0, ""};
    kiln_ptr *items = begin_all(builder), copy;
    kiln_builder_share(builder, &items[2], &kept[9]);
    kiln_builder_share(builder, &items[1], &kept[4]);
    memcpy(&copy, &items[2], sizeof copy);
    memcpy(&items[0], &copy, sizeof copy);
    kiln_builder_finish(builder, I_ALL, KILN_FLAG_CANONICAL, &blob, &error);
    assert_error(&error, KILN_COPIED_FIELD, 0, "items[0]");
    kiln_builder *alone = begin(NULL, NULL, true);
    items = begin_all(builder);
    kiln_ptr *own = begin_all(alone);
    kiln_builder_share(builder, &items[3], &kept[9]);
    build_item(alone, &own[3], 9);
    kiln_buffer expected = end(alone, true);
    blob = end(builder, true);
    assert_same_bytes(&expected, &blob);
    kiln_buffer_fini(&blob);
    kiln_buffer_fini(&expected);
    kiln_builder_destroy(alone);
    kiln_builder_destroy(builder);
    kiln_builder_destroy(library);
}

static void a_library_grows_while_others_share_from_it(void **state)
{
    (void)state;
    kiln_builder *library = begin(NULL, NULL, false), *builder = begin(library, NULL, false);
    kiln_builder *alone = begin(NULL, NULL, false);
    memset(kept, 0, sizeof kept);
    kiln_ptr *items = begin_all(builder), *own = begin_all(alone);
    for (unsigned i = 0; i < ITEMS; i++) {
        build_item(library, &kept[i], i);
        kiln_builder_share(builder, &items[i], &kept[i]);
        build_item(alone, &own[i], i);
    }
    kiln_buffer expected = end(alone, true), blob = end(builder, true), again = end(builder, true);
    assert_same_bytes(&expected, &blob);
    assert_same_bytes(&expected, &again);
    kiln_buffer_fini(&blob);
    kiln_buffer_fini(&again);
    kiln_buffer_fini(&expected);
    kiln_builder_destroy(alone);
    kiln_builder_destroy(builder);
    kiln_builder_destroy(library);
}

static void a_field_of_neither_builder_is_refused(void **state)
{
    (void)state;
    kiln_builder *library = new_library(), *stranger = begin(NULL, NULL, false);
    kiln_builder *builder = begin(library, NULL, false);
    kiln_ptr strange = {0}, *items = begin_all(builder);
    build_item(stranger, &strange, 1);
    assert_false(kiln_builder_share(builder, &items[0], &strange));
    assert_int_equal(KILN_COPIED_FIELD, kiln_builder_status(builder));
    kiln_builder_destroy(stranger);
    kiln_builder_destroy(builder);
    kiln_builder_destroy(library);
}

static kiln_builder *library_at_hand;

static kiln_status share_and_finish(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_buffer blob = {0};
    kiln_builder *builder = begin(library_at_hand, allocator, false);
    kiln_ptr *items = builder ? begin_all(builder) : NULL;
    kiln_status status = KILN_NO_MEMORY;
    for (unsigned i = 0; items && i < ITEMS; i++)
        kiln_builder_share(builder, &items[i], &kept[i * 5]);
    if (builder)
        status = kiln_builder_finish(builder, I_ALL, KILN_FLAG_CANONICAL, &blob, reterr);
    else
        kiln_fail(reterr, status, 0, NULL);
    kiln_builder_destroy(builder);
    kiln_buffer_fini(&blob);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    library_at_hand = new_library();
    assert_true(check_each_failure(share_and_finish) > 5);
    kiln_builder_destroy(library_at_hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blob_is_the_same_whoever_built_its_parts),
        cmocka_unit_test(objects_shared_twice_are_one_object_even_if_not_canonical),
        cmocka_unit_test(a_failed_finish_leaves_the_library_as_it_was),
        cmocka_unit_test(a_library_grows_while_others_share_from_it),
        cmocka_unit_test(a_field_of_neither_builder_is_refused),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("library", tests, set_up, tear_down);
}
