/* What a run adds to its memo while it bakes. */
#ifndef BAKE_RUN_MEMO_H
#define BAKE_RUN_MEMO_H

#include "memo.h"
#include "value_bake.h"

/* Adds the payloads of the asset that was baked last. Returns false if memory runs out. */
bool bake_run_keep_payloads(const bake_values *values, uint32_t row, bake_memo *memo);
/* Adds all missing names, and sorts the aliases. Returns false if memory runs out. */
bool bake_run_keep_missing(const bake_values *values, bake_memo *memo);

#endif
