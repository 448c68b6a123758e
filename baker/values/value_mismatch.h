/* Nodes that do not fit their types: descriptions of types, checks of tags, hints at members. */
#ifndef BAKE_VALUE_MISMATCH_H
#define BAKE_VALUE_MISMATCH_H

#include "value_report.h"

/* "expected u32, found a list"; returns false. */
bool bake_value_unexpected(bake_values *b, bake_node_id node, uint32_t type,
                           const value_step *step);
/* The same of a text that is the node, or a part of it. */
bool bake_value_text_unexpected(bake_values *b, bake_node_id node, const char *text, size_t length,
                                uint32_t type, const value_step *step);
/* Hints at names of members close to `text`. */
void bake_value_hint_members(bake_values *b, uint32_t type, const char *text, size_t length);
/* Whether the node's tag, if any, agrees with the type; false after a report. */
bool bake_value_check_tag(bake_values *b, bake_node_id node, uint32_t type, const value_step *step);
/* The same for a part of a value that has no type of its own, `expected` its description. */
bool bake_value_check_tag_of(bake_values *b, bake_node_id node, kiln_kind kind,
                             const char *expected, const value_step *step);

/* The type whose name is shown: for a row the struct of the component. */
static inline uint32_t value_shown_type(const bake_values *b, uint32_t type)
{
    uint32_t row_of = b->schema->info[type].row_of;
    return row_of == KILN_TYPE_NONE ? type : row_of;
}

#endif
