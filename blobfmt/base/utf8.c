#include "utf8.h"

#include <string.h>

size_t kiln_utf8_valid_prefix(const char *text, size_t size)
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
        uint32_t code = 0;
        size_t length = utf8_decode(text + at, size - at, &code);
        if (length == 0 || code == 0)
            break;
        at += length;
    }
    return at;
}

bool kiln_utf8_is_valid(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size) {
        at += kiln_utf8_valid_prefix(text + at, size - at);
        if (at < size && text[at] != 0)
            return false;
        at += at < size;
    }
    return true;
}
