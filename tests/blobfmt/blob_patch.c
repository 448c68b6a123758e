#define _POSIX_C_SOURCE 200112L /* posix_memalign */

#include "blob_patch.h"

#include <kiln/path.h>
#include <kiln/value.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* A test without its setup is invalid. */
static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "test set-up failed: %s\n", what);
    abort();
}

static unsigned char *exact_block(size_t size)
{
    void *block = NULL;
    require(posix_memalign(&block, 4096, size ? size : 1) == 0, "memory");
    return block;
}

patched patched_copy(const void *data, size_t size)
{
    patched p = {exact_block(size), size};
    if (size)
        memcpy(p.data, data, size);
    return p;
}

patched patched_blob(const kiln_types *types, uint32_t type, uint32_t align_log2,
                     const void *payload, size_t size)
{
    const kiln_type *root = kiln_types_get(types, type);
    if (align_log2 < KILN_ALIGN_LOG2_MIN)
        align_log2 = KILN_ALIGN_LOG2_MIN;
    while (1u << align_log2 < root->align)
        align_log2++;
    size_t payload_at = 1u << align_log2 > KILN_HEADER_SIZE ? 1u << align_log2 : KILN_HEADER_SIZE;
    patched p = {exact_block(payload_at + size), payload_at + size};
    if (size)
        memcpy(p.data + payload_at, payload, size);
    kiln_header_write(p.data, align_log2, size, root->layout);
    return p;
}

void patched_fini(patched *p)
{
    free(p->data);
    p->data = NULL;
}

void patched_rehash(unsigned char *blob)
{
    /* Follows the text of FORMAT.md section 3 instead of the code under test. */
    uint64_t payload_size;
    memcpy(&payload_size, blob + 8, 8);
    size_t align = (size_t)1 << (blob[6] & 15), payload_at = align > 32 ? align : 32;
    uint64_t seed = XXH3_64bits(blob, 24);
    uint64_t hash = XXH3_64bits_withSeed(blob + 32, payload_at - 32 + (size_t)payload_size, seed);
    memcpy(blob + 24, &hash, 8);
}

void patch_number(unsigned char *at, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++)
        at[i] = (unsigned char)(number >> (8 * i));
}

unsigned char *patch_find(unsigned char *blob, const kiln_types *types, uint32_t type,
                          const char *path, size_t *ret_size)
{
    kiln_blob_header header;
    memcpy(&header, blob, sizeof header);
    unsigned char *payload = blob + kiln_header_payload_at(&header);
    kiln_value root, value;
    require(!kiln_value_root(types, type, payload, (size_t)header.payload_size, &root), "root");
    require(!kiln_path_follow(&root, path, &value, NULL), path);
    *ret_size = value.of->size;
    return payload + kiln_value_offset(&value);
}

uint64_t patch_value(unsigned char *blob, const kiln_types *types, uint32_t type, const char *path,
                     uint64_t number)
{
    size_t size;
    unsigned char *at = patch_find(blob, types, type, path, &size);
    patch_number(at, number, size < 8 ? size : 8);
    patched_rehash(blob);
    return (uint64_t)(at - blob);
}
