/* Writes a file again after the values of some assets have changed.
 *
 * The new file has exactly the bytes that a kiln_file_writer would write. This is possible if the
 * index differs only in the sizes, places and hashes of members: names, types and references are
 * the same, no member is compressed, and no blob becomes or was shared. */
#ifndef BAKE_FILE_PATCH_H
#define BAKE_FILE_PATCH_H

#include <kiln/file_writer.h>

/* An asset with its new blob. */
typedef struct bake_patched_asset {
    const char *name;
    size_t name_length;
    const char *type; /* its name */
    const char *path; /* of its source, for the caller */
    size_t size;      /* of its blob, for the caller */
    bool is_part;     /* of the scene before it, for the caller */
    bool is_blob;     /* `asset` has only a blob; such an asset cannot be patched */
    kiln_finished_asset asset;
} bake_patched_asset;

typedef struct bake_file_patch bake_file_patch;

/* Compares the assets with the file, which must outlive the result, as must the assets, and
 * replaces its index with that of the new file. A copy of the index would be half of a file of
 * small assets. The members stay as they are. Returns NULL if the file cannot be written in this
 * way, or memory runs out; the file is then unchanged. Safe on hostile bytes. */
bake_file_patch *bake_file_patch_make(void *file, size_t size, const bake_patched_asset *assets,
                                      size_t count);
/* Accepts NULL. */
void bake_file_patch_destroy(bake_file_patch *patch);

/* Whether no blob has changed: the new file would be the old one. */
bool bake_file_patch_is_empty(const bake_file_patch *patch);
/* The size and the counts of the new file. */
uint64_t bake_file_patch_size(const bake_file_patch *patch);
kiln_file_counts bake_file_patch_counts(const bake_file_patch *patch);
/* Writes the new file. Returns false if `write` does. */
bool bake_file_patch_write(const bake_file_patch *patch, kiln_write_function *write, void *ctx);

#endif
