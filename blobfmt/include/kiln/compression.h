/* Blobs as zstd frames and back: how members of a file are stored compressed, FORMAT.md section 10.
 *
 * A frame contains one blob and states its size. A dictionary is a sequence of bytes that both
 * sides know beforehand; it makes frames of small blobs smaller. The index of a file states the
 * dictionary of a member; the frame does not. A compressor or a decompressor can be used for many
 * blobs, by one thread at a time. A dictionary can be used by any number of threads at once.
 *
 *     size <= KILN_COMPRESSION_RATIO * stored_size
 *
 * holds for every frame made here: if zstd would make a frame smaller, the blob is split into more
 * of zstd's blocks. A reader relies on it, so a small file cannot demand much memory.
 *
 * The same version of libzstd gives the same bytes on any host. All memory comes from the
 * allocator, except during kiln_dictionary_train: there, libzstd allocates working memory from the
 * C library and frees it. */
#ifndef KILN_COMPRESSION_H
#define KILN_COMPRESSION_H

#include <kiln/allocator.h>
#include <kiln/limits.h>
#include <kiln/status.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Levels go from 1, the fastest, to this one, which gives the smallest frames. */
#define KILN_COMPRESSION_LEVEL_MAX 22

typedef struct kiln_compressor kiln_compressor;
typedef struct kiln_decompressor kiln_decompressor;
typedef struct kiln_dictionary kiln_dictionary;

/* `dictionary` has `dictionary_size` bytes and must outlive the compressor; NULL means no
 * dictionary. BAD_ARGUMENT: there is no such level. I_DICTIONARY: kiln_dictionary_create would
 * refuse the dictionary, too. NO_MEMORY. */
kiln_status kiln_compressor_create(const kiln_allocator *allocator, int level,
                                   const void *dictionary, size_t dictionary_size,
                                   kiln_compressor **ret_compressor);
/* NULL is fine. */
void kiln_compressor_destroy(kiln_compressor *compressor);
/* Compresses `data` to one frame at `memory`, which has room for `room` bytes; `ret_size` is the
 * frame's size. NO_ROOM: the frame is larger than `room`; then the content of `memory` is
 * undefined. To accept only a frame that saves space, give less room than `data` has bytes.
 * NO_MEMORY. */
kiln_status kiln_compress(kiln_compressor *compressor, kiln_span data, void *memory, size_t room,
                          size_t *ret_size);

/* Prepares a dictionary for decompression. `data` may be any bytes at any address, and must outlive
 * the dictionary. I_DICTIONARY: the bytes begin like a trained dictionary but are malformed.
 * NO_MEMORY. Safe on hostile bytes. */
kiln_status kiln_dictionary_create(const kiln_allocator *allocator, const void *data, size_t size,
                                   kiln_dictionary **ret_dictionary);
/* NULL is fine. */
void kiln_dictionary_destroy(kiln_dictionary *dictionary);

kiln_status kiln_decompressor_create(const kiln_allocator *allocator,
                                     kiln_decompressor **ret_decompressor);
/* NULL is fine. */
void kiln_decompressor_destroy(kiln_decompressor *decompressor);
/* Decompresses the frame `stored` to `size` bytes at `memory`. I_FRAME: `stored` is not exactly one
 * frame of exactly that many bytes, made with that dictionary (NULL: without one); then the content
 * of `memory` is undefined. Safe on hostile bytes; work is linear in both sizes. */
kiln_status kiln_decompress(kiln_decompressor *decompressor, const kiln_dictionary *dictionary,
                            kiln_span stored, void *memory, size_t size);

/* Samples of the blobs for which a dictionary is made. */
typedef struct kiln_dictionary_args {
    int level;           /* at which the blobs will be compressed: 1..KILN_COMPRESSION_LEVEL_MAX */
    const void *samples; /* one after another */
    const size_t *sizes; /* bytes of each sample */
    uint32_t count;      /* of samples */
} kiln_dictionary_args;

/* Makes a dictionary of at most `room` bytes at `memory`. The same samples give the same
 * dictionary. NOT_FOUND: there are too few samples, or they have too little in common.
 * BAD_ARGUMENT: there is no such level. NO_MEMORY. */
kiln_status kiln_dictionary_train(const kiln_dictionary_args *args, void *memory, size_t room,
                                  size_t *ret_size);

#ifdef __cplusplus
}
#endif

#endif
