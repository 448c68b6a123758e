/* Values from the program for whole columns, for many rows at once. */
#ifndef KILN_ROW_VALUES_H
#define KILN_ROW_VALUES_H

#include "rows.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Whether each of the columns names a component of the archetype. */
bool kiln_row_values_are_valid(const archetype *a, const kiln_column_values *columns,
                               uint32_t count);
/* `count` values, from index `from` on, are copied to the rows from `first` on. */
typedef struct row_span {
    kiln_row first;
    uint32_t from, count;
    bool streams; /* bypass the cache (stream_copy.h); stream_end must follow */
} row_span;

/* Copies the values of one column. A tag has none. */
void kiln_row_values_copy(const kiln_column_values *values, const row_span *span);
/* Copies the values of all of the columns, and zeros the other columns of the archetype. */
void kiln_row_values_fill(const archetype *a, const kiln_column_values *columns,
                          uint32_t column_count, const row_span *span);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
