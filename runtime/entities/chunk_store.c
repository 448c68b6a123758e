/* Claims and releases chunks without locks.
 *
 * Each mega chunk has a 64-bit word. Claiming a run clears its bits by compare-and-swap, and
 * releasing it sets them. The upper level shows which mega chunks have free chunks; one load covers
 * 64 mega chunks. All operations on both levels are sequentially consistent, because a release and
 * a claim each write to one level and then read the other (see clear_some).
 *
 * Before the pages of a free mega chunk are dropped, all of it is claimed, so that no thread can
 * claim a chunk whose pages are about to disappear. If a claim finds nothing while pages are
 * dropped, it tries again. */
#include "chunk_store.h"

#include "bits.h"

#include <sched.h>
#include <string.h>

static size_t megas_size(void)
{
    return KILN_MEGA_MAX * sizeof(kiln_mega);
}

kiln_status kiln_chunk_store_init(kiln_chunk_store *store, const kiln_world_def *def)
{
    memset(store, 0, sizeof *store);
    store->max = def->max_mega_chunks;
    size_t keep = def->max_free_bytes / KILN_MEGA_SIZE;
    store->keep = keep < KILN_MEGA_MAX ? (uint32_t)keep : KILN_MEGA_MAX;
    store->huge_pages = def->huge_pages;
    store->pages = def->pages;
    store->megas = store->pages->map(store->pages->ctx, megas_size(), 4096, false);
    return store->megas ? KILN_OK : KILN_NO_MEMORY;
}

/* Whether mega chunk `number` and the next one are adjacent memory that the store has mapped. */
static bool is_pair(const kiln_chunk_store *store, uint32_t number)
{
    const kiln_mega *mega = &store->megas[number];
    return !mega[0].is_lent && !mega[1].is_lent &&
           atomic_load(&mega[0].memory) + KILN_MEGA_SIZE == atomic_load(&mega[1].memory);
}

void kiln_chunk_store_fini(kiln_chunk_store *store)
{
    if (!store->megas)
        return;
    uint32_t made = atomic_load(&store->made);
    for (uint32_t i = 0; i < made; i++) {
        kiln_mega *mega = &store->megas[i];
        if (mega->is_lent)
            continue;
        /* A pair was mapped as a whole, even if the limit allowed only half of it. */
        store->pages->unmap(store->pages->ctx, atomic_load(&mega->memory), CHUNK_PAIR_SIZE);
        i += i + 1 < made && is_pair(store, i);
    }
    store->pages->unmap(store->pages->ctx, store->megas, megas_size());
    store->megas = NULL;
}

/* ---- the two levels ---- */

static void set_some(kiln_chunk_store *store, uint32_t mega)
{
    uint64_t bit = (uint64_t)1 << mega % 64;
    if (!(atomic_load(&store->some[mega / 64]) & bit))
        atomic_fetch_or(&store->some[mega / 64], bit);
}

/* Between the claim of the last free chunk and the clearing of the bit, another thread can release
 * a chunk. The second load sees it, and the bit is set again. */
static void clear_some(kiln_chunk_store *store, uint32_t mega)
{
    atomic_fetch_and(&store->some[mega / 64], ~((uint64_t)1 << mega % 64));
    if (atomic_load(&store->megas[mega].free))
        set_some(store, mega);
}

/* The lowest bit at which `count` consecutive ones begin; 64 if there is none. If the set bits of a
 * mask show where n ones begin, ANDing the mask with a copy shifted by n shows where 2n ones begin.
 * So the number of steps is logarithmic. */
static uint32_t find_ones(uint64_t mask, uint32_t count)
{
    for (uint32_t n = 1; n < count && mask;) {
        uint32_t step = n < count - n ? n : count - n;
        mask &= mask >> step;
        n += step;
    }
    return mask ? lowest_bit(mask) : 64;
}

/* Claims `count` consecutive chunks of the mega chunk; false if it has no such run. */
static bool claim_in(kiln_chunk_store *store, uint32_t number, uint32_t count,
                     kiln_chunk_run *ret_run)
{
    kiln_mega *mega = &store->megas[number];
    uint64_t mask = atomic_load(&mega->free);
    for (uint32_t at; (at = find_ones(mask, count)) < 64;) {
        uint64_t left = mask & ~ones(at, count);
        if (!atomic_compare_exchange_weak(&mega->free, &mask, left))
            continue;
        /* The claim that takes the first chunk of a free mega chunk sets `is_touched`, so that each
         * mega chunk counts once. */
        if (mask == UINT64_MAX && atomic_exchange(&mega->is_touched, 1))
            atomic_fetch_sub(&store->idle, 1);
        if (left == 0)
            clear_some(store, number);
        ret_run->first = number * KILN_MEGA_CHUNKS + at + 1;
        ret_run->count = count;
        return true;
    }
    return false;
}

/* Searches mega chunks with free chunks, lowest first. The search for a long run stops after a few
 * of them, so that many fragmented mega chunks do not make it slow. The caller then tries a shorter
 * run. */
static bool claim_anywhere(kiln_chunk_store *store, uint32_t count, kiln_chunk_run *ret_run)
{
    uint32_t words = (atomic_load(&store->made) + 63) / 64;
    uint32_t looks = count == 1 ? UINT32_MAX : 16;
    for (uint32_t i = 0; i < words; i++) {
        uint64_t mask = atomic_load(&store->some[i]);
        for (; mask; mask &= mask - 1) {
            if (claim_in(store, i * 64 + lowest_bit(mask), count, ret_run))
                return true;
            if (--looks == 0)
                return false;
        }
    }
    return false;
}

/* ---- mega chunks ---- */

/* Adds up to `count` mega chunks of `memory`, but none if the limit allows fewer than `least`.
 * Returns the number added. */
static uint32_t add_megas(kiln_chunk_store *store, unsigned char *memory, uint32_t least,
                          uint32_t count, bool is_lent)
{
    uint32_t first = atomic_load(&store->made);
    uint32_t added;
    do {
        added = store->max - first < count ? store->max - first : count;
        if (added < least)
            return 0;
    } while (!atomic_compare_exchange_weak(&store->made, &first, first + added));
    for (uint32_t i = 0; i < added; i++) {
        kiln_mega *mega = &store->megas[first + i];
        mega->is_lent = is_lent;
        atomic_store(&mega->memory, memory + (size_t)i * KILN_MEGA_SIZE);
        atomic_store(&mega->free, UINT64_MAX);
        set_some(store, first + i);
    }
    return added;
}

static kiln_status add_pair(kiln_chunk_store *store)
{
    uint32_t made = atomic_load(&store->made);
    if (made >= store->max)
        return KILN_LIMIT;
    bool huge = store->huge_pages == KILN_HUGE_PAGES_ALWAYS ||
                (store->huge_pages == KILN_HUGE_PAGES_AUTO && made >= 2);
    const kiln_page_source *pages = store->pages;
    unsigned char *memory = pages->map(pages->ctx, CHUNK_PAIR_SIZE, CHUNK_PAIR_SIZE, huge);
    if (!memory)
        return KILN_NO_MEMORY;
    if (add_megas(store, memory, 1, 2, false) > 0)
        return KILN_OK;
    pages->unmap(pages->ctx, memory, CHUNK_PAIR_SIZE);
    return KILN_LIMIT;
}

kiln_status kiln_chunk_claim(kiln_chunk_store *store, uint32_t want, kiln_chunk_run *ret_run)
{
    uint32_t most = want < KILN_MEGA_CHUNKS ? want : KILN_MEGA_CHUNKS;
    for (uint32_t looks = 1;; looks++) {
        uint32_t ended = atomic_load(&store->discards_ended);
        for (uint32_t count = most; count > 0; count /= 2) {
            if (claim_anywhere(store, count, ret_run))
                return KILN_OK;
        }
        kiln_status status = add_pair(store);
        /* A mega chunk looks full while its pages are dropped. The status is final only if no drop
         * was in progress since `ended` was read. */
        if (status && (looks == CHUNK_LOOKS_MOST || atomic_load(&store->discards_begun) == ended))
            return status;
        if (status)
            sched_yield();
    }
}

/* Claims the first `count` chunks of a mega chunk that is wholly free. */
static bool claim_first(kiln_chunk_store *store, uint32_t number, uint32_t count,
                        kiln_chunk_run *ret_run)
{
    if (atomic_load(&store->megas[number].free) != UINT64_MAX ||
        !claim_in(store, number, count, ret_run))
        return false;
    if (ret_run->first == number * KILN_MEGA_CHUNKS + 1)
        return true;
    kiln_chunk_release(store, *ret_run);
    return false;
}

static bool claim_both(kiln_chunk_store *store, uint32_t number, uint32_t count,
                       kiln_chunk_run *ret_run)
{
    kiln_chunk_run rest;
    uint32_t first = count < KILN_MEGA_CHUNKS ? count : KILN_MEGA_CHUNKS;
    if (atomic_load(&store->megas[number + 1].free) != UINT64_MAX ||
        !claim_first(store, number, first, ret_run))
        return false;
    if (count == first || claim_first(store, number + 1, count - first, &rest)) {
        ret_run->count = count;
        return true;
    }
    kiln_chunk_release(store, *ret_run);
    return false;
}

kiln_status kiln_chunk_claim_pair(kiln_chunk_store *store, uint32_t count, kiln_chunk_run *ret_run)
{
    for (uint32_t number = 0;; number++) {
        while (number + 1 >= atomic_load(&store->made)) {
            kiln_status status = add_pair(store);
            if (status)
                return status;
        }
        if (is_pair(store, number) && claim_both(store, number, count, ret_run))
            return KILN_OK;
    }
}

bool kiln_chunk_map_file(kiln_chunk_store *store, kiln_chunk_run run, int file, uint64_t offset)
{
    const kiln_page_source *pages = store->pages;
    if (!pages->map_file)
        return false;
    /* Set before the mapping: if the mapping fails halfway, the release still replaces the pages.
     */
    uint32_t last = (run.first + run.count - 2) / KILN_MEGA_CHUNKS;
    for (uint32_t mega = (run.first - 1) / KILN_MEGA_CHUNKS; mega <= last; mega++)
        atomic_store(&store->megas[mega].is_file, 1);
    return pages->map_file(pages->ctx, kiln_chunk_memory(store, run.first),
                           (size_t)run.count * KILN_CHUNK_SIZE, file, offset);
}

kiln_status kiln_chunk_lend(kiln_chunk_store *store, void *memory, uint32_t count)
{
    return add_megas(store, memory, count, count, true) == count ? KILN_OK : KILN_LIMIT;
}

/* ---- releasing ---- */

/* Discarded pages of a file would be read from the file again, so anonymous memory replaces them.
 * After that the file may change. If replacing fails, the pages stay. This is harmless, because
 * chunks are written before they are read. */
static void drop_pages(kiln_chunk_store *store, kiln_mega *mega)
{
    const kiln_page_source *pages = store->pages;
    unsigned char *memory = atomic_load(&mega->memory);
    if (!atomic_load(&mega->is_file))
        pages->discard(pages->ctx, memory, KILN_MEGA_SIZE);
    else if (pages->unmap_file(pages->ctx, memory, KILN_MEGA_SIZE))
        atomic_store(&mega->is_file, 0);
}

/* Drops the pages of a mega chunk if all of its chunks are free. Meanwhile it looks full, so that
 * no thread can claim its chunks. */
static bool discard(kiln_chunk_store *store, uint32_t number)
{
    kiln_mega *mega = &store->megas[number];
    uint64_t all = UINT64_MAX;
    if (!atomic_load(&mega->is_touched) || mega->is_lent || atomic_load(&mega->free) != all)
        return false;
    bool was_touched = false;
    atomic_fetch_add(&store->discards_begun, 1);
    if (atomic_compare_exchange_strong(&mega->free, &all, 0)) {
        was_touched = atomic_exchange(&mega->is_touched, 0);
        if (was_touched) {
            atomic_fetch_sub(&store->idle, 1);
            drop_pages(store, mega);
        }
        atomic_store(&mega->free, UINT64_MAX);
        set_some(store, number);
    }
    atomic_fetch_add(&store->discards_ended, 1);
    return was_touched;
}

void kiln_chunk_release(kiln_chunk_store *store, kiln_chunk_run run)
{
    uint32_t number = (run.first - 1) / KILN_MEGA_CHUNKS;
    uint64_t bits = ones((run.first - 1) % KILN_MEGA_CHUNKS, run.count);
    uint64_t before = atomic_fetch_or(&store->megas[number].free, bits);
    set_some(store, number);
    if ((before | bits) != UINT64_MAX)
        return;
    bool is_file = atomic_load(&store->megas[number].is_file);
    if (atomic_fetch_add(&store->idle, 1) + 1 > store->keep || is_file)
        discard(store, number);
}

size_t kiln_chunk_trim(kiln_chunk_store *store)
{
    size_t bytes = 0;
    uint32_t made = atomic_load(&store->made);
    for (uint32_t i = 0; i < made; i++) {
        if (discard(store, i))
            bytes += KILN_MEGA_SIZE;
    }
    return bytes;
}

kiln_chunk_counts kiln_chunk_count(const kiln_chunk_store *store)
{
    kiln_chunk_counts counts = {atomic_load(&store->made), 0, 0};
    for (uint32_t i = 0; i < counts.mega_chunks; i++) {
        uint64_t mask = atomic_load(&store->megas[i].free);
        counts.free_mega_chunks += mask == UINT64_MAX;
        counts.chunks += count_bits(~mask);
    }
    return counts;
}

bool kiln_chunk_store_is_valid(const kiln_chunk_store *store)
{
    uint32_t made = atomic_load(&store->made), idle = 0;
    for (uint32_t i = 0; i < KILN_MEGA_MAX; i++) {
        const kiln_mega *mega = &store->megas[i];
        uint64_t mask = atomic_load(&mega->free);
        bool has_some = atomic_load(&store->some[i / 64]) >> i % 64 & 1;
        bool has_memory = atomic_load(&mega->memory) != NULL;
        if ((mask && !has_some) || has_memory != (i < made))
            return false;
        idle += mask == UINT64_MAX && atomic_load(&mega->is_touched);
    }
    return made <= store->max && idle == atomic_load(&store->idle);
}
