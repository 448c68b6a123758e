/* In which order the assets of a file are written. */
#ifndef BAKE_REPACK_ORDER_H
#define BAKE_REPACK_ORDER_H

#include "bake_run.h"

#include <kiln/index.h>

/* The numbers of all assets in the order that the options ask for: those that the list of --first
 * names, then the rest by --order. Lies in the run's store; NULL after filling the failure or
 * reporting names that the file has not. */
const uint32_t *bake_repack_order(bake_run *run, const kiln_index *index);

#endif
