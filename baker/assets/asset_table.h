/* Finds the assets of the inputs by name, before names are assigned to output files. */
#ifndef BAKE_ASSET_TABLE_H
#define BAKE_ASSET_TABLE_H

#include "asset_input.h"
#include "hash_table.h"

typedef struct asset_table {
    const bake_inputs *inputs;
    hash_table by_name;
    char *name;                        /* buffer for the last name looked up */
    size_t name_length, name_capacity; /* of `name` */
    uint64_t steps;                    /* names compared, for tests */
} asset_table;

/* Returns false if memory runs out; call bake_asset_table_fini either way. If several assets have
 * the same name, the table contains the first. */
bool bake_asset_table_init(asset_table *table, const bake_inputs *inputs);
void bake_asset_table_fini(asset_table *table);

/* Returns the index of the asset `kind/id`, or UINT32_MAX if there is none. Also returns UINT32_MAX
 * if memory runs out, and sets `*ret_no_memory`. */
uint32_t bake_asset_find(asset_table *table, const char *kind, const char *id, size_t length,
                         bool *ret_no_memory);
/* Adds a hint with ids of this kind that are similar to `id`. */
void bake_asset_hint(const asset_table *table, bake_diagnostics *diagnostics, const char *kind,
                     const char *id, size_t length);

#endif
