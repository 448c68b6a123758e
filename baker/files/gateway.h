/* The only part of the baker that uses the file system, except for folder_tree.h, file_part.h,
 * file_append.h, file_hold.h, and file_state.h and file_overwrite.h for step records. It reads
 * inputs, lists folders, runs importers and writes outputs, and it records all inputs.
 *
 * The record consists of files read, files not found and folders listed. It is complete because
 * nothing else reads inputs. Depfiles are written from it. Outputs are staged in temporary files in
 * the folders of their targets and renamed when the whole run has succeeded. So each output is
 * either completely old or completely new, and a failed run changes no output.
 *
 * The parts are gateway.c (the record), gateway_read.c, gateway_stream.c (large files),
 * gateway_list.c, gateway_run.c and gateway_command.c (importers), gateway_output.c (writing),
 * gateway_folder.c and gateway_temporary.c (temporary files), gateway_spool.c (the spool of a run),
 * gateway_commit.c (renaming), depfile.c, input_folders.c and folder_times.c (folders that are
 * inputs). gateway_inputs.h gives step records the details of the record, and gateway_users.h memos
 * the users of paths. */
#ifndef BAKE_GATEWAY_H
#define BAKE_GATEWAY_H

#include "bake_result.h"
#include "file_state.h"
#include "program.h"
#include "spool.h"
#include "timings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct bake_gateway bake_gateway;

/* Creates a gateway; returns NULL if memory runs out. Relative input paths are resolved against
 * `base` (NULL: the current folder), but recorded as given. */
bake_gateway *bake_gateway_create(const char *base);
/* Discards uncommitted outputs and removes their temporary files. */
void bake_gateway_destroy(bake_gateway *gateway);
/* For tests: gives temporary files names from now on, as on file systems without O_TMPFILE. */
void bake_gateway_refuse_unnamed(bake_gateway *gateway);

/* The default maximum size of an input in bytes. */
#define BAKE_INPUT_MAX ((size_t)1 << 30)
/* Sets the maximum size in bytes of an input and of a program's output; 0 means no limit. */
void bake_gateway_set_input_max(bake_gateway *gateway, size_t max);

/* Limits the memory for texts from now on to about `memory_max` bytes: creates a spool, which
 * trees and blobs may share. Its file is in `folder`, or else in the folder for temporary files;
 * NULL: only there. If the file leaves fewer than eight free descriptors, everything stays in
 * memory. Returns false if memory runs out. Call it at most once. */
bool bake_gateway_limit_memory(bake_gateway *gateway, size_t memory_max, const char *folder);
/* The spool, which exists until the gateway is destroyed; NULL: everything stays in memory. */
bake_spool *bake_gateway_spool(const bake_gateway *gateway);

/* Measures everything that is done with this gateway from now on. bake_gateway_timings returns the
 * same object; NULL if none was set. */
void bake_gateway_set_timings(bake_gateway *gateway, bake_timings *timings);
bake_timings *bake_gateway_timings(const bake_gateway *gateway);

/* Reads a whole file ("-": standard input). The gateway owns the text, which is NUL-terminated. A
 * path is read once; later calls return the same text.
 *
 * Reads regular files, pipes, terminals, /dev/null, and a socket if it is standard input. On
 * failure, returns NULL with errno set: EISDIR for a folder, ENODEV for a device, ENXIO for a named
 * socket, EFBIG above the limit, ESTALE if a regular file changes its size while it is read,
 * ENOMEM. bake_gateway_reason then returns the reason, and bake_fail_read makes a complete message.
 */
const char *bake_gateway_read(bake_gateway *gateway, const char *path, size_t *ret_size);
/* The same for a path that a folder has listed as a regular file: does not look at it before
 * opening it, which saves a system call. */
const char *bake_gateway_read_listed(bake_gateway *gateway, const char *path, size_t *ret_size);

/* The text of a file that was read before its turn. */
typedef struct bake_early_text bake_early_text;

/* Reads a regular file early, without recording it. Any thread may call this while no thread
 * changes the base or the limit of the gateway. Returns NULL if the file is empty, is not regular,
 * or cannot be read: bake_gateway_read then finds the reason. `is_listed` has the meaning of
 * bake_gateway_read_listed. The result owns `*ret_text`. */
bake_early_text *bake_gateway_read_early(const bake_gateway *gateway, const char *path,
                                         bool is_listed, const char **ret_text, size_t *ret_size);
/* Records that the file at `path` was read with this text, and takes ownership of `early`, unless
 * the path was already read or memory runs out; then returns false and changes nothing. */
bool bake_gateway_adopt(bake_gateway *gateway, const char *path, bake_early_text *early);
/* The text, which belongs to the gateway after bake_gateway_adopt. */
const char *bake_early_text_get(const bake_early_text *early);
/* Accepts NULL. */
void bake_early_text_free(bake_early_text *early);

/* The reason why the last call of bake_gateway_read, bake_gateway_is_regular or bake_gateway_run
 * failed. */
const char *bake_gateway_reason(const bake_gateway *gateway);
/* Fails with "cannot read x.yaml: No such file or directory", where the reason is
 * bake_gateway_reason. Call it directly after the failure, while errno is still set. */
bake_result bake_fail_read(bake_failure *failure, const bake_gateway *gateway, const char *path);

/* The path under which the file at `path` was first read. A file may have several paths because of
 * `..` and links. */
const char *bake_gateway_first_name(const bake_gateway *gateway, const char *path);

/* Whether the name ends in .yaml or .yml. */
bool bake_is_yaml_name(const char *name);

/* Lists the regular files below `folder` that have a YAML extension or one of `suffixes`
 * (NULL-terminated; NULL: none), as `folder/...` paths sorted bytewise. Paths below "." do not
 * begin with "./". Names that begin with a dot are skipped. Links to files are followed, but not
 * links to folders, so that there are no loops. A subfolder that disappears meanwhile counts as
 * empty. Each listed folder is recorded. The gateway owns the list and its strings. On failure,
 * returns NULL with errno set, and `reterr_path` (may be NULL) receives the path that could not be
 * examined. */
const char *const *bake_gateway_list(bake_gateway *gateway, const char *folder,
                                     const char *const *suffixes, size_t *ret_count,
                                     const char **reterr_path);

/* What bake_gateway_list_some lists. */
typedef struct bake_listing_def {
    const char *folder;
    const char *const *suffixes;
    /* Whether to list a subfolder, whose path is that of the files in it; NULL: all. The names of
     * subfolders are recorded in any case. */
    bool (*enters)(void *ctx, const char *path);
    void *ctx;
} bake_listing_def;

/* Like bake_gateway_list, but skips some subfolders. */
const char *const *bake_gateway_list_some(bake_gateway *gateway, const bake_listing_def *def,
                                          size_t *ret_count, const char **reterr_path);

/* Hashes a regular file of any size without keeping its content, and records it as read. Returns
 * false with errno set, as bake_gateway_read does; bake_gateway_reason has the reason. */
bool bake_gateway_hash(bake_gateway *gateway, const char *path, kiln_hash128 *ret_hash,
                       uint64_t *ret_size);
/* Reads `size` bytes at `offset` of a file that bake_gateway_hash has recorded. Returns false with
 * errno set; ESTALE if the file has become shorter. */
bool bake_gateway_read_range(const bake_gateway *gateway, const char *path, uint64_t offset,
                             void *memory, size_t size);

/* Whether `path` is a regular file or a link to one; reading anything else may block. If not,
 * returns false with errno set. The path is recorded. */
bool bake_gateway_is_regular(bake_gateway *gateway, const char *path);

/* Returns the kind of file at a path, following links. Records the path. Sets errno if the result
 * is BAKE_PATH_UNKNOWN. */
bake_path_kind bake_gateway_path_kind(bake_gateway *gateway, const char *path);

/* For `prove`: reads the names of each folder in the reverse of the order in which they are sorted
 * afterwards. */
void bake_gateway_reverse_folders(bake_gateway *gateway);

/* Lists the names in a folder, sorted, except those that begin with a dot. For hints only: the
 * folder is not recorded. The gateway owns the list and its strings. On failure, returns NULL with
 * errno set: EFBIG if there are more than `most` names, ENOMEM. */
const char *const *bake_gateway_names(bake_gateway *gateway, const char *folder, size_t most,
                                      size_t *ret_count);

/* What bake_gateway_run runs. All paths are relative to the working folder of this process. */
typedef struct bake_program_call {
    const char *const *command; /* NULL-terminated; a path if it contains a slash */
    const char *source;         /* a file; the last argument */
    const char *folder;         /* working folder; NULL or empty: that of this process */
    unsigned time_max;          /* in milliseconds; 0: no limit */
    const char *const *inputs;  /* other files that the program reads; NULL-terminated, or NULL */
    bool has_unknown_inputs;    /* it may read more than that */
} bake_program_call;

/* Runs a program. The source, the inputs and the program, if its name is a path, are recorded as
 * read. Inputs can be missing. If some inputs are unknown, the source is recorded as read with
 * these, so that no later run can be found unchanged. A command runs once per source; the gateway
 * owns the result, but not the members of `call`, which must live as long as it. Returns NULL with
 * errno set if the source is not a regular file or memory runs out (ENOMEM). */
const bake_program_end *bake_gateway_run(bake_gateway *gateway, const bake_program_call *call);

/* Identifies a run of a program, and what its output depends on: the program, those of its
 * arguments that are files, the inputs of the call, the source, the current folder and the
 * environment. */
typedef struct bake_run_key {
    /* Hash of the command, the working folder, the name of the source, and those of the inputs of
     * the call. */
    kiln_hash128 command;
    kiln_hash128 inputs;
} bake_run_key;

/* The results of earlier runs. */
typedef struct bake_run_results {
    /* Gets the result of a run with this key, if its output has at most `output_max` bytes. The
     * caller must call bake_program_end_fini. */
    bool (*find)(void *ctx, const bake_run_key *key, size_t output_max, bake_program_end *ret);
    /* Keeps the result of a run, also of one that failed. May fail. */
    void (*keep)(void *ctx, const bake_run_key *key, const bake_program_end *end);
    void *ctx;
} bake_run_results;

/* Lets bake_gateway_run use these results, and add to them, from now on, if the gateway keeps
 * details. A run has no key, and its program is always started, if an input cannot be read or
 * changes meanwhile. `results` must outlive the gateway. */
void bake_gateway_set_results(bake_gateway *gateway, const bake_run_results *results);
/* How many programs were started, and how many results were used instead. */
size_t bake_gateway_started_count(const bake_gateway *gateway);
size_t bake_gateway_reused_count(const bake_gateway *gateway);
/* Forbids running programs from now on, and using their results. */
void bake_gateway_refuse_programs(bake_gateway *gateway);
/* How many runs were refused. */
size_t bake_gateway_refused_count(const bake_gateway *gateway);

typedef enum bake_use {
    BAKE_USE_READ,    /* a file was read */
    BAKE_USE_MISSING, /* a file could not be opened */
    BAKE_USE_LISTED,  /* a folder was listed */
    BAKE_USE_EXAMINED /* only the kind of an existing file was examined */
} bake_use;

/* The record contains every path once, in the order of first use. Its use is BAKE_USE_READ if the
 * file was read at any time, otherwise BAKE_USE_LISTED if it was listed at any time, otherwise the
 * latest use. gateway_inputs.h has the details. */
size_t bake_gateway_use_count(const bake_gateway *gateway);
const char *bake_gateway_use(const bake_gateway *gateway, size_t i, bake_use *ret_use);
/* Returns the number of a path in the record; SIZE_MAX if it is not there. */
size_t bake_gateway_find_use(const bake_gateway *gateway, const char *path);
/* Notes that the current user (gateway_users.h) uses a path, which is in the record. */
void bake_gateway_use_path_again(bake_gateway *gateway, const char *path);

typedef struct bake_output bake_output;

/* Values of errno that the system never sets. */
enum { BAKE_OUTPUT_TAKEN = -1, BAKE_OUTPUT_READ = -2 };

/* Begins an output at `path`, relative to the current folder ("-": standard output). If `path` is a
 * link to an existing file, that file is replaced. Devices, pipes and names of open descriptors,
 * such as /dev/stdout, are not replaced but written to at commit. A file that replaces another
 * takes over its mode, access control list, extended user attributes and, if permitted, owner and
 * group. A new file gets the mode that the umask allows. The first output in a folder removes
 * temporary files that killed processes left there. On failure, returns NULL with errno set: EISDIR
 * for a folder; BAKE_OUTPUT_TAKEN if an output of this gateway already has this target, under any
 * path; BAKE_OUTPUT_READ if the file was read as an input. */
bake_output *bake_output_begin(bake_gateway *gateway, const char *path);
/* Whether outputs at both paths would write to the same file or descriptor. Also false if one of
 * the paths cannot be examined. */
bool bake_output_is_same(const char *a, const char *b);
/* Gives a new file this mode, whatever the umask is, if the file system has modes. A file that
 * replaces another is not affected. Returns false with errno set. */
bool bake_output_set_mode(bake_output *output, unsigned mode);
/* Appends to the bake_output `ctx`; the signature is that of kiln_write_function. On failure,
 * returns false with errno set, and commit will fail, too. */
bool bake_output_write(void *ctx, const void *data, size_t size);
/* Removes everything that was written so far, also after a failed write. Returns false with errno
 * set. */
bool bake_output_restart(bake_output *output);
/* Reads `size` bytes of what was written so far, from the offset `at` on; all of them must have
 * been written. The signature is that of bake_measure_read, with the bake_output as `ctx`. On
 * failure, returns false with errno set. */
bool bake_output_read_back(void *ctx, uint64_t at, void *to, size_t size);
/* Renames all outputs to their targets, in reverse order. A depfile, which is begun last, is thus
 * renamed first. If a build is interrupted in between, its targets are still old or missing, so the
 * next build repeats it. With `durable`, each file is fsynced before the rename and its folder
 * after it. With `if_changed`, an output that equals the existing file is not written. On failure,
 * returns false with errno set and the path of the output in `*ret_path`. A pipe without readers is
 * a failure (EPIPE), not a signal. No output is open afterwards, even on failure.
 *
 * If a depfile was written, the commit also gives each folder in it the modification time that it
 * had before, unless entries that matter have changed. Otherwise an output in such a folder would
 * make the folder newer than the outputs, and the next build would run the command again. */
bool bake_gateway_commit(bake_gateway *gateway, bool durable, bool if_changed,
                         const char **ret_path);

/* Discards all uncommitted outputs. */
void bake_gateway_discard_outputs(bake_gateway *gateway);

/* Installs handlers for SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGPIPE that remove the temporary
 * files of all gateways, return the tokens of the jobserver, and then terminate the process.
 * Ignored signals stay ignored. Also ignores SIGXFSZ, so that exceeding a file size limit is a
 * failed write. Only `main` should call it. After SIGKILL, named temporary files remain until the
 * next output into their folder removes them. */
void bake_gateway_clean_up_on_signals(void);

/* Opens closed standard streams in a mode that fails on use, so that no other file gets their
 * descriptors and receives their output. Only `main` should call it. */
void bake_gateway_reserve_streams(void);

/* Writes a make rule: `targets`, ": ", and every file read and folder listed, in the order of first
 * use, except standard input. A missing file is represented by the nearest existing folder of its
 * path, whose modification time changes when the file is created. Each path is written once. With
 * `quote`, spaces, # and $ in targets are escaped for make. With `phony`, adds an empty rule for
 * each prerequisite. Returns false with errno set; EINVAL for a name with a line break, which make
 * cannot represent. */
bool bake_gateway_write_depfile(bake_gateway *gateway, bake_output *depfile,
                                const char *const *targets, size_t count, bool quote, bool phony);

#endif
