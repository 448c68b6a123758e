/* The limit on the unfolded size of a type table: FORMAT.md section 11. */
#ifndef KILN_TABLE_SIZE_H
#define KILN_TABLE_SIZE_H

#include <kiln/limits.h>
#include <kiln/type_table.h>

/* A string that a hostile table shares a thousand times is copied a thousand times. This limit
 * bounds the memory for the copies. */
static inline uint64_t table_unfolded_max(uint64_t payload_size)
{
    return KILN_UNFOLDED_BASE + KILN_UNFOLDED_FACTOR * payload_size;
}

#endif
