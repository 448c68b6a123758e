/* Damages random values of random types one field at a time. The fast verifier may only accept what
 * the general one accepts, and accepted values are traversed completely. */
#include "blob_patch.h"
#include "bounds.h"
#include "field_mutator.h"
#include "large_payload.h"
#include "random_types.h"
#include "random_value.h"
#include "sweep.h"
#include "test_share.h"
#include "test_types.h"
#include "value_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <kiln/builder.h>
#include <kiln/verify.h>
#include <stdlib.h>
#include <string.h>

enum { LISTS = 200, VALUES = 4, MUTATIONS = 400, LARGE_MUTATIONS = 1500, ROOM = 1 << 18 };

static _Alignas(4096) unsigned char bytes[ROOM];

typedef struct tally {
    size_t quick, general, refused;
} tally;

static uint32_t payload_of(const kiln_types *types, uint32_t type, uint64_t seed)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    kiln_buffer blob = {0};
    kiln_blob_header header;
    uint32_t size = 0;
    def.types = types;
    assert_int_equal(kiln_builder_create(&def, &builder), KILN_OK);
    random_value_build(builder, types, type, seed, RANDOM_SHARED);
    /* Random keys of small kinds may be equal; the builder then refuses the map. */
    if (kiln_builder_finish(builder, type, KILN_FLAG_CANONICAL, &blob, NULL) == KILN_OK) {
        memcpy(&header, blob.data, sizeof header);
        if (header.payload_size <= ROOM) {
            size = (uint32_t)header.payload_size;
            memcpy(bytes, blob.data + kiln_header_payload_at(&header), size);
        }
    }
    kiln_buffer_fini(&blob);
    kiln_builder_destroy(builder);
    return size;
}

/* Whether the status is KILN_OK or a rule that a bounds check does not cover. */
static bool is_beyond_bounds(kiln_status status)
{
    static const kiln_status others[] = {KILN_OK,          KILN_V_STRING_NUL, KILN_V_STRING_UTF8,
                                         KILN_V_MAP_ORDER, KILN_V_MAP_KEY,    KILN_V_PADDING,
                                         KILN_V_OVERLAP,   KILN_V_SHARE};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (status == others[i])
            return true;
    return false;
}

static void judge(const kiln_types *types, uint32_t type, size_t size, tally *t)
{
    kiln_error error = {KILN_OK, 0, 0, ""};
    /* Bytes after the end must not be read. */
    patched exact = patched_copy(bytes, size);
    payload_def def = {.types = types,
                       .type = type,
                       .payload = exact.data,
                       .size = (uint32_t)size,
                       .align = size % 2 ? 16 : 4096};
    bool is_quick = kiln_sweep(&def) == SWEEP_VALID;
    kiln_status status = kiln_judge(&def, &error);
    if (is_quick)
        assert_string_equal(kiln_status_name(status), kiln_status_name(KILN_OK));
    if (kiln_bounds_hold(&def))
        assert_true(is_beyond_bounds(status));
    assert_true(error.offset <= size);
    if (status == KILN_OK)
        assert_int_equal(walk_verified(types, type, exact.data, size), KILN_OK);
    t->quick += is_quick;
    t->general += !is_quick && status == KILN_OK;
    t->refused += status != KILN_OK;
    patched_fini(&exact);
}

/* Most payloads are damaged once, some up to three times. */
static void mutate_all(const kiln_types *types, uint32_t type, uint64_t seed, tally *t)
{
    static unsigned char whole[ROOM];
    uint32_t size = payload_of(types, type, seed);
    memcpy(whole, bytes, size);
    for (uint64_t i = 0; size > 0 && i < MUTATIONS; i++) {
        size_t now = size;
        memcpy(bytes, whole, size);
        for (uint64_t change = 0; change <= i % 8 / 5 && now > 0; change++)
            now = mutate_field(types, type, bytes, now, ROOM, (seed * MUTATIONS + i) * 3 + change);
        if (now > 0)
            judge(types, type, now, t);
    }
}

static void assert_all_happened(const tally *t)
{
    assert_true(t->quick > test_share_of(1000));
    assert_true(t->general > test_share_of(200));
    assert_true(t->refused > test_share_of(1000));
}

static void broken_fields_of_random_types_are_refused_or_harmless(void **state)
{
    (void)state;
    tally t = {0};
    for (uint64_t list = 0; list < test_share_of(LISTS); list++) {
        kiln_types *types = random_types_create(list);
        for (uint64_t value = 0; value < VALUES; value++)
            mutate_all(types, kiln_types_count(types) - 1, list * VALUES + value, &t);
        kiln_types_destroy(types);
    }
    assert_all_happened(&t);
}

static void broken_fields_of_every_kind_are_refused_or_harmless(void **state)
{
    (void)state;
    tally t = {0};
    kiln_types *types = test_types_create(NULL);
    for (uint32_t type = 0; type < TEST_TYPE_COUNT; type++)
        for (uint64_t value = 0; value < VALUES; value++)
            if (kiln_types_get(types, type)->kind == KILN_KIND_STRUCT)
                mutate_all(types, type, value * TEST_TYPE_COUNT + type, &t);
    kiln_types_destroy(types);
    assert_all_happened(&t);
}

/* The targets of these fields come much later in the payload, so many promises are open. */
static void broken_fields_before_thousands_of_objects_are_refused_or_harmless(void **state)
{
    (void)state;
    tally t = {0};
    kiln_types *types = large_types();
    kiln_buffer blob = {0};
    payload_def def = large_payload(types, &blob);
    assert_true(def.size < ROOM);
    assert_int_equal(kiln_sweep(&def), SWEEP_VALID);
    assert_int_equal(kiln_judge(&def, NULL), KILN_OK);
    for (uint64_t i = 0; i < LARGE_MUTATIONS; i++) {
        if (!test_share_has(i))
            continue;
        memcpy(bytes, def.payload, def.size);
        /* Also damages fields anywhere in the lists, because the mutator only uses the first few
         * hundred fields. */
        uint32_t field = 24 + (uint32_t)(i * 7919 % 12000) * 8, number;
        size_t now = def.size;
        if (i % 2) {
            now = mutate_field(types, def.type, bytes, now, ROOM, i);
        } else {
            memcpy(&number, bytes + field + i % 4 / 2 * 4, 4);
            number += (uint32_t)(i / 4 % 9 * 4) - 16;
            memcpy(bytes + field + i % 4 / 2 * 4, &number, 4);
        }
        judge(types, def.type, now, &t);
    }
    kiln_buffer_fini(&blob);
    kiln_types_destroy(types);
    assert_true(t.refused > test_share_of(200));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_fields_of_random_types_are_refused_or_harmless),
        cmocka_unit_test(broken_fields_of_every_kind_are_refused_or_harmless),
        cmocka_unit_test(broken_fields_before_thousands_of_objects_are_refused_or_harmless),
    };
    return cmocka_run_group_tests_name("field mutations", tests, NULL, NULL);
}
