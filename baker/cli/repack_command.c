/* kiln-bake repack: a kiln file whose assets are compressed and ordered anew. What it holds is the
 * same, and every rule is checked on the way. */
#include "bake_compression.h"
#include "repack_order.h"
#include "shipped_file.h"

#include <kiln/scene.h>
#include <string.h>

typedef struct repack {
    bake_run *run;
    shipped_file shipped;
    kiln_file_writer *writer;
    bake_output *output;
    uint64_t written;
} repack;

static bake_result refuse(repack *r, kiln_status status, const kiln_error *error)
{
    return bake_shipped_refuse(&r->shipped, status, error);
}

static bake_result refuse_untyped(repack *r)
{
    bake_run *run = r->run;
    const char *path = r->shipped.def.path;
    bake_mark whole = {bake_diagnostics_add_source(run->diagnostics, path, NULL, 0), 0, 1, 1};
    bake_report(run->diagnostics, BAKE_ERROR, whole, "repack", NULL,
                "the file has no type table, so its values cannot be checked");
    return BAKE_BAD_INPUT;
}

/* The parts of a scene share a dictionary with the scene, as they do when it is baked. */
static const char *group_of(const char *name, const char *type)
{
    static const char data[] = "SceneData";
    const char *dot = strrchr(type, '.');
    bool is_data = strncmp(name, data, sizeof data - 1) == 0 && name[sizeof data - 1] == '/' &&
                   strcmp(dot ? dot + 1 : type, data) == 0;
    return is_data || strcmp(type, KILN_SCENE_CHUNKS_TYPE_NAME) == 0 ? KILN_SCENE_TYPE_NAME : type;
}

static kiln_status add_asset(repack *r, uint32_t number, kiln_error *reterr)
{
    const kiln_index_asset *asset = kiln_index_asset_at(r->shipped.index, number);
    const kiln_index_member *member = kiln_index_member_at(r->shipped.index, asset->member);
    const char *type = kiln_string_get(&kiln_index_type_at(r->shipped.index, asset->type)->name);
    const unsigned char *blob;
    kiln_status status = bake_shipped_blob(&r->shipped, asset->member, &blob, reterr);
    if (!status)
        status = bake_compress(r->run->options, r->writer,
                               group_of(kiln_string_get(&asset->name), type));
    if (status)
        return status;
    status = kiln_file_writer_add(r->writer, kiln_string_get(&asset->name), asset->name.length,
                                  kiln_types_find(r->shipped.types, type), blob,
                                  (size_t)member->size, reterr);
    if (status)
        reterr->offset += member->place;
    return status;
}

static kiln_status add_all(repack *r, const uint32_t *order, kiln_error *reterr)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    def.types = r->shipped.types;
    def.allocator = &r->shipped.allocator;
    kiln_status status = kiln_file_writer_create(&def, &r->writer, reterr);
    for (uint32_t i = 0; i < kiln_index_asset_count(r->shipped.index) && !status; i++)
        status = add_asset(r, order[i], reterr);
    for (uint32_t i = 0; i < r->shipped.index->imports.count && !status; i++) {
        const kiln_string *name = &kiln_index_import_at(r->shipped.index, i)->name;
        status = kiln_file_writer_import(r->writer, kiln_string_get(name), name->length);
    }
    return status;
}

static bool write_counted(void *ctx, const void *data, size_t size)
{
    repack *r = ctx;
    r->written += size;
    return !r->output || bake_output_write(r->output, data, size);
}

static bake_result write_file(repack *r)
{
    bake_run *run = r->run;
    const char *path = run->options->output;
    kiln_error error = {.status = KILN_OK};
    run->outputs = bake_store_alloc(&run->store, 1, sizeof *run->outputs);
    if (!run->outputs)
        return bake_fail_memory(&run->failure);
    if (!run->options->dry_run && !(r->output = bake_run_begin(run, path)))
        return run->failure.result;
    kiln_status status = kiln_file_writer_finish(r->writer, write_counted, r, &error);
    if (status == KILN_IO)
        return bake_fail_errno(&run->failure, "write", path);
    if (status)
        return refuse(r, status, &error);
    return r->output ? bake_run_commit(run) : BAKE_OK;
}

static void tell(const repack *r)
{
    char assets[32], before[32], after[32];
    uint32_t count = kiln_index_asset_count(r->shipped.index);
    const char *path = r->run->options->output;
    if (r->run->options->quiet)
        return;
    fprintf(r->run->err, "%s: %s asset%s, %s bytes instead of %s\n",
            r->run->options->dry_run ? "not written"
            : strcmp(path, "-") == 0 ? "standard output"
                                     : path,
            bake_grouped(assets, count), count == 1 ? "" : "s", bake_grouped(after, r->written),
            bake_grouped(before, r->shipped.size));
}

static bake_result run_repack(repack *r)
{
    kiln_error error = {.status = KILN_OK};
    const shipped_file_def def = {r->run->gateway, r->run->diagnostics, &r->run->failure,
                                  r->run->options->inputs.items[0], "repack"};
    bake_result result = bake_shipped_read(&r->shipped, &def);
    if (result)
        return result;
    if (!r->shipped.types)
        return refuse_untyped(r);
    const uint32_t *order = bake_repack_order(r->run, r->shipped.index);
    if (!order)
        return r->run->failure.result;
    kiln_status status = add_all(r, order, &error);
    if (status)
        return refuse(r, status, &error);
    result = write_file(r);
    if (!result)
        tell(r);
    return result;
}

bake_result bake_run_repack(bake_run *run)
{
    repack r = {.run = run};
    bake_result result = run_repack(&r);
    kiln_file_writer_destroy(r.writer);
    bake_shipped_fini(&r.shipped);
    return result;
}
