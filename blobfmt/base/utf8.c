#include "utf8.h"

#include <stdint.h>
#include <string.h>

/* Bytes of the sequence that begins at `s`, or 0 where it is malformed. */
static size_t sequence_length(const unsigned char *s, size_t left)
{
    unsigned char lead = s[0];
    size_t length = lead < 0x80   ? 1
                    : lead < 0xc2 ? 0
                    : lead < 0xe0 ? 2
                    : lead < 0xf0 ? 3
                    : lead < 0xf5 ? 4
                                  : 0;
    if (length == 0 || length > left)
        return 0;
    if (length == 1)
        return lead != 0;
    unsigned char low = 0x80, high = 0xbf;
    if (lead == 0xe0)
        low = 0xa0;
    else if (lead == 0xed)
        high = 0x9f;
    else if (lead == 0xf0)
        low = 0x90;
    else if (lead == 0xf4)
        high = 0x8f;
    if (s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

size_t kiln_utf8_valid_prefix(const unsigned char *text, size_t size)
{
    const uint64_t high_bits = UINT64_C(0x8080808080808080),
                   low_bits = UINT64_C(0x0101010101010101);
    size_t at = 0;
    while (at < size) {
        /* Eight bytes at once while they are ASCII and none is NUL. */
        while (size - at >= 8) {
            uint64_t word;
            memcpy(&word, text + at, 8);
            if ((word | (word - low_bits)) & high_bits)
                break;
            at += 8;
        }
        if (at == size)
            break;
        size_t length = sequence_length(text + at, size - at);
        if (length == 0)
            break;
        at += length;
    }
    return at;
}

bool kiln_utf8_is_valid(const unsigned char *text, size_t size)
{
    size_t at = 0;
    while (at < size) {
        size_t more = kiln_utf8_valid_prefix(text + at, size - at);
        at += more;
        if (at < size && text[at] != 0)
            return false;
        at += at < size;
    }
    return true;
}
