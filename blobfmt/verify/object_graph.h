/* A value as a graph of objects, from which a payload is written: builders and the rewriting
 * into canonical form share this code.
 *
 * Objects are collected from a source, each once, children before parents, and an object's
 * references from the last to the first. The collected bytes are *clean*: padding is zero, and each
 * relative field holds the number of the child plus 1 in place of its offset. With `share`, equal
 * objects get one number. By induction, two objects of one unit, size and alignment are then equal
 * values exactly if their clean bytes are equal. All objects below an object that equals an earlier
 * one have been met before it, so merging never changes an order: the numbers are the canonical
 * order reversed (FORMAT.md section 8). Finally the objects are placed and written.
 *
 * Parts: object_graph.c (collecting), object_intern.c (numbers), object_sort.c (entries of maps),
 * object_layout.c (placing and writing). */
#ifndef KILN_OBJECT_GRAPH_H
#define KILN_OBJECT_GRAPH_H

#include "arena.h"
#include "hash_table.h"
#include "object_form.h"
#include "object_plan.h"
#include "object_source.h"

#include <kiln/relative.h>
#include <kiln/status.h>
#include <string.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct graph_object {
    const unsigned char *bytes; /* clean */
    uint32_t size, unit;
    uint32_t place;
    uint8_t align_log2;
    uint8_t height;  /* objects nested on the longest path down, including itself */
    bool has_fields; /* its bytes contain numbers of children */
} graph_object;

/* An object in a queue for its number. Numbers are assigned in the order of the queue. The delay
 * lets a prefetch load the slot of the hash table in which an equal object would be. */
enum { PENDING_OBJECTS = 8, PENDING_BYTES = 128 };
typedef struct pending_object {
    graph_object object;
    uint32_t hash;
    bool is_passing;   /* its clean bytes are in `bytes`, and are copied if no object is equal */
    unsigned char *to; /* receives the number plus 1, unless NULL */
    uint32_t *note;    /* likewise */
    KILN_ALIGNAS(8) unsigned char bytes[PENDING_BYTES];
} pending_object;

/* A relative field on the path to a failure. */
typedef struct graph_step {
    uint32_t from;   /* in the bytes of its object in the source */
    uint32_t choice; /* of a union: the chosen member's number plus 1; otherwise 0 */
} graph_step;

typedef struct graph {
    const kiln_types *types;
    kiln_allocator allocator;
    object_source source;
    bool share; /* equal objects are merged, and NaNs get one pattern */
    plan_list plans;
    arena bytes;
    vector objects;   /* graph_object, by number */
    hash_table table; /* sharing: numbers by hash */
    uint64_t seed;
    pending_object pending[PENDING_OBJECTS]; /* a ring */
    uint32_t pending_first, pending_count;
    uint32_t size, align; /* after kiln_graph_place */
    kiln_status status;   /* of a collection that failed; `trail` has the fields on the path to the
                             failure, the innermost first */
    graph_step trail[KILN_DEPTH_MAX];
    uint32_t trail_count;
} graph;

static inline uint32_t graph_read_u32(const unsigned char *at)
{
    uint32_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

static inline void graph_write_u32(unsigned char *at, uint32_t number)
{
    memcpy(at, &number, sizeof number);
}

void kiln_graph_init(graph *g, const kiln_types *types, const kiln_allocator *allocator);
void kiln_graph_fini(graph *g);
/* Removes all objects and keeps the memory. */
void kiln_graph_reset(graph *g);
/* The same, but frees nearly all memory. */
void kiln_graph_trim(graph *g);

/* Collects everything from the root on, which is one value of `type` at `data` in g->source. The
 * root is the last object. */
kiln_status kiln_graph_collect(graph *g, uint32_t type, const unsigned char *data, bool share);
/* object_intern.c: queues an object; `note` is NOTE_PENDING until it has a number. With
 * `is_passing`, its bytes are at most PENDING_BYTES and are copied. False if memory runs out. */
bool kiln_graph_queue(graph *g, const graph_object *object, bool is_passing, unsigned char *to,
                      uint32_t *note);
/* Assigns numbers to all queued objects; false if memory runs out. */
bool kiln_graph_flush(graph *g);
/* object_sort.c: the order of a builder's map entries by key; NULL if they are sorted already.
 * False if memory runs out. */
bool kiln_graph_sort_entries(graph *g, uint32_t map, const unsigned char *data, uint32_t count,
                             uint32_t **ret_order);

/* object_layout.c: places each object, and sets `size` and `align` to the payload's. */
kiln_status kiln_graph_place(graph *g);
/* Writes the payload: `size` bytes, all of them. */
void kiln_graph_write(graph *g, unsigned char *payload);
/* After kiln_graph_collect: places the objects, and writes a whole blob of this root type. */
kiln_status kiln_graph_write_blob(graph *g, uint32_t type, unsigned kind, kiln_buffer *ret_blob);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
