/* The only place of the baker that touches the file system: reads inputs, lists folders, writes
 * outputs, and records it all.
 *
 * The record (files opened, files looked for and not found, folders listed) is what depfiles are
 * written from; whatever the baker knows came through here. Outputs are staged in temporary files
 * in the folders of their targets and get their names when the whole run has succeeded, so that
 * each is old or new, never half, and a failed run touches none. */
#ifndef BAKE_GATEWAY_H
#define BAKE_GATEWAY_H

#include "bake_result.h"
#include "program.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct bake_gateway bake_gateway;

/* NULL when there is no memory. `base` (NULL: the current folder) is what relative input paths are
 * resolved against; names are recorded as given. */
bake_gateway *bake_gateway_create(const char *base);
/* Discards outputs that were not committed, with their temporary files. */
void bake_gateway_destroy(bake_gateway *gateway);
/* From here on temporary files have names, as where the file system has no others: for tests. */
void bake_gateway_refuse_unnamed(bake_gateway *gateway);

/* The most bytes that an input may have, unless bake_gateway_set_input_max changes it. */
#define BAKE_INPUT_MAX ((size_t)1 << 30)
/* Sets the most bytes of an input, and of what a program writes; 0 lifts the limit. */
void bake_gateway_set_input_max(bake_gateway *gateway, size_t max);

/* Reads a whole file, "-" for standard input; the text lives as long as the gateway and is followed
 * by a NUL. The same path read twice gives the same text.
 *
 * Reads regular files, pipes, sockets that are standard input, terminals and /dev/null. NULL with
 * errno set: EISDIR for a folder, ENODEV for a device, ENXIO for a socket with a name, EFBIG above
 * the limit, ESTALE for a regular file whose size changes meanwhile, ENOMEM. bake_gateway_why has
 * the reason in words, and bake_fail_read the whole message. The record shows the failure too. */
const char *bake_gateway_read(bake_gateway *gateway, const char *path, size_t *ret_size);
/* Why the last call of bake_gateway_read, bake_gateway_is_regular or bake_gateway_run failed. */
const char *bake_gateway_why(const bake_gateway *gateway);
/* "cannot read x.yaml: No such file or directory", with errno and bake_gateway_why after such a
 * failure. */
bake_result bake_fail_read(bake_failure *failure, const bake_gateway *gateway, const char *path);

/* The path under which the file that `path` was read from was read first: one file may have several
 * paths, by `..` and links. */
const char *bake_gateway_first_name(const bake_gateway *gateway, const char *path);

/* Whether it ends in .yaml or .yml. */
bool bake_is_yaml_name(const char *name);

/* The regular files below `folder` whose name is such a one or has one of `endings` (which NULL
 * ends; NULL: none), as `folder/...` paths sorted bytewise. On failure NULL with errno set and, in
 * `reterr_path` (may be NULL), what could not be looked at. The list and all strings live as long
 * as the gateway. Below "." the paths come without "./". Names that begin with
 * a dot are left out, and links to folders are not followed, so that no loop is; links to files
 * are. Each folder that was looked into is recorded. */
const char *const *bake_gateway_list(bake_gateway *gateway, const char *folder,
                                     const char *const *endings, size_t *ret_count,
                                     const char **reterr_path);

/* Whether `path` is a regular file, or a link to one: no device or pipe, at which reading may wait.
 * False with errno set; what is not there is recorded as looked for. */
bool bake_gateway_is_regular(bake_gateway *gateway, const char *path);

/* What a path leads to, links followed. What is not there, or cannot be looked at, is recorded as
 * looked for. With BAKE_THERE_UNKNOWN errno is set. */
typedef enum bake_there {
    BAKE_THERE_NOTHING,
    BAKE_THERE_FILE, /* a regular one */
    BAKE_THERE_FOLDER,
    BAKE_THERE_OTHER,  /* a device, a pipe */
    BAKE_THERE_UNKNOWN /* it cannot be looked at, or memory ran out */
} bake_there;

bake_there bake_gateway_look(bake_gateway *gateway, const char *path);

/* The names in a folder, sorted, without those that begin with a dot, for hints: the folder is not
 * recorded. NULL with errno set: EFBIG where it has more than `most`, ENOMEM. The list and its
 * strings live as long as the gateway. */
const char *const *bake_gateway_names(bake_gateway *gateway, const char *folder, size_t most,
                                      size_t *ret_count);

/* What a program makes of the file `source`, which is its last argument: `command`, which NULL
 * ends, is run once for each source, for `time_max` milliseconds at most (0: any), and what came of
 * it lives as long as the gateway. Its name, where it has a slash, and `source` are paths as they
 * are for us; its current folder is `folder` (NULL or empty: ours). Source and program are recorded
 * as read. NULL with errno set when there is no such regular file, or memory ran out (ENOMEM). */
const bake_program_end *bake_gateway_run(bake_gateway *gateway, const char *const *command,
                                         const char *folder, const char *source, unsigned time_max);
/* From here on no program is run. */
void bake_gateway_refuse_programs(bake_gateway *gateway);

typedef enum bake_use {
    BAKE_USE_READ,    /* a file was read */
    BAKE_USE_MISSING, /* was looked for and could not be opened */
    BAKE_USE_LISTED   /* a folder was listed */
} bake_use;

/* The record: every path once, in the order of first use, with what came of it last. */
size_t bake_gateway_use_count(const bake_gateway *gateway);
const char *bake_gateway_use(const bake_gateway *gateway, size_t i, bake_use *ret_use);

typedef struct bake_output bake_output;

/* Values of errno that the system never gives. */
enum { BAKE_OUTPUT_TAKEN = -1, BAKE_OUTPUT_READ = -2 };

/* Begins an output at `path`, relative to the current folder ("-": standard output, written at
 * commit). A link is followed, so that its target is what is replaced, unless there is none; what
 * is there and no regular file, as a device or a pipe, is written at commit instead of replaced,
 * and so is what a name of an open descriptor stands for, as /dev/stdout. A file that replaces
 * another gets its owner and group where that is allowed, its mode, access list and attributes of
 * users; a new one what the umask leaves. The first output in a folder removes what killed
 * processes left there. NULL with errno set: EISDIR for a folder, BAKE_OUTPUT_TAKEN when the
 * gateway has, or had, an output there, by whichever path; BAKE_OUTPUT_READ when it is a file that
 * was read. */
bake_output *bake_output_begin(bake_gateway *gateway, const char *path);
/* Whether outputs at these paths would be one file or descriptor. False also where either cannot be
 * looked at. */
bool bake_output_is_same(const char *a, const char *b);
/* Appends; false with errno set, after which commit fails too. Has the signature of
 * kiln_write_function, `ctx` the bake_output. */
bool bake_output_write(void *ctx, const void *data, size_t size);
/* Names all outputs, the last begun first: a depfile is never older than what it is
 * about, so that a build that was cut off in between is done again. With `durable` each is fsynced
 * before and its folder after. With `if_changed` an output equal to what stands there is left
 * untouched. On failure errno is set, `*ret_path` names the output, and those not yet named are
 * discarded. A pipe that nobody reads any more is such a failure, EPIPE, not a signal. The outputs
 * are over after this, done or not. */
bool bake_gateway_commit(bake_gateway *gateway, bool durable, bool if_changed,
                         const char **ret_path);

/* Removes and forgets what was begun and not committed. */
void bake_gateway_discard_outputs(bake_gateway *gateway);

/* Makes SIGINT, SIGTERM and SIGHUP remove the temporary files of all gateways before they end the
 * process as usual; a signal that is ignored stays ignored. Ignores SIGXFSZ, so that a file that
 * may not grow further is a failed write. For a program's main, not for libraries. SIGKILL leaves
 * files that have names; the next output into their folder removes them. */
void bake_gateway_clean_up_on_signals(void);

/* Opens the standard streams that are closed, so that no other file takes their numbers and gets
 * what is meant for them. Their use fails as before. For a program's main. */
void bake_gateway_reserve_streams(void);

/* Appends a make rule: `targets` (escaped by the caller's choice: `quote` escapes space, #, $ as
 * make wants), ": ", every file read and folder listed, in the order of first use, but not standard
 * input; with `phony`, an empty rule for each prerequisite. False with errno set; EINVAL for a name
 * with a line end in it, which no rule can hold. */
bool bake_gateway_write_depfile(bake_gateway *gateway, bake_output *depfile,
                                const char *const *targets, size_t count, bool quote, bool phony);

#endif
