/* Prints a baked scene: one line for each entity, with its name and components. */
#ifndef SCENE_TEXT_H
#define SCENE_TEXT_H

#include "bake_call.h"

#include <kiln/index.h>
#include <kiln/scene.h>
#include <kiln/value.h>

/* A file read into memory, and its scene. */
typedef struct scene_file {
    fixture_schema schema;
    char *bytes;
    size_t size;
    const kiln_index *index;
    kiln_scene_view view;
    const void *data; /* SceneData */
    uint32_t data_type;
} scene_file;

static inline const void *payload_of(const scene_file *f, const char *name, uint64_t *ret_hash)
{
    uint32_t asset = kiln_index_find_name(f->index, name, strlen(name));
    if (asset == KILN_ASSET_NONE)
        return NULL;
    const kiln_index_member *member =
        kiln_index_member_at(f->index, kiln_index_asset_at(f->index, asset)->member);
    kiln_blob_header header;
    const char *blob = f->bytes + member->place;
    assert_int_equal(kiln_header_read(blob, (size_t)member->size, &header, NULL), KILN_OK);
    *ret_hash = header.hash;
    return blob + kiln_header_payload_at(&header);
}

static inline void scene_open(scene_file *f, const char *kind, const char *id)
{
    char name[64];
    uint64_t hash, data_hash = 0, chunks_hash = 0;
    kiln_error error;
    memset(f, 0, sizeof *f);
    fixture_schema_init(&f->schema, "s.yaml");
    assert_int_equal(f->schema.result, BAKE_OK);
    f->bytes = fixture_read("o.kiln", &f->size);
    assert_non_null(f->bytes);
    f->index = (const void *)(f->bytes + KILN_HEADER_SIZE);
    snprintf(name, sizeof name, "%s/%s", kind, id);
    const kiln_scene *scene = payload_of(f, name, &hash);
    assert_non_null(scene);
    snprintf(name, sizeof name, "SceneChunks/%s", id);
    const kiln_scene_chunks *chunks = payload_of(f, name, &chunks_hash);
    snprintf(name, sizeof name, "SceneData/%s", id);
    f->data = payload_of(f, name, &data_hash);
    f->data_type = f->schema.schema->scene_data;
    kiln_scene_view_args args = {
        .scene = scene, .chunks = chunks, .chunks_hash = chunks_hash, .data_hash = data_hash};
    assert_int_equal(kiln_scene_view_init(&args, &f->view, &error), KILN_OK);
    kiln_scene_check_args check = {.view = &f->view,
                                   .types = f->schema.schema->types,
                                   .data = f->data,
                                   .data_type = f->data_type};
    kiln_status status = kiln_scene_check(&check, &error);
    if (status)
        fail_msg("%s: %s at %s", name, kiln_status_name(status), error.path);
}

static inline void scene_close(scene_file *f)
{
    kiln_scene_view_fini(&f->view);
    free(f->bytes);
    fixture_schema_fini(&f->schema);
}

static inline void show(const scene_file *f, const kiln_value *value, const char *list, FILE *out);

static inline void show_name(const scene_file *f, uint32_t entity, FILE *out)
{
    const kiln_string *name = kiln_scene_entity_name(f->view.scene, entity);
    if (name)
        fputs((const char *)kiln_relative_get(name, name->offset), out);
    else
        fprintf(out, "#%u", (unsigned)entity);
}

static inline void show_entity(const scene_file *f, const unsigned char *word, FILE *out)
{
    uint32_t number, source;
    memcpy(&number, word, 4);
    memcpy(&source, word + 4, 4);
    if (source == KILN_SCENE_NULL)
        fputs("~", out);
    if (source == KILN_SCENE_LOCAL)
        show_name(f, number, out);
    if (source >= KILN_SCENE_IMPORT) {
        const kiln_array *imports = &f->view.scene->imports;
        const kiln_scene_import *import = kiln_relative_get(imports, imports->offset);
        import += source - KILN_SCENE_IMPORT;
        fprintf(out, "%s#%s", (const char *)kiln_relative_get(&import->scene, import->scene.offset),
                (const char *)kiln_relative_get(&import->entity, import->entity.offset));
    }
}

static inline void show_asset(const scene_file *f, const unsigned char *word, FILE *out)
{
    uint64_t number;
    memcpy(&number, word, 8);
    if (number == 0) {
        fputs("~", out);
        return;
    }
    const kiln_array *assets = &f->view.scene->assets;
    const uint64_t *ids = kiln_relative_get(assets, assets->offset);
    uint32_t asset = kiln_index_find(f->index, ids[number - 1]);
    assert_int_not_equal(asset, KILN_ASSET_NONE);
    const kiln_string *name = &kiln_index_asset_at(f->index, asset)->name;
    fputs((const char *)kiln_relative_get(name, name->offset), out);
}

/* Prints the value to which a data word refers, in the list named `list`. */
static inline void show_data(const scene_file *f, const unsigned char *word, const char *list,
                             FILE *out)
{
    uint64_t number;
    kiln_value root, all, one;
    const kiln_types *types = f->schema.schema->types;
    memcpy(&number, word, 8);
    if (number == 0) {
        fputs("-", out);
        return;
    }
    assert_non_null(f->data);
    assert_int_equal(kiln_value_root(types, f->data_type, f->data, 1 << 20, &root), KILN_OK);
    assert_int_equal(kiln_value_field(&root, list, strlen(list), &all), KILN_OK);
    assert_int_equal(kiln_value_at(&all, (uint32_t)number - 1, &one), KILN_OK);
    show(f, &one, "", out);
}

static inline void show_children(const scene_file *f, const kiln_value *value, const char *list,
                                 FILE *out)
{
    bool named = value->of->kind == KILN_KIND_STRUCT, map = value->of->kind == KILN_KIND_MAP;
    fputs(named || map ? "{" : "[", out);
    for (uint32_t i = 0; i < kiln_value_count(value); i++) {
        kiln_value child, key;
        char inner[256];
        snprintf(inner, sizeof inner, "%s.%s", list, named ? value->of->members[i].name : "");
        fputs(i > 0 ? " " : "", out);
        if (named)
            fprintf(out, "%s:", value->of->members[i].name);
        if (map) {
            assert_int_equal(kiln_value_key(value, i, &key), KILN_OK);
            show(f, &key, "", out);
            fputs(":", out);
        }
        assert_int_equal(kiln_value_at(value, i, &child), KILN_OK);
        show(f, &child, named ? inner : list, out);
    }
    fputs(named || map ? "}" : "]", out);
}

static inline void show(const scene_file *f, const kiln_value *value, const char *list, FILE *out)
{
    const char *text;
    uint32_t length;
    kiln_value child;
    switch (value->of->kind) {
    case KILN_KIND_ENTITY:
        show_entity(f, value->data, out);
        break;
    case KILN_KIND_DATA:
        show_data(f, value->data, list, out);
        break;
    case KILN_KIND_REF:
        show_asset(f, value->data, out);
        break;
    case KILN_KIND_STRING:
        assert_int_equal(kiln_value_text(value, &text, &length), KILN_OK);
        fprintf(out, "'%.*s'", (int)length, text);
        break;
    case KILN_KIND_OPTIONAL:
        if (kiln_value_count(value) == 0) {
            fputs("-", out);
            break;
        }
        assert_int_equal(kiln_value_at(value, 0, &child), KILN_OK);
        show(f, &child, "", out);
        break;
    case KILN_KIND_UNION:
        if (kiln_value_count(value) == 0) {
            fputs("-", out);
            break;
        }
        fprintf(out, "{%s:", kiln_value_member(value)->name);
        assert_int_equal(kiln_value_at(value, 0, &child), KILN_OK);
        show(f, &child, "", out);
        fputs("}", out);
        break;
    case KILN_KIND_STRUCT:
    case KILN_KIND_ARRAY:
    case KILN_KIND_MAP:
    case KILN_KIND_FIXED:
        show_children(f, value, list, out);
        break;
    default:
        fprintf(out, "%lld", (long long)kiln_value_int(value));
    }
}

static inline void show_row(const scene_file *f, uint32_t entity, FILE *out)
{
    uint32_t row;
    const kiln_types *types = f->schema.schema->types;
    const kiln_scene_rows *rows = kiln_scene_find_row(&f->view, entity, &row);
    show_name(f, entity, out);
    fputs(":", out);
    for (uint32_t c = 0; c < rows->component_count; c++) {
        const kiln_component_desc *component = &f->view.components[rows->components[c]];
        uint32_t chunk = row / rows->rows_per_chunk, in_chunk = row % rows->rows_per_chunk;
        static const unsigned char nothing[8];
        const unsigned char *at = nothing;
        kiln_value value;
        fprintf(out, " %s", component->name + strlen("game."));
        if (component->size)
            at = kiln_scene_column(&f->view, rows, chunk, c) + (size_t)in_chunk * component->size;
        assert_int_equal(kiln_value_root(types, kiln_types_find(types, component->name), at,
                                         component->size ? component->size : 1, &value),
                         KILN_OK);
        if (component->size)
            show(f, &value, component->name, out);
    }
    fputs("\n", out);
}

/* Prints the entities of a scene in archetype order. The caller frees the string. */
static inline char *scene_text(const char *kind, const char *id)
{
    char *text = NULL;
    size_t size = 0;
    scene_file f;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    scene_open(&f, kind, id);
    for (uint32_t i = 0; i < f.view.entities; i++)
        show_row(&f, i, out);
    fclose(out);
    scene_close(&f);
    return text;
}

static inline void bake_all(void)
{
    bake_well("-q -s s.yaml -o o.kiln -C in .");
}

/* Bakes everything and compares the resulting scene. */
static inline void scene_check(const char *kind, const char *id, const char *expected)
{
    bake_all();
    char *text = scene_text(kind, id);
    assert_string_equal(text, expected);
    free(text);
}

/* A scene and its expected text. */
typedef struct scene_row {
    const char *prefabs; /* NULL if none */
    const char *scene;
    const char *expected;
} scene_row;

/* Writes the schema, the scene Scene/room and its prefabs into an empty folder. */
static inline void scene_write(const char *schema, const char *scene, const char *prefabs)
{
    assert_int_equal(system("rm -rf in && mkdir in"), 0);
    fixture_write("s.yaml", schema);
    fixture_write("in/room.scene.yaml", scene);
    if (prefabs)
        fixture_write("in/p.prefabs.yaml", prefabs);
}

/* Bakes each scene after `write` has written it and its prefabs. */
static inline void scene_check_rows(const scene_row *rows, size_t count,
                                    void (*write)(const char *scene, const char *prefabs))
{
    for (size_t i = 0; i < count; i++) {
        write(rows[i].scene, rows[i].prefabs);
        scene_check("Scene", "room", rows[i].expected);
    }
}

#endif
