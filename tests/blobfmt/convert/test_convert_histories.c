/* Random types change randomly, and random values of them are converted to the new types. Every
 * result must be valid and agree with the simple model. */
#include "blob_patch.h"
#include "convert_model.h"
#include "counting_allocator.h"
#include "random_types.h"
#include "random_value.h"
#include "type_editor.h"
#include "verdict.h"

#include <kiln/builder.h>
#include <kiln/canonical.h>
#include <kiln/convert.h>
#include <kiln/verify.h>
#include <stdlib.h>
#include <string.h>

enum { HISTORIES = 1500, VALUES = 3 };

typedef struct history {
    uint64_t seed;
    kiln_types *older, *newer;
    uint32_t root;
    kiln_conversion *conversion;
    kiln_buffer blob, made;
    uint32_t converted, refused, same;
} history;

static void assert_fine(const history *h, const kiln_error *error)
{
    if (error->status)
        print_error("history %llu: %s at %llu, %s\n", (unsigned long long)h->seed,
                    kiln_status_name(error->status), (unsigned long long)error->offset,
                    error->path);
    assert_int_equal(error->status, KILN_OK);
}

static void assert_becomes(const history *h, const kiln_value *older, const kiln_value *newer)
{
    model_verdict verdict = convert_model(older, newer);
    if (verdict != MODEL_EQUAL)
        print_error("history %llu\n", (unsigned long long)h->seed);
    assert_int_equal(verdict, MODEL_EQUAL);
}

static kiln_value payload_root(const kiln_types *types, uint32_t type, const kiln_buffer *blob)
{
    kiln_blob_header header;
    kiln_value root;
    assert_int_equal(kiln_header_read(blob->data, blob->size, &header, NULL), KILN_OK);
    const unsigned char *payload = blob->data + kiln_header_payload_at(&header);
    assert_int_equal(kiln_value_root(types, type, payload, (size_t)header.payload_size, &root),
                     KILN_OK);
    return root;
}

/* Returns false for the few invalid values, in which a key occurs twice. */
static bool build(history *h, uint64_t seed)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    def.types = h->older;
    assert_int_equal(kiln_builder_create(&def, &builder), KILN_OK);
    random_value_build(builder, h->older, h->root, seed, (unsigned)seed % RANDOM_ORDERS);
    kiln_status status = kiln_builder_finish(
        builder, h->root, seed % 3 != 0 ? KILN_FLAG_CANONICAL : 0, &h->blob, NULL);
    kiln_builder_destroy(builder);
    assert_true(status == KILN_OK || status == KILN_V_MAP_ORDER);
    return status == KILN_OK;
}

static void verify(const history *h, const kiln_types *types, uint32_t type,
                   const kiln_buffer *blob)
{
    kiln_verify_def def = kiln_verify_def_default();
    kiln_error error = {KILN_OK, 0, 0, ""};
    def.types = types;
    def.type = type;
    (void)kiln_verify(&def, blob->data, blob->size, &error);
    assert_fine(h, &error);
}

/* Equal layouts make the old bytes a valid value of the newer type. */
static void check_in_place(history *h)
{
    kiln_value older = payload_root(h->older, h->root, &h->blob);
    kiln_value newer = payload_root(h->newer, h->root, &h->blob);
    assert_int_equal(kiln_verify_image(h->newer, h->root,
                                       (kiln_span){newer.begin, (size_t)(newer.end - newer.begin)},
                                       NULL, NULL),
                     KILN_OK);
    assert_becomes(h, &older, &newer);
    h->same++;
}

static void check_value(history *h, uint64_t seed)
{
    kiln_error error = {KILN_OK, 0, 0, ""};
    if (!build(h, seed))
        return;
    kiln_status status = kiln_conversion_run(h->conversion, (kiln_span){h->blob.data, h->blob.size},
                                             NULL, &h->made, &error);
    if (status == KILN_UNREADABLE_VALUE) {
        assert_true(kiln_conversion_may_refuse(h->conversion));
        assert_in_range(error.offset, 32, h->blob.size - 1);
        assert_true(error.path[0] != 0);
        h->refused++;
    } else {
        assert_fine(h, &error);
        verify(h, h->newer, h->root, &h->made);
        kiln_value older = payload_root(h->older, h->root, &h->blob);
        kiln_value newer = payload_root(h->newer, h->root, &h->made);
        assert_becomes(h, &older, &newer);
        h->converted++;
    }
    if (kiln_conversion_need(h->conversion) == KILN_CONVERT_SAME)
        check_in_place(h);
    kiln_buffer_fini(&h->made);
    kiln_buffer_fini(&h->blob);
}

static void check_history(history *h, unsigned edits, bool removals)
{
    kiln_conversion_def def = kiln_conversion_def_default();
    kiln_error error = {KILN_OK, 0, 0, ""};
    h->older = random_types_create(h->seed);
    h->root = kiln_types_count(h->older) - 1;
    h->newer = type_editor_edit(h->older, h->seed, edits, removals);
    def.from = h->older;
    def.to = h->newer;
    def.from_type = def.to_type = h->root;
    (void)kiln_conversion_create(&def, &h->conversion, &error);
    assert_fine(h, &error);
    if (kiln_types_get(h->older, h->root)->layout == kiln_types_get(h->newer, h->root)->layout)
        assert_int_equal(kiln_conversion_need(h->conversion), KILN_CONVERT_SAME);
    for (uint64_t v = 0; v < VALUES; v++)
        check_value(h, h->seed * VALUES + v);
    kiln_conversion_destroy(h->conversion);
    kiln_types_destroy(h->older);
    kiln_types_destroy(h->newer);
}

static void random_values_survive_random_edits(void **state)
{
    history h = {0};
    (void)state;
    for (h.seed = 0; h.seed < HISTORIES; h.seed++)
        check_history(&h, 1 + (unsigned)(h.seed % 24), h.seed % 4 == 0);
    print_message("%u converted, %u refused, %u in place\n", h.converted, h.refused, h.same);
    assert_true(h.converted > HISTORIES * VALUES / 2);
    assert_true(h.refused > HISTORIES / 100);
    assert_true(h.same > HISTORIES / 100);
}

static void types_that_did_not_change_are_read_in_place(void **state)
{
    history h = {0};
    (void)state;
    for (h.seed = 5000; h.seed < 5100; h.seed++)
        check_history(&h, 0, false);
    assert_int_equal(h.same, 100 * VALUES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_values_survive_random_edits),
        cmocka_unit_test(types_that_did_not_change_are_read_in_place),
    };
    return cmocka_run_group_tests_name("convert_histories", tests, verdict_set_up,
                                       verdict_tear_down);
}
