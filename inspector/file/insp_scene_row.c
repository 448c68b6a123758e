/* Finds the row of an entity, and its bytes.
 *
 * A scene stores the rows of an archetype in chunks of `rows_per_chunk`, so row r is row r %
 * rows_per_chunk of chunk r / rows_per_chunk. The caller must check `has_view`, and that the entity
 * is below `view.entities`. */
#include "insp_scene_row.h"

insp_scene_row insp_scene_locate(const insp_scene *scene, uint32_t entity)
{
    insp_scene_row at = {.scene = scene, .entity = entity};
    at.of = kiln_scene_find_row(&scene->view, entity, &at.row);
    at.chunk = at.row / at.of->rows_per_chunk;
    return at;
}

const kiln_scene_component *insp_scene_row_component(const insp_scene_row *at, uint32_t column)
{
    const kiln_scene_component *all = insp_scene_list(&at->scene->scene->components);
    return &all[kiln_scene_column_number(&at->scene->view, at->of, column)];
}

const unsigned char *insp_scene_row_bytes(const insp_scene_row *at, uint32_t column)
{
    const unsigned char *rows = kiln_scene_column(&at->scene->view, at->of, at->chunk, column);
    uint32_t row = at->row % at->of->rows_per_chunk;
    return rows ? rows + (size_t)row * insp_scene_row_component(at, column)->size : NULL;
}

bool insp_scene_row_value(const insp_scene_row *at, uint32_t column, kiln_value *ret_value)
{
    const kiln_scene_component *component = insp_scene_row_component(at, column);
    const kiln_types *types = at->scene->file->types;
    const unsigned char *row = insp_scene_row_bytes(at, column);
    uint32_t type =
        types ? kiln_types_find(types, kiln_string_get(&component->name)) : KILN_TYPE_NONE;
    const kiln_type *of = type == KILN_TYPE_NONE ? NULL : kiln_types_get(types, type);
    /* Name, layout and size must all match, because the scene may be older than the type table. A
     * row never contains relative offsets, so a type with relative fields cannot be its type. */
    if (!row || !of || of->kind != KILN_KIND_STRUCT || of->layout != component->layout ||
        of->size != component->size || of->has_pointers)
        return false;
    return kiln_value_root(types, type, row, component->size, ret_value) == KILN_OK;
}
