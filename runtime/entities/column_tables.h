/* Tables with the address of a component's column in each chunk, for readers (<kiln/reader.h>).
 * Only components with a reader have a table, so the tables cost nothing without readers. */
#ifndef KILN_COLUMN_TABLES_H
#define KILN_COLUMN_TABLES_H

#include "world_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct column_table {
    kiln_component component;
    const unsigned char **columns; /* by chunk number; NULL if the chunk lacks the component.
                                      The page source provides the array. */
} column_table;

/* The component's table, which is made on first use; NULL if memory runs out. */
const column_table *kiln_column_tables_get(kiln_world *world, kiln_component component);
/* Updates all tables for a chunk whose columns have changed. */
void kiln_column_tables_set(kiln_world *world, const kiln_chunk *chunk);
/* Whether all tables match the columns of the chunk. */
bool kiln_column_tables_match(const kiln_world *world, const kiln_chunk *chunk);
void kiln_column_tables_fini(kiln_world *world);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
