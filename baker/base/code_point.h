/* How code points are shown. utf8.h of blobfmt decodes them. */
#ifndef BAKE_CODE_POINT_H
#define BAKE_CODE_POINT_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a terminal does not show the code point as a sign of its own: C1 controls, and those that
 * change the direction of text or have no width. */
static inline bool bake_utf8_hides_or_moves(uint32_t c)
{
    return (c >= 0x80 && c < 0xa0) || c == 0xad || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
}

#endif
