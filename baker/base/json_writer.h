/* Writes JSON piece by piece: commas, line ends and escapes are its own affair.
 *
 * Texts are any bytes: what is not UTF-8 becomes U+FFFD, one for each byte. Control characters and
 * code points that move or hide text are escaped, so that the output does no harm on a terminal. A
 * failed write is remembered; nothing is written after it. */
#ifndef BAKE_JSON_WRITER_H
#define BAKE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bake_json {
    bool (*write)(void *ctx, const void *data, size_t size);
    void *ctx;
    bool lines; /* every member and element on a line of its own, indented */
    bool failed;
    bool follows; /* a value stands before, so that a comma comes first */
    unsigned depth;
    size_t used;
    char buffer[4096];
} bake_json;

void bake_json_init(bake_json *json, bool lines,
                    bool (*write)(void *ctx, const void *data, size_t size), void *ctx);
/* `bracket` is `{` or `[`, and the same to close. `key` is NULL in lists and at the top. */
void bake_json_open(bake_json *json, const char *key, char bracket);
void bake_json_close(bake_json *json, char bracket);
/* A text of NULL is `null`. */
void bake_json_text(bake_json *json, const char *key, const char *text);
void bake_json_number(bake_json *json, const char *key, uint64_t number);
void bake_json_bool(bake_json *json, const char *key, bool truth);
/* A number that is there as text already. */
void bake_json_raw(bake_json *json, const char *key, const char *number);
void bake_json_null(bake_json *json, const char *key);
/* Ends the line, writes out what is left; false when anything could not be written. */
bool bake_json_end_line(bake_json *json);

#endif
