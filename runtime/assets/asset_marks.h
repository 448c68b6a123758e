/* What a table of assets records for its collector (<kiln/collector.h>).
 *
 * Marks. A loaded asset has one mark byte. It is stored by the number that the asset has in its
 * file's index, because edges are stored by the same numbers: following an edge inside a file reads
 * one byte and no other memory. Assets that were added from memory, and assets of an unmounted file
 * that somebody still holds, have their mark byte by slot. There are two colors, and a cycle begins
 * by exchanging their meaning, so no byte has to be cleared.
 *
 *     MARK_NONE   not loaded from this file: another file may provide it
 *     color       reached in this cycle
 *     other       not reached yet
 *
 * Bits by slot:
 *
 *     roots    set when something begins to hold an asset. A clear bit means that nothing does. A
 *              set bit is checked when roots are marked, and cleared if nothing holds the asset
 *     fresh    during a cycle: the asset must be marked and its references followed (again),
 *              because somebody began to hold it, or because its bytes changed
 *     dead     the collector found the asset unreachable and ended its count of strong handles
 *
 * These bits need no memory when they are set, so the write barrier cannot fail.
 *
 * Phases. Threads that take strong handles do not have the table's lock. A thread first counts its
 * handle and then reads the phase; the collector first changes the phase and then reads the count.
 * Both use sequentially consistent operations, so one of them sees the other (Dekker's protocol).
 *
 * Helpers. Marking threads run without the lock. A changing call of the table waits in
 * kiln_asset_lock until they have paused, which takes them some microseconds. */
#ifndef KILN_ASSET_MARKS_H
#define KILN_ASSET_MARKS_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

enum { MARK_NONE = 0, MARK_A = 1, MARK_B = 2 };

typedef enum asset_phase {
    PHASE_IDLE,
    PHASE_MARK, /* roots are marked and edges followed */
    PHASE_KILL, /* what was not reached is put to death one by one; a new strong handle saves it */
    PHASE_FREE  /* the dead are removed from the table; nothing saves them any more */
} asset_phase;

struct asset_marks {
    KILN_ATOMIC(uint32_t) phase; /* an asset_phase */
    KILN_ATOMIC(bool) has_fresh; /* a bit of `fresh` may be set */
    uint8_t color;               /* of what was reached in the current or the last cycle */
    KILN_ATOMIC(uint8_t) * slots;
    KILN_ATOMIC(uint64_t) * roots, *fresh, *dead;
    void *memory; /* of these */
    size_t size;
    uint32_t words; /* of each bitmap */
    uint64_t saved; /* dead assets, under `save_lock` */
    /* Protects the step from PHASE_KILL to PHASE_FREE against threads that save a dead asset. */
    pthread_mutex_t save_lock;
    /* Under the table's lock: marking threads, and a request to pause. */
    uint32_t helpers;
    KILN_ATOMIC(uint32_t) pause; /* changing calls that wait */
    pthread_cond_t paused;
};

/* Gives the table marks, as at the end of a cycle that reached everything. Alone. */
kiln_status kiln_asset_marks_create(kiln_assets *assets);
void kiln_asset_marks_destroy(kiln_assets *assets);
/* Marks for a new file. Without a collector there are none. */
kiln_status kiln_asset_marks_add_mount(kiln_assets *assets, asset_mount *mount);
void kiln_asset_marks_remove_mount(kiln_assets *assets, asset_mount *mount);

/* Waits until no helper runs. Under the lock. */
void kiln_asset_marks_pause(kiln_assets *assets);

static inline uint32_t asset_phase_of(const struct asset_marks *marks)
{
    return atomic_load_explicit(&marks->phase, memory_order_seq_cst);
}

static inline void asset_bit_set(KILN_ATOMIC(uint64_t) * bits, uint32_t slot)
{
    atomic_fetch_or_explicit(&bits[slot / 64], UINT64_C(1) << slot % 64, memory_order_seq_cst);
}
static inline void asset_bit_clear(KILN_ATOMIC(uint64_t) * bits, uint32_t slot)
{
    atomic_fetch_and_explicit(&bits[slot / 64], ~(UINT64_C(1) << slot % 64), memory_order_seq_cst);
}
static inline bool asset_bit_get(KILN_ATOMIC(uint64_t) const *bits, uint32_t slot)
{
    return atomic_load_explicit(&bits[slot / 64], memory_order_relaxed) >> slot % 64 & 1;
}

/* The mark byte of an entry that has bytes. */
static inline KILN_ATOMIC(uint8_t) *
    asset_mark_of(const kiln_assets *assets, const asset_entry *entry)
{
    const asset_mount *mount = entry->blob->mount;
    return mount && mount->marks && !entry->is_detached ? &mount->marks[entry->number]
                                                        : &assets->marks->slots[entry->slot];
}

/* Somebody began to hold the asset, or got a word for it. Any thread. */
static inline void kiln_asset_marks_held(const kiln_assets *assets, const asset_entry *entry)
{
    struct asset_marks *marks = assets->marks;
    if (!marks)
        return;
    asset_bit_set(marks->roots, entry->slot);
    uint32_t phase = asset_phase_of(marks);
    if (phase == PHASE_IDLE || phase == PHASE_FREE)
        return;
    asset_bit_set(marks->fresh, entry->slot);
    atomic_store_explicit(&marks->has_fresh, true, memory_order_seq_cst);
}

/* The entry got bytes, or other bytes. Under the lock. */
void kiln_asset_marks_attach(kiln_assets *assets, asset_entry *entry);
/* The entry is about to lose its bytes. Under the lock. */
void kiln_asset_marks_detach(kiln_assets *assets, asset_entry *entry);

/* Whether the collector ended the entry's count of strong handles. */
static inline bool asset_is_dead(const kiln_assets *assets, const asset_entry *entry)
{
    return assets->marks && asset_bit_get(assets->marks->dead, entry->slot);
}
/* Whether nothing can save the asset any more, so that it counts as not loaded. Under the lock. */
static inline bool asset_is_doomed(const kiln_assets *assets, const asset_entry *entry)
{
    return asset_is_dead(assets, entry) && asset_phase_of(assets->marks) == PHASE_FREE;
}
/* Somebody begins to hold the asset: saves it if it is dead, and records it. Under the lock. */
void kiln_asset_marks_touch(kiln_assets *assets, asset_entry *entry);
/* The same for all assets that have these bytes. */
void kiln_asset_marks_touch_blob(kiln_assets *assets, const asset_blob *blob);
/* Saves an asset that was put to death, and counts `strong` handles. False if it is not dead, or
 * doomed. Any thread. */
bool kiln_asset_marks_save(kiln_assets *assets, asset_entry *entry, uint32_t version,
                           uint32_t strong);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
