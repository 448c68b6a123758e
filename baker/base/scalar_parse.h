/* Parses scalars as SCHEMA.md, "Data", defines them: bools, integers, floats, base64.
 *
 * The result never depends on the locale. Strings have `length` bytes and need no NUL. */
#ifndef BAKE_SCALAR_PARSE_H
#define BAKE_SCALAR_PARSE_H

#include <kiln/types.h>

typedef enum bake_parse {
    BAKE_PARSE_OK,
    BAKE_PARSE_MALFORMED, /* not a valid notation of the type */
    BAKE_PARSE_TOO_LARGE, /* well-formed, but above the maximum of the type */
    BAKE_PARSE_TOO_SMALL  /* well-formed, but below the minimum */
} bake_parse;

bake_parse bake_parse_bool(const char *text, size_t length, bool *ret_value);

/* Parses an integer of the integer kind `kind` and sign-extends it to 64 bits. */
bake_parse bake_parse_integer(kiln_kind kind, const char *text, size_t length, uint64_t *ret_bits);

/* An f32 is rounded once, not first to f64. NaN becomes the canonical NaN. */
bake_parse bake_parse_f32(const char *text, size_t length, float *ret_value);
bake_parse bake_parse_f64(const char *text, size_t length, double *ret_value);

/* Decodes base64 (RFC 4648 section 4) with padding; whitespace between digits is ignored.
 * `ret_data` needs room for length / 4 * 3 bytes; if NULL, only the size is computed. On MALFORMED,
 * `reterr_at` receives the offset of the offending byte. */
bake_parse bake_parse_base64(const char *text, size_t length, unsigned char *ret_data,
                             size_t *ret_size, size_t *reterr_at);

/* The minimum and maximum of an integer kind, sign-extended to 64 bits. */
uint64_t bake_kind_min(kiln_kind kind);
uint64_t bake_kind_max(kiln_kind kind);

#endif
