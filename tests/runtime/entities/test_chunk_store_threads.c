/* Chunks claimed and released by several threads at once. Each chunk is claimed once, its owner has
 * exclusive use of its bytes, and all counts stay right. */
#define _POSIX_C_SOURCE 200809L

#include "chunk_store.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 4, MEGAS = 6, CHUNKS = MEGAS * KILN_MEGA_CHUNKS };

typedef struct claims {
    kiln_chunk_store store;
    atomic_uint owners[CHUNKS + 1]; /* by number: thread plus 1, or 0 for none */
    atomic_uint wrong, left;
} claims;

typedef struct worker {
    claims *c;
    uint32_t number;
    uint64_t random;
} worker;

static uint32_t random_below(worker *w, uint32_t below)
{
    w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((w->random >> 32) * below >> 32);
}

static void expect(claims *c, bool is_so)
{
    if (!is_so)
        atomic_fetch_add(&c->wrong, 1);
}

static void own(worker *w, kiln_chunk_run run)
{
    expect(w->c, run.first >= 1 && run.count >= 1 && run.first + run.count - 1 <= CHUNKS);
    expect(w->c,
           (run.first - 1) / KILN_MEGA_CHUNKS == (run.first + run.count - 2) / KILN_MEGA_CHUNKS);
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
        expect(w->c, atomic_exchange(&w->c->owners[i], w->number + 1) == 0);
        unsigned char *memory = kiln_chunk_memory(&w->c->store, i);
        memory[0] = memory[KILN_CHUNK_SIZE - 1] = (unsigned char)(w->number + 1);
    }
}

static void disown(worker *w, kiln_chunk_run run)
{
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
        const unsigned char *memory = kiln_chunk_memory(&w->c->store, i);
        expect(w->c, memory[0] == w->number + 1 && memory[KILN_CHUNK_SIZE - 1] == w->number + 1);
        expect(w->c, atomic_exchange(&w->c->owners[i], 0) == w->number + 1);
    }
    kiln_chunk_release(&w->c->store, run);
}

static void *claim_and_release(void *arg)
{
    enum { MOST = 40 };
    worker *w = arg;
    kiln_chunk_run mine[MOST];
    uint32_t count = 0;
    for (int round = 0; round < 4000; round++) {
        uint32_t want = 1 + random_below(w, random_below(w, 5) ? 6 : 80);
        if (count < MOST && random_below(w, 2)) {
            kiln_status status = kiln_chunk_claim(&w->c->store, want, &mine[count]);
            expect(w->c, status == KILN_OK || status == KILN_LIMIT);
            if (!status) {
                expect(w->c, mine[count].count <= want);
                own(w, mine[count++]);
            }
        } else if (count > 0) {
            uint32_t at = random_below(w, count);
            disown(w, mine[at]);
            mine[at] = mine[--count];
        }
        /* Sometimes releases everything, so that mega chunks become completely free. */
        while (round % 100 == 0 && count > 0)
            disown(w, mine[--count]);
    }
    while (count > 0)
        disown(w, mine[--count]);
    atomic_fetch_sub(&w->c->left, 1);
    return NULL;
}

static void *trim_and_count(void *arg)
{
    worker *w = arg;
    while (atomic_load(&w->c->left) > 1) {
        expect(w->c, kiln_chunk_trim(&w->c->store) % KILN_MEGA_SIZE == 0);
        expect(w->c, kiln_chunk_count(&w->c->store).mega_chunks <= MEGAS);
    }
    return NULL;
}

static void run_claims(size_t max_free_bytes, uint32_t lent, void *(*first)(void *))
{
    static claims c;
    memset(&c, 0, sizeof c);
    kiln_page_source pages = kiln_page_source_default();
    kiln_world_def def = kiln_world_def_default();
    def.max_mega_chunks = MEGAS;
    def.max_free_bytes = max_free_bytes;
    def.pages = &pages;
    assert_int_equal(KILN_OK, kiln_chunk_store_init(&c.store, &def));
    void *memory = lent ? pages.map(pages.ctx, lent * KILN_MEGA_SIZE, KILN_MEGA_SIZE, false) : NULL;
    if (lent)
        assert_int_equal(KILN_OK, kiln_chunk_lend(&c.store, memory, lent));
    pthread_t threads[THREADS];
    worker workers[THREADS];
    atomic_store(&c.left, THREADS);
    for (uint32_t i = 0; i < THREADS; i++) {
        worker w = {&c, i, i * 31 + 7};
        workers[i] = w;
        assert_int_equal(
            0, pthread_create(&threads[i], NULL, i == 0 ? first : claim_and_release, &workers[i]));
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(0, atomic_load(&c.wrong));
    assert_true(kiln_chunk_store_is_valid(&c.store));
    assert_int_equal(0, kiln_chunk_count(&c.store).chunks);
    kiln_chunk_store_fini(&c.store);
    if (lent)
        pages.unmap(pages.ctx, memory, lent * KILN_MEGA_SIZE);
}

static void each_chunk_is_claimed_once(void **state)
{
    (void)state;
    run_claims(SIZE_MAX, 0, claim_and_release);
}

static void pages_are_released_during_claims(void **state)
{
    (void)state;
    run_claims(0, 0, claim_and_release);
    run_claims(SIZE_MAX, 0, trim_and_count);
}

static void *claim_everything(void *arg)
{
    worker *w = arg;
    kiln_chunk_run runs[CHUNKS];
    for (int round = 0; round < 2000; round++) {
        uint32_t count = 0;
        for (uint32_t left = CHUNKS; left > 0 && count < CHUNKS; left -= runs[count++].count) {
            if (kiln_chunk_claim(&w->c->store, left, &runs[count]) == KILN_OK)
                continue;
            expect(w->c, false);
            break;
        }
        while (count > 0)
            kiln_chunk_release(&w->c->store, runs[--count]);
    }
    atomic_fetch_sub(&w->c->left, THREADS - 1);
    return NULL;
}

/* Lets other threads run. */
static void discard_slowly(void *ctx, void *memory, size_t size)
{
    (void)ctx;
    (void)memory;
    (void)size;
    for (int i = 0; i < 10; i++)
        sched_yield();
}

static void free_chunks_are_found_while_pages_are_released(void **state)
{
    (void)state;
    static claims c;
    kiln_page_source pages = kiln_page_source_default();
    kiln_world_def def = kiln_world_def_default();
    pages.discard = discard_slowly;
    def.max_mega_chunks = MEGAS;
    def.pages = &pages;
    assert_int_equal(KILN_OK, kiln_chunk_store_init(&c.store, &def));
    atomic_store(&c.left, THREADS);
    pthread_t thread;
    worker trims = {&c, 0, 0}, claims_all = {&c, 1, 0};
    assert_int_equal(0, pthread_create(&thread, NULL, trim_and_count, &trims));
    claim_everything(&claims_all);
    pthread_join(thread, NULL);
    assert_int_equal(0, atomic_load(&c.wrong));
    assert_true(kiln_chunk_store_is_valid(&c.store));
    kiln_chunk_store_fini(&c.store);
}

static void added_chunks_are_claimed_like_others(void **state)
{
    (void)state;
    run_claims(KILN_MEGA_SIZE, 3, trim_and_count);
}

/* ---- lending ---- */

enum { LEND = 4, LEND_ROUNDS = 8000 };

typedef struct lender {
    kiln_chunk_store *store;
    pthread_barrier_t *barrier;
    unsigned char *memory; /* never touched */
    uint32_t lent;         /* mega chunks in all rounds */
} lender;

static void *lend_each_round(void *arg)
{
    lender *l = arg;
    for (int round = 0; round < LEND_ROUNDS; round++) {
        pthread_barrier_wait(l->barrier); /* a new store exists */
        if (kiln_chunk_lend(l->store, l->memory, LEND) == KILN_OK)
            l->lent += LEND;
        pthread_barrier_wait(l->barrier);
    }
    return NULL;
}

/* Space for one and a half mega chunks: the store takes the whole one and ignores the other. */
static void memory_is_added_completely_or_not_at_all(void **state)
{
    (void)state;
    kiln_page_source pages = kiln_page_source_default();
    kiln_world_def def = kiln_world_def_default();
    def.max_mega_chunks = LEND + LEND / 2;
    def.pages = &pages;
    static kiln_chunk_store store;
    pthread_barrier_t barrier;
    assert_int_equal(0, pthread_barrier_init(&barrier, NULL, THREADS + 1));
    size_t size = (size_t)LEND * KILN_MEGA_SIZE;
    pthread_t threads[THREADS];
    lender lenders[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        lender l = {&store, &barrier, pages.map(pages.ctx, size, KILN_CHUNK_ALIGN, false), 0};
        assert_non_null(l.memory);
        lenders[i] = l;
        assert_int_equal(0, pthread_create(&threads[i], NULL, lend_each_round, &lenders[i]));
    }
    uint64_t made = 0, lent = 0;
    bool is_valid = true;
    for (int round = 0; round < LEND_ROUNDS; round++) {
        is_valid = kiln_chunk_store_init(&store, &def) == KILN_OK && is_valid;
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
        made += kiln_chunk_count(&store).mega_chunks;
        is_valid = is_valid && (round % 100 != 0 || kiln_chunk_store_is_valid(&store));
        kiln_chunk_store_fini(&store);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        pages.unmap(pages.ctx, lenders[i].memory, size);
        lent += lenders[i].lent;
    }
    pthread_barrier_destroy(&barrier);
    assert_true(is_valid);
    assert_int_equal(LEND_ROUNDS * LEND, lent);
    assert_int_equal(lent, made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_chunk_is_claimed_once),
        cmocka_unit_test(pages_are_released_during_claims),
        cmocka_unit_test(free_chunks_are_found_while_pages_are_released),
        cmocka_unit_test(added_chunks_are_claimed_like_others),
        cmocka_unit_test(memory_is_added_completely_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
