/* Sorts everything that has a fixed order in the file, and computes the numbers that depend on it.
 *
 * Because of the fixed order (FORMAT.md section 14), equal scenes produce equal bytes, even if
 * programs add their parts in different orders. Only the entities of an archetype stay in the order
 * of addition. */
#include "scene_writer_finish.h"

#include "number_sort.h"

static uint32_t *new_numbers(scene_finish_state *f, size_t count)
{
    return kiln_arena_alloc_array(&f->memory, count, sizeof(uint32_t), sizeof(uint32_t));
}

static void rank(uint32_t *ranks, const uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        ranks[order[i]] = i;
}

/* The order of rule S2. The ranks are the component numbers in the file, and each list is sorted by
 * name, so its ranks ascend. */
static int compare_archetypes(const void *ctx, uint32_t a, uint32_t b)
{
    const scene_finish_state *f = ctx;
    const scene_archetype *left = scene_archetype_at(f->writer, a);
    const scene_archetype *right = scene_archetype_at(f->writer, b);
    for (uint32_t i = 0; i < left->component_count && i < right->component_count; i++) {
        uint32_t x = f->component_ranks[left->components[i]];
        uint32_t y = f->component_ranks[right->components[i]];
        if (x != y)
            return x < y ? -1 : 1;
    }
    return (left->component_count > right->component_count) -
           (left->component_count < right->component_count);
}

static int compare_ids(const void *ctx, uint32_t a, uint32_t b)
{
    const kiln_id *ids = ctx;
    return (ids[a] > ids[b]) - (ids[a] < ids[b]);
}

static int compare_imports(const void *ctx, uint32_t a, uint32_t b)
{
    const scene_writer_import *imports = ctx, *x = &imports[a], *y = &imports[b];
    int scenes = kiln_scene_compare_texts(x->scene, x->scene_length, y->scene, y->scene_length);
    return scenes
               ? scenes
               : kiln_scene_compare_texts(x->entity, x->entity_length, y->entity, y->entity_length);
}

/* Sorts the numbers [0, count), and computes the rank of each. */
static bool order(scene_finish_state *f, size_t count, number_compare *compare, const void *ctx,
                  uint32_t **ret_order, uint32_t **ret_ranks)
{
    *ret_order = new_numbers(f, count);
    *ret_ranks = new_numbers(f, count);
    if (!*ret_order || !*ret_ranks)
        return false;
    for (uint32_t i = 0; i < count; i++)
        (*ret_order)[i] = i;
    kiln_number_sort(*ret_order, count, compare, ctx);
    rank(*ret_ranks, *ret_order, (uint32_t)count);
    return true;
}

/* Computes the first entity of each archetype and the sizes of images and tails. Archetypes without
 * rows are dropped, because S2 forbids them. */
static void place_rows(scene_finish_state *f)
{
    uint32_t kept = 0, first = 0;
    for (uint32_t i = 0; i < f->writer->archetypes.count; i++) {
        uint32_t number = f->archetypes[i];
        const scene_archetype *archetype = scene_archetype_at(f->writer, number);
        if (archetype->rows == 0)
            continue;
        uint32_t left = archetype->rows % archetype->rows_per_chunk;
        uint32_t trimmed =
            scene_place_columns(archetype->sizes, archetype->component_count, left, NULL);
        uint32_t whole = archetype->row_size ? archetype->rows / archetype->rows_per_chunk : 0;
        f->first_entities[number] = first;
        f->archetypes[kept++] = number;
        first += archetype->rows;
        f->images_count += whole + (trimmed > KILN_SCENE_TRIMMED_MAX);
        f->tails_size += trimmed > KILN_SCENE_TRIMMED_MAX ? 0 : trimmed;
    }
    f->archetype_count = kept;
}

kiln_status kiln_scene_order_all(scene_finish_state *f)
{
    const kiln_scene_writer *w = f->writer;
    uint32_t *unused;
    f->first_entities = new_numbers(f, w->archetypes.count);
    f->trimmed_offsets = new_numbers(f, w->components.count);
    if (!f->first_entities || !f->trimmed_offsets ||
        !order(f, w->components.count, kiln_scene_compare_components, w, &f->components,
               &f->component_ranks) ||
        !order(f, w->archetypes.count, compare_archetypes, f, &f->archetypes, &unused) ||
        !order(f, w->assets.count, compare_ids, w->assets.items, &f->assets, &f->asset_ranks) ||
        !order(f, w->imports.count, compare_imports, w->imports.items, &f->imports,
               &f->import_ranks))
        return kiln_fail(f->reterr, KILN_NO_MEMORY, 0, NULL);
    place_rows(f);
    return KILN_OK;
}

uint32_t kiln_scene_final_entity(scene_finish_state *f, uint32_t entity)
{
    f->last_span = kiln_scene_find_span(f->writer, entity, f->last_span);
    const scene_span *span = (const scene_span *)f->writer->spans.items + f->last_span;
    return f->first_entities[span->archetype] + span->row + (entity - span->first);
}

kiln_status kiln_scene_writer_numbers(kiln_scene_writer *writer, uint32_t *ret_numbers)
{
    enum { NUMBERS_BLOCK = 4096 };
    scene_finish_state f = {.writer = writer};
    kiln_arena_init(&f.memory, &writer->allocator, NUMBERS_BLOCK);
    kiln_status status = kiln_scene_order_all(&f);
    for (uint32_t i = 0; !status && i < writer->entities; i++)
        ret_numbers[i] = kiln_scene_final_entity(&f, i);
    kiln_arena_fini(&f.memory);
    return status;
}
