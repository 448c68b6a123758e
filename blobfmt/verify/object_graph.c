/* Collects the objects of a value into a graph: the recursive part of object_graph.h.
 *
 * Order matters here. An object's fields are followed from the last to the first, and the object
 * gets its number after its children. The numbers are thus the reverse of the canonical order. An
 * object is hashed when it is queued (object_intern.c). By then, its bytes must contain the numbers
 * of its children, so the queue is flushed before an object with fields is queued.
 *
 * Builders may contain invalid values, such as an object inside itself, so depth and sizes are
 * checked. Payloads must have been verified. */
#include "object_graph.h"

#include <kiln/blob_header.h>

#include "hash.h"

#include <string.h>

/* In a payload, an object without fields and with at most CHEAP_SIZE bytes is hashed at each visit:
 * that costs no more than recording its start. KEPT_*: what kiln_graph_trim keeps. */
enum {
    GRAPH_BLOCK = 65536,
    CHEAP_SIZE = 128,
    WORD_BITS = 32,
    KEPT_BLOCKS = 4,
    KEPT_OBJECTS = 4096
};

void kiln_graph_init(graph *g, const kiln_types *types, const kiln_allocator *allocator)
{
    memset(g, 0, sizeof *g);
    g->types = types;
    g->allocator = allocator_or_default(allocator);
    kiln_arena_init(&g->bytes, &g->allocator, GRAPH_BLOCK);
    kiln_plan_list_init(&g->plans, types, &g->allocator);
}

void kiln_graph_fini(graph *g)
{
    kiln_arena_fini(&g->bytes);
    kiln_plan_list_fini(&g->plans);
    kiln_vector_fini(&g->objects, &g->allocator, sizeof(graph_object));
    kiln_hash_table_fini(&g->table, &g->allocator);
    kiln_vector_fini(&g->source.noted, &g->allocator, sizeof(builder_object *));
}

void kiln_graph_reset(graph *g)
{
    kiln_arena_reset(&g->bytes);
    g->objects.count = 0;
    kiln_hash_table_reset(&g->table, &g->allocator);
}

void kiln_graph_trim(graph *g)
{
    kiln_graph_reset(g);
    kiln_arena_trim(&g->bytes, KEPT_BLOCKS);
    if (g->objects.capacity > KEPT_OBJECTS)
        kiln_vector_fini(&g->objects, &g->allocator, sizeof(graph_object));
}

/* Returns 0, which callers return instead of a height. */
static uint32_t fail(graph *g, kiln_status status)
{
    g->status = status;
    return 0;
}

/* Where to store the number of an object once it is known. */
typedef struct number_sink {
    unsigned char *to; /* clean bytes of the field that points to it, or NULL */
    uint32_t *note;    /* or NULL */
} number_sink;

/* An object that is being collected, and the maximum height of its children so far. */
typedef struct collect_state {
    const unsigned char *data;
    uint32_t depth;
    uint32_t height;
} collect_state;

/* Returns the object's height; 0 after a failure. */
static uint32_t collect_object(graph *g, const object_form *form, const unsigned char *data,
                               uint32_t count, uint32_t depth, number_sink sink);

/* A field of this form points to an object that already has a number. The object's size has been
 * checked, but an object of the same size can still have a different type or alignment. */
static uint32_t collect_known(graph *g, uint32_t number, const object_form *form, unsigned char *to)
{
    const graph_object *object = (graph_object *)g->objects.items + number;
    if (object->unit != form->unit || 1u << object->align_log2 != form->align)
        return fail(g, KILN_V_SHARE);
    graph_write_u32(to, number + 1);
    return object->height;
}

/* Records that the `note` of a library object is set. Other builders use the library, too, so these
 * notes must be cleared after the collection. */
static bool record_noted(graph *g, builder_object *object)
{
    builder_object **noted =
        kiln_vector_push(&g->source.noted, &g->allocator, 1, sizeof(builder_object *));
    if (noted)
        *noted = object;
    return noted != NULL;
}

static void clear_library_notes(graph *g)
{
    builder_object **noted = g->source.noted.items;
    for (size_t i = 0; i < g->source.noted.count; i++)
        noted[i]->note = 0;
    g->source.noted.count = 0;
    g->source.in_library = false;
}

static uint32_t collect_built(graph *g, const unsigned char *field, const object_form *form,
                              uint32_t count, uint32_t depth, unsigned char *to)
{
    object_source *source = &g->source;
    kiln_status status = KILN_OK;
    bool in_library, before = source->in_library;
    builder_object *object = builder_target(source, field, form, count, &status, &in_library);
    if (!object)
        return fail(g, status);
    if (object->note == NOTE_BUSY)
        return fail(g, KILN_V_DEPTH); /* an object inside itself */
    if (object->note == NOTE_PENDING && !kiln_graph_flush(g))
        return 0;
    if (object->note)
        return collect_known(g, object->note - 1, form, to);
    if (in_library && !record_noted(g, object))
        return fail(g, KILN_NO_MEMORY);
    object->note = NOTE_BUSY;
    number_sink sink = {to, &object->note};
    source->in_library = in_library;
    uint32_t height = collect_object(g, form, object->data, count, depth, sink);
    source->in_library = before;
    return height;
}

static bool is_leaf(const graph *g, const object_form *form)
{
    return form->type == KILN_TYPE_NONE ||
           (!unit_is_entries(form->unit) && !type_at(g->types, form->type)->has_pointers);
}

/* An object of a payload is identified by its start. The first visit only sets a bit. The second
 * visit collects the object again, finds it equal to the first result, and stores its number in
 * `revisited`, where later visits find it. So an object with only one field that points to it, the
 * usual case, needs no lookup, and no object is collected more than twice. */
static uint32_t collect_stored(graph *g, const unsigned char *field, const object_form *form,
                               uint32_t count, uint32_t depth, unsigned char *to)
{
    object_source *source = &g->source;
    const unsigned char *data = field + graph_read_u32(field);
    number_sink sink = {to, NULL};
    if ((uint64_t)form->size * count <= CHEAP_SIZE && is_leaf(g, form))
        return collect_object(g, form, data, count, depth, sink);
    uint32_t start = (uint32_t)(data - source->payload), word = start / 4;
    uint32_t bit = UINT32_C(1) << word % WORD_BITS;
    if (!(source->seen[word / WORD_BITS] & bit)) {
        source->seen[word / WORD_BITS] |= bit;
        return collect_object(g, form, data, count, depth, sink);
    }
    /* Multiplication by an odd number and xor-shift are invertible, so different starts have
     * different hashes, and slots need no further comparison. */
    uint32_t hash = (start ^ source->seed) * UINT32_C(0x9e3779b1);
    hash ^= hash >> 15;
    if (!hash_table_reserve(&source->revisited, &g->allocator))
        return fail(g, KILN_NO_MEMORY);
    hash_slot *slot = hash_table_first(&source->revisited, hash);
    if (slot->link) {
        graph_write_u32(to, slot->link);
        return ((graph_object *)g->objects.items)[slot->link - 1].height;
    }
    uint32_t height = collect_object(g, form, data, count, depth, sink);
    if (height == 0 || !kiln_graph_flush(g))
        return 0;
    if (!hash_table_reserve(&source->revisited, &g->allocator))
        return fail(g, KILN_NO_MEMORY);
    hash_table_put_hash(&source->revisited, hash_table_first(&source->revisited, hash), hash,
                        graph_read_u32(to) - 1);
    return height;
}

/* Collects the object that the field at `from` points to. Its number goes into the clean bytes at
 * `to`. On failure, adds the field to the trail. */
static bool collect_field(graph *g, collect_state *c, const object_form *form, uint32_t choice,
                          const unsigned char *from, uint32_t count, unsigned char *to)
{
    uint32_t height = g->source.payload ? collect_stored(g, from, form, count, c->depth + 1, to)
                                        : collect_built(g, from, form, count, c->depth + 1, to);
    if (height == 0) {
        graph_step step = {(uint32_t)(from - c->data), choice};
        if (g->trail_count < KILN_DEPTH_MAX)
            g->trail[g->trail_count++] = step;
        return false;
    }
    c->height = height > c->height ? height : c->height;
    return true;
}

static bool collect_union(graph *g, collect_state *c, const kiln_type *type,
                          const unsigned char *from, unsigned char *to)
{
    const kiln_member *member = kiln_type_value(type, graph_read_u32(from));
    if (graph_read_u32(from + 4) == 0)
        return true;
    /* A builder's union may have a pointer that its tag does not allow. The result gets a pointer,
     * too, so that the verifier rejects it. */
    if (!member || member->type == KILN_TYPE_NONE) {
        graph_write_u32(to + 4, 1);
        return true;
    }
    object_form form =
        object_form_of_values(g->types, member->type, type_at(g->types, member->type)->align);
    uint32_t choice = (uint32_t)(member - type->members) + 1;
    return collect_field(g, c, &form, choice, from + 4, 1, to + 4);
}

/* Collects the fields of one value, from the last to the first. Recurses no deeper than types nest
 * by value, except through collect_object. */
static bool collect_value(graph *g, collect_state *c, const object_plan *plan,
                          const unsigned char *from, unsigned char *to)
{
    for (uint32_t i = plan->field_count; i-- > 0;) {
        const field_step *step = &plan->fields[i];
        const unsigned char *field = from + step->at;
        unsigned char *clean = to + step->at;
        bool good = true;
        if (step->kind == FIELD_COUNTED || step->kind == FIELD_POINTER) {
            uint32_t count = step->kind == FIELD_POINTER ? 1 : graph_read_u32(field + 4);
            if (graph_read_u32(field))
                good = collect_field(g, c, &step->form, 0, field, count, clean);
        } else if (step->kind == FIELD_UNION) {
            good = collect_union(g, c, type_at(g->types, step->type), field, clean);
        } else {
            const object_plan *inner = plan_of(&g->plans, step->type, false);
            for (uint32_t k = step->count; good && k-- > 0;)
                good = collect_value(g, c, inner, field + (size_t)k * inner->size,
                                     clean + (size_t)k * inner->size);
        }
        if (!good)
            return false;
    }
    return true;
}

/* Where to write the clean bytes of values: over the original if it may be overwritten, into
 * `small` if they fit, otherwise into the arena. */
static unsigned char *clean_place(graph *g, const graph_object *object, const uint32_t *order,
                                  unsigned char *small)
{
    if (g->source.in_place && !g->source.in_library && !order)
        return (unsigned char *)(uintptr_t)object->bytes;
    return object->size <= PENDING_BYTES ? small : kiln_arena_alloc(&g->bytes, object->size, 8);
}

/* Queues an object whose clean bytes are at `to`. */
static uint32_t queue_values(graph *g, graph_object *object, const unsigned char *to,
                             const unsigned char *small, number_sink sink)
{
    bool is_arena = to != small && to != object->bytes;
    size_t before = g->objects.count;
    /* Objects in the arena are numbered immediately: if an equal object exists, their memory is
     * still the newest allocation and can be released. */
    object->bytes = to;
    if (!kiln_graph_queue(g, object, to == small, sink.to, sink.note))
        return 0;
    if (is_arena && !kiln_graph_flush(g))
        return 0;
    if (is_arena && g->objects.count == before)
        kiln_arena_release(&g->bytes, to, object->size);
    return object->height;
}

/* Collects values whose bytes may not be clean: they have padding, floats, relative fields, or a
 * different order. */
static uint32_t collect_values(graph *g, graph_object *object, const object_plan *plan,
                               uint32_t count, const uint32_t *order, uint32_t depth,
                               number_sink sink)
{
    KILN_ALIGNAS(8) unsigned char small[PENDING_BYTES];
    const unsigned char *data = object->bytes;
    unsigned char *to = clean_place(g, object, order, small);
    if (!to)
        return fail(g, KILN_NO_MEMORY);
    for (uint32_t i = 0; order && i < count; i++)
        memcpy(to + (size_t)i * plan->size, data + (size_t)order[i] * plan->size, plan->size);
    if (to != data && !order)
        memcpy(to, data, object->size);
    kiln_plan_tidy(&g->plans, plan, to, count, g->share);
    /* The original was already clean, so the copy is not needed. */
    if (!plan->field_count && to != data && memcmp(to, data, object->size) == 0) {
        if (to != small)
            kiln_arena_release(&g->bytes, to, object->size);
        to = (unsigned char *)(uintptr_t)data;
    }
    collect_state c = {data, depth, 0};
    for (uint32_t i = plan->field_count ? count : 0; i-- > 0;)
        if (!collect_value(g, &c, plan, data + (size_t)(order ? order[i] : i) * plan->size,
                           to + (size_t)i * plan->size))
            return 0;
    if (c.height >= KILN_DEPTH_MAX)
        return fail(g, KILN_V_DEPTH);
    /* The bytes must contain the numbers of the children before they are hashed. */
    if (plan->field_count && !kiln_graph_flush(g))
        return 0;
    object->height = (uint8_t)(c.height + 1);
    object->has_fields = plan->field_count > 0;
    return queue_values(g, object, to, small, sink);
}

static uint32_t collect_object(graph *g, const object_form *form, const unsigned char *data,
                               uint32_t count, uint32_t depth, number_sink sink)
{
    if (depth > KILN_DEPTH_MAX)
        return fail(g, KILN_V_DEPTH);
    uint64_t size = (uint64_t)form->size * count + (form->unit == UNIT_STRING);
    if (size > KILN_PAYLOAD_MAX)
        return fail(g, KILN_TOO_LARGE);
    uint8_t align_log2 = (uint8_t)floor_log2(form->align);
    graph_object object = {data, (uint32_t)size, form->unit, 0, align_log2, 1, false};
    if (form->type == KILN_TYPE_NONE)
        return kiln_graph_queue(g, &object, false, sink.to, sink.note);
    bool is_entries = unit_is_entries(form->unit);
    const object_plan *plan = plan_of(&g->plans, form->type, is_entries);
    if (!plan)
        return fail(g, KILN_NO_MEMORY);
    uint32_t *order = NULL;
    if (is_entries && !g->source.payload &&
        !kiln_graph_sort_entries(g, form->type, data, count, &order))
        return fail(g, KILN_NO_MEMORY);
    bool is_clean = plan->field_count == 0 && plan->tidy_count == 0 && !order;
    if (is_clean || (!is_entries && type_at(g->types, form->type)->plain && !g->share))
        return kiln_graph_queue(g, &object, false, sink.to, sink.note);
    return collect_values(g, &object, plan, count, order, depth, sink);
}

kiln_status kiln_graph_collect(graph *g, uint32_t type, const unsigned char *data, bool share)
{
    const kiln_type *root = type_at(g->types, type);
    number_sink no_sink = {NULL, NULL};
    g->share = share;
    g->seed = kiln_hash_seed(g->objects.items);
    g->source.seed = (uint32_t)g->seed;
    g->trail_count = 0;
    g->pending_count = 0;
    g->status = KILN_OK;
    object_form form = object_form_of_values(g->types, type, root->align);
    if (collect_object(g, &form, data, 1, 1, no_sink))
        kiln_graph_flush(g);
    clear_library_notes(g);
    return g->status;
}
