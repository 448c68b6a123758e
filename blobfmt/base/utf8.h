/* Well-formed UTF-8 as defined by Unicode 15, table 3-7: no overlong forms, no surrogates, nothing
 * above U+10FFFF. */
#ifndef KILN_UTF8_H
#define KILN_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Reads the code point at `text` and returns its length in bytes. Returns 0 if the sequence is
 * malformed or truncated, or if `size` is 0. NUL is treated as an ordinary code point. */
static inline size_t utf8_decode(const char *text, size_t size, uint32_t *ret_code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    if (size == 0)
        return 0;
    if (bytes[0] < 0x80) {
        *ret_code = bytes[0];
        return 1;
    }
    size_t length = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
    if (bytes[0] < 0xc2 || bytes[0] > 0xf4 || length > size)
        return 0;
    uint32_t code = bytes[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (bytes[i] & 0x3fu);
    }
    if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return 0;
    *ret_code = code;
    return length;
}

/* Writes a code point up to U+10FFFF and returns its length in bytes. */
static inline size_t utf8_encode(uint32_t code, char to[4])
{
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, code >>= 6)
        to[i] = (char)(unsigned char)(0x80 | (code & 0x3f));
    to[0] = (char)(unsigned char)(leads[length] | code);
    return length;
}

/* Whether the byte is a continuation byte. */
static inline bool utf8_is_inside(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The number of code points in well-formed text. */
static inline size_t utf8_count(const char *text, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += !utf8_is_inside(text[i]);
    return count;
}

/* The length of the longest prefix that has at most `most` bytes and does not end inside a
 * sequence. */
static inline size_t utf8_cut(const char *text, size_t size, size_t most)
{
    if (size <= most)
        return size;
    while (most > 0 && utf8_is_inside(text[most]))
        most--;
    return most;
}

/* How many leading bytes are well-formed and not NUL; `size` if all are. */
size_t kiln_utf8_valid_prefix(const char *text, size_t size);
/* Whether the whole text is well-formed; NULs are allowed. */
bool kiln_utf8_is_valid(const char *text, size_t size);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
