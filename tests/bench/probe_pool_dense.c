/* Compares two ways to store things with handles: objects of a pool, which never move, and rows of
 * the dense store. Both have the same values, 36 bytes each. */
#include "bench_world.h"
#include "probe_entities.h"

#include <kiln/pool.h>

typedef struct thing {
    body_position position;
    body_rotation rotation;
    body_velocity velocity;
} thing;

typedef struct dense_case {
    bench_world w;
    kiln_pool *pool;
    kiln_pool_handle *handles, *shuffled;
} dense_case;

static uint64_t create_objects(void *ctx)
{
    dense_case *c = ctx;
    for (uint32_t i = 0; i < c->w.count; i++) {
        bench_world_expect(kiln_pool_object_create(c->pool, &c->handles[i]));
        thing *object = kiln_pool_at(c->pool, c->handles[i]);
        object->position = c->w.source.positions[i];
        object->rotation = c->w.source.rotations[i];
        object->velocity = c->w.source.velocities[i];
    }
    return c->w.count;
}

static uint64_t create_rows(void *ctx)
{
    dense_case *c = ctx;
    for (uint32_t i = 0; i < c->w.count; i++) {
        kiln_row row;
        bench_world_expect(kiln_entity_create(c->w.world, c->w.body, &c->w.handles[i], &row));
        *(body_position *)kiln_row_at(row, c->w.position) = c->w.source.positions[i];
        *(body_rotation *)kiln_row_at(row, c->w.rotation) = c->w.source.rotations[i];
        *(body_velocity *)kiln_row_at(row, c->w.velocity) = c->w.source.velocities[i];
    }
    return c->w.count;
}

static uint64_t read_objects(void *ctx)
{
    const dense_case *c = ctx;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->w.count; i++) {
        const thing *object = kiln_pool_get(c->pool, c->shuffled[i]);
        if (object)
            sum += body_velocity_bits(&object->velocity);
    }
    return sum;
}

static uint64_t read_rows(void *ctx)
{
    const dense_case *c = ctx;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->w.count; i++) {
        const body_velocity *velocity =
            kiln_entity_read(c->w.world, c->w.shuffled[i], c->w.velocity);
        if (velocity)
            sum += body_velocity_bits(velocity);
    }
    return sum;
}

static void renew_pool(void *ctx)
{
    dense_case *c = ctx;
    kiln_pool_def def = kiln_pool_def_default();
    def.size = sizeof(thing);
    def.align = _Alignof(thing);
    def.zeroed = false;
    kiln_pool_destroy(c->pool);
    bench_world_expect(kiln_pool_create(&def, &c->pool));
}

static void renew_world(void *ctx)
{
    dense_case *c = ctx;
    bench_world_renew(&c->w);
}

static void destroy_objects(void *ctx)
{
    dense_case *c = ctx;
    for (uint32_t i = 0; i < c->w.count; i++)
        bench_world_expect(kiln_pool_object_destroy(c->pool, c->shuffled[i]));
}

static void destroy_rows(void *ctx)
{
    dense_case *c = ctx;
    for (uint32_t i = 0; i < c->w.count; i++)
        bench_world_expect(kiln_entity_destroy(c->w.world, c->w.shuffled[i]));
}

static void shuffle(dense_case *c)
{
    bench_world_shuffle(&c->w);
    for (uint32_t i = 0; i < c->w.count; i++)
        c->shuffled[i] = c->handles[c->w.order[i]];
}

static void empty_pool(void *ctx)
{
    shuffle(ctx);
    destroy_objects(ctx);
}

static void empty_world(void *ctx)
{
    shuffle(ctx);
    destroy_rows(ctx);
}

static const char *measure(const char *count, bench_side pool, bench_side dense,
                           bench_pair *ret_pair)
{
    dense_case c = {.pool = NULL};
    bench_world_init(&c.w, count, BASELINE_PLAIN);
    c.handles = bench_world_array(c.w.count, sizeof *c.handles);
    c.shuffled = bench_world_array(c.w.count, sizeof *c.shuffled);
    renew_pool(&c);
    create_objects(&c);
    create_rows(&c);
    shuffle(&c);
    if (read_objects(&c) != read_rows(&c))
        return "FAILED: the two sides read different values";
    *ret_pair = bench_world_measure(&c.w, pool, dense);
    return NULL;
}

const char *probe_pool_dense_create(const char *count, bench_pair *ret_pair)
{
    bench_side pool = {renew_pool, create_objects}, dense = {renew_world, create_rows};
    return measure(count, pool, dense, ret_pair);
}

const char *probe_pool_dense_again(const char *count, bench_pair *ret_pair)
{
    bench_side pool = {empty_pool, create_objects}, dense = {empty_world, create_rows};
    return measure(count, pool, dense, ret_pair);
}

const char *probe_pool_dense_read(const char *count, bench_pair *ret_pair)
{
    bench_side pool = {NULL, read_objects}, dense = {NULL, read_rows};
    return measure(count, pool, dense, ret_pair);
}
