/* A growable array that never moves, made of pieces of doubling size. Items are never copied, so
 * pointers to them remain valid. At most about half of the memory is unused. */
#ifndef KILN_SERIES_H
#define KILN_SERIES_H

#include "floor_log2.h"

#include <kiln/allocator.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

enum { SERIES_FIRST_LOG2 = 6, SERIES_PIECES = 25 };

/* A zeroed series is empty. */
typedef struct series {
    unsigned char *pieces[SERIES_PIECES]; /* piece k has 2^(k + SERIES_FIRST_LOG2) items */
    unsigned char *next, *end;            /* room in the piece that is being filled */
    uint32_t count;
} series;

/* Opens the next piece. Returns false if memory runs out or the series has about 2^31 items. */
bool kiln_series_grow(series *s, const kiln_allocator *allocator, size_t item_size);
void kiln_series_fini(series *s, const kiln_allocator *allocator, size_t item_size);
/* Removes all items, and keeps the memory of the first `pieces` pieces. */
void kiln_series_reset(series *s, const kiln_allocator *allocator, size_t item_size,
                       unsigned pieces);

static inline void *series_at(const series *s, uint32_t index, size_t item_size)
{
    uint32_t at = index + (1u << SERIES_FIRST_LOG2);
    unsigned log2 = floor_log2(at);
    return s->pieces[log2 - SERIES_FIRST_LOG2] + (size_t)(at - (1u << log2)) * item_size;
}

/* The address of a new, uninitialized item; NULL if memory runs out. */
static inline void *series_push(series *s, const kiln_allocator *allocator, size_t item_size)
{
    if (s->next == s->end && !kiln_series_grow(s, allocator, item_size))
        return NULL;
    unsigned char *item = s->next;
    s->next += item_size;
    s->count++;
    return item;
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
