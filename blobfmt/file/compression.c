/* Wraps libzstd, which only this file and dictionary_train.c call: kiln/compression.h.
 *
 * The wrapper adapts libzstd in three ways. Memory comes from a kiln_allocator. Frames respect the
 * limit of FORMAT.md section 10: each has at least 1/256 of the size of its content. Only a single
 * frame of the right size is accepted (rule I17), although libzstd can read more. */

/* Enables the parts of zstd.h for custom allocators and dictionaries by reference, whose API is not
 * stable. The oldest supported version is 1.5.4. */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include <kiln/compression.h>

#include "arena.h"

#include <string.h>

_Static_assert(ZSTD_VERSION_NUMBER >= 10504, "the oldest libzstd that Kiln supports");

/* A block takes at least four bytes: three of header and one of content. Blocks of SMALL_BLOCK
 * bytes therefore never exceed the ratio, whatever they contain. */
enum { SMALL_BLOCK = 4 * KILN_COMPRESSION_RATIO, FRAME_MAGIC = 4 };

/* libzstd frees memory without passing its size, so the size is stored in front of the block. The
 * union has 16 bytes to preserve the alignment that libzstd expects from malloc. */
typedef union block_size {
    size_t size;
    _Alignas(16) unsigned char room[16];
} block_size;

static void *zstd_alloc(void *ctx, size_t size)
{
    const kiln_allocator *a = ctx;
    if (size > SIZE_MAX - sizeof(block_size))
        return NULL;
    size += sizeof(block_size);
    block_size *block = a->alloc(a->ctx, size, _Alignof(block_size));
    if (!block)
        return NULL;
    block->size = size;
    return block + 1;
}

static void zstd_free(void *ctx, void *memory)
{
    const kiln_allocator *a = ctx;
    if (!memory)
        return;
    block_size *block = (block_size *)memory - 1;
    a->free(a->ctx, block, block->size);
}

static ZSTD_customMem memory_of(kiln_allocator *allocator)
{
    ZSTD_customMem memory = {zstd_alloc, zstd_free, allocator};
    return memory;
}

static bool is_no_memory(size_t result)
{
    return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation;
}

struct kiln_compressor {
    kiln_allocator allocator;
    ZSTD_CCtx *context;
    void *dictionary; /* memory of the digested dictionary, which libzstd initializes in place */
    size_t dictionary_room;
};

/* libzstd 1.5.4 crashes if the allocation of a dictionary fails. The memory is therefore allocated
 * here, and libzstd only initializes it. */
static kiln_status set_dictionary(kiln_compressor *made, int level, const void *dictionary,
                                  size_t size)
{
    ZSTD_compressionParameters parameters = ZSTD_getCParams(level, ZSTD_CONTENTSIZE_UNKNOWN, size);
    made->dictionary_room = ZSTD_estimateCDictSize_advanced(size, parameters, ZSTD_dlm_byRef);
    made->dictionary = made->allocator.alloc(made->allocator.ctx, made->dictionary_room, 16);
    if (!made->dictionary)
        return KILN_NO_MEMORY;
    /* libzstd reads parts of this memory before writing them. Frames would be valid regardless, but
     * equal input must produce equal bytes. */
    memset(made->dictionary, 0, made->dictionary_room);
    const ZSTD_CDict *digested =
        ZSTD_initStaticCDict(made->dictionary, made->dictionary_room, dictionary, size,
                             ZSTD_dlm_byRef, ZSTD_dct_auto, parameters);
    if (!digested)
        return KILN_I_DICTIONARY;
    ZSTD_CCtx_refCDict(made->context, digested);
    return KILN_OK;
}

static kiln_status set_up(kiln_compressor *made, int level, const void *dictionary, size_t size)
{
    made->context = ZSTD_createCCtx_advanced(memory_of(&made->allocator));
    if (!made->context)
        return KILN_NO_MEMORY;
    ZSTD_CCtx_setParameter(made->context, ZSTD_c_compressionLevel, level);
    /* The index records the dictionary, so frames need no dictionary ID. */
    ZSTD_CCtx_setParameter(made->context, ZSTD_c_dictIDFlag, 0);
    return dictionary ? set_dictionary(made, level, dictionary, size) : KILN_OK;
}

kiln_status kiln_compressor_create(const kiln_allocator *allocator, int level,
                                   const void *dictionary, size_t dictionary_size,
                                   kiln_compressor **ret_compressor)
{
    if (level < 1 || level > KILN_COMPRESSION_LEVEL_MAX)
        return KILN_BAD_ARGUMENT;
    kiln_allocator a = allocator_or_default(allocator);
    kiln_compressor *made = a.alloc(a.ctx, sizeof *made, _Alignof(kiln_compressor));
    if (!made)
        return KILN_NO_MEMORY;
    memset(made, 0, sizeof *made);
    made->allocator = a;
    kiln_status status = set_up(made, level, dictionary, dictionary_size);
    if (status)
        kiln_compressor_destroy(made);
    else
        *ret_compressor = made;
    return status;
}

void kiln_compressor_destroy(kiln_compressor *compressor)
{
    if (!compressor)
        return;
    kiln_allocator a = compressor->allocator;
    ZSTD_freeCCtx(compressor->context);
    if (compressor->dictionary)
        a.free(a.ctx, compressor->dictionary, compressor->dictionary_room);
    a.free(a.ctx, compressor, sizeof *compressor);
}

/* Writes one frame of small blocks. The pledged size puts the content size into the frame's header,
 * as rule I17 requires. */
static size_t compress_in_small_blocks(ZSTD_CCtx *context, const void *data, size_t size,
                                       void *memory, size_t room)
{
    ZSTD_outBuffer out = {memory, room, 0};
    size_t result = ZSTD_CCtx_setPledgedSrcSize(context, size);
    for (size_t at = 0; at < size && !ZSTD_isError(result);) {
        size_t part = size - at < SMALL_BLOCK ? size - at : SMALL_BLOCK;
        ZSTD_inBuffer in = {(const unsigned char *)data + at, part, 0};
        at += part;
        result = ZSTD_compressStream2(context, &out, &in, at < size ? ZSTD_e_flush : ZSTD_e_end);
        /* A result other than 0 means that some output did not fit. */
        if (!ZSTD_isError(result) && result)
            result = (size_t)-ZSTD_error_dstSize_tooSmall;
    }
    ZSTD_CCtx_reset(context, ZSTD_reset_session_only);
    return ZSTD_isError(result) ? result : out.pos;
}

kiln_status kiln_compress(kiln_compressor *compressor, kiln_span data, void *memory, size_t room,
                          size_t *ret_size)
{
    ZSTD_CCtx *context = compressor->context;
    size_t result = ZSTD_compress2(context, memory, room, data.data, data.size);
    if (!ZSTD_isError(result) && data.size / KILN_COMPRESSION_RATIO >= result)
        result = compress_in_small_blocks(context, data.data, data.size, memory, room);
    if (ZSTD_isError(result))
        return is_no_memory(result) ? KILN_NO_MEMORY : KILN_NO_ROOM;
    *ret_size = result;
    return KILN_OK;
}

/* ZSTD_createDDict returns NULL both if memory runs out and if the bytes are malformed.
 * Decompressing an empty frame with the dictionary distinguishes the two, and needs no memory. */
static kiln_status dictionary_failure(ZSTD_DCtx *context, const void *data, size_t size)
{
    static const unsigned char nothing[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0};
    unsigned char byte;
    size_t result =
        ZSTD_decompress_usingDict(context, &byte, 1, nothing, sizeof nothing, data, size);
    return ZSTD_isError(result) ? KILN_I_DICTIONARY : KILN_NO_MEMORY;
}

static kiln_status dictionary_status(kiln_allocator *allocator, const void *data, size_t size)
{
    ZSTD_DCtx *context = ZSTD_createDCtx_advanced(memory_of(allocator));
    kiln_status status = context ? dictionary_failure(context, data, size) : KILN_NO_MEMORY;
    ZSTD_freeDCtx(context);
    return status;
}

struct kiln_dictionary {
    kiln_allocator allocator;
    ZSTD_DDict *digested;
};

kiln_status kiln_dictionary_create(const kiln_allocator *allocator, const void *data, size_t size,
                                   kiln_dictionary **ret_dictionary)
{
    kiln_allocator a = allocator_or_default(allocator);
    kiln_dictionary *made = a.alloc(a.ctx, sizeof *made, _Alignof(kiln_dictionary));
    if (!made)
        return KILN_NO_MEMORY;
    made->allocator = a;
    made->digested = ZSTD_createDDict_advanced(data, size, ZSTD_dlm_byRef, ZSTD_dct_auto,
                                               memory_of(&made->allocator));
    if (made->digested) {
        *ret_dictionary = made;
        return KILN_OK;
    }
    kiln_status status = dictionary_status(&made->allocator, data, size);
    kiln_dictionary_destroy(made);
    return status;
}

void kiln_dictionary_destroy(kiln_dictionary *dictionary)
{
    if (!dictionary)
        return;
    kiln_allocator a = dictionary->allocator;
    ZSTD_freeDDict(dictionary->digested);
    a.free(a.ctx, dictionary, sizeof *dictionary);
}

struct kiln_decompressor {
    kiln_allocator allocator;
    ZSTD_DCtx *context;
};

kiln_status kiln_decompressor_create(const kiln_allocator *allocator,
                                     kiln_decompressor **ret_decompressor)
{
    kiln_allocator a = allocator_or_default(allocator);
    kiln_decompressor *made = a.alloc(a.ctx, sizeof *made, _Alignof(kiln_decompressor));
    if (!made)
        return KILN_NO_MEMORY;
    made->allocator = a;
    made->context = ZSTD_createDCtx_advanced(memory_of(&made->allocator));
    if (!made->context) {
        a.free(a.ctx, made, sizeof *made);
        return KILN_NO_MEMORY;
    }
    *ret_decompressor = made;
    return KILN_OK;
}

void kiln_decompressor_destroy(kiln_decompressor *decompressor)
{
    if (!decompressor)
        return;
    kiln_allocator a = decompressor->allocator;
    ZSTD_freeDCtx(decompressor->context);
    a.free(a.ctx, decompressor, sizeof *decompressor);
}

/* Rule I17: libzstd would also accept older formats, skippable frames, and several frames. */
static bool is_one_frame(const unsigned char *stored, size_t stored_size, size_t size)
{
    static const unsigned char magic[FRAME_MAGIC] = {0x28, 0xb5, 0x2f, 0xfd};
    return stored_size > FRAME_MAGIC && memcmp(stored, magic, FRAME_MAGIC) == 0 &&
           ZSTD_getFrameContentSize(stored, stored_size) == size &&
           ZSTD_findFrameCompressedSize(stored, stored_size) == stored_size;
}

kiln_status kiln_decompress(kiln_decompressor *decompressor, const kiln_dictionary *dictionary,
                            kiln_span stored, void *memory, size_t size)
{
    if (!is_one_frame(stored.data, stored.size, size))
        return KILN_I_FRAME;
    size_t result =
        ZSTD_decompress_usingDDict(decompressor->context, memory, size, stored.data, stored.size,
                                   dictionary ? dictionary->digested : NULL);
    return result == size ? KILN_OK : KILN_I_FRAME;
}
