/* Creates entities in blocks that readers do not see yet, so that each record of a large batch is
 * written only once; see id_hidden.h.
 *
 * `unborn` is the state of a hidden block: the number of its entities that are not created yet; 0
 * means that the block is visible. It changes only under the busy flag, but any thread may read it
 * at any time. */
#include "id_hidden.h"

#include "id_blocks.h"
#include "record_fill.h"
#include "stream_copy.h"

#include <sched.h>

/* The wait is short: any other holder of a full block is looking for a free id, or writing records
 * in one of the functions below. */
static void wait_for(kiln_id_block *block)
{
    while (!id_block_hold(block))
        sched_yield();
}

static void show(const kiln_id_store *store, kiln_id_block *block)
{
    atomic_store_explicit(&store->records[block->number], block->records, memory_order_release);
    atomic_store_explicit(&block->unborn, 0, memory_order_release);
}

void kiln_id_hide(kiln_id_store *store, const kiln_id_whole *whole)
{
    kiln_id_block *block = atomic_load(&store->blocks[whole->first / KILN_BLOCK_ENTITIES]);
    atomic_store_explicit(&block->unborn, KILN_BLOCK_ENTITIES, memory_order_release);
}

bool kiln_id_begin_hidden(const kiln_id_store *store, kiln_id_run run, uint64_t place, bool streams)
{
    kiln_id_block *block =
        atomic_load_explicit(&store->blocks[run.first / KILN_BLOCK_ENTITIES], memory_order_acquire);
    if (!atomic_load_explicit(&block->unborn, memory_order_acquire))
        return false;
    wait_for(block);
    uint32_t unborn = atomic_load_explicit(&block->unborn, memory_order_relaxed);
    /* Another thread may have made the block visible meanwhile; then the caller writes the records
     * as in any visible block. */
    if (unborn) {
        record_fill fill = {block->records + run.first % KILN_BLOCK_ENTITIES, run.count,
                            id_block_version(block), streams};
        record_fill_rows(&fill, place);
        if (streams)
            stream_end();
        if (unborn == run.count) {
            atomic_store_explicit(&block->is_pure, 1, memory_order_relaxed);
            show(store, block);
        } else {
            atomic_store_explicit(&block->unborn, unborn - run.count, memory_order_relaxed);
        }
    }
    id_block_release(block);
    return unborn != 0;
}

void kiln_id_reveal_block(const kiln_id_store *store, kiln_id_block *block)
{
    wait_for(block);
    if (atomic_load_explicit(&block->unborn, memory_order_relaxed)) {
        uint32_t version = id_block_version(block);
        for (uint32_t at = 0; at < KILN_BLOCK_ENTITIES; at++) {
            /* Any other version is at most `version` - 1, which is even: free. */
            record_fill fill = {&block->records[at], 1, version - 1, false};
            if (atomic_load_explicit(&fill.records->version, memory_order_relaxed) != version)
                record_fill_free(&fill);
        }
        show(store, block);
    }
    id_block_release(block);
}
