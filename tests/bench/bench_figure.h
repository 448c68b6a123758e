/* One figure, and the tables of figures in separate files. */
#ifndef BENCH_FIGURE_H
#define BENCH_FIGURE_H

#include "bench_samples.h"

#include <stddef.h>

typedef struct bench_figure {
    const char *name;
    bench_sample *sample;
    const char *args[2];
    double target; /* 0 if the figure has no target and only explains another one */
    bool strictly; /* must be below the target, not equal to it */
    bool at_least; /* more is better */
    bool needs_flatc, needs_capnp;
    bool is_peer; /* our side measures a peer's library */
    const char *unit;
    const char *span; /* the work that each side includes */
} bench_figure;

extern const bench_figure bench_asset_figures[];
extern const size_t bench_asset_figure_count;
extern const bench_figure bench_entity_figures[];
extern const size_t bench_entity_figure_count;
extern const bench_figure bench_scene_figures[];
extern const size_t bench_scene_figure_count;
extern const bench_figure bench_project_figures[];
extern const size_t bench_project_figure_count;
extern const bench_figure bench_inspect_figures[];
extern const size_t bench_inspect_figure_count;
extern const bench_figure bench_real_figures[];
extern const size_t bench_real_figure_count;

#endif
