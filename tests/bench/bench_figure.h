/* One figure, and the lists of them that have a file of their own. */
#ifndef BENCH_FIGURE_H
#define BENCH_FIGURE_H

#include "bench_samples.h"

#include <stddef.h>

typedef struct bench_figure {
    const char *name;
    bench_sample *sample;
    const char *args[2];
    double target; /* 0: none, the figure explains another */
    bool strictly; /* below the target, not at it */
    bool at_least; /* more is better */
    bool needs_flatc, needs_capnp;
    bool is_peer; /* ours is a peer's */
    const char *unit;
    const char *span; /* what both sides cover */
} bench_figure;

extern const bench_figure bench_asset_figures[];
extern const size_t bench_asset_figure_count;
extern const bench_figure bench_entity_figures[];
extern const size_t bench_entity_figure_count;
extern const bench_figure bench_scene_figures[];
extern const size_t bench_scene_figure_count;
extern const bench_figure bench_real_figures[];
extern const size_t bench_real_figure_count;

#endif
