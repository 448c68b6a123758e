/* The figures: what is measured, against what, with which target. */
#ifndef BENCH_FIGURES_H
#define BENCH_FIGURES_H

#include <stdbool.h>
#include <stdio.h>

/* Paths of the programs and schemas that take part; `flatc` is NULL where there is none. */
typedef struct bench_tools {
    const char *bake, *inspect, *probe, *empty, *schema, *fbs, *flatc;
} bench_tools;

/* Writes the inputs below the folder `bench_data` of the current folder and bakes what the figures
 * read. */
bool bench_inputs_make(const bench_tools *tools);

/* Takes each figure and prints its row to standard output, and to `csv` unless that is NULL. False
 * where one could not be taken for a reason other than a missing peer. */
bool bench_figures_print(const bench_tools *tools, FILE *csv);

#endif
