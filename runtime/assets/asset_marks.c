/* The marks of a table: their memory, the functions that the table calls on changes, and saving
 * dead assets.
 *
 * All bitmaps and the mark bytes by slot are in one mapping. Untouched pages use no memory, so the
 * cost is less than ten bytes per slot in use. */
#include "asset_marks.h"

#include "asset_layers.h"
#include "asset_owners.h"
#include "asset_plan.h"
#include "asset_slots.h"

#include <string.h>

static void lay_out(struct asset_marks *marks)
{
    unsigned char *at = marks->memory;
    size_t bytes = marks->words * sizeof *marks->roots;
    marks->roots = (void *)at;
    marks->check = (void *)(at + bytes);
    marks->fresh = (void *)(at + 2 * bytes);
    marks->dead = (void *)(at + 3 * bytes);
    marks->stale = (void *)(at + 4 * bytes);
    marks->unnamed = (void *)(at + 5 * bytes);
    marks->settled = (void *)(at + 6 * bytes);
    marks->nodes = (void *)(at + 7 * bytes);
    marks->slots = (void *)(at + 7 * bytes + marks->words * 64 * sizeof *marks->nodes);
}

static kiln_status map_bits(kiln_assets *assets, struct asset_marks *marks)
{
    uint64_t words = ((uint64_t)assets->slots.max + 63) / 64;
    uint64_t size = (7 + 64) * words * sizeof(uint64_t) + assets->slots.max;
    size = (size + 4095) & ~(uint64_t)4095;
    if (size > SIZE_MAX)
        return KILN_NO_MEMORY;
    marks->memory = assets->pages.map(assets->pages.ctx, (size_t)size, 4096, false);
    if (!marks->memory)
        return KILN_NO_MEMORY;
    marks->size = (size_t)size;
    marks->words = (uint32_t)words;
    lay_out(marks);
    return KILN_OK;
}

static kiln_status init(kiln_assets *assets, struct asset_marks *marks)
{
    memset(marks, 0, sizeof *marks);
    atomic_init(&marks->phase, PHASE_IDLE);
    atomic_init(&marks->has_fresh, false);
    atomic_init(&marks->pause, 0);
    marks->color = MARK_A;
    marks->owners.first = ASSET_QUEUE_END;
    if (pthread_mutex_init(&marks->save_lock, NULL) != 0)
        return KILN_NO_MEMORY;
    if (pthread_cond_init(&marks->paused, NULL) != 0) {
        pthread_mutex_destroy(&marks->save_lock);
        return KILN_NO_MEMORY;
    }
    kiln_status status = map_bits(assets, marks);
    if (status != KILN_OK) {
        pthread_cond_destroy(&marks->paused);
        pthread_mutex_destroy(&marks->save_lock);
    }
    return status;
}

/* The collector has no record of indirect words that are older than itself, so their slots are
 * pinned. */
static void fill(kiln_assets *assets)
{
    uint32_t slots = atomic_load_explicit(&assets->slot_count, memory_order_relaxed);
    for (uint32_t i = 0; i < slots; i++) {
        asset_entry *entry = entry_at(assets, i);
        if (asset_entry_has_indirect(entry))
            atomic_fetch_or_explicit(&entry->pins, PIN_WORLD, memory_order_relaxed);
        if (!asset_entry_is_live(assets, i))
            continue;
        kiln_asset_marks_attach(assets, entry);
        asset_bit_set(assets->marks->roots, i);
        asset_bit_set(assets->marks->check, i);
    }
}

static void read_plans(const kiln_assets *assets)
{
    for (uint32_t i = 0; i < assets->mount_count; i++) {
        asset_mount *mount = assets->mounts[i];
        if (mount && !mount->is_unmounted)
            mount->plan = kiln_asset_plan_read(assets, mount->file);
    }
}

kiln_status kiln_asset_marks_create(kiln_assets *assets)
{
    const kiln_allocator *allocator = &assets->allocator;
    struct asset_marks *marks =
        allocator->alloc(allocator->ctx, sizeof *marks, _Alignof(struct asset_marks));
    kiln_status status = marks ? init(assets, marks) : KILN_NO_MEMORY;
    if (status != KILN_OK) {
        if (marks)
            allocator->free(allocator->ctx, marks, sizeof *marks);
        return status;
    }
    assets->marks = marks;
    for (uint32_t i = 0; i < assets->mount_count && status == KILN_OK; i++)
        if (assets->mounts[i] && !assets->mounts[i]->is_unmounted)
            status = kiln_asset_marks_add_mount(assets, assets->mounts[i]);
    if (status == KILN_OK)
        read_plans(assets);
    if (status == KILN_OK)
        fill(assets);
    else
        kiln_asset_marks_destroy(assets);
    return status;
}

void kiln_asset_marks_destroy(kiln_assets *assets)
{
    struct asset_marks *marks = assets->marks;
    if (!marks)
        return;
    for (uint32_t i = 0; i < assets->mount_count; i++)
        if (assets->mounts[i])
            kiln_asset_marks_remove_mount(assets, assets->mounts[i]);
    /* Without a collector, no words are traced, so slots with indirect words are pinned. */
    uint32_t slots = atomic_load_explicit(&assets->slot_count, memory_order_relaxed);
    for (uint32_t i = 0; i < slots; i++)
        if (asset_entry_has_indirect(entry_at(assets, i)))
            kiln_asset_marks_pin(assets, entry_at(assets, i), PIN_WORLD);
    kiln_asset_owners_fini(assets);
    assets->pages.unmap(assets->pages.ctx, marks->memory, marks->size);
    pthread_cond_destroy(&marks->paused);
    pthread_mutex_destroy(&marks->save_lock);
    assets->marks = NULL;
    assets->allocator.free(assets->allocator.ctx, marks, sizeof *marks);
}

kiln_status kiln_asset_marks_add_mount(kiln_assets *assets, asset_mount *mount)
{
    size_t count = asset_index_count(mount);
    if (!assets->marks || mount->marks || count == 0)
        return KILN_OK;
    mount->mark_memory = assets->allocator.alloc(assets->allocator.ctx, count, 1);
    if (!mount->mark_memory)
        return KILN_NO_MEMORY;
    memset(mount->mark_memory, MARK_NONE, count);
    mount->marks = mount->mark_memory;
    return KILN_OK;
}

void kiln_asset_marks_remove_mount(kiln_assets *assets, asset_mount *mount)
{
    kiln_asset_plan_free(assets, mount->plan);
    mount->plan = NULL;
    if (!mount->marks)
        return;
    assets->allocator.free(assets->allocator.ctx, mount->mark_memory, asset_index_count(mount));
    mount->marks = NULL;
    if (mount->owners)
        assets->allocator.free(assets->allocator.ctx, mount->owners,
                               asset_index_count(mount) * sizeof *mount->owners);
    mount->owners = NULL;
}

void kiln_asset_marks_exchange(asset_mount *a, asset_mount *b)
{
    KILN_ATOMIC(uint8_t) *marks = a->marks;
    void *memory = a->mark_memory;
    a->marks = b->marks;
    a->mark_memory = b->mark_memory;
    b->marks = marks;
    b->mark_memory = memory;
}

void kiln_asset_marks_pause(kiln_assets *assets)
{
    struct asset_marks *marks = assets->marks;
    if (marks->helpers == 0)
        return;
    atomic_fetch_add_explicit(&marks->pause, 1, memory_order_relaxed);
    while (marks->helpers > 0)
        pthread_cond_wait(&marks->paused, &assets->lock);
    atomic_fetch_sub_explicit(&marks->pause, 1, memory_order_relaxed);
}

void kiln_asset_marks_attach(kiln_assets *assets, asset_entry *entry)
{
    struct asset_marks *marks = assets->marks;
    if (!marks)
        return;
    uint32_t phase = asset_phase_of(marks);
    uint64_t node = marks->nodes[entry->slot] = asset_node_of(entry);
    marks->by_slot += node >> 32 == 0;
    if (node >> 32 && asset_current_mount(entry->blob)->plan)
        asset_plan_attach(asset_current_mount(entry->blob)->plan, entry->number);
    atomic_store_explicit(asset_mark_of(assets, entry), marks->color, memory_order_relaxed);
    if (entry->blob->borrowed.total > 0)
        asset_bit_set(marks->roots, entry->slot);
    asset_bit_set(marks->check, entry->slot);
    if (phase == PHASE_IDLE || phase == PHASE_FREE)
        return;
    asset_bit_set(marks->fresh, entry->slot);
    atomic_store_explicit(&marks->has_fresh, true, memory_order_seq_cst);
}

void kiln_asset_marks_detach(kiln_assets *assets, asset_entry *entry)
{
    if (!assets->marks)
        return;
    struct asset_marks *marks = assets->marks;
    kiln_asset_marks_released(assets, entry->slot);
    /* Uses the entry's mount, not the mount number in its node: while a file is replaced, the new
     * file already has that number. */
    const asset_mount *mount = asset_node_of(entry) >> 32 ? asset_current_mount(entry->blob) : NULL;
    if (mount) {
        kiln_asset_owners_leave(marks, mount->owners ? &mount->owners[entry->number] : NULL);
        atomic_store_explicit(&mount->marks[entry->number], MARK_NONE, memory_order_relaxed);
        return;
    }
    kiln_asset_owners_leave(marks, marks->owners.slots ? &marks->owners.slots[entry->slot] : NULL);
    atomic_store_explicit(&marks->slots[entry->slot], MARK_NONE, memory_order_relaxed);
    marks->by_slot--;
}

bool kiln_asset_marks_save(kiln_assets *assets, asset_entry *entry, uint32_t version,
                           uint32_t strong)
{
    struct asset_marks *marks = assets->marks;
    if (!marks || !asset_bit_get(marks->dead, entry->slot))
        return false;
    pthread_mutex_lock(&marks->save_lock);
    uint64_t ended = (uint64_t)(version + 1) << 32;
    bool is_saved =
        asset_phase_of(marks) == PHASE_KILL && asset_bit_get(marks->dead, entry->slot) &&
        atomic_compare_exchange_strong_explicit(&entry->strong, &ended,
                                                (uint64_t)version << 32 | strong,
                                                memory_order_acq_rel, memory_order_relaxed);
    if (is_saved) {
        asset_bit_clear(marks->dead, entry->slot);
        marks->saved++;
        kiln_asset_marks_held(assets, entry);
    }
    pthread_mutex_unlock(&marks->save_lock);
    return is_saved;
}

void kiln_asset_marks_touch(kiln_assets *assets, asset_entry *entry)
{
    if (!assets->marks)
        return;
    if (!kiln_asset_marks_save(assets, entry, asset_entry_version(entry), 0))
        kiln_asset_marks_held(assets, entry);
}

void kiln_asset_marks_touch_blob(kiln_assets *assets, const asset_blob *blob)
{
    for (asset_entry *at = blob->entries; at && assets->marks; at = at->next_of_blob)
        kiln_asset_marks_touch(assets, at);
}

void kiln_asset_marks_stale(kiln_assets *assets, const asset_entry *entry)
{
    if (assets->marks && !asset_entry_is_pinned(entry))
        asset_bit_set(assets->marks->stale, entry->slot);
}

void kiln_asset_marks_pin(kiln_assets *assets, asset_entry *entry, uint8_t reason)
{
    atomic_fetch_or_explicit(&entry->pins, reason, memory_order_relaxed);
    if (!assets->marks)
        return;
    asset_bit_clear(assets->marks->unnamed, entry->slot);
    asset_bit_clear(assets->marks->stale, entry->slot);
}

void kiln_asset_marks_unpin(kiln_assets *assets, asset_entry *entry, uint8_t reason)
{
    atomic_fetch_and_explicit(&entry->pins, (uint8_t)~reason, memory_order_relaxed);
    asset_bit_clear(assets->marks->unnamed, entry->slot);
    if (!asset_entry_is_pinned(entry) && !asset_entry_is_live(assets, entry->slot) &&
        asset_entry_has_indirect(entry))
        asset_bit_set(assets->marks->stale, entry->slot);
}
