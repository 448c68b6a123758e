/* Runs a million random steps on a pool and a naive reference: an array of slots and a plain list
 * of the free ones. `test_pool_history SEED [STEPS]`, or KILN_SEED, replays a history. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pool_state.h"
#include <kiln/pool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_MAX = 1500, PAST_MAX = 512, BATCH_MAX = 40 };

static uint64_t seed = 1;
static unsigned steps_in_all = 1000000;

typedef struct model_slot {
    kiln_pool_handle handle; /* of its last object */
    uint32_t stamp;          /* content of its object */
    bool alive, retired;
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

static void fill(uint32_t slot)
{
    m.slots[slot].stamp = ++m.stamp;
    memcpy(m.slots[slot].handle.object, &m.stamp, sizeof m.stamp);
    ((unsigned char *)m.slots[slot].handle.object)[m.def.size - 1] = (unsigned char)m.stamp;
}

static void check_object(uint32_t slot)
{
    const model_slot *s = m.slots + slot;
    const unsigned char *object = kiln_pool_get(m.pool, s->handle);
    uint32_t stamp;
    CHECK(object == s->handle.object);
    memcpy(&stamp, object, sizeof stamp);
    CHECK(m.def.size == sizeof stamp || object[m.def.size - 1] == (unsigned char)s->stamp);
    CHECK(m.def.size == sizeof stamp ? (stamp & 0xffffff) == (s->stamp & 0xffffff)
                                     : stamp == s->stamp);
}

/* Checks that the pool returned the same handle as the reference. */
static void note_created(kiln_pool_handle handle)
{
    uint32_t slot = m.waiting_count ? m.waiting[0] : m.used;
    model_slot *s = m.slots + slot;
    CHECK(handle.slot == slot);
    if (m.waiting_count) {
        memmove(m.waiting, m.waiting + 1, --m.waiting_count * sizeof *m.waiting);
        CHECK(handle.object == s->handle.object);
        CHECK(handle.version == s->handle.version + 2);
    } else {
        m.used++;
        CHECK(handle.version == 1);
        CHECK((uintptr_t)handle.object % m.def.align == 0);
    }
    for (size_t i = 0; i < m.def.size && m.def.zeroed; i++)
        CHECK(((unsigned char *)handle.object)[i] == 0);
    s->handle = handle;
    s->alive = true;
    m.place[slot] = m.live;
    m.alive[m.live++] = slot;
    fill(slot);
}

static void note_destroyed(uint32_t slot)
{
    model_slot *s = m.slots + slot;
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
        CHECK(kiln_pool_check(m.pool, made_up) == KILN_POOL_FOREIGN);
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
    if (m.live == 0 || m.retired > m.def.max_slots / 4)
        return;
    model_slot *s = m.slots + m.alive[below(m.live)];
    s->handle.version = POOL_VERSION_RETIRED - 1 - 2 * below(3);
    *pool_version(pool_state_of(m.pool), s->handle.object) = s->handle.version;
}

static const struct {
    void (*step)(void);
    uint32_t weight;
} kinds[] = {
    {step_create, 30000}, {step_destroy, 28000},    {step_ask_past, 15000},
    {step_ask, 15000},    {step_create_batch, 800}, {step_destroy_batch, 900},
    {step_count, 2000},   {step_reserve, 200},      {step_age, 30},
    {step_walk, 10},      {step_destroy_all, 4},
};

static void play(const kiln_pool_def *def, unsigned steps)
{
    uint32_t weights = 0;
    uint64_t random = m.random;
    memset(&m, 0, sizeof m);
    m.random = random;
    m.def = *def;
    assert_int_equal(KILN_OK, kiln_pool_create(&m.def, &m.pool));
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
    kiln_pool_destroy(m.pool);
}

static void random_histories_agree_with_a_naive_reference(void **state)
{
    static const struct {
        size_t size, align;
        uint32_t max_slots, first;
        bool zeroed;
    } rows[] = {
        {4, 4, SLOTS_MAX, 1, false},    {36, 4, SLOTS_MAX, 0, true}, {24, 8, SLOTS_MAX, 16, true},
        {60, 64, 900, 100, false},      {64, 64, 300, 7, true},      {5, 1, 50, 4, false},
        {129, 16, SLOTS_MAX, 2, false}, {700, 4096, 200, 3, false},  {8, 8, 3, 1, true},
        {13, 2, 1, 1, false},
    };
    const unsigned count = sizeof rows / sizeof *rows;
    (void)state;
    print_message("seed %llu, %u steps\n", (unsigned long long)seed, steps_in_all);
    m.random = seed;
    for (unsigned row = 0; row < count; row++) {
        kiln_pool_def def = kiln_pool_def_default();
        def.size = rows[row].size;
        def.align = rows[row].align;
        def.max_slots = rows[row].max_slots;
        def.first = rows[row].first;
        def.zeroed = rows[row].zeroed;
        play(&def, steps_in_all / count);
    }
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
