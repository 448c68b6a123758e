/* Values at any location, copied into a builder. */
#include "failing_memory.h"
#include "random_value.h"
#include "type_macros.h"
#include "verdict.h"

#include <kiln/builder.h>
#include <string.h>

static kiln_builder *begin(const kiln_types *types, const kiln_allocator *allocator)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    def.types = types;
    def.allocator = allocator;
    return kiln_builder_create(&def, &builder) == KILN_OK ? builder : NULL;
}

static kiln_buffer end(kiln_builder *builder, uint32_t type, bool canonical)
{
    kiln_buffer blob = {0};
    kiln_error error = {KILN_OK, 0, 0, ""};
    kiln_builder_finish(builder, type, canonical ? KILN_FLAG_CANONICAL : 0, &blob, &error);
    assert_error(&error, KILN_OK, 0, "");
    kiln_builder_destroy(builder);
    return blob;
}

static const unsigned char *root_of(const kiln_buffer *blob)
{
    kiln_blob_header header;
    assert_int_equal(KILN_OK, kiln_header_read(blob->data, blob->size, &header, NULL));
    return blob->data + blob->size - header.payload_size;
}

/* Returns a builder with a copy of the blob's root; NULL if memory ran out. */
static kiln_builder *copied(const kiln_types *types, uint32_t type, const kiln_buffer *blob,
                            const kiln_allocator *allocator)
{
    kiln_builder *builder = begin(types, allocator);
    const kiln_type *of = kiln_types_get(types, type);
    void *root = builder ? kiln_builder_root(builder, of->size, of->align) : NULL;
    if (root)
        kiln_builder_copy(builder, type, root_of(blob), root);
    return builder;
}

static const uint32_t roots[] = {
    T_ALL, T_NODE, T_ITEM, T_ONE_MAP_STRING_U32, T_NODE_AND_ARRAY, T_ARRAY_AND_ALIGNED};
enum { ROOTS = sizeof roots / sizeof *roots, SEEDS = 60 };

static kiln_buffer built(uint32_t type, uint64_t seed, bool canonical)
{
    kiln_builder *builder = begin(verdict_types, NULL);
    random_value_build(builder, verdict_types, type, seed, (unsigned)(seed % RANDOM_ORDERS));
    return end(builder, type, canonical);
}

static void a_copy_equals_the_value(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS * ROOTS; seed++) {
        uint32_t type = roots[seed % ROOTS];
        kiln_buffer canonical = built(type, seed, true), plain = built(type, seed, false);
        for (int i = 0; i < 2; i++) {
            kiln_builder *builder = copied(verdict_types, type, i ? &plain : &canonical, NULL);
            kiln_buffer again = end(builder, type, true);
            assert_same_bytes(&canonical, &again);
            kiln_buffer_fini(&again);
        }
        kiln_buffer_fini(&canonical);
        kiln_buffer_fini(&plain);
    }
}

/* ---- nodes with two children ---- */

typedef struct node {
    kiln_ptr left, right;
    kiln_array more;
} node;

enum { N_NODE, N_OPTIONAL, N_ARRAY, N_COUNT };

static kiln_types *node_types(void)
{
    static const kiln_member members[] = {FIELD("left", N_OPTIONAL), FIELD("right", N_OPTIONAL),
                                          FIELD("more", N_ARRAY)};
    kiln_type list[N_COUNT] = {
        STRUCT("Node", members),
        {.kind = KILN_KIND_OPTIONAL, .element = N_NODE},
        {.kind = KILN_KIND_ARRAY, .element = N_NODE},
    };
    kiln_types *types = NULL;
    list[0].flags = KILN_TYPE_ASSET;
    assert_int_equal(KILN_OK, kiln_types_create(NULL, list, N_COUNT, &types, NULL));
    return types;
}

static void shared_objects_stay_shared(void **state)
{
    (void)state;
    enum { DEPTH = 100 };
    kiln_types *types = node_types();
    kiln_builder *builder = begin(types, NULL);
    node *at = kiln_builder_root(builder, sizeof *at, 4);
    for (int i = 1; i < DEPTH; i++) {
        node *next;
        if (i % 2) {
            next = kiln_builder_pointer(builder, &at->left, sizeof *next, 4);
            kiln_builder_share(builder, &at->right, &at->left);
        } else {
            next = kiln_builder_array(builder, &at->more, 2, sizeof *next, 4);
            kiln_builder_share(builder, &next[1].left, &next[0].left);
        }
        at = next;
    }
    kiln_buffer blob = end(builder, N_NODE, false);
    kiln_buffer copy = end(copied(types, N_NODE, &blob, NULL), N_NODE, false);
    assert_int_equal(blob.size, copy.size);
    kiln_buffer_fini(&blob);
    kiln_buffer_fini(&copy);
    kiln_types_destroy(types);
}

static void earlier_copies_are_shared(void **state)
{
    (void)state;
    kiln_types *types = node_types();
    node from[2] = {{{sizeof(node)}, {0}, {0, 0}}, {{0}, {0}, {0, 0}}};
    size_t sizes[3];
    for (uint32_t count = 1; count <= 3; count++) {
        kiln_builder *builder = begin(types, NULL);
        node *root = kiln_builder_root(builder, sizeof *root, 4);
        node *list = kiln_builder_array(builder, &root->more, 3, sizeof *list, 4);
        for (uint32_t i = 0; i < count; i++)
            assert_true(kiln_builder_copy(builder, N_NODE, &from[0], &list[i]));
        assert_int_equal(list[0].left.offset != 0, true);
        kiln_buffer blob = end(builder, N_NODE, false);
        sizes[count - 1] = blob.size;
        kiln_buffer_fini(&blob);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_int_equal(sizes[0], sizes[2]);
    kiln_types_destroy(types);
}

static void a_reset_builder_forgets_its_copies(void **state)
{
    (void)state;
    kiln_types *types = node_types();
    node from[2] = {{{sizeof(node)}, {0}, {0, 0}}, {{0}, {0}, {0, 0}}};
    kiln_builder *builder = begin(types, NULL);
    for (int i = 0; i < 3; i++) {
        kiln_buffer blob = {0};
        node *root = kiln_builder_root(builder, sizeof *root, 4);
        assert_true(kiln_builder_copy(builder, N_NODE, &from[0], root));
        assert_int_equal(KILN_OK, kiln_builder_finish(builder, N_NODE, 0, &blob, NULL));
        assert_int_equal(root->left.offset != 0, true);
        kiln_buffer_fini(&blob);
        kiln_builder_reset(builder);
    }
    kiln_builder_destroy(builder);
    kiln_types_destroy(types);
}

static void values_nested_too_deeply_are_refused(void **state)
{
    (void)state;
    enum { MOST = 2 * KILN_DEPTH_MAX };
    static node nodes[MOST];
    kiln_types *types = node_types();
    for (int depth = KILN_DEPTH_MAX - 2; depth <= MOST; depth++) {
        memset(nodes, 0, sizeof nodes);
        for (int i = 0; i + 1 < depth; i++)
            nodes[i].left.offset = sizeof(node);
        kiln_builder *builder = begin(types, NULL);
        node *root = kiln_builder_root(builder, sizeof *root, 4);
        bool is_copied = kiln_builder_copy(builder, N_NODE, &nodes[0], root);
        assert_int_equal(depth <= KILN_DEPTH_MAX, is_copied);
        assert_int_equal(is_copied ? KILN_OK : KILN_V_DEPTH, kiln_builder_status(builder));
        kiln_builder_destroy(builder);
    }
    kiln_types_destroy(types);
}

static void an_invalid_type_number_is_refused(void **state)
{
    (void)state;
    kiln_types *types = node_types();
    kiln_builder *builder = begin(types, NULL);
    node from = {{0}, {0}, {0, 0}};
    node *root = kiln_builder_root(builder, sizeof *root, 4);
    assert_false(kiln_builder_copy(builder, N_COUNT, &from, root));
    assert_int_equal(KILN_BAD_ARGUMENT, kiln_builder_status(builder));
    assert_false(kiln_builder_copy(builder, N_NODE, &from, root));
    kiln_builder_destroy(builder);
    kiln_types_destroy(types);
}

static kiln_buffer value_to_copy;

static kiln_status copy_and_finish(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_buffer blob = {0};
    kiln_builder *builder = copied(verdict_types, T_ALL, &value_to_copy, allocator);
    kiln_status status = KILN_NO_MEMORY;
    if (builder)
        status = kiln_builder_finish(builder, T_ALL, 0, &blob, reterr);
    else
        kiln_fail(reterr, status, 0, NULL);
    kiln_builder_destroy(builder);
    kiln_buffer_fini(&blob);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    value_to_copy = built(T_ALL, 3, false);
    assert_true(check_each_failure(copy_and_finish) > 5);
    kiln_buffer_fini(&value_to_copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_equals_the_value),
        cmocka_unit_test(shared_objects_stay_shared),
        cmocka_unit_test(earlier_copies_are_shared),
        cmocka_unit_test(a_reset_builder_forgets_its_copies),
        cmocka_unit_test(values_nested_too_deeply_are_refused),
        cmocka_unit_test(an_invalid_type_number_is_refused),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("copies", tests, verdict_set_up, verdict_tear_down);
}
