/* Values written as one scalar, and fixed arrays whose elements share one scalar.
 *
 * Implemented in value_scalar.c (bools, numbers, enums, flags and comma-separated values),
 * value_quick.c (the fast path for plain values) and value_text.c (strings and bytes, including
 * files). */
#ifndef BAKE_VALUE_SCALAR_H
#define BAKE_VALUE_SCALAR_H

#include "value_baker.h"

/* value_scalar.c: bakes a value from text. `node` is the scalar that contains the text. Returns
 * false after a report. */
bool bake_value_text(bake_values *b, bake_node_id node, const char *text, size_t length,
                     uint32_t type, const kiln_member *field, void *dst, const value_step *step);
void bake_value_flags(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                      const value_step *step);

/* Whether values of the type are scalars: bools, numbers, enums, strings or references, or
 * optionals or newtypes of these. */
bool bake_value_is_scalar_type(const bake_values *b, uint32_t type);
/* Bakes a value of such a type from `text`. Returns false after a report. */
bool bake_value_part(bake_values *b, bake_node_id node, const char *text, size_t length,
                     uint32_t type, const kiln_member *field, void *dst, const value_step *step);
/* Returns the part from `*at` up to a separator or the end, with spaces trimmed. Moves `*at` past
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

/* The parts of a value that comes from a file or an importer. bake_value_file_path returns the path
 * relative to the current folder, on the scratch stack, and bake_value_import the output of the
 * importer. Both return NULL after a report. bake_value_cannot_read reports why the gateway could
 * not read a file; call it before errno changes. */
const char *bake_value_file_path(bake_values *b, bake_node_id node, const value_step *step);
bool bake_value_is_import(const bake_values *b, bake_node_id node);
const char *bake_value_import(bake_values *b, bake_node_id node, const char *path, size_t *ret_size,
                              const value_step *step);
const char *bake_value_cannot_read(bake_values *b, bake_node_id node, const char *path,
                                   const value_step *step);

/* Strings and bytes from files and importers. */
bool bake_value_is_file(const bake_values *b, bake_node_id node);
void bake_value_file(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                     void *dst, const value_step *step);

/* Numbers with a unit. */

/* Lists the fields with a unit. Returns false if memory runs out. */
bool bake_values_list_units(bake_values *b);

/* value_quick.c */

static inline bool value_may_be_quick(const kiln_type *of)
{
    return of->kind <= KILN_KIND_STRING;
}

/* Fast path: bakes a plain valid bool, number or string. Returns false and changes nothing for
 * anything else, which the slow path then bakes or reports. */
bool bake_value_quick(bake_values *b, bake_node_id node, const kiln_type *of,
                      const kiln_member *field, void *dst);

typedef enum value_range { RANGE_WITHIN, RANGE_BELOW, RANGE_ABOVE, RANGE_NAN } value_range;

/* Compares a number of `kind` with the bounds of `field`, which may be NULL or have none. The bits
 * of a float are those of an f64. */
value_range bake_value_range(const kiln_member *field, kiln_kind kind, uint64_t bits);

#endif
