/* Blobs as zstd frames and back: how members of a file are stored compressed, FORMAT.md section 10.
 *
 * A frame holds one blob and states its size. A dictionary, bytes that both sides know beforehand,
 * makes frames of small blobs smaller; the frame does not name it, the index does. What works for
 * many blobs is kept between them: a compressor or a decompressor is the context of one thread at a
 * time, a digested dictionary is read by any number of threads.
 *
 *     size <= KILN_COMPRESSION_RATIO * stored_size
 *
 * holds for every frame made here, whatever the blob: one that zstd would make smaller is cut into
 * more of zstd's blocks. A reader can rely on it, so no small file asks for much memory.
 *
 * Equal libzstd gives equal bytes, on any host. All memory comes from the allocator, but for what
 * kiln_dictionary_train works with: libzstd takes that from the C library and gives it back. */
#ifndef KILN_COMPRESSION_H
#define KILN_COMPRESSION_H

#include <kiln/allocator.h>
#include <kiln/limits.h>
#include <kiln/status.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Levels go from 1, fastest, to this one, smallest. */
#define KILN_COMPRESSION_LEVEL_MAX 22

typedef struct kiln_compressor kiln_compressor;
typedef struct kiln_decompressor kiln_decompressor;
typedef struct kiln_dictionary kiln_dictionary;

/* With a dictionary of `dictionary_size` bytes, which outlive the compressor, or without one where
 * it is NULL. BAD_ARGUMENT for a level that is none, I_DICTIONARY for bytes that kiln_dictionary
 * refuses, too; NO_MEMORY. */
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

/* Digests a dictionary: `data`, of any bytes and at any place, outlives it. I_DICTIONARY where they
 * begin like a trained one and are none; NO_MEMORY. Safe on hostile bytes. */
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
