/* What a table of assets records for its collector (<kiln/collector.h>).
 *
 * Marks. A loaded asset has one mark byte. The mark bytes of a file are indexed by the number of
 * the asset in the file's index. Edges use the same numbers, so an edge inside a file leads
 * directly to its mark byte. For assets that were added from memory, and assets of an unmounted
 * file that are still held, the mark bytes are indexed by slot. There are two colors. Each cycle
 * begins by exchanging their meaning, so that no byte has to be cleared.
 *
 *     MARK_NONE   not loaded from this file; perhaps from another one
 *     color       reached in this cycle
 *     other       not reached yet
 *     MARK_MEMBER not marked itself, and a member of a cluster: reached if the cluster is marked
 *                 (<kiln/clusters.h>)
 *
 * Bits by slot:
 *
 *     roots    set when something begins to hold the asset. If the bit is clear, nothing holds it.
 *              Marking the roots clears it if nothing holds the asset
 *     check    set after the holders of an asset have changed. If the bit is clear, the bit `roots`
 *              is exact, so the counts need not be read
 *     fresh    during a cycle: the asset must be marked and its references followed (again),
 *              because something began to hold it or its bytes changed
 *     dead     the collector found the asset unreachable and closed its strong count
 *     stale    the slot has no tenant, and only words that the collector traces may refer to it
 *     unnamed  during a cycle: the slot was stale at the beginning, and no word to it has been
 *              found
 *     settled  the asset was held when roots were last marked, and is the root of a cluster, which
 *              the collector finds without the slot. Only the collector uses these bits
 *
 * Setting a bit allocates no memory, so the write barrier cannot fail.
 *
 * Phases. Threads take strong handles without the table's lock. A thread first counts its handle
 * and then reads the phase; the collector first changes the phase and then reads the count. Both
 * use sequentially consistent operations, so at least one of the two sees the other's change
 * (Dekker's algorithm).
 *
 * Helpers. Marking threads run without the lock. A changing call of the table waits in
 * kiln_asset_lock until they have paused, which takes a few microseconds. */
#ifndef KILN_ASSET_MARKS_H
#define KILN_ASSET_MARKS_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Each has its own bit, so that many bytes can be tested for one of them at once. */
enum { MARK_NONE = 0, MARK_A = 1, MARK_B = 2, MARK_MEMBER = 4 };

typedef enum asset_phase {
    PHASE_IDLE,
    PHASE_MARK, /* roots are marked and edges followed */
    PHASE_KILL, /* unreached assets are killed one by one; a new strong handle saves its asset */
    PHASE_FREE  /* dead assets are removed from the table; they can no longer be saved */
} asset_phase;

/* See asset_owners.h. */
#define ASSET_UNQUEUED UINT32_MAX
#define ASSET_QUEUE_END (UINT32_MAX - 1)
typedef struct asset_owners {
    int32_t *slots;    /* words of assets without a mounted file; NULL until one is needed */
    size_t slots_size; /* bytes mapped */
    uint32_t *next;    /* by cluster: the next one in the queue, or one of the values above */
    size_t capacity;
    uint32_t first;
} asset_owners;

struct asset_marks {
    KILN_ATOMIC(uint32_t) phase; /* an asset_phase */
    KILN_ATOMIC(bool) has_fresh; /* a bit of `fresh` may be set */
    uint8_t color;               /* of assets reached in the current or last cycle */
    uint32_t by_slot;            /* assets whose mark is stored by slot */
    KILN_ATOMIC(uint8_t) * slots;
    KILN_ATOMIC(uint64_t) * roots, *check, *fresh, *dead, *stale, *unnamed;
    uint64_t *settled;
    uint64_t *nodes; /* by slot: asset_node_of */
    void *memory;    /* of the nine arrays above */
    size_t size;
    uint32_t words; /* of each bitmap */
    uint64_t saved; /* number of dead assets saved, under `save_lock` */
    /* Makes saving a dead asset and the change from PHASE_KILL to PHASE_FREE exclude each other. */
    pthread_mutex_t save_lock;
    /* Number of running marking threads. Under the table's lock. */
    uint32_t helpers;
    KILN_ATOMIC(uint32_t) pause; /* changing calls that wait */
    pthread_cond_t paused;
    asset_owners owners;
};

/* Creates the marks of the table, in the state after a cycle that reached everything. No other call
 * may use the table meanwhile. */
kiln_status kiln_asset_marks_create(kiln_assets *assets);
void kiln_asset_marks_destroy(kiln_assets *assets);
/* Allocates the mark bytes of a new file. Does nothing without a collector. */
kiln_status kiln_asset_marks_add_mount(kiln_assets *assets, asset_mount *mount);
/* Exchanges the marks of two versions of a file whose assets have the same numbers. */
void kiln_asset_marks_exchange(asset_mount *a, asset_mount *b);
/* Frees the marks and words of a file, and its plan. */
void kiln_asset_marks_remove_mount(kiln_assets *assets, asset_mount *mount);

/* Waits until no helper runs. The lock must be held. */
void kiln_asset_marks_pause(kiln_assets *assets);

/* The number of words in each bitmap that contain bits of used slots. */
static inline uint32_t asset_words_used(const kiln_assets *assets)
{
    return (atomic_load_explicit(&assets->slot_count, memory_order_acquire) + 63) / 64;
}

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
    return atomic_load_explicit(&bits[slot / 64], memory_order_acquire) >> slot % 64 & 1;
}

/* Where the mark of an entry that has bytes is stored, as a number. The upper half is the mount
 * number of the entry's file plus 1, and the lower half the asset's number in the file's index. If
 * the upper half is 0, the lower half is the entry's slot. The number changes only with the entry's
 * bytes, and is stored by slot. */
static inline uint64_t asset_node_of(const asset_entry *entry)
{
    const asset_mount *mount = asset_current_mount(entry->blob);
    return mount && mount->marks && !entry->is_detached
               ? (uint64_t)(mount->number + 1) << 32 | entry->number
               : entry->slot;
}
static inline uint64_t asset_node(const kiln_assets *assets, const asset_entry *entry)
{
    return assets->marks->nodes[entry->slot];
}
static inline KILN_ATOMIC(uint8_t) * asset_mark_at(const kiln_assets *assets, uint64_t node)
{
    return node >> 32 ? &assets->mounts[(node >> 32) - 1]->marks[(uint32_t)node]
                      : &assets->marks->slots[node];
}
/* The mark byte of an entry that has bytes. */
static inline KILN_ATOMIC(uint8_t) *
    asset_mark_of(const kiln_assets *assets, const asset_entry *entry)
{
    return asset_mark_at(assets, asset_node(assets, entry));
}

/* Call it after something may have ceased to hold the asset, or after its slot lost its tenant. Any
 * thread. */
static inline void kiln_asset_marks_released(const kiln_assets *assets, uint32_t slot)
{
    if (assets->marks)
        asset_bit_set(assets->marks->check, slot);
}

/* Records that a thread now holds the asset, or has made a word to it: call it after the count or
 * word is written. Any thread. */
static inline void kiln_asset_marks_held(const kiln_assets *assets, const asset_entry *entry)
{
    struct asset_marks *marks = assets->marks;
    if (!marks)
        return;
    asset_bit_set(marks->roots, entry->slot);
    asset_bit_set(marks->check, entry->slot);
    uint32_t phase = asset_phase_of(marks);
    if (phase == PHASE_IDLE || phase == PHASE_FREE)
        return;
    asset_bit_set(marks->fresh, entry->slot);
    atomic_store_explicit(&marks->has_fresh, true, memory_order_seq_cst);
}

/* Sets the `stale` bit of a slot that has lost its tenant, unless the slot is pinned. The slot must
 * have indirect words. The lock must be held. */
void kiln_asset_marks_stale(kiln_assets *assets, const asset_entry *entry);
/* Adds or removes a reason not to reuse the slot: PIN_PROGRAM or PIN_WORLD. The caller must hold
 * the lock or the asset, unless no changing call runs. */
void kiln_asset_marks_pin(kiln_assets *assets, asset_entry *entry, uint8_t reason);
void kiln_asset_marks_unpin(kiln_assets *assets, asset_entry *entry, uint8_t reason);

/* Call it after the entry was attached to bytes. The lock must be held. */
void kiln_asset_marks_attach(kiln_assets *assets, asset_entry *entry);
/* Call it before the entry is detached from its bytes. The lock must be held. */
void kiln_asset_marks_detach(kiln_assets *assets, asset_entry *entry);

/* Whether the asset is dead: the collector closed the entry's strong count. */
static inline bool asset_is_dead(const kiln_assets *assets, const asset_entry *entry)
{
    return assets->marks && asset_bit_get(assets->marks->dead, entry->slot);
}
/* Whether the asset is dead and can no longer be saved, so that it counts as not loaded. Without
 * the lock, the answer may be out of date. */
static inline bool asset_is_doomed(const kiln_assets *assets, const asset_entry *entry)
{
    return asset_is_dead(assets, entry) && asset_phase_of(assets->marks) == PHASE_FREE;
}
/* Call it when something begins to hold the asset: saves it if it is dead, and marks it as held.
 * The lock must be held. */
void kiln_asset_marks_touch(kiln_assets *assets, asset_entry *entry);
/* Calls kiln_asset_marks_touch for all assets that share these bytes. */
void kiln_asset_marks_touch_blob(kiln_assets *assets, const asset_blob *blob);
/* Saves a dead asset and sets its strong count to `strong`. Returns false if it is not dead, or can
 * no longer be saved. Any thread. */
bool kiln_asset_marks_save(kiln_assets *assets, asset_entry *entry, uint32_t version,
                           uint32_t strong);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
