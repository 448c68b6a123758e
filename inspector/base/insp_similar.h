/* Finds the name that a misspelt word was probably meant to be.
 *
 * Names are offered one after another, so they can come from any table. `best` is the nearest one
 * so far, and remains the caller's memory. */
#ifndef INSP_SIMILAR_H
#define INSP_SIMILAR_H

#include <stddef.h>
#include <stdint.h>

enum { INSP_SIMILAR_MAX = 255 }; /* longer words and names are never similar */

typedef struct insp_similar {
    const char *wanted;
    size_t length;
    const char *best; /* NULL: no name is close enough */
    size_t best_length;
    uint32_t least; /* names with this distance or a greater one are not better */
    uint64_t left;  /* steps; the search stops when they are used up */
} insp_similar;

/* `wanted` must stay valid. A name is close enough if about a third of the letters differ; case
 * counts less than a letter. */
void insp_similar_init(insp_similar *similar, const char *wanted, size_t length);
void insp_similar_offer(insp_similar *similar, const char *name, size_t length);

/* The minimum number of insertions, deletions, replacements and swaps of neighbours that turn a
 * prefix of `wanted` into `name`: `ret_row[k]` is that of the prefix of length k. Both lengths are
 * at most INSP_SIMILAR_MAX. */
void insp_similar_distances(const char *name, size_t name_length, const char *wanted, size_t length,
                            uint32_t ret_row[INSP_SIMILAR_MAX + 1]);

#endif
