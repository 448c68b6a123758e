/* What --timings shows: tables of the phases and of the slowest files, importers and assets, and a
 * trace of all spans for chrome://tracing and Perfetto. */
#ifndef BAKE_TIMINGS_REPORT_H
#define BAKE_TIMINGS_REPORT_H

#include "timings.h"

#include <stdio.h>

/* The number of rows of each table, except that of the phases. */
enum { BAKE_TIMINGS_SHOWN = 10 };

/* Prints the tables, with each time in milliseconds and as a share of `total`, the nanoseconds of
 * the whole run. Spans of the same kind and name are added up. So the shares of files or assets may
 * exceed 100 % if several threads work at once. Names are complete, with every code point escaped
 * that is not visible. Returns false if memory runs out. */
bool bake_timings_print(bake_timings *timings, uint64_t total, FILE *out);

/* Writes all spans in the "JSON Array Format" of the Trace Event Format: complete events (`ph: X`)
 * in the order of bake_timings_list, after one of the kind `run` for the whole run. `ts` and `dur`
 * are microseconds with three decimals, so that events nest exactly. Bytes of a name that are not
 * UTF-8 become U+FFFD. Returns false if a write fails. */
bool bake_timings_write_trace(bake_timings *timings, uint64_t total,
                              bool (*write)(void *ctx, const void *data, size_t size), void *ctx);

#endif
