/* Objects that fields point to, but that a sweep (sweep.h) has not reached yet. A field *makes* a
 * promise; the sweep *keeps* it when it reaches the object. */
#ifndef KILN_PROMISE_TABLE_H
#define KILN_PROMISE_TABLE_H

#include <kiln/allocator.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct promise {
    uint32_t start; /* 0: an empty slot, because no field points to the root */
    uint32_t count;
    uint32_t form; /* program_target */
} promise;

enum {
    PROMISE_LOCAL_SLOTS = 32,
    PROMISE_WAITING_MAX = 64,
    PROMISE_WAITING_MORE = 16,
    PROMISE_FILTER_BYTES = 8 /* per slot */
};

/* Open addressing. Every object must be looked up when it is reached, and most were never promised.
 * The filter detects that with one load. Each promise sets a byte that its start selects; adjacent
 * objects have adjacent bytes. New promises are collected in a list before they are inserted, so
 * that their slots can be prefetched together. */
typedef struct promise_table {
    promise *slots; /* followed by the filter, unless local; NULL before the first promise */
    unsigned char *filter;
    uint32_t filter_mask;
    uint32_t slot_bits, count; /* 2^slot_bits slots, at most half of them used */
    uint32_t open;             /* inserted promises that have not been kept yet */
    promise *waiting_end; /* in `waiting`, which has room for a few more than PROMISE_WAITING_MAX */
    bool no_memory;
    kiln_allocator allocator;
    promise waiting[PROMISE_WAITING_MAX + PROMISE_WAITING_MORE];
    promise local_slots[PROMISE_LOCAL_SLOTS];
    unsigned char local_filter[PROMISE_LOCAL_SLOTS * PROMISE_FILTER_BYTES];
} promise_table;

void kiln_promise_table_init(promise_table *table, const kiln_allocator *allocator);
void kiln_promise_table_fini(promise_table *table);

/* Inserts the promises in the list. False if two promises for one start differ, if too many starts
 * collide, or if memory runs out (`no_memory`). */
bool kiln_promise_table_flush(promise_table *table);
/* promise_table_keep without the filter. Returns true for an empty array (`count` 0). */
bool kiln_promise_table_keep(promise_table *table, uint32_t start, uint32_t count, uint32_t form);
/* Whether all promises were kept. */
bool kiln_promise_table_is_kept(promise_table *table);

static inline unsigned char *promise_filter_at(const promise_table *table, uint32_t start)
{
    return &table->filter[start / 4 & table->filter_mask];
}

/* Promises that the sweep will reach the object. Fails like kiln_promise_table_flush. */
static inline bool promise_table_make(promise_table *table, const promise *object)
{
    *promise_filter_at(table, object->start) = 1;
    *table->waiting_end++ = *object;
    return table->waiting_end < table->waiting + PROMISE_WAITING_MAX ||
           kiln_promise_table_flush(table);
}

/* The sweep has reached the object, which happens once for each object. False if a different object
 * was promised at this start; also fails like kiln_promise_table_flush. */
static inline bool promise_table_keep(promise_table *table, const promise *object)
{
    return !*promise_filter_at(table, object->start) ||
           kiln_promise_table_keep(table, object->start, object->count, object->form);
}

static inline bool promise_equals(const promise *a, const promise *b)
{
    return a->start == b->start && a->count == b->count && a->form == b->form;
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
