/* Values of whole columns for many rows at once, from the program. */
#ifndef KILN_ROW_VALUES_H
#define KILN_ROW_VALUES_H

#include "rows.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Whether each of the columns names a component of the archetype. */
bool kiln_row_values_are_valid(const archetype *a, const kiln_column_values *columns,
                               uint32_t count);
/* A range of values and rows: `count` values, from number `from` on, for the rows from `first` on.
 */
typedef struct row_span {
    kiln_row first;
    uint32_t from, count;
    bool streams; /* past the cache, see stream_copy.h: all copying is followed by stream_end */
} row_span;

/* Copies the values of one column. A tag has none. */
void kiln_row_values_copy(const kiln_column_values *values, const row_span *span);
/* The same for each of the columns; those of the archetype that are not named are zeroed. */
void kiln_row_values_fill(const archetype *a, const kiln_column_values *columns,
                          uint32_t column_count, const row_span *span);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
