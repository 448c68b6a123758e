/* References in all written forms.
 *
 * Implemented in value_ref.c (by name, and unresolved references) and value_local.c (by number and
 * by guid). */
#ifndef BAKE_VALUE_REF_H
#define BAKE_VALUE_REF_H

#include "value_baker.h"

/* value_ref.c */
bool bake_value_ref(bake_values *b, bake_node_id node, const char *text, size_t length,
                    uint32_t type, void *dst, const value_step *step);

/* Resolves a name and writes the id of the asset to `dst`. Returns false after a report. */
bool bake_value_resolve(bake_values *b, bake_node_id node, const char *name, size_t length,
                        uint32_t target, void *dst, const value_step *step);

/* Whether the node names a deleted asset. An optional reference is then empty. */
bool bake_value_is_deleted(bake_values *b, bake_node_id node, uint32_t type);

/* value_local.c */

/* Lists the fields with forms. Returns false if memory runs out. */
bool bake_value_list_field_forms(bake_values *b);
/* Bakes a value that is written in the form of its field. Does nothing and returns false for other
 * values. Call this only if bake_value_list_field_forms found a field. */
bool bake_value_field_form(bake_values *b, bake_node_id node, const kiln_type *of,
                           const kiln_member *field, void *dst, const value_step *step);
/* Bakes the missing `local_by` field of a struct from the keys next to it. Returns false if they
 * contain no reference, if the object number is 0, or after reporting an invalid number. */
bool bake_value_local_by(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                         const value_step *step);

/* The file in which to look up objects. */
typedef struct value_file {
    const char *id; /* the part of object names between kind and `#` */
    size_t length;
    const char *kind; /* for an unresolved reference without a type; NULL: error */
} value_file;

void bake_value_dangling_fini(value_dangling_set *dangling);

#endif
