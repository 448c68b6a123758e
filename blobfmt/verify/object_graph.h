/* A value as a graph of objects, from which a payload is written. Builders and kiln_canonicalize
 * share this code.
 *
 * Objects are collected from a source, children before parents. The fields of an object are
 * followed from the last to the first. The collected bytes are *clean*: padding is zero, and each
 * relative field contains the number of the child plus 1 instead of its offset. With `share`, equal
 * objects get the same number. By induction, two objects with the same unit, size and alignment are
 * then equal values if and only if their clean bytes are equal. If an object equals an earlier one,
 * so do all objects below it, so merging never changes the order: the numbers are the reverse of
 * the canonical order (FORMAT.md section 8). Finally, the objects are placed and written.
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
    uint8_t height;  /* number of objects on the longest path down, including itself */
    bool has_fields; /* its bytes contain numbers of children */
} graph_object;

/* An object that is queued for its number. Numbers are assigned in queue order. The delay gives a
 * prefetch time to load the slot of the hash table where an equal object would be. */
enum { PENDING_OBJECTS = 8, PENDING_BYTES = 128 };
typedef struct pending_object {
    graph_object object;
    uint32_t hash;
    bool is_temporary; /* its clean bytes are in `bytes`, and are copied if it is new */
    unsigned char *to; /* NULL, or receives the number plus 1 */
    uint32_t *note;    /* NULL, or receives the number plus 1 */
    KILN_ALIGNAS(8) unsigned char bytes[PENDING_BYTES];
} pending_object;

/* A relative field on the path to the failure. */
typedef struct graph_step {
    uint32_t from;   /* offset in its object in the source */
    uint32_t choice; /* of a union: the chosen member's number plus 1; otherwise 0 */
} graph_step;

typedef struct graph {
    const kiln_types *types;
    kiln_allocator allocator;
    object_source source;
    bool share; /* merge equal objects, and make NaNs canonical */
    plan_list plans;
    arena bytes;
    vector objects;   /* graph_object, by number */
    hash_table table; /* with `share`: numbers by hash */
    uint64_t seed;
    pending_object pending[PENDING_OBJECTS]; /* a ring */
    uint32_t pending_first, pending_count;
    uint32_t size, align; /* after kiln_graph_place */
    kiln_status status;   /* of a failed collection; `trail` then has the fields on the path to the
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
/* Removes all objects but keeps the memory. */
void kiln_graph_reset(graph *g);
/* Like kiln_graph_reset, but keeps only a little memory. */
void kiln_graph_trim(graph *g);

/* Collects the root, one value of `type` at `data` in g->source, and everything below it. The root
 * becomes the last object. */
kiln_status kiln_graph_collect(graph *g, uint32_t type, const unsigned char *data, bool share);
/* object_intern.c: queues an object; `note` is NOTE_PENDING until it has a number. With
 * `is_temporary`, its bytes are at most PENDING_BYTES and are copied. False if memory runs out. */
bool kiln_graph_queue(graph *g, const graph_object *object, bool is_temporary, unsigned char *to,
                      uint32_t *note);
/* Assigns numbers to all queued objects; false if memory runs out. */
bool kiln_graph_flush(graph *g);
/* object_sort.c: the order of a builder's map entries by key; NULL if they are sorted already.
 * False if memory runs out. */
bool kiln_graph_sort_entries(graph *g, uint32_t map, const unsigned char *data, uint32_t count,
                             uint32_t **ret_order);

/* object_layout.c: places each object, and sets `size` and `align` to the payload's. */
kiln_status kiln_graph_place(graph *g);
/* Writes all `size` bytes of the payload. */
void kiln_graph_write(graph *g, unsigned char *payload);
/* After kiln_graph_collect: places the objects, and writes a whole blob of this root type. */
kiln_status kiln_graph_write_blob(graph *g, uint32_t type, unsigned kind, kiln_buffer *ret_blob);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
