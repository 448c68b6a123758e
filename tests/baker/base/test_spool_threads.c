/* The spool: which bytes move to its file, their addresses, and failures. */
#include "spool.h"

#include "bake_memory.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

static unsigned opened;

static int open_file(void *ctx)
{
    FILE *file = tmpfile();
    (void)ctx;
    opened++;
    assert_non_null(file);
    int copy = dup(fileno(file));
    fclose(file);
    return copy;
}

static int open_nothing(void *ctx)
{
    (void)ctx;
    opened++;
    return -1;
}

static bake_spool *new_spool(size_t memory_max, int (*open)(void *ctx))
{
    opened = 0;
    bake_spool *spool = bake_spool_create(&(bake_spool_def){memory_max, open, NULL});
    assert_non_null(spool);
    return spool;
}

/* Returns a spool that has a file. */
static bake_spool *open_spool(void)
{
    bake_spool *spool = new_spool(0, open_file);
    assert_null(bake_spool_put(spool, "x", 1, 1));
    bake_spool_open(spool);
    assert_int_equal(opened, 1);
    return spool;
}

static int has_spools(void **state)
{
    (void)state;
#ifdef __linux__
    return 0;
#else
    return 1;
#endif
}

static unsigned char sign(size_t number, size_t i)
{
    return (unsigned char)(number * 31 + i + (i >> 8) * 7);
}

static void fill(unsigned char *block, size_t number, size_t size)
{
    for (size_t i = 0; i < size; i++)
        block[i] = sign(number, i);
}

static void check(const unsigned char *block, size_t number, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (block[i] != sign(number, i))
            fail_msg("byte %zu of block %zu is %u", i, number, block[i]);
}

static void bytes_beyond_the_limit_are_in_the_file(void **state)
{
    /* The largest block counts three times. The block that exceeds the limit stays, too. */
    static const struct {
        size_t memory_max, size, staying;
    } rows[] = {
        {0, 1, 1}, {0, 5000, 1}, {1, 1, 5}, {100, 1, 104}, {1000, 100, 14}, {999, 100, 13},
    };
    unsigned char block[5000];
    (void)state;
    fill(block, 0, sizeof block);
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        bake_spool *spool = new_spool(rows[row].memory_max, open_file);
        size_t staying = 0;
        while (!bake_spool_put(spool, block, rows[row].size, 1) && staying < 1000) {
            staying++;
            bake_spool_open(spool);
        }
        assert_int_equal(staying, rows[row].staying);
        assert_true(bake_spool_is_used(spool));
        assert_non_null(bake_spool_put(spool, block, rows[row].size, 1));
        assert_int_equal(opened, 1);
        bake_spool_destroy(spool);
    }
}

static void only_the_owner_opens_the_file(void **state)
{
    bake_spool *spool = new_spool(10, open_file);
    (void)state;
    bake_spool_open(spool);
    assert_int_equal(opened, 0);
    assert_null(bake_spool_put(spool, "0123456789", 10, 1));
    assert_false(bake_spool_wants_file(spool));
    for (size_t i = 0; i < 50; i++)
        assert_null(bake_spool_put(spool, "0123456789", 1 + i % 10, 1));
    assert_true(bake_spool_wants_file(spool));
    assert_int_equal(opened, 0);
    bake_spool_open(spool);
    assert_int_equal(opened, 1);
    assert_false(bake_spool_wants_file(spool));
    assert_non_null(bake_spool_put(spool, "x", 1, 1));
    bake_spool_destroy(spool);
}

static void a_larger_block_stays_and_lets_others_stay(void **state)
{
    unsigned char *block = bake_alloc_array(1, MIB);
    bake_spool *spool = new_spool(100, open_file);
    (void)state;
    assert_non_null(block);
    assert_null(bake_spool_put(spool, block, 100, 1));
    assert_null(bake_spool_put(spool, block, 200, 1));
    assert_null(bake_spool_put(spool, block, 300, 1));
    assert_null(bake_spool_put(spool, block, MIB, 1));
    assert_int_equal(opened, 0);
    assert_false(bake_spool_is_used(spool));
    bake_spool_destroy(spool);
    bake_free(block);
}

/* The first chunk has 32 MiB. */
static void every_address_is_aligned_and_keeps_its_bytes(void **state)
{
    static const size_t sizes[] = {1,  4095, 4097, 3 * MIB + 1,   20 * MIB,
                                   17, 9,    8,    20 * MIB + 13, 70 * MIB};
    enum { COUNT = sizeof sizes / sizeof *sizes, SHOWN = 4096 };
    static const size_t aligns[] = {1, 16, 64, 4096};
    const unsigned char *places[COUNT];
    unsigned char *block = bake_alloc_array(1, 70 * MIB);
    bake_spool *spool = open_spool();
    (void)state;
    assert_non_null(block);
    for (size_t i = 0; i < COUNT; i++) {
        size_t shown = sizes[i] < SHOWN ? sizes[i] : SHOWN;
        fill(block, i, shown);
        fill(block + sizes[i] - shown, i, shown);
        places[i] = bake_spool_put(spool, block, sizes[i], aligns[i % 4]);
        assert_non_null(places[i]);
        assert_int_equal((uintptr_t)places[i] % aligns[i % 4], 0);
    }
    bake_spool_touch(spool, SIZE_MAX / 2);
    for (size_t i = 0; i < COUNT; i++) {
        size_t shown = sizes[i] < SHOWN ? sizes[i] : SHOWN;
        check(places[i] + sizes[i] - shown, i, shown);
    }
    bake_spool_destroy(spool);
    bake_free(block);
}

/* The mapped bytes of this process; 0 if unknown. */
static size_t mapped_size(void)
{
    size_t file = 0, shared = 0;
    char line[200];
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status)) {
        if (strncmp(line, "RssFile:", 8) == 0)
            file = (size_t)strtoul(line + 8, NULL, 10) * KIB;
        if (strncmp(line, "RssShmem:", 9) == 0)
            shared = (size_t)strtoul(line + 9, NULL, 10) * KIB;
    }
    if (status)
        fclose(status);
    return file + shared;
}

static void pages_that_were_read_are_released(void **state)
{
    enum { COUNT = 64 };
    unsigned char *block = bake_alloc_array(1, MIB);
    bake_spool *spool = open_spool();
    const unsigned char *places[COUNT];
    size_t before = mapped_size();
    (void)state;
    assert_non_null(block);
    memset(block, 5, MIB);
    for (size_t i = 0; i < COUNT; i++)
        assert_non_null(places[i] = bake_spool_put(spool, block, MIB, 1));
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t at = 0; at < MIB; at += 4096)
            assert_int_equal(places[i][at], 5);
        bake_spool_touch(spool, MIB);
    }
    assert_true(mapped_size() < before + 16 * MIB);
    bake_spool_destroy(spool);
    bake_free(block);
}

static void a_buffer_keeps_its_bytes_when_it_moves(void **state)
{
    kiln_allocator allocator = bake_memory_allocator();
    bake_spool *spool = new_spool(1000, open_file);
    (void)state;
    for (size_t i = 0; i < 10; i++) {
        kiln_buffer buffer = {allocator.alloc(allocator.ctx, 512, 64), 512, allocator};
        assert_non_null(buffer.data);
        const unsigned char *old = buffer.data;
        fill(buffer.data, i, 512);
        bake_spool_move(spool, &buffer, 64);
        bake_spool_open(spool);
        assert_true((buffer.data == old) == (i < 5));
        assert_int_equal(buffer.size, 512);
        assert_int_equal((uintptr_t)buffer.data % 64, 0);
        check(buffer.data, i, 512);
        kiln_buffer_fini(&buffer);
        assert_null(buffer.data);
    }
    bake_spool_destroy(spool);
}

static void without_a_file_everything_stays_in_memory(void **state)
{
    bake_spool *spool = new_spool(0, open_nothing);
    (void)state;
    for (size_t i = 0; i < 5; i++)
        assert_null(bake_spool_put(spool, "x", 1, 1));
    assert_int_equal(opened, 0);
    for (size_t i = 0; i < 5; i++)
        bake_spool_open(spool);
    assert_int_equal(opened, 1);
    assert_null(bake_spool_put(spool, "x", 1, 1));
    assert_false(bake_spool_wants_file(spool));
    assert_false(bake_spool_is_used(spool));
    bake_spool_touch(spool, SIZE_MAX);
    bake_spool_destroy(spool);
    assert_null(bake_spool_put(NULL, "x", 1, 1));
    assert_false(bake_spool_is_used(NULL));
    bake_spool_touch(NULL, 1);
    bake_spool_destroy(NULL);
}

/* A limit on the size of files has the effect of a full disk. */
static void when_the_disk_is_full_later_bytes_stay_in_memory(void **state)
{
    struct rlimit before, small;
    unsigned char *block = bake_alloc_array(1, MIB);
    bake_spool *spool = open_spool();
    (void)state;
    assert_non_null(block);
    fill(block, 1, 4096);
    const unsigned char *first = bake_spool_put(spool, block, MIB, 1);
    assert_non_null(first);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = MIB + MIB / 2;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const void *second = bake_spool_put(spool, block, MIB, 1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_null(second);
    assert_null(bake_spool_put(spool, block, 1, 1));
    check(first, 1, 4096);
    bake_spool_destroy(spool);
    bake_free(block);
}

static void creation_without_memory_returns_null(void **state)
{
    (void)state;
    bake_memory_fail_after(0);
    bake_spool *spool = bake_spool_create(&(bake_spool_def){0, open_nothing, NULL});
    bake_memory_fail_after(-1);
    assert_null(spool);
}

enum { THREADS = 4, EACH = 100, LENGTH = 1000 };

typedef struct worker {
    pthread_t thread;
    bake_spool *spool;
    size_t number;
    bool failed;
} worker;

static void *put_and_read(void *ctx)
{
    worker *w = ctx;
    const unsigned char *places[EACH];
    unsigned char block[LENGTH];
    for (size_t i = 0; i < EACH; i++) {
        size_t number = w->number * EACH + i;
        fill(block, number, LENGTH);
        places[i] = bake_spool_put(w->spool, block, LENGTH, 64);
        w->failed = w->failed || !places[i];
        bake_spool_touch(w->spool, MIB);
        for (size_t k = 0; !w->failed && k <= i; k += 20) {
            fill(block, w->number * EACH + k, LENGTH);
            w->failed = memcmp(places[k], block, LENGTH) != 0;
        }
    }
    return NULL;
}

static void threads_share_a_spool(void **state)
{
    worker workers[THREADS];
    bake_spool *spool = open_spool();
    (void)state;
    for (size_t i = 0; i < THREADS; i++) {
        workers[i] = (worker){.spool = spool, .number = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, put_and_read, &workers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_false(workers[i].failed);
    }
    assert_int_equal(opened, 1);
    bake_spool_destroy(spool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_beyond_the_limit_are_in_the_file),
        cmocka_unit_test(only_the_owner_opens_the_file),
        cmocka_unit_test(a_larger_block_stays_and_lets_others_stay),
        cmocka_unit_test(every_address_is_aligned_and_keeps_its_bytes),
        cmocka_unit_test(pages_that_were_read_are_released),
        cmocka_unit_test(a_buffer_keeps_its_bytes_when_it_moves),
        cmocka_unit_test(without_a_file_everything_stays_in_memory),
        cmocka_unit_test(when_the_disk_is_full_later_bytes_stay_in_memory),
        cmocka_unit_test(creation_without_memory_returns_null),
        cmocka_unit_test(threads_share_a_spool),
    };
    if (has_spools(NULL) != 0)
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
