/* Assigns numbers to clean objects; equal objects get the same number (hash consing).
 *
 * Objects pass through a ring of PENDING_OBJECTS. When an object enters the ring, its hash is
 * computed and its slot in the table is prefetched; when it leaves, it is looked up. For a large
 * value the table does not fit in the cache, and each lookup would otherwise wait for memory. */
#include "hash_inline.h"
#include "object_graph.h"
#include "prefetch.h"
#include "same_bytes.h"

#include <string.h>

static inline bool same_object(const graph_object *a, const graph_object *b)
{
    return a->size == b->size && a->unit == b->unit && a->align_log2 == b->align_log2 &&
           same_bytes(a->bytes, b->bytes, a->size);
}

/* Whether the object may be equal to another one. If not, hashing and lookup are skipped. */
static bool may_have_equals(const graph *g, const graph_object *object)
{
    return g->share && !(object->unit == UNIT_STRING && g->source.unique_texts);
}

/* The object's number plus 1; 0 if memory runs out. */
static uint32_t add_object(graph *g, const pending_object *pending)
{
    const graph_object *object = &pending->object;
    unsigned char *kept = NULL;
    if (pending->is_temporary) {
        kept = kiln_arena_alloc(&g->bytes, object->size, 8);
        if (!kept)
            return 0;
        memcpy(kept, pending->bytes, object->size);
    }
    graph_object *added = kiln_vector_push(&g->objects, &g->allocator, 1, sizeof *added);
    if (!added)
        return 0;
    *added = *object;
    if (kept)
        added->bytes = kept;
    return (uint32_t)g->objects.count;
}

static uint32_t find_or_add(graph *g, const pending_object *pending)
{
    if (!may_have_equals(g, &pending->object))
        return add_object(g, pending);
    hash_slot *slot = hash_table_first(&g->table, pending->hash);
    const graph_object *objects = g->objects.items;
    for (; slot->link; slot = hash_table_next(&g->table, slot))
        if (same_object(&objects[slot->link - 1], &pending->object))
            return slot->link;
    uint32_t link = add_object(g, pending);
    if (link)
        hash_table_put_hash(&g->table, slot, pending->hash, link - 1);
    return link;
}

/* Assigns a number to the first queued object. */
static bool number_first(graph *g)
{
    const pending_object *pending = &g->pending[g->pending_first];
    uint32_t link = 0;
    if (hash_table_reserve(&g->table, &g->allocator))
        link = find_or_add(g, pending);
    if (!link) {
        g->status = KILN_NO_MEMORY;
        return false;
    }
    if (pending->to)
        graph_write_u32(pending->to, link);
    if (pending->note)
        *pending->note = link;
    g->pending_first = (g->pending_first + 1) % PENDING_OBJECTS;
    g->pending_count--;
    return true;
}

bool kiln_graph_flush(graph *g)
{
    while (g->pending_count > 0)
        if (!number_first(g))
            return false;
    return true;
}

bool kiln_graph_queue(graph *g, const graph_object *object, bool is_temporary, unsigned char *to,
                      uint32_t *note)
{
    if (g->pending_count == PENDING_OBJECTS && !number_first(g))
        return false;
    pending_object *pending =
        &g->pending[(g->pending_first + g->pending_count++) % PENDING_OBJECTS];
    pending->object = *object;
    pending->is_temporary = is_temporary;
    pending->to = to;
    pending->note = note;
    if (is_temporary) {
        memcpy(pending->bytes, object->bytes, object->size);
        pending->object.bytes = pending->bytes;
    }
    if (note)
        *note = NOTE_PENDING;
    if (!may_have_equals(g, object))
        return true;
    /* Unit and alignment are part of the seed, so objects that must not be shared rarely have the
     * same hash. */
    uint64_t form = object->unit + ((uint64_t)object->align_log2 << 32);
    pending->hash = (uint32_t)hash64_inline(object->bytes, object->size,
                                            g->seed + form * UINT64_C(0x9e3779b97f4a7c15));
    if (g->table.slots)
        prefetch(&g->table.slots[pending->hash & g->table.mask], 0);
    return true;
}
