/* Each operation of one thread on the data blocks runs between consecutive steps of each operation
 * of another thread: at each of the first 24 steps, and at every 17th step after them. No index may
 * be lost or used twice, and no entity may be destroyed twice. */
#include "id_counts.h"
#include "id_store.h"

#include "interrupted.h"

#include "id_blocks.c"
#include "id_counts.c"
#include "id_store.c"
#include "test_share.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { BLOCKS = 2, PLACES = BLOCKS * KILN_BLOCK_ENTITIES };

typedef struct stage {
    kiln_id_store store;
    kiln_entity common, own[2]; /* entities that the threads may destroy; version 0 means none */
    uint32_t ended;             /* how often the common entity was destroyed */
    uint32_t alive;
    void (*other)(struct stage *s, uint32_t who);
    uint32_t steps; /* steps until the other thread acts, or UINT32_MAX */
    bool is_in_other;
} stage;

static kiln_page_source libc_pages;
static size_t mapped; /* bytes */
static kiln_allocator allocator;
static stage s;
static char scenario[160]; /* printed on failure */

static void *map_counted(void *ctx, size_t size, size_t align, bool huge)
{
    void *memory = libc_pages.map(ctx, size, align, huge);
    mapped += memory ? size : 0;
    return memory;
}

static void unmap_counted(void *ctx, void *memory, size_t size)
{
    mapped -= size;
    libc_pages.unmap(ctx, memory, size);
}

static const kiln_page_source pages = {.map = map_counted, .unmap = unmap_counted};

void interrupted_here(void)
{
    if (s.is_in_other || s.steps == UINT32_MAX || s.steps-- > 0)
        return;
    s.steps = UINT32_MAX;
    s.is_in_other = true;
    s.other(&s, 1);
    s.is_in_other = false;
}

static void expect(bool is_so, const char *otherwise)
{
    if (!is_so)
        fail_msg("%s: %s", scenario, otherwise);
}

/* ---- operations of a thread ---- */

/* All new entities are alive at once. As in real threads, each thread has its own lane. */
static kiln_entity create(stage *at, uint32_t who, uint32_t want)
{
    kiln_id_run run;
    kiln_entity entity = kiln_entity_null();
    kiln_status status = kiln_id_take(&at->store, who ? ID_CHANGING : ID_ANY, want, &run);
    expect(status == KILN_OK || status == KILN_LIMIT, "an unexpected status");
    for (uint32_t i = 0; !status && i < run.count; i++) {
        kiln_record *record = kiln_id_record(&at->store, run.first + i);
        uint32_t version = atomic_load_explicit(&record->version, memory_order_relaxed);
        expect(version % 2 == 0, "an index in use");
        entity.index = run.first + i;
        entity.version = kiln_id_revive(record);
        at->alive++;
    }
    return entity;
}

static void create_one(stage *at, uint32_t who)
{
    create(at, who, 1);
}

static void create_many(stage *at, uint32_t who)
{
    create(at, who, 3000);
}

/* Takes a whole cleared block and checks the version of each index. */
static void create_whole(stage *at, uint32_t who)
{
    (void)who;
    kiln_id_whole whole;
    if (!kiln_id_take_whole(&at->store, &whole))
        return;
    expect(whole.version % 2 == 1, "a new entity that is dead");
    for (uint32_t i = 0; i < KILN_BLOCK_ENTITIES; i++) {
        uint32_t version = atomic_load_explicit(&whole.records[i].version, memory_order_relaxed);
        expect(version < whole.version, "a reused version");
        atomic_store_explicit(&whole.records[i].version, whole.version, memory_order_relaxed);
    }
    kiln_id_show(&at->store, &whole);
    at->alive += KILN_BLOCK_ENTITIES;
}

static void end_common(stage *at, uint32_t who)
{
    (void)who;
    if (at->common.version == 0 || !kiln_id_end(&at->store, at->common))
        return;
    at->ended++;
    at->alive--;
}

static void end_own(stage *at, uint32_t who)
{
    if (at->own[who].version == 0)
        return;
    expect(kiln_id_end(&at->store, at->own[who]), "an entity that died unexpectedly");
    at->own[who].version = 0;
    at->alive--;
}

static void count(stage *at, uint32_t who)
{
    (void)who;
    expect(kiln_id_count(&at->store).blocks <= BLOCKS, "too many blocks");
}

/* ---- initial states ---- */

static void empty(void)
{
}

static void a_few(void)
{
    s.common = create(&s, 0, 1);
    s.own[0] = create(&s, 0, 1);
    s.own[1] = create(&s, 0, 1);
}

static void all_but(uint32_t left)
{
    a_few();
    while (s.alive < PLACES - left)
        create(&s, 0, PLACES - left - s.alive);
}

static void one_block_full(void)
{
    all_but(KILN_BLOCK_ENTITIES);
}

static void one_place_free(void)
{
    all_but(1);
}

static void all_taken(void)
{
    all_but(0);
}

static void freed_in_a_full_block(void)
{
    all_but(KILN_BLOCK_ENTITIES);
    end_own(&s, 0);
}

static void cleared(void)
{
    one_block_full();
    kiln_id_clear(&s.store);
    s.alive = 0;
    s.common.version = s.own[0].version = s.own[1].version = 0;
}

static void all_cleared(void)
{
    all_taken();
    kiln_id_clear(&s.store);
    s.alive = 0;
    s.common.version = s.own[0].version = s.own[1].version = 0;
}

static const struct {
    const char *name;
    void (*make)(void);
} states[] = {
    {"an empty store", empty},
    {"a few entities", a_few},
    {"one block full", one_block_full},
    {"one index free", one_place_free},
    {"all indices in use", all_taken},
    {"an index freed in a full block", freed_in_a_full_block},
    {"a store that was cleared", cleared},
    {"a full store that was cleared", all_cleared},
};
static const struct {
    const char *name;
    void (*run)(stage *s, uint32_t who);
} acts[] = {{"create one", create_one},
            {"create many", create_many},
            {"create a whole block", create_whole},
            {"destroy the common entity", end_common},
            {"destroy its own entity", end_own},
            {"count", count}};
enum { STATES = sizeof states / sizeof *states, ACTS = sizeof acts / sizeof *acts };

static void begin(void)
{
    kiln_world_def def = kiln_world_def_default();
    def.max_blocks = BLOCKS;
    def.pages = &pages;
    def.allocator = &allocator;
    memset(&s, 0, sizeof s);
    s.steps = UINT32_MAX;
    assert_int_equal(KILN_OK, kiln_id_store_init(&s.store, &def));
}

/* Every index has an entity or is available. */
static void check_and_end(void)
{
    expect(kiln_id_store_is_valid(&s.store), "the store is not valid");
    expect(kiln_id_count(&s.store).live == s.alive, "a wrong count");
    expect(s.ended <= 1, "an entity that died twice");
    for (uint32_t before = UINT32_MAX; before != s.alive;) {
        before = s.alive;
        create(&s, 0, PLACES);
    }
    expect(s.alive == PLACES, "an index is lost");
    expect(kiln_id_store_is_valid(&s.store), "the store is not valid once all are taken");
    kiln_id_store_fini(&s.store);
    expect(mapped == 0, "pages are lost");
}

/* Returns false if the first thread finished before the other one acted. */
static bool interrupt(uint32_t state, uint32_t first, uint32_t other, uint32_t steps)
{
    begin();
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

static void another_thread_may_use_ids_at_any_moment(void **unused)
{
    (void)unused;
    uint32_t interruptions = 0;
    libc_pages = kiln_page_source_default();
    allocator = kiln_allocator_default();
    for (uint32_t i = 0; i < STATES * ACTS * ACTS; i++) {
        if (!test_share_has(i / STATES + i % STATES))
            continue;
        /* After its first steps, a call searches all words of a block in the same way. */
        uint32_t steps = 0;
        while (interrupt(i % STATES, i / STATES % ACTS, i / STATES / ACTS, steps)) {
            steps += steps < 24 ? 1 : 17;
            interruptions++;
        }
    }
    print_message("%u interruptions\n", interruptions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_thread_may_use_ids_at_any_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
