/* The cost of reading while another thread keeps changing the table, in nanoseconds of the readers'
 * own CPU time per read. This includes the effect of changes on caches and memory, but not the time
 * when another thread runs on the same CPU. */
#define _POSIX_C_SOURCE 200809L

#include "baselines.h"
#include "bench_items.h"
#include "bench_types.h"
#include "probe_assets.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { READERS = 2, ROUNDS = 9, PASSES = 50, FRAME = 1000, PATCH_DIVISOR = 100 };

typedef struct beside {
    uint32_t count, passes;
    kiln_buffer base, patch;
    kiln_assets *assets;
    const bench_Item_ref *ids;
    kiln_ref *words;
    atomic_bool ends;
    uint64_t changes;
} beside;

typedef struct reader {
    beside *b;
    double spent;
    uint64_t sum;
} reader;

static double thread_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Alternates between handles and ids. */
static uint64_t read_frame(const beside *b, uint32_t from, uint32_t end)
{
    const kiln_slots *slots = kiln_assets_get_slots(b->assets);
    uint64_t sum = 0;
    for (uint32_t i = from; i < end; i += 2) {
        const bench_Item *first = kiln_ref_get(slots, b->words[i]);
        const bench_Item *second = kiln_assets_get(b->assets, b->ids[i + 1].id);
        if (first && second)
            sum += first->price + second->price;
    }
    return sum;
}

static void *read_all(void *ctx)
{
    reader *r = ctx;
    const beside *b = r->b;
    kiln_assets_thread *thread = kiln_assets_thread_register(b->assets);
    if (!thread)
        bench_items_fail(KILN_NO_MEMORY);
    double start = thread_now();
    for (uint32_t pass = 0; pass < b->passes; pass++)
        for (uint32_t i = 0; i + FRAME <= b->count; i += FRAME) {
            r->sum += read_frame(b, i, i + FRAME);
            kiln_assets_thread_quiescent(thread);
        }
    r->spent = thread_now() - start;
    kiln_assets_thread_unregister(thread);
    return NULL;
}

static void *change_all(void *ctx)
{
    beside *b = ctx;
    while (!atomic_load(&b->ends)) {
        kiln_mount mount = bench_items_mount(b->assets, &b->patch, 1);
        bench_items_expect(kiln_assets_unmount(b->assets, mount, KILN_UNMOUNT_REFUSE, NULL));
        b->changes++;
    }
    return NULL;
}

static void start(pthread_t *thread, void *(*run)(void *), void *ctx)
{
    if (pthread_create(thread, NULL, run, ctx) != 0) {
        fputs("cannot start a thread\n", stderr);
        exit(2);
    }
}

/* Nanoseconds per read. */
static double run_readers(beside *b, bool is_disturbed)
{
    reader readers[READERS] = {{b, 0, 0}, {b, 0, 0}};
    pthread_t threads[READERS], changer;
    double spent = 0;
    atomic_store(&b->ends, false);
    if (is_disturbed)
        start(&changer, change_all, b);
    for (int i = 0; i < READERS; i++)
        start(&threads[i], read_all, &readers[i]);
    for (int i = 0; i < READERS; i++) {
        pthread_join(threads[i], NULL);
        spent += readers[i].spent;
        bench_sink = bench_sink + readers[i].sum;
    }
    atomic_store(&b->ends, true);
    if (is_disturbed)
        pthread_join(changer, NULL);
    return spent / READERS / b->passes / (b->count / FRAME * FRAME);
}

static void begin(beside *b)
{
    bench_items_def base = {0, b->count, 3, true, 0, 0},
                    patch = {0, b->count / PATCH_DIVISOR, 4, false, 0, 0};
    kiln_load_args load = {.name = "Shelf/all", .by = KILN_HERE};
    kiln_ref shelf;
    b->base = bench_items_write(&base);
    b->patch = bench_items_write(&patch);
    b->assets = bench_items_table();
    bench_items_mount(b->assets, &b->base, 0);
    bench_items_expect(kiln_assets_load(b->assets, &load, &shelf, NULL));
    const bench_Shelf *root = kiln_ref_get(kiln_assets_get_slots(b->assets), shelf);
    b->ids = bench_Item_ref_array_data(&root->items);
    b->words = baseline_array(b->count, sizeof *b->words);
    for (uint32_t i = 0; i < b->count; i++) {
        kiln_ref item = kiln_ref_from_pointer(kiln_assets_get(b->assets, b->ids[i].id));
        bench_items_expect(
            kiln_assets_take(b->assets, item, KILN_REF_WEAK, KILN_HERE, &b->words[i]));
    }
}

const char *probe_read_beside(const char *count, bench_pair *ret_pair)
{
    double ours[ROUNDS], baseline[ROUNDS];
    beside b = {.count = (uint32_t)strtoul(count, NULL, 10), .passes = PASSES};
    if (b.count < FRAME)
        return "FAILED: too few assets";
    begin(&b);
    run_readers(&b, true);
    for (int round = 0; round < ROUNDS; round++) {
        baseline[round] = run_readers(&b, false);
        ours[round] = run_readers(&b, true);
    }
    ret_pair->ours = bench_median(ours, ROUNDS);
    ret_pair->baseline = bench_median(baseline, ROUNDS);
    return b.changes >= ROUNDS ? NULL : "FAILED: too few mounts during the measurement";
}
