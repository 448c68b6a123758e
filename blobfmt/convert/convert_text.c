/* Moves all strings to the end of the newer payload.
 *
 * Strings have no alignment and keep their order, so they need not be moved one by one. The bitmap
 * text_bits records which bytes belong to strings. The new position of a byte is the number of set
 * bits before it (its rank: Jacobson, "Space-efficient static trees and graphs", FOCS 1989). The
 * bits of strings that only removed fields use are not set, so these strings are dropped. */
#include "convert_run.h"

#include <string.h>

bool kiln_convert_place_texts(convert_run *r)
{
    if (r->text_count == 0 || r->text_end - r->text_first == r->text_count)
        return true;
    r->text_ranks = r->allocator.alloc(r->allocator.ctx, r->text_words * sizeof *r->text_ranks,
                                       sizeof(uint32_t));
    if (!r->text_ranks)
        return convert_stop(r, KILN_NO_MEMORY, 0);
    uint32_t rank = 0;
    for (size_t w = 0; w < r->text_words; w++) {
        r->text_ranks[w] = rank;
        rank += convert_bit_count(r->text_bits[w]);
    }
    return true;
}

/* The first byte in [at, end) whose bit in text_bits equals `is_text`; `end` if there is none. */
static uint32_t find_edge(const convert_run *r, uint32_t at, bool is_text, uint32_t end)
{
    const uint64_t flip = is_text ? 0 : UINT64_MAX;
    while (at < end) {
        uint64_t word = (r->text_bits[at / 64] ^ flip) >> at % 64;
        if (word == 0) {
            at += 64 - at % 64;
            continue;
        }
        while (!(word & 1)) {
            word >>= 1;
            at++;
        }
        return at < end ? at : end;
    }
    return end;
}

void kiln_convert_write_texts(const convert_run *r)
{
    unsigned char *to = r->to + r->text_place;
    uint32_t at = r->text_first, end = r->text_end;
    while (r->text_count && at < end) {
        uint32_t run_end = r->text_ranks ? find_edge(r, at, false, end) : end;
        memcpy(to, r->from + at, run_end - at);
        to += run_end - at;
        at = run_end < end ? find_edge(r, run_end, true, end) : end;
    }
}
