/* Hints that tell how many assets inherit from an asset with a mistake. The assets that inherit do
 * not report the mistake again. */
#ifndef BAKE_ASSET_HEIRS_H
#define BAKE_ASSET_HEIRS_H

#include "asset_bases.h"

/* Adds `12 assets inherit from Monster/wolf` to the first error in each asset from which others
 * inherit. Without memory, hints are missing. */
void bake_heirs_hint(const bake_bases *bases, bake_diagnostics *diagnostics);

#endif
