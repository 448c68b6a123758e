/* The data blocks: which entities live, and their records.
 *
 * A block has 8,192 places: a record each, and a bit each in `taken`. Whoever creates holds a block
 * alone, by its busy mark, as long as one call lasts; a block that is busy is passed over, so that
 * nobody waits. Whoever destroys needs no mark: it ends the version and clears the bit.
 *
 * The holder takes a whole word of `taken` at once, with every place in it that is free, and hands
 * these out one by one from `spare`. So a set bit is a living entity, a place of `spare`, a place
 * given out and not born yet (a batch's), or a retired one.
 *
 * A thread comes back to the block it used last (its *lane* says which; changing calls have one of
 * their own, so that they take the same places whichever thread makes them) until that is full,
 * then goes on to the next one with a free place, around all blocks; within a block, a cursor goes
 * around the words. So a freed place is used again only after all others of its block had their
 * turn.
 *
 * Beside other threads: everything but kiln_id_clear, _fini and _is_valid. */
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
    ID_GROUP_BLOCKS = 16, /* whose records share 2 MiB */
    ID_SMALL_BLOCKS = 2,  /* the first ones, whose records are mapped one by one where huge pages
                             are not asked for from the start */
    ID_GROUPS = KILN_BLOCK_MAX / ID_GROUP_BLOCKS + 1
};

/* From so many rounds on each version is looked at: half of the versions that a place has. */
#define ID_ROUNDS_MAX (UINT32_MAX / 4)

/* Clearing the world visits no record: a block whose entities all died at once is *stale*. Readers
 * then see the records of `dead` in its place, and whoever holds it next ends what still reads as
 * alive, right before it writes there anyway.
 *
 * That needs no look at the records: each place is taken once in a round of the cursor at most, so
 * no version is above twice the rounds begun, and this number ends them all. A version may jump so:
 * where places are taken one by one in a block that is all but full, each may begin a round. So a
 * place may lose versions that it never had, but no more than half of all, see ID_ROUNDS_MAX. */
typedef struct kiln_id_block {
    _Atomic(uint64_t) taken[ID_WORDS];
    atomic_uint busy;
    _Atomic(uint32_t) retired;
    uint32_t number;
    /* The holder's alone. */
    uint32_t cursor;     /* the next word to take from */
    uint32_t spare_word; /* where `spare` lies */
    uint64_t spare;      /* places of that word that are taken and not handed out */
    /* Times that a word was taken after the cursor had set out from the first one; atomic, as the
     * next is, for those who count beside it. */
    _Atomic(uint32_t) rounds;
    _Atomic(uint32_t) is_stale;
    _Atomic(uint32_t) unborn; /* places of a hidden block that are not born, see id_hidden.h */
    /* 1: all places were born with the block's version, and none was given back since. */
    _Atomic(uint32_t) is_pure;
    kiln_record *records;
} kiln_id_block;

/* Consecutive places, of one block or of several that follow one another. */
typedef struct kiln_id_run {
    uint32_t first, count;
} kiln_id_run;

typedef struct kiln_id_lane {
    _Alignas(64) _Atomic(uint32_t) block; /* number + 1, or 0 */
} kiln_id_lane;

typedef struct kiln_id_store {
    kiln_id_lane lanes[ID_LANES];          /* the first is that of changing calls */
    _Atomic(uint64_t) open[ID_OPEN_WORDS]; /* blocks that may have a free place */
    _Atomic(void *) groups[ID_GROUPS];     /* records of 16 blocks each, behind the small blocks */
    KILN_ATOMIC(kiln_record *) * records;  /* KILN_BLOCK_MAX of them, as readers see them */
    _Atomic(kiln_id_block *) *blocks;      /* KILN_BLOCK_MAX of them */
    kiln_record *dead;                     /* a block of zeros */
    kiln_id_run stash; /* places set aside for one changing call after another: one by one, no
                          atomic operation is needed */
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

/* `def` has its pages and allocator set, and both outlive the store. */
kiln_status kiln_id_store_init(kiln_id_store *store, const kiln_world_def *def);
void kiln_id_store_fini(kiln_id_store *store);

typedef enum kiln_id_user { ID_ANY, ID_CHANGING } kiln_id_user;

/* Takes up to `want` consecutive places that are free; none are born yet. KILN_LIMIT,
 * KILN_NO_MEMORY where there is not even one. */
kiln_status kiln_id_take(kiln_id_store *store, kiln_id_user user, uint32_t want,
                         kiln_id_run *ret_run);
/* All places of a block that was stale, or new. The caller writes every record, without looking at
 * them, and readers see them when it shows them; or it hides the block, see id_hidden.h. */
typedef struct kiln_id_whole {
    kiln_record *records; /* NULL: none */
    uint32_t first;
    uint32_t version; /* with which all of them are born; one less where they are not */
} kiln_id_whole;

/* Takes the next block, where that is a stale or a new one: false otherwise. For a changing call.
 */
bool kiln_id_take_whole(kiln_id_store *store, kiln_id_whole *ret_whole);
void kiln_id_show(kiln_id_store *store, const kiln_id_whole *whole);
/* Refills the stash, which is empty. */
kiln_status kiln_id_fill_stash(kiln_id_store *store);
/* Gives places back whose entities are dead, or were never born, of no hidden block. */
void kiln_id_give_back(kiln_id_store *store, kiln_id_run run);
/* Ends all entities of the run, which live and are seen, and gives their places back. */
void kiln_id_end_run(kiln_id_store *store, kiln_id_run run);
/* Ends the entity, if it still lives with that version and no other thread is quicker. */
bool kiln_id_end(kiln_id_store *store, kiln_entity entity);
/* Ends everything. */
void kiln_id_clear(kiln_id_store *store);
/* Whether all entities of the block of that index were born with that version, and live. */
bool kiln_id_is_pure(const kiln_id_store *store, uint32_t index, uint32_t version);
/* Ends all entities of such a block without a look at them, as kiln_id_clear does. */
void kiln_id_end_pure(kiln_id_store *store, uint32_t index);

static inline uint32_t kiln_id_rounds(const kiln_id_block *block)
{
    return atomic_load_explicit(&block->rounds, memory_order_relaxed);
}

/* Whether there could ever be so many: asked before blocks are made in vain. */
static inline bool kiln_id_could_hold(const kiln_id_store *store, uint32_t count)
{
    return count <= store->max_blocks * KILN_BLOCK_ENTITIES;
}

/* One place for a changing call. */
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

/* Puts the place back that kiln_id_take_one just gave. */
static inline void kiln_id_put_back(kiln_id_store *store)
{
    store->stash.count++;
    store->stash.first--;
}

/* The record of an index that lives or was taken. */
static inline kiln_record *kiln_id_record(const kiln_id_store *store, uint32_t index)
{
    kiln_record *block =
        atomic_load_explicit(&store->records[index / KILN_BLOCK_ENTITIES], memory_order_acquire);
    return &block[index % KILN_BLOCK_ENTITIES];
}

/* Before births in places that were taken: the system gives a page twice, with all processors
 * waiting for it, where it is read before it is written to. So each page of their records is
 * written to first; what is written has long been so. */
static inline void kiln_id_touch(kiln_record *records, uint32_t count)
{
    enum { PAGE_RECORDS = 4096 / sizeof(kiln_record) };
    for (uint32_t i = 0; i < count; i += PAGE_RECORDS)
        records[i].is_retired = 0;
    if (count > 0)
        records[count - 1].is_retired = 0;
}

/* Brings a taken place to life as a bare entity and gives its version; its place is 0 already. */
static inline uint32_t kiln_id_revive(kiln_record *record)
{
    uint32_t version = atomic_load_explicit(&record->version, memory_order_relaxed) + 1;
    atomic_store_explicit(&record->version, version, memory_order_release);
    return version;
}

/* The same with a place in a chunk. The place comes last, as it goes first where an entity ends: a
 * record has one only while its version is odd. */
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
