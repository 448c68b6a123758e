/* Counting and checking may visit every record, so they take time proportional to the size of all
 * blocks. Creating and destroying update no totals: a shared counter would be a cache line that all
 * threads write.
 *
 * Counting may run while other threads create and destroy. The result is then not a snapshot, but
 * each id is counted once. */
#include "id_counts.h"

#include "id_blocks.h"

kiln_id_counts kiln_id_count(const kiln_id_store *store)
{
    kiln_id_counts counts = {0, 0, 0, 0, atomic_load(&store->made)};
    for (uint32_t i = 0; i < counts.blocks; i++) {
        const kiln_id_block *block = atomic_load(&store->blocks[i]);
        bool is_stale = atomic_load_explicit(&block->is_stale, memory_order_acquire);
        counts.retired += atomic_load(&block->retired);
        uint32_t unborn = atomic_load_explicit(&block->unborn, memory_order_acquire);
        if (unborn) {
            counts.live += KILN_BLOCK_ENTITIES - unborn;
            continue;
        }
        /* Before its last round, no entity of a stale block is alive or retired. Another thread
         * may be writing all records of the block, so they are not read. */
        if (is_stale && kiln_id_rounds(block) < ID_ROUNDS_MAX)
            continue;
        for (uint32_t at = 0; at < KILN_BLOCK_ENTITIES; at++) {
            const kiln_record *record = &block->records[at];
            uint32_t version = atomic_load_explicit(&record->version, memory_order_relaxed);
            bool lives = !is_stale && (version & 1);
            counts.live += lives;
            counts.empty +=
                lives && atomic_load_explicit(&record->place, memory_order_relaxed) == 0;
            counts.retired += is_stale && version == UINT32_MAX;
        }
    }
    counts.free = (uint64_t)counts.blocks * KILN_BLOCK_ENTITIES - counts.live - counts.retired;
    return counts;
}

/* A hidden block is valid if exactly its created entities have the block's version, and readers see
 * none of its records. */
static bool hidden_is_valid(const kiln_id_block *block)
{
    uint32_t born = 0, version = id_block_version(block);
    for (uint32_t at = 0; at < KILN_BLOCK_ENTITIES; at++) {
        uint32_t own = atomic_load(&block->records[at].version);
        bool is_born = own == version;
        born += is_born;
        if (own > version || !(atomic_load(&block->taken[at / 64]) >> at % 64 & 1) ||
            (is_born && atomic_load(&block->records[at].place) == 0))
            return false;
    }
    return born == KILN_BLOCK_ENTITIES - atomic_load(&block->unborn) &&
           atomic_load(&block->retired) == 0 && atomic_load(&block->busy) == 0;
}

/* Checks the invariants of id_store.h for one block. `most` is the highest version that the rounds
 * allow. */
static bool block_is_valid(const kiln_id_store *store, const kiln_id_block *block, uint32_t number)
{
    if (atomic_load(&block->is_stale))
        return block->number == number && block->spare == 0 &&
               atomic_load(&store->records[number]) == store->dead;
    if (atomic_load(&block->unborn))
        return block->number == number && block->spare == 0 &&
               atomic_load(&store->records[number]) == store->dead && hidden_is_valid(block);
    uint32_t retired = 0;
    bool is_pure = atomic_load(&block->is_pure);
    uint32_t most = kiln_id_rounds(block) < ID_ROUNDS_MAX ? 2 * kiln_id_rounds(block) : UINT32_MAX;
    bool is_full = true;
    for (uint32_t at = 0; at < KILN_BLOCK_ENTITIES; at++) {
        const kiln_record *record = &block->records[at];
        uint64_t bit = (uint64_t)1 << at % 64;
        bool is_taken = atomic_load(&block->taken[at / 64]) & bit;
        bool is_spare = block->spare_word == at / 64 && (block->spare & bit);
        uint32_t version = atomic_load(&record->version);
        bool lives = version & 1;
        if (version > most || (is_pure && version != id_block_version(block)) ||
            (lives && (!is_taken || is_spare)) || (is_spare && !is_taken) ||
            (!lives && atomic_load(&record->place) != 0) ||
            (record->is_retired && (version != 0 || !is_taken || is_spare)))
            return false;
        retired += record->is_retired;
        is_full = is_full && is_taken;
    }
    bool is_open = atomic_load(&store->open[number / 64]) >> number % 64 & 1;
    return retired == atomic_load(&block->retired) && (is_full || is_open) &&
           block->number == number && atomic_load(&block->busy) == 0 &&
           atomic_load(&store->records[number]) == block->records;
}

uint64_t kiln_id_count_held(const kiln_id_store *store)
{
    uint64_t held = 0;
    for (uint32_t i = 0; i < atomic_load(&store->made); i++) {
        const kiln_id_block *block = atomic_load(&store->blocks[i]);
        if (atomic_load(&block->is_stale))
            continue;
        for (uint32_t at = 0; at < KILN_BLOCK_ENTITIES; at++) {
            uint64_t bit = (uint64_t)1 << at % 64;
            bool is_taken = atomic_load(&block->taken[at / 64]) & bit;
            bool is_spare = block->spare_word == at / 64 && (block->spare & bit);
            const kiln_record *record = &block->records[at];
            held += is_taken && !is_spare && !record->is_retired &&
                    !(atomic_load(&record->version) & 1);
        }
    }
    return held;
}

bool kiln_id_store_is_valid(const kiln_id_store *store)
{
    uint32_t made = atomic_load(&store->made);
    if (made > store->max_blocks)
        return false;
    for (uint32_t i = 0; i < KILN_BLOCK_MAX; i++) {
        const kiln_id_block *block = atomic_load(&store->blocks[i]);
        if ((block != NULL) != (i < made) || (block && !block_is_valid(store, block, i)))
            return false;
    }
    return true;
}
