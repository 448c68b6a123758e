/* Which assets a replacement affects, in dependency order. Computed before anything changes. */
#ifndef KILN_ASSET_CHANGES_H
#define KILN_ASSET_CHANGES_H

#include "asset_events.h"
#include "asset_layers.h"
#include "asset_versions.h"
#include "list.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* An affected asset. Its references are those of asset `number` of the mount, or of the blob. */
typedef struct asset_change {
    kiln_replaced_kind kind;
    kiln_id id;
    const asset_mount *mount; /* NULL for an added blob */
    const asset_blob *blob;   /* added */
    uint32_t number;
    const char *name;
    bool is_visited;
} asset_change;

typedef struct asset_changes {
    kiln_assets *assets;
    const asset_view *view;
    const asset_redirects *redirects; /* after the replacement */
    asset_versions *versions;
    kiln_list all;        /* asset_change */
    kiln_key_table by_id; /* -> position in `all` plus 1 */
    kiln_list events;     /* asset_event, in dependency order */
    bool is_too_long;     /* more than KILN_REPLACED_EVENTS */
} asset_changes;

/* Finds the changes and prepares their events. Does nothing if no program watches the table. After
 * a failure, too, the caller calls kiln_asset_changes_fini. */
kiln_status kiln_asset_changes_find(asset_changes *changes);
/* Records the events. Cannot fail. */
void kiln_asset_changes_publish(asset_changes *changes, kiln_mount mount);
void kiln_asset_changes_fini(asset_changes *changes);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
