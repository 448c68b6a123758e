/* The layers of mounted files, now or after a planned change: which file provides which asset. */
#ifndef KILN_ASSET_LAYERS_H
#define KILN_ASSET_LAYERS_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* The mounted files, with one file added, removed, or both: `more` then takes the place of `less`.
 * Mounting, unmounting and replacing check such a view before they change anything. */
typedef struct asset_view {
    asset_mount *more, *less; /* or NULL */
} asset_view;

typedef struct asset_found {
    uint32_t slot;      /* ASSET_NONE if it is not loaded */
    asset_mount *mount; /* the highest that contains it; NULL for an added blob in no file */
    uint32_t number;    /* in its index */
} asset_found;

/* Finds an asset by id; false if no file and no added blob has it. Then `ret_found` may still have
 * the slot of an asset that is loaded from the file `less` of the view. */
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

/* The number of the asset with that id in one file; ASSET_NONE if the index lacks it or is damaged
 * there. */
uint32_t kiln_asset_number_in(const asset_mount *mount, kiln_id id);

/* Called for each asset. A failure ends the iteration. */
typedef kiln_status asset_visit_function(void *ctx, kiln_id id, uint32_t number,
                                         kiln_error *reterr);
/* Whether a search for the id of asset `number` finds it: a forged index may hide assets. */
static inline bool asset_is_found(const asset_mount *mount, uint32_t number)
{
    return kiln_asset_number_in(mount, kiln_index_id(mount->file->index, number)) == number;
}

/* Visits every asset of a file for which asset_is_found is true. */
kiln_status kiln_asset_visit_own(const kiln_assets *assets, const asset_mount *mount,
                                 asset_visit_function *visit, void *ctx, kiln_error *reterr);
/* Visits those assets of a file whose ids are in `ids`. */
kiln_status kiln_asset_visit_shared(const kiln_assets *assets, const asset_mount *mount,
                                    asset_visit_function *visit, void *ctx, kiln_error *reterr);

/* Reserves room for `count` new ids, and for `providers` providers besides the base. NO_MEMORY also
 * if their number does not fit in 32 bits. */
kiln_status kiln_asset_ids_reserve(kiln_assets *assets, uint64_t count, uint64_t providers);
/* The number of an id in `known`, and its cell; ASSET_NONE if the table does not have it. */
uint32_t kiln_asset_ids_find(const kiln_assets *assets, kiln_id id, uint32_t *ret_cell);
/* Like kiln_asset_ids_find, but follows redirects if no file has the id. */
uint32_t kiln_asset_ids_target(const kiln_assets *assets, kiln_id id);
/* The value for an earlier id that is not real: see asset_redirects.h. */
uint64_t kiln_asset_ids_through(const kiln_assets *assets, kiln_id id);
/* The number of an id in `known`. A new id is added, with the base as a provider if the base has
 * it. Readers see it when kiln_asset_ids_publish sets its value. */
uint32_t kiln_asset_ids_enter(kiln_assets *assets, kiln_id id, uint32_t *ret_cell);
/* Publishes the value of an id: the root of its asset, or KILN_KNOWN if it is not loaded. An id
 * with neither a provider nor an entry is removed. Earlier ids that lead to the id get its value.
 */
void kiln_asset_ids_publish(kiln_assets *assets, uint32_t cell);
/* The number in `known` of the id in a cell. */
static inline uint32_t asset_ids_known(const kiln_assets *assets, uint32_t cell)
{
    return kiln_key_table_note(&assets->ids, cell) - 1;
}

/* Adds a mount to the providers of a known id, or removes it. Does not search the base. Room must
 * have been reserved. */
void kiln_asset_layers_add(kiln_assets *assets, uint32_t known, const asset_mount *mount,
                           uint32_t number);
void kiln_asset_layers_remove(kiln_assets *assets, uint32_t known, const asset_mount *mount);
/* Changes the asset number of the id in the mount, which is one of its providers. */
void kiln_asset_layers_renumber(kiln_assets *assets, uint32_t known, const asset_mount *mount,
                                uint32_t number);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
