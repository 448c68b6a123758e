/* Makes a file from finished blobs; writes index, members and gaps in one pass.
 *
 * Each blob is verified when it is added, by every rule except C1 (the program that made a blob
 * promises that its canonical flag is right). Its references are collected at the same time. Equal
 * blobs are stored once, unless `skip_sharing` is set. Members are in the order in which their
 * first asset was added, after the type table and the dictionaries. The same calls give the same
 * bytes; if members are compressed, with the same version of libzstd. One thread at a time. */
#ifndef KILN_FILE_WRITER_H
#define KILN_FILE_WRITER_H

#include <kiln/allocator.h>
#include <kiln/builder.h>
#include <kiln/relative.h>
#include <kiln/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_file_writer kiln_file_writer;

typedef struct kiln_file_writer_def {
    const kiln_types *types;         /* required; outlives the writer */
    const kiln_allocator *allocator; /* NULL: the C library's */
    bool omit_type_table;            /* default false: the file contains a type table */
    bool skip_sharing;               /* each asset gets its own member; default false */
    uint32_t cookie;                 /* private: set by kiln_file_writer_def_default */
} kiln_file_writer_def;

kiln_file_writer_def kiln_file_writer_def_default(void);

kiln_status kiln_file_writer_create(const kiln_file_writer_def *def, kiln_file_writer **ret_writer,
                                    kiln_error *reterr);
/* NULL is fine. */
void kiln_file_writer_destroy(kiln_file_writer *writer);

/* Adds the asset `name` (`Kind/id`, NUL-terminated and copied) with a copy of its blob, whose root
 * is of type `type`. DUPLICATE: the name, or another one with the same id, was added before. I3:
 * the name is malformed. Otherwise errors of kiln_verify. After an error the writer is unchanged.
 */
kiln_status kiln_file_writer_add(kiln_file_writer *writer, const char *name, uint32_t type,
                                 kiln_span blob, kiln_error *reterr);

/* The same without a copy: on success the writer owns the bytes, and `blob` is empty. */
kiln_status kiln_file_writer_take(kiln_file_writer *writer, const char *name, uint32_t type,
                                  kiln_buffer *blob, kiln_error *reterr);

/* Finishes the value of `builder`, whose types must be the writer's, in canonical form, and adds
 * the blob. This is kiln_builder_finish and kiln_file_writer_take in one call, which checks the
 * blob only once. If the name is refused, the builder is unchanged. */
kiln_status kiln_file_writer_build(kiln_file_writer *writer, const char *name, uint32_t type,
                                   kiln_builder *builder, kiln_error *reterr);

/* Sets how assets that are added after this call are stored. With a level from 1 to 22 they are
 * compressed if that makes them smaller; with level 0, the default, they are not. Assets with the
 * same level and the same `group`, which is any name, share a dictionary if finishing finds that
 * this saves space; NULL: no dictionary. Equal blobs are stored with the setting of the first one.
 * BAD_ARGUMENT: there is no such level. NO_MEMORY. */
kiln_status kiln_file_writer_compress(kiln_file_writer *writer, int level, const char *group);

/* The counts in the index of the file that was finished last; zeros before. `types` counts those of
 * its assets; `members` includes the type table and dictionaries. */
typedef struct kiln_file_counts {
    uint32_t assets, types, members;
} kiln_file_counts;

kiln_file_counts kiln_file_writer_get_counts(const kiln_file_writer *writer);

/* Allows assets of this file to refer to the asset `name` of another file. Imports without a
 * reference are not written. DUPLICATE: another import has the same id. I3: the name is malformed.
 * L7, NO_MEMORY. */
kiln_status kiln_file_writer_import(kiln_file_writer *writer, const char *name);

/* Receives the file's bytes in order. If it returns false, finish stops and returns KILN_IO with
 * the errno that the function left; errno is 0 before each call. */
typedef bool kiln_write_function(void *ctx, const void *data, size_t size);

/* Writes the file. DANGLING: a blob refers to an asset that was neither added nor imported;
 * `reterr->path` is the name of the asset with the reference. */
kiln_status kiln_file_writer_finish(kiln_file_writer *writer, kiln_write_function *write, void *ctx,
                                    kiln_error *reterr);

/* The same into memory aligned to 4096; the caller frees `ret_file` (kiln_buffer_fini). */
kiln_status kiln_file_writer_finish_buffer(kiln_file_writer *writer, kiln_buffer *ret_file,
                                           kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
