/* The text of scalars as SCHEMA.md "Data" defines it: bools, integers, floats, base64.
 *
 * What these functions accept depends on the text alone, never on the locale. Texts have `length`
 * bytes; no byte after them is read. */
#ifndef BAKE_SCALAR_PARSE_H
#define BAKE_SCALAR_PARSE_H

#include <kiln/types.h>

typedef enum bake_parse {
    BAKE_PARSE_OK,
    BAKE_PARSE_MALFORMED, /* not a text of that type */
    BAKE_PARSE_TOO_LARGE, /* well-formed, but above the maximum of the type */
    BAKE_PARSE_TOO_SMALL  /* well-formed, but below the minimum */
} bake_parse;

bake_parse bake_parse_bool(const char *text, size_t length, bool *ret_value);

/* An integer of `kind` (an integer kind), sign-extended to 64 bits. */
bake_parse bake_parse_integer(kiln_kind kind, const char *text, size_t length, uint64_t *ret_bits);

/* An f32 is rounded from the text directly, not from an f64. NaN is the canonical pattern. */
bake_parse bake_parse_f32(const char *text, size_t length, float *ret_value);
bake_parse bake_parse_f64(const char *text, size_t length, double *ret_value);

/* Base64 as in RFC 4648 section 4, padded; white space between digits is ignored. `ret_data` has
 * room for length / 4 * 3 bytes; with NULL only the size is computed. MALFORMED writes the offset
 * of the offending byte to `reterr_at`. */
bake_parse bake_parse_base64(const char *text, size_t length, unsigned char *ret_data,
                             size_t *ret_size, size_t *reterr_at);

/* The bounds of an integer kind, as sign-extended bits. */
uint64_t bake_kind_min(kiln_kind kind);
uint64_t bake_kind_max(kiln_kind kind);

#endif
