/* Values of one node. Types contain one another, so these functions recurse; value_enter bounds it.
 *
 * Parts: value_compose.c (which function bakes a type, and types that hold others alone),
 * value_struct.c (structs as mappings of their fields), value_forms.c (structs in other forms),
 * value_union.c and value_map.c. */
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
/* A struct without written fields; reports have the place of `node`. */
void bake_value_fill_defaults(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                              const value_step *step);
void bake_value_default(bake_values *b, uint32_t type, uint32_t member, void *dst,
                        const value_step *step);
/* A field whose value is `node`, at its place in the struct at `dst`. */
void bake_value_written(bake_values *b, bake_node_id node, uint32_t type, uint32_t member,
                        void *dst, const value_step *step);
/* A field that is not written: its default, the empty value of its type, or a mistake. A newtype
 * can be left out if its one field can. */
void bake_value_missing(bake_values *b, bake_node_id node, uint32_t type, uint32_t member,
                        void *dst, const value_step *step);

/* value_union.c */
void bake_value_union(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                      const value_step *step);
/* How a node names its alternative. */
typedef struct value_chosen {
    const kiln_member *member; /* NULL: bake_value_union would report */
    bake_node_id named;        /* the node with its name */
    bake_node_id value;        /* BAKE_NODE_NONE: none is written */
    const char *key;           /* the key among the fields that names it; or NULL */
    bool was;                  /* an earlier name */
} value_chosen;

/* The alternative of a union, if no tag names it. */
value_chosen bake_value_choice(const bake_values *b, const bake_tree *tree, bake_node_id node,
                               uint32_t type);

/* A key and its value in a mapping. */
typedef struct value_entry {
    bake_node_id key, value;
} value_entry;

/* value_map.c */
void bake_value_map(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                    void *dst, const value_step *step);
/* A key of the map `type` into `dst`; false after a report. */
bool bake_value_key(bake_values *b, bake_node_id node, uint32_t type, unsigned char *dst,
                    const value_step *step);
/* The same for the text of a key that is not a string; keys of entities are numbers here. */
bool bake_value_key_text(bake_values *b, bake_node_id node, const char *text, size_t length,
                         uint32_t type, unsigned char *dst, const value_step *step);
/* A plain number is a number in the path too, as <kiln/path.h> has it. */
value_step bake_value_key_step(const bake_values *b, bake_node_id key, kiln_kind kind,
                               const value_step *up);
/* A map of `count` entries: those stored at `chosen` on the scratch stack, or all of the mapping
 * `node` where `chosen` is SIZE_MAX. */
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

/* The form of the node as a value of a struct; NONE for a mapping, and for a node that fits none.
 */
value_form bake_value_form(const bake_values *b, bake_node_id node, uint32_t type);
/* Bakes it, except for fields that layers above give (bake_value_is_given). */
void bake_value_formed(bake_values *b, bake_node_id node, value_form form, size_t given,
                       uint32_t type, void *dst, const value_step *step);

/* False after a report of a list of more elements than the struct has fields. */
bool bake_value_check_tuple(bake_values *b, bake_node_id node, uint32_t type,
                            const value_step *step);

#endif
