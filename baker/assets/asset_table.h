/* The assets of the inputs, found by name before they have their places in files. */
#ifndef BAKE_ASSET_TABLE_H
#define BAKE_ASSET_TABLE_H

#include "asset_input.h"
#include "hash_table.h"

typedef struct asset_table {
    const bake_inputs *inputs;
    hash_table by_name;
    char *name;                        /* room for one, */
    size_t name_length, name_capacity; /* the last that was looked for */
    uint64_t steps;                    /* names compared: what tests count */
} asset_table;

/* False when memory ran out; to be ended either way. Of assets with one name the first is found. */
bool bake_asset_table_init(asset_table *table, const bake_inputs *inputs);
void bake_asset_table_fini(asset_table *table);

/* The number of the asset `kind/id`; UINT32_MAX: there is none, or memory ran out, which
 * `ret_no_memory` tells. */
uint32_t bake_asset_find(asset_table *table, const char *kind, const char *id, size_t length,
                         bool *ret_no_memory);
/* Hints at ids of the kind that are like `id`. */
void bake_asset_hint(const asset_table *table, bake_diagnostics *diagnostics, const char *kind,
                     const char *id, size_t length);

#endif
