/* Opens a scene: checks rules S1 to S5, and computes where the rows of each archetype are stored.
 *
 * The file does not store the positions of rows; they follow from the description (FORMAT.md
 * section 14, "Where rows are stored"). They are computed once, here, into one block of memory, and
 * finding a row then needs no checks. Work is linear in the description and independent of the
 * number of rows. The scene's blob must have been verified. */
#include "arena.h"
#include "hash_table.h"
#include "lower_bound.h"
#include "scene_columns.h"

#include <kiln/index.h>
#include <stdio.h>

typedef struct view_opener {
    const kiln_scene *scene;
    kiln_scene_view *view;
    kiln_error *reterr;
    uint64_t offset_count; /* total number of components in all archetypes */
    uint32_t most;         /* the largest number of components in an archetype */
} view_opener;

static const void *items(const kiln_array *array)
{
    return kiln_relative_get(array, array->offset);
}

static kiln_status fail_at(const view_opener *o, kiln_status status, const char *list,
                           uint32_t number)
{
    char path[64];
    snprintf(path, sizeof path, "%s[%u]", list, (unsigned)number);
    return kiln_fail(o->reterr, status, 0, path);
}

static kiln_status fail_in(const view_opener *o, kiln_status status, const char *field)
{
    return kiln_fail(o->reterr, status, 0, field);
}

int kiln_scene_compare_texts(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t least = a_length < b_length ? a_length : b_length;
    int difference = a == b ? 0 : memcmp(a, b, least);
    return difference ? difference : (a_length > b_length) - (a_length < b_length);
}

static int compare_strings(const kiln_string *a, const kiln_string *b)
{
    return kiln_scene_compare_texts(kiln_string_get(a), a->length, kiln_string_get(b), b->length);
}

/* ---- S1: components ---- */

static kiln_component_desc desc_of(const kiln_scene_component *component)
{
    kiln_component_desc desc = {.name = kiln_string_get(&component->name),
                                .layout = component->layout,
                                .size = component->size,
                                .alignment = component->alignment,
                                .entity_places = items(&component->entity_places),
                                .asset_places = items(&component->asset_places),
                                .entity_count = component->entity_places.count,
                                .asset_count = component->asset_places.count};
    return desc;
}

static kiln_status check_components(const view_opener *o)
{
    const kiln_scene_component *components = items(&o->scene->components);
    for (uint32_t i = 0; i < o->scene->components.count; i++) {
        const kiln_scene_component *component = &components[i];
        kiln_component_desc desc = desc_of(component);
        const kiln_scene_field *fields = items(&component->fields);
        const uint32_t *first = fields ? &fields->place : NULL;
        if ((i > 0 && compare_strings(&components[i - 1].name, &component->name) >= 0) ||
            kiln_component_desc_check(&desc) ||
            !kiln_scene_data_places_are_valid(&desc, first, sizeof *fields,
                                              component->fields.count))
            return fail_at(o, KILN_S_COMPONENT, "components", i);
    }
    return KILN_OK;
}

/* ---- S2: archetypes ---- */

static bool is_after(const kiln_scene_archetype *before, const kiln_scene_archetype *archetype)
{
    const uint32_t *a = items(&before->components), *b = items(&archetype->components);
    uint32_t a_count = before->components.count, b_count = archetype->components.count;
    for (uint32_t i = 0; i < a_count && i < b_count; i++)
        if (a[i] != b[i])
            return a[i] < b[i];
    return a_count < b_count;
}

static bool are_ascending(const uint32_t *numbers, uint32_t count, uint32_t limit)
{
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] >= limit || (i > 0 && numbers[i] <= numbers[i - 1]))
            return false;
    return true;
}

/* S2. Because archetypes are strictly ascending, their lists differ and cannot be shared objects.
 * So all lists together are no larger than the scene, which bounds the memory that make_room
 * allocates. */
static kiln_status check_archetypes(view_opener *o)
{
    const kiln_scene_archetype *archetypes = items(&o->scene->archetypes);
    uint64_t entities = 0;
    for (uint32_t i = 0; i < o->scene->archetypes.count; i++) {
        const kiln_scene_archetype *archetype = &archetypes[i];
        uint32_t count = archetype->components.count;
        if ((i > 0 && !is_after(archetype - 1, archetype)) || archetype->rows == 0 ||
            !are_ascending(items(&archetype->components), count, o->scene->components.count))
            return fail_at(o, KILN_S_ARCHETYPE, "archetypes", i);
        entities += archetype->rows;
        o->offset_count += count;
        if (count > o->most)
            o->most = count;
    }
    if (entities != o->scene->entities || entities > KILN_ENTITY_MAX)
        return fail_in(o, KILN_S_ENTITIES, "entities");
    return KILN_OK;
}

/* ---- S3 and S4: names and references ---- */

static bool has_entity(const kiln_scene_name *names, uint32_t number, uint64_t entity)
{
    return names[number].entity == entity;
}

HASH_TABLE(names_by_entity, const kiln_scene_name *, uint64_t, hash_of_number, has_entity)

static kiln_status check_names(const view_opener *o)
{
    const kiln_scene_name *names = items(&o->scene->names);
    hash_table seen = {0};
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < o->scene->names.count && !status; i++) {
        uint32_t entity = names[i].entity;
        if (!hash_table_reserve(&seen, &o->view->allocator)) {
            status = kiln_fail(o->reterr, KILN_NO_MEMORY, 0, NULL);
            break;
        }
        hash_slot *slot = names_by_entity_slot(&seen, names, entity);
        if (entity >= o->scene->entities || names[i].name.length == 0 || !hash_slot_is_empty(slot))
            status = fail_at(o, KILN_S_ENTITIES, "names", i);
        else
            hash_table_put(&seen, slot, i);
    }
    kiln_hash_table_fini(&seen, &o->view->allocator);
    return status;
}

static bool is_import(const kiln_scene_import *import)
{
    return import->scene.length <= KILN_SCENE_TEXT_MAX &&
           import->entity.length <= KILN_SCENE_TEXT_MAX && import->entity.length > 0 &&
           kiln_asset_name_is_valid(kiln_string_get(&import->scene), import->scene.length);
}

static kiln_status check_references(const view_opener *o)
{
    const kiln_scene *scene = o->scene;
    const uint64_t *assets = items(&scene->assets);
    const kiln_scene_import *imports = items(&scene->imports);
    for (uint32_t i = 1; i < scene->assets.count; i++)
        if (assets[i] <= assets[i - 1])
            return fail_at(o, KILN_S_REFERENCES, "assets", i);
    for (uint32_t i = 0; i < scene->imports.count; i++) {
        int order = 1;
        if (!is_import(&imports[i]))
            order = 0;
        else if (i > 0)
            order = compare_strings(&imports[i].scene, &imports[i - 1].scene);
        if (order == 0 && i > 0 && is_import(&imports[i]))
            order = compare_strings(&imports[i].entity, &imports[i - 1].entity);
        if (order <= 0)
            return fail_at(o, KILN_S_REFERENCES, "imports", i);
    }
    if (scene->chunks.count > 1 || (scene->chunks.count == 0 && scene->chunks_hash))
        return fail_in(o, KILN_S_REFERENCES, "chunks");
    if (scene->data.count > 1 || (scene->data.count == 0 && scene->data_hash))
        return fail_in(o, KILN_S_REFERENCES, "data");
    if (scene->reserved)
        return fail_in(o, KILN_S_REFERENCES, "reserved");
    return KILN_OK;
}

/* ---- where rows are stored ---- */

/* Allocates one block for components, archetypes and offsets. Its end is scratch space for lay_out:
 * the column sizes of one archetype. */
static bool make_room(view_opener *o, uint32_t **ret_offsets, uint32_t **ret_sizes)
{
    kiln_scene_view *view = o->view;
    uint64_t components = view->component_count * (uint64_t)sizeof(kiln_component_desc);
    uint64_t archetypes = view->archetype_count * (uint64_t)sizeof(kiln_scene_rows);
    uint64_t size = components + archetypes + (o->offset_count + o->most) * sizeof(uint32_t);
    view->memory_size = (size_t)size;
    if (size == 0 || view->memory_size != size)
        return size == 0;
    unsigned char *memory = view->allocator.alloc(view->allocator.ctx, view->memory_size, 16);
    if (!memory)
        return false;
    view->memory = memory;
    view->components = (kiln_component_desc *)(void *)memory;
    view->archetypes = (kiln_scene_rows *)(void *)(memory + components);
    *ret_offsets = (uint32_t *)(void *)(memory + components + archetypes);
    *ret_sizes = *ret_offsets + o->offset_count;
    return true;
}

/* Computes how many chunks of an archetype are stored whole, and the size of a trimmed last chunk.
 */
static void store_chunks(kiln_scene_rows *rows, const uint32_t *sizes)
{
    uint32_t left = rows->rows % rows->rows_per_chunk;
    uint32_t trimmed = scene_place_columns(sizes, rows->component_count, left, NULL);
    rows->chunks = rows->rows / rows->rows_per_chunk + (left > 0);
    rows->whole = rows->rows / rows->rows_per_chunk;
    if (trimmed > KILN_SCENE_TRIMMED_MAX)
        rows->whole++;
    else
        rows->tail_size = trimmed;
    if (rows->row_size == 0)
        rows->whole = 0;
    if (rows->component_count == 0)
        rows->chunks = 0;
}

static kiln_status lay_out(view_opener *o, uint32_t *offsets, uint32_t *sizes)
{
    kiln_scene_view *view = o->view;
    const kiln_scene_component *components = items(&o->scene->components);
    const kiln_scene_archetype *archetypes = items(&o->scene->archetypes);
    kiln_component_desc *descs = (kiln_component_desc *)(uintptr_t)view->components;
    kiln_scene_rows *all = (kiln_scene_rows *)(uintptr_t)view->archetypes;
    uint32_t first_entity = 0;
    for (uint32_t i = 0; i < view->component_count; i++)
        descs[i] = desc_of(&components[i]);
    for (uint32_t i = 0; i < view->archetype_count; i++) {
        kiln_scene_rows rows = {.components = items(&archetypes[i].components),
                                .offsets = offsets,
                                .component_count = archetypes[i].components.count,
                                .rows = archetypes[i].rows,
                                .first_entity = first_entity,
                                .first_image = view->images_count,
                                .tail = view->tails_size};
        for (uint32_t c = 0; c < rows.component_count; c++)
            sizes[c] = kiln_scene_column_desc(view, &rows, c)->size;
        rows.rows_per_chunk = kiln_chunk_layout(sizes, rows.component_count, offsets);
        if (rows.rows_per_chunk == 0)
            return fail_at(o, KILN_S_ARCHETYPE, "archetypes", i);
        for (uint32_t c = 0; c < rows.component_count; c++)
            rows.row_size += sizes[c];
        store_chunks(&rows, sizes);
        all[i] = rows;
        offsets += rows.component_count;
        first_entity += rows.rows;
        view->chunks += rows.chunks;
        view->images_count += rows.whole;
        view->tails_size += rows.tail_size;
    }
    return KILN_OK;
}

/* ---- S5: the other blobs ---- */

static kiln_status check_parts(const view_opener *o, const kiln_scene_view_args *args)
{
    kiln_scene_view *view = o->view;
    const kiln_scene_chunks *chunks = args->chunks;
    bool has_bytes = view->images_count > 0 || view->tails_size > 0;
    if (has_bytes != (o->scene->chunks.count > 0))
        return fail_in(o, KILN_S_PARTS, "chunks");
    if (args->data_hash && args->data_hash != o->scene->data_hash)
        return fail_in(o, KILN_S_PARTS, "data_hash");
    if (!chunks)
        return KILN_OK;
    if (!has_bytes || args->chunks_hash != o->scene->chunks_hash)
        return fail_in(o, KILN_S_PARTS, "chunks_hash");
    if (chunks->images.count != view->images_count * (uint64_t)KILN_CHUNK_SIZE ||
        chunks->tails.count != view->tails_size)
        return fail_in(o, KILN_S_PARTS, "chunks");
    view->images = items(&chunks->images);
    view->tails = items(&chunks->tails);
    view->root = chunks;
    return KILN_OK;
}

static kiln_status open_view(view_opener *o, const kiln_scene_view_args *args)
{
    uint32_t *offsets = NULL, *sizes = NULL;
    kiln_status status = check_components(o);
    if (!status)
        status = check_archetypes(o);
    if (!status)
        status = check_names(o);
    if (!status)
        status = check_references(o);
    if (!status && !make_room(o, &offsets, &sizes))
        status = kiln_fail(o->reterr, KILN_NO_MEMORY, 0, NULL);
    if (!status)
        status = lay_out(o, offsets, sizes);
    return status ? status : check_parts(o, args);
}

kiln_status kiln_scene_view_init(const kiln_scene_view_args *args, kiln_scene_view *ret_view,
                                 kiln_error *reterr)
{
    kiln_scene_view view = {.scene = args->scene,
                            .component_count = args->scene->components.count,
                            .archetype_count = args->scene->archetypes.count,
                            .entities = args->scene->entities,
                            .allocator = allocator_or_default(args->allocator)};
    view_opener o = {.scene = args->scene, .view = &view, .reterr = reterr};
    kiln_status status = open_view(&o, args);
    if (status)
        kiln_scene_view_fini(&view);
    else
        *ret_view = view;
    return status;
}

void kiln_scene_view_fini(kiln_scene_view *view)
{
    if (view->memory)
        view->allocator.free(view->allocator.ctx, view->memory, view->memory_size);
    memset(view, 0, sizeof *view);
}

/* ---- finding rows and names ---- */

const unsigned char *kiln_scene_column(const kiln_scene_view *view, const kiln_scene_rows *rows,
                                       uint32_t chunk, uint32_t column)
{
    if (kiln_scene_column_desc(view, rows, column)->size == 0)
        return NULL;
    if (chunk < rows->whole)
        return view->images + ((size_t)rows->first_image + chunk) * KILN_CHUNK_SIZE +
               rows->offsets[column];
    const unsigned char *at = view->tails + rows->tail;
    uint32_t count = kiln_scene_chunk_rows(rows, chunk);
    for (uint32_t i = 0; i < column; i++)
        at += scene_column_bytes(kiln_scene_column_desc(view, rows, i)->size, count);
    return at;
}

const kiln_scene_rows *kiln_scene_find_row(const kiln_scene_view *view, uint32_t entity,
                                           uint32_t *ret_row)
{
    uint32_t low = 0, high = view->archetype_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (view->archetypes[middle].first_entity <= entity)
            low = middle;
        else
            high = middle;
    }
    *ret_row = entity - view->archetypes[low].first_entity;
    return &view->archetypes[low];
}

static bool is_name_below(const void *names, size_t at, const void *key)
{
    const kiln_string *text = &((const kiln_scene_name *)names)[at].name;
    const text_key *name = key;
    return kiln_scene_compare_texts(kiln_string_get(text), text->length, name->text, name->length) <
           0;
}

uint32_t kiln_scene_find_name(const kiln_scene *scene, const char *name, size_t length)
{
    const kiln_scene_name *names = items(&scene->names);
    text_key key = {name, length};
    size_t at = lower_bound(names, 0, scene->names.count, is_name_below, &key);
    if (at == scene->names.count)
        return UINT32_MAX;
    const kiln_string *text = &names[at].name;
    int order = kiln_scene_compare_texts(kiln_string_get(text), text->length, name, length);
    return order == 0 ? names[at].entity : UINT32_MAX;
}

const kiln_string *kiln_scene_entity_name(const kiln_scene *scene, uint32_t entity)
{
    const kiln_scene_name *names = items(&scene->names);
    for (uint32_t i = 0; i < scene->names.count; i++)
        if (names[i].entity == entity)
            return &names[i].name;
    return NULL;
}

/* ---- the memory that loading takes, from the description alone ---- */

enum { RECORD_BYTES = 16, PAIR = 2 };

static uint64_t divide_up(uint64_t number, uint32_t by)
{
    return (number + by - 1) / by;
}

kiln_scene_forecast kiln_scene_get_forecast(const kiln_scene_view *view)
{
    uint64_t used = 0;
    for (uint32_t i = 0; i < view->archetype_count; i++)
        used += (uint64_t)view->archetypes[i].rows * view->archetypes[i].row_size;
    /* A world allocates mega chunks in pairs. Other chunks use the space that the images leave
     * free. */
    uint64_t megas = PAIR * divide_up(view->chunks, PAIR * KILN_MEGA_CHUNKS);
    uint64_t blocks = divide_up(view->entities, KILN_BLOCK_ENTITIES);
    kiln_scene_forecast forecast = {.entities = view->entities,
                                    .blocks = (uint32_t)blocks,
                                    .chunks = view->chunks,
                                    .mega_chunks = (uint32_t)megas,
                                    .block_bytes = blocks * KILN_BLOCK_ENTITIES * RECORD_BYTES,
                                    .chunk_bytes = megas * KILN_MEGA_SIZE,
                                    .waste = (uint64_t)view->chunks * KILN_CHUNK_SIZE - used};
    return forecast;
}
