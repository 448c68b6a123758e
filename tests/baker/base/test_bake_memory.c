#include "bake_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MEBIBYTE ((size_t)1 << 20)

static unsigned char sign(size_t i)
{
    return (unsigned char)(i ^ i >> 8 ^ i >> 16);
}

static void fill(unsigned char *block, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        block[i] = sign(i);
}

static void check(const unsigned char *block, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (block[i] != sign(i))
            fail_msg("byte %zu is %u", i, block[i]);
}

static void a_growing_block_keeps_its_bytes(void **state)
{
    static const size_t sizes[] = {
        1, 100, MEBIBYTE, 2 * MEBIBYTE - 1, 3 * MEBIBYTE, 5 * MEBIBYTE, 20 * MEBIBYTE};
    unsigned char *block = NULL;
    size_t capacity = 0, filled = 0;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        block = bake_block_grow(block, &capacity, sizes[i], 1);
        assert_non_null(block);
        assert_true(capacity >= sizes[i]);
        assert_int_equal((uintptr_t)block % _Alignof(max_align_t), 0);
        check(block, filled);
        fill(block, filled, capacity);
        filled = capacity;
    }
    assert_ptr_equal(bake_block_grow(block, &capacity, capacity, 1), block);
    check(block, filled);
    bake_block_free(block, capacity);
    bake_block_free(NULL, 0);
}

/* Blocks that grow alternately obstruct each other, so they must move. */
static void blocks_that_move_keep_their_bytes(void **state)
{
    unsigned char *blocks[3] = {NULL, NULL, NULL};
    size_t capacities[3] = {0, 0, 0};
    (void)state;
    for (unsigned round = 0; round < 21; round++) {
        unsigned i = round % 3;
        size_t before = capacities[i];
        blocks[i] = bake_block_grow(blocks[i], &capacities[i], before + MEBIBYTE + 4097 * round, 1);
        assert_non_null(blocks[i]);
        fill(blocks[i], before, capacities[i]);
    }
    for (unsigned i = 0; i < 3; i++) {
        check(blocks[i], capacities[i]);
        bake_block_free(blocks[i], capacities[i]);
    }
}

static void a_block_that_cannot_grow_is_unchanged(void **state)
{
    static const size_t sizes[] = {100, 4 * MEBIBYTE};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t capacity = 0;
        unsigned char *block = bake_block_grow(NULL, &capacity, sizes[i], 1);
        assert_non_null(block);
        size_t before = capacity;
        fill(block, 0, before);
        bake_memory_fail_after(0);
        assert_null(bake_block_grow(block, &capacity, 2 * before, 1));
        assert_true(bake_memory_has_failed());
        bake_memory_fail_after(-1);
        assert_null(bake_block_grow(block, &capacity, SIZE_MAX / 2, 4));
        assert_int_equal(capacity, before);
        check(block, before);
        bake_block_free(block, capacity);
    }
}

static void the_allocator_returns_aligned_blocks_of_every_size(void **state)
{
    static const size_t sizes[] = {0, 1, 5000, 2 * MEBIBYTE, 2 * MEBIBYTE + 1, 9 * MEBIBYTE};
    kiln_allocator a = bake_memory_allocator();
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t align = 1; align <= 4096; align *= 2) {
            unsigned char *block = a.alloc(a.ctx, sizes[i], align);
            assert_non_null(block);
            assert_int_equal((uintptr_t)block % align, 0);
            fill(block, 0, sizes[i]);
            check(block, sizes[i]);
            a.free(a.ctx, block, sizes[i]);
        }
    }
    a.free(a.ctx, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_growing_block_keeps_its_bytes),
        cmocka_unit_test(blocks_that_move_keep_their_bytes),
        cmocka_unit_test(a_block_that_cannot_grow_is_unchanged),
        cmocka_unit_test(the_allocator_returns_aligned_blocks_of_every_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
