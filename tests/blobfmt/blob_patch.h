/* Blobs made and damaged by hand. A payload becomes a blob with a valid header. After a change, the
 * hash is recomputed, so that a reader gets as far as the rule under test. */
#ifndef BLOB_PATCH_H
#define BLOB_PATCH_H

#include <kiln/blob_header.h>
#include <kiln/types.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes in a heap block of exactly their size, aligned to 4096. */
typedef struct patched {
    unsigned char *data;
    size_t size;
} patched;

/* Returns a copy of `size` bytes. */
patched patched_copy(const void *data, size_t size);
/* Returns an asset blob of struct type `type` with this payload, aligned as the type requires, and
 * at least to 1 << align_log2. */
patched patched_blob(const kiln_types *types, uint32_t type, uint32_t align_log2,
                     const void *payload, size_t size);
void patched_fini(patched *p);

/* Recomputes the hash of the blob. Other bytes of the header stay unchanged. */
void patched_rehash(unsigned char *blob);

/* Writes the low `size` bytes of `number` to `at`. */
void patch_number(unsigned char *at, uint64_t number, size_t size);
/* Finds the value at `path` below the blob's root and its size in bytes. The path must exist. */
unsigned char *patch_find(unsigned char *blob, const kiln_types *types, uint32_t type,
                          const char *path, size_t *ret_size);
/* Overwrites the number at `path` of the blob and recomputes the hash. Returns the offset of the
 * number in the blob. */
uint64_t patch_value(unsigned char *blob, const kiln_types *types, uint32_t type, const char *path,
                     uint64_t number);

#endif
