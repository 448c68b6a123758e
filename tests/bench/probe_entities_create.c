/* Creates bodies from columns, and one at a time. */
#include "bench_world.h"
#include "probe_entities.h"

#include <kiln/appender.h>

static void clear_ours(void *ctx)
{
    bench_world *w = ctx;
    kiln_world_clear(w->world);
}

static void renew_ours(void *ctx)
{
    bench_world_renew(ctx);
}

static uint64_t create_ours(void *ctx)
{
    bench_world *w = ctx;
    bench_world_fill(w, w->body, NULL);
    return w->count;
}

static uint64_t create_listed(void *ctx)
{
    bench_world *w = ctx;
    bench_world_fill(w, w->body, w->handles);
    return w->handles[w->count - 1].index;
}

static uint64_t copy_plain(void *ctx)
{
    bench_world *w = ctx;
    baseline_columns_copy(&w->flat, &w->source, 0, w->count);
    return body_velocity_bits(w->flat.velocities + w->count - 1);
}

static void unmap_plain(void *ctx)
{
    bench_world *w = ctx;
    baseline_columns_unmap(&w->flat);
}

/* A world maps its chunks while it creates entities, so mapping counts on both sides. */
static uint64_t copy_fresh(void *ctx)
{
    bench_world *w = ctx;
    baseline_columns_map(&w->flat, w->count, w->advice);
    return copy_plain(ctx);
}

static const char *create(const char *count, baseline_advice advice, bench_side ours,
                          bench_pair *ret_pair)
{
    bench_world w;
    bool is_fresh = ours.prepare == renew_ours;
    bench_world_init(&w, count, advice);
    if (!is_fresh)
        baseline_columns_map(&w.flat, w.count, advice);
    bench_side plain = {is_fresh ? unmap_plain : NULL, is_fresh ? copy_fresh : copy_plain};
    *ret_pair = bench_world_measure(&w, ours, plain);
    kiln_world_stats stats;
    kiln_world_get_stats(w.world, &stats);
    return stats.live == w.count ? NULL : "FAILED: not all bodies were created";
}

const char *probe_create_warm(const char *count, bench_pair *ret_pair)
{
    return create(count, BASELINE_PLAIN, (bench_side){clear_ours, create_ours}, ret_pair);
}

const char *probe_create_warm_huge(const char *count, bench_pair *ret_pair)
{
    return create(count, BASELINE_HUGE, (bench_side){clear_ours, create_ours}, ret_pair);
}

const char *probe_create_fresh(const char *count, bench_pair *ret_pair)
{
    return create(count, BASELINE_PLAIN, (bench_side){renew_ours, create_ours}, ret_pair);
}

const char *probe_create_fresh_huge(const char *count, bench_pair *ret_pair)
{
    return create(count, BASELINE_HUGE, (bench_side){renew_ours, create_ours}, ret_pair);
}

const char *probe_create_listed(const char *count, bench_pair *ret_pair)
{
    return create(count, BASELINE_PLAIN, (bench_side){clear_ours, create_listed}, ret_pair);
}

/* ---- one at a time ---- */

typedef struct single_case {
    bench_world w;
    baseline_rows rows;
} single_case;

/* The columns of the chunk that contains the last entity's row. */
typedef struct open_chunk {
    const kiln_chunk *chunk;
    body_position *positions;
    body_rotation *rotations;
    body_velocity *velocities;
} open_chunk;

static open_chunk open_columns(const bench_world *w, kiln_row row)
{
    row.row = 0;
    return (open_chunk){row.chunk, kiln_row_at(row, w->position), kiln_row_at(row, w->rotation),
                        kiln_row_at(row, w->velocity)};
}

static uint64_t create_each(void *ctx)
{
    single_case *c = ctx;
    kiln_world *world = c->w.world;
    const uint32_t count = c->w.count;
    open_chunk open = {.chunk = NULL};
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        kiln_entity entity;
        kiln_row row;
        bench_world_expect(kiln_entity_create(world, c->w.body, &entity, &row));
        if (row.chunk != open.chunk)
            open = open_columns(&c->w, row);
        open.positions[row.row] = body_position_of(i);
        open.rotations[row.row] = body_rotation_of(i);
        open.velocities[row.row] = body_velocity_of(i);
        sum += entity.index;
    }
    return sum;
}

static uint64_t append_ours(void *ctx)
{
    single_case *c = ctx;
    const kiln_component components[] = {c->w.position, c->w.rotation, c->w.velocity};
    const uint32_t count = c->w.count;
    kiln_appender appender;
    bench_world_expect(kiln_appender_open(c->w.world, c->w.body, components, 3, &appender));
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        kiln_entity entity;
        uint32_t row;
        bench_world_expect(kiln_appender_next(&appender, &entity, &row));
        ((body_position *)appender.columns[0])[row] = body_position_of(i);
        ((body_rotation *)appender.columns[1])[row] = body_rotation_of(i);
        ((body_velocity *)appender.columns[2])[row] = body_velocity_of(i);
        sum += entity.index;
    }
    kiln_appender_close(&appender);
    return sum;
}

static uint64_t append_each(void *ctx)
{
    single_case *c = ctx;
    return baseline_append(&c->rows, c->w.count);
}

static void clear_rows(void *ctx)
{
    single_case *c = ctx;
    c->rows.count = 0;
}

static const char *create_one_by_one(const char *count, uint64_t (*run)(void *ctx),
                                     bench_pair *ret_pair)
{
    single_case c = {.rows = {.count = 0}};
    bench_world_init(&c.w, count, BASELINE_PLAIN);
    bench_side ours = {clear_ours, run}, plain = {clear_rows, append_each};
    *ret_pair = bench_world_measure(&c.w, ours, plain);
    kiln_archetype_info info;
    bool is_there = kiln_archetype_get(c.w.world, c.w.body, &info) && info.rows == c.w.count;
    return is_there ? NULL : "FAILED: not all bodies were created";
}

const char *probe_create_single(const char *count, bench_pair *ret_pair)
{
    return create_one_by_one(count, create_each, ret_pair);
}

const char *probe_create_appended(const char *count, bench_pair *ret_pair)
{
    return create_one_by_one(count, append_ours, ret_pair);
}
