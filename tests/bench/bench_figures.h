/* The figures: the measurements, their baselines and targets. */
#ifndef BENCH_FIGURES_H
#define BENCH_FIGURES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Sizes of the inputs. */
typedef struct bench_sizes {
    uint32_t spawns, notes; /* of the large level; of the file with many assets */
    uint32_t small;         /* number of small levels with BENCH_SMALL_SPAWNS spawns each; at most
                               BENCH_SMALL_MAX */
    uint32_t entities;      /* number of entities, unless a figure has its own */
    int processes; /* processes per figure, which reports their median; at most BENCH_PROCESSES_MAX
                    */
    int starts;    /* pairs in a sample of process starts; at most BENCH_STARTS_MAX */
} bench_sizes;

enum {
    BENCH_SMALL_SPAWNS = 4,
    BENCH_SMALL_MAX = 2000,
    BENCH_PROCESSES_MAX = 5,
    BENCH_STARTS_MAX = 41
};

/* Paths of the programs and schemas. `flatc` and `capnp` are NULL if they are not installed. */
typedef struct bench_tools {
    const char *real,
        *real_schema; /* a folder with a game's data, and its schema; NULL if missing */
    const char *bake, *inspect, *probe, *empty, *schema, *fbs, *flatc, *capnp_schema, *capnp;
    const char *pages;              /* inspect_pages */
    const char *hash_files, *ninja; /* `ninja` is NULL if it is not installed */
    const char *cache_hits, *nginx; /* NULL without libcurl and nginx */
    const char *only;               /* measures only figures whose names contain it; NULL: all */
    bench_sizes sizes;
} bench_tools;

/* Writes the inputs into the folder `bench_data` below the current folder and bakes the files that
 * the figures read. */
bool bench_inputs_make(const bench_tools *tools);

/* Measures each figure and prints its row to standard output, and to `csv` unless that is NULL.
 * Returns false if a measurement fails for any reason other than a missing peer. */
bool bench_figures_print(const bench_tools *tools, FILE *csv);

#endif
