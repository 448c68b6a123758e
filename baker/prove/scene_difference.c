#include "scene_difference.h"

#include "bake_memory.h"

#include <kiln/blob_header.h>
#include <kiln/scene.h>
#include <kiln/verify.h>
#include <stdio.h>
#include <string.h>

typedef struct rows {
    const bake_scene_differences_def *def;
    kiln_scene_view first, second;
    uint32_t entity;
    uint32_t type; /* of the component */
    bool is_stopped;
} rows;

/* ---- the blobs ---- */

static kiln_status verify(const kiln_types *types, const char *type, const unsigned char *blob,
                          size_t size, kiln_error *reterr)
{
    kiln_allocator allocator = bake_memory_allocator();
    kiln_verify_def def = kiln_verify_def_default();
    def.types = types;
    def.type = kiln_types_find(types, type);
    def.allocator = &allocator;
    return kiln_verify(&def, blob, size, reterr);
}

static const void *payload_of(const unsigned char *blob, uint64_t *ret_hash)
{
    kiln_blob_header header;
    memcpy(&header, blob, sizeof header);
    *ret_hash = header.hash;
    return blob + kiln_header_payload_at(&header);
}

static kiln_status open_view(const kiln_types *types, const bake_scene_blobs *blobs,
                             kiln_scene_view *ret_view, kiln_error *reterr)
{
    uint64_t hash;
    kiln_allocator allocator = bake_memory_allocator();
    kiln_status status =
        verify(types, KILN_SCENE_TYPE_NAME, blobs->scene, blobs->scene_size, reterr);
    if (!status && blobs->chunks)
        status =
            verify(types, KILN_SCENE_CHUNKS_TYPE_NAME, blobs->chunks, blobs->chunks_size, reterr);
    if (status)
        return status;
    kiln_scene_view_args args = {.scene = payload_of(blobs->scene, &hash), .allocator = &allocator};
    if (blobs->chunks)
        args.chunks = payload_of(blobs->chunks, &args.chunks_hash);
    return kiln_scene_view_init(&args, ret_view, reterr);
}

/* ---- rows ---- */

/* Whether both scenes have the same components, and the same number of rows in each archetype. */
static bool has_same_shape(const kiln_scene_view *a, const kiln_scene_view *b)
{
    if (a->component_count != b->component_count || a->archetype_count != b->archetype_count)
        return false;
    for (uint32_t i = 0; i < a->component_count; i++)
        if (strcmp(a->components[i].name, b->components[i].name) != 0 ||
            a->components[i].layout != b->components[i].layout)
            return false;
    for (uint32_t i = 0; i < a->archetype_count; i++) {
        const kiln_scene_rows *x = &a->archetypes[i], *y = &b->archetypes[i];
        if (x->rows != y->rows || x->component_count != y->component_count ||
            memcmp(x->components, y->components, x->component_count * sizeof *x->components) != 0)
            return false;
    }
    return true;
}

static bool found_value(void *ctx, const bake_value_difference *value)
{
    rows *r = ctx;
    char path[2 * KILN_PATH_SIZE];
    const kiln_string *name = kiln_scene_entity_name(r->first.scene, r->entity);
    int length = name ? snprintf(path, sizeof path, "entity %.200s", kiln_string_get(name))
                      : snprintf(path, sizeof path, "entity %u", (unsigned)r->entity);
    snprintf(path + length, sizeof path - (size_t)length, ".%s%s%s",
             kiln_types_get(r->def->types, r->type)->name, *value->path ? "." : "", value->path);
    const bake_value_difference difference = {path, value->first, value->second};
    r->is_stopped = !r->def->found(r->def->ctx, &difference);
    return !r->is_stopped;
}

static bake_row_assets assets_of(const kiln_scene_view *view)
{
    const kiln_array *list = &view->scene->assets;
    return (bake_row_assets){kiln_relative_get(list, list->offset), list->count};
}

static void compare_row(rows *r, const unsigned char *a, const unsigned char *b, uint32_t size)
{
    kiln_value x, y;
    if (memcmp(a, b, size) == 0 || kiln_value_root(r->def->types, r->type, a, size, &x) ||
        kiln_value_root(r->def->types, r->type, b, size, &y))
        return;
    const bake_value_differences_def def = {.first = &x,
                                            .second = &y,
                                            .first_assets = assets_of(&r->first),
                                            .second_assets = assets_of(&r->second),
                                            .index = r->def->index,
                                            .found = found_value,
                                            .ctx = r};
    bake_value_differences(&def);
}

static void compare_column(rows *r, const kiln_scene_rows *of, uint32_t chunk, uint32_t column)
{
    const kiln_component_desc *desc = kiln_scene_column_desc(&r->first, of, column);
    const kiln_scene_rows *other = &r->second.archetypes[of - r->first.archetypes];
    const unsigned char *a = kiln_scene_column(&r->first, of, chunk, column);
    const unsigned char *b = kiln_scene_column(&r->second, other, chunk, column);
    uint32_t count = kiln_scene_chunk_rows(of, chunk);
    r->type = kiln_types_find(r->def->types, desc->name);
    if (!a || !b || r->type == KILN_TYPE_NONE ||
        kiln_types_get(r->def->types, r->type)->layout != desc->layout)
        return;
    for (uint32_t i = 0; i < count && !r->is_stopped; i++) {
        r->entity = of->first_entity + chunk * of->rows_per_chunk + i;
        compare_row(r, a + (size_t)i * desc->size, b + (size_t)i * desc->size, desc->size);
    }
}

static void compare_rows(rows *r)
{
    for (uint32_t i = 0; i < r->first.archetype_count; i++) {
        const kiln_scene_rows *of = &r->first.archetypes[i];
        for (uint32_t chunk = 0; chunk < of->chunks && of->row_size; chunk++)
            for (uint32_t column = 0; column < of->component_count; column++)
                compare_column(r, of, chunk, column);
    }
}

kiln_status bake_scene_differences(const bake_scene_differences_def *def, kiln_error *reterr)
{
    rows r = {.def = def};
    kiln_status status = open_view(def->types, &def->first, &r.first, reterr);
    if (!status)
        status = open_view(def->types, &def->second, &r.second, reterr);
    if (!status && def->first.chunks && def->second.chunks && has_same_shape(&r.first, &r.second))
        compare_rows(&r);
    kiln_scene_view_fini(&r.first);
    kiln_scene_view_fini(&r.second);
    return status;
}
