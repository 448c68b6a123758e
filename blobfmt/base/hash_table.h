/* Hash tables that map a key to the number of a row. The caller stores the rows, which can be
 * anything.
 *
 * Open addressing with linear probing. A slot holds the row's number and 32 bits of the key's hash.
 * A probe that meets another row therefore usually skips it without reading the row, and a table
 * can grow without reading any row. Rows cannot be removed one by one.
 *
 * HASH_TABLE defines the lookup functions for one type of key. The compiler inlines the hash and
 * comparison functions into the loop.
 *
 *     static bool is_asset(const writer *w, uint32_t number, uint64_t id)
 *     {
 *         return w->assets[number].id == id;
 *     }
 *     HASH_TABLE(assets_by_id, const writer *, uint64_t, hash_of_number, is_asset)
 *
 *     uint32_t number = assets_by_id_find(&w->by_id, w, id);       // HASH_TABLE_NONE: no such row
 *
 *     if (!hash_table_reserve(&w->by_id, &w->allocator))           // before an insertion
 *         return no_memory;
 *     hash_slot *slot = assets_by_id_slot(&w->by_id, w, id);       // the row's, or empty
 *     if (!hash_slot_is_empty(slot))
 *         return hash_slot_number(slot);
 *     ...                                                          // append the row
 *     hash_table_put(&w->by_id, slot, number);
 *
 * Why not an existing table? Nanoseconds to add a row | to look up a key (half of the keys looked
 * up are present); gcc 12 -O2, AMD EPYC; strings of 20 bytes.
 *
 *     rows        this table     khash 0.2.8 (klib)   uthash 2.3.0
 *     100         7 | 4          21 | 4               14 | 8         64-bit keys
 *     10,000      16 | 16        34 | 12              43 | 27
 *     1,000,000   95 | 53        57 | 39              508 | 231
 *     100         9 | 7          53 | 16              26 | 14        strings
 *     10,000      17 | 20        77 | 42              62 | 41
 *     1,000,000   62 | 96        598 | 346            659 | 384 */
#ifndef KILN_HASH_TABLE_H
#define KILN_HASH_TABLE_H

#include "hash.h"

#include <kiln/allocator.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

#define HASH_TABLE_NONE UINT32_MAX

typedef struct hash_slot {
    uint32_t hash;
    uint32_t link; /* number plus 1; 0 is empty */
} hash_slot;

/* A zeroed table is empty. */
typedef struct hash_table {
    hash_slot *slots;
    uint32_t mask;        /* slots, a power of two, minus 1 */
    uint32_t count, most; /* rows, and the number of rows at which the table grows */
    uint64_t seed;        /* of hash_of_number and hash_of_text; random once the table has slots */
} hash_table;

void kiln_hash_table_fini(hash_table *table, const kiln_allocator *allocator);
/* Removes all rows; keeps the memory of a small table. */
void kiln_hash_table_reset(hash_table *table, const kiln_allocator *allocator);
/* Makes room for more rows. If memory runs out, returns false and leaves the table unchanged. */
bool kiln_hash_table_grow(hash_table *table, const kiln_allocator *allocator);

/* Makes room for one more row; false if memory runs out. Invalidates all slot pointers. */
static inline bool hash_table_reserve(hash_table *table, const kiln_allocator *allocator)
{
    return table->count < table->most || kiln_hash_table_grow(table, allocator);
}

static inline bool hash_slot_is_empty(const hash_slot *slot)
{
    return slot->link == 0;
}

/* The row number in a slot that is not empty. */
static inline uint32_t hash_slot_number(const hash_slot *slot)
{
    return slot->link - 1;
}

/* The first slot from `at` on that is empty or has this hash. */
static inline hash_slot *hash_table_skip(const hash_table *table, uint32_t at, uint32_t hash)
{
    while (table->slots[at].link && table->slots[at].hash != hash)
        at = (at + 1) & table->mask;
    return &table->slots[at];
}

/* For callers that compare rows themselves. A lookup begins with hash_table_first, which requires a
 * table with slots, and continues with hash_table_next until it reaches an empty slot. A new row
 * must be put into that slot. */
static inline hash_slot *hash_table_first(const hash_table *table, uint32_t hash)
{
    return hash_table_skip(table, hash & table->mask, hash);
}

static inline hash_slot *hash_table_next(const hash_table *table, const hash_slot *slot)
{
    uint32_t at = (uint32_t)(slot - table->slots);
    return hash_table_skip(table, (at + 1) & table->mask, slot->hash);
}

/* Inserts a row into the empty slot at which the last lookup ended. */
static inline void hash_table_put_hash(hash_table *table, hash_slot *slot, uint32_t hash,
                                       uint32_t number)
{
    slot->hash = hash;
    slot->link = number + 1;
    table->count++;
}

/* Like hash_table_put_hash, but for a slot from NAME_slot, which already holds the hash. */
static inline void hash_table_put(hash_table *table, hash_slot *slot, uint32_t number)
{
    hash_table_put_hash(table, slot, slot->hash, number);
}

/* Makes a slot that is not empty refer to another row with the same key. */
static inline void hash_slot_set_number(hash_slot *slot, uint32_t number)
{
    slot->link = number + 1;
}

/* An attacker may choose the numbers and strings, and must not be able to predict which of them
 * collide. The mixer is the one that XXH3 uses for eight bytes. */
static inline uint32_t hash_of_number(const hash_table *table, uint64_t number)
{
    uint64_t hash = number ^ table->seed;
    hash ^= (hash << 49 | hash >> 15) ^ (hash << 24 | hash >> 40);
    hash *= UINT64_C(0x9fb21c651e98df25);
    hash ^= (hash >> 35) + 8;
    hash *= UINT64_C(0x9fb21c651e98df25);
    return (uint32_t)(hash ^ hash >> 28);
}

typedef struct text_key {
    const char *text;
    size_t length;
} text_key;

static inline uint32_t hash_of_text(const hash_table *table, text_key key)
{
    return (uint32_t)kiln_hash64(key.text, key.length, table->seed);
}

#if defined(__GNUC__)
#define HASH_TABLE_MAY_BE_UNUSED __attribute__((unused))
#else
#define HASH_TABLE_MAY_BE_UNUSED
#endif

/* Defines NAME_slot and NAME_find of a table that finds rows of a `list_type` by a `key_type`.
 * `hash_of(table, key)` returns 32 bits; `is_same(list, number, key)` returns whether the row has
 * the key. NAME_find does not write, so threads may share a table that does not change. */
#define HASH_TABLE(name, list_type, key_type, hash_of, is_same)                                    \
    static inline hash_slot *name##_look_up(const hash_table *table, list_type list, key_type key, \
                                            uint32_t hash)                                         \
    {                                                                                              \
        hash_slot *slot = hash_table_first(table, hash);                                           \
        while (slot->link && !is_same(list, slot->link - 1, key))                                  \
            slot = hash_table_next(table, slot);                                                   \
        return slot;                                                                               \
    }                                                                                              \
    static inline HASH_TABLE_MAY_BE_UNUSED hash_slot *name##_slot(const hash_table *table,         \
                                                                  list_type list, key_type key)    \
    {                                                                                              \
        uint32_t hash = hash_of(table, key);                                                       \
        hash_slot *slot = name##_look_up(table, list, key, hash);                                  \
        slot->hash = hash;                                                                         \
        return slot;                                                                               \
    }                                                                                              \
    static inline HASH_TABLE_MAY_BE_UNUSED uint32_t name##_find(const hash_table *table,           \
                                                                list_type list, key_type key)      \
    {                                                                                              \
        return table->slots ? name##_look_up(table, list, key, hash_of(table, key))->link - 1      \
                            : HASH_TABLE_NONE;                                                     \
    }

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
