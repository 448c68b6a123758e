/* The shape of a record: the questions that a run asked, without the answers. They are the files
 * that it read, the paths that it examined or looked for, the folders that it listed and the
 * variables that it read. A step with equal options usually asks the same questions after its files
 * have changed, and also on another machine. So a shared cache stores a shape under the options,
 * and a result under the shape with its answers:
 *
 *     equal version, options, shape and answers  ==>  equal outputs and messages
 *
 * Paths in the folder of the project are stored relative to it, so the folder can be anywhere. Here
 * `prefix` is that folder with a slash at its end, or "" for the current folder. A shape is a
 * sequence of bytes. It may come from a cache, so it is not trusted. A shape that asks for a
 * variable which a run does not read is malformed: hashes of answers are sent to caches, and the
 * variable may be a secret. A shape can name many files, or one file in many ways, so the work that
 * shapes cause is limited, and each file is read once. */
#ifndef BAKE_RECORD_SHAPE_H
#define BAKE_RECORD_SHAPE_H

#include "bake_store.h"
#include "hash_table.h"
#include "record.h"

/* Returns the shape of a record in new memory, which the caller frees with bake_free; NULL if
 * memory runs out. */
void *bake_shape_make(const bake_record *record, const char *prefix, size_t *ret_size);
/* Hashes the answers of a record to its shape: kinds, content hashes, names and values. Returns
 * false if memory runs out. */
bool bake_shape_hash_answers(const bake_record *record, kiln_hash128 *ret_hash);

/* The work that answers to shapes may cause together: one unit for each path, each name in a folder
 * and each 4 KiB of a file. It is enough for 32 GiB of inputs. */
enum { BAKE_SHAPE_WORK = 1 << 23, BAKE_SHAPE_UNIT = 4096 };

/* The files that were hashed to answer shapes; several shapes often have the same files. Zeroed, it
 * is empty. bake_shape_files_fini frees it. */
typedef struct bake_shape_files {
    struct shape_file *items;
    size_t count, capacity;
    hash_table by_path, by_identity;
    uint64_t done;         /* bytes, with BAKE_SHAPE_UNIT bytes for each path and name */
    uint64_t most;         /* for `done`; 0: BAKE_SHAPE_WORK units */
    unsigned char *buffer; /* of bake_file_hash */
    int64_t began;         /* when the first shape was answered; 0: not yet */
    bake_store store;
} bake_shape_files;

void bake_shape_files_fini(bake_shape_files *files);

/* Answers a shape with the current files and environment. The result is the record that a run would
 * have made that asks these questions now, but without outputs and messages. `def` describes the
 * step. On failure, returns NULL with errno set: ENOMEM, EINVAL for a malformed shape, ENOENT if a
 * path that would be read is not a readable file, or another path cannot be examined, or EFBIG if
 * all answers with `files` are too much work. Safe on hostile bytes. */
bake_record *bake_shape_answer(const void *shape, size_t size, const char *prefix,
                               const bake_record_def *def, bake_shape_files *files);

/* What a run printed. */
typedef struct bake_record_result {
    size_t warnings;
    const char *texts[BAKE_MESSAGE_FORMS];
    size_t sizes[BAKE_MESSAGE_FORMS];
} bake_record_result;

/* Completes such a record after its outputs were committed by `gateway`: copies the outputs, the
 * texts of the messages in each form, and the number of warnings. Returns false if memory runs out
 * or an output is no file. */
bool bake_shape_complete(bake_record *record, const bake_gateway *gateway,
                         const bake_record_result *result);

/* Returns the path relative to the folder of `prefix`. Returns NULL if it is not in that folder, or
 * begins at another folder. */
const char *bake_shape_relative(const char *path, const char *prefix);

#endif
