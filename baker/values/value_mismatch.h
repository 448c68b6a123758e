/* Nodes that do not match their types: tag checks, reports with a description of the type, and
 * hints. */
#ifndef BAKE_VALUE_MISMATCH_H
#define BAKE_VALUE_MISMATCH_H

#include "value_report.h"

/* Reports an error such as "expected u32, found a list". Returns false. */
bool bake_value_unexpected(bake_values *b, bake_node_id node, uint32_t type,
                           const value_step *step);
/* Like bake_value_unexpected, for the text of a scalar or a part of it. */
bool bake_value_text_unexpected(bake_values *b, bake_node_id node, const char *text, size_t length,
                                uint32_t type, const value_step *step);
/* Whether an unknown key of an asset was probably meant as the key with its parents. Then missing
 * fields follow from that mistake. */
bool bake_value_is_like_parent(const bake_values *b, uint32_t type, const char *text,
                               size_t length);
/* Adds a hint with member names similar to `text`. If no member of a small enum, flag set or union
 * is similar, the hint lists all its members. */
void bake_value_hint_members(bake_values *b, uint32_t type, const char *text, size_t length);
/* Checks that the tag of the node, if any, matches the type. Returns false after a report. */
bool bake_value_check_tag(bake_values *b, bake_node_id node, uint32_t type, const value_step *step);
/* Like bake_value_check_tag, for a part of a value without its own type, which `expected`
 * describes. */
bool bake_value_check_tag_of(bake_values *b, bake_node_id node, kiln_kind kind,
                             const char *expected, const value_step *step);

/* Returns the type whose name messages show: for a row, the struct of the component. */
static inline uint32_t value_shown_type(const bake_values *b, uint32_t type)
{
    uint32_t row_of = b->schema->info[type].row_of;
    return row_of == KILN_TYPE_NONE ? type : row_of;
}

#endif
