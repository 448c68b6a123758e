#include "series.h"

#include <string.h>

enum { PIECE_ALIGN = 16 };

static size_t piece_size(unsigned piece, size_t item_size)
{
    return ((size_t)1 << (piece + SERIES_FIRST_LOG2)) * item_size;
}

bool kiln_series_grow(series *s, const kiln_allocator *allocator, size_t item_size)
{
    uint32_t first = 1u << SERIES_FIRST_LOG2;
    unsigned piece = series_log2(s->capacity + first) - SERIES_FIRST_LOG2;
    if (piece >= SERIES_PIECES || piece_size(piece, 1) > SIZE_MAX / 2 / item_size)
        return false;
    s->pieces[piece] = allocator->alloc(allocator->ctx, piece_size(piece, item_size), PIECE_ALIGN);
    if (!s->pieces[piece])
        return false;
    s->capacity += first << piece;
    return true;
}

void kiln_series_reset(series *s, const kiln_allocator *allocator, size_t item_size,
                       unsigned pieces)
{
    for (unsigned piece = SERIES_PIECES; piece-- > pieces;) {
        if (!s->pieces[piece])
            continue;
        allocator->free(allocator->ctx, s->pieces[piece], piece_size(piece, item_size));
        s->pieces[piece] = NULL;
        s->capacity -= 1u << (piece + SERIES_FIRST_LOG2);
    }
    s->count = 0;
}

void kiln_series_fini(series *s, const kiln_allocator *allocator, size_t item_size)
{
    kiln_series_reset(s, allocator, item_size, 0);
}
