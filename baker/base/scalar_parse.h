/* The text of scalars as SCHEMA.md "Data" defines it: bools, integers, floats, base64.
 *
 * What these functions accept depends on the text alone, never on a locale. Texts are `length`
 * bytes; no byte behind them is looked at. */
#ifndef BAKE_SCALAR_PARSE_H
#define BAKE_SCALAR_PARSE_H

#include <kiln/types.h>

typedef enum bake_parse {
    BAKE_PARSE_OK,
    BAKE_PARSE_MALFORMED, /* not a text of that type at all */
    BAKE_PARSE_TOO_LARGE, /* well-formed, but above what the type holds */
    BAKE_PARSE_TOO_SMALL  /* well-formed, but below */
} bake_parse;

bake_parse bake_parse_bool(const char *text, size_t length, bool *ret_value);

/* An integer of `kind` (an integer kind), sign-extended to 64 bits. */
bake_parse bake_parse_integer(kiln_kind kind, const char *text, size_t length, uint64_t *ret_bits);

/* An f32 is rounded from the text directly, not by way of an f64. NaN is the canonical pattern. */
bake_parse bake_parse_f32(const char *text, size_t length, float *ret_value);
bake_parse bake_parse_f64(const char *text, size_t length, double *ret_value);

/* Base64 as in RFC 4648 section 4, padded, with white space between digits ignored. `ret_data` has
 * room for length / 4 * 3 bytes; it may be NULL, then only the size is found. MALFORMED gives the
 * offending byte's offset in `reterr_at`. */
bake_parse bake_parse_base64(const char *text, size_t length, unsigned char *ret_data,
                             size_t *ret_size, size_t *reterr_at);

/* The bounds of an integer kind, as sign-extended bits. */
uint64_t bake_kind_min(kiln_kind kind);
uint64_t bake_kind_max(kiln_kind kind);

#endif
