/* Reads the index of each extern file. The files are not trusted. Their blobs are not read, because
 * an import is only a name and a type. */
#include "extern_files.h"

#include "bake_memory.h"
#include "gateway.h"

#include <errno.h>
#include <kiln/cluster_plan.h>
#include <kiln/index.h>
#include <kiln/type_table.h>
#include <string.h>

enum { FILE_ALIGN = 16 };

static bool add_names(const kiln_index *index, const char *path, bake_names *names)
{
    uint32_t plan = kiln_cluster_plan_find(index);
    for (uint32_t i = 0; i < kiln_index_asset_count(index); i++) {
        /* Nothing can refer to a cluster plan, and each file can have one. */
        if (i == plan)
            continue;
        const kiln_index_asset *asset = kiln_index_asset_at(index, i);
        const kiln_index_type *type = kiln_index_type_at(index, asset->type);
        const bake_name *other;
        bake_name name;
        memset(&name, 0, sizeof name);
        name.name = kiln_string_get(&asset->name);
        name.length = asset->name.length;
        name.type = KILN_TYPE_NONE;
        name.type_name = kiln_string_get(&type->name);
        name.type_name_length = type->name.length;
        name.output = BAKE_OUTPUT_EXTERN;
        name.file = path;
        /* Several files may contain the same asset; any of them satisfies a reference. */
        if (!bake_names_add(names, &name, &other))
            return false;
    }
    return true;
}

static bake_result read_file(const char *path, kiln_buffer *file, const kiln_types *builtin,
                             bake_names *names, bake_run *run)
{
    size_t size;
    kiln_error error;
    const kiln_index *index;
    const char *text = bake_gateway_read(run->gateway, path, &size);
    if (!text)
        return bake_fail_read(&run->failure, run->gateway, path);
    kiln_allocator allocator = bake_memory_allocator();
    /* The index is read in place, so it needs this alignment. The extra byte avoids an allocation
     * of size 0. */
    unsigned char *copy = allocator.alloc(allocator.ctx, size + 1, FILE_ALIGN);
    if (!copy)
        return bake_fail_memory(&run->failure);
    memcpy(copy, text, size);
    file->data = copy;
    file->size = size + 1;
    file->allocator = allocator;
    memset(&error, 0, sizeof error);
    kiln_status status =
        kiln_index_check(builtin, &allocator, &(kiln_file_head){copy, size, size}, &index, &error);
    if (status == KILN_NO_MEMORY || (!status && !add_names(index, path, names)))
        return bake_fail_memory(&run->failure);
    if (status) {
        uint32_t source = bake_diagnostics_add_source(run->diagnostics, path, NULL, 0);
        bake_mark whole = {source, 0, 1, 1};
        bake_report(run->diagnostics, BAKE_ERROR, whole, "extern",
                    error.path[0] ? error.path : NULL,
                    "not a valid kiln file: %s (rule %s, offset %llu)", kiln_status_text(status),
                    kiln_status_word(status), (unsigned long long)error.offset);
    }
    return BAKE_OK;
}

bake_result bake_extern_read(extern_files *externs, bake_names *names, bake_run *run)
{
    const bake_list *paths = &run->options->externs;
    if (paths->count == 0)
        return BAKE_OK;
    kiln_types *builtin = NULL;
    kiln_error error;
    kiln_allocator allocator = bake_memory_allocator();
    externs->files = bake_alloc_array(paths->count, sizeof *externs->files);
    externs->count = externs->files ? paths->count : 0;
    if (!externs->files || kiln_types_create_builtin(&allocator, &builtin, &error))
        return bake_fail_memory(&run->failure);
    for (size_t i = 0; i < paths->count && !run->failure.result; i++)
        read_file(paths->items[i], &externs->files[i], builtin, names, run);
    kiln_types_destroy(builtin);
    return run->failure.result;
}

void bake_extern_fini(extern_files *externs)
{
    for (size_t i = 0; i < externs->count; i++)
        kiln_buffer_fini(&externs->files[i]);
    bake_free(externs->files);
    memset(externs, 0, sizeof *externs);
}
