#include "code_point.h"

size_t bake_utf8_decode(const char *text, size_t size, uint32_t *ret_code_point)
{
    const unsigned char *bytes = (const unsigned char *)text;
    if (bytes[0] < 0x80) {
        *ret_code_point = bytes[0];
        return 1;
    }
    size_t width = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
    if (bytes[0] < 0xc2 || bytes[0] > 0xf4 || width > size)
        return 0;
    uint32_t code_point = bytes[0] & (0x7fu >> width);
    for (size_t i = 1; i < width; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        code_point = code_point << 6 | (bytes[i] & 0x3fu);
    }
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code_point < smallest[width] || code_point > 0x10ffff ||
        (code_point >= 0xd800 && code_point <= 0xdfff))
        return 0;
    *ret_code_point = code_point;
    return width;
}

size_t bake_utf8_cut(const char *text, size_t size, size_t most)
{
    if (size <= most)
        return size;
    while (most > 0 && ((unsigned char)text[most] & 0xc0) == 0x80)
        most--;
    return most;
}

bool bake_utf8_hides_or_moves(uint32_t c)
{
    return (c >= 0x80 && c < 0xa0) || c == 0xad || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
}
