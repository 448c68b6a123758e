/* Adds and removes a component, for each entity and for all at once. */
#include "baselines.h"
#include "bench_world.h"
#include "probe_entities.h"

typedef struct change_case {
    bench_world w;
    baseline_store store;
} change_case;

/* ---- ours ---- */

static void fill_bodies(void *ctx)
{
    bench_world *w = ctx;
    bench_world_refill(w, w->body);
}

static void fill_burning(void *ctx)
{
    bench_world *w = ctx;
    bench_world_refill(w, w->burning);
}

static uint64_t add_each(void *ctx)
{
    const change_case *c = ctx;
    for (uint32_t i = 0; i < c->w.count; i++) {
        body_fire fire = {1, i};
        bench_world_expect(kiln_entity_add(c->w.world, c->w.handles[i], c->w.fire, &fire));
    }
    return c->w.count;
}

static uint64_t remove_each(void *ctx)
{
    const change_case *c = ctx;
    for (uint32_t i = 0; i < c->w.count; i++)
        bench_world_expect(kiln_entity_remove(c->w.world, c->w.handles[i], c->w.fire));
    return c->w.count;
}

static uint64_t add_all(void *ctx)
{
    const change_case *c = ctx;
    body_fire fire = {1, 7};
    bench_world_expect(kiln_archetype_add(c->w.world, c->w.body, c->w.fire, &fire));
    return c->w.count;
}

static uint64_t remove_all(void *ctx)
{
    const change_case *c = ctx;
    bench_world_expect(kiln_archetype_remove(c->w.world, c->w.burning, c->w.fire));
    return c->w.count;
}

/* ---- the baseline ---- */

static void reset_bodies(void *ctx)
{
    change_case *c = ctx;
    baseline_store_reset(&c->store, BASELINE_BODIES);
}

static void reset_burning(void *ctx)
{
    change_case *c = ctx;
    baseline_store_reset(&c->store, BASELINE_BURNING);
}

static uint64_t move_to_burning(void *ctx)
{
    change_case *c = ctx;
    return baseline_store_move(&c->store, BASELINE_BURNING);
}

static uint64_t move_to_bodies(void *ctx)
{
    change_case *c = ctx;
    return baseline_store_move(&c->store, BASELINE_BODIES);
}

/* ---- both ---- */

/* Checks that every body has its initial values and the expected fire. */
static bool is_changed(const change_case *c, bool burns)
{
    for (uint32_t i = 0; i < c->w.count; i++) {
        const body_velocity *v = kiln_entity_read(c->w.world, c->w.handles[i], c->w.velocity);
        const body_fire *fire = kiln_entity_read(c->w.world, c->w.handles[i], c->w.fire);
        if (!v || v->y != c->w.source.velocities[i].y || !fire != !burns ||
            (fire && fire->heat < 1))
            return false;
    }
    return true;
}

static const char *change(const char *count, bool adds, uint64_t (*run)(void *),
                          bench_pair *ret_pair)
{
    change_case c;
    bench_world_init(&c.w, count, BASELINE_PLAIN);
    baseline_store_map(&c.store, c.w.count);
    bench_side ours = {adds ? fill_bodies : fill_burning, run};
    bench_side plain = {adds ? reset_bodies : reset_burning,
                        adds ? move_to_burning : move_to_bodies};
    *ret_pair = bench_world_measure(&c.w, ours, plain);
    ours.prepare(&c);
    run(&c);
    return is_changed(&c, adds) ? NULL : "FAILED: a body has wrong values";
}

const char *probe_add(const char *count, bench_pair *ret_pair)
{
    return change(count, true, add_each, ret_pair);
}

const char *probe_remove(const char *count, bench_pair *ret_pair)
{
    return change(count, false, remove_each, ret_pair);
}

const char *probe_add_all(const char *count, bench_pair *ret_pair)
{
    return change(count, true, add_all, ret_pair);
}

const char *probe_remove_all(const char *count, bench_pair *ret_pair)
{
    return change(count, false, remove_all, ret_pair);
}
