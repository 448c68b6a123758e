/* Finishes a scene: puts the blobs of the scene, of its chunks and of its data into a file.
 *
 * The scene's blob contains the hashes of the other two. It is therefore built after them, and the
 * hash of the chunks is filled in last, because scene_writer_seal.c may still clear padding in
 * rows. */
#include "scene_writer_finish.h"

/* ---- the scene itself ---- */

static void put_numbers(kiln_builder *b, kiln_array *field, const uint32_t *numbers, uint32_t count)
{
    uint32_t *items = kiln_builder_array(b, field, count, sizeof *items, sizeof *items);
    if (items)
        memcpy(items, numbers, count * sizeof *items);
}

static void put_text(kiln_builder *b, kiln_string *field, const char *text)
{
    kiln_builder_string(b, field, text, strlen(text));
}

static void put_component(kiln_builder *b, const kiln_scene_component_desc *from,
                          kiln_scene_component *to)
{
    const kiln_component_desc *desc = &from->component;
    put_text(b, &to->name, desc->name);
    to->layout = desc->layout;
    to->size = desc->size;
    to->alignment = desc->alignment;
    put_numbers(b, &to->entity_places, desc->entity_places, desc->entity_count);
    put_numbers(b, &to->asset_places, desc->asset_places, desc->asset_count);
    kiln_scene_field *fields =
        kiln_builder_array(b, &to->fields, from->field_count, sizeof *fields, 4);
    for (uint32_t i = 0; fields && i < from->field_count; i++) {
        put_text(b, &fields[i].name, from->field_names[i]);
        fields[i].place = from->field_places[i];
    }
}

static void put_archetype(scene_finish_state *f, const scene_archetype *from,
                          kiln_scene_archetype *to)
{
    uint32_t *numbers =
        kiln_builder_array(f->builder, &to->components, from->component_count, sizeof *numbers, 4);
    for (uint32_t i = 0; numbers && i < from->component_count; i++)
        numbers[i] = f->component_ranks[from->components[i]];
    to->rows = from->rows;
}

static void put_contents(scene_finish_state *f, kiln_scene *scene)
{
    kiln_builder *b = f->builder;
    const kiln_scene_writer *w = f->writer;
    uint32_t count = (uint32_t)w->components.count;
    kiln_scene_component *components =
        kiln_builder_array(b, &scene->components, count, sizeof *components, 8);
    for (uint32_t i = 0; components && i < count; i++)
        put_component(b, &scene_component_at(w, f->components[i])->desc, &components[i]);
    count = f->archetype_count;
    kiln_scene_archetype *archetypes =
        kiln_builder_array(b, &scene->archetypes, count, sizeof *archetypes, 4);
    for (uint32_t i = 0; archetypes && i < count; i++)
        put_archetype(f, scene_archetype_at(w, f->archetypes[i]), &archetypes[i]);
    scene->entities = w->entities;
}

static void put_references(scene_finish_state *f, kiln_scene *scene)
{
    kiln_builder *b = f->builder;
    const kiln_scene_writer *w = f->writer;
    const scene_writer_name *from_names = w->names.items;
    const scene_writer_import *from_imports = w->imports.items;
    uint32_t count = (uint32_t)w->names.count;
    kiln_scene_name *names = kiln_builder_array(b, &scene->names, count, sizeof *names, 4);
    for (uint32_t i = 0; names && i < count; i++) {
        kiln_builder_string(b, &names[i].name, from_names[i].text, from_names[i].length);
        names[i].entity = kiln_scene_final_entity(f, from_names[i].entity);
    }
    count = (uint32_t)w->assets.count;
    kiln_id *assets = kiln_builder_array(b, &scene->assets, count, sizeof *assets, 8);
    for (uint32_t i = 0; assets && i < count; i++)
        assets[i] = ((const kiln_id *)w->assets.items)[f->assets[i]];
    count = (uint32_t)w->imports.count;
    kiln_scene_import *imports = kiln_builder_array(b, &scene->imports, count, sizeof *imports, 4);
    for (uint32_t i = 0; imports && i < count; i++) {
        const scene_writer_import *import = &from_imports[f->imports[i]];
        kiln_builder_string(b, &imports[i].scene, import->scene, import->scene_length);
        kiln_builder_string(b, &imports[i].entity, import->entity, import->entity_length);
    }
}

/* Makes the field refer to a blob, if there is one. Returns the hash in the blob's header; 0 if
 * there is no blob. */
static uint64_t put_part(kiln_builder *b, kiln_array *field, const kiln_buffer *blob,
                         const scene_part_name *name)
{
    kiln_id *id = blob && blob->size ? kiln_builder_array(b, field, 1, sizeof *id, 8) : NULL;
    kiln_blob_header header = {.hash = 0};
    if (id) {
        *id = kiln_asset_id(name->text, name->length);
        memcpy(&header, blob->data, sizeof header);
    }
    return header.hash;
}

static kiln_status build(scene_finish_state *f)
{
    kiln_builder_def def = kiln_builder_def_default();
    def.types = f->args->types;
    def.allocator = &f->writer->allocator;
    def.finish_once = true;
    kiln_status status = kiln_builder_create(&def, &f->builder);
    if (status)
        return kiln_fail(f->reterr, status, 0, NULL);
    kiln_scene *scene = kiln_builder_root(f->builder, sizeof *scene, 8);
    if (scene) {
        put_contents(f, scene);
        put_references(f, scene);
        scene->chunks_hash = put_part(f->builder, &scene->chunks, &f->chunks, &f->chunks_name);
        scene->data_hash = put_part(f->builder, &scene->data, f->args->data, &f->data_name);
    }
    return kiln_builder_finish(f->builder, f->scene_type, KILN_FLAG_CANONICAL, &f->scene,
                               f->reterr);
}

/* ---- the whole scene ---- */

/* `SceneChunks/id` for the scene `Kind/id`. */
static bool name_part(scene_finish_state *f, const char *kind, scene_part_name *ret_name)
{
    const char *id = strchr(f->args->name, '/');
    size_t kind_length = strlen(kind), id_length = strlen(id);
    char *text = kiln_arena_alloc(&f->memory, kind_length + id_length + 1, 1);
    if (text) {
        memcpy(text, kind, kind_length);
        memcpy(text + kind_length, id, id_length + 1);
    }
    ret_name->text = text;
    ret_name->length = kind_length + id_length;
    return text != NULL;
}

static kiln_status check_args(scene_finish_state *f)
{
    const kiln_scene_finish_args *args = f->args;
    const kiln_buffer *data = args->data;
    kiln_blob_header header;
    f->scene_type = kiln_types_find(args->types, KILN_SCENE_TYPE_NAME);
    f->chunks_type = kiln_types_find(args->types, KILN_SCENE_CHUNKS_TYPE_NAME);
    const kiln_type *scene = kiln_types_get(args->types, f->scene_type);
    if (!scene || scene->layout != KILN_SCENE_LAYOUT)
        return kiln_fail(f->reterr, KILN_BAD_ARGUMENT, 0, NULL);
    if (!kiln_asset_name_is_valid(args->name, strlen(args->name)))
        return kiln_fail(f->reterr, KILN_I_NAME, 0, NULL);
    if (data && data->size)
        return kiln_header_read(data->data, data->size, &header, f->reterr);
    return KILN_OK;
}

static kiln_status add_part(scene_finish_state *f, const scene_part_name *name, uint32_t type,
                            kiln_buffer *blob)
{
    if (!blob || !blob->size)
        return KILN_OK;
    return kiln_file_writer_take(f->args->file, name->text, type, blob, f->reterr);
}

static kiln_status add_parts(scene_finish_state *f)
{
    kiln_status status = add_part(f, &f->scene_name, f->scene_type, &f->scene);
    if (!status)
        status = add_part(f, &f->chunks_name, f->chunks_type, &f->chunks);
    if (!status)
        status = add_part(f, &f->data_name, f->args->data_type, f->args->data);
    return status;
}

static void hand_over(kiln_buffer *from, kiln_buffer *ret)
{
    memset(ret, 0, sizeof *ret);
    if (!from || !from->size)
        return;
    *ret = *from;
    memset(from, 0, sizeof *from);
}

static void hand_over_parts(scene_finish_state *f)
{
    hand_over(&f->scene, &f->args->ret_blobs[0]);
    hand_over(&f->chunks, &f->args->ret_blobs[1]);
    hand_over(f->args->data, &f->args->ret_blobs[2]);
}

static kiln_status finish(scene_finish_state *f)
{
    kiln_status status = check_args(f);
    if (status)
        return status;
    if (!name_part(f, "SceneChunks", &f->chunks_name) || !name_part(f, "SceneData", &f->data_name))
        return kiln_fail(f->reterr, KILN_NO_MEMORY, 0, NULL);
    f->scene_name = (scene_part_name){f->args->name, strlen(f->args->name)};
    status = kiln_scene_order_all(f);
    if (!status)
        status = kiln_scene_store_chunks(f);
    if (!status)
        status = build(f);
    if (!status)
        status = kiln_scene_seal(f);
    const kiln_scene_sizes sizes = {f->scene.size, f->chunks.size,
                                    f->args->data ? f->args->data->size : 0};
    if (!status && f->args->ret_blobs)
        hand_over_parts(f);
    else if (!status)
        status = add_parts(f);
    if (!status && f->args->ret_sizes)
        *f->args->ret_sizes = sizes;
    return status;
}

kiln_status kiln_scene_writer_finish(kiln_scene_writer *writer, const kiln_scene_finish_args *args,
                                     kiln_error *reterr)
{
    enum { FINISH_BLOCK = 16384 };
    scene_finish_state f = {.writer = writer, .args = args, .reterr = reterr};
    kiln_arena_init(&f.memory, &writer->allocator, FINISH_BLOCK);
    kiln_status status = finish(&f);
    kiln_builder_destroy(f.builder);
    kiln_buffer_fini(&f.scene);
    kiln_buffer_fini(&f.chunks);
    kiln_arena_fini(&f.memory);
    if (!status)
        kiln_scene_writer_reset(writer);
    return status;
}
