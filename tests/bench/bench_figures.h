/* The figures: what is measured, against what, with which target. */
#ifndef BENCH_FIGURES_H
#define BENCH_FIGURES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* How much of everything there is. */
typedef struct bench_sizes {
    uint32_t spawns, notes; /* of the large level, of the file of many assets */
    uint32_t small;         /* levels of BENCH_SMALL_SPAWNS spawns each; at most BENCH_SMALL_MAX */
    uint32_t entities;      /* of the entity figures that do not say a number of their own */
    int processes;          /* that a figure is the median of; at most BENCH_PROCESSES_MAX */
    int starts;             /* pairs in a sample of starting; at most BENCH_STARTS_MAX */
} bench_sizes;

enum {
    BENCH_SMALL_SPAWNS = 4,
    BENCH_SMALL_MAX = 2000,
    BENCH_PROCESSES_MAX = 5,
    BENCH_STARTS_MAX = 41
};

/* Paths of the programs and schemas that take part; `flatc` and `capnp` are NULL where there is
 * none. */
typedef struct bench_tools {
    const char *real, *real_schema; /* a folder with a game's data, and its schema; or NULL */
    const char *bake, *inspect, *probe, *empty, *schema, *fbs, *flatc, *capnp_schema, *capnp;
    bench_sizes sizes;
} bench_tools;

/* Writes the inputs below the folder `bench_data` of the current folder and bakes what the figures
 * read. */
bool bench_inputs_make(const bench_tools *tools);

/* Takes each figure and prints its row to standard output, and to `csv` unless that is NULL. False
 * where one could not be taken for a reason other than a missing peer. */
bool bench_figures_print(const bench_tools *tools, FILE *csv);

#endif
