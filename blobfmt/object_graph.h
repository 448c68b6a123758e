/* A value as a graph of objects on its way to bytes: what the builder's finish and the canonical
 * form have in common.
 *
 * Objects are collected from a *source* (a builder's memory, or a verified payload), each once,
 * children before parents. Collected bytes are clean: padding zero, and in each relative field the
 * number of the child, plus 1, in place of its offset. So two objects of one unit, count and
 * alignment are equal values exactly when their clean bytes are equal, once equal children have one
 * number; with `share` such objects are one. Then objects are put in the published order (FORMAT.md
 * section 8), placed, and written. */
#ifndef KILN_OBJECT_GRAPH_H
#define KILN_OBJECT_GRAPH_H

#include "arena.h"
#include "object_form.h"

#include <kiln/status.h>
#include <string.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* The object that a relative field of the source names. */
typedef struct graph_target {
    const unsigned char *data;
    uint32_t id; /* the source's own number for the object */
} graph_target;

typedef struct graph_source {
    void *ctx;
    /* `field` lies in the source and has a non-zero offset; its object holds `count` values of
     * `form` (of a string: bytes without the NUL). */
    kiln_status (*resolve)(void *ctx, const unsigned char *field, const object_form *form,
                           uint32_t count, graph_target *ret_target);
    /* Where the graph keeps what it knows of object `id`; 0 at first. Good until the next call into
     * the source. */
    uint32_t *(*note)(void *ctx, uint32_t id);
    bool sort_maps; /* entries may come in any order */
} graph_source;

typedef struct graph_object {
    const unsigned char *bytes; /* clean */
    uint64_t hash;
    uint32_t size, unit, count, align;
    uint32_t first_ref, ref_count;
    uint32_t height; /* objects nested on the longest way down, itself included */
    uint32_t place;  /* UINT32_MAX before it is in the order */
} graph_object;

/* A relative field of an object under collection. */
typedef struct graph_slot {
    uint32_t from; /* in the source's bytes */
    uint32_t at;   /* in the clean bytes */
    uint32_t count;
    uint32_t type; /* of the field; with SLOT_VALUE that of the union's chosen value */
} graph_slot;

#define SLOT_VALUE UINT32_C(0x80000000)

typedef struct graph {
    const kiln_types *types;
    kiln_allocator allocator;
    const graph_source *source;
    bool share; /* equal objects are one, and NaNs have one pattern */
    arena bytes;
    vector objects;  /* graph_object */
    vector refs;     /* uint32_t: where in its object's bytes a child's number stands */
    vector slots;    /* graph_slot: fields of objects under collection */
    vector order;    /* uint32_t: object numbers in the order of their places */
    uint32_t *table; /* sharing: object number plus 1, by hash; a power of two */
    uint32_t table_slots;
    uint64_t seed;
    uint32_t root, size, align; /* after graph_place */
    /* After a failure: the fields on the way to it, the innermost first. */
    graph_slot trail[KILN_DEPTH_MAX];
    uint32_t trail_count;
} graph;

static inline uint32_t graph_read_u32(const unsigned char *at)
{
    uint32_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

/* The object that the relative field at `at` of a collected object leads to. */
static inline uint32_t graph_child(const graph_object *object, uint32_t at)
{
    return graph_read_u32(object->bytes + at) - 1;
}

static inline void graph_write_u32(unsigned char *at, uint32_t number)
{
    memcpy(at, &number, sizeof number);
}

void kiln_graph_init(graph *g, const kiln_types *types, const kiln_allocator *allocator);
void kiln_graph_fini(graph *g);
/* Forgets all objects, keeps memory. */
void kiln_graph_reset(graph *g);

/* Collects everything from the root on: one value of `type` at `data` in the source. */
kiln_status kiln_graph_collect(graph *g, const graph_source *source, uint32_t type,
                               const unsigned char *data, bool share);
/* object_clean.c: fills `object` with the clean bytes of its count values at `data`; relative
 * fields become slots. False when memory ran out. */
bool kiln_graph_clean(graph *g, const object_form *form, const unsigned char *data,
                      graph_object *object);

/* Gives each object its place; then `size` and `align` are the payload's. */
kiln_status kiln_graph_place(graph *g);
/* Writes the payload: `size` bytes, all of them. */
void kiln_graph_write(const graph *g, unsigned char *payload);
/* All three after a collect: a whole blob of this root type. */
kiln_status kiln_graph_write_blob(graph *g, uint32_t type, unsigned kind, kiln_buffer *ret_blob);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
