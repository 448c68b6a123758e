/* Values written as one scalar, and fixed arrays whose elements share one scalar.
 *
 * Parts: value_scalar.c (bools, numbers, enums and flags, and values separated by commas),
 * value_quick.c (the fast path for values without mistakes) and value_text.c (strings and bytes,
 * also from files). */
#ifndef BAKE_VALUE_SCALAR_H
#define BAKE_VALUE_SCALAR_H

#include "value_baker.h"

/* value_scalar.c: a value that is one text; false after a report. `node` is the scalar that
 * the text is, or is a part of. */
bool bake_value_text(bake_values *b, bake_node_id node, const char *text, size_t length,
                     uint32_t type, const kiln_member *field, void *dst, const value_step *step);
void bake_value_flags(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                      const value_step *step);

/* Whether a value of the type is one text: a bool, number, enum, string or reference, or an
 * optional or newtype of one. */
bool bake_value_is_one_text(const bake_values *b, uint32_t type);
/* Bakes a value of such a type from `text`; false after a report. */
bool bake_value_part(bake_values *b, bake_node_id node, const char *text, size_t length,
                     uint32_t type, const kiln_member *field, void *dst, const value_step *step);
/* The part from `*at` on, without spaces around it, up to a separator or the end; `*at` moves past
 * the separator, so it exceeds `length` after the last part. */
const char *bake_value_next_part(const char *text, size_t length, const char *separators,
                                 size_t *at, size_t *ret_length);
bool bake_value_fixed_text(bake_values *b, bake_node_id node, const char *text, size_t length,
                           uint32_t type, void *dst, const value_step *step);
/* value_text.c */
void bake_value_string(bake_values *b, bake_node_id node, const char *text, size_t length,
                       const kiln_member *field, kiln_string *dst, const value_step *step);
void bake_value_bytes(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                      void *dst, const value_step *step);

/* Strings and bytes from files. */
bool bake_value_is_file(const bake_values *b, bake_node_id node);
void bake_value_file(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                     void *dst, const value_step *step);

/* Numbers followed by a unit. */

/* Notes the fields that have a unit; false when memory ran out. */
bool bake_values_list_units(bake_values *b);

/* value_quick.c */

static inline bool value_may_be_quick(const kiln_type *of)
{
    return of->kind <= KILN_KIND_STRING;
}

/* Bakes a valid bool, number or string. For anything else, returns false and changes nothing; the
 * slower functions then bake the value or report the mistake. */
bool bake_value_quick(bake_values *b, bake_node_id node, const kiln_type *of,
                      const kiln_member *field, void *dst);

typedef enum value_range { RANGE_WITHIN, RANGE_BELOW, RANGE_ABOVE, RANGE_NAN } value_range;

/* Compares a number of `kind` with the bounds of `field`. If `field` is NULL or has no bounds, the
 * number is within them. A float's bits are those of an f64. */
value_range bake_value_range(const kiln_member *field, kiln_kind kind, uint64_t bits);

#endif
