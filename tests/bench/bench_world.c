#include "bench_world.h"

#include "baselines.h"
#include "bench_pages.h"
#include "bench_text.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void bench_world_fail(kiln_status status)
{
    fprintf(stderr, "world: %s\n", kiln_status_text(status));
    exit(2);
}

void bench_world_renew(bench_world *w)
{
    const kiln_component_desc descs[] = {KILN_COMPONENT(body_position),
                                         KILN_COMPONENT(body_rotation),
                                         KILN_COMPONENT(body_velocity), KILN_COMPONENT(body_fire)};
    kiln_component *const components[] = {&w->position, &w->rotation, &w->velocity, &w->fire};
    kiln_page_source pages = w->keeps_pages ? bench_pages_kept() : bench_pages_plain();
    kiln_world_def def = kiln_world_def_default();
    def.pages = &pages;
    def.huge_pages = w->advice == BASELINE_HUGE ? KILN_HUGE_PAGES_ALWAYS : KILN_HUGE_PAGES_NEVER;
    kiln_world_destroy(w->world);
    w->world = NULL;
    bench_world_expect(kiln_world_create(&def, &w->world));
    for (size_t i = 0; i < sizeof descs / sizeof *descs; i++)
        bench_world_expect(kiln_component_register(w->world, descs + i, components[i]));
    const kiln_component all[] = {w->position, w->rotation, w->velocity, w->fire};
    bench_world_expect(kiln_archetype_register(w->world, all, 3, &w->body));
    bench_world_expect(kiln_archetype_register(w->world, all, 4, &w->burning));
}

void *bench_world_array(uint32_t count, size_t size)
{
    return baseline_array(count, size);
}

void bench_world_init(bench_world *w, const char *count, baseline_advice advice)
{
    *w = (bench_world){.count = (uint32_t)strtoul(count, NULL, 10), .advice = advice};
    if (w->count == 0) {
        fputs("missing number of entities\n", stderr);
        exit(2);
    }
    baseline_columns_map(&w->source, w->count, advice);
    baseline_columns_fill(&w->source, w->count);
    w->handles = bench_world_array(w->count, sizeof *w->handles);
    w->shuffled = bench_world_array(w->count, sizeof *w->shuffled);
    w->order = baseline_order(w->count, BENCH_SEED);
    bench_world_renew(w);
}

void bench_world_fill(bench_world *w, kiln_archetype archetype, kiln_entity *ret_handles)
{
    const kiln_column_values columns[] = {{w->position, w->source.positions},
                                          {w->rotation, w->source.rotations},
                                          {w->velocity, w->source.velocities}};
    kiln_create_args args = {archetype, w->count, columns, sizeof columns / sizeof *columns};
    bench_world_expect(kiln_entity_create_many(w->world, &args, ret_handles));
}

void bench_world_refill(bench_world *w, kiln_archetype archetype)
{
    kiln_world_clear(w->world);
    bench_world_fill(w, archetype, w->handles);
}

void bench_world_shuffle(bench_world *w)
{
    for (uint32_t i = 0; i < w->count; i++)
        w->shuffled[i] = w->handles[w->order[i]];
}

bool bench_world_all_alive(const bench_world *w, bool alive)
{
    bool good = true;
    for (uint32_t i = 0; i < w->count; i++)
        good = good && kiln_entity_exists(w->world, w->handles[i]) == alive;
    return good;
}

bench_pair bench_world_measure(bench_world *w, bench_side ours, bench_side baseline)
{
    return bench_span_measure_each(ours, baseline, w, w->count);
}
