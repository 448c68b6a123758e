/* Types with more repetition than the precomputed plan covers: long fixed arrays, and structs with
 * many fields inside others. They must behave like small ones. */
#include "verdict.h"

#include <kiln/builder.h>
#include <kiln/canonical.h>
#include <kiln/verify.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { CELLS = 40, W_U8 = 0, W_F32, W_F64, W_STRING, W_CELL, W_CELLS, W_STRINGS, W_WIDE, W_TYPES };

/* Three bytes of padding after `used`, none elsewhere. */
typedef struct cell {
    uint8_t used;
    float heat;
    kiln_string name;
    KILN_ALIGNAS(8) double weight;
} cell;

typedef struct wide {
    uint8_t first;
    cell cells[CELLS];
    kiln_string names[CELLS];
} wide;

static kiln_types *types;

static int set_up(void **state)
{
    (void)state;
    static const kiln_member cell_members[] = {{.name = "used", .type = W_U8},
                                               {.name = "heat", .type = W_F32},
                                               {.name = "name", .type = W_STRING},
                                               {.name = "weight", .type = W_F64}};
    static const kiln_member wide_members[] = {{.name = "first", .type = W_U8},
                                               {.name = "cells", .type = W_CELLS},
                                               {.name = "names", .type = W_STRINGS}};
    static const kiln_type described[W_TYPES] = {
        [W_U8] = {.kind = KILN_KIND_U8},
        [W_F32] = {.kind = KILN_KIND_F32},
        [W_F64] = {.kind = KILN_KIND_F64},
        [W_STRING] = {.kind = KILN_KIND_STRING},
        [W_CELL] = {.kind = KILN_KIND_STRUCT,
                    .name = "Cell",
                    .members = cell_members,
                    .member_count = 4},
        [W_CELLS] = {.kind = KILN_KIND_FIXED, .element = W_CELL, .count = CELLS},
        [W_STRINGS] = {.kind = KILN_KIND_FIXED, .element = W_STRING, .count = CELLS},
        [W_WIDE] = {.kind = KILN_KIND_STRUCT,
                    .name = "Wide",
                    .members = wide_members,
                    .member_count = 3},
    };
    return kiln_types_create(NULL, described, W_TYPES, &types, NULL) != KILN_OK;
}

static int tear_down(void **state)
{
    (void)state;
    kiln_types_destroy(types);
    return 0;
}

/* The names of the cells repeat "a" to "d". The floats of each cell are NaNs with different
 * patterns, and `dirt` is in its padding. */
static void fill(kiln_builder *builder, wide *root, unsigned char dirt)
{
    for (uint32_t i = 0; i < CELLS; i++) {
        uint32_t narrow = 0x7fc00000u | i * (dirt & 1);
        uint64_t broad = UINT64_C(0x7ff8000000000000) | i * (uint64_t)(dirt & 1);
        char name = (char)('a' + i % 4);
        memset((unsigned char *)&root->cells[i] + 1, dirt, 3);
        memcpy(&root->cells[i].heat, &narrow, sizeof narrow);
        memcpy(&root->cells[i].weight, &broad, sizeof broad);
        kiln_builder_string(builder, &root->cells[i].name, &name, 1);
        kiln_builder_string(builder, &root->names[i], &name, 1);
    }
    memset(&root->first + 1, dirt, offsetof(wide, cells) - 1);
}

static kiln_buffer built(unsigned char dirt, bool canonical, bool finish_once)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    kiln_buffer blob = {0};
    def.types = types;
    def.finish_once = finish_once;
    assert_int_equal(kiln_builder_create(&def, &builder), KILN_OK);
    wide *root = kiln_builder_root(builder, sizeof *root, _Alignof(wide));
    assert_non_null(root);
    fill(builder, root, dirt);
    assert_int_equal(
        kiln_builder_finish(builder, W_WIDE, canonical ? KILN_FLAG_CANONICAL : 0, &blob, NULL),
        KILN_OK);
    kiln_builder_destroy(builder);
    return blob;
}

static void assert_same(kiln_buffer *a, const kiln_buffer *b)
{
    assert_same_bytes(a, b);
    kiln_buffer_fini(a);
}

static void all_fields_of_wide_values_are_laid_out(void **state)
{
    (void)state;
    kiln_buffer blob = built(0, true, false);
    const wide *root = (const void *)(blob.data + 32);
    assert_int_equal(blob.size, 32 + sizeof(wide) + 4 * 2);
    for (uint32_t i = 0; i < CELLS; i++) {
        char name[2] = {(char)('a' + i % 4), 0};
        assert_string_equal(kiln_string_get(&root->cells[i].name), name);
        assert_string_equal(kiln_string_get(&root->names[i]), name);
    }
    kiln_buffer_fini(&blob);
}

static void all_padding_and_floats_of_wide_values_are_made_canonical(void **state)
{
    (void)state;
    kiln_buffer expected = built(0, true, false);
    for (unsigned once = 0; once <= 1; once++) {
        kiln_buffer blob = built(0xff, true, once), plain = built(0xff, false, once), again;
        assert_same(&blob, &expected);
        assert_int_equal(
            kiln_canonical_check(&(kiln_canonical_args){.types = types,
                                                        .type = W_WIDE,
                                                        .blob = {expected.data, expected.size},
                                                        .allocator = NULL},
                                 NULL),
            KILN_OK);
        assert_int_equal(kiln_canonicalize(&(kiln_canonical_args){.types = types,
                                                                  .type = W_WIDE,
                                                                  .blob = {plain.data, plain.size},
                                                                  .allocator = NULL},
                                           &again, NULL),
                         KILN_OK);
        assert_same(&again, &expected);
        kiln_buffer_fini(&plain);
    }
    kiln_buffer_fini(&expected);
}

static void last_float_of_a_wide_value_decides_like_the_first(void **state)
{
    (void)state;
    kiln_buffer blob = built(0, true, false);
    wide *root = (wide *)(void *)(blob.data + 32);
    static const uint32_t cells[] = {0, CELLS / 2, CELLS - 1};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        cell *at = &root->cells[cells[i]];
        kiln_error error = {KILN_OK, 0, 0, ""};
        unsigned char *low = (unsigned char *)&at->heat;
        *low ^= 1;
        assert_int_equal(kiln_canonical_check(&(kiln_canonical_args){.types = types,
                                                                     .type = W_WIDE,
                                                                     .blob = {blob.data, blob.size},
                                                                     .allocator = NULL},
                                              &error),
                         KILN_C_CANONICAL);
        assert_int_equal(error.offset, low - blob.data);
        *low ^= 1;
        assert_int_equal(kiln_canonical_check(&(kiln_canonical_args){.types = types,
                                                                     .type = W_WIDE,
                                                                     .blob = {blob.data, blob.size},
                                                                     .allocator = NULL},
                                              NULL),
                         KILN_OK);
    }
    kiln_buffer_fini(&blob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_fields_of_wide_values_are_laid_out),
        cmocka_unit_test(all_padding_and_floats_of_wide_values_are_made_canonical),
        cmocka_unit_test(last_float_of_a_wide_value_decides_like_the_first),
    };
    return cmocka_run_group_tests_name("wide values", tests, set_up, tear_down);
}
