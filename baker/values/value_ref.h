/* References, however they are written.
 *
 * Parts: value_ref.c (by name), value_local.c (fields that name objects by number), value_guid.c
 * (objects by number and files by guid) and value_dangling.c (references that lead nowhere). */
#ifndef BAKE_VALUE_REF_H
#define BAKE_VALUE_REF_H

#include "value_baker.h"

/* value_ref.c */
bool bake_value_ref(bake_values *b, bake_node_id node, const char *text, size_t length,
                    uint32_t type, void *dst, const value_step *step);

/* The asset of that name, as the target of a ref; false after a report. */
bool bake_value_resolve(bake_values *b, bake_node_id node, const char *name, size_t length,
                        uint32_t target, void *dst, const value_step *step);

/* Whether a reference is written to what was deleted: nothing, where that may be. */
bool bake_value_is_deleted(bake_values *b, bake_node_id node, uint32_t type);

/* value_local.c */

/* Finds the fields that have forms; false when memory ran out. */
bool bake_value_list_field_forms(bake_values *b);
/* Bakes a value that is written in the form of its field; false, with nothing done, for others.
 * There are forms. */
bool bake_value_field_form(bake_values *b, bake_node_id node, const kiln_type *of,
                           const kiln_member *field, void *dst, const value_step *step);
/* Bakes the field with `local_by` of the struct, which is not written; false where it is empty. */
bool bake_value_local_by(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                         const value_step *step);

/* value_guid.c */

/* Where objects are looked for. */
typedef struct value_file {
    const char *id; /* what their names have between the kind and the `#` */
    size_t length;
    const char *kind; /* of what a reference without type dangles by; NULL: it is a mistake */
} value_file;

/* The object of the file whose number `node` is, for a ref `of`; false after a report or failure.
 */
bool bake_value_object(bake_values *b, bake_node_id node, const value_file *file,
                       const kiln_type *of, void *dst, const value_step *step);

/* The object of that number, written at `node`, of the file that `guid` names, or
 * the file itself. */
void bake_value_guid(bake_values *b, bake_node_id node, uint64_t number, bake_node_id guid,
                     const kiln_type *of, void *dst, const value_step *step);

/* value_dangling.c: notes a reference that leads nowhere. Whether it counts nevertheless. */
bool bake_value_dangling(bake_values *b, bake_node_id node, const char *name, size_t length,
                         uint32_t target, const value_step *step);
/* Adds a name that no asset has. False when memory ran out. */
bool bake_value_assume(bake_values *b, const char *name, size_t length);
void bake_value_danglings_fini(value_danglings *danglings);

#endif
