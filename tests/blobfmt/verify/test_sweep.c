/* The fast verifier (sweep.h) accepts canonical payloads, and never a payload that the general
 * verifier refuses. The bounds check (bounds.h) is faster and guarantees less: it accepts only
 * payloads that can be read in bounds. */
#include "bounds.h"
#include "failing_memory.h"
#include "random_value.h"
#include "sweep.h"
#include "value_walk.h"
#include "verdict.h"

#include <kiln/builder.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 40, MUTATIONS = 300 };

/* The fast verifier does not decide payloads that share objects of recursive types. */
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
    assert_int_equal(
        kiln_builder_finish(builder, type, canonical ? KILN_FLAG_CANONICAL : 0, &blob, NULL),
        KILN_OK);
    kiln_builder_destroy(builder);
    return blob;
}

/* Copies only the payload, to the end of a heap block. */
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

/* Lists of one byte each, stored in a different order than their references. */
static patched disordered(uint32_t count, payload_def *ret_def)
{
    uint32_t base = 8 + count * 8;
    unsigned char *zeros = calloc(base + count, 1);
    assert_non_null(zeros);
    patched payload = patched_copy(zeros, base + count);
    free(zeros);
    memset(payload.data + base, 7, count);
    uint32_t root[2] = {8, count};
    memcpy(payload.data, root, sizeof root);
    for (uint32_t i = 0; i < count; i++) {
        /* In reverse, and with the halves exchanged. */
        uint32_t lies = (count - 1 - i + count / 2) % count;
        uint32_t list[2] = {base + lies - (8 + i * 8), 1};
        memcpy(payload.data + 8 + (size_t)i * 8, list, sizeof list);
    }
    *ret_def = (payload_def){.types = verdict_types,
                             .type = T_U8_ARRAY_ARRAY,
                             .payload = payload.data,
                             .size = base + count,
                             .align = 16};
    return payload;
}

/* The counts are on both sides of the limit for insertion sort. */
static void loose_objects_may_be_in_any_order(void **state)
{
    static const uint32_t counts[] = {2, 3, 50, 96, 97, 500, 3000};
    (void)state;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        payload_def def;
        patched payload = disordered(counts[k], &def);
        assert_int_equal(kiln_sweep(&def), SWEEP_VALID);
        assert_int_equal(kiln_judge(&def, NULL), KILN_OK);
        /* If one is referenced twice, another one is not referenced. */
        uint32_t twice;
        memcpy(&twice, payload.data + 16, sizeof twice);
        twice += 8;
        memcpy(payload.data + 8, &twice, sizeof twice);
        assert_int_not_equal(kiln_sweep(&def), SWEEP_VALID);
        patched_fini(&payload);
    }
}

static payload_def def_of_many;

static kiln_status sweep_many(const kiln_allocator *allocator, kiln_error *reterr)
{
    return sweep_with(&def_of_many, allocator, reterr);
}

static void each_allocation_may_fail_where_loose_objects_are_sorted(void **state)
{
    (void)state;
    patched payload = disordered(500, &def_of_many);
    check_each_failure(sweep_many);
    patched_fini(&payload);
}

static uint64_t next(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *random >> 33;
}

/* Makes a change that is likely to matter: a small number in a word, a bit, or copied bytes. */
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

static void the_sweep_accepts_nothing_that_the_general_verifier_refuses(void **state)
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

static void both_engines_report_references(void **state)
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

/* Whether a bounds check covers the rule. */
static bool is_about_bounds(kiln_status status)
{
    static const kiln_status rules[] = {KILN_V_ROOT,      KILN_V_BOUNDS,     KILN_V_MISALIGNED,
                                        KILN_V_EMPTY,     KILN_V_STRING_END, KILN_V_BOOL,
                                        KILN_V_ENUM,      KILN_V_FLAGS,      KILN_V_REF,
                                        KILN_V_UNION_TAG, KILN_V_DEPTH,      KILN_V_UNION_VALUE};
    bool is_one = false;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        is_one = is_one || status == rules[i];
    return is_one;
}

static void valid_payloads_of_any_order_are_in_bounds(void **state)
{
    (void)state;
    for (uint32_t type = 0; type < TEST_TYPE_COUNT; type++) {
        for (uint64_t seed = 0; is_struct(type) && seed < SEEDS; seed++) {
            kiln_buffer blob = build(type, seed, seed % 2 ? RANDOM_FIELDS_BACKWARDS : 0, false);
            payload_def def;
            patched payload = payload_of(&blob, &def, type);
            assert_true(kiln_bounds_hold(&def));
            patched_fini(&payload);
            kiln_buffer_fini(&blob);
        }
    }
}

static void the_bounds_check_accepts_only_readable_payloads(void **state)
{
    (void)state;
    uint64_t random = 21;
    size_t less = 0, refused = 0;
    for (uint32_t type = 0; type < TEST_TYPE_COUNT; type++) {
        for (uint64_t seed = 0; is_struct(type) && seed < 8; seed++) {
            kiln_buffer blob = build(type, seed, 0, seed % 2 == 0);
            payload_def def;
            patched payload = payload_of(&blob, &def, type);
            patched whole = patched_copy(payload.data, payload.size);
            for (int i = 0; i < MUTATIONS; i++) {
                for (uint64_t changes = next(&random) % 3; changes <= 2; changes++)
                    mutate(payload.data, payload.size, &random);
                kiln_status status = kiln_judge(&def, NULL);
                if (kiln_bounds_hold(&def)) {
                    assert_false(is_about_bounds(status));
                    kiln_status walked =
                        walk_verified(verdict_types, type, payload.data, payload.size);
                    assert_true(walked == KILN_OK || walked == KILN_V_MAP_ORDER);
                    less += status != KILN_OK;
                } else {
                    assert_int_not_equal(status, KILN_OK);
                    refused++;
                }
                memcpy(payload.data, whole.data, whole.size);
            }
            patched_fini(&whole);
            patched_fini(&payload);
            kiln_buffer_fini(&blob);
        }
    }
    assert_true(less > 1000);
    assert_true(refused > 1000);
}

/* Each node in a row refers to the next one twice, so 2^60 paths lead to the last. */
static void objects_inside_many_others_are_left_to_the_general_verifier(void **state)
{
    (void)state;
    enum { NODES = 60 };
    unsigned char bytes[4 + NODES * 16] = {4};
    for (uint32_t i = 0; i + 1 < NODES; i++) {
        unsigned char *node = bytes + 4 + (size_t)i * 16;
        node[4] = 12;
        node[8] = 1;
        node[12] = 4;
    }
    patched payload = patched_copy(bytes, sizeof bytes);
    payload_def def = {.types = verdict_types,
                       .type = T_ONE_NODE_OPTIONAL,
                       .payload = payload.data,
                       .size = sizeof bytes,
                       .align = 16};
    assert_false(kiln_bounds_hold(&def));
    assert_int_equal(kiln_judge(&def, NULL), KILN_OK);
    patched_fini(&payload);
}

/* One string field, and the verdicts of all rules and of the bounds rules on a blob with it. */
typedef struct text_row {
    const char *name, *payload;
    size_t size;
    kiln_status all, bounds;
} text_row;

#define TEXT_ROW(name, payload, all, bounds)                                                       \
    {                                                                                              \
        name, payload, sizeof(payload) - 1, all, bounds                                            \
    }

static const text_row text_rows[] = {
    TEXT_ROW("a string", "\x8\0\0\0\2\0\0\0ab\0", KILN_OK, KILN_OK),
    TEXT_ROW("invalid UTF-8", "\x8\0\0\0\2\0\0\0a\xff\0", KILN_V_STRING_UTF8, KILN_OK),
    TEXT_ROW("a NUL within", "\x8\0\0\0\2\0\0\0\0b\0", KILN_V_STRING_NUL, KILN_OK),
    TEXT_ROW("unowned bytes", "\x8\0\0\0\2\0\0\0ab\0c", KILN_V_PADDING, KILN_OK),
    TEXT_ROW("no NUL", "\x8\0\0\0\2\0\0\0abc", KILN_V_STRING_END, KILN_V_STRING_END),
    TEXT_ROW("a NUL after the end", "\x8\0\0\0\2\0\0\0ab", KILN_V_BOUNDS, KILN_V_BOUNDS),
    TEXT_ROW("an end far outside", "\x8\0\0\0\xff\xff\xff\xff\0", KILN_V_BOUNDS, KILN_V_BOUNDS),
    TEXT_ROW("no offset", "\0\0\0\0\2\0\0\0ab\0", KILN_V_EMPTY, KILN_V_EMPTY),
    TEXT_ROW("no length", "\x8\0\0\0\0\0\0\0\0", KILN_V_EMPTY, KILN_V_EMPTY),
};

static void the_bounds_check_proves_only_its_own_rules_about_strings(void **state)
{
    (void)state;
    kiln_verify_def def = kiln_verify_def_default();
    def.types = verdict_types;
    def.type = T_ONE_STRING;
    for (size_t i = 0; i < sizeof text_rows / sizeof *text_rows; i++) {
        const text_row *row = &text_rows[i];
        patched blob = patched_blob(verdict_types, T_ONE_STRING, 0, row->payload, row->size);
        def.bounds_only = false;
        kiln_status all = kiln_verify(&def, blob.data, blob.size, NULL);
        def.bounds_only = true;
        kiln_status bounds = kiln_verify(&def, blob.data, blob.size, NULL);
        if (all != row->all || bounds != row->bounds)
            fail_msg("%s", row->name);
        patched_fini(&blob);
    }
}

static void root_outside_the_payload_is_out_of_bounds(void **state)
{
    (void)state;
    static _Alignas(64) const unsigned char payload[64] = {1};
    payload_def def = {.types = verdict_types, .type = T_ONE_U64, .payload = payload, .align = 16};
    def.size = 8;
    assert_true(kiln_bounds_hold(&def));
    def.size = 7;
    assert_false(kiln_bounds_hold(&def));
    def.size = 16;
    def.align = 4;
    assert_false(kiln_bounds_hold(&def));
    assert_true(kiln_sweep(&def) != SWEEP_VALID);
}

/* A request for references always uses the general rules. */
static void a_bounds_check_reports_references_too(void **state)
{
    (void)state;
    uint64_t told[3] = {0};
    static const unsigned char payload[8] = {1};
    patched blob = patched_blob(verdict_types, T_ONE_REF, 0, payload, sizeof payload);
    kiln_verify_def def = kiln_verify_def_default();
    def.types = verdict_types;
    def.type = T_ONE_REF;
    def.bounds_only = true;
    def.on_ref = count_ref;
    def.on_ref_ctx = told;
    assert_int_equal(kiln_verify(&def, blob.data, blob.size, NULL), KILN_OK);
    assert_int_equal(told[0], 1);
    patched_fini(&blob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(canonical_payloads_are_found_valid),
        cmocka_unit_test(loose_objects_may_be_in_any_order),
        cmocka_unit_test(each_allocation_may_fail_where_loose_objects_are_sorted),
        cmocka_unit_test(the_sweep_accepts_nothing_that_the_general_verifier_refuses),
        cmocka_unit_test(both_engines_report_references),
        cmocka_unit_test(root_outside_the_payload_is_out_of_bounds),
        cmocka_unit_test(a_bounds_check_reports_references_too),
        cmocka_unit_test(other_orders_are_left_to_the_general_verifier),
        cmocka_unit_test(valid_payloads_of_any_order_are_in_bounds),
        cmocka_unit_test(the_bounds_check_accepts_only_readable_payloads),
        cmocka_unit_test(objects_inside_many_others_are_left_to_the_general_verifier),
        cmocka_unit_test(the_bounds_check_proves_only_its_own_rules_about_strings),
    };
    return cmocka_run_group_tests_name("sweep", tests, verdict_set_up, verdict_tear_down);
}
