/* Data blocks are created on demand and not freed while the store exists, so a pointer to one stays
 * valid without a lock.
 *
 * No thread waits here. A thread that finds a block busy tries another one. A thread that loses the
 * race for a new block completes the winner's steps and then tries the next number. Finding an open
 * block reads one bit per block. */
#include "id_blocks.h"

#include "bits.h"

#include <string.h>

/* Memory for the records of block `number`: its own, or its part of a group of 16 blocks, which
 * fills a huge page. The first thread that needs a group maps it. A small world has only the first
 * blocks and needs no huge page. */
static kiln_record *map_records(kiln_id_store *store, uint32_t number)
{
    const kiln_page_source *pages = store->pages;
    if (number < store->small_blocks)
        return pages->map(pages->ctx, kiln_id_block_size(), 4096, false);
    uint32_t at = number - store->small_blocks;
    _Atomic(void *) *slot = &store->groups[at / ID_GROUP_BLOCKS];
    void *group = atomic_load(slot);
    if (!group) {
        bool huge = store->huge_pages != KILN_HUGE_PAGES_NEVER;
        void *mapped = pages->map(pages->ctx, kiln_id_group_size(), kiln_id_group_size(), huge);
        if (!mapped)
            return NULL;
        if (atomic_compare_exchange_strong(slot, &group, mapped))
            group = mapped;
        else
            pages->unmap(pages->ctx, mapped, kiln_id_group_size());
    }
    return (kiln_record *)group + (size_t)(at % ID_GROUP_BLOCKS) * KILN_BLOCK_ENTITIES;
}

/* A part of a group stays mapped, because other blocks may use the rest of the group. */
static void unmap_records(kiln_id_store *store, uint32_t number, kiln_record *records)
{
    if (number < store->small_blocks)
        store->pages->unmap(store->pages->ctx, records, kiln_id_block_size());
}

void kiln_id_set_open(kiln_id_store *store, uint32_t number)
{
    uint64_t bit = (uint64_t)1 << number % 64;
    _Atomic(uint64_t) *word = &store->open[number / 64];
    if (!(atomic_load(word) & bit))
        atomic_fetch_or(word, bit);
}

/* Makes a new block, which the caller holds. If two threads make a block with the same number at
 * the same time, one succeeds and the other tries the next number. */
static kiln_status make_block(kiln_id_store *store, kiln_id_block **ret_block)
{
    kiln_id_block *block = store->allocator->alloc(store->allocator->ctx, sizeof *block, 64);
    if (!block)
        return KILN_NO_MEMORY;
    memset(block, 0, sizeof *block);
    atomic_store_explicit(&block->busy, 1, memory_order_relaxed);
    kiln_status status = KILN_OK;
    for (uint32_t number; !status;) {
        number = atomic_load(&store->made);
        if (number >= store->max_blocks) {
            status = KILN_LIMIT;
            break;
        }
        block->number = number;
        block->records = map_records(store, number);
        if (!block->records) {
            status = KILN_NO_MEMORY;
            break;
        }
        kiln_id_block *other = NULL;
        bool is_ours = atomic_compare_exchange_strong(&store->blocks[number], &other, block);
        if (!is_ours)
            unmap_records(store, number, block->records);
        /* A thread that lost also performs the winner's remaining steps, so that it need not wait
         * for them. */
        atomic_store_explicit(&store->records[number], (is_ours ? block : other)->records,
                              memory_order_release);
        kiln_id_set_open(store, number);
        atomic_compare_exchange_strong(&store->made, &number, number + 1);
        if (is_ours) {
            *ret_block = block;
            return KILN_OK;
        }
    }
    store->allocator->free(store->allocator->ctx, block, sizeof *block);
    return status;
}

/* The next open block that is not busy, starting at number `from` and wrapping around; NULL if
 * there is none. */
static kiln_id_block *find_open(kiln_id_store *store, uint32_t from)
{
    uint32_t words = (atomic_load(&store->made) + 63) / 64;
    for (uint32_t i = 0; i <= words && words > 0; i++) {
        uint32_t at = (from / 64 + i) % words;
        uint64_t mask = atomic_load(&store->open[at]);
        /* The search starts in the middle of a word. The lower bits come last, when the loop
         * reaches this word again. */
        if (i == 0)
            mask &= UINT64_MAX << from % 64;
        for (; mask; mask &= mask - 1) {
            kiln_id_block *block = atomic_load(&store->blocks[at * 64 + lowest_bit(mask)]);
            if (id_block_hold(block))
                return block;
        }
    }
    return NULL;
}

kiln_status kiln_id_hold_block(kiln_id_store *store, kiln_id_lane *lane, uint32_t from,
                               kiln_id_block **ret_block)
{
    uint32_t last = atomic_load_explicit(&lane->block, memory_order_acquire);
    if (last) {
        *ret_block = atomic_load_explicit(&store->blocks[last - 1], memory_order_acquire);
        if (id_block_hold(*ret_block))
            return KILN_OK;
        from = last;
    }
    *ret_block = find_open(store, from);
    kiln_status status = *ret_block ? KILN_OK : make_block(store, ret_block);
    if (!status)
        atomic_store_explicit(&lane->block, (*ret_block)->number + 1, memory_order_release);
    return status;
}
