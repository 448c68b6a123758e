/* Checks a file in the order of FORMAT.md: index, gaps, type table, dictionaries, then blobs on
 * request. Later steps rely on earlier ones. */
#include "shipped_file.h"

#include "bake_memory.h"

#include <kiln/blob_header.h>
#include <kiln/type_table.h>
#include <string.h>

enum { FILE_ALIGN = KILN_ALIGN_MAX };

bake_result bake_shipped_reject(const shipped_file *file, kiln_status status,
                                const kiln_error *error)
{
    const shipped_file_def *def = &file->def;
    if (status == KILN_NO_MEMORY)
        return bake_fail_memory(def->failure);
    bake_mark whole = {bake_diagnostics_add_source(def->diagnostics, def->path, NULL, 0), 0, 1, 1};
    bake_report(def->diagnostics, BAKE_ERROR, whole, def->rule, error->path[0] ? error->path : NULL,
                "not a valid kiln file: %s (rule %s, offset %llu)", kiln_status_text(status),
                kiln_status_word(status), (unsigned long long)error->offset);
    return BAKE_BAD_INPUT;
}

static const unsigned char *stored_at(const shipped_file *f, uint32_t member)
{
    return f->file.data + kiln_index_member_at(f->index, member)->place;
}

/* Checks the index, the gaps and the type table. */
static kiln_status check_frame(shipped_file *f, kiln_error *reterr)
{
    const unsigned char *data = f->file.data;
    kiln_status status = kiln_types_create_builtin(&f->allocator, &f->builtin, reterr);
    if (!status)
        status =
            kiln_index_check(f->builtin, &f->allocator,
                             &(kiln_file_head){data, (size_t)f->size, f->size}, &f->index, reterr);
    if (!status)
        status = kiln_index_check_gaps(f->index, data, reterr);
    /* A file may have no type table (--no-types). */
    if (status || !f->index->type_table)
        return status;
    uint32_t table = f->index->type_table - 1;
    status = kiln_index_check_member(f->index, table, data, true, reterr);
    if (!status)
        status = kiln_type_table_read(&f->allocator, stored_at(f, table),
                                      (size_t)kiln_index_member_at(f->index, table)->size,
                                      &f->types, reterr);
    return status ? status : kiln_index_check_types(f->index, f->types, reterr);
}

/* Creates all dictionaries up front, because blobs refer to them by index. */
static kiln_status create_dictionaries(shipped_file *f, kiln_error *reterr)
{
    uint32_t count = f->index->dictionaries.count;
    const uint32_t *numbers =
        kiln_relative_get(&f->index->dictionaries, f->index->dictionaries.offset);
    f->dictionaries = bake_alloc_array(count, sizeof(kiln_dictionary *));
    if (!f->dictionaries || kiln_decompressor_create(&f->allocator, &f->context))
        return KILN_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        const kiln_index_member *member = kiln_index_member_at(f->index, numbers[i]);
        kiln_status status =
            kiln_index_check_member(f->index, numbers[i], f->file.data, true, reterr);
        if (status)
            return status;
        uint32_t align = UINT32_C(1) << member->align_log2;
        /* The payload follows the header, at the alignment of the blob. */
        uint32_t payload_at = align > KILN_HEADER_SIZE ? align : (uint32_t)KILN_HEADER_SIZE;
        status = kiln_dictionary_create(&f->allocator, stored_at(f, numbers[i]) + payload_at,
                                        (size_t)member->size - payload_at, &f->dictionaries[i]);
        if (status)
            return kiln_fail(reterr, status, member->place, NULL);
    }
    return KILN_OK;
}

kiln_status bake_shipped_blob(shipped_file *f, uint32_t number, const unsigned char **ret_blob,
                              kiln_error *reterr)
{
    const kiln_index_member *member = kiln_index_member_at(f->index, number);
    *ret_blob = stored_at(f, number);
    if (member->compression == KILN_COMPRESSION_NONE)
        return kiln_index_check_member(f->index, number, f->file.data, true, reterr);
    kiln_status status = kiln_index_check_stored(f->index, number, f->file.data, reterr);
    if (status)
        return status;
    /* Keep only one decompressed blob, because all of them together can be many times as large as
     * the file. */
    kiln_buffer_fini(&f->blob);
    kiln_buffer made = {NULL, (size_t)member->size, f->allocator};
    made.data = made.allocator.alloc(made.allocator.ctx, made.size, FILE_ALIGN);
    if (!made.data)
        return KILN_NO_MEMORY;
    f->blob = made;
    status = kiln_decompress(
        f->context, member->dictionary ? f->dictionaries[member->dictionary - 1] : NULL,
        (kiln_span){*ret_blob, (size_t)member->stored_size}, made.data, made.size);
    *ret_blob = made.data;
    return status ? kiln_fail(reterr, status, member->place, NULL)
                  : kiln_index_check_blob(f->index, number, made.data, true, reterr);
}

kiln_status bake_shipped_open(shipped_file *f, kiln_buffer *file, uint64_t size, kiln_error *reterr)
{
    memset(f, 0, sizeof *f);
    f->allocator = bake_memory_allocator();
    f->file = *file;
    f->size = size;
    memset(file, 0, sizeof *file);
    kiln_status status = check_frame(f, reterr);
    return status ? status : create_dictionaries(f, reterr);
}

bake_result bake_shipped_read(shipped_file *f, const shipped_file_def *def)
{
    size_t size;
    memset(f, 0, sizeof *f);
    const char *text = bake_gateway_read(def->gateway, def->path, &size);
    return text ? bake_shipped_copy(f, def, text, size)
                : bake_fail_read(def->failure, def->gateway, def->path);
}

bake_result bake_shipped_copy(shipped_file *f, const shipped_file_def *def, const char *text,
                              size_t size)
{
    kiln_error error = {.status = KILN_OK};
    memset(f, 0, sizeof *f);
    /* Values are read in place, but the buffer of the gateway is not aligned. */
    kiln_buffer copy = {NULL, size + 1, bake_memory_allocator()};
    copy.data = copy.allocator.alloc(copy.allocator.ctx, copy.size, FILE_ALIGN);
    if (!copy.data)
        return bake_fail_memory(def->failure);
    memcpy(copy.data, text, size);
    kiln_status status = bake_shipped_open(f, &copy, size, &error);
    f->def = *def;
    return status ? bake_shipped_reject(f, status, &error) : BAKE_OK;
}

void bake_shipped_fini(shipped_file *f)
{
    kiln_buffer_fini(&f->blob);
    bake_free(f->frame);
    for (uint32_t i = 0; f->dictionaries && i < f->index->dictionaries.count; i++)
        kiln_dictionary_destroy(f->dictionaries[i]);
    bake_free(f->dictionaries);
    kiln_decompressor_destroy(f->context);
    kiln_types_destroy(f->types);
    kiln_types_destroy(f->builtin);
    kiln_buffer_fini(&f->file);
    memset(f, 0, sizeof *f);
}
