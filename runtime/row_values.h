/* Values of whole columns that a program gives for many rows at once. */
#ifndef KILN_ROW_VALUES_H
#define KILN_ROW_VALUES_H

#include "rows.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Whether each names a component of the archetype. */
bool kiln_row_values_are_right(const archetype *a, const kiln_column_values *columns,
                               uint32_t count);
/* Copies values number `from` and on to `count` rows from `row` on. A tag has none. */
void kiln_row_values_copy(const kiln_column_values *values, uint32_t from, const kiln_chunk *chunk,
                          uint32_t row, uint32_t count);
/* The same for each of the columns; those of the archetype that are not named are zeroed. */
void kiln_row_values_fill(const archetype *a, const kiln_column_values *columns,
                          uint32_t column_count, uint32_t from, kiln_row first, uint32_t count);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
