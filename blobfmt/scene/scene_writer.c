/* Collects a scene: components, archetypes and their rows, in any order.
 *
 * Rows are collected in chunks of the same layout as in a file, so that finishing copies whole
 * columns. Entities are numbered in the order in which they were added; scene_writer_order.c
 * computes their final numbers. A *span* maps consecutive entities to rows, so a batch needs only
 * one entry. */
#include "scene_writer_state.h"

#include "hash.h"
#include "number_sort.h"

enum { SCENE_BLOCK = 65536, FIRST_ROWS = 4 };

kiln_status kiln_scene_writer_create(const kiln_allocator *allocator,
                                     kiln_scene_writer **ret_writer)
{
    kiln_status status = kiln_host_check();
    if (status)
        return status;
    kiln_allocator a = allocator_or_default(allocator);
    kiln_scene_writer *w = a.alloc(a.ctx, sizeof *w, _Alignof(kiln_scene_writer));
    if (!w)
        return KILN_NO_MEMORY;
    memset(w, 0, sizeof *w);
    w->allocator = a;
    kiln_arena_init(&w->memory, &a, SCENE_BLOCK);
    *ret_writer = w;
    return KILN_OK;
}

/* The size in memory of a chunk with room for `room` rows. With room for `rows_per_chunk`, it is a
 * whole chunk. */
static uint32_t bytes_of_chunk(const scene_archetype *archetype, uint32_t room)
{
    if (room == archetype->rows_per_chunk)
        return KILN_CHUNK_SIZE;
    return scene_place_columns(archetype->sizes, archetype->component_count, room, NULL);
}

static void free_chunks(kiln_scene_writer *w, scene_archetype *archetype)
{
    unsigned char **chunks = archetype->chunks.items;
    size_t count = archetype->chunks.count;
    for (size_t i = 0; i < count; i++) {
        uint32_t room = i + 1 < count ? archetype->rows_per_chunk : archetype->room;
        w->allocator.free(w->allocator.ctx, chunks[i], bytes_of_chunk(archetype, room));
    }
    kiln_vector_fini(&archetype->chunks, &w->allocator, sizeof(unsigned char *));
}

void kiln_scene_writer_reset(kiln_scene_writer *w)
{
    const kiln_allocator *a = &w->allocator;
    for (uint32_t i = 0; i < w->archetypes.count; i++)
        free_chunks(w, scene_archetype_at(w, i));
    kiln_arena_fini(&w->memory);
    kiln_vector_fini(&w->components, a, sizeof(scene_component));
    kiln_vector_fini(&w->archetypes, a, sizeof(scene_archetype));
    kiln_vector_fini(&w->spans, a, sizeof(scene_span));
    kiln_vector_fini(&w->names, a, sizeof(scene_writer_name));
    kiln_vector_fini(&w->imports, a, sizeof(scene_writer_import));
    kiln_vector_fini(&w->assets, a, sizeof(kiln_id));
    kiln_hash_table_fini(&w->components_by_name, a);
    kiln_hash_table_fini(&w->archetypes_by_components, a);
    kiln_hash_table_fini(&w->names_by_text, a);
    kiln_hash_table_fini(&w->names_by_entity, a);
    kiln_hash_table_fini(&w->imports_by_text, a);
    kiln_hash_table_fini(&w->assets_by_id, a);
    kiln_allocator allocator = w->allocator;
    memset(w, 0, sizeof *w);
    w->allocator = allocator;
    kiln_arena_init(&w->memory, &allocator, SCENE_BLOCK);
}

void kiln_scene_writer_destroy(kiln_scene_writer *w)
{
    if (!w)
        return;
    kiln_scene_writer_reset(w);
    kiln_arena_fini(&w->memory);
    w->allocator.free(w->allocator.ctx, w, sizeof *w);
}

/* ---- components ---- */

static bool is_component(const kiln_scene_writer *w, uint32_t number, text_key name)
{
    const scene_component *component = scene_component_at(w, number);
    return component->name_length == name.length &&
           memcmp(component->desc.component.name, name.text, name.length) == 0;
}

HASH_TABLE(components_by_name, const kiln_scene_writer *, text_key, hash_of_text, is_component)

static bool are_same_places(const uint32_t *a, uint32_t a_count, const uint32_t *b,
                            uint32_t b_count)
{
    return a_count == b_count && (a_count == 0 || memcmp(a, b, a_count * sizeof *a) == 0);
}

static bool are_same_components(const kiln_scene_component_desc *left,
                                const kiln_scene_component_desc *right)
{
    const kiln_component_desc *a = &left->component, *b = &right->component;
    bool same =
        a->layout == b->layout && a->size == b->size && a->alignment == b->alignment &&
        are_same_places(a->entity_places, a->entity_count, b->entity_places, b->entity_count) &&
        are_same_places(a->asset_places, a->asset_count, b->asset_places, b->asset_count) &&
        are_same_places(left->field_places, left->field_count, right->field_places,
                        right->field_count);
    for (uint32_t i = 0; same && i < left->field_count; i++)
        same = strcmp(left->field_names[i], right->field_names[i]) == 0;
    return same;
}

static const uint32_t *copy_numbers(arena *memory, const uint32_t *numbers, uint32_t count)
{
    uint32_t *copy = kiln_arena_alloc_array(memory, count, sizeof *copy, sizeof *copy);
    if (copy && count)
        memcpy(copy, numbers, count * sizeof *copy);
    return copy;
}

static bool copy_component(kiln_scene_writer *w, const kiln_scene_component_desc *from,
                           scene_component *to)
{
    arena *memory = &w->memory;
    const kiln_component_desc *component = &from->component;
    const char **names = kiln_arena_alloc_array(memory, from->field_count, sizeof *names, 8);
    to->desc = *from;
    to->name_length = strlen(component->name);
    kiln_component_desc *desc = &to->desc.component;
    desc->name = kiln_arena_copy_text(memory, component->name, to->name_length);
    desc->entity_places = copy_numbers(memory, component->entity_places, component->entity_count);
    desc->asset_places = copy_numbers(memory, component->asset_places, component->asset_count);
    to->desc.field_places = copy_numbers(memory, from->field_places, from->field_count);
    to->desc.field_names = names;
    bool ok =
        names && desc->name && desc->entity_places && desc->asset_places && to->desc.field_places;
    for (uint32_t i = 0; ok && i < from->field_count; i++) {
        const char *name = from->field_names[i];
        names[i] = kiln_arena_copy_text(memory, name, strlen(name));
        ok = names[i] != NULL;
    }
    return ok;
}

kiln_status kiln_scene_writer_add_component(kiln_scene_writer *w,
                                            const kiln_scene_component_desc *desc,
                                            uint32_t *ret_number)
{
    if (kiln_component_desc_check(&desc->component) ||
        !kiln_scene_data_places_are_valid(&desc->component, desc->field_places, sizeof(uint32_t),
                                          desc->field_count))
        return KILN_BAD_ARGUMENT;
    if (!hash_table_reserve(&w->components_by_name, &w->allocator))
        return KILN_NO_MEMORY;
    text_key name = {desc->component.name, strlen(desc->component.name)};
    hash_slot *slot = components_by_name_slot(&w->components_by_name, w, name);
    if (!hash_slot_is_empty(slot)) {
        *ret_number = hash_slot_number(slot);
        return are_same_components(&scene_component_at(w, *ret_number)->desc, desc)
                   ? KILN_OK
                   : KILN_DUPLICATE;
    }
    scene_component made;
    if (!copy_component(w, desc, &made))
        return KILN_NO_MEMORY;
    scene_component *component = kiln_vector_push(&w->components, &w->allocator, 1, sizeof made);
    if (!component)
        return KILN_NO_MEMORY;
    *component = made;
    *ret_number = (uint32_t)w->components.count - 1;
    hash_table_put(&w->components_by_name, slot, *ret_number);
    return KILN_OK;
}

/* ---- archetypes ---- */

/* Component numbers, sorted. */
typedef struct component_list {
    const uint32_t *numbers;
    uint32_t count;
} component_list;

static uint32_t hash_of_components(const hash_table *table, component_list list)
{
    return (uint32_t)kiln_hash64(list.numbers, list.count * sizeof *list.numbers, table->seed);
}

static bool is_archetype(const kiln_scene_writer *w, uint32_t number, component_list list)
{
    const scene_archetype *archetype = scene_archetype_at(w, number);
    return are_same_places(archetype->components, archetype->component_count, list.numbers,
                           list.count);
}

HASH_TABLE(archetypes_by_components, const kiln_scene_writer *, component_list, hash_of_components,
           is_archetype)

int kiln_scene_compare_components(const void *writer, uint32_t a, uint32_t b)
{
    return strcmp(scene_component_at(writer, a)->desc.component.name,
                  scene_component_at(writer, b)->desc.component.name);
}

/* Checks that each number identifies a component, sorts the numbers by the components' names, and
 * rejects duplicates. */
static kiln_status sort_components(const kiln_scene_writer *w, uint32_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] >= w->components.count)
            return KILN_BAD_ARGUMENT;
    kiln_number_sort(numbers, count, kiln_scene_compare_components, w);
    for (uint32_t i = 1; i < count; i++)
        if (numbers[i] == numbers[i - 1])
            return KILN_DUPLICATE;
    return KILN_OK;
}

static kiln_status make_archetype(kiln_scene_writer *w, const uint32_t *components, uint32_t count,
                                  scene_archetype *ret_archetype)
{
    uint32_t *numbers = kiln_arena_alloc_array(&w->memory, count, 3 * sizeof *numbers, 4);
    if (!numbers)
        return KILN_NO_MEMORY;
    uint32_t *sizes = numbers, *offsets = numbers + count;
    scene_archetype made = {.components = components,
                            .sizes = sizes,
                            .offsets = offsets,
                            .last_offsets = offsets + count,
                            .component_count = count};
    for (uint32_t i = 0; i < count; i++)
        sizes[i] = scene_component_at(w, components[i])->desc.component.size;
    made.rows_per_chunk = kiln_chunk_layout(sizes, count, offsets);
    if (made.rows_per_chunk == 0)
        return KILN_L_ROW;
    for (uint32_t i = 0; i < count; i++)
        made.row_size += sizes[i];
    *ret_archetype = made;
    return KILN_OK;
}

static kiln_status find_archetype(kiln_scene_writer *w, const uint32_t *components, uint32_t count,
                                  uint32_t *ret_number)
{
    if (!hash_table_reserve(&w->archetypes_by_components, &w->allocator))
        return KILN_NO_MEMORY;
    component_list list = {components, count};
    hash_slot *slot = archetypes_by_components_slot(&w->archetypes_by_components, w, list);
    if (!hash_slot_is_empty(slot)) {
        *ret_number = hash_slot_number(slot);
        return KILN_OK;
    }
    scene_archetype made;
    kiln_status status = make_archetype(w, components, count, &made);
    if (status)
        return status;
    scene_archetype *archetype = kiln_vector_push(&w->archetypes, &w->allocator, 1, sizeof made);
    if (!archetype)
        return KILN_NO_MEMORY;
    *archetype = made;
    *ret_number = (uint32_t)w->archetypes.count - 1;
    hash_table_put(&w->archetypes_by_components, slot, *ret_number);
    return KILN_OK;
}

kiln_status kiln_scene_writer_add_archetype(kiln_scene_writer *w, const uint32_t *components,
                                            uint32_t count, uint32_t *ret_number)
{
    size_t known = w->archetypes.count, bytes = count * sizeof(uint32_t);
    uint32_t *sorted = kiln_arena_alloc_array(&w->memory, count, sizeof *sorted, sizeof *sorted);
    if (!sorted)
        return KILN_NO_MEMORY;
    if (count)
        memcpy(sorted, components, bytes);
    kiln_status status = sort_components(w, sorted, count);
    if (!status)
        status = find_archetype(w, sorted, count, ret_number);
    if (w->archetypes.count == known)
        kiln_arena_release(&w->memory, sorted, bytes);
    return status;
}

/* ---- rows ---- */

/* Replaces a partially filled last chunk with a larger one, or adds a chunk. Columns move, because
 * their offsets depend on the room. */
static bool open_chunk(kiln_scene_writer *w, scene_archetype *archetype, uint32_t room)
{
    uint32_t used = archetype->rows % archetype->rows_per_chunk;
    uint32_t bytes = bytes_of_chunk(archetype, room);
    unsigned char *chunk = w->allocator.alloc(w->allocator.ctx, bytes, KILN_COLUMN_ALIGN);
    unsigned char **slot = NULL;
    if (!chunk)
        return false;
    memset(chunk, 0, bytes);
    if (used > 0)
        slot = (unsigned char **)archetype->chunks.items + archetype->chunks.count - 1;
    else
        slot = kiln_vector_push(&archetype->chunks, &w->allocator, 1, sizeof *slot);
    if (!slot) {
        w->allocator.free(w->allocator.ctx, chunk, bytes);
        return false;
    }
    uint32_t end = 0;
    for (uint32_t i = 0; i < archetype->component_count; i++) {
        uint32_t size = archetype->sizes[i];
        if (used > 0 && size > 0)
            memcpy(chunk + end, *slot + archetype->last_offsets[i], (size_t)size * used);
        archetype->last_offsets[i] = end;
        end += scene_column_bytes(size, room);
    }
    if (used > 0)
        w->allocator.free(w->allocator.ctx, *slot, bytes_of_chunk(archetype, archetype->room));
    *slot = chunk;
    archetype->room = room;
    return true;
}

static bool add_rows(kiln_scene_writer *w, scene_archetype *archetype, uint32_t count)
{
    while (count > 0 && archetype->row_size > 0) {
        uint32_t most = archetype->rows_per_chunk, used = archetype->rows % most;
        uint32_t free_rows = used == 0 ? 0 : archetype->room - used;
        if (free_rows == 0) {
            /* The first chunk doubles in size whenever it is full, because a scene may have many
             * archetypes with few rows. Later chunks have their full size from the start. */
            uint32_t room = used * 2 > FIRST_ROWS ? used * 2 : FIRST_ROWS;
            if (room < used + (uint64_t)count)
                room = used + (uint64_t)count < most ? used + count : most;
            if (room > most || archetype->rows >= most)
                room = most;
            if (!open_chunk(w, archetype, room))
                return false;
            free_rows = room - used;
        }
        uint32_t added = count < free_rows ? count : free_rows;
        archetype->rows += added;
        count -= added;
    }
    archetype->rows += count;
    return true;
}

kiln_status kiln_scene_writer_add_rows(kiln_scene_writer *w, uint32_t number, uint32_t count,
                                       uint32_t *ret_first)
{
    if (number >= w->archetypes.count)
        return KILN_BAD_ARGUMENT;
    if (count > KILN_ENTITY_MAX - w->entities)
        return KILN_L_ENTITIES;
    scene_archetype *archetype = scene_archetype_at(w, number);
    scene_span *spans = w->spans.items;
    scene_span *last = w->spans.count ? &spans[w->spans.count - 1] : NULL;
    scene_span made = {w->entities, count, number, archetype->rows};
    *ret_first = w->entities;
    if (count == 0)
        return KILN_OK;
    if (last && last->archetype == number) {
        last->count += count;
    } else {
        last = kiln_vector_push(&w->spans, &w->allocator, 1, sizeof *last);
        if (!last)
            return KILN_NO_MEMORY;
        *last = made;
    }
    w->entities += count;
    return add_rows(w, archetype, count) ? KILN_OK : KILN_NO_MEMORY;
}

static bool span_contains(const scene_span *span, uint32_t entity)
{
    return entity - span->first < span->count;
}

uint32_t kiln_scene_find_span(const kiln_scene_writer *w, uint32_t entity, uint32_t guess)
{
    const scene_span *spans = w->spans.items;
    uint32_t low = 0, high = (uint32_t)w->spans.count;
    /* Callers usually access entities in order, so try this span and the next one first. */
    for (uint32_t i = guess; i < high && i < guess + 2; i++)
        if (span_contains(&spans[i], entity))
            return i;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (spans[middle].first <= entity)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void *kiln_scene_writer_at(kiln_scene_writer *w, uint32_t entity, uint32_t component,
                           uint32_t *ret_count)
{
    if (entity >= w->entities)
        return NULL;
    w->last_span = kiln_scene_find_span(w, entity, w->last_span);
    const scene_span *span = (const scene_span *)w->spans.items + w->last_span;
    const scene_archetype *archetype = scene_archetype_at(w, span->archetype);
    uint32_t column = 0, size;
    while (column < archetype->component_count && archetype->components[column] != component)
        column++;
    if (column == archetype->component_count)
        return NULL;
    uint32_t into = entity - span->first, row = span->row + into;
    uint32_t chunk = row / archetype->rows_per_chunk, in_chunk = row % archetype->rows_per_chunk;
    bool is_last = archetype->chunks.count == (size_t)chunk + 1;
    uint32_t count = archetype->rows_per_chunk - in_chunk;
    if (ret_count)
        *ret_count = count < span->count - into ? count : span->count - into;
    size = archetype->sizes[column];
    /* A tag has no bytes, but NULL would mean that the entity does not have it: return any other
     * address. */
    if (size == 0)
        return archetype->last_offsets;
    unsigned char *const *chunks = archetype->chunks.items;
    return chunks[chunk] + (is_last ? archetype->last_offsets : archetype->offsets)[column] +
           (size_t)size * in_chunk;
}
