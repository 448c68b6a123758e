/* The fast writer of JSON and the general printer write the same bytes, whatever the values are. */
#include "insp_format.h"
#include "insp_json_write.h"
#include "insp_list.h"
#include "insp_load.h"
#include "insp_memory.h"
#include "insp_print.h"
#include "insp_unpack.h"
#include "sample_file.h"
#include "test_share.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 3000 };

typedef struct printed {
    insp_out out;
    insp_printer p;
} printed;

static printed ours, theirs;

static void print(printed *to, const insp_file *file, const kiln_value *root, uint64_t left,
                  const insp_json_plan *plan)
{
    insp_out_init_text(&to->out);
    insp_printer_init(&to->p, &to->out, file, &insp_format_json);
    to->p.left = left;
    to->p.depth = 1;
    if (plan)
        insp_json_write(&to->p, plan, root);
    else
        insp_print(&to->p, root);
}

static void check_value(const insp_file *file, const kiln_value *root, uint64_t left,
                        const insp_json_plan *plan)
{
    print(&ours, file, root, left, plan);
    print(&theirs, file, root, left, NULL);
    if (theirs.out.error && theirs.out.used > INSP_OUT_SIZE - 2 * INSP_ROOM) {
        /* The buffer is full. They may leave different numbers of bytes free. */
        assert_memory_equal(theirs.out.buffer, ours.out.buffer, INSP_OUT_SIZE - 2 * INSP_ROOM);
        return;
    }
    assert_int_equal(theirs.out.used, ours.out.used);
    assert_memory_equal(theirs.out.buffer, ours.out.buffer, ours.out.used);
    assert_int_equal(theirs.out.error, ours.out.error);
    assert_int_equal(theirs.out.column, ours.out.column);
    assert_int_equal(theirs.p.left, ours.p.left);
    assert_int_equal(theirs.p.broken, ours.p.broken);
    assert_int_equal(theirs.p.stopped, ours.p.stopped);
    if (ours.p.stopped)
        return;
    assert_int_equal(theirs.p.indent, ours.p.indent);
    assert_int_equal(theirs.p.depth, ours.p.depth);
    assert_int_equal(theirs.p.first, ours.p.first);
    assert_int_equal(theirs.p.flow, ours.p.flow);
}

/* Calls `check` with a copy of the payload of each asset in a sample. */
static void for_each_payload(sample_kind kind, void (*check)(const insp_file *file, kiln_value root,
                                                             unsigned char *payload, size_t size,
                                                             const insp_json_plan *plan))
{
    kiln_buffer bytes = sample_file(kind);
    insp_json_plan plan;
    insp_file file;
    uint32_t i;
    assert_int_equal(KILN_OK, insp_file_init(&file, "it", bytes.data, bytes.size));
    assert_int_equal(KILN_OK, insp_file_list(&file));
    assert_true(insp_json_plan_init(&plan, file.types));
    for (i = 0; i < file.asset_count; i++) {
        kiln_value root;
        unsigned char *payload;
        size_t size;
        if (insp_asset_root(&file, insp_numbered_asset(&file, i), &root) != KILN_OK)
            continue;
        size = (size_t)(root.end - root.begin);
        payload = insp_alloc_unset(size, KILN_ALIGN_MAX);
        assert_non_null(payload);
        memcpy(payload, root.begin, size);
        root.begin = root.data = payload;
        root.end = payload + size;
        check(&file, root, payload, size, &plan);
        insp_free(payload);
    }
    insp_json_plan_fini(&plan);
    insp_file_fini(&file);
    kiln_buffer_fini(&bytes);
}

static void check_changes(const insp_file *file, kiln_value root, unsigned char *payload,
                          size_t size, const insp_json_plan *plan)
{
    static const unsigned char changes[] = {0x01, 0x04, 0x40, 0x80, 0xff};
    size_t i, k;
    check_value(file, &root, STEPS, plan);
    for (i = 0; i < size; i++)
        for (k = 0; k < sizeof changes; k++) {
            if (!test_share_has(i * sizeof changes + k))
                continue;
            payload[i] ^= changes[k];
            check_value(file, &root, STEPS, plan);
            payload[i] ^= changes[k];
        }
}

static void check_truncated(const insp_file *file, kiln_value root, unsigned char *payload,
                            size_t size, const insp_json_plan *plan)
{
    size_t i;
    (void)payload;
    for (i = root.of->size; i < size; i++) {
        root.end = root.begin + i;
        check_value(file, &root, STEPS, plan);
    }
}

static void check_stopped(const insp_file *file, kiln_value root, unsigned char *payload,
                          size_t size, const insp_json_plan *plan)
{
    uint64_t left;
    (void)payload;
    (void)size;
    for (left = 0; left < 400; left++)
        check_value(file, &root, left, plan);
}

static void every_sample(void (*check)(const insp_file *file, kiln_value root,
                                       unsigned char *payload, size_t size,
                                       const insp_json_plan *plan))
{
    static const sample_kind kinds[] = {SAMPLE_FULL, SAMPLE_SMALL,  SAMPLE_CONTROLS,
                                        SAMPLE_DEEP, SAMPLE_SHARED, SAMPLE_LINKED};
    size_t i;
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for_each_payload(kinds[i], check);
}

static void each_changed_byte_gives_the_same_text(void **state)
{
    (void)state;
    every_sample(check_changes);
}

static void each_truncation_gives_the_same_text(void **state)
{
    (void)state;
    every_sample(check_truncated);
}

static void each_step_limit_stops_at_the_same_byte(void **state)
{
    (void)state;
    every_sample(check_stopped);
}

/* ---- kinds and numbers that the samples lack ---- */

enum { V_I8, V_I64, V_U64, V_F64, V_BOOL, V_E, V_WIDE, V_MAYBE, V_LONG, V_ROOT, V_COUNT };

typedef struct numbers {
    KILN_ALIGNAS(8) int64_t low;
    KILN_ALIGNAS(8) uint64_t high;
    KILN_ALIGNAS(8) double real;
    int8_t small;
    uint8_t yes;
    int8_t word;
    int8_t wide[40];
} numbers;

static kiln_types *number_types(void)
{
    static char long_name[KILN_NAME_MAX + 1];
    static const kiln_member words[] = {
        {.name = "less", .value = (uint64_t)-3, .type = KILN_TYPE_NONE},
        {.name = "more", .value = 3, .type = KILN_TYPE_NONE}};
    static kiln_member fields[] = {
        {.name = "low", .type = V_I64},     {.name = "high", .type = V_U64},
        {.name = "real", .type = V_F64},    {.name = "small", .type = V_I8},
        {.name = "yes", .type = V_BOOL},    {.name = "word", .type = V_E},
        {.name = long_name, .type = V_WIDE}};
    kiln_type types[V_COUNT] = {
        [V_I8] = {.kind = KILN_KIND_I8},
        [V_I64] = {.kind = KILN_KIND_I64},
        [V_U64] = {.kind = KILN_KIND_U64},
        [V_F64] = {.kind = KILN_KIND_F64},
        [V_BOOL] = {.kind = KILN_KIND_BOOL},
        [V_E] = {.name = "v.Word",
                 .kind = KILN_KIND_ENUM,
                 .base = KILN_KIND_I8,
                 .members = words,
                 .member_count = 2},
        [V_WIDE] = {.kind = KILN_KIND_FIXED, .element = V_I8, .count = 40},
        [V_MAYBE] = {.kind = KILN_KIND_OPTIONAL, .element = V_I8},
        [V_LONG] = {.kind = KILN_KIND_ARRAY, .element = V_I8},
        [V_ROOT] = {
            .name = "v.Root", .kind = KILN_KIND_STRUCT, .members = fields, .member_count = 7}};
    kiln_types *made = NULL;
    memset(long_name, 'n', KILN_NAME_MAX);
    assert_int_equal(KILN_OK, kiln_types_create(insp_allocator(), types, V_COUNT, &made, NULL));
    return made;
}

static void numbers_at_every_limit_give_the_same_text(void **state)
{
    static const uint64_t limits[] = {0,
                                      1,
                                      2,
                                      0x7f,
                                      0x80,
                                      0xfd,
                                      0xff,
                                      UINT64_C(1) << 53,
                                      (UINT64_C(1) << 53) + 1,
                                      UINT64_MAX >> 1,
                                      UINT64_C(1) << 63,
                                      0 - (UINT64_C(1) << 53),
                                      0 - (UINT64_C(1) << 53) - 1,
                                      UINT64_MAX,
                                      UINT64_C(0x7ff) << 52,
                                      UINT64_C(0xfff) << 52,
                                      UINT64_C(0x3fb999999999999a)};
    kiln_types *types = number_types();
    insp_json_plan plan;
    size_t i;
    (void)state;
    assert_true(insp_json_plan_init(&plan, types));
    for (i = 0; i < sizeof limits / sizeof *limits; i++) {
        numbers all;
        kiln_value root;
        memset(&all, (int)(limits[i] & 0xff), sizeof all);
        all.low = (int64_t)limits[i];
        all.high = limits[i];
        memcpy(&all.real, &limits[i], sizeof all.real);
        assert_int_equal(sizeof all, kiln_types_get(types, V_ROOT)->size);
        assert_int_equal(KILN_OK, kiln_value_root(types, V_ROOT, &all, sizeof all, &root));
        check_value(NULL, &root, STEPS, &plan);
    }
    insp_json_plan_fini(&plan);
    kiln_types_destroy(types);
}

static void an_indent_of_any_size_gives_the_same_text(void **state)
{
    kiln_types *types = number_types();
    insp_json_plan plan;
    numbers all = {.small = 1};
    kiln_value root;
    int indent;
    (void)state;
    assert_true(insp_json_plan_init(&plan, types));
    assert_int_equal(KILN_OK, kiln_value_root(types, V_ROOT, &all, sizeof all, &root));
    for (indent = 0; indent < 1200; indent += 2) {
        insp_out_init_text(&ours.out);
        insp_out_init_text(&theirs.out);
        insp_printer_init(&ours.p, &ours.out, NULL, &insp_format_json);
        insp_printer_init(&theirs.p, &theirs.out, NULL, &insp_format_json);
        ours.p.indent = theirs.p.indent = indent;
        insp_json_write(&ours.p, &plan, &root);
        insp_print(&theirs.p, &root);
        assert_int_equal(theirs.out.used, ours.out.used);
        assert_memory_equal(theirs.out.buffer, ours.out.buffer, ours.out.used);
    }
    insp_json_plan_fini(&plan);
    kiln_types_destroy(types);
}

static void every_failed_allocation_of_a_plan_is_reported(void **state)
{
    kiln_types *types = number_types();
    long n;
    bool good = false;
    (void)state;
    for (n = 0; !good; n++) {
        insp_json_plan plan;
        insp_memory_fail_at(n);
        good = insp_json_plan_init(&plan, types);
        insp_memory_fail_at(-1);
        insp_json_plan_fini(&plan);
    }
    assert_true(n > 4);
    kiln_types_destroy(types);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_changed_byte_gives_the_same_text),
        cmocka_unit_test(each_truncation_gives_the_same_text),
        cmocka_unit_test(each_step_limit_stops_at_the_same_byte),
        cmocka_unit_test(numbers_at_every_limit_give_the_same_text),
        cmocka_unit_test(an_indent_of_any_size_gives_the_same_text),
        cmocka_unit_test(every_failed_allocation_of_a_plan_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
