/* A bitmap of the bytes at which strings start. A sweep (sweep.h) sets a bit when it reaches a
 * string field. */
#ifndef KILN_SWEEP_TEXT_H
#define KILN_SWEEP_TEXT_H

#include "byte_mask.h"

#include <kiln/allocator.h>
#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

enum { SWEEP_TEXT_WINDOW = 32, SWEEP_TEXT_LOCAL_WORDS = 32 };

typedef struct sweep_text {
    const unsigned char *payload, *begin; /* `begin`: the byte at `base` */
    uint32_t size;
    uint32_t window;  /* number of positions from `base` on at which SWEEP_TEXT_WINDOW bytes can be
                         read */
    uint64_t *starts; /* a bit for each byte from `base` on; NULL before the first string */
    uint32_t base;    /* a multiple of 64 */
    size_t words;
    bool no_memory;
    kiln_allocator allocator;
    uint64_t local_starts[SWEEP_TEXT_LOCAL_WORDS];
} sweep_text;

void kiln_sweep_text_init(sweep_text *text, const unsigned char *payload, uint32_t size,
                          const kiln_allocator *allocator);
void kiln_sweep_text_fini(sweep_text *text);

/* Like sweep_text_add, but without the fast path for short strings. Rejects a string that starts
 * before `least`. */
bool kiln_sweep_text_add_any(sweep_text *text, uint32_t field, uint32_t least);

/* The fields that adding short strings needs, as a local copy that no store can alias. */
typedef struct sweep_text_view {
    const unsigned char *payload, *begin;
    uint64_t *starts;
    uint32_t base, window;
} sweep_text_view;

static inline sweep_text_view sweep_text_view_of(const sweep_text *text)
{
    sweep_text_view view = {text->payload, text->begin, text->starts, text->base, text->window};
    return view;
}

/* The fast path of sweep_text_add. Also returns false if the string is long, empty or outside the
 * window, or if its first NUL is not at its end. */
static inline bool sweep_text_add_short(const sweep_text_view *text, uint32_t field)
{
    uint64_t both; /* offset and length: hosts are little-endian */
    memcpy(&both, text->payload + field, 8);
    /* Relative to `base`. A start before `base` wraps around to a number far above the window. With
     * offset 0, the start is the field itself, whose first byte is then a NUL that comes too early.
     */
    uint64_t start = (uint64_t)field + (uint32_t)both - text->base;
    uint32_t above = (uint32_t)(both >> 32) - 1;
    if ((start >= text->window) | (above >= SWEEP_TEXT_WINDOW - 1))
        return false;
    uint32_t zeros = byte_mask_zeros_32(text->begin + start);
    /* The NUL is at the string's end, and there is none before it. */
    if (zeros << (SWEEP_TEXT_WINDOW - 2 - above) != UINT32_C(1) << 31)
        return false;
    text->starts[start / 64] |= UINT64_C(1) << start % 64;
    return true;
}

/* Marks the string that the field at `field` points to; an empty string has nothing to mark.
 * Returns false if V2, V4, V5 or V6 is broken. */
static inline bool sweep_text_add(sweep_text *text, uint32_t field, uint32_t least)
{
    sweep_text_view view = sweep_text_view_of(text);
    return sweep_text_add_short(&view, field) || kiln_sweep_text_add_any(text, field, least);
}

/* Like sweep_text_add, but for `count` fields. */
bool kiln_sweep_text_add_all(sweep_text *text, const uint32_t *fields, uint32_t count,
                             uint32_t least);

/* Whether [from, to) consists of complete marked strings and zeros, without any other marks (V16,
 * V17, V18), and is UTF-8 (V7). */
bool kiln_sweep_text_check(const sweep_text *text, uint32_t from, uint32_t to);
/* Whether there is no mark in [from, to). */
bool kiln_sweep_text_is_unmarked(const sweep_text *text, uint32_t from, uint32_t to);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
