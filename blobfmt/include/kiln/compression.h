/* Compresses blobs to zstd frames and decompresses them, as used for the members of a file
 * (FORMAT.md section 10).
 *
 * A frame contains one blob and states the size of that blob. A dictionary is a byte sequence that
 * compressor and decompressor share; it shrinks the frames of small blobs. The index, not the
 * frame, records which dictionary was used. Compressors, decompressors and dictionaries can be
 * reused for many blobs. A compressor or decompressor belongs to one thread at a time; a digested
 * dictionary may be read by any number of threads.
 *
 *     size <= KILN_COMPRESSION_RATIO * stored_size
 *
 * holds for every frame made here: a frame that zstd would make smaller is divided into more zstd
 * blocks. Readers reject all other frames, so that a small file cannot demand a lot of memory.
 *
 * The same version of libzstd produces the same bytes on any host. All memory comes from the
 * allocator, except the working memory of kiln_dictionary_train: libzstd takes that from the C
 * library and frees it before the call returns. */
#ifndef KILN_COMPRESSION_H
#define KILN_COMPRESSION_H

#include <kiln/allocator.h>
#include <kiln/limits.h>
#include <kiln/status.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Levels range from 1 (fastest) to this one (smallest output). */
#define KILN_COMPRESSION_LEVEL_MAX 22

typedef struct kiln_compressor kiln_compressor;
typedef struct kiln_decompressor kiln_decompressor;
typedef struct kiln_dictionary kiln_dictionary;

/* Creates a compressor with the dictionary of `dictionary_size` bytes, which must outlive it, or
 * without one if `dictionary` is NULL. BAD_ARGUMENT: `level` is out of range. I_DICTIONARY: the
 * dictionary is malformed, as for kiln_dictionary_create. NO_MEMORY. On failure `ret_compressor` is
 * untouched. */
kiln_status kiln_compressor_create(const kiln_allocator *allocator, int level,
                                   const void *dictionary, size_t dictionary_size,
                                   kiln_compressor **ret_compressor);
/* NULL is fine. */
void kiln_compressor_destroy(kiln_compressor *compressor);
/* Compresses `data` into one frame at `memory`, which must have room for `room` bytes; `ret_size`
 * receives the frame's size. NO_ROOM: the frame needs more than `room` bytes. NO_MEMORY. After an
 * error the content of `memory` is undefined. To accept only a frame that saves space, pass a
 * `room` smaller than the size of `data`. */
kiln_status kiln_compress(kiln_compressor *compressor, kiln_span data, void *memory, size_t room,
                          size_t *ret_size);

/* Digests a dictionary. `data` may be any bytes at any address, and must outlive the dictionary.
 * I_DICTIONARY: the bytes begin like a trained dictionary, but are malformed. NO_MEMORY. On failure
 * `ret_dictionary` is untouched. Safe on hostile bytes. */
kiln_status kiln_dictionary_create(const kiln_allocator *allocator, const void *data, size_t size,
                                   kiln_dictionary **ret_dictionary);
/* NULL is fine. */
void kiln_dictionary_destroy(kiln_dictionary *dictionary);

/* Creates a decompressor. NO_MEMORY. */
kiln_status kiln_decompressor_create(const kiln_allocator *allocator,
                                     kiln_decompressor **ret_decompressor);
/* NULL is fine. */
void kiln_decompressor_destroy(kiln_decompressor *decompressor);
/* Decompresses the frame `stored` to `size` bytes at `memory`. I_FRAME: `stored` is not exactly one
 * frame of exactly `size` bytes, made with that dictionary (NULL: without one); the content of
 * `memory` is then undefined. Safe on hostile bytes, linear in both sizes. */
kiln_status kiln_decompress(kiln_decompressor *decompressor, const kiln_dictionary *dictionary,
                            kiln_span stored, void *memory, size_t size);

/* Sample blobs on which a dictionary is trained. The caller keeps ownership. */
typedef struct kiln_dictionary_args {
    int level;           /* at which blobs will be compressed: 1 to KILN_COMPRESSION_LEVEL_MAX */
    const void *samples; /* all samples, one after another */
    const size_t *sizes; /* bytes of each sample */
    uint32_t count;      /* number of samples */
} kiln_dictionary_args;

/* Trains a dictionary of at most `room` bytes at `memory`; `ret_size` receives its size. The same
 * samples give the same dictionary. NOT_FOUND: there are too few samples, or they have too little
 * in common. BAD_ARGUMENT: the level is out of range. NO_MEMORY. */
kiln_status kiln_dictionary_train(const kiln_dictionary_args *args, void *memory, size_t room,
                                  size_t *ret_size);

#ifdef __cplusplus
}
#endif

#endif
