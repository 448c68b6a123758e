/* Runs a million random steps on a pool and a naive reference: an array of slots and a plain list
 * of the free ones. Some pools are trimmed. Each object must end exactly once. `test_pool_history
 * SEED [STEPS]`, or KILN_SEED, replays a history. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "counting_pages.h"
#include "pool_state.h"
#include <kiln/pool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_MAX = 1500, PAST_MAX = 512, BATCH_MAX = 40, SLABS_MAX = 16 };

static uint64_t seed = 1;
static unsigned steps_in_all = 1000000;

typedef struct model_slot {
    kiln_pool_handle handle; /* of its last object */
    uint32_t stamp;          /* content of its object */
    bool alive, retired;
    bool ended;   /* `on_end` was called, but note_destroyed was not yet */
    bool trimmed; /* since its last object */
} model_slot;

typedef struct model {
    uint64_t random;
    kiln_pool_def def;
    kiln_pool *pool;
    model_slot slots[SLOTS_MAX];
    uint32_t used, live, retired;
    uint32_t waiting[SLOTS_MAX], waiting_count; /* free slots, oldest first */
    uint32_t alive[SLOTS_MAX];                  /* slots in any order */
    uint32_t place[SLOTS_MAX];                  /* position of a slot in `alive` */
    kiln_pool_handle past[PAST_MAX];            /* handles of destroyed objects */
    uint32_t past_count, stamp;
    uint32_t created, ends;
    counting_pages pages;
    bool trims;               /* all slabs are from `pages` */
    bool ages;                /* slots retire */
    uint32_t first;           /* slots of the first slab */
    uint32_t base[SLABS_MAX]; /* highest version of each slab when it was trimmed */
} model;

/* Too large for the stack. */
static model m;

static uint32_t below(uint32_t limit)
{
    uint64_t z = (m.random += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) % limit);
}

/* cmocka's own checks cost more than the steps. */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_msg("%s", #condition);                                                            \
    } while (0)

/* If the pool has an `on_end`, the last bytes of each object are the number of its slot. */
static void fill(uint32_t slot)
{
    unsigned char *object = m.slots[slot].handle.object;
    m.slots[slot].stamp = ++m.stamp;
    memcpy(object, &m.stamp, sizeof m.stamp);
    if (m.def.on_end)
        memcpy(object + m.def.size - sizeof slot, &slot, sizeof slot);
    else
        object[m.def.size - 1] = (unsigned char)m.stamp;
}

static void check_object(uint32_t slot)
{
    const model_slot *s = m.slots + slot;
    const unsigned char *object = kiln_pool_get(m.pool, s->handle);
    uint32_t stamp;
    CHECK(object == s->handle.object);
    memcpy(&stamp, object, sizeof stamp);
    CHECK(m.def.size == sizeof stamp || m.def.on_end ||
          object[m.def.size - 1] == (unsigned char)s->stamp);
    CHECK(m.def.size == sizeof stamp ? (stamp & 0xffffff) == (s->stamp & 0xffffff)
                                     : stamp == s->stamp);
}

static unsigned slab_of(uint32_t slot)
{
    unsigned slab = 0;
    for (uint32_t end = m.first; slot >= end; end += m.first << slab)
        slab++;
    return slab;
}

/* The pool's `on_end`. */
static void note_end(void *ctx, void *object)
{
    model *reference = ctx;
    uint32_t number;
    CHECK(ctx == &m);
    memcpy(&number, (unsigned char *)object + m.def.size - sizeof number, sizeof number);
    CHECK(number < m.used);
    model_slot *s = reference->slots + number;
    CHECK(s->handle.object == object && s->alive && !s->ended);
    CHECK(kiln_pool_check(m.pool, s->handle) ==
          (s->handle.version == POOL_VERSION_RETIRED - 1 ? KILN_POOL_RETIRED : KILN_POOL_STALE));
    s->ended = true;
    reference->ends++;
}

/* Checks that the pool returned the same handle as the reference. */
static void note_created(kiln_pool_handle handle)
{
    uint32_t slot = m.waiting_count ? m.waiting[0] : m.trims ? handle.slot : m.used;
    model_slot *s = m.slots + slot;
    CHECK(handle.slot == slot);
    if (m.waiting_count) {
        memmove(m.waiting, m.waiting + 1, --m.waiting_count * sizeof *m.waiting);
        CHECK(handle.object == s->handle.object);
        CHECK(handle.version == s->handle.version + 2);
    } else {
        CHECK(slot == m.used || s->trimmed);
        CHECK(slot == m.used || handle.object == s->handle.object);
        CHECK(handle.version == m.base[slab_of(slot)] + 1);
        CHECK(handle.version > s->handle.version);
        CHECK((uintptr_t)handle.object % m.def.align == 0);
        m.used += slot == m.used;
    }
    for (size_t i = 0; i < m.def.size && m.def.zeroed; i++)
        CHECK(((unsigned char *)handle.object)[i] == 0);
    s->handle = handle;
    s->alive = true;
    s->trimmed = false;
    m.created++;
    m.place[slot] = m.live;
    m.alive[m.live++] = slot;
    fill(slot);
}

static void note_destroyed(uint32_t slot)
{
    model_slot *s = m.slots + slot;
    CHECK(s->ended == (m.def.on_end != NULL));
    s->ended = false;
    s->alive = false;
    m.past[m.past_count++ % PAST_MAX] = s->handle;
    uint32_t last = m.alive[--m.live];
    m.alive[m.place[slot]] = last;
    m.place[last] = m.place[slot];
    s->retired = s->handle.version == POOL_VERSION_RETIRED - 1;
    if (s->retired)
        m.retired++;
    else
        m.waiting[m.waiting_count++] = slot;
}

static bool is_room(uint32_t count)
{
    return m.live + m.retired + count <= m.def.max_slots;
}

static void step_create(void)
{
    kiln_pool_handle handle;
    kiln_status status = kiln_pool_object_create(m.pool, &handle);
    CHECK(status == (is_room(1) ? KILN_OK : KILN_LIMIT));
    if (status == KILN_OK)
        note_created(handle);
}

static void step_create_batch(void)
{
    kiln_pool_handle handles[BATCH_MAX];
    uint32_t count = below(BATCH_MAX + 1);
    kiln_status status = kiln_pool_objects_create(m.pool, count, handles);
    CHECK(status == (is_room(count) ? KILN_OK : KILN_LIMIT));
    for (uint32_t i = 0; i < count && status == KILN_OK; i++)
        note_created(handles[i]);
}

static void step_destroy(void)
{
    if (m.live == 0)
        return;
    uint32_t slot = m.alive[below(m.live)];
    check_object(slot);
    CHECK(kiln_pool_object_destroy(m.pool, m.slots[slot].handle) == KILN_OK);
    note_destroyed(slot);
}

static kiln_pool_handle any_past(void)
{
    return m.past[below(m.past_count < PAST_MAX ? m.past_count : PAST_MAX)];
}

static void step_destroy_batch(void)
{
    kiln_pool_handle handles[BATCH_MAX] = {{NULL, 0, 0}};
    uint32_t count = below(BATCH_MAX + 1), expected = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (m.live && below(4))
            handles[i] = m.slots[m.alive[below(m.live)]].handle;
        else if (m.past_count)
            handles[i] = any_past();
    }
    uint32_t ended = kiln_pool_objects_destroy(m.pool, handles, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = handles[i].slot;
        if (handles[i].object && m.slots[slot].alive &&
            m.slots[slot].handle.version == handles[i].version) {
            note_destroyed(slot);
            expected++;
        }
    }
    CHECK(ended == expected);
}

static void step_ask_past(void)
{
    if (m.past_count == 0)
        return;
    kiln_pool_handle handle = any_past();
    CHECK(kiln_pool_get(m.pool, handle) == NULL);
    CHECK(kiln_pool_check(m.pool, handle) ==
          (m.slots[handle.slot].retired ? KILN_POOL_RETIRED : KILN_POOL_STALE));
    CHECK(kiln_pool_object_destroy(m.pool, handle) == KILN_DEAD);
}

static void step_ask(void)
{
    if (m.used == 0)
        return;
    const model_slot *s = m.slots + below(m.used);
    kiln_pool_handle found = kiln_pool_find(m.pool, s->handle.object), made_up = s->handle;
    CHECK(found.object == (s->alive ? s->handle.object : NULL));
    CHECK(!s->alive || (found.version == s->handle.version && found.slot == s->handle.slot));
    if (s->alive)
        check_object(s->handle.slot);
    made_up.version += 2 + 2 * below(1000);
    if (made_up.version > s->handle.version)
        CHECK(kiln_pool_check(m.pool, made_up) ==
              (s->trimmed && made_up.version < m.base[slab_of(s->handle.slot)]
                   ? KILN_POOL_STALE
                   : KILN_POOL_FOREIGN));
    made_up = s->handle;
    made_up.slot = below(2) ? below(2 * SLOTS_MAX) : below(UINT32_MAX);
    if (made_up.slot != s->handle.slot)
        CHECK(kiln_pool_check(m.pool, made_up) == KILN_POOL_FOREIGN);
}

static void step_walk(void)
{
    kiln_pool_cursor cursor = {0};
    kiln_pool_handle handle;
    uint32_t slot = 0, met = 0;
    for (; kiln_pool_next(m.pool, &cursor, &handle); met++) {
        CHECK(handle.slot >= slot && handle.slot < m.used && m.slots[handle.slot].alive);
        CHECK(handle.version == m.slots[handle.slot].handle.version);
        check_object(handle.slot);
        slot = handle.slot + 1;
    }
    CHECK(met == m.live);
    CHECK(kiln_pool_is_valid(m.pool));
}

static void step_count(void)
{
    kiln_pool_counts counts = kiln_pool_count(m.pool);
    CHECK(counts.live == m.live && counts.retired == m.retired);
    CHECK(counts.live + counts.free + counts.retired <= m.def.max_slots);
    CHECK(counts.free >= m.waiting_count);
}

static void step_reserve(void)
{
    uint32_t count = below(100);
    CHECK(kiln_pool_reserve(m.pool, count) == (is_room(count) ? KILN_OK : KILN_LIMIT));
    CHECK(!is_room(count) || kiln_pool_count(m.pool).free >= count);
}

static void step_destroy_all(void)
{
    kiln_pool_objects_destroy_all(m.pool);
    for (uint32_t slot = 0; slot < m.used; slot++) {
        if (m.slots[slot].alive)
            note_destroyed(slot);
    }
}

/* Makes an object one of the last three of its slot. */
static void step_age(void)
{
    if (!m.ages || m.live == 0 || m.retired > m.def.max_slots / 4)
        return;
    model_slot *s = m.slots + m.alive[below(m.live)];
    s->handle.version = POOL_VERSION_RETIRED - 1 - 2 * below(3);
    *pool_version(pool_state_of(m.pool), s->handle.object) = s->handle.version;
}

/* If the slab has neither living objects nor retired slots, removes its slots from the queue. */
static void note_trimmed(unsigned slab)
{
    uint32_t kept = 0;
    for (uint32_t slot = 0; slot < m.used; slot++) {
        const model_slot *s = m.slots + slot;
        if (slab_of(slot) == slab && (s->alive || s->retired))
            return;
    }
    for (uint32_t slot = 0; slot < m.used; slot++) {
        if (slab_of(slot) != slab || m.slots[slot].trimmed)
            continue;
        m.slots[slot].trimmed = true;
        if (m.slots[slot].handle.version + 1 > m.base[slab])
            m.base[slab] = m.slots[slot].handle.version + 1;
    }
    for (uint32_t i = 0; i < m.waiting_count; i++) {
        if (slab_of(m.waiting[i]) != slab)
            m.waiting[kept++] = m.waiting[i];
    }
    m.waiting_count = kept;
}

/* Destroys all objects of some slabs. */
static void empty_slabs(void)
{
    uint32_t slabs = below(UINT32_C(1) << SLABS_MAX);
    for (uint32_t slot = 0; slot < m.used; slot++) {
        if (m.slots[slot].alive && slabs >> slab_of(slot) & 1) {
            CHECK(kiln_pool_object_destroy(m.pool, m.slots[slot].handle) == KILN_OK);
            note_destroyed(slot);
        }
    }
}

static void step_trim(void)
{
    if (m.trims && below(4))
        empty_slabs();
    kiln_pool_counts before = kiln_pool_count(m.pool);
    size_t bytes = kiln_pool_trim(m.pool);
    kiln_pool_counts after = kiln_pool_count(m.pool);
    CHECK(before.bytes - after.bytes == bytes);
    CHECK(m.trims || bytes == 0);
    for (unsigned slab = 0; slab < SLABS_MAX && m.trims; slab++)
        note_trimmed(slab);
    CHECK(!m.trims || (m.live || m.retired || after.slabs == 0));
    CHECK(kiln_pool_is_valid(m.pool));
}

static const struct {
    void (*step)(void);
    uint32_t weight;
} kinds[] = {
    {step_create, 30000}, {step_destroy, 28000},    {step_ask_past, 15000},
    {step_ask, 15000},    {step_create_batch, 800}, {step_destroy_batch, 900},
    {step_count, 2000},   {step_reserve, 200},      {step_age, 30},
    {step_walk, 10},      {step_destroy_all, 4},    {step_trim, 40},
};

typedef struct history {
    size_t size, align;
    uint32_t max_slots, first;
    bool zeroed, trims, ages, ends;
} history;

static void begin(const history *h)
{
    uint64_t random = m.random;
    memset(&m, 0, sizeof m);
    m.random = random;
    m.pages.keeps_bytes = below(2);
    kiln_page_source pages = counting_pages_of(&m.pages);
    m.def = kiln_pool_def_default();
    m.def.size = h->size;
    m.def.align = h->align;
    m.def.max_slots = h->max_slots;
    m.def.first = h->first;
    m.def.zeroed = h->zeroed;
    m.def.pages = &pages;
    m.def.on_end = h->ends ? note_end : NULL;
    m.def.on_end_ctx = &m;
    m.trims = h->trims;
    m.ages = h->ages;
    assert_int_equal(KILN_OK, kiln_pool_create(&m.def, &m.pool));
    m.first = pool_state_of(m.pool)->first;
    if (m.trims)
        pool_state_of(m.pool)->paged_min = 1;
}

static void play(const history *h, unsigned steps)
{
    uint32_t weights = 0;
    begin(h);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        weights += kinds[i].weight;
    for (unsigned i = 0; i < steps; i++) {
        uint32_t pick = below(weights);
        size_t kind = 0;
        while (pick >= kinds[kind].weight)
            pick -= kinds[kind++].weight;
        kinds[kind].step();
    }
    step_walk();
    step_count();
    CHECK(m.ends == (h->ends ? m.created - m.live : 0));
    kiln_pool_destroy(m.pool);
    CHECK(m.ends == (h->ends ? m.created : 0));
    CHECK(m.pages.mapped_bytes == 0 && !m.pages.wrong_call);
    CHECK(!m.trims || steps < 50000 || m.pages.discards > 5);
}

static void random_histories_agree_with_a_naive_reference(void **state)
{
    static const history rows[] = {
        {4, 4, SLOTS_MAX, 1, false, false, true, false},
        {36, 4, SLOTS_MAX, 0, true, false, true, true},
        {24, 8, SLOTS_MAX, 16, true, true, false, true},
        {60, 64, 900, 100, false, true, false, false},
        {64, 64, 300, 7, true, false, true, true},
        {5, 1, 50, 4, false, false, true, false},
        {129, 16, SLOTS_MAX, 2, false, true, false, true},
        {700, 4096, 200, 3, false, true, false, false},
        {8, 8, 3, 1, true, false, true, true},
        {13, 2, 1, 1, false, false, true, false},
        {40, 8, SLOTS_MAX, 1, true, true, true, true},
        {16, 16, 40, 1, false, true, false, true},
    };
    const unsigned count = sizeof rows / sizeof *rows;
    (void)state;
    print_message("seed %llu, %u steps\n", (unsigned long long)seed, steps_in_all);
    m.random = seed;
    for (unsigned row = 0; row < count; row++)
        play(rows + row, steps_in_all / count);
}

int main(int argc, char **argv)
{
    const char *given = argc > 1 ? argv[1] : getenv("KILN_SEED");
    if (given)
        seed = strtoull(given, NULL, 0);
    if (argc > 2)
        steps_in_all = (unsigned)strtoul(argv[2], NULL, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_histories_agree_with_a_naive_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
