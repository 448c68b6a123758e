/* Writes JSON piece by piece; adds commas, line ends and escapes (json_string.h of blobfmt).
 *
 * A failed write is remembered, and nothing is written after it. The caller opens and closes in
 * pairs: the writer counts levels but does not check brackets. */
#ifndef BAKE_JSON_WRITER_H
#define BAKE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bake_json {
    bool (*write)(void *ctx, const void *data, size_t size);
    void *ctx;
    bool lines; /* every member and element is on its own line, indented */
    bool failed;
    bool follows; /* the next value is not the first of its list, so a comma comes before it */
    unsigned depth;
    size_t used;
    char buffer[4096];
} bake_json;

void bake_json_init(bake_json *json, bool lines,
                    bool (*write)(void *ctx, const void *data, size_t size), void *ctx);
/* `bracket` is `{` or `[`, also to close. `key` is NULL in lists and at the top. */
void bake_json_open(bake_json *json, const char *key, char bracket);
void bake_json_close(bake_json *json, char bracket);
/* A text of NULL is `null`. */
void bake_json_text(bake_json *json, const char *key, const char *text);
void bake_json_number(bake_json *json, const char *key, uint64_t number);
void bake_json_bool(bake_json *json, const char *key, bool truth);
/* A number that is already formatted. */
void bake_json_raw(bake_json *json, const char *key, const char *number);
void bake_json_null(bake_json *json, const char *key);
/* Ends the line and writes what is buffered; false if any write failed. */
bool bake_json_end_line(bake_json *json);

#endif
