/* Explains which values of an asset a change affects, and where they are written. */
#ifndef BAKE_WHY_ASSET_H
#define BAKE_WHY_ASSET_H

#include "rerun.h"

typedef struct bake_why_asset {
    const char *name;
    FILE *out;
} bake_why_asset;

/* Prints one line for each value of the bake_why_asset `ctx` that differs from the output of the
 * run before: its place in the sources, the asset there, and how many assets inherit it:
 *
 *     data/items.yaml:14: Item/blade.damage: 10 -> 12, inherited by 31 assets
 *
 * The values of an abstract asset are those of an asset that inherits them. Before that, prints a
 * line for each changed file that the asset uses, such as an embedded file. */
void bake_why_asset_explain(void *ctx, const bake_rerun_view *view);

#endif
