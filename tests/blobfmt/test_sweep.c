/* The quick way to verify (sweep.h): it accepts what a writer of canonical form makes, and never
 * what the general verifier refuses. */
#include "random_value.h"
#include "sweep.h"
#include "verdict.h"

#include <kiln/builder.h>
#include <string.h>

enum { SEEDS = 40, MUTATIONS = 300 };

/* Types that lead to themselves: what is shared among them is left to the general verifier. */
static bool is_recursive(uint32_t type)
{
    return type == T_ALL || type == T_NODE || type == T_ONE_NODE_OPTIONAL ||
           type == T_NODE_AND_ARRAY;
}

static kiln_buffer build(uint32_t type, uint64_t seed, unsigned order, bool canonical)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    kiln_buffer blob = {0};
    def.types = verdict_types;
    assert_int_equal(kiln_builder_create(&def, &builder), KILN_OK);
    random_value_build(builder, verdict_types, type, seed, order);
    assert_int_equal(kiln_builder_finish(builder, type, KILN_BLOB_ASSET, canonical, &blob, NULL),
                     KILN_OK);
    kiln_builder_destroy(builder);
    return blob;
}

/* The payload alone, where it ends with its heap block. */
static patched payload_of(const kiln_buffer *blob, payload_def *ret_def, uint32_t type)
{
    kiln_blob_header header;
    assert_int_equal(kiln_header_read(blob->data, blob->size, &header, NULL), KILN_OK);
    patched payload =
        patched_copy(blob->data + kiln_header_payload_at(&header), (size_t)header.payload_size);
    *ret_def = (payload_def){.types = verdict_types,
                             .type = type,
                             .payload = payload.data,
                             .size = (uint32_t)payload.size,
                             .align = kiln_header_align(&header)};
    return payload;
}

static bool is_struct(uint32_t type)
{
    return kiln_types_get(verdict_types, type)->kind == KILN_KIND_STRUCT;
}

static void canonical_payloads_are_found_valid(void **state)
{
    (void)state;
    size_t recursive = 0;
    for (uint32_t type = 0; type < TEST_TYPE_COUNT; type++) {
        for (uint64_t seed = 0; is_struct(type) && seed < SEEDS; seed++) {
            kiln_buffer blob = build(type, seed, RANDOM_SHARED, true);
            payload_def def;
            patched payload = payload_of(&blob, &def, type);
            sweep_verdict verdict = kiln_sweep(&def);
            if (is_recursive(type))
                recursive += verdict == SWEEP_VALID;
            else
                assert_int_equal(verdict, SWEEP_VALID);
            assert_int_equal(kiln_judge(&def, NULL), KILN_OK);
            patched_fini(&payload);
            kiln_buffer_fini(&blob);
        }
    }
    assert_true(recursive > 0);
}

static uint64_t next(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *random >> 33;
}

/* A change that is likely to matter: small numbers in words, bits, bytes copied about. */
static void mutate(unsigned char *payload, size_t size, uint64_t *random)
{
    size_t at = next(random) % size, word = at & ~(size_t)3;
    uint32_t number;
    switch (next(random) % 6) {
    case 0:
        payload[at] ^= (unsigned char)(1u << next(random) % 8);
        break;
    case 1:
        payload[at] = (unsigned char)(next(random) % 4);
        break;
    case 2:
        payload[at] = payload[next(random) % size];
        break;
    case 3:
    case 4:
        if (word + 4 > size)
            break;
        memcpy(&number, payload + word, 4);
        number += (uint32_t)(next(random) % 17) - 8;
        memcpy(payload + word, &number, 4);
        break;
    default:
        if (word + 8 <= size)
            memmove(payload + word, payload + (next(random) % (size - 7) & ~(size_t)3), 8);
        break;
    }
}

static void nothing_is_found_valid_that_the_general_verifier_refuses(void **state)
{
    (void)state;
    uint64_t random = 20;
    size_t accepted = 0, refused = 0;
    for (uint32_t type = 0; type < TEST_TYPE_COUNT; type++) {
        for (uint64_t seed = 0; is_struct(type) && seed < 8; seed++) {
            kiln_buffer blob = build(type, seed, RANDOM_SHARED, true);
            payload_def def;
            patched payload = payload_of(&blob, &def, type);
            patched whole = patched_copy(payload.data, payload.size);
            for (int i = 0; i < MUTATIONS; i++) {
                for (uint64_t changes = next(&random) % 3; changes <= 2; changes++)
                    mutate(payload.data, payload.size, &random);
                if (kiln_sweep(&def) == SWEEP_VALID) {
                    assert_int_equal(kiln_judge(&def, NULL), KILN_OK);
                    accepted++;
                } else {
                    refused++;
                }
                memcpy(payload.data, whole.data, whole.size);
            }
            patched_fini(&whole);
            patched_fini(&payload);
            kiln_buffer_fini(&blob);
        }
    }
    assert_true(accepted > 1000);
    assert_true(refused > 1000);
}

static void other_orders_are_left_to_the_general_verifier(void **state)
{
    (void)state;
    static const unsigned orders[] = {0, RANDOM_FIELDS_BACKWARDS,
                                      RANDOM_ELEMENTS_BACKWARDS | RANDOM_SET_TWICE, RANDOM_SHARED};
    for (uint32_t type = 0; type < TEST_TYPE_COUNT; type++) {
        for (size_t i = 0; is_struct(type) && i < sizeof orders / sizeof *orders; i++) {
            kiln_buffer blob = build(type, 3, orders[i], false);
            payload_def def;
            patched payload = payload_of(&blob, &def, type);
            assert_true(kiln_sweep(&def) != SWEEP_NO_MEMORY);
            assert_int_equal(kiln_judge(&def, NULL), KILN_OK);
            patched_fini(&payload);
            kiln_buffer_fini(&blob);
        }
    }
}

static void count_ref(void *ctx, kiln_id id, uint64_t offset)
{
    uint64_t *told = ctx;
    told[0]++;
    told[1] = id;
    told[2] = offset;
}

static void both_ways_tell_of_references(void **state)
{
    (void)state;
    static const unsigned char payload[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (int quick = 0; quick <= 1; quick++) {
        uint64_t told[3] = {0};
        payload_def def = {.types = verdict_types,
                           .type = T_ONE_REF,
                           .payload = payload,
                           .size = sizeof payload,
                           .align = 16,
                           .base = 32,
                           .on_ref = count_ref,
                           .on_ref_ctx = told};
        assert_int_equal(
            quick ? kiln_sweep(&def) == SWEEP_VALID : kiln_judge(&def, NULL) == KILN_OK, 1);
        assert_int_equal(told[0], 1);
        assert_true(told[1] == UINT64_C(0x0807060504030201));
        assert_int_equal(told[2], 32);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(canonical_payloads_are_found_valid),
        cmocka_unit_test(nothing_is_found_valid_that_the_general_verifier_refuses),
        cmocka_unit_test(both_ways_tell_of_references),
        cmocka_unit_test(other_orders_are_left_to_the_general_verifier),
    };
    return cmocka_run_group_tests_name("sweep", tests, verdict_set_up, verdict_tear_down);
}
