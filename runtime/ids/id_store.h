/* The data blocks: which entities are alive, and their records.
 *
 * A block has 8,192 ids. Each id has a record and a bit in `taken`. A thread that creates entities
 * holds one block exclusively, by its busy flag, for the duration of one call; it skips busy
 * blocks, so no thread waits. Destroying needs no flag: it increments the version and clears the
 * bit.
 *
 * The holder takes all free ids of a word of `taken` at once and hands them out one by one from
 * `spare`. So a set bit means one of four things: a living entity, an id in `spare`, an id of a
 * batch or of the stash whose entity is not created yet, or a retired id.
 *
 * A thread uses one block until it is full, then the next one with a free id, wrapping around at
 * the end. Its *lane* stores that block. All changing calls share one lane, so that the ids do not
 * depend on the calling thread. Within a block, a cursor circles over the words, so a freed id is
 * reused only after all other ids of its block.
 *
 * Several threads may call the functions for taking, releasing and counting ids at once. Only a
 * changing call may use the stash or whole blocks, clear the store, or check whether it is valid.
 */
#ifndef KILN_ID_STORE_H
#define KILN_ID_STORE_H

#include <kiln/world.h>

#include <stdatomic.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

enum {
    ID_WORDS = KILN_BLOCK_ENTITIES / 64,
    ID_OPEN_WORDS = KILN_BLOCK_MAX / 64,
    ID_LANES = 64,
    ID_GROUP_BLOCKS = 16, /* blocks whose records share 2 MiB */
    ID_SMALL_BLOCKS = 2,  /* the first ones, whose records are mapped one by one unless huge
                             pages are always used */
    ID_GROUPS = KILN_BLOCK_MAX / ID_GROUP_BLOCKS + 1
};

/* After this number of rounds, half of all versions may have been skipped, so the holder reads
 * each version instead of writing twice the number of rounds. */
#define ID_ROUNDS_MAX (UINT32_MAX / 4)

/* Clearing the world visits no record. A block whose entities all died at once becomes *stale*:
 * readers see the records of `dead` instead. The next holder of the block destroys the old entities
 * just before it writes the records anyway.
 *
 * The holder need not read the records for that. Each id is taken at most once per round of the
 * cursor, so no version exceeds twice the number of rounds begun. Writing that number as the
 * version makes all handles stale. It also skips versions of ids that were not taken in every
 * round: in an almost full block, taking a single id may begin a round. No id skips more than half
 * of all versions (ID_ROUNDS_MAX). */
typedef struct kiln_id_block {
    _Atomic(uint64_t) taken[ID_WORDS];
    atomic_uint busy;
    _Atomic(uint32_t) retired;
    uint32_t number;
    /* Only for the holder. */
    uint32_t cursor;     /* the next word to take from */
    uint32_t spare_word; /* the word that `spare` belongs to */
    uint64_t spare;      /* ids of that word that are taken but not handed out yet */
    /* Number of rounds of the cursor in which a word was taken. Atomic, like the fields below,
     * because other threads may count entities meanwhile. */
    _Atomic(uint32_t) rounds;
    _Atomic(uint32_t) is_stale;
    _Atomic(uint32_t)
        unborn; /* entities of a hidden block (id_hidden.h) that are not created yet */
    /* 1: all entities were created with the block's version, and no id has been released since */
    _Atomic(uint32_t) is_pure;
    kiln_record *records;
} kiln_id_block;

/* Consecutive ids, in one block or in several consecutive ones. */
typedef struct kiln_id_run {
    uint32_t first, count;
} kiln_id_run;

typedef struct kiln_id_lane {
    _Alignas(64) _Atomic(uint32_t) block; /* number + 1, or 0 */
} kiln_id_lane;

typedef struct kiln_id_store {
    kiln_id_lane lanes[ID_LANES];          /* the first is for changing calls */
    _Atomic(uint64_t) open[ID_OPEN_WORDS]; /* blocks that may have a free id */
    _Atomic(void *) groups[ID_GROUPS];     /* records of 16 blocks each, after the small blocks */
    KILN_ATOMIC(kiln_record *) * records;  /* KILN_BLOCK_MAX of them, as readers see them */
    _Atomic(kiln_id_block *) *blocks;      /* KILN_BLOCK_MAX of them */
    kiln_record *dead;                     /* a block of zeros */
    kiln_id_run stash; /* ids reserved for changing calls, which take single ids from it without
                          atomic operations */
    _Atomic(uint32_t) made;
    uint32_t max_blocks, small_blocks;
    kiln_huge_pages huge_pages;
    const kiln_page_source *pages;
    const kiln_allocator *allocator;
} kiln_id_store;

static inline size_t kiln_id_group_size(void)
{
    return (size_t)ID_GROUP_BLOCKS * KILN_BLOCK_ENTITIES * sizeof(kiln_record);
}

static inline size_t kiln_id_block_size(void)
{
    return (size_t)KILN_BLOCK_ENTITIES * sizeof(kiln_record);
}

/* `def` must have pages and allocator set, and both must outlive the store. */
kiln_status kiln_id_store_init(kiln_id_store *store, const kiln_world_def *def);
void kiln_id_store_fini(kiln_id_store *store);

typedef enum kiln_id_user { ID_ANY, ID_CHANGING } kiln_id_user;

/* Takes up to `want` consecutive free ids without creating entities. KILN_LIMIT or KILN_NO_MEMORY
 * if there is not even one. */
kiln_status kiln_id_take(kiln_id_store *store, kiln_id_user user, uint32_t want,
                         kiln_id_run *ret_run);
/* All ids of a stale or new block. The caller writes every record without reading it. Readers see
 * the records only when the caller shows the block with kiln_id_show, or as id_hidden.h describes.
 */
typedef struct kiln_id_whole {
    kiln_record *records; /* NULL: no block */
    uint32_t first;
    uint32_t version; /* of every entity created in the block */
} kiln_id_whole;

/* Takes the whole next block if it is stale or new, else returns false. Changing calls only. */
bool kiln_id_take_whole(kiln_id_store *store, kiln_id_whole *ret_whole);
void kiln_id_show(kiln_id_store *store, const kiln_id_whole *whole);
/* Refills the stash, which must be empty. */
kiln_status kiln_id_fill_stash(kiln_id_store *store);
/* Releases ids whose entities are dead or were never created. Not in a hidden block. */
void kiln_id_release(kiln_id_store *store, kiln_id_run run);
/* Destroys all entities of the run, which must be alive and visible, and releases their ids. */
void kiln_id_end_run(kiln_id_store *store, kiln_id_run run);
/* Destroys the entity if it is still alive with that version, and releases its id. Returns false if
 * not, or if another thread destroyed it first. */
bool kiln_id_end(kiln_id_store *store, kiln_entity entity);
/* Destroys all entities. */
void kiln_id_clear(kiln_id_store *store);
/* Whether all entities in the block of `index` were created with that version and are still alive.
 */
bool kiln_id_is_pure(const kiln_id_store *store, uint32_t index, uint32_t version);
/* Destroys all entities of such a block without reading its records, as kiln_id_clear does. */
void kiln_id_end_pure(kiln_id_store *store, uint32_t index);

static inline uint32_t kiln_id_rounds(const kiln_id_block *block)
{
    return atomic_load_explicit(&block->rounds, memory_order_relaxed);
}

/* Whether the limits allow `count` ids. Checked first, so that no blocks are made for a call that
 * must fail. */
static inline bool kiln_id_could_hold(const kiln_id_store *store, uint32_t count)
{
    return count <= store->max_blocks * KILN_BLOCK_ENTITIES;
}

/* Takes one id for a changing call. */
static inline kiln_status kiln_id_take_one(kiln_id_store *store, uint32_t *ret_index)
{
    if (store->stash.count == 0) {
        kiln_status status = kiln_id_fill_stash(store);
        if (status)
            return status;
    }
    store->stash.count--;
    *ret_index = store->stash.first++;
    return KILN_OK;
}

/* Puts back the id that kiln_id_take_one just returned. */
static inline void kiln_id_put_back(kiln_id_store *store)
{
    store->stash.count++;
    store->stash.first--;
}

/* The record of an index that is taken. */
static inline kiln_record *kiln_id_record(const kiln_id_store *store, uint32_t index)
{
    kiln_record *block =
        atomic_load_explicit(&store->records[index / KILN_BLOCK_ENTITIES], memory_order_acquire);
    return &block[index % KILN_BLOCK_ENTITIES];
}

/* Call this before entities are created with taken ids. If the first access to a page is a read,
 * the kernel maps a shared zero page. The first write replaces this page, which interrupts all
 * processors that run the program. So this function writes to each page of the records first,
 * without changing a value. */
static inline void kiln_id_touch(kiln_record *records, uint32_t count)
{
    enum { PAGE_RECORDS = 4096 / sizeof(kiln_record) };
    for (uint32_t i = 0; i < count; i += PAGE_RECORDS)
        records[i].is_retired = 0;
    if (count > 0)
        records[count - 1].is_retired = 0;
}

/* Creates an empty entity with a taken id and returns its version. The record's place is 0 already.
 */
static inline uint32_t kiln_id_revive(kiln_record *record)
{
    uint32_t version = atomic_load_explicit(&record->version, memory_order_relaxed) + 1;
    atomic_store_explicit(&record->version, version, memory_order_release);
    return version;
}

/* Like kiln_id_revive, but for an entity with a row at `place`. The place is written last here, and
 * cleared first when an entity ends: a record has a place only while its version is odd. */
static inline uint32_t kiln_id_begin(kiln_record *record, uint64_t place)
{
    uint32_t version = atomic_load_explicit(&record->version, memory_order_relaxed) + 1;
    atomic_store_explicit(&record->version, version, memory_order_relaxed);
    atomic_store_explicit(&record->place, place, memory_order_release);
    return version;
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
