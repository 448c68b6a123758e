/* The record of a step: everything that the result of one run of kiln-bake depends on.
 *
 * A record is made from the gateway of a run that succeeded. It contains the files that were read,
 * with states and hashes; paths that were only looked for or examined; the names in folders; the
 * files of programs, and whether they are executable; environment variables; options; the version;
 * the outputs; and the messages. record_check.h compares a record with the current files, and
 * record_file.h stores it.
 *
 *     the record is unchanged  ==>  running the step again would give the same outputs and messages
 *
 * This holds for importers as far as their inputs are known: the program, arguments that are files,
 * the file that is imported, and the inputs that the schema lists. A run with an importer that has
 * unknown inputs has no record. A record is used by one thread at a time. The parts are
 * record.c and record_update.c. */
#ifndef BAKE_RECORD_H
#define BAKE_RECORD_H

#include "diagnostics.h"
#include "gateway_inputs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bake_record bake_record;

/* An option of the run. An option that has several values occurs several times. */
typedef struct bake_record_option {
    const char *name;  /* as the user writes it, for example `--compress` */
    const char *value; /* "" if the option has none */
} bake_record_option;

/* What the caller knows about the run. Only options that change outputs or messages belong here.
 * The order of options with the same name matters; the order of names does not. */
typedef struct bake_record_def {
    const char *version; /* of kiln-bake and of the libraries that it uses */
    const bake_record_option *options;
    size_t option_count;
    /* The environment variables that such a run may read, ending with NULL; NULL: none. Only for
     * bake_shape_answer. */
    const char *const *variables;
    size_t jobs; /* threads that hash files, as for bake_threads_for */
    /* A check does not read outputs if it finds another change. The caller then compares their
     * contents, or makes them again. */
    bool defers_outputs;
} bake_record_def;

/* Makes a record of a run that has succeeded and committed its outputs. `gateway` keeps details
 * (bake_gateway_keep_details). `diagnostics` (NULL: none) contains the messages. The record keeps
 * no pointer to the arguments.
 *
 * On failure, returns NULL with errno set: ENOMEM, or EINVAL if the run cannot be recorded. Then
 * `reterr_path` receives the path that prevents it, which belongs to the gateway; NULL for an
 * output that is no file. The path is standard input, a pipe or device, a file that could not be
 * read, one that an importer read together with unknown files, or it changed during the run. */
bake_record *bake_record_make(const bake_record_def *def, const bake_gateway *gateway,
                              bake_diagnostics *diagnostics, const char **reterr_path);
/* Removes the options from number `count` on: the result does not depend on them. */
void bake_record_cut_options(bake_record *record, size_t count);
/* Accepts NULL. */
void bake_record_destroy(bake_record *record);

/* A later run of the same step that used only the paths that had changed. Before that run, the
 * record was compared with all its files. */
typedef struct bake_record_update {
    const bake_record_def *def; /* the options of the later run */
    const bake_gateway *gateway;
    /* Paths of files that may have changed in any respect. If the later run used one of them, all
     * that used it before have used it again. */
    const char *const *changed;
    size_t changed_count;
    const char *const *added; /* paths of files that the record does not contain */
    size_t added_count;
    const char *const *removed; /* paths that are no longer used */
    size_t removed_count;
} bake_record_update;

/* Make the record of the earlier run that of the later one. Whatever the update does not name stays
 * as it is; paths and variables that only the later run used are added. Names for hints
 * (bake_gateway_names) are replaced, because each run makes all messages. Both return false if
 * memory runs out, if another file or a variable has changed, or if the later run listed a folder.
 * Destroy the record then. */
bool bake_record_update_paths(bake_record *record, const bake_record_update *update);
bool bake_record_update_outputs(bake_record *record, const bake_gateway *gateway);
/* Replaces the messages. Returns false if memory runs out; destroy the record then. */
bool bake_record_update_messages(bake_record *record, bake_diagnostics *diagnostics);
/* A hash of everything in the record except the states of files, the variables and the messages. It
 * identifies the result of the run. */
kiln_hash128 bake_record_key(const bake_record *record);

/* How messages are printed. */
typedef enum bake_message_form {
    BAKE_MESSAGES_TEXT,
    BAKE_MESSAGES_COLORED,
    BAKE_MESSAGES_JSON,
    BAKE_MESSAGES_SARIF,
    BAKE_MESSAGE_FORMS
} bake_message_form;

/* The messages of the run, exactly as they were printed. Empty if there were none. The record owns
 * the text. */
const char *bake_record_messages(const bake_record *record, bake_message_form form,
                                 size_t *ret_size);
/* Whether a folder matters only for hints in messages: its names were read, but it was not listed.
 */
bool bake_record_only_hints(const bake_record *record, const char *folder);
/* The number of warnings of the run. */
size_t bake_record_warnings(const bake_record *record);
/* The paths of the outputs, as they were given to the run. */
size_t bake_record_output_count(const bake_record *record);
const char *bake_record_output(const bake_record *record, size_t i);
/* The content hash and the size of an output. */
kiln_hash128 bake_record_output_hash(const bake_record *record, size_t i, uint64_t *ret_size);
/* Whether an output at `path` would replace a file that the run read. The record was made or found
 * unchanged just now. */
bool bake_record_reads(const bake_record *record, const char *path);

#endif
