/* Queries about reachability. They search breadth first from all roots, so the chain that they find
 * is a shortest one. The search does not depend on the collector's marks and bits, except that it
 * reads which assets are about to be freed. So kiln_collector_is_valid can compare the marks and
 * bits with its result. */
#include "collect_field.h"
#include "collector_object.h"

#include "asset_blob.h"
#include "asset_entry.h"
#include "asset_holders.h"
#include "asset_layers.h"
#include "asset_lock.h"
#include "asset_slots.h"
#include "asset_takers.h"

#include <kiln/index.h>
#include <stdio.h>
#include <string.h>

#define NO_PARENT UINT32_MAX     /* the search has not reached the slot */
#define IS_ROOT (UINT32_MAX - 1) /* a root refers to the asset */

typedef struct reach {
    kiln_collector *collector;
    kiln_assets *assets;
    uint32_t slots;
    uint32_t *parents; /* by slot: slot of the referring asset, or one of the above */
    uint32_t *queue;
    uint32_t first, last;
} reach;

static void visit(reach *r, const asset_entry *entry, uint32_t parent)
{
    if (r->parents[entry->slot] != NO_PARENT)
        return;
    r->parents[entry->slot] = parent;
    r->queue[r->last++] = entry->slot;
}

static void visit_root(void *ctx, const asset_entry *entry, const char *field)
{
    (void)field;
    visit(ctx, entry, IS_ROOT);
}

static void visit_id(reach *r, kiln_id id, uint32_t parent)
{
    uint32_t known = kiln_asset_ids_target(r->assets, id);
    uint32_t slot = known != ASSET_NONE ? known_at(r->assets, known)->slot : ASSET_NONE;
    if (slot != ASSET_NONE)
        visit(r, entry_at(r->assets, slot), parent);
}

/* Visits the assets to which the blob refers. The blob is asset `number` of `mount`, which is NULL
 * for an added blob. */
static void visit_edges(reach *r, const asset_blob *blob, const asset_mount *mount, uint32_t number,
                        uint32_t parent)
{
    for (uint32_t i = 0; i < blob->ref_count; i++)
        visit_id(r, blob->refs[i], parent);
    if (!mount)
        return;
    uint32_t count;
    const uint32_t *edges = kiln_index_edges(mount->file->index, number, &count);
    for (uint32_t i = 0; i < count; i++)
        visit_id(r, kiln_index_edge_id(mount->file->index, edges[i]), parent);
}

static void reach_fini(reach *r)
{
    const kiln_allocator *allocator = &r->collector->allocator;
    if (r->parents)
        allocator->free(allocator->ctx, r->parents, 2 * ((size_t)r->slots + 1) * sizeof(uint32_t));
    r->parents = NULL;
}

static bool reach_init(reach *r, kiln_collector *collector)
{
    const kiln_allocator *allocator = &collector->allocator;
    *r = (reach){.collector = collector, .assets = collector->assets};
    r->slots = atomic_load_explicit(&r->assets->slot_count, memory_order_relaxed);
    size_t count = (size_t)r->slots + 1;
    r->parents = allocator->alloc(allocator->ctx, 2 * count * sizeof(uint32_t), 4);
    if (!r->parents)
        return false;
    r->queue = r->parents + count;
    memset(r->parents, 0xff, count * sizeof(uint32_t));
    return true;
}

/* An asset that is about to be freed may have borrowed bytes: they were borrowed when the asset
 * could no longer be saved, perhaps through an asset with the same bytes. Then the bytes stay, but
 * not the asset. */
static bool is_root(const kiln_assets *assets, const asset_entry *entry)
{
    if (asset_is_doomed(assets, entry))
        return asset_strong_count(entry) > 0 || entry->protections.total > 0;
    return kiln_collect_is_held(entry);
}

/* Finds every reachable asset. Returns false if memory runs out. The lock must be held. */
static bool find_all(reach *r, kiln_collector *collector)
{
    if (!reach_init(r, collector))
        return false;
    kiln_assets *assets = r->assets;
    for (uint32_t i = 0; i < r->slots; i++) {
        const asset_entry *entry = entry_at(assets, i);
        if (asset_entry_is_live(assets, i) && is_root(assets, entry))
            visit(r, entry, IS_ROOT);
    }
    kiln_tracer tracer = kiln_tracer_of(collector);
    tracer.on_root = visit_root;
    tracer.on_root_ctx = r;
    kiln_collect_words(collector, &tracer);
    uint32_t cell = 0;
    for (const asset_blob *blob = NULL; (blob = kiln_asset_blob_next(assets, blob, &cell));)
        if (blob->borrowed.total && !blob->entries)
            visit_edges(r, blob, blob->mount, blob->number, IS_ROOT);
    while (r->first < r->last) {
        const asset_entry *entry = entry_at(assets, r->queue[r->first++]);
        visit_edges(r, entry->blob, asset_current_mount(entry->blob), entry->number, entry->slot);
    }
    return true;
}

/* ---- explaining why an asset is reachable ---- */

typedef struct root_search {
    uint32_t slot;
    char *text;
    size_t size;
    bool is_found;
} root_search;

static void note_root(void *ctx, const asset_entry *entry, const char *field)
{
    root_search *search = ctx;
    if (search->is_found || entry->slot != search->slot)
        return;
    search->is_found = true;
    snprintf(search->text, search->size, "%s", field);
}

/* Describes why an asset is a root. */
static void describe_root(reach *r, const asset_entry *entry, char *text, size_t size)
{
    char by[HOLDERS_TEXT_SIZE] = "";
    root_search search = {.slot = entry->slot, .text = text, .size = size};
    if (asset_strong_count(entry) > 0) {
        kiln_asset_entry_has_strong(r->assets, entry, 0, by);
        snprintf(text, size, "strong handle, by %s", by);
    } else if (entry->protections.total > 0) {
        kiln_asset_holders_text(&entry->protections, by);
        snprintf(text, size, "protection, by %s", by);
    } else if (entry->blob->borrowed.total > 0) {
        kiln_asset_holders_text(&entry->blob->borrowed, by);
        snprintf(text, size, "borrowed bytes, by %s", by);
    } else {
        kiln_tracer tracer = kiln_tracer_of(r->collector);
        tracer.on_root = note_root;
        tracer.on_root_ctx = &search;
        kiln_collect_words(r->collector, &tracer);
        if (!search.is_found)
            snprintf(text, size, "borrowed bytes that were replaced");
    }
}

/* Calls the callback for each asset of the chain that ends at `slot`, and returns its length. */
static int64_t report_chain(reach *r, uint32_t slot,
                            void (*on_step)(void *ctx, const kiln_why_step *step), void *ctx)
{
    uint32_t length = 0;
    /* The queue is no longer needed, so its memory is reused for the chain. */
    for (uint32_t at = slot; at != IS_ROOT; at = r->parents[at])
        r->queue[length++] = at;
    for (uint32_t i = length; i-- > 0;) {
        const asset_entry *entry = entry_at(r->assets, r->queue[i]);
        char text[HOLDERS_TEXT_SIZE + 64] = "";
        if (i + 1 == length) {
            describe_root(r, entry, text, sizeof text);
        } else {
            kiln_path path;
            const asset_entry *from = entry_at(r->assets, r->queue[i + 1]);
            kiln_collect_field(r->assets, from->blob, entry->id, &path);
            snprintf(text, sizeof text, "%s", path.text);
        }
        kiln_why_step step = {entry->name, text};
        on_step(ctx, &step);
    }
    return length;
}

int64_t kiln_collector_why(kiln_collector *collector, kiln_ref ref,
                           void (*on_step)(void *ctx, const kiln_why_step *step), void *ctx)
{
    reach r;
    int64_t steps = -1;
    kiln_asset_lock(collector->assets);
    const asset_entry *entry = kiln_asset_entry_of(collector->assets, ref);
    if (!entry)
        steps = 0;
    else if (find_all(&r, collector)) {
        steps =
            r.parents[entry->slot] == NO_PARENT ? 0 : report_chain(&r, entry->slot, on_step, ctx);
        reach_fini(&r);
    }
    kiln_asset_unlock(collector->assets);
    return steps;
}

int64_t kiln_collector_list_unreachable(kiln_collector *collector,
                                        void (*on_asset)(void *ctx, const char *name), void *ctx)
{
    reach r;
    int64_t count = -1;
    kiln_asset_lock(collector->assets);
    if (find_all(&r, collector)) {
        count = 0;
        for (uint32_t i = 0; i < r.slots; i++) {
            const asset_entry *entry = entry_at(r.assets, i);
            if (!asset_entry_is_live(r.assets, i) || asset_is_doomed(r.assets, entry) ||
                r.parents[i] != NO_PARENT)
                continue;
            on_asset(ctx, entry->name);
            count++;
        }
        reach_fini(&r);
    }
    kiln_asset_unlock(collector->assets);
    return count;
}

/* ---- validity ---- */

static bool fail(kiln_error *reterr, const char *what, const char *name)
{
    char path[2 * KILN_PATH_SIZE];
    snprintf(path, sizeof path, "%s: %s", what, name);
    kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, path);
    return false;
}

/* The number of mark bytes that belong to loaded assets: in files and by slot. */
static uint64_t count_marks(const kiln_assets *assets)
{
    uint64_t count = 0;
    for (uint32_t m = 0; m < assets->mount_count; m++) {
        const asset_mount *mount = assets->mounts[m];
        for (uint32_t i = 0; mount && mount->marks && i < asset_index_count(mount); i++)
            count += atomic_load_explicit(&mount->marks[i], memory_order_relaxed) != MARK_NONE;
    }
    uint32_t slots = atomic_load_explicit(&assets->slot_count, memory_order_relaxed);
    for (uint32_t i = 0; i < slots; i++)
        count += atomic_load_explicit(&assets->marks->slots[i], memory_order_relaxed) != MARK_NONE;
    return count;
}

static bool check_entry(kiln_collector *c, const reach *r, const asset_entry *entry,
                        kiln_error *reterr)
{
    const kiln_assets *assets = c->assets;
    const struct asset_marks *marks = assets->marks;
    uint8_t mark = atomic_load_explicit(asset_mark_of(assets, entry), memory_order_relaxed);
    bool is_dead = asset_is_dead(assets, entry);
    bool is_member = mark == MARK_MEMBER && asset_owner_word(assets, asset_node(assets, entry)) < 0;
    if (mark != MARK_A && mark != MARK_B && !is_member)
        return fail(reterr, "a loaded asset has no mark", entry->name);
    if (kiln_collect_is_held(entry) && !asset_bit_get(marks->roots, entry->slot))
        return fail(reterr, "the root bit of a held asset is clear", entry->name);
    if (!kiln_collect_is_held(entry) && asset_bit_get(marks->roots, entry->slot) &&
        !asset_bit_get(marks->check, entry->slot))
        return fail(reterr,
                    "an asset without holders has a root bit that is not marked for checking",
                    entry->name);
    /* A dead asset that gets bytes which are borrowed is fresh: the end of killing saves it. */
    bool will_be_saved = c->stage == STAGE_KILL && asset_bit_get(marks->fresh, entry->slot);
    if (is_dead && (c->stage < STAGE_KILL || (is_root(assets, entry) && !will_be_saved)))
        return fail(reterr,
                    "an asset is dead although it is held, or before the collector kills assets",
                    entry->name);
    /* Before freeing begins, a dead asset may be reachable, because it can still be saved. */
    if (c->stage == STAGE_FREE && is_dead && r->parents[entry->slot] != NO_PARENT)
        return fail(reterr, "an asset about to be freed is reachable", entry->name);
    return true;
}

bool kiln_collector_is_valid(kiln_collector *collector, kiln_error *reterr)
{
    reach r;
    kiln_assets *assets = collector->assets;
    kiln_asset_lock(assets);
    bool is_valid = find_all(&r, collector);
    if (!is_valid)
        kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    uint64_t live = 0;
    for (uint32_t i = 0; is_valid && i < r.slots; i++) {
        if (!asset_entry_is_live(assets, i)) {
            if (asset_bit_get(assets->marks->dead, i))
                is_valid = fail(reterr, "the dead bit of a free slot is set", "");
            continue;
        }
        live++;
        is_valid = check_entry(collector, &r, entry_at(assets, i), reterr);
    }
    const char *what;
    if (is_valid && !kiln_cluster_table_is_valid(collector, &what))
        is_valid = fail(reterr, what, "");
    if (is_valid && count_marks(assets) != live)
        is_valid = fail(reterr, "a mark byte is set without a loaded asset", "");
    if (r.parents)
        reach_fini(&r);
    kiln_asset_unlock(assets);
    return is_valid;
}
