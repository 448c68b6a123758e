/* Lists what is held in a table and by whom, for leak reports when the table is destroyed and for
 * kiln_assets_list_holds.
 *
 * Handles are listed by slot. Weak handles can outlive their asset, so free slots are searched,
 * too. Borrowed bytes and pointers are listed by blob. */
#include "asset_holds.h"

#include "asset_blob.h"
#include "asset_holders.h"
#include "asset_lock.h"
#include "asset_slots.h"
#include "asset_takers.h"

typedef struct hold_list {
    asset_hold_function *on_hold;
    void *ctx;
    uint64_t count;
    const char *what, *asset; /* the one being reported */
} hold_list;

static void report_hold(hold_list *list, const char *what, const char *asset, const char *by,
                        uint64_t count)
{
    kiln_report report = {KILN_REPORT_LEAK, what, asset, asset_by(by), count};
    list->count += count;
    if (list->on_hold)
        list->on_hold(list->ctx, &report);
}

static void report_holders(hold_list *list, const char *what, const char *asset,
                           const asset_holders *holders)
{
    for (uint32_t i = 0; i < holders->count; i++)
        report_hold(list, what, asset, holders->list[i].by, holders->list[i].count);
}

static void report_taker(void *ctx, const char *by, uint32_t count)
{
    hold_list *list = ctx;
    report_hold(list, list->what, list->asset, by, count);
}

static void report_handles(hold_list *list, const kiln_assets *assets, const asset_entry *entry,
                           bool is_strong)
{
    uint32_t count = asset_count_of(
        atomic_load_explicit(is_strong ? &entry->strong : &entry->weak, memory_order_relaxed));
    list->what = is_strong ? "strong handle" : "weak handle";
    list->asset = entry->name;
    kiln_asset_takers_visit(kiln_asset_entry_takers(entry, is_strong), assets->def.track_takers,
                            count, report_taker, list);
}

static void report_pointers(hold_list *list, const asset_blob *blob)
{
    list->what = "pointer";
    list->asset = blob->name;
    kiln_asset_takers_visit(&blob->pointers, true, asset_pointer_count(blob), report_taker, list);
}

/* `takers_lock` must be held. */
static void list_all(const kiln_assets *assets, hold_list *list)
{
    uint32_t slots = atomic_load_explicit(&assets->slot_count, memory_order_relaxed);
    for (uint32_t i = 0; i < slots; i++) {
        const asset_entry *entry = entry_at(assets, i);
        if (asset_entry_is_live(assets, i)) {
            report_handles(list, assets, entry, true);
            report_holders(list, "protection", entry->name, &entry->protections);
        }
        report_handles(list, assets, entry, false);
    }
    uint32_t cell = 0;
    for (const asset_blob *blob = NULL; (blob = kiln_asset_blob_next(assets, blob, &cell));) {
        report_holders(list, "borrowed bytes", blob->name, &blob->borrowed);
        report_pointers(list, blob);
    }
}

uint64_t kiln_asset_list_holds(kiln_assets *assets, asset_hold_function *on_hold, void *ctx)
{
    hold_list list = {.on_hold = on_hold, .ctx = ctx};
    pthread_mutex_lock(&assets->takers_lock);
    list_all(assets, &list);
    pthread_mutex_unlock(&assets->takers_lock);
    return list.count;
}

uint64_t kiln_assets_list_holds(kiln_assets *assets, asset_hold_function *on_hold, void *ctx)
{
    kiln_asset_lock(assets);
    uint64_t count = kiln_asset_list_holds(assets, on_hold, ctx);
    kiln_asset_unlock(assets);
    return count;
}
