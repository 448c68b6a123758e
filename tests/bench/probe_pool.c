/* Objects that never move, referenced by handles that may be stale: a pool, compared with malloc
 * for each object and a table of pointers and generations. Both sides write and read the same 36
 * bytes, and keep a handle for each object. */
#include "baselines.h"
#include "probe.h"

#include <kiln/pool.h>
#include <stdlib.h>
#include <string.h>

typedef struct thing {
    float place[3], turn[4];
    uint32_t words[2];
} thing;

/* The baseline's handle and table. Free entries form a linked list, last freed first. */
typedef struct plain_handle {
    uint32_t index, generation;
} plain_handle;

typedef struct plain_entry {
    thing *object; /* NULL if free */
    uint32_t generation, next;
} plain_entry;

typedef struct pool_case {
    uint32_t count;
    uint32_t *order;
    kiln_pool *pool;
    kiln_pool_handle *handles, *shuffled;
    plain_entry *entries;
    uint32_t used, next_free;
    plain_handle *plain_handles, *plain_shuffled;
    bool failed;
} pool_case;

static const uint32_t none = UINT32_MAX;

static void write_thing(thing *object, uint32_t number)
{
    thing value = {{(float)number, 1, 2}, {0, 0, 0, 1}, {number, 7}};
    *object = value;
}

static void make_pool(pool_case *c)
{
    kiln_pool_def def = kiln_pool_def_default();
    def.size = sizeof(thing);
    def.align = _Alignof(thing);
    def.zeroed = false;
    c->failed = c->failed || kiln_pool_create(&def, &c->pool) != KILN_OK;
}

static uint64_t create_ours(void *ctx)
{
    pool_case *c = ctx;
    for (uint32_t i = 0; i < c->count; i++) {
        if (kiln_pool_object_create(c->pool, c->handles + i)) {
            c->failed = true;
            return 0;
        }
        write_thing(kiln_pool_at(c->pool, c->handles[i]), i);
    }
    return c->handles[c->count - 1].version;
}

static uint64_t create_batch(void *ctx)
{
    pool_case *c = ctx;
    if (kiln_pool_objects_create(c->pool, c->count, c->handles)) {
        c->failed = true;
        return 0;
    }
    for (uint32_t i = 0; i < c->count; i++)
        write_thing(kiln_pool_at(c->pool, c->handles[i]), i);
    return c->handles[c->count - 1].version;
}

static uint64_t create_plain(void *ctx)
{
    pool_case *c = ctx;
    for (uint32_t i = 0; i < c->count; i++) {
        thing *object = malloc(sizeof *object);
        if (!object) {
            c->failed = true;
            return 0;
        }
        uint32_t index = c->next_free == none ? c->used++ : c->next_free;
        plain_entry *entry = c->entries + index;
        if (c->next_free != none)
            c->next_free = entry->next;
        entry->object = object;
        c->plain_handles[i].index = index;
        c->plain_handles[i].generation = ++entry->generation;
        write_thing(object, i);
    }
    return c->used;
}

static uint64_t destroy_ours(void *ctx)
{
    pool_case *c = ctx;
    uint64_t ended = 0;
    for (uint32_t i = 0; i < c->count; i++)
        ended += kiln_pool_object_destroy(c->pool, c->shuffled[i]) == KILN_OK;
    return ended;
}

static uint64_t destroy_plain(void *ctx)
{
    pool_case *c = ctx;
    uint64_t ended = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        plain_handle handle = c->plain_shuffled[i];
        plain_entry *entry = c->entries + handle.index;
        if (entry->generation != handle.generation || !entry->object)
            continue;
        free(entry->object);
        entry->object = NULL;
        entry->generation++;
        entry->next = c->next_free;
        c->next_free = handle.index;
        ended++;
    }
    return ended;
}

static uint64_t read_ours(void *ctx)
{
    const pool_case *c = ctx;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const thing *object = kiln_pool_get(c->pool, c->shuffled[i]);
        if (object)
            sum += (uint64_t)object->place[0];
    }
    return sum;
}

static uint64_t read_plain(void *ctx)
{
    const pool_case *c = ctx;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        plain_handle handle = c->plain_shuffled[i];
        const plain_entry *entry = c->entries + handle.index;
        if (entry->generation == handle.generation)
            sum += (uint64_t)entry->object->place[0];
    }
    return sum;
}

/* Starts with a new pool and a new table. */
static void begin_ours(void *ctx)
{
    pool_case *c = ctx;
    kiln_pool_destroy(c->pool);
    make_pool(c);
}

static void begin_plain(void *ctx)
{
    pool_case *c = ctx;
    for (uint32_t i = 0; i < c->used; i++)
        free(c->entries[i].object);
    free(c->entries);
    c->entries = baseline_array(c->count, sizeof *c->entries);
    c->used = 0;
    c->next_free = none;
}

static void shuffle(pool_case *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        c->shuffled[i] = c->handles[c->order[i]];
        c->plain_shuffled[i] = c->plain_handles[c->order[i]];
    }
}

/* Starts with all objects destroyed in random order. */
static void empty_ours(void *ctx)
{
    shuffle(ctx);
    destroy_ours(ctx);
}

static void empty_plain(void *ctx)
{
    shuffle(ctx);
    destroy_plain(ctx);
}

/* Starts with all objects alive. */
static void fill_ours(void *ctx)
{
    create_ours(ctx);
    shuffle(ctx);
}

static void fill_plain(void *ctx)
{
    create_plain(ctx);
    shuffle(ctx);
}

static const char *measure(const char *argument, bench_side ours, bench_side plain,
                           bench_pair *ret_pair)
{
    pool_case c = {.count = (uint32_t)strtoul(argument, NULL, 10), .next_free = none};
    if (c.count == 0)
        return "FAILED: the number of objects is missing";
    c.order = baseline_order(c.count, 1);
    c.handles = baseline_array(c.count, sizeof *c.handles);
    c.plain_handles = baseline_array(c.count, sizeof *c.plain_handles);
    c.shuffled = baseline_array(c.count, sizeof *c.shuffled);
    c.plain_shuffled = baseline_array(c.count, sizeof *c.plain_shuffled);
    begin_ours(&c);
    begin_plain(&c);
    create_ours(&c);
    create_plain(&c);
    shuffle(&c);
    if (c.failed || read_ours(&c) != read_plain(&c))
        return "FAILED: the two sides read different values";
    /* The destruction figure creates all objects before each run, so none may exist yet. */
    if (ours.prepare == fill_ours) {
        destroy_ours(&c);
        destroy_plain(&c);
    }
    *ret_pair = bench_span_measure_each(ours, plain, &c, c.count);
    return c.failed ? "FAILED: out of memory" : NULL;
}

const char *probe_pool_create(const char *count, bench_pair *ret_pair)
{
    bench_side ours = {begin_ours, create_ours}, plain = {begin_plain, create_plain};
    return measure(count, ours, plain, ret_pair);
}

const char *probe_pool_again(const char *count, bench_pair *ret_pair)
{
    bench_side ours = {empty_ours, create_ours}, plain = {empty_plain, create_plain};
    return measure(count, ours, plain, ret_pair);
}

const char *probe_pool_batch(const char *count, bench_pair *ret_pair)
{
    bench_side ours = {empty_ours, create_batch}, plain = {empty_plain, create_plain};
    return measure(count, ours, plain, ret_pair);
}

const char *probe_pool_read(const char *count, bench_pair *ret_pair)
{
    bench_side ours = {NULL, read_ours}, plain = {NULL, read_plain};
    return measure(count, ours, plain, ret_pair);
}

const char *probe_pool_destroy(const char *count, bench_pair *ret_pair)
{
    bench_side ours = {fill_ours, destroy_ours}, plain = {fill_plain, destroy_plain};
    return measure(count, ours, plain, ret_pair);
}
