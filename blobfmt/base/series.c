/* Grows and resets a series; access is inline in series.h.
 *
 * Piece k holds 2^(k + SERIES_FIRST_LOG2) items, so series_at needs no search. It adds the size of
 * the first piece to the index. The highest set bit of the sum selects the piece, and the bits
 * below are the position in that piece. */
#include "series.h"

#include <string.h>

enum { PIECE_ALIGN = 16 };

static size_t piece_size(unsigned piece, size_t item_size)
{
    return ((size_t)1 << (piece + SERIES_FIRST_LOG2)) * item_size;
}

bool kiln_series_grow(series *s, const kiln_allocator *allocator, size_t item_size)
{
    /* All existing pieces are full, so the number of items determines the next piece. */
    unsigned piece = floor_log2(s->count + (1u << SERIES_FIRST_LOG2)) - SERIES_FIRST_LOG2;
    if (piece >= SERIES_PIECES || piece_size(piece, 1) > SIZE_MAX / 2 / item_size)
        return false;
    size_t size = piece_size(piece, item_size);
    /* A reset may have kept this piece. */
    if (!s->pieces[piece])
        s->pieces[piece] = allocator->alloc(allocator->ctx, size, PIECE_ALIGN);
    if (!s->pieces[piece])
        return false;
    s->next = s->pieces[piece];
    s->end = s->next + size;
    return true;
}

void kiln_series_reset(series *s, const kiln_allocator *allocator, size_t item_size,
                       unsigned pieces)
{
    for (unsigned piece = SERIES_PIECES; piece-- > pieces;) {
        if (s->pieces[piece])
            allocator->free(allocator->ctx, s->pieces[piece], piece_size(piece, item_size));
        s->pieces[piece] = NULL;
    }
    s->next = s->end = NULL;
    s->count = 0;
}

void kiln_series_fini(series *s, const kiln_allocator *allocator, size_t item_size)
{
    kiln_series_reset(s, allocator, item_size, 0);
}
