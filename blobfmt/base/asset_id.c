/* Ids and names of assets: FORMAT.md section 10, rule I3.
 *
 * Writers check every name, and full checks of an index check it again. The scans below therefore
 * process eight bytes at a time. */
#include <kiln/asset_id.h>

#include "hash.h"
#include "utf8.h"

#include <string.h>

kiln_id kiln_asset_id(const char *name, size_t length)
{
    return kiln_hash64(name, length, 0);
}

static bool is_kind_byte(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

/* Whether one of the eight bytes at `text` is below 0x20. Subtracting 0x20 from such a byte
 * borrows, which sets its top bit; `~word` excludes the bytes whose top bit was already set. A
 * borrow can reach the next byte only if a byte below 0x20 was found, so the result is exact. This
 * is "hasless" from Sean Eron Anderson's "Bit Twiddling Hacks". */
static bool word_has_control(const char *text)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t word;
    memcpy(&word, text, sizeof word);
    return ((word - 0x20 * ones) & ~word & 0x80 * ones) != 0;
}

static bool has_control(const char *text, size_t length)
{
    bool found = false;
    size_t at = 0;
    /* Nearly all names are valid, so the loop has no early exit, whose branch could be
     * mispredicted. */
    for (; length - at >= 8; at += 8)
        found |= word_has_control(text + at);
    for (; at < length; at++)
        found |= (unsigned char)text[at] < 0x20;
    return found;
}

bool kiln_asset_name_is_valid(const char *name, size_t length)
{
    size_t slash = 0;
    while (slash < length && is_kind_byte(name[slash]))
        slash++;
    if (slash == 0 || slash + 1 >= length || name[slash] != '/')
        return false;
    const char *id = name + slash + 1;
    size_t id_length = length - slash - 1;
    return !has_control(id, id_length) && kiln_utf8_valid_prefix(id, id_length) == id_length;
}
