/* A streaming JSON writer. It adds commas, newlines and escapes (json_string.h of blobfmt).
 *
 * After a failed write, nothing more is written, and `failed` stays set. The caller must open and
 * close brackets in pairs: the writer counts levels but does not check them. */
#ifndef BAKE_JSON_WRITER_H
#define BAKE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bake_json {
    bool (*write)(void *ctx, const void *data, size_t size);
    void *ctx;
    bool lines; /* puts every member and element on its own indented line */
    bool failed;
    bool follows; /* the next value is not the first at its level and needs a comma before it */
    unsigned depth;
    size_t used;
    char buffer[4096];
} bake_json;

void bake_json_init(bake_json *json, bool lines,
                    bool (*write)(void *ctx, const void *data, size_t size), void *ctx);
/* `bracket` is the opening bracket, `{` or `[`, in both functions. `key` is NULL in arrays and at
 * the top level. */
void bake_json_open(bake_json *json, const char *key, char bracket);
void bake_json_close(bake_json *json, char bracket);
/* Writes `null` if `text` is NULL. */
void bake_json_text(bake_json *json, const char *key, const char *text);
void bake_json_number(bake_json *json, const char *key, uint64_t number);
void bake_json_bool(bake_json *json, const char *key, bool truth);
/* Writes an already formatted number. */
void bake_json_raw(bake_json *json, const char *key, const char *number);
void bake_json_null(bake_json *json, const char *key);
/* Begins a new line before the next value, after the comma that it may need. */
void bake_json_break(bake_json *json);
/* Ends the line and flushes the buffer. Returns false if any write has failed. */
bool bake_json_end_line(bake_json *json);

#endif
