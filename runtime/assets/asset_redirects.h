/* The redirects of all mounted files (<kiln/redirects.h>), merged: for each earlier id, the entry
 * of the highest file.
 *
 * An id that a file or an added blob has is *real*; its redirect has no effect. Every other earlier
 * id has in `ids` the value of the asset to which its redirects lead, so that kiln_assets_get needs
 * no second lookup. Such a cell of `ids` has no number in `known`:
 *
 *     root             the asset is loaded
 *     KILN_KNOWN       it is not loaded
 *     KILN_UNRESOLVED  the redirects lead to no asset; the cell is reserved
 *
 * asset_layers.c keeps these values up to date when assets are loaded, added and removed. The
 * merged list changes only when a file is mounted, unmounted or replaced. */
#ifndef KILN_ASSET_REDIRECTS_H
#define KILN_ASSET_REDIRECTS_H

#include "asset_layers.h"

#include <kiln/redirects.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Merges the lists of the files in the view. `ret_redirects` is NULL if none has a list. */
kiln_status kiln_asset_redirects_create(const kiln_assets *assets, const asset_view *view,
                                        asset_redirects **ret_redirects);
/* NULL is fine. */
void kiln_asset_redirects_destroy(const kiln_assets *assets, asset_redirects *redirects);
/* Frees planned redirects, unless they are those of the table. */
void kiln_asset_redirects_drop(const kiln_assets *assets, asset_redirects *redirects);

/* Replaces the redirects of the table with `redirects`, frees the former redirects unless they are
 * the same, and publishes the values of all earlier ids. Room in `ids` must have been reserved for
 * all of these. Call it after the providers of a file have changed. */
void kiln_asset_redirects_commit(kiln_assets *assets, asset_redirects *redirects);

typedef enum asset_redirected {
    REDIRECTED_NOWHERE, /* there is no redirect with this id */
    REDIRECTED_FOUND,
    REDIRECTED_MISSING, /* the last target does not exist and has no redirect */
    REDIRECTED_DELETED,
    REDIRECTED_CYCLE /* or the chain is too long */
} asset_redirected;

/* Follows the redirects of an id that is not real. For REDIRECTED_FOUND, `ret_id` is the id of the
 * asset that the view has. After a failure, `ret_text`, which has KILN_PATH_SIZE bytes, describes
 * it. */
asset_redirected kiln_asset_redirects_follow(const kiln_assets *assets,
                                             const asset_redirects *redirects,
                                             const asset_view *view, kiln_id id, kiln_id *ret_id,
                                             char *ret_text);

/* If no file and no added blob has `id`, replaces it with the id to which redirects lead. Without a
 * redirect, `id` is unchanged. NOT_FOUND or REDIRECT_CYCLE if redirects lead to no asset. */
kiln_status kiln_asset_redirects_resolve(kiln_assets *assets, kiln_id *id, kiln_error *reterr);

/* Whether the asset with this id was deleted. */
bool kiln_asset_redirects_is_deleted(const kiln_assets *assets, kiln_id id);

/* The earlier name with this id; NULL if no redirect has it. */
const char *kiln_asset_redirects_name(const kiln_assets *assets, kiln_id id);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
