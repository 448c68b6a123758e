/* Escapes for terminals, JSON and YAML.
 *
 * Most text needs no escapes, so json_plain_run scans eight bytes at a time for the end of a plain
 * run, and `put_text` copies the whole run. Only the bytes between runs are decoded as UTF-8.
 * Invalid bytes are escaped one by one, so the work is linear for any input. */
#include "insp_escape.h"

#include "json_string.h"

#include <string.h>

/* Writes an escape of a byte or code point for human readers; it is not meant to be parsed. */
static void put_code(insp_out *out, uint32_t code, bool valid)
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

/* Copies plain runs and writes all other code points as escapes. `special` are additional ASCII
 * characters that need a backslash. */
static void put_text(insp_out *out, const char *text, size_t length, const char *special)
{
    size_t start = 0, i = 0;
    while (i < length) {
        uint32_t code;
        size_t size;
        bool backslash;
        i += json_plain_run(text + i, length - i);
        if (i == length)
            break;
        code = (unsigned char)text[i];
        size = utf8_decode(text + i, length - i, &code);
        backslash = code < 0x80 && code && strchr(special, (int)code);
        if (size && !backslash && code_point_is_visible(code)) {
            i += size;
            continue;
        }
        insp_put_word(out, text + start, i - start);
        if (backslash) {
            insp_put_char(out, '\\');
            insp_put_char(out, (char)code);
        } else {
            put_code(out, code, size != 0);
        }
        i += size ? size : 1;
        start = i;
    }
    insp_put_word(out, text + start, length - start);
}

void insp_put_escaped(insp_out *out, const char *text, size_t length)
{
    put_text(out, text, length, "\\");
}

void insp_put_visible(insp_out *out, const char *text, size_t length)
{
    put_text(out, text, length, "");
}

void insp_put_quoted(insp_out *out, const char *text, size_t length)
{
    insp_put_char(out, '"');
    put_text(out, text, length, "\\\"");
    insp_put_char(out, '"');
}

void insp_put_dot_string(insp_out *out, const char *text, size_t length)
{
    insp_put_char(out, '"');
    while (length > 0) {
        const char *entity = memchr(text, '&', length);
        size_t part = entity ? (size_t)(entity - text) : length;
        put_text(out, text, part, "\\\"");
        insp_put(out, entity ? "&amp;" : "");
        part += entity != NULL;
        text += part;
        length -= part;
    }
    insp_put_char(out, '"');
}

/* Whether none of eight bytes needs an escape. */
static bool is_plain(uint64_t word)
{
    word |= json_bytes_below(word, 0x20) | json_bytes_equal(word, '"') |
            json_bytes_equal(word, '\\') | json_bytes_equal(word, 0x7f);
    return !(word & JSON_EIGHT(0x80));
}

/* Copies a string of at least `size` (4 or 8) bytes if it needs no escapes. The last bytes overlap
 * those before. */
static bool copy_plain(char *to, const char *text, size_t length, size_t size)
{
    size_t i;
    for (i = 0; i < length; i += size) {
        size_t at = i + size <= length ? i : length - size;
        uint64_t word = JSON_EIGHT(' ');
        memcpy(&word, text + at, size);
        if (!is_plain(word))
            return false;
        memcpy(to + at, &word, size);
    }
    return true;
}

bool insp_put_json_text(insp_out *out, const char *text, size_t length)
{
    char *to;
    bool good;
    if (length + 2 <= INSP_ROOM) {
        /* Fast path: most strings are short and plain, so one copy is enough. */
        to = insp_room(out);
        good = length >= 8   ? copy_plain(to + 1, text, length, 8)
               : length >= 4 ? copy_plain(to + 1, text, length, 4)
                             : json_plain_run(text, length) == length;
        if (good) {
            *to++ = '"';
            if (length < 4)
                memcpy(to, text, length);
            to += length;
            *to++ = '"';
            insp_wrote(out, to);
            return true;
        }
    }
    insp_put_char(out, '"');
    while (length > 0) {
        json_piece piece = json_next_piece(text, length);
        insp_put_word(out, text, piece.plain);
        insp_put_word(out, piece.escape, piece.escape_length);
        text += piece.size;
        length -= piece.size;
    }
    insp_put_char(out, '"');
    return false;
}

void insp_put_json_string(insp_out *out, const char *text, size_t length)
{
    insp_put_json_text(out, text, length);
}

/* Whether some YAML parsers read the word as something other than a string. */
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

/* Whether a string needs no quotes in YAML. Stricter than YAML: it must begin with a letter or `_`,
 * which excludes numbers, dates and indicators, and must not contain a colon or `#`. Quoting is
 * always correct, so a wrong "no" only costs two bytes. */
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
        /* Each part consists of whole groups of three bytes, so only the last part can end with
         * padding. */
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
