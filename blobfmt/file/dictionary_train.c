/* Trains zstd dictionaries: dictionary_train.h.
 *
 * ZDICT_trainFromBuffer searches the samples, which takes nearly all of the time, and writes a
 * header with statistics for one size and level. kiln_dictionary_gather drops that header and keeps
 * the content. kiln_dictionary_cut uses ZDICT_finalizeDictionary to make a header for part of the
 * content. file_packing.c can thus try several sizes with a single search. */
#include "dictionary_train.h"

#include <string.h>
#include <zdict.h>
#include <zstd_errors.h>

static kiln_status status_of(size_t result)
{
    if (!ZDICT_isError(result))
        return KILN_OK;
    return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation ? KILN_NO_MEMORY
                                                                     : KILN_NOT_FOUND;
}

kiln_status kiln_dictionary_gather(const void *samples, const size_t *sizes, uint32_t count,
                                   unsigned char *memory, size_t room, size_t *ret_size)
{
    size_t trained = ZDICT_trainFromBuffer(memory, room, samples, sizes, count);
    kiln_status status = status_of(trained);
    if (status)
        return status;
    size_t header = ZDICT_getDictHeaderSize(memory, trained);
    status = status_of(header);
    if (status)
        return status;
    memmove(memory, memory + header, trained - header);
    *ret_size = trained - header;
    return KILN_OK;
}

kiln_status kiln_dictionary_cut(int level, const unsigned char *content, size_t size,
                                const void *samples, const size_t *sizes, uint32_t count,
                                void *memory, size_t room, size_t *ret_size)
{
    ZDICT_params_t params = {level, 0, 0};
    /* libzstd puts the most useful content last, so a smaller dictionary uses the end of it. */
    size_t kept = size < room ? size : room;
    size_t made = ZDICT_finalizeDictionary(memory, room, content + (size - kept), kept, samples,
                                           sizes, count, params);
    kiln_status status = status_of(made);
    if (!status)
        *ret_size = made;
    return status;
}

kiln_status kiln_dictionary_train(const kiln_dictionary_args *args, void *memory, size_t room,
                                  size_t *ret_size)
{
    size_t size = 0;
    if (args->level < 1 || args->level > KILN_COMPRESSION_LEVEL_MAX)
        return KILN_BAD_ARGUMENT;
    kiln_status status =
        kiln_dictionary_gather(args->samples, args->sizes, args->count, memory, room, &size);
    return status ? status
                  : kiln_dictionary_cut(args->level, memory, size, args->samples, args->sizes,
                                        args->count, memory, room, ret_size);
}
