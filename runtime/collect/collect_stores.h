/* Detects stores to components after write access ended: for builds of the library with
 * KILN_VALIDATE. */
#ifndef KILN_COLLECT_STORES_H
#define KILN_COLLECT_STORES_H

#include "collector_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Compares the rows of each column that was recorded at the last safe point with their hashes,
 * unless the column has a later tick. LATE_STORE if a row has changed; the collector's `late` names
 * it. Then records all rows of components with words for the next safe point. If memory runs out,
 * it records none. */
kiln_status kiln_collect_check_stores(kiln_collector *collector);
/* Discards what was recorded. */
void kiln_collect_forget_stores(kiln_collector *collector);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
