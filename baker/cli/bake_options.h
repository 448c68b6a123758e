/* Parses the command line into a struct. Only response files (`@file`) are read, by
 * response_file.c. */
#ifndef BAKE_OPTIONS_H
#define BAKE_OPTIONS_H

#include "bake_result.h"
#include "bake_store.h"
#include "run_options.h"

#include <stdio.h>

/* Parses `count` arguments, without the program name. The first argument that is not an option may
 * be the name of a command. Lists are allocated in `store`. Returns BAKE_FAILED with a message on
 * a usage error. */
bake_result bake_options_parse(bake_options *options, bake_store *store, size_t count,
                               const char *const *arguments, bake_failure *failure);

/* Replaces each argument `@file` by the words in that file. Words are separated by whitespace.
 * Whitespace inside quotes is literal, and so is the byte after a backslash outside of single
 * quotes. Arguments after `--` are not expanded. */
bake_result bake_options_expand(bake_store *store, size_t *count, const char *const **arguments,
                                bake_failure *failure);

/* The command whose name is most similar to the word; NULL if none is close. */
const char *bake_command_similar(const char *word);

/* Prints the help, generated from the tables that are used for parsing. */
void bake_options_help(FILE *out);

#endif
