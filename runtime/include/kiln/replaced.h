/* What changed when files were replaced (kiln_assets_replace), and what depends on it: for caches,
 * editors and overlays that must follow a hot reload.
 *
 * A table records events from the first call of kiln_assets_watch on. Readers poll: each has its
 * own cursor, and there are no callbacks.
 *
 *     uint64_t cursor;
 *     kiln_assets_watch(assets, &cursor, &error);
 *     for (;;) {                                                   each frame
 *         kiln_replaced event;
 *         kiln_status status;
 *         while ((status = kiln_assets_next_replaced(assets, &cursor, &event)) == KILN_OK)
 *             update(event.id);
 *         if (status == KILN_OVERRUN)
 *             update_all();
 *     }
 *
 * Each replacement records one event for each asset that is affected; a replacement that fails
 * records one event in total, or none if the mount handle is stale. An asset is *changed*, *added*
 * or *removed* if a lookup in the table finds other content than before the replacement; an asset
 * that a file of higher order also contains is not affected. It does not matter whether the asset
 * is loaded. A loaded asset is *dependent* if it has not changed, but its references lead, directly
 * or indirectly, to an asset that is changed, added or removed. (The references of blobs added from
 * memory are known only if the table has a collector.)
 *
 * Order. The events of one replacement are in dependency order: an asset comes after all affected
 * assets to which it refers, so a program can update them one after another. Assets that refer to
 * each other in a cycle come in any order. Removed assets come first.
 *
 * Bounded memory. The table keeps the last KILN_REPLACED_EVENTS events. A reader that is further
 * behind gets KILN_OVERRUN once. It must then treat every asset as changed, and continues with the
 * next replacement. The same happens to all readers if one replacement has more events, or if
 * memory for an event of a failed replacement runs out. No event is lost silently. */
#ifndef KILN_REPLACED_H
#define KILN_REPLACED_H

#include <kiln/assets.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_REPLACED_EVENTS 4096

typedef enum kiln_replaced_kind {
    KILN_REPLACED_CHANGED,
    KILN_REPLACED_ADDED,
    KILN_REPLACED_REMOVED,
    KILN_REPLACED_DEPENDENT,
    KILN_REPLACED_FAILED /* kiln_assets_replace failed and changed nothing: see `error` */
} kiln_replaced_kind;

typedef struct kiln_replaced {
    kiln_replaced_kind kind;
    kiln_mount mount;     /* the file that was to be replaced */
    uint64_t replacement; /* equal for all events of one call; later calls have larger numbers */
    kiln_id id; /* of the asset; 0 for KILN_REPLACED_FAILED, and for an asset without a name */
    char name[KILN_PATH_SIZE]; /* of the asset, or of the file that failed. A longer name is
                                  shortened in the middle */
    kiln_error error;          /* for KILN_REPLACED_FAILED; otherwise zero */
} kiln_replaced;

/* Sets the cursor behind all events so far. From the first call on, the table records events.
 * NO_MEMORY. Changing. */
kiln_status kiln_assets_watch(kiln_assets *assets, uint64_t *ret_cursor, kiln_error *reterr);

/* Gets the next event and advances the cursor. NOT_FOUND: there is none yet. OVERRUN: events were
 * dropped before this reader got them; the cursor is now behind all events. BAD_ARGUMENT: the
 * cursor is not from kiln_assets_watch. `ret_event` is filled only on success. Changing; each
 * reader needs its own cursor. */
kiln_status kiln_assets_next_replaced(kiln_assets *assets, uint64_t *cursor,
                                      kiln_replaced *ret_event);

#ifdef __cplusplus
}
#endif

#endif
