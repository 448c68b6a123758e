#include "json_writer.h"

#include "code_point.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void bake_json_init(bake_json *json, bool lines,
                    bool (*write)(void *ctx, const void *data, size_t size), void *ctx)
{
    json->write = write;
    json->ctx = ctx;
    json->lines = lines;
    json->failed = json->follows = false;
    json->depth = 0;
    json->used = 0;
}

static void flush(bake_json *json)
{
    if (!json->failed && json->used > 0 && !json->write(json->ctx, json->buffer, json->used))
        json->failed = true;
    json->used = 0;
}

/* Pieces are shorter than the buffer. */
static void put(bake_json *json, const char *piece, size_t length)
{
    if (length > sizeof json->buffer - json->used)
        flush(json);
    memcpy(json->buffer + json->used, piece, length);
    json->used += length;
}

static void put_text(bake_json *json, const char *text)
{
    char escaped[16];
    size_t size = strlen(text), width;
    put(json, "\"", 1);
    for (size_t at = 0; at < size; at += width) {
        uint32_t c;
        width = utf8_decode(text + at, size - at, &c);
        if (width == 0) {
            put(json, "\xef\xbf\xbd", 3);
            width = 1;
        } else if (c == '"' || c == '\\') {
            escaped[0] = '\\';
            escaped[1] = (char)c;
            put(json, escaped, 2);
        } else if (c < 0x20 || c == 0x7f || bake_utf8_hides_or_moves(c)) {
            int length = snprintf(escaped, sizeof escaped, "\\u%04" PRIx32, c);
            put(json, escaped, (size_t)length);
        } else {
            put(json, text + at, width);
        }
    }
    put(json, "\"", 1);
}

static void put_line_end(bake_json *json)
{
    put(json, "\n", 1);
    for (unsigned i = 0; i < json->depth; i++)
        put(json, " ", 1);
}

/* What comes before a value: comma, line end, key. */
static void begin(bake_json *json, const char *key)
{
    if (json->follows)
        put(json, ",", 1);
    if (json->lines && json->depth > 0)
        put_line_end(json);
    if (key) {
        put_text(json, key);
        put(json, ": ", json->lines ? 2 : 1);
    }
    json->follows = true;
}

void bake_json_open(bake_json *json, const char *key, char bracket)
{
    begin(json, key);
    put(json, &bracket, 1);
    json->depth++;
    json->follows = false;
}

void bake_json_close(bake_json *json, char bracket)
{
    json->depth--;
    if (json->lines && json->follows)
        put_line_end(json);
    put(json, bracket == '{' ? "}" : "]", 1);
    json->follows = true;
}

void bake_json_text(bake_json *json, const char *key, const char *text)
{
    begin(json, key);
    if (text)
        put_text(json, text);
    else
        put(json, "null", 4);
}

void bake_json_number(bake_json *json, const char *key, uint64_t number)
{
    char digits[24];
    begin(json, key);
    put(json, digits, (size_t)snprintf(digits, sizeof digits, "%" PRIu64, number));
}

void bake_json_raw(bake_json *json, const char *key, const char *number)
{
    begin(json, key);
    put(json, number, strlen(number));
}

void bake_json_bool(bake_json *json, const char *key, bool truth)
{
    begin(json, key);
    put(json, truth ? "true" : "false", truth ? 4 : 5);
}

void bake_json_null(bake_json *json, const char *key)
{
    bake_json_text(json, key, NULL);
}

bool bake_json_end_line(bake_json *json)
{
    put(json, "\n", 1);
    json->follows = false;
    flush(json);
    return !json->failed;
}
