/* Canonical form as a promise: each value has exactly one blob, however it is built.
 * test_rules_canonical.c tests the positions of objects byte by byte. */
#include "random_value.h"
#include "verdict.h"

#include <kiln/builder.h>
#include <kiln/canonical.h>
#include <kiln/verify.h>
#include <string.h>

enum { SEEDS = 60 };
static const uint32_t roots[] = {
    T_ALL, T_NODE, T_ITEM, T_ONE_MAP_STRING_U32, T_NODE_AND_ARRAY, T_ARRAY_AND_ALIGNED};
enum { ROOTS = sizeof roots / sizeof *roots };

/* How a builder is created, in addition to RANDOM_ORDERS, which determine how it is called. */
enum { SHARE_STRINGS = 1, FINISH_ONCE = 2, WAYS = 4 };

static kiln_buffer built_by(uint32_t type, uint64_t seed, unsigned order, unsigned way,
                            bool canonical)
{
    kiln_builder_def def = kiln_builder_def_default();
    def.share_strings = way & SHARE_STRINGS;
    def.finish_once = way & FINISH_ONCE;
    def.types = verdict_types;
    def.block_size = 512;
    kiln_builder *builder = NULL;
    kiln_buffer blob = {0};
    kiln_error error = {KILN_OK, 0, 0, ""};
    assert_int_equal(kiln_builder_create(&def, &builder), KILN_OK);
    random_value_build(builder, verdict_types, type, seed, order);
    assert_int_equal(kiln_builder_status(builder), KILN_OK);
    kiln_builder_finish(builder, type, canonical ? KILN_FLAG_CANONICAL : 0, &blob, &error);
    assert_error(&error, KILN_OK, 0, "");
    kiln_builder_destroy(builder);
    return blob;
}

static kiln_buffer built(uint32_t type, uint64_t seed, unsigned order, bool canonical)
{
    return built_by(type, seed, order, 0, canonical);
}

static void every_blob_of_the_builder_is_valid(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        for (unsigned canonical = 0; canonical <= 1; canonical++) {
            kiln_buffer blob = built(roots[seed % ROOTS], seed, 0, canonical);
            assert_int_equal(!!(blob.data[6] & KILN_FLAG_CANONICAL), canonical);
            assert_blob_accepted(blob.data, blob.size, roots[seed % ROOTS]);
            kiln_buffer_fini(&blob);
        }
    }
}

static void order_of_building_does_not_change_the_bytes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        kiln_buffer first = built(roots[seed % ROOTS], seed, 0, true);
        for (unsigned order = 1; order < RANDOM_ORDERS; order++) {
            kiln_buffer blob = built(roots[seed % ROOTS], seed, order, true);
            assert_same_bytes(&first, &blob);
            kiln_buffer_fini(&blob);
        }
        kiln_buffer_fini(&first);
    }
}

static void builder_options_do_not_change_the_bytes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint32_t type = roots[seed % ROOTS];
        unsigned order = (unsigned)(seed % RANDOM_ORDERS);
        kiln_buffer expected = built(type, seed, 0, true), plain = built(type, seed, order, false);
        for (unsigned way = 1; way < WAYS; way++) {
            kiln_buffer blob = built_by(type, seed, order, way, true);
            assert_same_bytes(&expected, &blob);
            kiln_buffer_fini(&blob);
        }
        kiln_buffer again = built_by(type, seed, order, FINISH_ONCE, false);
        assert_same_bytes(&plain, &again);
        kiln_buffer_fini(&again);
        kiln_buffer_fini(&plain);
        kiln_buffer_fini(&expected);
    }
}

static void canonicalizing_gives_the_same_bytes_as_the_builder(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint32_t type = roots[seed % ROOTS];
        kiln_buffer expected = built(type, seed, 0, true), rewritten;
        for (unsigned order = 0; order < RANDOM_ORDERS; order += 5) {
            kiln_buffer plain = built(type, seed, order, false);
            assert_int_equal(
                kiln_canonicalize(&(kiln_canonical_args){.types = verdict_types,
                                                         .type = type,
                                                         .blob = {plain.data, plain.size},
                                                         .allocator = NULL},
                                  &rewritten, NULL),
                KILN_OK);
            assert_same_bytes(&expected, &rewritten);
            kiln_buffer_fini(&rewritten);
            kiln_buffer_fini(&plain);
        }
        kiln_buffer_fini(&expected);
    }
}

static void canonicalizing_twice_changes_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint32_t type = roots[seed % ROOTS];
        kiln_buffer once = built(type, seed, 0, true), twice;
        assert_int_equal(kiln_canonicalize(&(kiln_canonical_args){.types = verdict_types,
                                                                  .type = type,
                                                                  .blob = {once.data, once.size},
                                                                  .allocator = NULL},
                                           &twice, NULL),
                         KILN_OK);
        assert_same_bytes(&once, &twice);
        assert_int_equal(
            kiln_canonical_check(&(kiln_canonical_args){.types = verdict_types,
                                                        .type = type,
                                                        .blob = {twice.data, twice.size},
                                                        .allocator = NULL},
                                 NULL),
            KILN_OK);
        kiln_buffer_fini(&once);
        kiln_buffer_fini(&twice);
    }
}

/* Blobs in the documented order, in which equal objects are often stored twice and NaNs are often
 * not canonical. */
static void the_check_agrees_with_rewriting_and_comparing(void **state)
{
    (void)state;
    int canonical = 0, others = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint32_t type = roots[seed % ROOTS];
        for (unsigned order = 0; order < RANDOM_ORDERS; order += 3) {
            kiln_buffer blob = built(type, seed, order, false), rewritten;
            blob.data[6] |= KILN_FLAG_CANONICAL;
            patched_rehash(blob.data);
            assert_int_equal(
                kiln_canonicalize(&(kiln_canonical_args){.types = verdict_types,
                                                         .type = type,
                                                         .blob = {blob.data, blob.size},
                                                         .allocator = NULL},
                                  &rewritten, NULL),
                KILN_OK);
            bool same =
                rewritten.size == blob.size && memcmp(rewritten.data, blob.data, blob.size) == 0;
            kiln_error error = {KILN_OK, 0, 0, ""};
            assert_int_equal(
                kiln_canonical_check(&(kiln_canonical_args){.types = verdict_types,
                                                            .type = type,
                                                            .blob = {blob.data, blob.size},
                                                            .allocator = NULL},
                                     &error),
                same ? KILN_OK : KILN_C_CANONICAL);
            *(same ? &canonical : &others) += 1;
            kiln_buffer_fini(&rewritten);
            kiln_buffer_fini(&blob);
        }
    }
    assert_true(canonical > 20);
    assert_true(others > 20);
}

static void kind_of_blob_is_kept(void **state)
{
    (void)state;
    kiln_buffer blob = built(T_ITEM, 1, 0, true), again;
    kiln_blob_header header;
    assert_int_equal(kiln_header_read(blob.data, blob.size, &header, NULL), KILN_OK);
    kiln_header_write(blob.data, 4 | kiln_kind_flags(KILN_BLOB_DICTIONARY), header.payload_size,
                      header.layout);
    assert_int_equal(kiln_canonicalize(&(kiln_canonical_args){.types = verdict_types,
                                                              .type = T_ITEM,
                                                              .blob = {blob.data, blob.size},
                                                              .allocator = NULL},
                                       &again, NULL),
                     KILN_OK);
    assert_int_equal(kiln_header_read(again.data, again.size, &header, NULL), KILN_OK);
    assert_int_equal(kiln_header_kind(&header), KILN_BLOB_DICTIONARY);
    assert_int_equal(header.flags & KILN_FLAG_CANONICAL, KILN_FLAG_CANONICAL);
    kiln_buffer_fini(&blob);
    kiln_buffer_fini(&again);
}

/* A full binary tree with DEPTH levels below the root, the nodes of a level all equal: sharing
 * leaves one array of two nodes per level. */
static void equal_subtrees_become_one(void **state)
{
    (void)state;
    enum { DEPTH = 12 };
    kiln_builder_def def = kiln_builder_def_default();
    def.types = verdict_types;
    kiln_builder *builder = NULL;
    assert_int_equal(kiln_builder_create(&def, &builder), KILN_OK);
    typedef struct node {
        uint32_t id;
        kiln_array children;
        kiln_ptr next;
    } node;
    static node *level[1 << DEPTH];
    level[0] = kiln_builder_root(builder, sizeof(node), 4);
    for (uint32_t depth = 0, count = 1; depth < DEPTH; depth++, count *= 2) {
        for (uint32_t i = count; i-- > 0;) {
            node *children = kiln_builder_array(builder, &level[i]->children, 2, sizeof(node), 4);
            assert_non_null(children);
            children[0].id = children[1].id = depth;
            if (depth + 1 < DEPTH) {
                level[2 * i] = &children[0];
                level[2 * i + 1] = &children[1];
            }
        }
    }
    kiln_buffer blob;
    assert_int_equal(kiln_builder_finish(builder, T_NODE, KILN_FLAG_CANONICAL, &blob, NULL),
                     KILN_OK);
    assert_int_equal(blob.size, 32 + 16 + DEPTH * 32);
    assert_blob_accepted(blob.data, blob.size, T_NODE);
    kiln_buffer_fini(&blob);
    kiln_builder_destroy(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_blob_of_the_builder_is_valid),
        cmocka_unit_test(order_of_building_does_not_change_the_bytes),
        cmocka_unit_test(builder_options_do_not_change_the_bytes),
        cmocka_unit_test(canonicalizing_gives_the_same_bytes_as_the_builder),
        cmocka_unit_test(canonicalizing_twice_changes_nothing),
        cmocka_unit_test(the_check_agrees_with_rewriting_and_comparing),
        cmocka_unit_test(kind_of_blob_is_kept),
        cmocka_unit_test(equal_subtrees_become_one),
    };
    return cmocka_run_group_tests_name("canonical form", tests, verdict_set_up, verdict_tear_down);
}
