/* Births in a block that was stale and that a batch has all places of, by any threads.
 *
 * The block stays *hidden*: readers see the records of `dead` in its place until the last of its
 * places is born. So each record is written once, without a look at what it was, past the cache
 * where as much else is. Whoever has to see sooner who lives there ends first what the clear left,
 * which costs as much again: every version in the block is lower than the one that places are born
 * with, so that it tells them apart.
 *
 * The threads hold the block in turn, each as long as it writes records, and wait for one another.
 */
#ifndef KILN_ID_HIDDEN_H
#define KILN_ID_HIDDEN_H

#include "id_store.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Hides a block that was just taken whole. For a changing call. */
void kiln_id_hide(kiln_id_store *store, const kiln_id_whole *whole);
/* Births in rows from `place` on, where the run, which is of one block, is of a hidden one; false
 * where it is not. `streams`: past the cache, see stream_copy.h. */
bool kiln_id_begin_hidden(const kiln_id_store *store, kiln_id_run run, uint64_t place,
                          bool streams);
void kiln_id_reveal_block(const kiln_id_store *store, kiln_id_block *block);

/* Births in a hidden block are seen from here on. There is a block for the index. */
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
