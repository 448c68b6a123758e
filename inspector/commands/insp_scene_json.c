/* The contents of a scene as JSON. Programs read this format, so it is complete even without --all.
 * Only the list of chunks, which can be very long, is omitted unless --chunks is given. */
#include "insp_escape.h"
#include "insp_scene_list.h"

#include <inttypes.h>
#include <string.h>

static void put_text(insp_out *out, insp_text text)
{
    insp_put_json_string(out, text.data, text.length);
}

static void put_places(insp_out *out, const char *key, const kiln_array *places)
{
    const uint32_t *list = insp_scene_list(places);
    uint32_t i;
    insp_putf(out, ", \"%s\": [", key);
    for (i = 0; i < places->count; i++)
        insp_putf(out, "%s%" PRIu32, i ? ", " : "", list[i]);
    insp_put_char(out, ']');
}

static void put_component(insp_out *out, const kiln_scene_component *component)
{
    const kiln_scene_field *fields = insp_scene_list(&component->fields);
    uint32_t i;
    insp_put(out, "{\"name\": ");
    put_text(out, insp_scene_text(&component->name));
    insp_putf(out, ", \"layout\": \"%016" PRIx64 "\", \"size\": %" PRIu32, component->layout,
              component->size);
    insp_putf(out, ", \"alignment\": %" PRIu32, component->alignment);
    put_places(out, "entities", &component->entity_places);
    put_places(out, "refs", &component->asset_places);
    insp_put(out, ", \"data\": [");
    for (i = 0; i < component->fields.count; i++) {
        insp_putf(out, "%s{\"place\": %" PRIu32 ", \"list\": ", i ? ", " : "", fields[i].place);
        put_text(out, insp_scene_text(&fields[i].name));
        insp_put_char(out, '}');
    }
    insp_put(out, "]}");
}

static void put_archetype(insp_out *out, const kiln_scene_view *view, const kiln_scene_rows *of)
{
    uint32_t i;
    insp_put(out, "{\"components\": [");
    for (i = 0; i < of->component_count; i++) {
        const char *name = kiln_scene_column_desc(view, of, i)->name;
        insp_put(out, i ? ", " : "");
        insp_put_json_string(out, name, strlen(name));
    }
    insp_putf(out, "], \"rows\": %" PRIu32 ", \"row_size\": %" PRIu32, of->rows, of->row_size);
    insp_putf(out, ", \"rows_per_chunk\": %" PRIu32 ", \"first_entity\": %" PRIu32,
              of->rows_per_chunk, of->first_entity);
    insp_putf(out, ", \"chunks\": %" PRIu32 ", \"whole\": %" PRIu32 ", \"trimmed\": %d", of->chunks,
              of->whole, of->tail_size != 0);
    insp_putf(out, ", \"stored\": %" PRIu64 ", \"waste\": %" PRIu64 "}",
              (uint64_t)of->whole * KILN_CHUNK_SIZE + of->tail_size, insp_scene_waste(of));
}

static void put_chunk(insp_out *out, const insp_scene *scene, uint32_t archetype, uint32_t number)
{
    insp_scene_chunk chunk =
        insp_scene_get_chunk(scene, &scene->view.archetypes[archetype], number);
    insp_putf(out, "{\"archetype\": %" PRIu32 ", \"number\": %" PRIu32, archetype, number);
    insp_putf(out, ", \"first_entity\": %" PRIu32 ", \"rows\": %" PRIu32, chunk.first_entity,
              chunk.rows);
    /* Chunks without bytes and chunks in another file have no place. */
    if (chunk.stored && scene->view.root)
        insp_putf(out, ", \"place\": %" PRIu64, chunk.place);
    else
        insp_put(out, ", \"place\": null");
    insp_putf(out, ", \"stored\": %" PRIu32 ", \"used\": %" PRIu32 "}", chunk.stored, chunk.used);
}

static void put_chunks(insp_out *out, const insp_scene *scene)
{
    bool is_first = true;
    uint32_t i, k;
    insp_put(out, ",\n      \"chunk_list\": [");
    for (i = 0; i < scene->view.archetype_count; i++)
        for (k = 0; k < scene->view.archetypes[i].chunks && !out->error; k++) {
            insp_put(out, is_first ? "\n        " : ",\n        ");
            put_chunk(out, scene, i, k);
            is_first = false;
        }
    insp_put(out, is_first ? "]" : "\n      ]");
}

static void put_part(insp_out *out, const insp_scene *scene, insp_scene_piece piece,
                     const char *key)
{
    const insp_scene_part *part = &scene->parts[piece];
    insp_text name = insp_scene_part_name(scene, piece);
    insp_putf(out, ",\n      \"%s\": ", key);
    if (!part->id) {
        insp_put(out, "null");
        return;
    }
    insp_put(out, "{\"name\": ");
    if (name.length)
        put_text(out, name);
    else
        insp_put(out, "null");
    insp_putf(out, ", \"id\": \"%016" PRIx64 "\", \"compressed\": %s}", part->id,
              part->is_compressed ? "true" : "false");
}

static void put_references(insp_out *out, const insp_scene *scene)
{
    const kiln_scene_import *imports = insp_scene_list(&scene->scene->imports);
    const uint64_t *ids = insp_scene_list(&scene->scene->assets);
    uint32_t i;
    insp_put(out, ",\n      \"imports\": [");
    for (i = 0; i < scene->scene->imports.count && !out->error; i++) {
        insp_put(out, i ? ", {\"scene\": " : "{\"scene\": ");
        put_text(out, insp_scene_text(&imports[i].scene));
        insp_put(out, ", \"name\": ");
        put_text(out, insp_scene_text(&imports[i].entity));
        insp_put_char(out, '}');
    }
    insp_put(out, "],\n      \"assets\": [");
    for (i = 0; i < scene->scene->assets.count && !out->error; i++) {
        const insp_name *name = insp_file_name(scene->file, ids[i]);
        insp_put(out, i ? ", {\"name\": " : "{\"name\": ");
        if (name)
            put_text(out, name->name);
        else
            insp_put(out, "null");
        insp_putf(out, ", \"id\": \"%016" PRIx64 "\"}", ids[i]);
    }
    insp_put_char(out, ']');
}

static void put_view(insp_run *run, const insp_scene *scene)
{
    insp_out *out = &run->out;
    const kiln_scene_view *view = &scene->view;
    const kiln_scene_component *components = insp_scene_list(&scene->scene->components);
    uint32_t i;
    insp_putf(out, ",\n      \"entities\": %" PRIu32 ", \"names\": %" PRIu32, view->entities,
              scene->scene->names.count);
    insp_putf(out, ", \"chunks\": %" PRIu32 ", \"whole\": %" PRIu32, view->chunks,
              view->images_count);
    put_part(out, scene, INSP_SCENE_CHUNKS, "chunks_asset");
    put_part(out, scene, INSP_SCENE_DATA, "data_asset");
    insp_put(out, ",\n      \"archetypes\": [");
    for (i = 0; i < view->archetype_count && !out->error; i++) {
        insp_put(out, i ? ",\n        " : "\n        ");
        put_archetype(out, view, &view->archetypes[i]);
    }
    insp_put(out, i ? "\n      ]" : "]");
    if (run->options.chunks)
        put_chunks(out, scene);
    insp_put(out, ",\n      \"components\": [");
    for (i = 0; i < view->component_count && !out->error; i++) {
        insp_put(out, i ? ",\n        " : "\n        ");
        put_component(out, &components[i]);
    }
    insp_put(out, i ? "\n      ]" : "]");
    put_references(out, scene);
}

void insp_scene_list_json(insp_run *run, const insp_scene *scene, bool is_first)
{
    const insp_scene_part *root = &scene->parts[INSP_SCENE_ROOT];
    kiln_status status = root->error.status ? root->error.status : scene->view_error.status;
    insp_put(&run->out, is_first ? "\n    {\n      \"name\": " : ",\n    {\n      \"name\": ");
    put_text(&run->out, root->asset->name);
    if (status)
        insp_putf(&run->out, ",\n      \"error\": \"%s\"", insp_rule(status));
    if (scene->has_view)
        put_view(run, scene);
    insp_put(&run->out, "\n    }");
}
