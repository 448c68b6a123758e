/* Two threads repeatedly do the same thing, or opposite things, at the same moment, to hit the few
 * instructions in which they could interfere. */
#include "chunk_store.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROUNDS = 500 };

typedef struct pair {
    kiln_world *world;
    kiln_chunk_store store;
    kiln_entity entities[2];
    kiln_chunk_run runs[2];
    kiln_status status[2];
} pair;

/* One kind of encounter: `prepare` and `check` run alone, `act` runs on both threads at once with
 * the thread's number. */
typedef struct meeting {
    void (*prepare)(pair *p);
    void (*act)(pair *p, uint32_t who);
    void (*check)(pair *p);
} meeting;

typedef struct visitor {
    const meeting *meeting;
    pair *p;
    atomic_uint arrived; /* total arrivals of both */
} visitor;

static void wait_for_both(visitor *v, uint32_t times)
{
    atomic_fetch_add(&v->arrived, 1);
    for (uint32_t looks = 0; atomic_load(&v->arrived) < 2 * times; looks++)
        if (looks % 1024 == 1023)
            sched_yield();
}

static void *visit(void *arg)
{
    visitor *v = arg;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        wait_for_both(v, 2 * round + 1);
        v->meeting->act(v->p, 1);
        wait_for_both(v, 2 * round + 2);
    }
    return NULL;
}

/* cmocka leaves a failed test with longjmp while the other thread still runs. Errors are therefore
 * counted and reported at the end. */
static uint32_t wrong;

static void expect(bool is_so)
{
    wrong += !is_so;
}

static void meet(pair *p, const meeting *m)
{
    visitor v = {m, p, 0};
    pthread_t other;
    wrong = 0;
    assert_int_equal(0, pthread_create(&other, NULL, visit, &v));
    for (uint32_t round = 0; round < ROUNDS; round++) {
        m->prepare(p);
        wait_for_both(&v, 2 * round + 1);
        m->act(p, 0);
        wait_for_both(&v, 2 * round + 2);
        m->check(p);
    }
    pthread_join(other, NULL);
    assert_int_equal(0, wrong);
}

static kiln_world *make_world(uint32_t max_blocks)
{
    kiln_world *world = NULL;
    kiln_world_def def = kiln_world_def_default();
    def.max_blocks = max_blocks;
    def.max_mega_chunks = 1;
    expect(kiln_world_create(&def, &world) == KILN_OK);
    return world;
}

/* ---- ids ---- */

static void prepare_common(pair *p)
{
    expect(kiln_entity_create_empty(p->world, 1, p->entities) == KILN_OK);
}

static void destroy_common(pair *p, uint32_t who)
{
    p->status[who] = kiln_entity_destroy(p->world, p->entities[0]);
}

static void check_one_destroyed(pair *p)
{
    expect((p->status[0] == KILN_OK && p->status[1] == KILN_DEAD) ||
           (p->status[0] == KILN_DEAD && p->status[1] == KILN_OK));
    expect(!kiln_entity_exists(p->world, p->entities[0]));
}

static void one_of_two_destructions_of_an_entity_succeeds(void **state)
{
    (void)state;
    static const meeting m = {prepare_common, destroy_common, check_one_destroyed};
    pair p = {.world = make_world(1)};
    meet(&p, &m);
    assert_true(kiln_world_is_valid(p.world));
    kiln_world_destroy(p.world);
}

static void prepare_world(pair *p)
{
    p->world = make_world(2);
}

static void create_first(pair *p, uint32_t who)
{
    p->status[who] = kiln_entity_create_empty(p->world, 1, &p->entities[who]);
}

static void check_two_created(pair *p)
{
    expect(p->status[0] == KILN_OK && p->status[1] == KILN_OK);
    expect(p->entities[0].index != p->entities[1].index);
    expect(kiln_entity_exists(p->world, p->entities[0]));
    expect(kiln_entity_exists(p->world, p->entities[1]));
    expect(kiln_world_is_valid(p->world));
    kiln_world_destroy(p->world);
}

static void two_threads_that_need_the_first_block_get_one_each(void **state)
{
    (void)state;
    static const meeting m = {prepare_world, create_first, check_two_created};
    pair p = {0};
    meet(&p, &m);
}

/* All indices are in use. One is freed while another thread searches for one. */
static void free_or_take(pair *p, uint32_t who)
{
    p->status[who] = who ? kiln_entity_destroy(p->world, p->entities[0])
                         : kiln_entity_create_empty(p->world, 1, &p->entities[1]);
}

static void check_freed_is_found(pair *p)
{
    expect(p->status[1] == KILN_OK);
    expect(p->status[0] == KILN_OK || p->status[0] == KILN_LIMIT);
    if (p->status[0] == KILN_LIMIT)
        expect(kiln_entity_create_empty(p->world, 1, &p->entities[1]) == KILN_OK);
    p->entities[0] = p->entities[1];
}

static void prepare_nothing(pair *p)
{
    (void)p;
}

static void an_id_freed_while_its_block_is_closed_is_not_lost(void **state)
{
    (void)state;
    static const meeting m = {prepare_nothing, free_or_take, check_freed_is_found};
    static kiln_entity entities[KILN_BLOCK_ENTITIES];
    pair p = {.world = make_world(1)};
    assert_int_equal(KILN_OK, kiln_entity_create_empty(p.world, KILN_BLOCK_ENTITIES, entities));
    p.entities[0] = entities[77];
    meet(&p, &m);
    assert_true(kiln_world_is_valid(p.world));
    kiln_world_destroy(p.world);
}

/* ---- chunks ---- */

static kiln_page_source pages;

static void make_store(pair *p)
{
    kiln_world_def def = kiln_world_def_default();
    pages = kiln_page_source_default();
    def.max_mega_chunks = 1;
    def.pages = &pages;
    assert_int_equal(KILN_OK, kiln_chunk_store_init(&p->store, &def));
}

/* One chunk is free. It is claimed while another one is released, which must then be found. */
static void claim_or_release(pair *p, uint32_t who)
{
    if (who)
        kiln_chunk_release(&p->store, p->runs[1]);
    else
        p->status[0] = kiln_chunk_claim(&p->store, 1, &p->runs[0]);
}

static void check_released_is_found(pair *p)
{
    expect(p->status[0] == KILN_OK);
    kiln_chunk_run run = {0, 0};
    expect(kiln_chunk_claim(&p->store, 1, &run) == KILN_OK);
    kiln_chunk_release(&p->store, p->runs[0]);
    p->runs[1] = run;
}

static void a_chunk_released_while_the_last_one_is_claimed_is_not_lost(void **state)
{
    (void)state;
    static const meeting m = {prepare_nothing, claim_or_release, check_released_is_found};
    pair p = {0};
    make_store(&p);
    kiln_chunk_run all;
    assert_int_equal(KILN_OK, kiln_chunk_claim(&p.store, KILN_MEGA_CHUNKS, &all));
    kiln_chunk_run first = {all.first, 1}, second = {all.first + 1, 1};
    kiln_chunk_release(&p.store, first);
    p.runs[1] = second;
    meet(&p, &m);
    assert_true(kiln_chunk_store_is_valid(&p.store));
    kiln_chunk_store_fini(&p.store);
}

static void prepare_untouched(pair *p)
{
    kiln_chunk_trim(&p->store);
}

static void claim_one(pair *p, uint32_t who)
{
    p->status[who] = kiln_chunk_claim(&p->store, 1, &p->runs[who]);
}

static void check_two_claimed(pair *p)
{
    expect(p->status[0] == KILN_OK && p->status[1] == KILN_OK);
    expect(p->runs[0].first != p->runs[1].first);
    expect(atomic_load(&p->store.idle) == 0);
    kiln_chunk_release(&p->store, p->runs[0]);
    kiln_chunk_release(&p->store, p->runs[1]);
    expect(atomic_load(&p->store.idle) == 1);
}

static void a_mega_chunk_first_used_by_two_threads_counts_once(void **state)
{
    (void)state;
    static const meeting m = {prepare_untouched, claim_one, check_two_claimed};
    pair p = {0};
    make_store(&p);
    kiln_chunk_run run;
    assert_int_equal(KILN_OK, kiln_chunk_claim(&p.store, 1, &run));
    kiln_chunk_release(&p.store, run);
    meet(&p, &m);
    assert_true(kiln_chunk_store_is_valid(&p.store));
    kiln_chunk_store_fini(&p.store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_of_two_destructions_of_an_entity_succeeds),
        cmocka_unit_test(two_threads_that_need_the_first_block_get_one_each),
        cmocka_unit_test(an_id_freed_while_its_block_is_closed_is_not_lost),
        cmocka_unit_test(a_chunk_released_while_the_last_one_is_claimed_is_not_lost),
        cmocka_unit_test(a_mega_chunk_first_used_by_two_threads_counts_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
