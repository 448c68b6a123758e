/* A table of the inputs' assets by name, for the time before names are assigned to files. */
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

/* False if memory runs out; call bake_asset_table_fini either way. Of assets with the same name the
 * first is found. */
bool bake_asset_table_init(asset_table *table, const bake_inputs *inputs);
void bake_asset_table_fini(asset_table *table);

/* The number of the asset `kind/id`; UINT32_MAX if there is none, or if memory runs out, which sets
 * `*ret_no_memory`. */
uint32_t bake_asset_find(asset_table *table, const char *kind, const char *id, size_t length,
                         bool *ret_no_memory);
/* Hints at ids of the kind that are similar to `id`. */
void bake_asset_hint(const asset_table *table, bake_diagnostics *diagnostics, const char *kind,
                     const char *id, size_t length);

#endif
