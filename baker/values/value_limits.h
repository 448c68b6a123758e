/* The limits of a blob, and scratch memory for building it. */
#ifndef BAKE_VALUE_LIMITS_H
#define BAKE_VALUE_LIMITS_H

#include "value_report.h"

/* Checks that an object of `size` bytes is allowed. Returns false after a report. */
bool bake_value_size_fits(bake_values *b, bake_node_id node, const value_step *step, uint64_t size);
/* Reports a length outside the range of `field`, which may be NULL. */
void bake_value_check_length(bake_values *b, bake_node_id node, const kiln_member *field,
                             uint64_t size, const char *unit, const value_step *step);
/* Reserves `size` bytes on the scratch stack. Returns their offset, or SIZE_MAX if memory runs
 * out. */
size_t bake_value_push(bake_values *b, size_t size);

/* Reports that values are nested too deeply. Returns false. */
bool bake_value_too_deep(bake_values *b, bake_node_id node, const value_step *step);

/* Enters a nested object. Returns false after a report. value_leave undoes it. */
static inline bool value_enter(bake_values *b, bake_node_id node, const value_step *step)
{
    if (b->limits.depth >= KILN_DEPTH_MAX)
        return bake_value_too_deep(b, node, step);
    b->limits.depth++;
    return true;
}

static inline void value_leave(bake_values *b)
{
    b->limits.depth--;
}

#endif
