/* Compares the quick reader with the one based on libyaml's events. */
#ifndef READERS_AGREE_H
#define READERS_AGREE_H

#include <stdbool.h>
#include <stddef.h>

/* Reads the text in a block of exactly its size. `*ret_taken` receives whether the quick reader
 * accepted it. Returns false after a message on standard error if the quick reader accepted what
 * libyaml refuses, if the trees differ, or if a reader failed. */
bool readers_agree(const char *text, size_t size, bool *ret_taken);

#endif
