/* Writes the contents of a JSON string, which is also a double-quoted string of YAML.
 *
 * Input may be any bytes. Each byte that is not part of valid UTF-8 becomes U+FFFD. Code points
 * that are not visible (code_point.h) are escaped, so that the output cannot deceive or control a
 * terminal. Code points above U+FFFF are not escaped: the escape would be a surrogate pair, which
 * YAML does not allow. */
#ifndef KILN_JSON_STRING_H
#define KILN_JSON_STRING_H

#include "code_point.h"
#include "utf8.h"

#include <string.h>

/* JSON_EIGHT repeats a byte eight times. The two functions below test eight bytes at once: whether
 * each byte is below `limit` (at most 0x80), or is equal to `c`. The highest bit of each byte is
 * its result; the other bits are undefined. If no byte is above 0x7f, the first set result is
 * exact; a borrow can cause false results after it. The tests are `hasless` and `haszero` from Sean
 * Eron Anderson's "Bit Twiddling Hacks". */
#define JSON_EIGHT(byte) (UINT64_C(0x0101010101010101) * (byte))

static inline uint64_t json_bytes_below(uint64_t word, unsigned limit)
{
    return (word - JSON_EIGHT(limit)) & ~word;
}

static inline uint64_t json_bytes_equal(uint64_t word, unsigned c)
{
    return json_bytes_below(word ^ JSON_EIGHT(c), 1);
}

/* The number of bytes at the beginning of `text` that need no escape: ASCII except control
 * characters, quotes and backslashes. */
static inline size_t json_plain_run(const char *text, size_t length)
{
    size_t run = 0;
    for (; length - run >= sizeof(uint64_t); run += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, text + run, sizeof word);
        word |= json_bytes_below(word, 0x20) | json_bytes_equal(word, '"') |
                json_bytes_equal(word, '\\') | json_bytes_equal(word, 0x7f);
        /* Bytes above 0x7f are not plain either. The loop below finds the first such byte. */
        if (word & JSON_EIGHT(0x80))
            break;
    }
    while (run < length && text[run] >= 0x20 && text[run] < 0x7f && text[run] != '"' &&
           text[run] != '\\')
        run++;
    return run;
}

enum { JSON_ESCAPE_SIZE = 6 };

/* The beginning of a string: `plain` bytes that are written unchanged, then an escape for the rest
 * of the `size` bytes. */
typedef struct json_piece {
    size_t plain, size;
    size_t escape_length; /* 0: the string ends here */
    char escape[JSON_ESCAPE_SIZE];
} json_piece;

/* Writes the escape of a code point up to U+FFFF and returns its length. */
static inline size_t json_escape(uint32_t code, char to[JSON_ESCAPE_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    char letter = code == '\n' ? 'n' : code == '\t' ? 't' : code == '\r' ? 'r' : '\0';
    if (code == '"' || code == '\\')
        letter = (char)code;
    to[0] = '\\';
    to[1] = letter ? letter : 'u';
    if (letter)
        return 2;
    for (int i = 0; i < 4; i++)
        to[2 + i] = digits[code >> (12 - 4 * i) & 15];
    return JSON_ESCAPE_SIZE;
}

/* Returns the next piece of a string; callers repeat until nothing is left. Takes time linear in
 * the `size` of the result. */
static inline json_piece json_next_piece(const char *text, size_t length)
{
    json_piece piece = {.plain = 0};
    while (piece.plain < length) {
        uint32_t code = 0xfffd;
        piece.plain += json_plain_run(text + piece.plain, length - piece.plain);
        if (piece.plain == length)
            break;
        size_t width = utf8_decode(text + piece.plain, length - piece.plain, &code);
        if (width && code != '"' && code != '\\' &&
            (code >= 0x10000 || code_point_is_visible(code))) {
            piece.plain += width;
            continue;
        }
        piece.escape_length = json_escape(code, piece.escape);
        piece.size = piece.plain + (width ? width : 1);
        return piece;
    }
    piece.size = piece.plain;
    return piece;
}

#endif
