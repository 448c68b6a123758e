/* Each operation of one thread on the chunk store runs between every two consecutive steps of each
 * operation of another thread. No chunk may be lost or claimed twice, and all counts must be right.
 *
 * The other thread's operation runs to completion while the first one is interrupted, so the first
 * must not wait for it forever. */
#define CHUNK_LOOKS_MOST 3
#include "chunk_store.h"

#include "interrupted.h"

#include "chunk_store.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MEGAS = 2, CHUNKS = MEGAS * KILN_MEGA_CHUNKS };

typedef struct stage stage;
typedef void (*act)(stage *s, uint32_t who);

struct stage {
    kiln_chunk_store store;
    kiln_chunk_run held[2]; /* freed by each thread's `release` */
    kiln_chunk_run got[2];  /* count 0 means none */
    kiln_chunk_run kept;    /* stays claimed: neither thread releases it */
    unsigned char *lent;
    act other;
    uint32_t steps; /* steps until the other thread acts, or UINT32_MAX */
    bool is_in_other;
};

static kiln_page_source pages;
static stage s;
static char scenario[160]; /* printed on failure */

void interrupted_here(void)
{
    if (s.is_in_other || s.steps == UINT32_MAX || s.steps-- > 0)
        return;
    s.steps = UINT32_MAX;
    s.is_in_other = true;
    s.other(&s, 1);
    s.is_in_other = false;
}

/* ---- operations of a thread ---- */

static void claim(stage *at, uint32_t who, uint32_t want)
{
    kiln_status status = kiln_chunk_claim(&at->store, want, &at->got[who]);
    assert_true(status == KILN_OK || status == KILN_LIMIT);
    if (status)
        at->got[who].count = 0;
}

static void claim_one(stage *at, uint32_t who)
{
    claim(at, who, 1);
}

static void claim_many(stage *at, uint32_t who)
{
    claim(at, who, KILN_MEGA_CHUNKS);
}

static void release(stage *at, uint32_t who)
{
    if (at->held[who].count > 0)
        kiln_chunk_release(&at->store, at->held[who]);
    at->held[who].count = 0;
}

static void trim(stage *at, uint32_t who)
{
    (void)who;
    assert_int_equal(0, kiln_chunk_trim(&at->store) % KILN_MEGA_SIZE);
}

static void lend(stage *at, uint32_t who)
{
    kiln_status status = kiln_chunk_lend(&at->store, at->lent + who * (size_t)KILN_MEGA_SIZE, 1);
    assert_true(status == KILN_OK || status == KILN_LIMIT);
}

/* ---- initial states ---- */

static kiln_chunk_run claimed(uint32_t want)
{
    kiln_chunk_run run = {0, 0};
    assert_int_equal(KILN_OK, kiln_chunk_claim(&s.store, want, &run));
    assert_int_equal(want, run.count);
    return run;
}

static void empty(void)
{
}

/* Both threads hold one chunk, and the others are free. */
static void nearly_free(void)
{
    s.held[0] = claimed(1);
    s.held[1] = claimed(1);
}

/* One thread holds all chunks of a mega chunk except one. */
static void one_is_free(void)
{
    s.held[0] = claimed(KILN_MEGA_CHUNKS - 1);
    s.held[1] = claimed(KILN_MEGA_CHUNKS);
}

/* Again all chunks except one are held, but each thread holds a part of them. */
static void one_is_free_between(void)
{
    s.held[0] = claimed(31);
    s.held[1] = claimed(32);
    s.kept = claimed(KILN_MEGA_CHUNKS);
}

static void all_taken(void)
{
    s.held[0] = claimed(KILN_MEGA_CHUNKS);
    s.held[1] = claimed(KILN_MEGA_CHUNKS);
}

static void all_free_and_touched(void)
{
    kiln_chunk_release(&s.store, claimed(KILN_MEGA_CHUNKS));
}

static void all_free_and_untouched(void)
{
    all_free_and_touched();
    kiln_chunk_trim(&s.store);
}

static const struct {
    const char *name;
    void (*make)(void);
} states[] = {
    {"an empty store", empty},
    {"two chunks in use", nearly_free},
    {"one chunk free", one_is_free},
    {"one chunk free between two parts", one_is_free_between},
    {"all chunks in use", all_taken},
    {"a mega chunk free and touched", all_free_and_touched},
    {"a mega chunk free and untouched", all_free_and_untouched},
};
static const struct {
    const char *name;
    act run;
} acts[] = {{"claim one", claim_one},
            {"claim many", claim_many},
            {"release", release},
            {"trim", trim},
            {"lend", lend}};
enum { STATES = sizeof states / sizeof *states, ACTS = sizeof acts / sizeof *acts };

static void begin(size_t max_free_bytes)
{
    kiln_world_def def = kiln_world_def_default();
    def.max_mega_chunks = MEGAS;
    def.max_free_bytes = max_free_bytes;
    def.pages = &pages;
    unsigned char *lent = s.lent;
    memset(&s, 0, sizeof s);
    s.lent = lent;
    s.steps = UINT32_MAX;
    assert_int_equal(KILN_OK, kiln_chunk_store_init(&s.store, &def));
}

static void expect(bool is_so, const char *otherwise)
{
    if (!is_so)
        fail_msg("%s: %s", scenario, otherwise);
}

static void mark_owned(bool *is_owned, kiln_chunk_run run)
{
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
        expect(i >= 1 && i <= CHUNKS && !is_owned[i], "a chunk claimed twice");
        is_owned[i] = true;
    }
}

/* Every chunk that is not held can be claimed exactly once. */
static void check_and_end(void)
{
    bool is_owned[CHUNKS + 1] = {false};
    uint32_t count = s.kept.count;
    mark_owned(is_owned, s.kept);
    expect(kiln_chunk_store_is_valid(&s.store), "the store is not valid");
    for (uint32_t i = 0; i < 2; i++) {
        mark_owned(is_owned, s.held[i]);
        mark_owned(is_owned, s.got[i]);
        count += s.held[i].count + s.got[i].count;
    }
    expect(count == kiln_chunk_count(&s.store).chunks, "a wrong count");
    for (kiln_chunk_run run; kiln_chunk_claim(&s.store, 64, &run) == KILN_OK; count += run.count)
        mark_owned(is_owned, run);
    expect(count == CHUNKS, "a chunk is lost");
    expect(kiln_chunk_store_is_valid(&s.store), "the store is not valid once all are claimed");
    kiln_chunk_store_fini(&s.store);
}

/* Returns false if the first thread finished before the other one acted. */
static bool interrupt(size_t max_free_bytes, uint32_t state, uint32_t first, uint32_t other,
                      uint32_t steps)
{
    begin(max_free_bytes);
    snprintf(scenario, sizeof scenario, "%s: %s, interrupted at step %u by: %s", states[state].name,
             acts[first].name, steps, acts[other].name);
    states[state].make();
    s.other = acts[other].run;
    s.steps = steps;
    acts[first].run(&s, 0);
    bool was_interrupted = s.steps == UINT32_MAX;
    s.steps = UINT32_MAX;
    check_and_end();
    return was_interrupted;
}

static void another_thread_may_use_chunks_at_any_moment(void **unused)
{
    (void)unused;
    static const size_t kept[] = {0, SIZE_MAX};
    uint32_t interruptions = 0;
    pages = kiln_page_source_default();
    s.lent = pages.map(pages.ctx, 2 * KILN_MEGA_SIZE, KILN_MEGA_SIZE, false);
    assert_non_null(s.lent);
    for (uint32_t i = 0; i < 2 * STATES * ACTS * ACTS; i++) {
        uint32_t steps = 0;
        while (interrupt(kept[i % 2], i / 2 % STATES, i / 2 / STATES % ACTS, i / 2 / STATES / ACTS,
                         steps))
            steps++;
        interruptions += steps;
    }
    print_message("%u interruptions\n", interruptions);
    pages.unmap(pages.ctx, s.lent, 2 * KILN_MEGA_SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_thread_may_use_chunks_at_any_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
