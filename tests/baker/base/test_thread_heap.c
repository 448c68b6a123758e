#include "thread_heap.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCKS = 400, STEPS = 40000, PASSED = 20000, RING = 256 };

typedef struct block {
    unsigned char *data;
    size_t size;
    unsigned char sign;
} block;

static bool has_heap;

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Mostly small, sometimes several pages, seldom large. */
static size_t random_size(uint32_t *state)
{
    uint32_t kind = next_random(state) % 16;
    size_t most = kind < 11 ? 600 : kind < 15 ? 20000 : BAKE_HEAP_MAX;
    return 1 + next_random(state) % most;
}

static bool is_filled(const block *b)
{
    for (size_t i = 0; i < b->size; i += i < 64 ? 1 : 61)
        if (b->data[i] != b->sign)
            return false;
    return b->data[b->size - 1] == b->sign;
}

static void change(block *b, uint32_t *state)
{
    size_t size = random_size(state);
    if (!b->data) {
        b->data = bake_heap_alloc(size);
        b->size = size;
    } else if (next_random(state) % 3 == 0 && bake_heap_resize(b->data, size)) {
        if (size < b->size)
            b->size = size;
        assert_true(is_filled(b));
        b->size = size;
    } else {
        bake_heap_free(b->data);
        b->data = NULL;
        return;
    }
    assert_non_null(b->data);
    assert_true(bake_heap_owns(b->data));
    assert_int_equal((uintptr_t)b->data % 16, 0);
    assert_true(bake_heap_size(b->data) >= size);
    b->sign = (unsigned char)next_random(state);
    memset(b->data, b->sign, b->size);
}

static void blocks_do_not_overlap_whatever_is_freed_and_resized(void **state)
{
    static block blocks[BLOCKS];
    uint32_t random = 7;
    (void)state;
    if (!has_heap)
        skip();
    for (int step = 0; step < STEPS; step++) {
        block *b = &blocks[next_random(&random) % BLOCKS];
        assert_true(!b->data || is_filled(b));
        change(b, &random);
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        assert_true(!blocks[i].data || is_filled(&blocks[i]));
        if (blocks[i].data)
            bake_heap_free(blocks[i].data);
    }
}

static void freed_blocks_are_used_again(void **state)
{
    static const size_t sizes[] = {1, 16, 17, 128, 129, 2048, 2049, 5000, 40000, BAKE_HEAP_MAX};
    enum { COUNT = 100 };
    void *blocks[COUNT];
    uintptr_t highest = 0;
    (void)state;
    if (!has_heap)
        skip();
    for (int round = 0; round < 6; round++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            for (size_t i = 0; i < COUNT; i++) {
                blocks[i] = bake_heap_alloc(sizes[s]);
                assert_non_null(blocks[i]);
                if (round == 0 && (uintptr_t)blocks[i] > highest)
                    highest = (uintptr_t)blocks[i];
                assert_true((uintptr_t)blocks[i] <= highest);
            }
            for (size_t i = 0; i < COUNT; i++)
                bake_heap_free(blocks[(i * 37) % COUNT]);
        }
}

static void blocks_have_the_requested_alignment(void **state)
{
    static const size_t aligns[] = {32, 64, 1024, 4096, 65536};
    (void)state;
    if (!has_heap)
        skip();
    for (size_t i = 0; i < sizeof aligns / sizeof *aligns; i++)
        for (size_t size = 1; size < 70000; size += 4999) {
            void *other = bake_heap_alloc(3000);
            unsigned char *made = bake_heap_alloc_aligned(size, aligns[i]);
            assert_non_null(made);
            assert_int_equal((uintptr_t)made % aligns[i], 0);
            assert_true(bake_heap_size(made) >= size);
            memset(made, 1, size);
            bake_heap_free(other);
            bake_heap_free(made);
        }
}

static void sizes_above_the_limits_have_no_block(void **state)
{
    (void)state;
    assert_null(bake_heap_alloc(BAKE_HEAP_MAX + 1));
    assert_null(bake_heap_alloc(SIZE_MAX));
    assert_null(bake_heap_alloc_aligned(100, 2 * BAKE_HEAP_MAX));
    assert_null(bake_heap_alloc_aligned(SIZE_MAX, 64));
    assert_false(bake_heap_owns(NULL));
    assert_false(bake_heap_owns(&has_heap));
    if (!has_heap)
        skip();
    void *made = bake_heap_alloc(BAKE_HEAP_MAX);
    assert_non_null(made);
    assert_false(bake_heap_resize(made, BAKE_HEAP_MAX + 1));
    assert_true(bake_heap_resize(made, 3000));
    assert_true(bake_heap_size(made) < 5000);
    bake_heap_free(made);
}

/* One thread makes blocks, another checks and frees them. */
typedef struct passing {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    block ring[RING];
    size_t made, freed;
} passing;

static void *free_passed(void *ctx)
{
    passing *p = ctx;
    size_t wrong = 0;
    for (size_t i = 0; i < PASSED; i++) {
        pthread_mutex_lock(&p->lock);
        while (p->made == i)
            pthread_cond_wait(&p->changed, &p->lock);
        block b = p->ring[i % RING];
        p->freed = i + 1;
        pthread_cond_signal(&p->changed);
        pthread_mutex_unlock(&p->lock);
        wrong += !is_filled(&b);
        bake_heap_free(b.data);
    }
    return (void *)(uintptr_t)wrong;
}

static void make_passed(passing *p)
{
    uint32_t random = 3;
    for (size_t i = 0; i < PASSED; i++) {
        block b = {.size = 1 + next_random(&random) % 3000, .sign = (unsigned char)i};
        b.data = bake_heap_alloc(b.size);
        assert_non_null(b.data);
        memset(b.data, b.sign, b.size);
        pthread_mutex_lock(&p->lock);
        while (i - p->freed == RING)
            pthread_cond_wait(&p->changed, &p->lock);
        p->ring[i % RING] = b;
        p->made = i + 1;
        pthread_cond_signal(&p->changed);
        pthread_mutex_unlock(&p->lock);
    }
}

static void threads_free_the_blocks_of_others(void **state)
{
    static passing p = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {{NULL, 0, 0}}, 0, 0};
    (void)state;
    if (!has_heap)
        skip();
    for (int round = 0; round < 3; round++) {
        pthread_t thread;
        void *wrong;
        p.made = p.freed = 0;
        assert_int_equal(pthread_create(&thread, NULL, free_passed, &p), 0);
        make_passed(&p);
        assert_int_equal(pthread_join(thread, &wrong), 0);
        assert_null(wrong);
    }
}

static void *make_one(void *size)
{
    unsigned char *made = bake_heap_alloc(*(size_t *)size);
    if (made)
        *made = 1;
    return made;
}

static void a_later_thread_uses_what_an_ended_thread_had(void **state)
{
    size_t size = 1500;
    void *first = NULL;
    (void)state;
    if (!has_heap)
        skip();
    for (int round = 0; round < 100; round++) {
        pthread_t thread;
        void *made;
        assert_int_equal(pthread_create(&thread, NULL, make_one, &size), 0);
        assert_int_equal(pthread_join(thread, &made), 0);
        assert_non_null(made);
        first = first ? first : made;
        /* The span of the first block, and those near it, serve all rounds. */
        ptrdiff_t distance = (unsigned char *)made - (unsigned char *)first;
        assert_true(distance > -65536 && distance < 65536);
        bake_heap_free(made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_above_the_limits_have_no_block),
        cmocka_unit_test(blocks_do_not_overlap_whatever_is_freed_and_resized),
        cmocka_unit_test(freed_blocks_are_used_again),
        cmocka_unit_test(blocks_have_the_requested_alignment),
        cmocka_unit_test(threads_free_the_blocks_of_others),
        cmocka_unit_test(a_later_thread_uses_what_an_ended_thread_had),
    };
    if (bake_heap_alloc(1) || bake_heap_owns(&has_heap))
        return 1;
    has_heap = bake_heap_start();
    return cmocka_run_group_tests_name("thread_heap", tests, NULL, NULL);
}
