/* The command line, parsed into a struct. Parsing touches no file but those of `@file`. */
#ifndef BAKE_OPTIONS_H
#define BAKE_OPTIONS_H

#include "bake_result.h"
#include "bake_store.h"
#include "run_options.h"

#include <stdio.h>

/* Parses `count` arguments (without the program's name). The first that is no option may be a
 * command's name. The lists lie in `store`. CANNOT with a
 * line about what is wrong. */
bake_result bake_options_parse(bake_options *options, bake_store *store, size_t count,
                               const char *const *arguments, bake_failure *failure);

/* Replaces each argument `@file` by the words in that file: separated by white space, quotes keep
 * it, a backslash takes the next byte as it is. Arguments after `--` are left alone. */
bake_result bake_options_expand(bake_store *store, size_t *count, const char *const **arguments,
                                bake_failure *failure);

/* The whole help text, from the same tables that parse. */
void bake_options_help(FILE *out);

#endif
