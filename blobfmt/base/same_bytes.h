/* Equality of short byte strings without calling memcmp: most strings and small objects have at
 * most 16 bytes. */
#ifndef KILN_SAME_BYTES_H
#define KILN_SAME_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool same_bytes(const unsigned char *a, const unsigned char *b, uint32_t size)
{
    if (size > 16)
        return memcmp(a, b, size) == 0;
    /* The first and the last word overlap and together cover all bytes. */
    if (size >= 8) {
        uint64_t words[4];
        memcpy(&words[0], a, 8);
        memcpy(&words[1], b, 8);
        memcpy(&words[2], a + size - 8, 8);
        memcpy(&words[3], b + size - 8, 8);
        return words[0] == words[1] && words[2] == words[3];
    }
    if (size >= 4) {
        uint32_t words[4];
        memcpy(&words[0], a, 4);
        memcpy(&words[1], b, 4);
        memcpy(&words[2], a + size - 4, 4);
        memcpy(&words[3], b + size - 4, 4);
        return words[0] == words[1] && words[2] == words[3];
    }
    for (uint32_t i = 0; i < size; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

#endif
