/* Validation of UTF-8, the inner loop of rules V6 and V7. Nearly all text is ASCII, so eight bytes
 * are checked at once, and only text that fails this check is decoded. */
#include "utf8.h"

#include <string.h>

size_t kiln_utf8_valid_prefix(const char *text, size_t size)
{
    const uint64_t high_bits = UINT64_C(0x8080808080808080),
                   low_bits = UINT64_C(0x0101010101010101);
    size_t at = 0;
    while (at < size) {
        /* Subtracting 1 from a NUL borrows, which sets its top bit, so one mask finds non-ASCII
         * bytes and NULs. After a NUL, a borrow may also flag a byte 0x01; that only means taking
         * the slow path. */
        while (size - at >= 8) {
            uint64_t word;
            memcpy(&word, text + at, 8);
            if ((word | (word - low_bits)) & high_bits)
                break;
            at += 8;
        }
        /* Remains 0 if the sequence is malformed. */
        uint32_t code = 0;
        size_t length = utf8_decode(text + at, size - at, &code);
        if (code == 0)
            break;
        at += length;
    }
    return at;
}

bool kiln_utf8_is_valid(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size) {
        /* The prefix ends at a NUL, which is allowed here, or at a malformed sequence. */
        at += kiln_utf8_valid_prefix(text + at, size - at);
        if (at < size && text[at] != 0)
            return false;
        at += at < size;
    }
    return true;
}
