/* kiln-bake repack: a kiln file whose assets are compressed and ordered anew. What it holds is the
 * same, and every rule is checked on the way. */
#include "bake_compression.h"
#include "bake_memory.h"
#include "repack_order.h"

#include <kiln/compression.h>
#include <kiln/scene.h>
#include <kiln/type_table.h>
#include <string.h>

enum { FILE_ALIGN = 4096 };

typedef struct repack {
    bake_run *run;
    const char *path;
    kiln_allocator allocator;
    kiln_buffer file; /* a copy that is aligned as a mapping is; longer by a byte */
    uint64_t size;
    kiln_types *builtin, *types;
    const kiln_index *index;
    kiln_decompressor *context;
    kiln_dictionary **dictionaries;
    kiln_buffer blob; /* the last one that was decompressed */
    kiln_file_writer *writer;
    bake_output *output;
    uint64_t written;
} repack;

/* What the file breaks is told like a mistake in a text, at its first line. */
static bake_result refuse(repack *r, kiln_status status, const kiln_error *error)
{
    bake_run *run = r->run;
    if (status == KILN_NO_MEMORY)
        return bake_fail_memory(&run->failure);
    bake_mark whole = {bake_diagnostics_add_source(run->diagnostics, r->path, NULL, 0), 0, 1, 1};
    bake_report(run->diagnostics, BAKE_ERROR, whole, "repack", error->path[0] ? error->path : NULL,
                "not a sound kiln file: %s (rule %s, offset %llu)", kiln_status_text(status),
                kiln_status_rule(status), (unsigned long long)error->offset);
    return BAKE_BAD_INPUT;
}

static bake_result refuse_untyped(repack *r)
{
    bake_run *run = r->run;
    bake_mark whole = {bake_diagnostics_add_source(run->diagnostics, r->path, NULL, 0), 0, 1, 1};
    bake_report(run->diagnostics, BAKE_ERROR, whole, "repack", NULL,
                "the file carries no type table, so that its values cannot be checked");
    return BAKE_BAD_INPUT;
}

static const unsigned char *stored_at(const repack *r, uint32_t member)
{
    return r->file.data + kiln_index_member_at(r->index, member)->place;
}

/* Index, gaps and the type table. */
static kiln_status check_frame(repack *r, kiln_error *reterr)
{
    const unsigned char *data = r->file.data;
    kiln_status status = kiln_types_create_builtin(&r->allocator, &r->builtin, reterr);
    if (!status)
        status = kiln_index_check(r->builtin, &r->allocator, data, (size_t)r->size, r->size,
                                  &r->index, reterr);
    if (!status)
        status = kiln_index_check_gaps(r->index, data, reterr);
    if (status || !r->index->type_table)
        return status;
    uint32_t table = r->index->type_table - 1;
    status = kiln_index_check_member(r->index, table, data, true, reterr);
    if (!status)
        status = kiln_type_table_read(&r->allocator, stored_at(r, table),
                                      (size_t)kiln_index_member_at(r->index, table)->size,
                                      &r->types, reterr);
    return status ? status : kiln_index_check_types(r->index, r->types, reterr);
}

static kiln_status digest(repack *r, kiln_error *reterr)
{
    uint32_t count = r->index->dictionaries.count;
    const uint32_t *numbers =
        kiln_relative_get(&r->index->dictionaries, r->index->dictionaries.offset);
    r->dictionaries = bake_alloc_array(count, sizeof(kiln_dictionary *));
    if (!r->dictionaries || kiln_decompressor_create(&r->allocator, &r->context))
        return KILN_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        const kiln_index_member *member = kiln_index_member_at(r->index, numbers[i]);
        kiln_status status =
            kiln_index_check_member(r->index, numbers[i], r->file.data, true, reterr);
        if (status)
            return status;
        uint32_t align = UINT32_C(1) << member->align_log2;
        uint32_t payload_at = align > KILN_HEADER_SIZE ? align : (uint32_t)KILN_HEADER_SIZE;
        status = kiln_dictionary_create(&r->allocator, stored_at(r, numbers[i]) + payload_at,
                                        (size_t)member->size - payload_at, &r->dictionaries[i]);
        if (status)
            return kiln_fail(reterr, status, member->place, NULL);
    }
    return KILN_OK;
}

/* The blob of a member, all of which is checked but its values, which the writer does. */
static kiln_status read_blob(repack *r, uint32_t number, const unsigned char **ret_blob,
                             kiln_error *reterr)
{
    const kiln_index_member *member = kiln_index_member_at(r->index, number);
    *ret_blob = stored_at(r, number);
    if (member->compression == KILN_COMPRESSION_NONE)
        return kiln_index_check_member(r->index, number, r->file.data, true, reterr);
    kiln_status status = kiln_index_check_stored(r->index, number, r->file.data, reterr);
    if (status)
        return status;
    kiln_buffer_fini(&r->blob);
    kiln_buffer made = {NULL, (size_t)member->size, r->allocator};
    made.data = made.allocator.alloc(made.allocator.ctx, made.size, FILE_ALIGN);
    if (!made.data)
        return KILN_NO_MEMORY;
    r->blob = made;
    status = kiln_decompress(r->context,
                             member->dictionary ? r->dictionaries[member->dictionary - 1] : NULL,
                             *ret_blob, (size_t)member->stored_size, made.data, made.size);
    *ret_blob = made.data;
    return status ? kiln_fail(reterr, status, member->place, NULL)
                  : kiln_index_check_blob(r->index, number, made.data, true, reterr);
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
    const kiln_index_asset *asset = kiln_index_asset_at(r->index, number);
    const kiln_index_member *member = kiln_index_member_at(r->index, asset->member);
    const char *type = kiln_string_get(&kiln_index_type_at(r->index, asset->type)->name);
    const unsigned char *blob;
    kiln_status status = read_blob(r, asset->member, &blob, reterr);
    if (!status)
        status = bake_compress(r->run->options, r->writer,
                               group_of(kiln_string_get(&asset->name), type));
    if (status)
        return status;
    status =
        kiln_file_writer_add(r->writer, kiln_string_get(&asset->name), asset->name.length,
                             kiln_types_find(r->types, type), blob, (size_t)member->size, reterr);
    if (status)
        reterr->offset += member->place;
    return status;
}

static kiln_status add_all(repack *r, const uint32_t *order, kiln_error *reterr)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    def.types = r->types;
    def.allocator = &r->allocator;
    kiln_status status = kiln_file_writer_create(&def, &r->writer, reterr);
    for (uint32_t i = 0; i < kiln_index_asset_count(r->index) && !status; i++)
        status = add_asset(r, order[i], reterr);
    for (uint32_t i = 0; i < r->index->imports.count && !status; i++) {
        const kiln_string *name = &kiln_index_import_at(r->index, i)->name;
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
    uint32_t count = kiln_index_asset_count(r->index);
    const char *path = r->run->options->output;
    if (r->run->options->quiet)
        return;
    fprintf(r->run->err, "%s: %s asset%s, %s bytes instead of %s\n",
            r->run->options->dry_run ? "not written"
            : strcmp(path, "-") == 0 ? "standard output"
                                     : path,
            bake_grouped(assets, count), count == 1 ? "" : "s", bake_grouped(after, r->written),
            bake_grouped(before, r->size));
}

static bake_result read_file(repack *r)
{
    size_t size;
    const char *text = bake_gateway_read(r->run->gateway, r->path, &size);
    if (!text)
        return bake_fail_errno(&r->run->failure, "read", r->path);
    kiln_buffer copy = {NULL, size + 1, r->allocator};
    copy.data = copy.allocator.alloc(copy.allocator.ctx, copy.size, FILE_ALIGN);
    if (!copy.data)
        return bake_fail_memory(&r->run->failure);
    memcpy(copy.data, text, size);
    r->file = copy;
    r->size = size;
    return BAKE_OK;
}

static bake_result run_repack(repack *r)
{
    kiln_error error = {.status = KILN_OK};
    bake_result result = read_file(r);
    if (result)
        return result;
    kiln_status status = check_frame(r, &error);
    if (!status && !r->types)
        return refuse_untyped(r);
    if (!status)
        status = digest(r, &error);
    if (status)
        return refuse(r, status, &error);
    const uint32_t *order = bake_repack_order(r->run, r->index);
    if (!order)
        return r->run->failure.result;
    status = add_all(r, order, &error);
    if (status)
        return refuse(r, status, &error);
    result = write_file(r);
    if (!result)
        tell(r);
    return result;
}

bake_result bake_run_repack(bake_run *run)
{
    repack r = {.run = run, .path = run->options->inputs.items[0]};
    r.allocator = bake_memory_allocator();
    bake_result result = run_repack(&r);
    kiln_file_writer_destroy(r.writer);
    kiln_buffer_fini(&r.blob);
    for (uint32_t i = 0; r.dictionaries && i < r.index->dictionaries.count; i++)
        kiln_dictionary_destroy(r.dictionaries[i]);
    bake_free(r.dictionaries);
    kiln_decompressor_destroy(r.context);
    kiln_types_destroy(r.types);
    kiln_types_destroy(r.builtin);
    kiln_buffer_fini(&r.file);
    return result;
}
