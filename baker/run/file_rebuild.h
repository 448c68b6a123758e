/* Writes a file from assets that were baked now, and from blobs of an earlier output of the same
 * bundle.
 *
 * Everything that depends on the whole bundle is made as in a direct bake: the index, the type
 * table, shared members, compression and the cluster plan. So the result has the same bytes, if
 * the blobs have. */
#ifndef BAKE_FILE_REBUILD_H
#define BAKE_FILE_REBUILD_H

#include "asset_names.h"
#include "bake_run.h"
#include "file_patch.h"
#include "value_bake.h"

/* An asset of the new file. */
typedef struct bake_rebuilt_asset {
    const char *name;
    size_t name_length;
    uint32_t type; /* in the schema of the run */
    bool is_scene; /* its parts follow it: the rows and the data */
    bake_patched_asset
        *made;         /* its finished asset is taken; NULL: its blob is that of the old file */
    size_t made_count; /* a scene has up to three blobs */
} bake_rebuilt_asset;

/* A payload of the new file. */
typedef struct bake_rebuilt_payload {
    kiln_hash128 content;
    bake_payload_form form;   /* of all values with these data */
    const bake_payload *made; /* it was read now; NULL: its data are those of the old file */
} bake_rebuilt_payload;

typedef struct bake_file_rebuild {
    kiln_span old;
    const bake_rebuilt_asset *assets; /* sorted by name */
    size_t count;
    const bake_inputs *inputs; /* with all links; `names` has all names */
    const bake_names *names;
    const bake_rebuilt_payload *payloads; /* sorted by content */
    size_t payload_count;
    const char *const *imports; /* names; those of the old file are added */
    size_t import_count;
    bool has_clusters; /* the file can have a cluster plan */
    /* Results. */
    uint64_t size;
    kiln_file_counts counts;
} bake_file_rebuild;

/* Writes the file. Returns false if memory runs out, if writing fails, if an
 * asset is not in the old file or does not fit its type, or if an asset refers to one that is
 * neither in the new file nor imported. Safe on hostile bytes. */
bool bake_file_rebuild_write(bake_file_rebuild *rebuild, bake_run *run, kiln_write_function *write,
                             void *ctx);

#endif
