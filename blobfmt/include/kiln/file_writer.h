/* Writes a file: takes finished blobs, then writes index, members and gaps in one pass.
 *
 * Each blob is verified when it is added, by every rule except C1: the caller guarantees that its
 * canonical flag is correct. The same pass collects its references. Equal blobs are stored once,
 * unless `skip_sharing` is set. Members are in the order in which their first assets were added,
 * after the type table and the dictionaries. The same calls produce the same bytes. With compressed
 * members, this requires the same version of libzstd. A writer belongs to one thread at a time. */
#ifndef KILN_FILE_WRITER_H
#define KILN_FILE_WRITER_H

#include <kiln/allocator.h>
#include <kiln/asset_id.h>
#include <kiln/builder.h>
#include <kiln/index.h>
#include <kiln/relative.h>
#include <kiln/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_file_writer kiln_file_writer;

typedef struct kiln_file_writer_def {
    const kiln_types *types;         /* required; must outlive the writer */
    const kiln_allocator *allocator; /* NULL: the C library's */
    bool omit_type_table;            /* default false: the file describes its types */
    bool skip_sharing;               /* store equal blobs separately; default false */
    /* Called with each blob that the writer takes or builds, to move it elsewhere, such as to a
     * mapped file: may replace the buffer by one with equal bytes at a multiple of `align`, which
     * stays valid until kiln_buffer_fini. Default NULL: blobs stay in memory until the writer is
     * destroyed. */
    void (*move_blob)(void *move_ctx, kiln_buffer *blob, size_t align);
    /* Called before the writer reads so many bytes of blobs that may have moved, to compress or
     * write them, so that pages that were read before can be released. Default NULL. */
    void (*touch_blob)(void *move_ctx, size_t size);
    void *move_ctx;
    uint32_t cookie; /* private: set by kiln_file_writer_def_default */
} kiln_file_writer_def;

kiln_file_writer_def kiln_file_writer_def_default(void);

/* Creates an empty writer. BAD_ARGUMENT: the definition breaks its contract. NO_MEMORY,
 * BIG_ENDIAN_HOST. On failure `ret_writer` is untouched. */
kiln_status kiln_file_writer_create(const kiln_file_writer_def *def, kiln_file_writer **ret_writer,
                                    kiln_error *reterr);
/* NULL is fine. */
void kiln_file_writer_destroy(kiln_file_writer *writer);

/* Adds the asset `name` (`Kind/id`, NUL-terminated and copied) with a copy of its blob, whose root
 * has the type number `type`. `blob.data` must be at a multiple of the blob's alignment (H7).
 * DUPLICATE: the name, or another name with the same id, was added before. I3: the name is
 * malformed. BAD_ARGUMENT: `type` is not a struct, or is kiln.Payload, whose assets
 * kiln_file_writer_payload adds together with their data. L7, NO_MEMORY; otherwise an error of
 * kiln_verify. On failure the writer is unchanged. */
kiln_status kiln_file_writer_add(kiln_file_writer *writer, const char *name, uint32_t type,
                                 kiln_span blob, kiln_error *reterr);

/* Like kiln_file_writer_add, but does not copy the blob: on success the writer takes ownership of
 * the bytes, and `blob` becomes empty. On failure the caller keeps `blob`. */
kiln_status kiln_file_writer_take(kiln_file_writer *writer, const char *name, uint32_t type,
                                  kiln_buffer *blob, kiln_error *reterr);

/* Finishes the value in `builder` in canonical form and adds the blob. Does the same as
 * kiln_builder_finish followed by kiln_file_writer_take, but verifies the blob only once.
 * BAD_ARGUMENT: builder and writer use different lists of types. If the name is rejected, the
 * builder is unchanged. */
kiln_status kiln_file_writer_build(kiln_file_writer *writer, const char *name, uint32_t type,
                                   kiln_builder *builder, kiln_error *reterr);

/* A finished blob with everything that a writer needs to add it. Threads can finish assets of one
 * file, each with its own builder, while one thread adds them to the writer. A zeroed struct is
 * empty. */
typedef struct kiln_finished_asset {
    /* Read these, but do not change them. */
    kiln_buffer blob;
    kiln_hash128 content; /* hash of the blob */
    kiln_id *refs;        /* the assets to which it refers, strictly ascending */
    size_t ref_count;
    /* Private. */
    const kiln_types *types;
    uint32_t type;
    size_t ref_capacity;
    kiln_allocator allocator;
} kiln_finished_asset;

/* Finishes the value in `builder` in canonical form, verifies the blob and collects its references.
 * Fills `ret_asset`, which the caller releases with kiln_finished_asset_fini. BAD_ARGUMENT: `type`
 * is not a struct. NO_MEMORY; otherwise as kiln_builder_finish. On failure `ret_asset` is
 * untouched. Threads may share the builder's list of types, but not the builder. */
kiln_status kiln_finished_asset_build(kiln_builder *builder, uint32_t type,
                                      kiln_finished_asset *ret_asset, kiln_error *reterr);
/* NULL and a zeroed struct are fine. */
void kiln_finished_asset_fini(kiln_finished_asset *asset);

/* Adds an asset made by kiln_finished_asset_build. The two calls together have the same effect as
 * kiln_file_writer_build. On success the writer takes ownership, and `asset` becomes empty.
 * BAD_ARGUMENT: `asset` is empty, or was built with another list of types. Otherwise fails as
 * kiln_file_writer_take. On failure the caller keeps `asset`, and the writer is unchanged. */
kiln_status kiln_file_writer_put(kiln_file_writer *writer, const char *name,
                                 kiln_finished_asset *asset, kiln_error *reterr);

/* Sets how assets added from now on are stored. A level from 1 to 22 compresses them if that makes
 * them smaller; level 0, the default, stores them uncompressed. Assets with the same level and
 * `group` (any string, copied) share a dictionary if it saves more space than it takes; NULL: no
 * dictionary. Equal blobs use the setting of the first asset that has them. BAD_ARGUMENT: `level`
 * is out of range. NO_MEMORY. */
kiln_status kiln_file_writer_compress(kiln_file_writer *writer, int level, const char *group);

/* Counts for the file that was finished last; all zero before the first file is finished. `types`
 * counts the types of its assets; `members` counts the blobs of assets, the type table, the
 * dictionaries and the payload members. */
typedef struct kiln_file_counts {
    uint32_t assets, types, members;
} kiln_file_counts;

kiln_file_counts kiln_file_writer_get_counts(const kiln_file_writer *writer);

/* Allows assets of this file to refer to the asset `name` of another file. The name is copied.
 * Unused imports are not written. Importing the same name twice has no effect. DUPLICATE: another
 * import has the same id. I3: the name is malformed. L7, NO_MEMORY. */
kiln_status kiln_file_writer_import(kiln_file_writer *writer, const char *name);

/* The references between the assets of a writer, as the index of the file will list them. */
typedef struct kiln_file_graph {
    const kiln_id *ids;                 /* of the assets, strictly ascending */
    const uint32_t *types;              /* type numbers of the assets */
    const uint32_t *edge_starts;        /* as in kiln_index, but never empty: assets + 1 numbers */
    const uint32_t *edges;              /* as in kiln_index */
    uint32_t asset_count, import_count; /* only imports that are used */
    /* Private. */
    kiln_allocator allocator;
    void *memory;
    size_t memory_size;
} kiln_file_graph;

/* Lists the references between the assets that were added so far, so that a program can add an
 * asset that depends on them, such as a cluster plan. Release the graph with kiln_file_graph_fini;
 * it stays valid after further calls. DANGLING as in kiln_file_writer_finish. NO_MEMORY. On failure
 * `ret_graph` is untouched. */
kiln_status kiln_file_writer_get_graph(kiln_file_writer *writer, kiln_file_graph *ret_graph,
                                       kiln_error *reterr);
/* A zeroed graph is fine. */
void kiln_file_graph_fini(kiln_file_graph *graph);

/* Receives the file's bytes in order. If it returns false, finish stops and returns KILN_IO with
 * the errno that the function set; errno is set to 0 before each call. */
typedef bool kiln_write_function(void *ctx, const void *data, size_t size);

/* Writes the file. The writer keeps its assets. DANGLING: a blob refers to an asset that was
 * neither added nor imported; `reterr->path` is the name of the asset that refers to it. CHANGED:
 * see kiln_file_writer_payload. KILN_IO, NO_MEMORY, or a limit of the index or the type table (L1,
 * L3, L7). */
kiln_status kiln_file_writer_finish(kiln_file_writer *writer, kiln_write_function *write, void *ctx,
                                    kiln_error *reterr);

/* Like kiln_file_writer_finish, but writes the file to memory at a multiple of 4096. On success the
 * caller owns `ret_file`; on failure it is untouched. */
kiln_status kiln_file_writer_finish_buffer(kiln_file_writer *writer, kiln_buffer *ret_file,
                                           kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
