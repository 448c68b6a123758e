/* Output is buffered, so that a diagnostic takes one or two writes instead of a hundred. `follows`
 * alone decides where commas go: an opening bracket clears it, and any value sets it. */
#include "json_writer.h"

#include "json_string.h"

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

/* Splits a piece at the end of the buffer, because a string may be longer than the buffer. */
static void put(bake_json *json, const char *piece, size_t length)
{
    while (length > 0) {
        if (json->used == sizeof json->buffer)
            flush(json);
        size_t room = sizeof json->buffer - json->used, part = length < room ? length : room;
        memcpy(json->buffer + json->used, piece, part);
        json->used += part;
        piece += part;
        length -= part;
    }
}

static void put_text(bake_json *json, const char *text)
{
    put(json, "\"", 1);
    for (size_t left = strlen(text); left > 0;) {
        json_piece piece = json_next_piece(text, left);
        put(json, text, piece.plain);
        put(json, piece.escape, piece.escape_length);
        text += piece.size;
        left -= piece.size;
    }
    put(json, "\"", 1);
}

static void put_line_end(bake_json *json)
{
    put(json, "\n", 1);
    for (unsigned i = 0; i < json->depth; i++)
        put(json, " ", 1);
}

/* Writes the comma, line break, indentation and key before a value, as far as they are needed. */
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
    /* An empty object or array stays on one line. */
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

void bake_json_break(bake_json *json)
{
    put(json, json->follows ? ",\n" : "\n", json->follows ? 2 : 1);
    json->follows = false;
}

bool bake_json_end_line(bake_json *json)
{
    put(json, "\n", 1);
    json->follows = false;
    flush(json);
    return !json->failed;
}
