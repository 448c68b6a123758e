/* Ids without components: those of a world compared with a list of free ids. */
#include "bench_world.h"
#include "probe_entities.h"

#include <string.h>

typedef struct ids_case {
    bench_world w;
    baseline_ids list;
    baseline_id *ids;
} ids_case;

static uint64_t create_ours(void *ctx)
{
    ids_case *c = ctx;
    bench_world_expect(kiln_entity_create_empty(c->w.world, c->w.count, c->w.handles));
    return c->w.handles[c->w.count - 1].index;
}

static uint64_t create_plain(void *ctx)
{
    ids_case *c = ctx;
    baseline_ids_create(&c->list, c->w.count, c->ids);
    return c->ids[c->w.count - 1].index;
}

static void renew_ours(void *ctx)
{
    bench_world_renew(ctx);
}

static void renew_plain(void *ctx)
{
    ids_case *c = ctx;
    baseline_ids_unmap(&c->list);
    baseline_ids_map(&c->list, c->w.count, c->w.advice);
}

static void empty_plain(void *ctx)
{
    ids_case *c = ctx;
    memset(c->list.slots, 0, c->list.capacity * sizeof *c->list.slots);
    c->list.count = c->list.free = 0;
}

static void destroy_ours(void *ctx)
{
    ids_case *c = ctx;
    bool all = kiln_entity_destroy_many(c->w.world, c->w.handles, c->w.count) == c->w.count;
    bench_world_expect(all ? KILN_OK : KILN_DEAD);
}

static void free_plain(void *ctx)
{
    ids_case *c = ctx;
    baseline_ids_free(&c->list, c->ids, c->w.count);
}

static void begin(ids_case *c, const char *count)
{
    memset(c, 0, sizeof *c);
    bench_world_init(&c->w, count, BASELINE_PLAIN);
    c->ids = bench_world_array(c->w.count, sizeof *c->ids);
    memset(c->w.handles, 1, c->w.count * sizeof *c->w.handles);
    memset(c->ids, 1, c->w.count * sizeof *c->ids);
    renew_plain(c);
}

static const char *end(ids_case *c, bench_side ours, bench_side plain, bench_pair *ret_pair)
{
    *ret_pair = bench_world_measure(&c->w, ours, plain);
    return bench_world_all_alive(&c->w, true) ? NULL : "FAILED: not all ids are alive";
}

const char *probe_ids_fresh(const char *count, bench_pair *ret_pair)
{
    ids_case c;
    begin(&c, count);
    bench_side ours = {renew_ours, create_ours}, plain = {renew_plain, create_plain};
    return end(&c, ours, plain, ret_pair);
}

const char *probe_ids_first(const char *count, bench_pair *ret_pair)
{
    ids_case c;
    begin(&c, count);
    c.w.keeps_pages = true;
    bench_side ours = {renew_ours, create_ours}, plain = {empty_plain, create_plain};
    return end(&c, ours, plain, ret_pair);
}

/* All ids exist before the first round, because each round begins by freeing them. */
const char *probe_ids_again(const char *count, bench_pair *ret_pair)
{
    ids_case c;
    begin(&c, count);
    create_ours(&c);
    create_plain(&c);
    bench_side ours = {destroy_ours, create_ours}, plain = {free_plain, create_plain};
    return end(&c, ours, plain, ret_pair);
}
