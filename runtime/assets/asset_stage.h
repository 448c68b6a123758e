/* Loading in three steps, so that it succeeds completely or not at all:
 *
 *     resolve   with the lock      the requested assets, and the assets to which they refer
 *     make      without the lock   their bytes: checked, decompressed, converted
 *     publish   with the lock      entries, slots, ids; cannot fail once room is reserved
 *
 * The resolved list is valid as long as the table's `generation` stays the same. Pins keep the
 * files of the list open meanwhile. */
#ifndef KILN_ASSET_STAGE_H
#define KILN_ASSET_STAGE_H

#include "asset_layers.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct asset_staged {
    kiln_id id;
    asset_mount *mount;
    uint32_t number;
    uint32_t parent; /* list position of the asset that refers to it; ASSET_NONE if it was
                        requested */
    uint32_t slot;   /* of the entry whose bytes it replaces; ASSET_NONE for a new one */
    uint32_t
        twin; /* position of an earlier asset whose memory it shares; ASSET_NONE if there is none */
    bool is_unchanged;   /* replaces equal content, so its references are not followed */
    const char *deleted; /* the name of a deleted asset to which it refers, or NULL */
    asset_blob *blob;
    asset_blob *published; /* the blob of its entry */
} asset_staged;

typedef struct asset_stage {
    kiln_assets *assets;
    asset_view view;
    bool allow_missing;
    const char *by;                   /* the caller of the load */
    const asset_redirects *redirects; /* the table's, or those planned */
    uint64_t generation, serial;
    asset_staged *list;
    uint32_t count;
    size_t capacity;
    kiln_key_table seen;    /* id -> position in the list plus 1 */
    kiln_key_table deleted; /* id of a deleted asset to which a staged one refers -> its name */
    kiln_key_table members; /* key of a decompressed or converted member -> position plus 1 */
} asset_stage;

void kiln_asset_stage_init(asset_stage *stage, kiln_assets *assets);
/* Plans the redirects after the change of files that the view describes. These are the table's own,
 * or new ones that are later committed, or dropped after a failure. */
kiln_status kiln_asset_stage_plan_redirects(asset_stage *stage, asset_redirects **ret_redirects,
                                            kiln_error *reterr);
/* Stages the assets to which earlier ids will lead after the change, if they now lead to other
 * assets that are loaded: loaded assets may refer to them. Call it after redirects were planned and
 * the assets of the files were staged. */
kiln_status kiln_asset_stage_add_targets(asset_stage *stage, kiln_error *reterr);
/* Frees what was made but not published. The lock must be held. */
void kiln_asset_stage_fini(asset_stage *stage);

/* Stages an asset that kiln_asset_find found: as a new entry, or to replace the bytes of its entry.
 */
kiln_status kiln_asset_stage_add(asset_stage *stage, kiln_id id, const asset_found *found,
                                 uint32_t parent, kiln_error *reterr);
kiln_status kiln_asset_stage_resolve(asset_stage *stage, kiln_error *reterr);
kiln_status kiln_asset_stage_make(asset_stage *stage, kiln_error *reterr);
/* Reserves memory, so that publishing cannot fail. */
kiln_status kiln_asset_stage_reserve(asset_stage *stage, kiln_error *reterr);
/* Resolves, makes and reserves. The caller must hold the lock throughout. */
kiln_status kiln_asset_stage_prepare(asset_stage *stage, kiln_error *reterr);
void kiln_asset_stage_publish(asset_stage *stage);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
