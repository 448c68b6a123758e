/* Takes and releases the ids of entities. id_store.h describes the invariants of blocks, words and
 * rounds.
 *
 * Taking ids costs one atomic exchange per word of 64 ids, besides the busy flag. Destroying an
 * entity costs a compare-and-swap and clearing a bit. The fields that only a block's holder uses
 * are not atomic, because the busy flag is acquired and released around every use.
 *
 * close_block and clear_taken need sequential consistency: one clears the open bit and then reads
 * `taken`, the other clears a bit of `taken` and then reads the open bit. At least one of them sees
 * the other's write, so no free id is lost. */
#include "id_blocks.h"

#include "bits.h"
#include "record_fill.h"

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

/* ---- blocks ---- */

static kiln_id_block *block_of(const kiln_id_store *store, uint32_t index)
{
    return atomic_load_explicit(&store->blocks[index / KILN_BLOCK_ENTITIES], memory_order_acquire);
}

/* Threads are numbered in the order of their first call and share lanes if there are more than 63.
 * Sharing a lane is only slower, because its threads often find the block busy. */
static kiln_id_lane *lane_of(kiln_id_store *store, kiln_id_user user)
{
    static _Atomic(uint32_t) threads;
    static _Thread_local uint32_t lane;
    if (user == ID_CHANGING)
        return &store->lanes[0];
    if (lane == 0)
        lane = 1 + atomic_fetch_add(&threads, 1) % (ID_LANES - 1);
    return &store->lanes[lane];
}

/* An id that has used its last version is never handed out again: its bit stays set, and its
 * version is 0, which no handle has. */
static void retire(kiln_id_block *block, uint32_t at)
{
    block->records[at].is_retired = 1;
    atomic_fetch_add(&block->retired, 1);
}

static void show(kiln_id_store *store, kiln_id_block *block)
{
    atomic_store_explicit(&block->is_stale, 0, memory_order_release);
    atomic_store_explicit(&store->records[block->number], block->records, memory_order_release);
}

/* Whether the entities of a stale block can be destroyed without reading their records. */
static bool has_version_bound(const kiln_id_block *block)
{
    return kiln_id_rounds(block) < ID_ROUNDS_MAX &&
           atomic_load_explicit(&block->retired, memory_order_relaxed) == 0;
}

/* Destroys the entities of one word of a stale block. Returns the mask of its retired ids. */
static uint64_t end_stale(kiln_id_block *block, uint32_t word)
{
    kiln_record *records = block->records + word * 64;
    uint64_t kept = 0;
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t version = atomic_load_explicit(&records[i].version, memory_order_relaxed);
        /* A living entity has an odd version; destroying it adds 1. */
        atomic_store_explicit(&records[i].version, version + (version & 1), memory_order_relaxed);
        atomic_store_explicit(&records[i].place, 0, memory_order_relaxed);
        if (version == UINT32_MAX)
            retire(block, word * 64 + i);
        kept |= (uint64_t)records[i].is_retired << i;
    }
    return kept;
}

/* Destroys the entities of a stale block and makes its records visible again. */
static void end_stale_block(kiln_id_store *store, kiln_id_block *block)
{
    if (has_version_bound(block)) {
        record_fill all = {block->records, KILN_BLOCK_ENTITIES, 2 * kiln_id_rounds(block), false};
        record_fill_free(&all);
    } else {
        for (uint32_t word = 0; word < ID_WORDS; word++)
            atomic_store_explicit(&block->taken[word], end_stale(block, word),
                                  memory_order_relaxed);
    }
    show(store, block);
}

/* ---- taking ids ---- */

/* Only the holder of the block counts rounds. */
static void begin_round(kiln_id_block *block)
{
    uint32_t rounds = kiln_id_rounds(block);
    if (rounds < ID_ROUNDS_MAX)
        atomic_store_explicit(&block->rounds, rounds + 1, memory_order_relaxed);
}

/* Moves the free ids of the next word that has any into `spare`; false if the block is full. */
static bool take_word(kiln_id_block *block)
{
    bool is_new_round = false;
    for (uint32_t i = 0; i < ID_WORDS; i++) {
        uint32_t word = block->cursor;
        block->cursor = (word + 1) % ID_WORDS;
        is_new_round = is_new_round || word == 0;
        if (atomic_load_explicit(&block->taken[word], memory_order_relaxed) == UINT64_MAX)
            continue;
        /* A round begins only if a free id is found: after a full circle without one, the cursor is
         * where it was. */
        if (is_new_round)
            begin_round(block);
        block->spare =
            ~atomic_exchange_explicit(&block->taken[word], UINT64_MAX, memory_order_acquire);
        block->spare_word = word;
        return true;
    }
    return false;
}

/* Takes up to `want` consecutive ids and returns their number; 0 if the block is full. */
static uint32_t take_run(kiln_id_block *block, uint32_t want, uint32_t *ret_first)
{
    uint32_t taken = 0;
    while (taken < want && (block->spare || take_word(block))) {
        uint32_t bit = lowest_bit(block->spare);
        uint32_t at = block->spare_word * 64 + bit;
        if (taken > 0 && at != *ret_first + taken)
            break;
        uint32_t count = run_of_ones(block->spare, bit);
        if (count > want - taken)
            count = want - taken;
        block->spare &= ~ones(bit, count);
        if (taken == 0)
            *ret_first = at;
        taken += count;
    }
    return taken;
}

/* Clears the open bit of a full block, which is then skipped until one of its ids is freed. A
 * thread that freed an id meanwhile may have set the bit just before it was cleared. So the block
 * is checked again after the bit is cleared. */
static void close_block(kiln_id_store *store, kiln_id_block *block)
{
    atomic_fetch_and(&store->open[block->number / 64], ~((uint64_t)1 << block->number % 64));
    for (uint32_t i = 0; i < ID_WORDS; i++) {
        if (atomic_load(&block->taken[i]) != UINT64_MAX) {
            kiln_id_set_open(store, block->number);
            return;
        }
    }
}

kiln_status kiln_id_take(kiln_id_store *store, kiln_id_user user, uint32_t want,
                         kiln_id_run *ret_run)
{
    kiln_id_lane *lane = lane_of(store, user);
    uint32_t from = 0;
    kiln_id_block *block;
    kiln_status status;
    while (!(status = kiln_id_hold_block(store, lane, from, &block))) {
        if (atomic_load_explicit(&block->is_stale, memory_order_relaxed))
            end_stale_block(store, block);
        uint32_t first = 0;
        uint32_t count = take_run(block, want, &first);
        if (count == 0)
            close_block(store, block);
        uint32_t number = block->number;
        id_block_release(block);
        if (count > 0) {
            ret_run->first = number * KILN_BLOCK_ENTITIES + first;
            ret_run->count = count;
            break;
        }
        from = number + 1;
        atomic_store_explicit(&lane->block, 0, memory_order_relaxed);
    }
    return status;
}

static bool is_full(const kiln_id_block *block)
{
    for (uint32_t i = 0; i < ID_WORDS; i++) {
        if (atomic_load_explicit(&block->taken[i], memory_order_relaxed) != UINT64_MAX)
            return false;
    }
    return block->spare == 0;
}

/* Takes all ids of a stale or new block, which the caller holds. */
static void take_all(kiln_id_store *store, kiln_id_block *block, kiln_id_whole *ret_whole)
{
    atomic_store_explicit(&store->records[block->number], store->dead, memory_order_release);
    begin_round(block);
    ret_whole->records = block->records;
    ret_whole->first = block->number * KILN_BLOCK_ENTITIES;
    ret_whole->version = id_block_version(block);
    for (uint32_t word = 0; word < ID_WORDS; word++)
        atomic_store_explicit(&block->taken[word], UINT64_MAX, memory_order_relaxed);
    atomic_store_explicit(&block->is_stale, 0, memory_order_release);
    close_block(store, block);
}

bool kiln_id_take_whole(kiln_id_store *store, kiln_id_whole *ret_whole)
{
    kiln_id_lane *lane = &store->lanes[0];
    kiln_id_block *block;
    for (uint32_t from = 0; !kiln_id_hold_block(store, lane, from, &block);) {
        bool is_stale = atomic_load_explicit(&block->is_stale, memory_order_relaxed);
        bool is_whole = has_version_bound(block) && (is_stale || kiln_id_rounds(block) == 0);
        /* The previous call may have taken the last ids. */
        bool is_done = !is_stale && is_full(block);
        if (is_whole)
            take_all(store, block, ret_whole);
        else if (is_done)
            close_block(store, block);
        uint32_t number = block->number;
        id_block_release(block);
        if (!is_done)
            return is_whole;
        from = number + 1;
        atomic_store_explicit(&lane->block, 0, memory_order_relaxed);
    }
    return false;
}

void kiln_id_show(kiln_id_store *store, const kiln_id_whole *whole)
{
    show(store, block_of(store, whole->first));
}

kiln_status kiln_id_fill_stash(kiln_id_store *store)
{
    enum { STASH = 64 };
    kiln_status status = kiln_id_take(store, ID_CHANGING, STASH, &store->stash);
    if (!status)
        kiln_id_touch(kiln_id_record(store, store->stash.first), store->stash.count);
    return status;
}

/* ---- releasing ids ---- */

/* The flag is read first: most blocks are already impure, and a store would take the cache line
 * from other threads. */
static void clear_pure(kiln_id_block *block)
{
    if (atomic_load_explicit(&block->is_pure, memory_order_relaxed))
        atomic_store_explicit(&block->is_pure, 0, memory_order_relaxed);
}

static void clear_taken(kiln_id_store *store, kiln_id_block *block, uint32_t word, uint64_t mask)
{
    clear_pure(block);
    atomic_fetch_and(&block->taken[word], ~mask);
    kiln_id_set_open(store, block->number);
}

void kiln_id_release(kiln_id_store *store, kiln_id_run run)
{
    while (run.count > 0) {
        uint32_t at = run.first % KILN_BLOCK_ENTITIES;
        uint32_t count = 64 - at % 64 < run.count ? 64 - at % 64 : run.count;
        clear_taken(store, block_of(store, run.first), at / 64, ones(at % 64, count));
        run.first += count;
        run.count -= count;
    }
}

/* Destroys up to 64 neighbours of one word. Returns the bits to clear: all except those of ids that
 * are now retired. The place is cleared before the version changes: see kiln_id_begin. */
static uint64_t end_word(kiln_id_block *block, uint32_t at, uint32_t count)
{
    uint64_t mask = ones(at % 64, count);
    kiln_record *records = block->records + at;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t version = atomic_load_explicit(&records[i].version, memory_order_relaxed) + 1;
        atomic_store_explicit(&records[i].place, 0, memory_order_relaxed);
        atomic_store_explicit(&records[i].version, version, memory_order_release);
        if (version == 0) {
            retire(block, at + i);
            mask &= ~ones((at + i) % 64, 1);
        }
    }
    return mask;
}

void kiln_id_end_run(kiln_id_store *store, kiln_id_run run)
{
    while (run.count > 0) {
        kiln_id_block *block = block_of(store, run.first);
        uint32_t at = run.first % KILN_BLOCK_ENTITIES;
        uint32_t count = 64 - at % 64 < run.count ? 64 - at % 64 : run.count;
        uint64_t mask = end_word(block, at, count);
        clear_taken(store, block, at / 64, mask);
        run.first += count;
        run.count -= count;
    }
}

bool kiln_id_end(kiln_id_store *store, kiln_entity entity)
{
    kiln_id_block *block = block_of(store, entity.index);
    uint32_t at = entity.index % KILN_BLOCK_ENTITIES;
    uint32_t version = entity.version;
    /* Of several threads that destroy the same entity, one succeeds. */
    if (!atomic_compare_exchange_strong(&block->records[at].version, &version, version + 1))
        return false;
    clear_pure(block);
    if (entity.version == UINT32_MAX)
        retire(block, at);
    else
        clear_taken(store, block, at / 64, ones(at % 64, 1));
    return true;
}

/* ---- clearing and destroying the store ---- */

static void clear_block(kiln_id_store *store, kiln_id_block *block)
{
    atomic_store_explicit(&block->is_stale, 1, memory_order_relaxed);
    atomic_store_explicit(&block->is_pure, 0, memory_order_relaxed);
    block->spare = 0;
    block->cursor = 0;
    atomic_store_explicit(&store->records[block->number], store->dead, memory_order_release);
    for (uint32_t word = 0; word < ID_WORDS; word++)
        atomic_store_explicit(&block->taken[word], 0, memory_order_relaxed);
    kiln_id_set_open(store, block->number);
}

bool kiln_id_is_pure(const kiln_id_store *store, uint32_t index, uint32_t version)
{
    const kiln_id_block *block = block_of(store, index);
    return atomic_load_explicit(&block->is_pure, memory_order_relaxed) &&
           id_block_version(block) == version;
}

void kiln_id_end_pure(kiln_id_store *store, uint32_t index)
{
    clear_block(store, block_of(store, index));
}

void kiln_id_clear(kiln_id_store *store)
{
    uint32_t made = atomic_load(&store->made);
    for (uint32_t i = 0; i < made; i++)
        clear_block(store, atomic_load(&store->blocks[i]));
    /* Start at the first block again, as in a new world, so that the next entities have consecutive
     * indices. */
    for (uint32_t i = 0; i < ID_LANES; i++)
        atomic_store_explicit(&store->lanes[i].block, 0, memory_order_relaxed);
    kiln_id_run none = {0, 0};
    store->stash = none;
}
