/* Conversions that increase the nesting of values, up to the limit and beyond. */
#include "blob_patch.h"
#include "convert_pair.h"
#include "type_macros.h"
#include "verdict.h"

#include <kiln/verify.h>
#include <string.h>

/* Converts a valid payload of the struct `node` to a newer layout, which has the fields `newer`.
 * The number of fields stays the same. */
static kiln_status convert_node(kiln_type *list, uint32_t count, uint32_t node,
                                const kiln_member *newer, const void *payload, size_t size,
                                kiln_error *reterr)
{
    pair p = {0};
    kiln_buffer made = {0};
    assert_int_equal(kiln_types_create(NULL, list, count, &p.older, NULL), KILN_OK);
    list[node].members = newer;
    assert_int_equal(kiln_types_create(NULL, list, count, &p.newer, NULL), KILN_OK);
    kiln_conversion_def def = kiln_conversion_def_default();
    def.from = p.older;
    def.to = p.newer;
    def.from_type = node;
    def.to_type = node;
    assert_int_equal(kiln_conversion_create(&def, &p.conversion, NULL), KILN_OK);
    patched blob = patched_blob(p.older, node, 4, payload, size);
    kiln_verify_def verify = kiln_verify_def_default();
    verify.types = p.older;
    verify.type = node;
    assert_int_equal(kiln_verify(&verify, blob.data, blob.size, NULL), KILN_OK);
    kiln_status status =
        kiln_conversion_run(p.conversion, (kiln_span){blob.data, blob.size}, NULL, &made, reterr);
    verify.types = p.newer;
    if (!status)
        assert_int_equal(kiln_verify(&verify, made.data, made.size, NULL), KILN_OK);
    kiln_buffer_fini(&made);
    patched_fini(&blob);
    pair_close(&p);
    return status;
}

/* A chain of `count` nodes. In the newer layout each node's number is a separate object. */
static kiln_status convert_chain(uint32_t count, kiln_error *reterr)
{
    enum { NUMBER, NODE, NODE_OPTIONAL, NUMBER_OPTIONAL, COUNT };
    const kiln_member older[] = {FIELD("next", NODE_OPTIONAL), FIELD("n", NUMBER)};
    const kiln_member newer[] = {FIELD("next", NODE_OPTIONAL), FIELD("n", NUMBER_OPTIONAL)};
    kiln_type list[COUNT] = {[NUMBER] = {.kind = KILN_KIND_U32},
                             [NODE] = STRUCT("r.Node", older),
                             [NODE_OPTIONAL] = {.kind = KILN_KIND_OPTIONAL, .element = NODE},
                             [NUMBER_OPTIONAL] = {.kind = KILN_KIND_OPTIONAL, .element = NUMBER}};
    uint32_t payload[2 * KILN_DEPTH_MAX];
    for (uint32_t i = 0; i < count; i++) {
        payload[2 * i] = i + 1 < count ? 8 : 0;
        payload[2 * i + 1] = i;
    }
    return convert_node(list, COUNT, NODE, newer, payload, (size_t)count * 8, reterr);
}

static void value_that_would_nest_too_deeply_is_refused(void **state)
{
    kiln_error error = {KILN_OK, 0, 0, ""};
    (void)state;
    assert_int_equal(convert_chain(KILN_DEPTH_MAX - 1, NULL), KILN_OK);
    assert_int_equal(convert_chain(KILN_DEPTH_MAX, &error), KILN_TOO_LARGE);
    assert_int_equal(error.offset, 32 + 8 * (KILN_DEPTH_MAX - 1) + 4);
    assert_string_equal(error.path + strlen(error.path) - 7, ".next.n");
}

/* A chain of `count` nodes. The last node has a list with one string. In the newer layout each
 * node's list is inside another object. */
static kiln_status convert_chain_with_text(uint32_t count, kiln_error *reterr)
{
    enum { TEXT, TEXTS, INNER, NODE, NODE_OPTIONAL, INNER_OPTIONAL, COUNT };
    const kiln_member inner[] = {FIELD("list", TEXTS)};
    const kiln_member older[] = {FIELD("next", NODE_OPTIONAL), FIELD("n", INNER)};
    const kiln_member newer[] = {FIELD("next", NODE_OPTIONAL), FIELD("n", INNER_OPTIONAL)};
    kiln_type list[COUNT] = {[TEXT] = {.kind = KILN_KIND_STRING},
                             [TEXTS] = {.kind = KILN_KIND_ARRAY, .element = TEXT},
                             [INNER] = STRUCT("r.Inner", inner),
                             [NODE] = STRUCT("r.Node", older),
                             [NODE_OPTIONAL] = {.kind = KILN_KIND_OPTIONAL, .element = NODE},
                             [INNER_OPTIONAL] = {.kind = KILN_KIND_OPTIONAL, .element = INNER}};
    uint32_t payload[3 * KILN_DEPTH_MAX + 3] = {0};
    for (uint32_t i = 0; i + 1 < count; i++)
        payload[3 * i] = 12;
    uint32_t *last = &payload[3 * (count - 1)];
    last[1] = 8;
    last[2] = 1;
    last[3] = 8;
    last[4] = 1;
    memcpy(&last[5], "x", 2);
    return convert_node(list, COUNT, NODE, newer, payload, (size_t)count * 12 + 10, reterr);
}

static void text_in_a_list_that_would_nest_too_deeply_is_refused(void **state)
{
    kiln_error error = {KILN_OK, 0, 0, ""};
    (void)state;
    assert_int_equal(convert_chain_with_text(KILN_DEPTH_MAX - 3, NULL), KILN_OK);
    assert_int_equal(convert_chain_with_text(KILN_DEPTH_MAX - 2, &error), KILN_TOO_LARGE);
    assert_int_equal(error.offset, 32 + 12 * (KILN_DEPTH_MAX - 2));
    assert_string_equal(error.path + strlen(error.path) - 10, ".n.list[0]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(value_that_would_nest_too_deeply_is_refused),
        cmocka_unit_test(text_in_a_list_that_would_nest_too_deeply_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
