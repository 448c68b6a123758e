/* Reads a component by handle, and iterates over two columns. */
#include "baselines.h"
#include "bench_world.h"
#include "probe_entities.h"

#include <kiln/reader.h>

/* ---- by handle ---- */

typedef struct handle_case {
    bench_world w;
    kiln_reader reader; /* of the velocity */
    uint32_t *versions; /* of the baseline, by index */
    baseline_id *ids;   /* the world's handles, for the baseline's arrays */
} handle_case;

static uint64_t read_ours(void *ctx)
{
    const handle_case *c = ctx;
    const kiln_reader velocities = c->reader;
    const kiln_entity *entities = c->w.shuffled;
    const uint32_t count = c->w.count;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const body_velocity *value = kiln_reader_read(&velocities, entities[i]);
        if (value)
            sum += body_velocity_bits(value);
    }
    return sum;
}

static uint64_t read_unprepared(void *ctx)
{
    const handle_case *c = ctx;
    const kiln_world *world = c->w.world;
    const kiln_component velocity = c->w.velocity;
    const kiln_entity *entities = c->w.shuffled;
    const uint32_t count = c->w.count;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const body_velocity *value = kiln_entity_read(world, entities[i], velocity);
        if (value)
            sum += body_velocity_bits(value);
    }
    return sum;
}

/* In batches, as a program would do it. */
static uint64_t read_many_ours(void *ctx)
{
    enum { PART = 256 };
    const handle_case *c = ctx;
    const void *values[PART];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->w.count; i += PART) {
        uint32_t count = c->w.count - i < PART ? c->w.count - i : PART;
        kiln_reader_read_many(&c->reader, c->w.shuffled + i, count, values);
        for (uint32_t k = 0; k < count; k++) {
            if (values[k])
                sum += body_velocity_bits(values[k]);
        }
    }
    return sum;
}

static uint64_t gather_plain(void *ctx)
{
    const handle_case *c = ctx;
    return baseline_gather(c->versions, c->w.source.velocities, c->ids, c->w.count);
}

static const char *by_handle(const char *count, baseline_advice advice, uint64_t (*read)(void *),
                             bench_pair *ret_pair)
{
    handle_case c;
    bench_world_init(&c.w, count, advice);
    bench_world_refill(&c.w, c.w.body);
    bench_world_shuffle(&c.w);
    bench_world_expect(kiln_reader_init(c.w.world, c.w.velocity, &c.reader));
    c.versions = baseline_pages_map(c.w.count * sizeof *c.versions, 2 << 20, advice);
    c.ids = bench_world_array(c.w.count, sizeof *c.ids);
    for (uint32_t i = 0; i < c.w.count; i++) {
        c.versions[i] = 1;
        c.ids[i] = (baseline_id){c.w.order[i], 1};
    }
    if (read(&c) != gather_plain(&c))
        return "FAILED: the two sides read different values";
    bench_side ours = {NULL, read}, plain = {NULL, gather_plain};
    *ret_pair = bench_world_measure(&c.w, ours, plain);
    return NULL;
}

const char *probe_by_handle(const char *count, bench_pair *ret_pair)
{
    return by_handle(count, BASELINE_PLAIN, read_ours, ret_pair);
}

const char *probe_by_handle_huge(const char *count, bench_pair *ret_pair)
{
    return by_handle(count, BASELINE_HUGE, read_ours, ret_pair);
}

const char *probe_by_handle_unprepared(const char *count, bench_pair *ret_pair)
{
    return by_handle(count, BASELINE_PLAIN, read_unprepared, ret_pair);
}

const char *probe_by_handles(const char *count, bench_pair *ret_pair)
{
    return by_handle(count, BASELINE_PLAIN, read_many_ours, ret_pair);
}

/* ---- iteration ---- */

typedef struct walk_case {
    bench_world w;
    kiln_query *query;
} walk_case;

static uint64_t walk_ours(void *ctx)
{
    const walk_case *c = ctx;
    kiln_iterator walk = kiln_query_iterate(c->query);
    uint64_t rows = 0;
    while (kiln_iterator_next(&walk)) {
        body_step(kiln_iterator_write(&walk, c->w.position),
                  kiln_iterator_read(&walk, c->w.velocity), walk.count);
        rows += walk.count;
    }
    bench_world_expect(walk.status);
    return rows;
}

static uint64_t step_plain(void *ctx)
{
    walk_case *c = ctx;
    baseline_step(&c->w.flat, c->w.count);
    return c->w.count;
}

/* Whether the last body ends at the same position on both sides. */
static bool is_same_place(const walk_case *c)
{
    const body_position *ours =
        kiln_entity_read(c->w.world, c->w.handles[c->w.count - 1], c->w.position);
    const body_position *plain = c->w.flat.positions + c->w.count - 1;
    return ours && ours->x == plain->x && ours->y == plain->y;
}

static const char *iterate(const char *count, baseline_advice advice, bench_pair *ret_pair)
{
    walk_case c;
    bench_world_init(&c.w, count, advice);
    bench_world_refill(&c.w, c.w.body);
    baseline_columns_map(&c.w.flat, c.w.count, advice);
    baseline_columns_copy(&c.w.flat, &c.w.source, 0, c.w.count);
    const kiln_component both[] = {c.w.position, c.w.velocity};
    const kiln_query_term def[] = {{both[0], KILN_TERM_WITH}, {both[1], KILN_TERM_WITH}};
    bench_world_expect(kiln_query_create(c.w.world, def, 2, &c.query));
    if (walk_ours(&c) != step_plain(&c))
        return "FAILED: the iterator does not visit all bodies";
    bench_side ours = {NULL, walk_ours}, plain = {NULL, step_plain};
    *ret_pair = bench_world_measure(&c.w, ours, plain);
    return is_same_place(&c) ? NULL : "FAILED: the two sides differ";
}

const char *probe_iterate(const char *count, bench_pair *ret_pair)
{
    return iterate(count, BASELINE_PLAIN, ret_pair);
}

const char *probe_iterate_huge(const char *count, bench_pair *ret_pair)
{
    return iterate(count, BASELINE_HUGE, ret_pair);
}
