/* What changed between the bytes of two files. */
#ifndef INSP_USAGE_CHANGE_H
#define INSP_USAGE_CHANGE_H

#include "insp_usage.h"

typedef struct insp_usage_change {
    insp_text name, field; /* as in insp_usage_row */
    uint64_t before, after;
} insp_usage_change;

/* Joins two lists by name. `ret_changes` receives the rows whose bytes differ, in descending order
 * of the difference, then ascending by name; release it with insp_free. Reorders the rows of both
 * lists. Returns KILN_OK or KILN_NO_MEMORY. */
kiln_status insp_usage_compare(insp_usage_list *before, insp_usage_list *after,
                               insp_usage_change **ret_changes, size_t *ret_count);

#endif
