/* Marks and checks the strings of a sweep.
 *
 * For each string field, the sweep checks bounds and the NUL, and sets the bit of the byte at which
 * the string starts. At the end, one pass over the tail compares the bits with the NULs, 64 bytes
 * at a time: the starts must be exactly the bytes after a NUL, and zeros elsewhere are padding.
 * This checks V16 to V18 for all strings at once, in time linear in the payload, even if strings
 * are shared. */
#include "sweep_text.h"

#include "utf8.h"

enum { WORD_BITS = 64 };

void kiln_sweep_text_init(sweep_text *text, const unsigned char *payload, uint32_t size,
                          const kiln_allocator *allocator)
{
    text->payload = text->begin = payload;
    text->size = size;
    text->allocator = *allocator;
    text->starts = NULL;
    text->base = 0;
    text->window = 0;
    text->words = 0;
    text->no_memory = false;
}

static void free_starts(sweep_text *text)
{
    if (text->starts && text->starts != text->local_starts)
        text->allocator.free(text->allocator.ctx, text->starts, text->words * sizeof *text->starts);
}

void kiln_sweep_text_fini(sweep_text *text)
{
    free_starts(text);
}

/* Chooses a new `base`, so that `start` has a bit. Strings are at the end of the payload and are
 * mostly visited in order, so the bits need not cover all of it. Each time a string starts before
 * the base, the covered range at least doubles, so all moves together take linear time. */
static uint32_t choose_base(const sweep_text *text, uint32_t start, uint32_t least)
{
    uint64_t most = text->size - least, marked = text->starts ? text->size - text->base : 0;
    if (most <= (SWEEP_TEXT_LOCAL_WORDS - 1) * WORD_BITS || 2 * marked >= most)
        start = least;
    else if (start > text->size - 2 * marked)
        start = (uint32_t)(text->size - 2 * marked);
    return start & ~(uint32_t)(WORD_BITS - 1);
}

static bool move_base(sweep_text *text, uint32_t base)
{
    size_t words = ((size_t)text->size - base + WORD_BITS - 1) / WORD_BITS;
    uint64_t *starts = text->local_starts;
    if (words > SWEEP_TEXT_LOCAL_WORDS)
        starts =
            text->allocator.alloc(text->allocator.ctx, words * sizeof *starts, _Alignof(uint64_t));
    if (!starts) {
        text->no_memory = true;
        return false;
    }
    /* The ranges can overlap if both are in `local_starts`, so this needs memmove. */
    if (text->starts)
        memmove(starts + (words - text->words), text->starts, text->words * sizeof *starts);
    memset(starts, 0, (words - text->words) * sizeof *starts);
    free_starts(text);
    text->starts = starts;
    text->words = words;
    text->base = base;
    text->begin = text->payload + base;
    uint32_t left = text->size - base;
    text->window = left < SWEEP_TEXT_WINDOW ? 0 : left - SWEEP_TEXT_WINDOW + 1;
    return true;
}

bool kiln_sweep_text_add_any(sweep_text *text, uint32_t field, uint32_t least)
{
    uint32_t offset, length;
    memcpy(&offset, text->payload + field, 4);
    memcpy(&length, text->payload + field + 4, 4);
    if (offset == 0 || length == 0)
        return (offset | length) == 0;
    uint64_t start = (uint64_t)field + offset;
    if (start >= text->size || length >= text->size - start || start < least)
        return false;
    if (memchr(text->payload + start, 0, (size_t)length + 1) != text->payload + start + length)
        return false;
    if ((!text->starts || start < text->base) &&
        !move_base(text, choose_base(text, (uint32_t)start, least)))
        return false;
    text->starts[(start - text->base) / WORD_BITS] |= UINT64_C(1) << start % WORD_BITS;
    return true;
}

bool kiln_sweep_text_add_all(sweep_text *text, const uint32_t *fields, uint32_t count,
                             uint32_t least)
{
    sweep_text_view view = sweep_text_view_of(text);
    for (uint32_t i = 0; i < count; i++) {
        if (sweep_text_add_short(&view, fields[i]))
            continue;
        if (!kiln_sweep_text_add_any(text, fields[i], least))
            return false;
        view = sweep_text_view_of(text);
    }
    return true;
}

/* The bits of the 64 bytes from `at` on, a multiple of 64. */
static uint64_t marks_at(const sweep_text *text, uint32_t at)
{
    return text->starts && at >= text->base ? text->starts[(at - text->base) / WORD_BITS] : 0;
}

/* A mask of the 64 bytes from `at` on, with the bits of the bytes in [from, to) set. */
static uint64_t range_at(uint32_t at, uint32_t from, uint32_t to)
{
    uint64_t range = UINT64_MAX;
    if (from > at)
        range &= UINT64_MAX << (from - at);
    if (to - at < WORD_BITS)
        range &= (UINT64_C(1) << (to - at)) - 1;
    return range;
}

bool kiln_sweep_text_is_unmarked(const sweep_text *text, uint32_t from, uint32_t to)
{
    if (!text->starts || to <= text->base)
        return true;
    from = from > text->base ? from : text->base;
    for (uint32_t at = from & ~(uint32_t)(WORD_BITS - 1); at < to; at += WORD_BITS)
        if (marks_at(text, at) & range_at(at, from, to))
            return false;
    return true;
}

static uint64_t zeros_at(const sweep_text *text, uint32_t at)
{
    const unsigned char *bytes = text->payload + at;
    uint64_t zeros = 0;
    if (text->size - at >= WORD_BITS)
        return byte_mask_zeros_32(bytes) | (uint64_t)byte_mask_zeros_32(bytes + 32) << 32;
    for (uint32_t i = 0; i < text->size - at; i++)
        zeros |= (uint64_t)(bytes[i] == 0) << i;
    return zeros;
}

static bool is_ascii(const sweep_text *text, uint32_t at, uint64_t range)
{
    if (range == UINT64_MAX)
        return !byte_mask_has_high_64(text->payload + at);
    unsigned char all = 0;
    for (; range; range >>= 1, at++)
        all |= range & 1 ? text->payload[at] : 0;
    return all < 0x80;
}

bool kiln_sweep_text_check(const sweep_text *text, uint32_t from, uint32_t to)
{
    if (from >= to)
        return true;
    if (text->payload[to - 1] != 0)
        return false;
    uint64_t first = UINT64_C(1) << from % WORD_BITS; /* the first byte starts a string too */
    uint32_t ascii = from;                            /* all bytes before this one are ASCII */
    for (uint32_t at = from & ~(uint32_t)(WORD_BITS - 1); at < to; at += WORD_BITS) {
        uint64_t range = range_at(at, from, to), zeros = zeros_at(text, at) & range;
        /* A string starts after each NUL, or at `from`, unless another NUL is there (padding). */
        if ((marks_at(text, at) & range) != ((zeros << 1 | first) & ~zeros & range))
            return false;
        first = zeros >> (WORD_BITS - 1);
        if (ascii >= at && is_ascii(text, at, range))
            ascii = at + WORD_BITS;
    }
    /* NULs separate the strings, so all of them are UTF-8 if and only if the whole range is. */
    return ascii >= to || kiln_utf8_is_valid((const char *)text->payload + ascii, to - ascii);
}
