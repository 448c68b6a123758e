/* Saves entities of a world as a scene.
 *
 * The order of the steps follows from their dependencies. All components are described before the
 * first archetype is added. All entities are numbered before the first row is copied, because words
 * contain these numbers. The data is built last, because the rows determine its values.
 *
 * The world is only read, so after a failure there is only memory to free. */
#include "scene_save.h"

#include <string.h>

/* ---- rows ---- */

/* Copies a component of the rows of a piece to the file's entities from `entity` on. */
static kiln_status copy_component(saving *s, kiln_component number, const save_piece *piece,
                                  uint32_t entity)
{
    const save_component *component = &s->components[number.number];
    const kiln_row first = {(kiln_chunk *)(uintptr_t)piece->chunk, piece->row};
    const unsigned char *from = kiln_row_at(first, number);
    uint32_t size = component->desc->size, done = 0;
    kiln_status status = KILN_OK;
    while (size > 0 && done < piece->count && !status) {
        uint32_t count;
        unsigned char *to =
            kiln_scene_writer_at(s->writer, entity + done, component->number, &count);
        if (count > piece->count - done)
            count = piece->count - done;
        memcpy(to, from + (size_t)done * size, (size_t)count * size);
        status = kiln_save_words(s, component, to, piece, piece->row + done, count);
        done += count;
    }
    return status;
}

static kiln_status copy_part(saving *s, const save_part *part)
{
    const save_piece *piece = (const save_piece *)s->pieces.items + part->first_piece;
    uint32_t entity = part->first_entity;
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < part->piece_count && !status; i++, piece++) {
        for (uint32_t k = 0; k < part->archetype->component_count && !status; k++)
            status = copy_component(s, part->archetype->components[k], piece, entity);
        entity += piece->count;
    }
    return status;
}

/* ---- numbers ---- */

static kiln_status number_empty(saving *s)
{
    uint32_t number, first;
    if (s->empty.count == 0)
        return KILN_OK;
    kiln_status status = kiln_scene_writer_add_archetype(s->writer, NULL, 0, &number);
    if (!status)
        status = kiln_scene_writer_add_rows(s->writer, number, s->empty.count, &first);
    for (uint32_t i = 0; i < s->empty.count && !status; i++)
        status = kiln_save_number(s, ((const uint32_t *)s->empty.items)[i], first + i);
    return status;
}

static kiln_status make_archetype(saving *s, const archetype *a, uint32_t *ret_number)
{
    size_t size = a->component_count * sizeof(uint32_t);
    uint32_t *components = save_alloc(s, size);
    if (!components)
        return KILN_NO_MEMORY;
    for (uint32_t i = 0; i < a->component_count; i++)
        components[i] = s->components[a->components[i].number].number;
    kiln_status status =
        kiln_scene_writer_add_archetype(s->writer, components, a->component_count, ret_number);
    save_free(s, components, size);
    return status;
}

static kiln_status number_part(saving *s, save_part *part)
{
    uint32_t number;
    kiln_status status = make_archetype(s, part->archetype, &number);
    if (!status)
        status = kiln_scene_writer_add_rows(s->writer, number, part->rows, &part->first_entity);
    const save_piece *piece = (const save_piece *)s->pieces.items + part->first_piece;
    uint32_t entity = part->first_entity;
    for (uint32_t i = 0; i < part->piece_count && !status; i++, piece++) {
        status = kiln_save_number_rows(s, piece->chunk, piece->row, piece->count, entity);
        entity += piece->count;
    }
    return status;
}

static kiln_status describe_components(saving *s)
{
    const save_part *parts = s->parts.items;
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < s->parts.count; i++) {
        const archetype *a = parts[i].archetype;
        for (uint32_t k = 0; k < a->component_count && !status; k++)
            status = kiln_save_component(s, a->components[k]);
    }
    return status;
}

static kiln_status number_all(saving *s)
{
    kiln_status status = number_empty(s);
    for (uint32_t i = 0; i < s->parts.count && !status; i++)
        status = number_part(s, (save_part *)s->parts.items + i);
    return status ? kiln_fail(s->reterr, status, 0, NULL) : KILN_OK;
}

/* ---- whole scenes ---- */

static void init_table(const saving *s, kiln_key_table *table)
{
    memset(table, 0, sizeof *table);
    table->allocator = &s->allocator;
}

static kiln_status begin(saving *s)
{
    init_table(s, &s->asset_words);
    s->data_type = kiln_save_find_data_type(s->world, s->types);
    const kiln_type *data = kiln_types_get(s->types, s->data_type);
    uint32_t lists = data ? data->member_count : 0;
    s->lists = lists ? save_alloc(s, lists * sizeof *s->lists) : NULL;
    if (lists && !s->lists)
        return KILN_NO_MEMORY;
    for (uint32_t i = 0; i < lists; i++) {
        memset(&s->lists[i], 0, sizeof *s->lists);
        init_table(s, &s->lists[i].numbers);
    }
    s->list_count = lists;
    size_t size = s->world->components.count * sizeof *s->components;
    s->components = save_alloc(s, size);
    if (!s->components)
        return KILN_NO_MEMORY;
    memset(s->components, 0, size);
    s->component_count = s->world->components.count;
    kiln_status status = kiln_scene_writer_create(&s->allocator, &s->writer);
    return status ? status : kiln_save_pick(s);
}

static kiln_status finish(saving *s)
{
    kiln_buffer data = {0};
    kiln_status status = kiln_save_data(s, &data);
    kiln_scene_finish_args args = {.name = s->args->name,
                                   .file = s->file,
                                   .types = s->types,
                                   .data = &data,
                                   .data_type = s->data_type};
    if (!status)
        status = kiln_scene_writer_finish(s->writer, &args, s->reterr);
    kiln_buffer_fini(&data);
    return status;
}

static kiln_status save(saving *s)
{
    kiln_status status = begin(s);
    if (status)
        return kiln_fail(s->reterr, status, 0, NULL);
    status = describe_components(s);
    if (!status)
        status = number_all(s);
    for (uint32_t i = 0; i < s->parts.count && !status; i++)
        status = copy_part(s, (const save_part *)s->parts.items + i);
    if (!status)
        status = kiln_save_names(s);
    return status ? status : finish(s);
}

static bool args_are_valid(const kiln_scene_save_args *args)
{
    return args && args->world && args->name && (args->count == 0 || args->entities);
}

kiln_status kiln_scene_save_to(const kiln_scene_save_args *args, kiln_file_writer *file,
                               const kiln_types *types, kiln_error *reterr)
{
    if (!args_are_valid(args) || !file || !types)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    saving s = {.args = args,
                .world = args->world,
                .assets = args->assets,
                .file = file,
                .types = types,
                .reterr = reterr};
    s.allocator = args->allocator ? *args->allocator : args->world->allocator;
    kiln_status status = save(&s);
    kiln_scene_writer_destroy(s.writer);
    kiln_save_names_fini(&s);
    kiln_save_words_fini(&s);
    kiln_save_components_fini(&s);
    kiln_save_pick_fini(&s);
    return status;
}

/* ---- a whole file ---- */

/* The types of the saved file: the program's types, if they include the data type of scenes or if
 * no scene has data; otherwise the types of a scene's data. Without types of the program, the types
 * of a file from which a scene was loaded are used. */
static const kiln_types *find_types(const kiln_scene_save_args *args)
{
    const kiln_types *program = args->assets ? args->assets->types : NULL, *types = NULL;
    const kiln_scene_instance *first = args->world->scenes;
    if (program && kiln_save_find_data_type(args->world, program) != KILN_TYPE_NONE)
        return program;
    for (const kiln_scene_instance *at = first; at && !types; at = at->next)
        types = at->source->data_type ? at->source->data_types : NULL;
    if (!types)
        types = program;
    for (const kiln_scene_instance *at = first; at && !types; at = at->next)
        types = at->source->file_types;
    return types;
}

static kiln_status save_file(const kiln_scene_save_args *args, const kiln_types *types,
                             const kiln_allocator *allocator, kiln_buffer *ret_file,
                             kiln_error *reterr)
{
    kiln_file_writer_def file_def = kiln_file_writer_def_default();
    kiln_file_writer *file = NULL;
    file_def.types = types;
    file_def.allocator = allocator;
    kiln_status status = kiln_file_writer_create(&file_def, &file, reterr);
    if (status)
        return status;
    status = kiln_file_writer_compress(file, args->compression, NULL);
    if (status)
        kiln_fail(reterr, status, 0, NULL);
    else
        status = kiln_scene_save_to(args, file, types, reterr);
    if (!status)
        status = kiln_file_writer_finish_buffer(file, ret_file, reterr);
    kiln_file_writer_destroy(file);
    return status;
}

kiln_status kiln_scene_save(const kiln_scene_save_args *args, kiln_buffer *ret_file,
                            kiln_error *reterr)
{
    if (!args_are_valid(args) || !ret_file)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    const kiln_allocator *allocator = args->allocator ? args->allocator : &args->world->allocator;
    kiln_types *types = NULL;
    kiln_status status = kiln_types_with_scene(find_types(args), allocator, &types, reterr);
    if (!status)
        status = save_file(args, types, allocator, ret_file, reterr);
    kiln_types_destroy(types);
    return status;
}
