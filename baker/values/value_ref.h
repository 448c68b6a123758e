/* References, however they are written.
 *
 * Parts: value_ref.c (by name, and unresolved references) and value_local.c (by number and by
 * guid). */
#ifndef BAKE_VALUE_REF_H
#define BAKE_VALUE_REF_H

#include "value_baker.h"

/* value_ref.c */
bool bake_value_ref(bake_values *b, bake_node_id node, const char *text, size_t length,
                    uint32_t type, void *dst, const value_step *step);

/* The asset of that name, as the target of a ref; false after a report. */
bool bake_value_resolve(bake_values *b, bake_node_id node, const char *name, size_t length,
                        uint32_t target, void *dst, const value_step *step);

/* Whether the node names an asset that was deleted: an optional reference is empty then. */
bool bake_value_is_deleted(bake_values *b, bake_node_id node, uint32_t type);

/* value_local.c */

/* Finds the fields that have forms; false when memory ran out. */
bool bake_value_list_field_forms(bake_values *b);
/* Bakes a value that is written in the form of its field; false, with nothing done, for others.
 * Call only if bake_value_list_field_forms found at least one field. */
bool bake_value_field_form(bake_values *b, bake_node_id node, const kiln_type *of,
                           const kiln_member *field, void *dst, const value_step *step);
/* Bakes the field with `local_by` of the struct, whose key is not written; false where the fields
 * next to it hold no reference. */
bool bake_value_local_by(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                         const value_step *step);

/* Where objects are looked for. */
typedef struct value_file {
    const char *id; /* the part of their names between the kind and the `#` */
    size_t length;
    const char *kind; /* of an unresolved reference without a type; NULL: it is an error */
} value_file;

void bake_value_danglings_fini(value_danglings *danglings);

#endif
