/* Escapes for terminals, JSON and YAML.
 *
 * Most text needs no escape, so insp_plain_run finds the end of a plain run eight bytes at a time,
 * and `put_text` copies the run at once. Only the bytes between runs are decoded as UTF-8. Invalid
 * bytes are escaped one by one, so the work is linear for any input. */
#include "insp_escape.h"

#include "utf8.h"

#include <string.h>

/* EIGHT repeats a byte eight times. The functions test eight bytes at once; the highest bit of each
 * byte is its answer, and the other bits mean nothing: whether the byte is below `limit`, which is
 * at most 0x80, or is `c`. The answers are right up to the first yes, if no byte is above 0x7f:
 * behind it a borrow can make a false one. The tests are `hasless` and `haszero` of Sean Eron
 * Anderson's "Bit Twiddling Hacks". */
#define EIGHT(byte) (UINT64_C(0x0101010101010101) * (byte))

static inline uint64_t bytes_below(uint64_t word, unsigned limit)
{
    return (word - EIGHT(limit)) & ~word;
}

static inline uint64_t bytes_equal(uint64_t word, unsigned c)
{
    return bytes_below(word ^ EIGHT(c), 1);
}

size_t insp_plain_run(const char *text, size_t length)
{
    size_t run = 0;
    for (; length - run >= sizeof(uint64_t); run += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, text + run, sizeof word);
        word |= bytes_below(word, 0x20) | bytes_equal(word, '"') | bytes_equal(word, '\\') |
                bytes_equal(word, 0x7f);
        /* A byte above 0x7f counts as not plain. The loop below finds which byte it is. */
        if (word & EIGHT(0x80))
            break;
    }
    while (run < length && text[run] >= 0x20 && text[run] < 0x7f && text[run] != '"' &&
           text[run] != '\\')
        run++;
    return run;
}

/* Whether a code point is safe to show without an escape. Rejects control characters, direction
 * marks and overrides (which make a line read as another text), characters without width, line
 * separators, the byte order mark, annotations, noncharacters, tags and variation selectors. Names
 * in a file can contain any of these. */
static bool is_plain_code(uint32_t code)
{
    if (code < 0x20 || (code >= 0x7f && code < 0xa0))
        return false;
    if (code == 0x061c || (code >= 0x200b && code <= 0x200f) ||
        (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f))
        return false;
    if (code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb) ||
        (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) == 0xfffe)
        return false;
    return code < 0xe0000 || code > 0xe0fff;
}

/* How one kind of output writes a code point that needs an escape. */
typedef void put_code_function(insp_out *out, uint32_t code, bool valid);

static void put_for_people(insp_out *out, uint32_t code, bool valid)
{
    if (code == '\n')
        insp_put(out, "\\n");
    else if (code == '\t')
        insp_put(out, "\\t");
    else if (code < 0x80 || !valid)
        insp_putf(out, "\\x%02x", (unsigned)code);
    else
        insp_putf(out, "\\u{%x}", (unsigned)code);
}

static void put_for_json(insp_out *out, uint32_t code, bool valid)
{
    if (!valid)
        insp_put(out, "\\ufffd");
    else if (code == '\n')
        insp_put(out, "\\n");
    else if (code == '\t')
        insp_put(out, "\\t");
    else if (code == '\r')
        insp_put(out, "\\r");
    else if (code < 0x10000)
        insp_putf(out, "\\u%04x", (unsigned)code);
}

/* Writes runs of plain text at once and all other code points with `put`. `special` are further
 * ASCII characters that need a backslash. */
static void put_text(insp_out *out, const char *text, size_t length, const char *special,
                     bool astral, put_code_function *put)
{
    size_t start = 0, i = 0;
    while (i < length) {
        uint32_t code;
        size_t size;
        bool backslash;
        i += insp_plain_run(text + i, length - i);
        if (i == length)
            break;
        code = (unsigned char)text[i];
        size = utf8_decode(text + i, length - i, &code);
        backslash = code < 0x80 && code && strchr(special, (int)code);
        if (size && !backslash && (is_plain_code(code) || (astral && code >= 0x10000))) {
            i += size;
            continue;
        }
        insp_put_word(out, text + start, i - start);
        if (backslash) {
            insp_put_char(out, '\\');
            insp_put_char(out, (char)code);
        } else {
            put(out, code, size != 0);
        }
        i += size ? size : 1;
        start = i;
    }
    insp_put_word(out, text + start, length - start);
}

void insp_put_escaped(insp_out *out, const char *text, size_t length)
{
    put_text(out, text, length, "\\", false, put_for_people);
}

void insp_put_quoted(insp_out *out, const char *text, size_t length)
{
    insp_put_char(out, '"');
    put_text(out, text, length, "\\\"", false, put_for_people);
    insp_put_char(out, '"');
}

/* Code points above U+FFFF are not escaped: an escape would be a surrogate pair, which YAML does
 * not have. */
void insp_put_json_string(insp_out *out, const char *text, size_t length)
{
    if (length + 2 <= INSP_ROOM && insp_plain_run(text, length) == length) {
        char *to = insp_room(out);
        *to++ = '"';
        memcpy(to, text, length);
        to += length;
        *to++ = '"';
        insp_wrote(out, to);
        return;
    }
    insp_put_char(out, '"');
    put_text(out, text, length, "\\\"", true, put_for_json);
    insp_put_char(out, '"');
}

/* Words that some YAML reader does not read as text. */
static bool is_yaml_word(const char *text, size_t length)
{
    static const char *const words[] = {"null", "true", "false", "yes", "no",
                                        "on",   "off",  "nan",   "inf", "infinity"};
    size_t i, k;
    for (i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) != length)
            continue;
        for (k = 0; k < length && (text[k] | 0x20) == words[i][k]; k++)
            ;
        if (k == length)
            return true;
    }
    return false;
}

/* Far stricter than YAML: the first byte is a letter or `_`, so no number, date or indicator can
 * match, and no colon or `#` follows. Quotes are always right, so a false "no" costs two bytes. */
static bool is_plain_yaml(const char *text, size_t length)
{
    size_t i;
    if (!length || length > 256 || text[length - 1] == ' ' || is_yaml_word(text, length))
        return false;
    for (i = 0; i < length; i++) {
        char c = text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        bool inner =
            (c >= '0' && c <= '9') || c == ' ' || c == '-' || c == '.' || c == '/' || c == '+';
        if (!letter && !(inner && i))
            return false;
    }
    return true;
}

void insp_put_yaml_string(insp_out *out, const char *text, size_t length)
{
    if (is_plain_yaml(text, length))
        insp_put_word(out, text, length);
    else
        insp_put_json_string(out, text, length);
}

void insp_put_base64(insp_out *out, const void *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *bytes = (const unsigned char *)data;
    size_t i = 0;
    while (i < size) {
        char *to = insp_room(out);
        /* Whole groups of three fill a room, so padding appears at the very end only. */
        size_t part = size - i < INSP_ROOM / 4 * 3 ? size : i + INSP_ROOM / 4 * 3;
        for (; i < part; i += 3) {
            size_t left = size - i;
            uint32_t group = (uint32_t)bytes[i] << 16;
            group |= left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
            group |= left > 2 ? (uint32_t)bytes[i + 2] : 0;
            *to++ = digits[group >> 18];
            *to++ = digits[group >> 12 & 63];
            *to++ = left > 1 ? digits[group >> 6 & 63] : '=';
            *to++ = left > 2 ? digits[group & 63] : '=';
        }
        insp_wrote(out, to);
    }
}
