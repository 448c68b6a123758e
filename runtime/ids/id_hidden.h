/* Creates the entities of a batch in a stale block that the batch took whole. Several threads may
 * share the work.
 *
 * The block stays *hidden*: readers see the records of `dead` instead until its last entity is
 * created. So each record is written only once, without reading it, and bypasses the cache if the
 * values of the batch do. If the block must become visible earlier, kiln_id_reveal first marks the
 * records of all other entities as free, because kiln_id_clear did not. That costs one more pass
 * over the records. Entities that have already been created have the block's version; all other
 * versions in the block are lower.
 *
 * Only one thread at a time holds the block and writes records; the others wait. */
#ifndef KILN_ID_HIDDEN_H
#define KILN_ID_HIDDEN_H

#include "id_store.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Hides a block that was just taken whole. Changing calls only. */
void kiln_id_hide(kiln_id_store *store, const kiln_id_whole *whole);
/* Creates the entities of a run of ids within one block, in rows from `place` on. Returns false,
 * without writing anything, if the block is not hidden. `streams`: bypass the cache, see
 * stream_copy.h. */
bool kiln_id_begin_hidden(const kiln_id_store *store, kiln_id_run run, uint64_t place,
                          bool streams);
void kiln_id_reveal_block(const kiln_id_store *store, kiln_id_block *block);

/* Makes the block of `index`, which must exist, visible if it is hidden. */
static inline void kiln_id_reveal(const kiln_id_store *store, uint32_t index)
{
    kiln_id_block *block =
        atomic_load_explicit(&store->blocks[index / KILN_BLOCK_ENTITIES], memory_order_acquire);
    if (atomic_load_explicit(&block->unborn, memory_order_acquire))
        kiln_id_reveal_block(store, block);
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
