/* Where the pages of a measured world come from: the same calls and the same advice as the
 * baseline's, so that neither side is helped by the system. */
#ifndef BENCH_PAGES_H
#define BENCH_PAGES_H

#include "baselines_entities.h"

#include <kiln/world.h>

/* The source is good as long as the world. */
kiln_page_source bench_pages_plain(void);

/* The same, but small pieces that one world gave back are given to the next one, touched and zero:
 * for what a world does the first time, without waiting for the system. One at a time. */
kiln_page_source bench_pages_kept(void);

#endif
