/* Reads the type table of a file on first use, because a program that passes its own types may
 * never need it. The types are published once. A failure caused by the bytes is stored. Lack of
 * memory is not, so a later call can succeed. */
#define _POSIX_C_SOURCE 200809L

#include "file_table.h"

#include "file_header.h"

#include <kiln/type_table.h>

static kiln_status read_table(kiln_file *file, kiln_types **ret_types, kiln_error *reterr)
{
    uint32_t number = file->index->type_table - 1;
    const kiln_index_member *member = kiln_index_member_at(file->index, number);
    kiln_types *types = NULL;
    kiln_status status = kiln_index_check_place(&file->frame, number, reterr);
    if (status != KILN_OK)
        return status;
    status = kiln_type_table_read(&file->allocator, kiln_file_member_bytes(file, member),
                                  (size_t)member->stored_size, &types, reterr);
    if (status != KILN_OK) {
        kiln_file_shift_error(reterr, member->place);
        return status;
    }
    status = kiln_index_check_types(file->index, types, reterr);
    if (status != KILN_OK) {
        kiln_types_destroy(types);
        return status;
    }
    *ret_types = types;
    return KILN_OK;
}

kiln_status kiln_file_table(kiln_file *file, const kiln_types **ret_types, kiln_error *reterr)
{
    const kiln_types *table = atomic_load_explicit(&file->table, memory_order_acquire);
    if (table) {
        *ret_types = table;
        return KILN_OK;
    }
    pthread_mutex_lock(&file->table_lock);
    kiln_error error = file->table_error;
    /* Another thread may have read the table while this one waited. */
    table = atomic_load_explicit(&file->table, memory_order_relaxed);
    if (!table && error.status == KILN_OK) {
        kiln_types *read = NULL;
        kiln_status status = read_table(file, &read, &error);
        if (status == KILN_OK)
            atomic_store_explicit(&file->table, read, memory_order_release);
        else if (status != KILN_NO_MEMORY)
            file->table_error = error;
        table = read;
    }
    pthread_mutex_unlock(&file->table_lock);
    if (!table)
        return kiln_fail(reterr, error.status, error.offset, error.path);
    *ret_types = table;
    return KILN_OK;
}
