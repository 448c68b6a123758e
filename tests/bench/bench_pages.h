/* The page source of a measured world. It uses the same calls and the same advice as the baseline,
 * so that the system favours neither side. */
#ifndef BENCH_PAGES_H
#define BENCH_PAGES_H

#include "baselines_entities.h"

#include <kiln/world.h>

kiln_page_source bench_pages_plain(void);

/* The same, but small blocks that one world frees are reused by the next one, already touched and
 * zeroed. This measures the first use of a world without page faults. Only one world at a time may
 * use this source. */
kiln_page_source bench_pages_kept(void);

#endif
