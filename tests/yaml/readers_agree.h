/* The quick reader of YAML and the one with libyaml's events, held against each other. */
#ifndef READERS_AGREE_H
#define READERS_AGREE_H

#include <stdbool.h>
#include <stddef.h>

/* Reads the text, in a block of exactly its size. `*ret_taken` tells whether the quick reader took
 * it. False, after a message on standard error, where it did and libyaml found something wrong, or
 * the trees differ; or where it failed. */
bool readers_agree(const char *text, size_t size, bool *ret_taken);

#endif
