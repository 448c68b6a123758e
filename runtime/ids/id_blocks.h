/* Finds the data block from which a thread takes ids next: an open block that is not busy, or a new
 * one. */
#ifndef KILN_ID_BLOCKS_H
#define KILN_ID_BLOCKS_H

#include "id_store.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Takes the block's busy flag; false if another thread has it. */
static inline bool id_block_hold(kiln_id_block *block)
{
    return atomic_load_explicit(&block->busy, memory_order_relaxed) == 0 &&
           atomic_exchange_explicit(&block->busy, 1, memory_order_acquire) == 0;
}

static inline void id_block_release(kiln_id_block *block)
{
    atomic_store_explicit(&block->busy, 0, memory_order_release);
}

/* The version of all entities created in a block whose ids are all taken at once in this round. */
static inline uint32_t id_block_version(const kiln_id_block *block)
{
    return 2 * kiln_id_rounds(block) - 1;
}

/* Marks the block as possibly having a free id. */
void kiln_id_set_open(kiln_id_store *store, uint32_t number);
/* Holds the lane's block. If the lane has no block or its block is busy, holds the next open block
 * from number `from` on, or a new block if all are full or busy. The caller releases it with
 * id_block_release. KILN_LIMIT, KILN_NO_MEMORY. */
kiln_status kiln_id_hold_block(kiln_id_store *store, kiln_id_lane *lane, uint32_t from,
                               kiln_id_block **ret_block);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
