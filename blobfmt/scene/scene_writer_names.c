/* Collecting a scene: what is named in it, and what it refers to. */
#include "scene_writer_state.h"

#include "hash.h"

static const scene_writer_name *name_at(const void *writer, uint32_t number)
{
    const kiln_scene_writer *w = writer;
    return (const scene_writer_name *)w->names.items + number;
}

static const scene_writer_import *import_at(const void *writer, uint32_t number)
{
    const kiln_scene_writer *w = writer;
    return (const scene_writer_import *)w->imports.items + number;
}

static uint64_t text_of_name(const void *ctx, uint32_t number)
{
    const scene_writer_name *name = name_at(ctx, number);
    return kiln_hash64(name->text, name->length, 0);
}

static uint64_t entity_of_name(const void *ctx, uint32_t number)
{
    return name_at(ctx, number)->entity;
}

static uint64_t hash_of_import(const char *scene, size_t scene_length, const char *entity,
                               size_t entity_length)
{
    return kiln_hash64(entity, entity_length, kiln_hash64(scene, scene_length, 0));
}

static uint64_t text_of_import(const void *ctx, uint32_t number)
{
    const scene_writer_import *i = import_at(ctx, number);
    return hash_of_import(i->scene, i->scene_length, i->entity, i->entity_length);
}

static uint64_t id_of_asset(const void *ctx, uint32_t number)
{
    const kiln_scene_writer *w = ctx;
    return ((const kiln_id *)w->assets.items)[number];
}

static bool are_same(const char *a, size_t a_length, const char *b, size_t b_length)
{
    return a_length == b_length && memcmp(a, b, a_length) == 0;
}

/* Enters a name that nothing and nobody has. */
static kiln_status add_name(kiln_scene_writer *w, uint32_t entity, const char *text, size_t length,
                            uint32_t text_slot, uint32_t entity_slot)
{
    char *copy = kiln_arena_copy_text(&w->memory, text, length);
    scene_writer_name *name =
        copy ? kiln_vector_push(&w->names, &w->allocator, 1, sizeof *name) : NULL;
    if (!name)
        return KILN_NO_MEMORY;
    scene_writer_name made = {copy, (uint32_t)length, entity};
    *name = made;
    uint32_t number = (uint32_t)w->names.count - 1;
    kiln_number_set_put(&w->names_by_text, text_slot, number);
    kiln_number_set_put(&w->names_by_entity, entity_slot, number);
    return KILN_OK;
}

kiln_status kiln_scene_writer_name(kiln_scene_writer *w, uint32_t entity, const char *text,
                                   size_t length)
{
    if (entity >= w->entities)
        return KILN_BAD_ARGUMENT;
    if (length == 0)
        return KILN_OK;
    if (length > KILN_SCENE_TEXT_MAX)
        return KILN_L_TEXT;
    if (!kiln_number_set_reserve(&w->names_by_text, &w->allocator, text_of_name, w) ||
        !kiln_number_set_reserve(&w->names_by_entity, &w->allocator, entity_of_name, w))
        return KILN_NO_MEMORY;
    uint64_t hash = kiln_hash64(text, length, 0);
    uint32_t text_slot, entity_slot;
    uint32_t found = kiln_number_set_find(&w->names_by_text, text_of_name, w, hash, &text_slot);
    while (found != UINT32_MAX) {
        const scene_writer_name *name = name_at(w, found);
        if (are_same(name->text, name->length, text, length))
            return name->entity == entity ? KILN_OK : KILN_DUPLICATE;
        found = kiln_number_set_next(&w->names_by_text, text_of_name, w, hash, &text_slot);
    }
    found = kiln_number_set_find(&w->names_by_entity, entity_of_name, w, entity, &entity_slot);
    return found == UINT32_MAX ? add_name(w, entity, text, length, text_slot, entity_slot)
                               : KILN_DUPLICATE;
}

kiln_status kiln_scene_writer_asset(kiln_scene_writer *w, kiln_id id, uint64_t *ret_word)
{
    if (id == 0)
        return KILN_BAD_ARGUMENT;
    if (!kiln_number_set_reserve(&w->assets_by_id, &w->allocator, id_of_asset, w))
        return KILN_NO_MEMORY;
    uint32_t slot;
    uint32_t found = kiln_number_set_find(&w->assets_by_id, id_of_asset, w, id, &slot);
    if (found == UINT32_MAX) {
        kiln_id *asset = kiln_vector_push(&w->assets, &w->allocator, 1, sizeof *asset);
        if (!asset)
            return KILN_NO_MEMORY;
        *asset = id;
        found = (uint32_t)w->assets.count - 1;
        kiln_number_set_put(&w->assets_by_id, slot, found);
    }
    *ret_word = (uint64_t)found + 1;
    return KILN_OK;
}

static kiln_status add_import(kiln_scene_writer *w, const char *scene, size_t scene_length,
                              const char *entity, size_t entity_length)
{
    char *scene_copy = kiln_arena_copy_text(&w->memory, scene, scene_length);
    char *entity_copy = kiln_arena_copy_text(&w->memory, entity, entity_length);
    if (!scene_copy || !entity_copy)
        return KILN_NO_MEMORY;
    scene_writer_import *import = kiln_vector_push(&w->imports, &w->allocator, 1, sizeof *import);
    if (!import)
        return KILN_NO_MEMORY;
    scene_writer_import made = {scene_copy, entity_copy, (uint32_t)scene_length,
                                (uint32_t)entity_length};
    *import = made;
    return KILN_OK;
}

kiln_status kiln_scene_writer_import(kiln_scene_writer *w, const char *scene, const char *entity,
                                     uint32_t *ret_number)
{
    size_t scene_length = strlen(scene), entity_length = strlen(entity);
    if (!kiln_asset_name_is_valid(scene, scene_length))
        return KILN_I_NAME;
    if (entity_length == 0)
        return KILN_BAD_ARGUMENT;
    if (scene_length > KILN_SCENE_TEXT_MAX || entity_length > KILN_SCENE_TEXT_MAX)
        return KILN_L_TEXT;
    if (!kiln_number_set_reserve(&w->imports_by_text, &w->allocator, text_of_import, w))
        return KILN_NO_MEMORY;
    uint64_t hash = hash_of_import(scene, scene_length, entity, entity_length);
    uint32_t slot;
    uint32_t found = kiln_number_set_find(&w->imports_by_text, text_of_import, w, hash, &slot);
    while (found != UINT32_MAX) {
        const scene_writer_import *i = import_at(w, found);
        *ret_number = found;
        if (are_same(i->scene, i->scene_length, scene, scene_length) &&
            are_same(i->entity, i->entity_length, entity, entity_length))
            return KILN_OK;
        found = kiln_number_set_next(&w->imports_by_text, text_of_import, w, hash, &slot);
    }
    kiln_status status = add_import(w, scene, scene_length, entity, entity_length);
    if (status)
        return status;
    *ret_number = (uint32_t)w->imports.count - 1;
    kiln_number_set_put(&w->imports_by_text, slot, *ret_number);
    return KILN_OK;
}
