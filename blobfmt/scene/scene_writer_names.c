/* Collects the names of a scene's entities, and the assets and imports that its rows refer to.
 *
 * Each item is stored once. A word for an asset or an import is the item's number plus a constant.
 * Numbers are assigned in the order in which items are added; scene_writer_chunks.c replaces them
 * when the scene is written. */
#include "scene_writer_state.h"

#include "hash.h"

static const scene_writer_name *name_at(const kiln_scene_writer *w, uint32_t number)
{
    return (const scene_writer_name *)w->names.items + number;
}

static bool are_same(const char *a, size_t a_length, const char *b, size_t b_length)
{
    return a_length == b_length && memcmp(a, b, a_length) == 0;
}

static bool has_text(const kiln_scene_writer *w, uint32_t number, text_key text)
{
    const scene_writer_name *name = name_at(w, number);
    return are_same(name->text, name->length, text.text, text.length);
}

static bool has_entity(const kiln_scene_writer *w, uint32_t number, uint64_t entity)
{
    return name_at(w, number)->entity == entity;
}

static bool is_asset(const kiln_scene_writer *w, uint32_t number, kiln_id id)
{
    return ((const kiln_id *)w->assets.items)[number] == id;
}

static uint32_t hash_of_import(const hash_table *table, const scene_writer_import *import)
{
    uint64_t scene = kiln_hash64(import->scene, import->scene_length, table->seed);
    return (uint32_t)kiln_hash64(import->entity, import->entity_length, scene);
}

static bool is_import(const kiln_scene_writer *w, uint32_t number, const scene_writer_import *like)
{
    const scene_writer_import *import = (const scene_writer_import *)w->imports.items + number;
    return are_same(import->scene, import->scene_length, like->scene, like->scene_length) &&
           are_same(import->entity, import->entity_length, like->entity, like->entity_length);
}

HASH_TABLE(names_by_text, const kiln_scene_writer *, text_key, hash_of_text, has_text)
HASH_TABLE(names_by_entity, const kiln_scene_writer *, uint64_t, hash_of_number, has_entity)
HASH_TABLE(assets_by_id, const kiln_scene_writer *, kiln_id, hash_of_number, is_asset)
HASH_TABLE(imports_by_text, const kiln_scene_writer *, const scene_writer_import *, hash_of_import,
           is_import)

/* Adds a name for an entity. Both must be new: S3 allows one name per entity and one entity per
 * name. */
static kiln_status add_name(kiln_scene_writer *w, uint32_t entity, const char *text, size_t length,
                            hash_slot *text_slot, hash_slot *entity_slot)
{
    char *copy = kiln_arena_copy_text(&w->memory, text, length);
    scene_writer_name *name =
        copy ? kiln_vector_push(&w->names, &w->allocator, 1, sizeof *name) : NULL;
    if (!name)
        return KILN_NO_MEMORY;
    scene_writer_name made = {copy, (uint32_t)length, entity};
    *name = made;
    uint32_t number = (uint32_t)w->names.count - 1;
    hash_table_put(&w->names_by_text, text_slot, number);
    hash_table_put(&w->names_by_entity, entity_slot, number);
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
    if (!hash_table_reserve(&w->names_by_text, &w->allocator) ||
        !hash_table_reserve(&w->names_by_entity, &w->allocator))
        return KILN_NO_MEMORY;
    hash_slot *text_slot = names_by_text_slot(&w->names_by_text, w, (text_key){text, length});
    hash_slot *entity_slot = names_by_entity_slot(&w->names_by_entity, w, entity);
    if (!hash_slot_is_empty(text_slot))
        return name_at(w, hash_slot_number(text_slot))->entity == entity ? KILN_OK : KILN_DUPLICATE;
    return hash_slot_is_empty(entity_slot)
               ? add_name(w, entity, text, length, text_slot, entity_slot)
               : KILN_DUPLICATE;
}

kiln_status kiln_scene_writer_add_asset(kiln_scene_writer *w, kiln_id id, uint64_t *ret_word)
{
    if (id == 0)
        return KILN_BAD_ARGUMENT;
    if (!hash_table_reserve(&w->assets_by_id, &w->allocator))
        return KILN_NO_MEMORY;
    hash_slot *slot = assets_by_id_slot(&w->assets_by_id, w, id);
    if (hash_slot_is_empty(slot)) {
        kiln_id *asset = kiln_vector_push(&w->assets, &w->allocator, 1, sizeof *asset);
        if (!asset)
            return KILN_NO_MEMORY;
        *asset = id;
        hash_table_put(&w->assets_by_id, slot, (uint32_t)w->assets.count - 1);
    }
    *ret_word = (uint64_t)hash_slot_number(slot) + 1;
    return KILN_OK;
}

static kiln_status add_import(kiln_scene_writer *w, scene_writer_import made)
{
    made.scene = kiln_arena_copy_text(&w->memory, made.scene, made.scene_length);
    made.entity = kiln_arena_copy_text(&w->memory, made.entity, made.entity_length);
    if (!made.scene || !made.entity)
        return KILN_NO_MEMORY;
    scene_writer_import *import = kiln_vector_push(&w->imports, &w->allocator, 1, sizeof *import);
    if (!import)
        return KILN_NO_MEMORY;
    *import = made;
    return KILN_OK;
}

kiln_status kiln_scene_writer_add_import(kiln_scene_writer *w, const char *scene,
                                         const char *entity, uint32_t *ret_number)
{
    size_t scene_length = strlen(scene), entity_length = strlen(entity);
    if (!kiln_asset_name_is_valid(scene, scene_length))
        return KILN_I_NAME;
    if (entity_length == 0)
        return KILN_BAD_ARGUMENT;
    if (scene_length > KILN_SCENE_TEXT_MAX || entity_length > KILN_SCENE_TEXT_MAX)
        return KILN_L_TEXT;
    if (!hash_table_reserve(&w->imports_by_text, &w->allocator))
        return KILN_NO_MEMORY;
    scene_writer_import import = {scene, entity, (uint32_t)scene_length, (uint32_t)entity_length};
    hash_slot *slot = imports_by_text_slot(&w->imports_by_text, w, &import);
    if (hash_slot_is_empty(slot)) {
        kiln_status status = add_import(w, import);
        if (status)
            return status;
        hash_table_put(&w->imports_by_text, slot, (uint32_t)w->imports.count - 1);
    }
    *ret_number = hash_slot_number(slot);
    return KILN_OK;
}
