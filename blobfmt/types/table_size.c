/* Computes the unfolded size of a type table, for its writer. type_table_read.c counts in the same
 * way while it reads, and stops at the limit. */
#include "table_size.h"

#include <string.h>

/* The number of bytes in copies of all strings of a type or member. */
static uint64_t unfolded_texts(const char *name, const char *doc, const char *const *was,
                               uint32_t was_count)
{
    uint64_t bytes = strlen(name) + strlen(doc) + 2 + (uint64_t)was_count * KILN_UNFOLDED_WAS;
    for (uint32_t i = 0; i < was_count; i++)
        bytes += strlen(was[i]);
    return bytes;
}

uint64_t kiln_types_unfolded_size(const kiln_types *types)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < kiln_types_count(types); i++) {
        const kiln_type *type = kiln_types_get(types, i);
        size +=
            KILN_UNFOLDED_TYPE + unfolded_texts(type->name, type->doc, type->was, type->was_count);
        for (uint32_t m = 0; m < type->member_count; m++) {
            const kiln_member *member = &type->members[m];
            size += KILN_UNFOLDED_MEMBER + member->default_size +
                    unfolded_texts(member->name, member->doc, member->was, member->was_count);
        }
    }
    return size;
}
