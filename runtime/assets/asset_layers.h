/* Which file provides which asset: the layers of mounted files, now or after a planned change. */
#ifndef KILN_ASSET_LAYERS_H
#define KILN_ASSET_LAYERS_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* The mounted files, with one more or one less. A mount or an unmount checks this before it changes
 * anything. */
typedef struct asset_view {
    asset_mount *more, *less; /* or NULL */
} asset_view;

typedef struct asset_found {
    uint32_t slot;      /* ASSET_NONE if it is not loaded */
    asset_mount *mount; /* the best that has it; NULL for an added blob alone */
    uint32_t number;    /* in its index */
} asset_found;

/* False if no file and no added blob has it. */
bool kiln_asset_find(const kiln_assets *assets, const asset_view *view, kiln_id id,
                     asset_found *ret_found);

static inline uint32_t asset_index_count(const asset_mount *mount)
{
    return kiln_index_asset_count(mount->file->index);
}
/* Whether `a` overrides `b`. */
static inline bool asset_mount_is_above(const asset_mount *a, const asset_mount *b)
{
    return a->order != b->order ? a->order > b->order : a->serial > b->serial;
}
/* Type and name of asset `number`; the name is "" if it is not valid. */
const kiln_index_type *kiln_asset_index_type(const asset_mount *mount, uint32_t number);
const char *kiln_asset_index_name(const asset_mount *mount, uint32_t number);

/* The number of the asset with that id in one file; ASSET_NONE if its record is missing or damaged.
 */
uint32_t kiln_asset_number_in(const asset_mount *mount, kiln_id id);

/* Stops at the first failure. */
typedef kiln_status asset_visit_function(void *ctx, kiln_id id, uint32_t number,
                                         kiln_error *reterr);
/* Whether asset `number` is found by its id: a forged index may hide some. */
static inline bool asset_is_found(const asset_mount *mount, uint32_t number)
{
    return kiln_asset_number_in(mount, kiln_index_id(mount->file->index, number)) == number;
}

/* Visits every asset of a file for which asset_is_found is true. */
kiln_status kiln_asset_each_own(const kiln_assets *assets, const asset_mount *mount,
                                asset_visit_function *visit, void *ctx, kiln_error *reterr);
/* Visits those assets of a file whose ids are in `ids`. */
kiln_status kiln_asset_each_shared(const kiln_assets *assets, const asset_mount *mount,
                                   asset_visit_function *visit, void *ctx, kiln_error *reterr);

/* Reserves room for `count` new ids, and for `providers` in addition to those of the base. */
kiln_status kiln_asset_ids_reserve(kiln_assets *assets, uint32_t count, uint32_t providers);
/* The number of an id in `known`, and its cell; ASSET_NONE if the table does not have it. */
uint32_t kiln_asset_ids_find(const kiln_assets *assets, kiln_id id, uint32_t *ret_cell);
/* The number of an id in `known`. A new id is entered, with the base as a provider if that has it.
 * Readers see it when a value is set. */
uint32_t kiln_asset_ids_enter(kiln_assets *assets, kiln_id id, uint32_t *ret_cell);
/* Publishes the value of an id: the root of its asset, KILN_KNOWN, or nothing. An id with
 * neither a provider nor an entry is removed. */
void kiln_asset_ids_publish(kiln_assets *assets, uint32_t cell);
/* Number in `known` of the id in a cell. */
static inline uint32_t asset_ids_known(const kiln_assets *assets, uint32_t cell)
{
    return kiln_key_table_note(&assets->ids, cell) - 1;
}

/* Adds a mount to the providers of a known id, or removes it. The base is not searched. Room was
 * reserved. */
void kiln_asset_layers_add(kiln_assets *assets, uint32_t known, const asset_mount *mount,
                           uint32_t number);
void kiln_asset_layers_remove(kiln_assets *assets, uint32_t known, const asset_mount *mount);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
