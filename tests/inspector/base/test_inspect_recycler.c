/* An allocator that keeps freed blocks. */
#include "insp_memory.h"
#include "insp_recycler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

enum { LARGEST = INSP_RECYCLER_LEAST << (INSP_RECYCLER_SIZES - 1) };

static void blocks_have_their_size_and_alignment(void **state)
{
    static const size_t sizes[] = {1,    63,          64,      65,          128,
                                   4096, LARGEST - 1, LARGEST, LARGEST + 1, 2 * LARGEST};
    static const size_t aligns[] = {1, 8, 64, 128, 4096};
    insp_recycler recycler;
    (void)state;
    insp_recycler_init(&recycler);
    const kiln_allocator *a = &recycler.allocator;
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t k = 0; k < sizeof aligns / sizeof *aligns; k++) {
                unsigned char *one = a->alloc(a->ctx, sizes[i], aligns[k]);
                unsigned char *other = a->alloc(a->ctx, sizes[i], aligns[k]);
                assert_true(one && other && one != other);
                assert_int_equal(0, (uintptr_t)one % aligns[k]);
                assert_int_equal(0, (uintptr_t)other % aligns[k]);
                memset(one, 1, sizes[i]);
                memset(other, 2, sizes[i]);
                assert_int_equal(1, one[sizes[i] - 1]);
                a->free(a->ctx, one, sizes[i]);
                a->free(a->ctx, other, sizes[i]);
            }
    insp_recycler_fini(&recycler);
}

static void a_block_is_used_again_up_to_the_largest_size(void **state)
{
    static const struct {
        size_t first, second;
        bool is_same;
    } rows[] = {{1, 64, true},    {64, 1, true},        {65, 128, true},
                {64, 65, false},  {65, 64, false},      {LARGEST / 2 + 1, LARGEST, true},
                {129, 256, true}, {LARGEST, 64, false}, {LARGEST + 1, LARGEST + 1, false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        insp_recycler recycler;
        insp_recycler_init(&recycler);
        const kiln_allocator *a = &recycler.allocator;
        void *block = a->alloc(a->ctx, rows[i].first, 8);
        assert_non_null(block);
        a->free(a->ctx, block, rows[i].first);
        /* Without memory, only an unused block can be returned. */
        insp_memory_fail_at(0);
        void *next = a->alloc(a->ctx, rows[i].second, 8);
        insp_memory_fail_at(-1);
        assert_int_equal(rows[i].is_same, next != NULL);
        if (next)
            a->free(a->ctx, next, rows[i].second);
        insp_recycler_fini(&recycler);
    }
}

static void a_zeroed_recycler_has_no_blocks(void **state)
{
    insp_recycler recycler = {.unused = {NULL}};
    (void)state;
    insp_recycler_fini(&recycler);
    assert_null(recycler.unused[0]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_have_their_size_and_alignment),
        cmocka_unit_test(a_block_is_used_again_up_to_the_largest_size),
        cmocka_unit_test(a_zeroed_recycler_has_no_blocks),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
