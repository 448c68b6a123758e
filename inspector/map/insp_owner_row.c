/* Finds the entity and component that own a byte in the chunks of a scene.
 *
 * A row is not contiguous: each component has its own column in the chunk. The search therefore
 * finds the chunk that contains the byte, then the column, then the row. In one scene, this takes
 * time linear in the number of chunks. If several scenes share chunks, the first scene is the
 * owner. */
#include "insp_owner_row.h"

#include "insp_scene.h"
#include "path_quote.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_plain_entity(insp_text name)
{
    uint32_t i;
    for (i = 0; i < name.length; i++) {
        if (name.data[i] != '/' && !path_is_name_byte(name.data[i], i == 0))
            return false;
    }
    return name.length > 0;
}

void insp_owner_entity(insp_text name, uint32_t number, char *out, size_t size)
{
    kiln_path path = {{0}, 0};
    if (!name.length) {
        snprintf(out, size, "#%" PRIu32, number);
    } else if (is_plain_entity(name)) {
        snprintf(out, size, "#%.*s", (int)name.length, name.data);
    } else {
        kiln_path_add_name(&path, name.data, name.length);
        snprintf(out, size, "#%s%s%s", path.text[0] == '"' ? "" : "\"", path.text,
                 path.text[0] == '"' ? "" : "\"");
    }
}

/* A position in a column of a chunk. */
typedef struct place {
    const insp_scene *scene;
    const kiln_scene_rows *rows;
    uint32_t entity, column;
    const unsigned char *row, *at;
} place;

static kiln_status add_owner(insp_owners *owners, const place *found)
{
    const insp_scene *scene = found->scene;
    const insp_file *file = scene->file;
    const kiln_component_desc *desc =
        kiln_scene_column_desc(&scene->view, found->rows, found->column);
    uint32_t type = file->types ? kiln_types_find(file->types, desc->name) : KILN_TYPE_NONE;
    const char *dot = strrchr(desc->name, '.'); /* source maps omit the namespace */
    char first[INSP_OWNER_PATH_SIZE];
    kiln_path path = {{0}, 0};
    kiln_value value;
    insp_owner_entity(insp_scene_name(scene, found->entity), found->entity, first, sizeof first);
    kiln_path_add_name(&path, dot ? dot + 1 : desc->name, strlen(dot ? dot + 1 : desc->name));
    /* A byte inside a component may be padding between fields. Only a type from the file shows
     * that; without one, every byte counts as part of the component. */
    if (type != KILN_TYPE_NONE && kiln_types_get(file->types, type)->size == desc->size &&
        !kiln_types_get(file->types, type)->has_pointers &&
        kiln_value_root(file->types, type, found->row, desc->size, &value) == KILN_OK &&
        !insp_map_leaf(&value, found->at, &path, NULL)) {
        owners->as = INSP_OWNED_PADDING;
        return KILN_OK;
    }
    owners->as = INSP_OWNED_VALUE;
    return insp_owners_add(owners, scene->parts[INSP_SCENE_ROOT].asset->name, first, &path);
}

/* Searches the columns of a chunk, and finds the row by division, because all rows of a column have
 * the same size. */
static kiln_status search_chunk(insp_owners *owners, place *p, uint32_t chunk)
{
    insp_scene_chunk facts = insp_scene_get_chunk(p->scene, p->rows, chunk);
    uint32_t i;
    for (i = 0; i < p->rows->component_count; i++) {
        uint32_t size = kiln_scene_column_desc(&p->scene->view, p->rows, i)->size, row;
        const unsigned char *column = kiln_scene_column(&p->scene->view, p->rows, chunk, i);
        if (!column || !size || p->at < column ||
            (uint64_t)(p->at - column) >= (uint64_t)size * facts.rows)
            continue;
        row = (uint32_t)((uint64_t)(p->at - column) / size);
        p->column = i;
        p->row = column + (size_t)row * size;
        p->entity = facts.first_entity + row;
        return add_owner(owners, p);
    }
    /* The byte is in no column: it is between two columns or after the last row. */
    owners->as = INSP_OWNED_PADDING;
    return KILN_OK;
}

static kiln_status search_scene(insp_owners *owners, const insp_scene *scene, uint64_t at)
{
    place p = {.scene = scene, .at = scene->file->data + at};
    uint32_t i, chunk;
    for (i = 0; scene->has_rows && i < scene->view.archetype_count; i++) {
        p.rows = &scene->view.archetypes[i];
        for (chunk = 0; chunk < p.rows->chunks; chunk++) {
            insp_scene_chunk facts = insp_scene_get_chunk(scene, p.rows, chunk);
            if (facts.stored && at >= facts.place && at - facts.place < facts.stored)
                return search_chunk(owners, &p, chunk);
        }
    }
    return KILN_OK;
}

static bool has_chunks(const insp_file *file, uint32_t member)
{
    uint32_t i;
    for (i = 0; i < file->asset_count; i++)
        if (insp_asset_at(file, i)->member == member &&
            insp_is_scene_chunks(file, insp_asset_at(file, i)))
            return true;
    return false;
}

/* Opening a scene verifies all of its parts, so only scenes with chunks in the member are
 * opened. */
kiln_status insp_owners_of_row(insp_owners *owners, const insp_file *file, uint32_t member,
                               uint64_t at)
{
    uint32_t i, count = has_chunks(file, member) ? file->asset_count : 0;
    kiln_status status = KILN_OK;
    for (i = 0; i < count && !status && owners->as == INSP_OWNED_UNKNOWN; i++) {
        const insp_asset *chunks = NULL;
        insp_scene scene;
        if (insp_is_scene(file, insp_asset_at(file, i)))
            status = insp_scene_find_part(file, insp_asset_at(file, i), INSP_SCENE_CHUNKS, &chunks);
        if (status || !chunks || chunks->member != member)
            continue;
        status = insp_scene_init(&scene, file, insp_asset_at(file, i));
        if (!status)
            status = search_scene(owners, &scene, at);
        insp_scene_fini(&scene);
    }
    return status;
}
