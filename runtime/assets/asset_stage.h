/* Loading in three steps, so that it succeeds completely or not at all:
 *
 *     resolve   under the lock   the requested assets and those they refer to, through all files
 *     make      without it       their bytes: checked, unpacked, converted
 *     publish   under the lock   entries, slots, ids; cannot fail after its reserve
 *
 * What was resolved is valid as long as the table's `generation` stays the same. Mounts are pinned
 * meanwhile: they are not closed. */
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
    uint32_t parent; /* what refers to it, in the list; ASSET_NONE if it was requested */
    uint32_t slot;   /* of the entry whose bytes it replaces; ASSET_NONE for a new one */
    uint32_t twin;   /* an earlier one of the list whose memory it shares; ASSET_NONE */
    asset_blob *blob;
    asset_blob *published; /* the blob of its entry */
} asset_staged;

typedef struct asset_stage {
    kiln_assets *assets;
    asset_view view;
    bool allow_missing;
    const char *by; /* who loads */
    uint64_t generation, serial;
    asset_staged *list;
    uint32_t count;
    size_t capacity;
    kiln_key_table seen;    /* id -> number in the list plus 1 */
    kiln_key_table members; /* key of a member with memory of its own -> number plus 1 */
} asset_stage;

void kiln_asset_stage_init(asset_stage *stage, kiln_assets *assets);
/* Frees what was made and not published. Under the lock. */
void kiln_asset_stage_fini(asset_stage *stage);

/* Stages what the view found: to replace the bytes of its entry, or as a new entry. */
kiln_status kiln_asset_stage_add(asset_stage *stage, kiln_id id, const asset_found *found,
                                 uint32_t parent, kiln_error *reterr);
kiln_status kiln_asset_stage_resolve(asset_stage *stage, kiln_error *reterr);
kiln_status kiln_asset_stage_make(asset_stage *stage, kiln_error *reterr);
/* Makes sure that publishing needs no memory. */
kiln_status kiln_asset_stage_reserve(asset_stage *stage, kiln_error *reterr);
/* Resolves, makes and reserves, for a caller that keeps the lock. */
kiln_status kiln_asset_stage_prepare(asset_stage *stage, kiln_error *reterr);
void kiln_asset_stage_publish(asset_stage *stage);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
