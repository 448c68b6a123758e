/* Parses the command line into a struct. Parsing reads no file except those of `@file`, which
 * response_file.c expands. */
#ifndef BAKE_OPTIONS_H
#define BAKE_OPTIONS_H

#include "bake_result.h"
#include "bake_store.h"
#include "run_options.h"

#include <stdio.h>

/* Parses `count` arguments, without the name of the program. The first argument that is not an
 * option can be the name of a command. Lists live in `store`. CANNOT with a message for wrong
 * usage. */
bake_result bake_options_parse(bake_options *options, bake_store *store, size_t count,
                               const char *const *arguments, bake_failure *failure);

/* Replaces each argument `@file` by the words in that file. White space separates words; quotes
 * protect it, a backslash protects the next byte. Arguments after `--` stay. */
bake_result bake_options_expand(bake_store *store, size_t *count, const char *const **arguments,
                                bake_failure *failure);

/* The whole help text, from the same tables that parse. */
void bake_options_help(FILE *out);

#endif
