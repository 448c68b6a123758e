/* Which code points are safe to print to a terminal or a log unescaped. */
#ifndef KILN_CODE_POINT_H
#define KILN_CODE_POINT_H

#include <stdbool.h>
#include <stdint.h>

/* Returns false for control characters, direction marks and overrides (which can change how a line
 * is displayed), zero-width characters, soft hyphens, line separators, the byte order mark,
 * annotations, noncharacters, tags and variation selectors. */
static inline bool code_point_is_visible(uint32_t code)
{
    if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad)
        return false;
    if (code == 0x061c || (code >= 0x200b && code <= 0x200f) ||
        (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f))
        return false;
    if (code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb) ||
        (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) == 0xfffe)
        return false;
    return code < 0xe0000 || code > 0xe0fff;
}

#endif
