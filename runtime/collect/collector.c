/* Creation and destruction of collectors, their roots and statistics. */
#include "collector_object.h"

#include "collect_stores.h"

#include "asset_blob.h"
#include "asset_entry.h"
#include "asset_lock.h"
#include "asset_refs.h"
#include "asset_slots.h"
#include "def_cookie.h"
#include "world_object.h"

#include <stdio.h>
#include <string.h>

/* Following so many nodes takes a few microseconds, much longer than reading the clock. */
enum { NODES_PER_CHECK = 256 };

kiln_collector_def kiln_collector_def_default(void)
{
    kiln_collector_def def = {.start_bytes = UINT64_C(64) << 20,
                              .cap_bytes = UINT64_MAX,
                              .min_cluster = 2,
                              .cookie = DEF_COOKIE};
    return def;
}

static bool def_is_valid(const kiln_collector_def *def)
{
    return def && def_is_set(def->cookie) && def->assets && def->min_cluster > 0 &&
           (unsigned)def->when_over_cap <= KILN_OVER_CAP_CONTINUE;
}

/* Finds the references of all assets that were added from memory. */
static kiln_status find_refs(kiln_assets *assets, kiln_error *reterr)
{
    uint32_t cell = 0;
    kiln_status status = KILN_OK;
    for (asset_blob *blob = NULL;
         status == KILN_OK && (blob = kiln_asset_blob_next(assets, blob, &cell));)
        status = kiln_asset_refs_find(assets, blob, reterr);
    return status;
}

static kiln_status init(kiln_collector *c, kiln_error *reterr)
{
    kiln_assets *assets = c->assets;
    if (pthread_mutex_init(&c->gray_lock, NULL) != 0)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    kiln_asset_lock(assets);
    kiln_status status = find_refs(assets, reterr);
    if (status == KILN_OK) {
        status = kiln_asset_marks_create(assets);
        if (status != KILN_OK)
            kiln_fail(reterr, status, 0, NULL);
    }
    kiln_asset_unlock(assets);
    if (status != KILN_OK)
        pthread_mutex_destroy(&c->gray_lock);
    return status;
}

kiln_status kiln_collector_create(const kiln_collector_def *def, kiln_collector **ret_collector,
                                  kiln_error *reterr)
{
    if (!def_is_valid(def) || !ret_collector || def->assets->marks)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    kiln_allocator allocator = def->allocator ? *def->allocator : kiln_allocator_default();
    kiln_collector *c = allocator.alloc(allocator.ctx, sizeof *c, _Alignof(struct kiln_collector));
    if (!c)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    memset(c, 0, sizeof *c);
    c->allocator = allocator;
    c->def = *def;
    c->assets = def->assets;
    c->nodes_per_check = NODES_PER_CHECK;
    kiln_cluster_table_init(&c->clusters);
    atomic_init(&c->grays, 0);
    atomic_init(&c->has_failed, false);
    c->loaded_then = atomic_load_explicit(&c->assets->blob_bytes_ever, memory_order_relaxed);
    kiln_status status = init(c, reterr);
    if (status != KILN_OK)
        allocator.free(allocator.ctx, c, sizeof *c);
    else
        *ret_collector = c;
    return status;
}

void kiln_collector_destroy(kiln_collector *collector)
{
    if (!collector)
        return;
    kiln_collect_abort(collector);
    kiln_gray_free(collector);
    kiln_asset_lock(collector->assets);
    kiln_cluster_table_fini(collector);
    kiln_asset_marks_destroy(collector->assets);
    kiln_asset_unlock(collector->assets);
    collected_world *worlds = collector->worlds.items;
    for (uint32_t i = 0; i < collector->worlds.count; i++) {
        kiln_collect_forget_untouched(collector, &worlds[i]);
        worlds[i].world->traced_for = NULL;
    }
    kiln_list_fini(&collector->allocator, &collector->worlds, sizeof(collected_world));
    kiln_list_fini(&collector->allocator, &collector->functions, sizeof(root_function));
    kiln_collect_forget_stores(collector);
    pthread_mutex_destroy(&collector->gray_lock);
    kiln_allocator allocator = collector->allocator;
    allocator.free(allocator.ctx, collector, sizeof *collector);
}

/* ---- roots ---- */

static uint32_t find_world(const kiln_collector *c, const kiln_world *world)
{
    const collected_world *worlds = c->worlds.items;
    uint32_t i = 0;
    while (i < c->worlds.count && worlds[i].world != world)
        i++;
    return i;
}

static uint32_t find_function(const kiln_collector *c, kiln_roots_function *roots, const void *ctx)
{
    const root_function *functions = c->functions.items;
    uint32_t i = 0;
    while (i < c->functions.count && (functions[i].roots != roots || functions[i].ctx != ctx))
        i++;
    return i;
}

/* Before marking ends, it is enough to mark the roots again. Later the cycle must be aborted,
 * because an asset to which a new root refers may have been killed. */
static void roots_changed(kiln_collector *c)
{
    if (c->stage >= STAGE_KILL)
        kiln_collect_abort(c);
    else if (c->stage > STAGE_CLUSTERS)
        c->stage = STAGE_ROOTS;
    c->roots = (root_cursor){0};
}

kiln_status kiln_collector_add_world(kiln_collector *collector, kiln_world *world)
{
    if (!collector || !world || world->traced_for)
        return KILN_BAD_ARGUMENT;
    collected_world *added =
        kiln_list_push(&collector->allocator, &collector->worlds, sizeof(collected_world));
    if (!added)
        return KILN_NO_MEMORY;
    *added = (collected_world){.world = world, .since = kiln_world_tick(world)};
    world->traced_for = collector->assets;
    roots_changed(collector);
    return KILN_OK;
}

void kiln_collector_remove_world(kiln_collector *collector, kiln_world *world)
{
    uint32_t at = find_world(collector, world);
    collected_world *worlds = collector->worlds.items;
    if (at == collector->worlds.count)
        return;
    kiln_collect_forget_untouched(collector, &worlds[at]);
    kiln_asset_lock(collector->assets);
    kiln_collect_pin_words(collector, world);
    kiln_asset_unlock(collector->assets);
    world->traced_for = NULL;
    kiln_collect_forget_stores(collector);
    worlds[at] = worlds[--collector->worlds.count];
    roots_changed(collector);
}

kiln_status kiln_collector_add_roots(kiln_collector *collector, kiln_roots_function *roots,
                                     void *ctx, const char *name)
{
    if (!collector || !roots || !name ||
        find_function(collector, roots, ctx) < collector->functions.count)
        return KILN_BAD_ARGUMENT;
    root_function *added =
        kiln_list_push(&collector->allocator, &collector->functions, sizeof(root_function));
    if (!added)
        return KILN_NO_MEMORY;
    *added = (root_function){roots, ctx, name};
    roots_changed(collector);
    return KILN_OK;
}

void kiln_collector_remove_roots(kiln_collector *collector, kiln_roots_function *roots, void *ctx)
{
    uint32_t at = find_function(collector, roots, ctx);
    root_function *functions = collector->functions.items;
    if (at == collector->functions.count)
        return;
    functions[at] = functions[--collector->functions.count];
    roots_changed(collector);
}

void kiln_collector_drop(kiln_collector *collector, kiln_ref ref)
{
    kiln_assets *assets = collector->assets;
    kiln_asset_lock(assets);
    uint32_t slot =
        kiln_ref_get_form(ref) == KILN_REF_INDIRECT ? kiln_asset_slot_at(assets, ref) : ASSET_NONE;
    if (slot != ASSET_NONE)
        kiln_asset_marks_unpin(assets, entry_at(assets, slot), PIN_PROGRAM);
    kiln_asset_unlock(assets);
}

/* ---- statistics ---- */

void kiln_collector_get_late_store(const kiln_collector *collector, kiln_error *ret_error)
{
    *ret_error = collector->late;
}

void kiln_collector_get_stats(kiln_collector *collector, kiln_collector_stats *ret_stats)
{
    kiln_asset_lock(collector->assets);
    pthread_mutex_lock(&collector->gray_lock);
    *ret_stats = collector->stats;
    ret_stats->clusters = collector->clusters.live;
    pthread_mutex_unlock(&collector->gray_lock);
    pthread_mutex_lock(&collector->assets->marks->save_lock);
    ret_stats->saved = collector->assets->marks->saved;
    pthread_mutex_unlock(&collector->assets->marks->save_lock);
    ret_stats->waiting_bytes = collector->assets->quiescence.waiting;
    kiln_asset_unlock(collector->assets);
}
