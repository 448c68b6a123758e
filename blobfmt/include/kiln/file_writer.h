/* Makes a file: takes finished blobs, writes index, members and gaps in one pass.
 *
 * Each blob is verified as it comes in, by every rule but C1 (that a blob flagged canonical is so
 * is its maker's promise), and its references are noted from that same pass. Equal blobs are stored
 * once, unless they are to be kept apart. Members lie in the order in which their first asset was
 * added, the type table first, then dictionaries. The same calls give the same bytes, for the same
 * libzstd where members are compressed. One thread at a time. */
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
    bool omit_type_table;            /* default false: the file explains itself */
    bool skip_sharing;               /* each asset has bytes of its own; default false */
    uint32_t cookie;                 /* private: set by kiln_file_writer_def_default */
} kiln_file_writer_def;

kiln_file_writer_def kiln_file_writer_def_default(void);

kiln_status kiln_file_writer_create(const kiln_file_writer_def *def, kiln_file_writer **ret_writer,
                                    kiln_error *reterr);
/* NULL is fine. */
void kiln_file_writer_destroy(kiln_file_writer *writer);

/* Adds the asset `name` (`Kind/id`, NUL-terminated and copied) with a copy of its blob, whose root
 * is of type `type`. DUPLICATE: the name, or another one with the same id, was added before. I3:
 * the name is malformed. Otherwise errors of kiln_verify. After an error the writer is as it was.
 */
kiln_status kiln_file_writer_add(kiln_file_writer *writer, const char *name, uint32_t type,
                                 kiln_span blob, kiln_error *reterr);

/* The same with a blob that need not be copied: on success `blob` is the writer's, and empty. */
kiln_status kiln_file_writer_take(kiln_file_writer *writer, const char *name, uint32_t type,
                                  kiln_buffer *blob, kiln_error *reterr);

/* Finishes what `builder`, of the writer's own types, holds, in canonical form, and adds the blob:
 * kiln_builder_finish and kiln_file_writer_take in one, which checks the blob once. Where the name
 * is refused the builder stays as it was. */
kiln_status kiln_file_writer_build(kiln_file_writer *writer, const char *name, uint32_t type,
                                   kiln_builder *builder, kiln_error *reterr);

/* Assets that are added from now on are stored compressed, at a level from 1 to 22, where that
 * makes them smaller; level 0, as at first, stores them plain. Those of one level and `group`,
 * which is any word, share a dictionary where finishing finds that it gains more than it takes;
 * NULL: none is tried. Assets of equal blobs are stored as the first one asks. BAD_ARGUMENT for
 * another level, NO_MEMORY. */
kiln_status kiln_file_writer_compress(kiln_file_writer *writer, int level, const char *group);

/* What the index of the file that was finished last counts; zeros before. `types` are those of its
 * assets, `members` are the assets' bytes, the type table and dictionaries. */
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

/* Writes the file. DANGLING where a blob refers to what was neither added nor imported:
 * `reterr->path` is the name of the asset that refers. */
kiln_status kiln_file_writer_finish(kiln_file_writer *writer, kiln_write_function *write, void *ctx,
                                    kiln_error *reterr);

/* The same into memory aligned to 4096; the caller ends `ret_file`. */
kiln_status kiln_file_writer_finish_buffer(kiln_file_writer *writer, kiln_buffer *ret_file,
                                           kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
