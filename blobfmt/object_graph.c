#include "object_graph.h"

#include <kiln/blob_header.h>

#include "hash.h"
#include "hash_inline.h"

#include <string.h>

/* An object of a payload that holds no fields and is no larger than this is looked up by its bytes
 * each time it is met: that costs no more than remembering it. */
enum {
    GRAPH_BLOCK = 65536,
    CHEAP_SIZE = 128,
    WORD_BITS = 32,
    KEPT_BLOCKS = 4,
    KEPT_OBJECTS = 4096
};
#define NO_OBJECT UINT32_MAX

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
    kiln_hash_slots_fini(&g->table, &g->allocator);
}

void kiln_graph_reset(graph *g)
{
    kiln_arena_reset(&g->bytes);
    g->objects.count = 0;
    kiln_hash_slots_reset(&g->table, &g->allocator);
}

void kiln_graph_trim(graph *g)
{
    kiln_graph_reset(g);
    kiln_arena_trim(&g->bytes, KEPT_BLOCKS);
    if (g->objects.capacity > KEPT_OBJECTS)
        kiln_vector_fini(&g->objects, &g->allocator, sizeof(graph_object));
}

static uint32_t fail(graph *g, kiln_status status)
{
    g->status = status;
    return NO_OBJECT;
}

static inline bool same_object(const graph_object *a, const graph_object *b)
{
    return a->size == b->size && a->unit == b->unit && a->align_log2 == b->align_log2 &&
           memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* Adds an object without looking for its equal. */
static uint32_t add_object(graph *g, const graph_object *object)
{
    graph_object *added = kiln_vector_push(&g->objects, &g->allocator, 1, sizeof *added);
    if (!added)
        return fail(g, KILN_NO_MEMORY);
    *added = *object;
    return (uint32_t)g->objects.count - 1;
}

/* The number of the object: its equal's where there is one. */
static uint32_t intern(graph *g, const graph_object *object)
{
    if (!g->share || (object->unit == UNIT_STRING && g->source.unique_texts))
        return add_object(g, object);
    uint64_t form = object->unit + ((uint64_t)object->align_log2 << 32);
    uint32_t hash = (uint32_t)hash64_inline(object->bytes, object->size,
                                            g->seed + form * UINT64_C(0x9e3779b97f4a7c15));
    if (!hash_slots_reserve(&g->table, &g->allocator))
        return fail(g, KILN_NO_MEMORY);
    hash_slot *slot = hash_slots_first(&g->table, hash);
    const graph_object *objects = g->objects.items;
    for (; slot->link; slot = hash_slots_next(&g->table, slot))
        if (same_object(&objects[slot->link - 1], object))
            return slot->link - 1;
    uint32_t number = add_object(g, object);
    if (number != NO_OBJECT)
        hash_slots_put(&g->table, slot, hash, number);
    return number;
}

/* An object under collection: where it comes from, where its clean bytes go, and what is known of
 * its children so far. */
typedef struct collecting {
    const unsigned char *data;
    uint32_t depth;
    uint32_t height;
} collecting;

static uint32_t collect_object(graph *g, const object_form *form, const unsigned char *data,
                               uint32_t count, uint32_t depth);

/* The object with this number, as what a field of this form names. */
static uint32_t known(graph *g, uint32_t number, const object_form *form, uint32_t size)
{
    const graph_object *object = (graph_object *)g->objects.items + number;
    bool same = object->unit == form->unit && object->size == size &&
                1u << object->align_log2 == form->align;
    return same ? number : fail(g, KILN_V_SHARE);
}

static uint32_t collect_built(graph *g, const unsigned char *field, const object_form *form,
                              uint32_t count, uint32_t depth)
{
    kiln_status status;
    builder_object *object = builder_target(&g->source, field, form, count, &status);
    if (!object)
        return fail(g, status);
    if (object->note == NOTE_BUSY)
        return fail(g, KILN_V_DEPTH); /* an object inside itself */
    if (object->note)
        return known(g, object->note - 1, form, object->size & ~BUILDER_TEXT);
    object->note = NOTE_BUSY;
    uint32_t number = collect_object(g, form, object->data, count, depth);
    object->note = number + 1; /* 0 after a failure */
    return number;
}

static bool is_leaf(const graph *g, const object_form *form)
{
    return form->type == KILN_TYPE_NONE ||
           (!unit_is_entries(form->unit) && !type_at(g->types, form->type)->has_pointers);
}

/* Objects are told apart by where they start. One that is met for the first time leaves a bit; met
 * again, it is collected once more, to be found equal to what it gave before, and then remembered.
 * So most objects, which are named once, cost no look-up, and none is collected more than twice. */
static uint32_t collect_stored(graph *g, const unsigned char *field, const object_form *form,
                               uint32_t count, uint32_t depth)
{
    object_source *source = &g->source;
    const unsigned char *data = field + graph_read_u32(field);
    if ((uint64_t)form->size * count <= CHEAP_SIZE && is_leaf(g, form))
        return collect_object(g, form, data, count, depth);
    uint32_t start = (uint32_t)(data - source->payload), word = start / 4;
    uint32_t bit = UINT32_C(1) << word % WORD_BITS;
    if (!(source->seen[word / WORD_BITS] & bit)) {
        source->seen[word / WORD_BITS] |= bit;
        return collect_object(g, form, data, count, depth);
    }
    /* Different starts have different hashes. */
    uint32_t hash = (start ^ source->seed) * UINT32_C(0x9e3779b1);
    hash ^= hash >> 15;
    if (!hash_slots_reserve(&source->again, &g->allocator))
        return fail(g, KILN_NO_MEMORY);
    hash_slot *slot = hash_slots_first(&source->again, hash);
    if (slot->link)
        return slot->link - 1;
    uint32_t number = collect_object(g, form, data, count, depth);
    if (number == NO_OBJECT || !hash_slots_reserve(&source->again, &g->allocator))
        return number == NO_OBJECT ? number : fail(g, KILN_NO_MEMORY);
    hash_slots_put(&source->again, hash_slots_first(&source->again, hash), hash, number);
    return number;
}

/* The object that the field at `from` leads to: its number goes into the clean bytes at `to`. */
static bool collect_field(graph *g, collecting *c, const object_form *form, uint32_t type,
                          const unsigned char *from, uint32_t count, unsigned char *to)
{
    uint32_t child = g->source.payload ? collect_stored(g, from, form, count, c->depth + 1)
                                       : collect_built(g, from, form, count, c->depth + 1);
    if (child == NO_OBJECT) {
        graph_step step = {(uint32_t)(from - c->data), type};
        if (g->trail_count < KILN_DEPTH_MAX)
            g->trail[g->trail_count++] = step;
        return false;
    }
    uint32_t height = ((graph_object *)g->objects.items)[child].height;
    c->height = height > c->height ? height : c->height;
    graph_write_u32(to, child + 1);
    return true;
}

static bool collect_union(graph *g, collecting *c, const kiln_type *type, const unsigned char *from,
                          unsigned char *to)
{
    const kiln_member *member = kiln_type_value(type, graph_read_u32(from));
    if (graph_read_u32(from + 4) == 0)
        return true;
    /* A pointer that its tag does not ask for is left for the verifier to refuse. */
    if (!member || member->type == KILN_TYPE_NONE) {
        graph_write_u32(to + 4, 1);
        return true;
    }
    object_form form =
        object_form_of_values(g->types, member->type, type_at(g->types, member->type)->align);
    return collect_field(g, c, &form, STEP_VALUE | member->type, from + 4, 1, to + 4);
}

/* The fields of one value, last to first. Recurses no deeper than types nest by value, but for the
 * objects that fields lead to. */
static bool collect_value(graph *g, collecting *c, const object_plan *plan,
                          const unsigned char *from, unsigned char *to)
{
    for (uint32_t i = plan->field_count; i-- > 0;) {
        const field_step *step = &plan->fields[i];
        const unsigned char *field = from + step->at;
        unsigned char *clean = to + step->at;
        bool good = true;
        if (step->what == FIELD_COUNTED || step->what == FIELD_POINTER) {
            uint32_t count = step->what == FIELD_POINTER ? 1 : graph_read_u32(field + 4);
            if (graph_read_u32(field))
                good = collect_field(g, c, &step->form, step->type, field, count, clean);
        } else if (step->what == FIELD_UNION) {
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

/* Values that need another copy to be clean. */
static uint32_t collect_values(graph *g, graph_object *object, const object_plan *plan,
                               const unsigned char *data, uint32_t count, const uint32_t *order,
                               uint32_t depth)
{
    bool in_place = g->source.in_place && !order;
    unsigned char *to =
        in_place ? (unsigned char *)(uintptr_t)data : kiln_arena_alloc(&g->bytes, object->size, 8);
    if (!to)
        return fail(g, KILN_NO_MEMORY);
    for (uint32_t i = 0; order && i < count; i++)
        memcpy(to + (size_t)i * plan->size, data + (size_t)order[i] * plan->size, plan->size);
    if (!in_place && !order)
        memcpy(to, data, object->size);
    kiln_plan_tidy(&g->plans, plan, to, count, g->share);
    if (!plan->field_count && !in_place && !order && memcmp(to, data, object->size) == 0) {
        kiln_arena_give_back(&g->bytes, to, object->size);
        return intern(g, object);
    }
    collecting c = {data, depth, 0};
    for (uint32_t i = plan->field_count ? count : 0; i-- > 0;)
        if (!collect_value(g, &c, plan, data + (size_t)(order ? order[i] : i) * plan->size,
                           to + (size_t)i * plan->size))
            return NO_OBJECT;
    if (c.height >= KILN_DEPTH_MAX)
        return fail(g, KILN_V_DEPTH);
    object->bytes = to;
    object->height = (uint8_t)(c.height + 1);
    object->has_fields = plan->field_count > 0;
    size_t before = g->objects.count;
    uint32_t number = intern(g, object);
    if (g->objects.count == before && !in_place)
        kiln_arena_give_back(&g->bytes, to, object->size);
    return number;
}

static uint8_t log2_of(uint32_t align)
{
    return (uint8_t)series_log2(align);
}

static uint32_t collect_object(graph *g, const object_form *form, const unsigned char *data,
                               uint32_t count, uint32_t depth)
{
    if (depth > KILN_DEPTH_MAX)
        return fail(g, KILN_V_DEPTH);
    uint64_t size = (uint64_t)form->size * count + (form->unit == UNIT_STRING);
    if (size > KILN_PAYLOAD_MAX)
        return fail(g, KILN_TOO_LARGE);
    graph_object object = {data, (uint32_t)size, form->unit, 0, log2_of(form->align), 1, false};
    if (form->type == KILN_TYPE_NONE)
        return intern(g, &object);
    bool is_entries = unit_is_entries(form->unit);
    const object_plan *plan = plan_of(&g->plans, form->type, is_entries);
    if (!plan)
        return fail(g, KILN_NO_MEMORY);
    bool is_built = !g->source.payload;
    uint32_t *order = NULL;
    if (is_entries && is_built && !kiln_graph_sort_entries(g, form->type, data, count, &order))
        return fail(g, KILN_NO_MEMORY);
    const kiln_type *type = type_at(g->types, form->type);
    if (plan->field_count == 0 && plan->tidy_count == 0 && !order)
        return intern(g, &object);
    if (!is_entries && type->plain && !g->share)
        return intern(g, &object);
    return collect_values(g, &object, plan, data, count, order, depth);
}

kiln_status kiln_graph_collect(graph *g, uint32_t type, const unsigned char *data, bool share)
{
    const kiln_type *root = type_at(g->types, type);
    g->share = share;
    g->seed = kiln_hash_seed(g->objects.items);
    g->source.seed = (uint32_t)g->seed;
    g->trail_count = 0;
    g->status = KILN_OK;
    object_form form = object_form_of_values(g->types, type, root->align);
    collect_object(g, &form, data, 1, 1);
    return g->status;
}
