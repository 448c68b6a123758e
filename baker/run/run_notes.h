/* Adds the notes of a part (part_notes.h) to its output. */
#ifndef BAKE_RUN_NOTES_H
#define BAKE_RUN_NOTES_H

#include "run_budgets.h"

/* Writes the lines of the assets and the warnings, except those about resources. It then drops
 * these warnings, because `kiln-bake link` prints them. Returns false with errno set. */
bool bake_run_notes_write(bake_run *run, const bake_asset_marks *marks,
                          bool (*write)(void *ctx, const void *data, size_t size), void *ctx);

#endif
