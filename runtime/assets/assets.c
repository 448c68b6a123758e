/* Creating and destroying a table, its threads, and its statistics.
 *
 * The order of destruction matters. Reports come first, while everything still exists. Then readers
 * end, because retired memory waits for them. Records are freed before mounts, because records
 * point into mapped files. */
#define _DEFAULT_SOURCE

#include "assets_object.h"
#include "def_cookie.h"

#include "asset_blob.h"
#include "asset_entry.h"
#include "asset_events.h"
#include "asset_holders.h"
#include "asset_holds.h"
#include "asset_layers.h"
#include "asset_lock.h"
#include "asset_marks.h"
#include "asset_mount.h"
#include "asset_older.h"
#include "asset_redirects.h"
#include "asset_slots.h"
#include "asset_takers.h"

#include <kiln/type_table.h>
#include <string.h>
#include <unistd.h>

kiln_assets_def kiln_assets_def_default(void)
{
    kiln_assets_def def = {.max_assets = UINT32_C(1) << 22, .cookie = DEF_COOKIE};
#if !defined(NDEBUG)
    def.track_pointers = def.track_takers = true;
#endif
    return def;
}

static bool def_is_valid(const kiln_assets_def *def)
{
    return def && def_is_set(def->cookie) && def->max_assets > 0 &&
           def->max_assets <= KILN_SLOT_MAX && (def->types == NULL) == (def->types_size == 0) &&
           ((uintptr_t)def->types & 15) == 0;
}

/* Frees replaced cells of `ids` when no reader can still use them. */
static void free_retired_cells(void *ctx, kiln_retired *retired)
{
    const kiln_assets *assets = ctx;
    kiln_key_cells *cells = (kiln_key_cells *)(void *)retired;
    assets->allocator.free(assets->allocator.ctx, cells, cells->bytes);
}

static void retire_cells(void *ctx, kiln_key_cells *cells)
{
    kiln_assets *assets = ctx;
    kiln_quiescence_retire(&assets->quiescence, &cells->retired, cells->bytes, free_retired_cells);
}

_Static_assert(offsetof(kiln_key_cells, retired) == 0,
               "`retired` must come first: it is cast to its cells");
_Static_assert(offsetof(kiln_assets, ids.cells) == offsetof(kiln_asset_tables, ids),
               "kiln_assets_get casts kiln_assets to kiln_asset_tables");

/* The author of a file chooses its ids. If the seed were known, an author could choose ids that
 * collide in the hash table. */
static uint64_t make_seed(const kiln_assets *assets)
{
    uint64_t seed = 0;
    return getentropy(&seed, sizeof(seed)) == 0 ? seed : (uint64_t)(uintptr_t)assets;
}

static kiln_status read_types(kiln_assets *assets, kiln_error *reterr)
{
    const kiln_assets_def *def = &assets->def;
    if (!def->types)
        return KILN_OK;
    kiln_status status = kiln_type_table_read(&assets->allocator, def->types, def->types_size,
                                              &assets->types, reterr);
    if (status == KILN_OK || status == KILN_NO_MEMORY)
        return status;
    return kiln_fail(reterr, KILN_BAD_ARGUMENT, reterr ? reterr->offset : 0, "types");
}

static kiln_status init_locks(kiln_assets *assets)
{
    if (pthread_mutex_init(&assets->lock, NULL) != 0)
        return KILN_NO_MEMORY;
    if (pthread_mutex_init(&assets->conversion_lock, NULL) == 0) {
        if (kiln_asset_takers_init(assets) == KILN_OK)
            return KILN_OK;
        pthread_mutex_destroy(&assets->conversion_lock);
    }
    pthread_mutex_destroy(&assets->lock);
    return KILN_NO_MEMORY;
}

static void fini_locks(kiln_assets *assets)
{
    kiln_asset_takers_fini(assets);
    pthread_mutex_destroy(&assets->conversion_lock);
    pthread_mutex_destroy(&assets->lock);
}

static kiln_status init(kiln_assets *assets, kiln_error *reterr)
{
    kiln_status status = kiln_asset_slots_init(assets);
    if (status == KILN_OK) {
        status = init_locks(assets);
        if (status != KILN_OK)
            kiln_asset_slots_fini(assets);
    }
    if (status != KILN_OK)
        return kiln_fail(reterr, status, 0, NULL);
    status = read_types(assets, reterr);
    if (status != KILN_OK) {
        fini_locks(assets);
        kiln_asset_slots_fini(assets);
    }
    return status;
}

kiln_status kiln_assets_create(const kiln_assets_def *def, kiln_assets **ret_assets,
                               kiln_error *reterr)
{
    kiln_status status = kiln_host_check();
    if (status == KILN_OK && (!ret_assets || !def_is_valid(def)))
        status = KILN_BAD_ARGUMENT;
    if (status != KILN_OK)
        return kiln_fail(reterr, status, 0, NULL);
    kiln_allocator allocator = def->allocator ? *def->allocator : kiln_allocator_default();
    kiln_assets *assets =
        allocator.alloc(allocator.ctx, sizeof(*assets), _Alignof(struct kiln_assets));
    if (!assets)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    memset(assets, 0, sizeof(*assets));
    assets->allocator = allocator;
    assets->pages = def->pages ? *def->pages : kiln_page_source_default();
    assets->def = *def;
    assets->slots.max = def->max_assets;
    assets->known.free = assets->providers.free = ASSET_NONE;
    assets->first_detached = ASSET_NONE;
    atomic_init(&assets->slot_count, 0);
    atomic_init(&assets->base, NULL);
    kiln_quiescence_init(&assets->quiescence);
    assets->seed = make_seed(assets);
    kiln_key_table_init(&assets->ids, &assets->allocator, assets->seed);
    assets->ids.retire = retire_cells;
    assets->ids.retire_ctx = assets;
    kiln_key_table_init(&assets->roots, &assets->allocator, assets->seed);
    kiln_key_table_init(&assets->contents, &assets->allocator, assets->seed);
    status = init(assets, reterr);
    if (status != KILN_OK) {
        allocator.free(allocator.ctx, assets, sizeof(*assets));
        return status;
    }
    *ret_assets = assets;
    return KILN_OK;
}

/* ---- destroying ---- */

/* Weak handles can outlive their asset, so free slots may also have takers. */
static void free_entries(kiln_assets *assets)
{
    uint32_t slots = atomic_load_explicit(&assets->slot_count, memory_order_relaxed);
    for (uint32_t i = 0; i < slots; i++) {
        asset_entry *entry = entry_at(assets, i);
        if (asset_entry_is_live(assets, i))
            kiln_asset_entry_free_own(assets, entry);
        kiln_asset_entry_free_takers(assets, entry);
    }
}

static void free_blobs(kiln_assets *assets)
{
    uint32_t cell = 0;
    for (asset_blob *next, *blob = kiln_asset_blob_next(assets, NULL, &cell); blob; blob = next) {
        next = kiln_asset_blob_next(assets, blob, &cell);
        kiln_asset_blob_free(assets, blob);
    }
}

static void free_readers(kiln_assets *assets)
{
    while (assets->quiescence.readers)
        kiln_assets_thread_unregister((kiln_assets_thread *)(void *)assets->quiescence.readers);
}

static void free_pool(kiln_assets *assets, asset_pool *pool, size_t item_size)
{
    if (pool->items)
        assets->allocator.free(assets->allocator.ctx, pool->items, pool->capacity * item_size);
}

void kiln_assets_destroy(kiln_assets *assets)
{
    if (!assets)
        return;
    if (assets->def.on_report)
        kiln_asset_list_holds(assets, assets->def.on_report, assets->def.report_ctx);
    kiln_asset_marks_destroy(assets);
    free_readers(assets);
    kiln_quiescence_settle(&assets->quiescence, assets, SIZE_MAX);
    free_blobs(assets);
    free_entries(assets);
    kiln_asset_events_free(assets);
    kiln_asset_redirects_destroy(assets, assets->redirects);
    kiln_asset_mount_free_all(assets);
    kiln_key_table_fini(&assets->ids);
    kiln_key_table_fini(&assets->roots);
    kiln_key_table_fini(&assets->contents);
    free_pool(assets, &assets->known, sizeof(asset_known));
    free_pool(assets, &assets->providers, sizeof(asset_provider));
    kiln_types_destroy(assets->types);
    kiln_asset_slots_fini(assets);
    fini_locks(assets);
    kiln_allocator allocator = assets->allocator;
    allocator.free(allocator.ctx, assets, sizeof(*assets));
}

/* ---- threads ---- */

enum { CACHE_LINE = 64 };

struct kiln_assets_thread {
    kiln_quiescence_reader reader;
    kiln_assets *assets;
    const char *name;
    /* Padding: other threads' frequent writes must not share this cache line. */
    unsigned char apart[CACHE_LINE];
};

_Static_assert(offsetof(struct kiln_assets_thread, reader) == 0,
               "`reader` must come first: it is cast to its thread");

kiln_assets_thread *kiln_assets_thread_register(kiln_assets *assets)
{
    kiln_assets_thread *thread =
        assets->allocator.alloc(assets->allocator.ctx, sizeof(*thread), CACHE_LINE);
    if (!thread)
        return NULL;
    thread->assets = assets;
    thread->name = "?";
    kiln_asset_lock(assets);
    kiln_quiescence_add(&assets->quiescence, &thread->reader);
    kiln_asset_unlock(assets);
    return thread;
}

void kiln_assets_thread_quiescent(kiln_assets_thread *thread)
{
    kiln_quiescence_pass(&thread->assets->quiescence, &thread->reader);
}

void kiln_assets_thread_unregister(kiln_assets_thread *thread)
{
    if (!thread)
        return;
    kiln_assets *assets = thread->assets;
    /* Unlocking then frees the memory that only this reader kept. */
    kiln_asset_lock(assets);
    kiln_quiescence_remove(&assets->quiescence, &thread->reader);
    assets->allocator.free(assets->allocator.ctx, thread, sizeof(*thread));
    kiln_asset_unlock(assets);
}

size_t kiln_assets_collect(kiln_assets *assets)
{
    kiln_asset_lock(assets);
    kiln_quiescence_settle(&assets->quiescence, assets, SIZE_MAX);
    size_t waiting = assets->quiescence.waiting;
    kiln_asset_unlock(assets);
    return waiting;
}

void kiln_assets_thread_set_name(kiln_assets_thread *thread, const char *name)
{
    thread->name = name ? name : "?";
}

uint32_t kiln_assets_list_waiting(kiln_assets *assets,
                                  void (*on_thread)(void *ctx, const char *name, size_t bytes),
                                  void *ctx)
{
    uint32_t count = 0;
    kiln_asset_lock(assets);
    for (const kiln_quiescence_reader *at = assets->quiescence.readers; at; at = at->next) {
        size_t bytes;
        if (kiln_quiescence_held_by(&assets->quiescence, at, &bytes) == 0)
            continue;
        on_thread(ctx, ((const kiln_assets_thread *)(const void *)at)->name, bytes);
        count++;
    }
    kiln_asset_unlock(assets);
    return count;
}

/* ---- information ---- */

kiln_status kiln_assets_get_info(kiln_assets *assets, kiln_ref ref, kiln_asset_info *ret_info)
{
    if (!assets || !ret_info)
        return KILN_BAD_ARGUMENT;
    kiln_asset_lock(assets);
    const asset_entry *entry = kiln_asset_entry_of(assets, ref);
    if (entry) {
        const asset_blob *blob = entry->blob;
        *ret_info = (kiln_asset_info){
            .name = entry->name,
            .type = blob->type,
            .mount = blob->mount ? asset_current_mount(blob)->name : "",
            .id = entry->id,
            .root = blob->root,
            .size = blob->size,
            .memory = blob->memory,
            .strong = asset_strong_count(entry),
            .weak = asset_count_of(atomic_load_explicit(&entry->weak, memory_order_relaxed)),
            .borrowed = blob->borrowed.total,
            .protections = entry->protections.total,
            .loaded_by = asset_by(entry->loaded_by),
        };
    }
    kiln_asset_unlock(assets);
    return entry ? KILN_OK : KILN_DEAD;
}

/* The number of ids in the table, without earlier ids, plus those that only the base has. Ids of
 * the base that are also in the table would count twice, so they are subtracted. */
static uint64_t count_known(const kiln_assets *assets)
{
    const asset_mount *base = asset_base(assets);
    uint64_t known = assets->ids.live;
    uint32_t limit = kiln_key_table_limit(&assets->ids);
    for (uint32_t cell = 0; assets->redirects && cell < limit; cell++)
        known -= kiln_key_table_value(&assets->ids, cell) != 0 &&
                 kiln_key_table_note(&assets->ids, cell) == 0;
    if (!base)
        return known;
    known += asset_index_count(base);
    for (uint32_t cell = 0; cell < limit; cell++) {
        kiln_id id = kiln_key_table_key(&assets->ids, cell);
        known -= kiln_key_table_value(&assets->ids, cell) != 0 &&
                 kiln_asset_number_in(base, id) != ASSET_NONE;
    }
    return known;
}

void kiln_assets_get_stats(kiln_assets *assets, kiln_assets_stats *ret_stats)
{
    kiln_asset_lock(assets);
    kiln_assets_stats stats = assets->stats;
    uint32_t slots = atomic_load_explicit(&assets->slot_count, memory_order_relaxed);
    stats.known = count_known(assets);
    /* Every slot that was ever used is loaded, free, retired or stale. */
    stats.loaded = slots - assets->free_slots - assets->retired_slots - assets->stale_slots;
    stats.bytes_waiting = assets->quiescence.waiting;
    stats.mounts = assets->mounted;
    stats.slots = slots;
    stats.retired_slots = assets->retired_slots;
    stats.free_slots = assets->free_slots;
    stats.stale_slots = assets->stale_slots;
    stats.borrowed = assets->borrowed;
    stats.threads = assets->quiescence.reader_count;
    for (uint32_t i = 0; i < assets->mount_count; i++) {
        const asset_mount *mount = assets->mounts[i];
        stats.older_versions += mount && asset_is_older(mount);
        stats.deferred += mount && mount->is_unmounted && !asset_is_older(mount);
    }
    for (uint32_t i = 0; i < slots; i++) {
        const asset_entry *entry = entry_at(assets, i);
        if (asset_entry_is_live(assets, i))
            stats.strong += asset_strong_count(entry);
        stats.weak += asset_count_of(atomic_load_explicit(&entry->weak, memory_order_relaxed));
    }
    kiln_asset_unlock(assets);
    *ret_stats = stats;
}
