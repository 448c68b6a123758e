/* Dictionary training in two steps, so that several sizes need only one search. */
#ifndef KILN_DICTIONARY_TRAIN_H
#define KILN_DICTIONARY_TRAIN_H

#include <kiln/compression.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Writes content that the samples have in common to `memory`, the most useful parts last. Returns
 * the same statuses as kiln_dictionary_train. */
kiln_status kiln_dictionary_gather(const void *samples, const size_t *sizes, uint32_t count,
                                   unsigned char *memory, size_t room, size_t *ret_size);

/* Makes a dictionary of at most `room` bytes from the end of that content, with statistics of the
 * samples for `level`. `memory` may be the content's own memory. */
kiln_status kiln_dictionary_cut(int level, const unsigned char *content, size_t size,
                                const void *samples, const size_t *sizes, uint32_t count,
                                void *memory, size_t room, size_t *ret_size);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
