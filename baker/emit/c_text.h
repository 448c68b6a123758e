/* A growing buffer for C source, and functions that write to it.
 *
 * Failures are sticky: if memory runs out, `failed` is set, and all later calls do nothing. */
#ifndef BAKE_C_TEXT_H
#define BAKE_C_TEXT_H

#include <kiln/allocator.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bake_c_text {
    kiln_allocator allocator;
    char *data;
    size_t size, capacity;
    bool failed;
} bake_c_text;

void bake_c_text_init(bake_c_text *text, const kiln_allocator *allocator);
void bake_c_text_fini(bake_c_text *text);

void bake_c_put_bytes(bake_c_text *text, const char *bytes, size_t size);
void bake_c_put(bake_c_text *text, const char *string);
void bake_c_put_format(bake_c_text *text, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Writes `pattern` with `$1` to `$9` replaced by the arguments. */
void bake_c_put_pattern(bake_c_text *text, const char *pattern, const char *const *arguments,
                        size_t count);
#define BAKE_C_EMIT(text, pattern, ...)                                                            \
    bake_c_put_pattern(text, pattern, (const char *const[]){__VA_ARGS__},                          \
                       sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* Writes a comment on its own lines, wrapped at 100 columns, with blank lines between the `parts`.
 * Skips parts that are NULL or blank; writes nothing if all are. Parts come from schemas, so they
 * must not end the comment or cause warnings: comment delimiters and trigraphs are split. Control
 * and bidirectional characters and invalid UTF-8 become `?`. */
void bake_c_put_comment(bake_c_text *text, unsigned indent, const char *const *parts, size_t count);

/* Writes a string literal. Non-ASCII and control bytes become octal escapes, because a hex escape
 * would also consume hex digits that follow it. */
void bake_c_put_literal(bake_c_text *text, const char *string);

#endif
