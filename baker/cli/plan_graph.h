/* A graph of commands in the syntax of ninja or of make.
 *
 * Each command writes one file, is `kiln-bake @WORDS`, and depends on all files that it reads. The
 * form for make has one rule for each command and no other syntax than variables, so that Makeflow
 * can run it, too. */
#ifndef BAKE_PLAN_GRAPH_H
#define BAKE_PLAN_GRAPH_H

#include "bake_store.h"
#include "run_options.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum bake_graph_format { BAKE_GRAPH_NINJA, BAKE_GRAPH_MAKE } bake_graph_format;

typedef struct bake_graph_command {
    const char *output;
    const char *words; /* the response file */
    bake_list inputs;  /* includes `words` */
} bake_graph_command;

typedef struct bake_graph {
    const char *program; /* the path of kiln-bake */
    bake_graph_command *commands;
    size_t count;
    bake_list results;       /* outputs that no other command reads */
    const char *path;        /* of the graph itself */
    const char *folder;      /* of the files next to the graph */
    const char *all;         /* make: a file that is written last if there are several results */
    bake_graph_command self; /* writes the graph again */
    bake_list files;         /* all inputs that no command writes, by bake_graph_path */
} bake_graph;

/* The spelling by which the format compares paths: ninja removes `.` and `..`. NULL if memory runs
 * out. */
const char *bake_graph_path(const char *path, bake_graph_format format, bake_store *store);

/* Whether a path can be written in the format, with escapes if necessary. */
bool bake_graph_can_write(const char *path, bake_graph_format format);

/* Writes the graph. `write` is that of kiln_write_function. Returns false if `write` fails. */
bool bake_graph_write(const bake_graph *graph, bake_graph_format format,
                      bool (*write)(void *ctx, const void *data, size_t size), void *ctx);
/* Writes a makefile that first brings the graph for make up to date, and then runs it. */
bool bake_graph_write_self(const bake_graph *graph,
                           bool (*write)(void *ctx, const void *data, size_t size), void *ctx);

#endif
