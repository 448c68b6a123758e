/* Blobs made and broken by hand: payload bytes become a blob with a true header, or a place in one
 * is changed and the hash put right again, so that a test reaches the one rule it is about. */
#ifndef BLOB_PATCH_H
#define BLOB_PATCH_H

#include <kiln/blob_header.h>
#include <kiln/types.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes in a heap block of exactly their size, at a multiple of 4096. */
typedef struct patched {
    unsigned char *data;
    size_t size;
} patched;

/* A copy of `size` bytes. */
patched patched_copy(const void *data, size_t size);
/* An asset blob of struct type `type` with these payload bytes, aligned as the type asks for, at
 * least to 1 << align_log2. */
patched patched_blob(const kiln_types *types, uint32_t type, uint32_t align_log2,
                     const void *payload, size_t size);
void patched_fini(patched *p);

/* Rewrites the hash of the blob at `data` after a change, all other header bytes left as they are.
 */
void patched_rehash(unsigned char *blob);

/* Writes the `size` low bytes of `number` at `at`. */
void patch_number(unsigned char *at, uint64_t number, size_t size);
/* Where the value at `path` of the blob's root lies, and how many bytes it has; the path must
 * exist. */
unsigned char *patch_find(unsigned char *blob, const kiln_types *types, uint32_t type,
                          const char *path, size_t *ret_size);
/* Overwrites the number at `path` of the blob and rehashes it. Returns the place's distance from
 * the blob's first byte. */
uint64_t patch_value(unsigned char *blob, const kiln_types *types, uint32_t type, const char *path,
                     uint64_t number);

#endif
