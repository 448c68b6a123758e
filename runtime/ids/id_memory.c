#include "id_store.h"

#include <string.h>

kiln_status kiln_id_store_init(kiln_id_store *store, const kiln_world_def *def)
{
    memset(store, 0, sizeof *store);
    store->max_blocks = def->max_blocks;
    store->huge_pages = def->huge_pages;
    store->small_blocks = def->huge_pages == KILN_HUGE_PAGES_ALWAYS ? 0 : ID_SMALL_BLOCKS;
    store->pages = def->pages;
    store->allocator = def->allocator;
    size_t size = KILN_BLOCK_MAX * sizeof *store->records;
    store->records = store->pages->map(store->pages->ctx, size, 4096, false);
    size = KILN_BLOCK_MAX * sizeof *store->blocks;
    store->blocks = store->pages->map(store->pages->ctx, size, 4096, false);
    store->dead = store->pages->map(store->pages->ctx, kiln_id_block_size(), 4096, false);
    if (store->records && store->blocks && store->dead)
        return KILN_OK;
    kiln_id_store_fini(store);
    return KILN_NO_MEMORY;
}

void kiln_id_store_fini(kiln_id_store *store)
{
    const kiln_page_source *pages = store->pages;
    uint32_t made = atomic_load(&store->made);
    for (uint32_t i = 0; i < made; i++) {
        kiln_id_block *block = atomic_load(&store->blocks[i]);
        if (i < store->small_blocks)
            pages->unmap(pages->ctx, block->records, kiln_id_block_size());
        store->allocator->free(store->allocator->ctx, block, sizeof *block);
    }
    for (uint32_t i = 0; i < ID_GROUPS; i++) {
        void *group = atomic_load(&store->groups[i]);
        if (group)
            pages->unmap(pages->ctx, group, kiln_id_group_size());
    }
    if (store->records)
        pages->unmap(pages->ctx, (void *)(uintptr_t)store->records,
                     KILN_BLOCK_MAX * sizeof *store->records);
    if (store->blocks)
        pages->unmap(pages->ctx, (void *)(uintptr_t)store->blocks,
                     KILN_BLOCK_MAX * sizeof *store->blocks);
    if (store->dead)
        pages->unmap(pages->ctx, store->dead, kiln_id_block_size());
    store->records = NULL;
    store->blocks = NULL;
    store->dead = NULL;
}
