/* Bakes the value of a single node. Types are nested, so these functions recurse; value_enter
 * limits the depth.
 *
 * Implemented in value_compose.c (dispatch, lists, arrays and optionals), value_struct.c (structs
 * as mappings), value_forms.c (structs in other forms), value_union.c and value_map.c. */
#ifndef BAKE_VALUE_COMPOSE_H
#define BAKE_VALUE_COMPOSE_H

#include "value_fields.h"
#include "value_limits.h"
#include "value_node.h"

/* value_compose.c */
void bake_value_any(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                    void *dst, const value_step *step);

/* value_struct.c */
void bake_value_struct(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                       void *dst, const value_step *step);
/* Fills all fields of a struct with their defaults. Reports have the position of `node`. */
void bake_value_fill_defaults(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                              const value_step *step);
void bake_value_default(bake_values *b, uint32_t type, uint32_t member, void *dst,
                        const value_step *step);
/* Bakes a field from `node` into the struct at `dst`. */
void bake_value_written(bake_values *b, bake_node_id node, uint32_t type, uint32_t member,
                        void *dst, const value_step *step);
/* Fills a missing field with its default or empty value, or reports an error. A newtype may be
 * missing if its only field may be. */
void bake_value_missing(bake_values *b, bake_node_id node, uint32_t type, uint32_t member,
                        void *dst, const value_step *step);

/* value_union.c */
void bake_value_union(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                      const value_step *step);
/* How a node names its alternative. */
typedef struct value_chosen {
    const kiln_member *member; /* NULL: not found */
    bake_node_id named;        /* the node with the name */
    bake_node_id value;        /* BAKE_NODE_NONE if missing */
    const char *key;           /* the key, next to the fields, that names it; or NULL */
    bool was;                  /* the node uses an earlier name */
} value_chosen;

/* Finds the alternative of a union value without regard to its tag. Reports nothing. */
value_chosen bake_value_choice(const bake_values *b, const bake_tree *tree, bake_node_id node,
                               uint32_t type);

/* A key and its value in a mapping. */
typedef struct value_entry {
    bake_node_id key, value;
} value_entry;

/* value_map.c */
void bake_value_map(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                    void *dst, const value_step *step);
/* Bakes a key of the map `type` into `dst`. Returns false after a report. */
bool bake_value_key(bake_values *b, bake_node_id node, uint32_t type, unsigned char *dst,
                    const value_step *step);
/* Like bake_value_key, for the text of a key whose type is not string. Entity keys are numbers
 * here. */
bool bake_value_key_text(bake_values *b, bake_node_id node, const char *text, size_t length,
                         uint32_t type, unsigned char *dst, const value_step *step);
/* Returns the path step for a map key. A plain number stays a number, as in <kiln/path.h>. */
value_step bake_value_key_step(const bake_values *b, bake_node_id key, kiln_kind kind,
                               const value_step *up);
/* Bakes a map of `count` entries: those at `chosen` on the scratch stack, or the whole mapping
 * `node` if `chosen` is SIZE_MAX. */
void bake_value_map_entries(bake_values *b, bake_node_id node, size_t chosen, uint32_t count,
                            uint32_t type, void *dst, const value_step *step);

/* value_forms.c: structs that are not written as a mapping. */
typedef enum value_form {
    FORM_NONE,
    FORM_TUPLE,
    FORM_TUPLE_TEXT,
    FORM_COLOUR,
    FORM_SHORT
} value_form;

/* Returns the form in which the node writes a struct, or FORM_NONE for a mapping of its fields or a
 * node that fits no form. */
value_form bake_value_form(const bake_values *b, bake_node_id node, uint32_t type);
/* Bakes a struct in this form. In a colour or tuple string, skips the fields that higher layers set
 * (bake_value_is_given). */
void bake_value_struct_form(bake_values *b, bake_node_id node, value_form form, size_t given,
                            uint32_t type, void *dst, const value_step *step);

/* Returns false after a report if the list has more elements than the struct has fields. */
bool bake_value_check_tuple(bake_values *b, bake_node_id node, uint32_t type,
                            const value_step *step);

#endif
