/* Destroys entities and then creates as many, so that work deferred by the first step shows in the
 * second. */
#include "bench_world.h"
#include "probe_entities.h"

typedef struct destroy_case {
    bench_world w;
    kiln_query *query;
    baseline_ids list;
    baseline_id *ids, *freed; /* in the order of creation; in the order of freeing */
    uint64_t (*destroy)(void *ctx);
} destroy_case;

/* ---- ours ---- */

static void fill_ours(void *ctx)
{
    bench_world *w = ctx;
    bench_world_refill(w, w->body);
    bench_world_shuffle(w);
}

static uint64_t destroy_each(void *ctx)
{
    const destroy_case *c = ctx;
    for (uint32_t i = 0; i < c->w.count; i++)
        bench_world_expect(kiln_entity_destroy(c->w.world, c->w.shuffled[i]));
    return c->w.count;
}

static uint64_t clear_query(void *ctx)
{
    const destroy_case *c = ctx;
    bench_world_expect(kiln_query_clear(c->query));
    return c->w.count;
}

static uint64_t clear_world(void *ctx)
{
    const destroy_case *c = ctx;
    kiln_world_clear(c->w.world);
    return c->w.count;
}

/* ---- the baseline ---- */

static void create_plain(void *ctx)
{
    destroy_case *c = ctx;
    baseline_ids_create(&c->list, c->w.count, c->ids);
    for (uint32_t i = 0; i < c->w.count; i++)
        c->freed[i] = c->destroy == destroy_each ? c->ids[c->w.order[i]] : c->ids[i];
}

static uint64_t free_plain(void *ctx)
{
    destroy_case *c = ctx;
    baseline_ids_free(&c->list, c->freed, c->w.count);
    return c->list.free;
}

/* ---- both ---- */

static void begin(destroy_case *c, const char *count, uint64_t (*destroy)(void *))
{
    *c = (destroy_case){.destroy = destroy};
    bench_world_init(&c->w, count, BASELINE_PLAIN);
    const kiln_query_term def = {c->w.position, KILN_TERM_WITH};
    bench_world_expect(kiln_query_create(c->w.world, &def, 1, &c->query));
}

static const char *measure_destroy(const char *count, uint64_t (*destroy)(void *),
                                   bench_pair *ret_pair)
{
    destroy_case c;
    begin(&c, count, destroy);
    baseline_ids_map(&c.list, c.w.count, BASELINE_PLAIN);
    c.ids = bench_world_array(c.w.count, sizeof *c.ids);
    c.freed = bench_world_array(c.w.count, sizeof *c.freed);
    bench_side ours = {fill_ours, destroy}, plain = {create_plain, free_plain};
    *ret_pair = bench_world_measure(&c.w, ours, plain);
    return bench_world_all_alive(&c.w, false) ? NULL : "FAILED: a handle is still alive";
}

const char *probe_destroy_random(const char *count, bench_pair *ret_pair)
{
    return measure_destroy(count, destroy_each, ret_pair);
}

const char *probe_destroy_query(const char *count, bench_pair *ret_pair)
{
    return measure_destroy(count, clear_query, ret_pair);
}

const char *probe_destroy_world(const char *count, bench_pair *ret_pair)
{
    return measure_destroy(count, clear_world, ret_pair);
}

/* ---- the next creation ---- */

/* Refills the world and destroys all entities with the measured method, so that the next creation
 * includes the work that this method deferred. */
static void destroy_ours(void *ctx)
{
    destroy_case *c = ctx;
    fill_ours(ctx);
    c->destroy(ctx);
}

static uint64_t create_ours(void *ctx)
{
    bench_world *w = ctx;
    bench_world_fill(w, w->body, NULL);
    return w->count;
}

static uint64_t copy_plain(void *ctx)
{
    bench_world *w = ctx;
    baseline_columns_copy(&w->flat, &w->source, 0, w->count);
    return body_velocity_bits(w->flat.velocities + w->count - 1);
}

static const char *measure_after(const char *count, uint64_t (*destroy)(void *),
                                 bench_pair *ret_pair)
{
    destroy_case c;
    begin(&c, count, destroy);
    baseline_columns_map(&c.w.flat, c.w.count, BASELINE_PLAIN);
    bench_side ours = {destroy_ours, create_ours}, plain = {NULL, copy_plain};
    *ret_pair = bench_world_measure(&c.w, ours, plain);
    return bench_world_all_alive(&c.w, false) ? NULL : "FAILED: a handle is still alive";
}

const char *probe_after_random(const char *count, bench_pair *ret_pair)
{
    return measure_after(count, destroy_each, ret_pair);
}

const char *probe_after_query(const char *count, bench_pair *ret_pair)
{
    return measure_after(count, clear_query, ret_pair);
}

const char *probe_after_world(const char *count, bench_pair *ret_pair)
{
    return measure_after(count, clear_world, ret_pair);
}
