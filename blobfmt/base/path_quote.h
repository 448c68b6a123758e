/* Quoting in paths: plain names stay unquoted, and everything else is quoted with control
 * characters escaped. <kiln/path.h> describes paths. */
#ifndef KILN_PATH_QUOTE_H
#define KILN_PATH_QUOTE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether an unquoted name may contain the byte. */
static inline bool path_is_name_byte(char c, bool first)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
           (!first && ((c >= '0' && c <= '9') || c == '-'));
}

/* Whether the text needs no quotes. */
static inline bool path_is_name(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!path_is_name_byte(text[i], i == 0))
            return false;
    return length > 0;
}

enum { PATH_ESCAPE_SIZE = 6 };

/* Writes a byte as it appears in quotes, and returns the number of bytes written. */
static inline size_t path_escape(char c, char to[PATH_ESCAPE_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char byte = (unsigned char)c;
    if (byte >= 0x20 && byte != 0x7f && c != '"' && c != '\\') {
        to[0] = c;
        return 1;
    }
    to[0] = '\\';
    to[1] = c;
    if (c == '"' || c == '\\')
        return 2;
    to[1] = 'u';
    to[2] = to[3] = '0';
    to[4] = digits[byte >> 4];
    to[5] = digits[byte & 15];
    return PATH_ESCAPE_SIZE;
}

#endif
