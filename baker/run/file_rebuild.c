#include "file_rebuild.h"

#include "bake_memory.h"
#include "bake_text.h"
#include "hash_equal.h"
#include "run_clusters.h"
#include "run_payloads.h"
#include "run_redirects.h"
#include "shipped_payload.h"

#include <kiln/scene.h>
#include <string.h>

typedef struct rebuilder {
    bake_file_rebuild *def;
    bake_run *run;
    kiln_write_function *write;
    void *ctx;
    shipped_file old;
    kiln_file_writer *writer;
    shipped_payload *old_payloads; /* sources of the writer until the file is finished */
    size_t old_payload_count;
    run_payloads payloads;
} rebuilder;

static bool open_old(rebuilder *r)
{
    const kiln_span *from = &r->def->old;
    kiln_buffer copy = {NULL, from->size + 1, bake_memory_allocator()};
    copy.data = copy.allocator.alloc(copy.allocator.ctx, copy.size, KILN_ALIGN_MAX);
    if (!copy.data)
        return false;
    memcpy(copy.data, from->data, from->size);
    return bake_shipped_open(&r->old, &copy, from->size, NULL) == KILN_OK;
}

static bool create_writer(rebuilder *r, const kiln_allocator *allocator)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    def.types = r->run->schema->types;
    def.allocator = allocator;
    def.omit_type_table = r->run->options->no_types;
    def.skip_sharing = r->run->options->no_share;
    return kiln_file_writer_create(&def, &r->writer, NULL) == KILN_OK;
}

/* Copies the asset `name`. An optional one may be missing. */
static bool copy_blob(rebuilder *r, const char *name, uint32_t type, bool is_optional)
{
    const kiln_index *index = r->old.index;
    const kiln_type *of = kiln_types_get(r->run->schema->types, type);
    const unsigned char *blob;
    uint32_t number = kiln_index_find_name(index, name, strlen(name));
    if (number == KILN_ASSET_NONE || !of)
        return is_optional;
    const kiln_index_asset *from = kiln_index_asset_at(index, number);
    if (strcmp(kiln_string_get(&from->name), name) != 0 ||
        strcmp(kiln_string_get(&kiln_index_type_at(index, from->type)->name), of->name) != 0)
        return false;
    size_t size = (size_t)kiln_index_member_at(index, from->member)->size;
    return bake_shipped_blob(&r->old, from->member, &blob, NULL) == KILN_OK &&
           kiln_file_writer_add(r->writer, name, type, (kiln_span){blob, size}, NULL) == KILN_OK;
}

static bool copy_part(rebuilder *r, const char *kind, const char *scene, uint32_t type)
{
    const char *id = strchr(scene, '/');
    const char *name = id ? bake_store_join(&r->run->store, kind, '/', id + 1) : NULL;
    return name && copy_blob(r, name, type, true);
}

static bool copy_scene(rebuilder *r, const bake_rebuilt_asset *asset)
{
    const bake_schema *schema = r->run->schema;
    return copy_blob(r, asset->name, asset->type, false) &&
           copy_part(r, "SceneChunks", asset->name,
                     kiln_types_find(schema->types, KILN_SCENE_CHUNKS_TYPE_NAME)) &&
           copy_part(r, "SceneData", asset->name, schema->scene_data);
}

/* Without sharing, a baked asset has only a blob. */
static bool add_made(rebuilder *r, const bake_rebuilt_asset *asset)
{
    bool done = true;
    for (size_t i = 0; i < asset->made_count && done; i++) {
        bake_patched_asset *made = &asset->made[i];
        uint32_t type = i ? kiln_types_find(r->run->schema->types, made->type) : asset->type;
        kiln_status status =
            made->is_blob || r->run->options->no_share
                ? kiln_file_writer_take(r->writer, made->name, type, &made->asset.blob, NULL)
                : kiln_file_writer_put(r->writer, made->name, &made->asset, NULL);
        done = status == KILN_OK;
    }
    return done;
}

static bool add_assets(rebuilder *r)
{
    for (size_t i = 0; i < r->def->count; i++) {
        const bake_rebuilt_asset *asset = &r->def->assets[i];
        /* The parts of a scene are compressed like the scene. */
        const char *type = kiln_types_get(r->run->schema->types, asset->type)->name;
        if (bake_run_compress(r->run->options, r->writer, type) != KILN_OK)
            return false;
        bool done = asset->made       ? add_made(r, asset)
                    : asset->is_scene ? copy_scene(r, asset)
                                      : copy_blob(r, asset->name, asset->type, false);
        if (!done)
            return false;
    }
    return true;
}

/* Adds the data of a payload of the old file. */
static bool copy_payload(rebuilder *r, const bake_rebuilt_payload *payload)
{
    char name[KILN_PAYLOAD_NAME_SIZE];
    kiln_hash128 content;
    shipped_payload *from = &r->old_payloads[r->old_payload_count];
    kiln_payload_name(payload->content, name);
    uint32_t number = kiln_index_find_name(r->old.index, name, sizeof name - 1);
    if (number == KILN_ASSET_NONE || !bake_shipped_is_payload(&r->old, number) ||
        bake_shipped_payload(&r->old, number, from, NULL))
        return false;
    r->old_payload_count++;
    const kiln_payload_args args = {.read = bake_shipped_payload_data,
                                    .ctx = from,
                                    .size = from->view.payload->size,
                                    .alignment = payload->form.alignment,
                                    .frame_size = payload->form.frame_size,
                                    .level = (int)r->run->options->compress};
    return bake_run_compress(r->run->options, r->writer, KILN_PAYLOAD_TYPE_NAME) == KILN_OK &&
           kiln_file_writer_payload(r->writer, &args, &content, NULL) == KILN_OK &&
           bake_hash_equal(content, payload->content);
}

static bool add_payloads(rebuilder *r)
{
    size_t count = r->def->payload_count;
    if (count == 0)
        return true;
    r->old_payloads = bake_alloc_array(count, sizeof *r->old_payloads);
    if (!r->old_payloads || !bake_run_payloads_begin(&r->payloads, r->run, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const bake_rebuilt_payload *payload = &r->def->payloads[i];
        const bake_new_payload made = {payload->made, payload->form};
        if (!(made.payload ? bake_run_payloads_put(&r->payloads, &made, r->writer) == BAKE_OK
                           : copy_payload(r, payload)))
            return false;
    }
    return true;
}

static const char *name_at(const void *list, size_t number, size_t *ret_length)
{
    const bake_rebuilt_asset *asset = (const bake_rebuilt_asset *)list + number;
    *ret_length = asset->name_length;
    return asset->name;
}

static bool is_own(const rebuilder *r, const char *name)
{
    return bake_find_text(r->def->assets, name_at, 0, r->def->count, name, strlen(name)) !=
           SIZE_MAX;
}

/* Unused imports are not written, so more than necessary can be added. */
static bool add_imports(rebuilder *r)
{
    const kiln_index *index = r->old.index;
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < index->imports.count && !status; i++) {
        const char *name = kiln_string_get(&kiln_index_import_at(index, i)->name);
        if (!is_own(r, name))
            status = kiln_file_writer_import(r->writer, name);
    }
    for (size_t i = 0; i < r->def->import_count && !status; i++)
        status = kiln_file_writer_import(r->writer, r->def->imports[i]);
    return status == KILN_OK;
}

static bool write_counted(void *ctx, const void *data, size_t size)
{
    rebuilder *r = ctx;
    r->def->size += size;
    return r->write(r->ctx, data, size);
}

bool bake_file_rebuild_write(bake_file_rebuild *rebuild, bake_run *run, kiln_write_function *write,
                             void *ctx)
{
    rebuilder r = {.def = rebuild, .run = run, .write = write, .ctx = ctx};
    kiln_allocator allocator = bake_memory_allocator();
    kiln_error error = {.status = KILN_OK};
    bool done =
        open_old(&r) && create_writer(&r, &allocator) && add_assets(&r) &&
        bake_run_redirects_write(run, rebuild->inputs, rebuild->names, 0, r.writer) == BAKE_OK &&
        add_payloads(&r) && add_imports(&r);
    if (done && rebuild->has_clusters)
        done = bake_run_clusters_add(run, r.writer, &error) == KILN_OK;
    rebuild->size = 0;
    if (done)
        done = kiln_file_writer_finish(r.writer, write_counted, &r, &error) == KILN_OK;
    if (done)
        rebuild->counts = kiln_file_writer_get_counts(r.writer);
    kiln_file_writer_destroy(r.writer);
    for (size_t i = 0; i < r.old_payload_count; i++)
        bake_shipped_payload_fini(&r.old_payloads[i]);
    bake_free(r.old_payloads);
    bake_run_payloads_fini(&r.payloads);
    bake_shipped_fini(&r.old);
    return done;
}
