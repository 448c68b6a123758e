/* The only part of the baker that uses the file system: it reads inputs, lists folders, runs
 * importers, writes outputs, and records all inputs.
 *
 * Depfiles are written from the record (files opened, files looked for and not found, folders
 * listed), which is complete because nothing else reads files. Outputs are staged in temporary
 * files in the folders of their targets and get their names when the whole run has succeeded. So
 * each is completely old or completely new, and a failed run changes none.
 *
 * The parts are gateway.c (the record), gateway_read.c, gateway_list.c, gateway_run.c (programs),
 * gateway_output.c (writing), gateway_temporary.c (removal after a signal), gateway_commit.c
 * (naming) and depfile.c. */
#ifndef BAKE_GATEWAY_H
#define BAKE_GATEWAY_H

#include "bake_result.h"
#include "program.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct bake_gateway bake_gateway;

/* NULL if memory runs out. Relative input paths are resolved against `base` (NULL: the current
 * folder); names are recorded as given. */
bake_gateway *bake_gateway_create(const char *base);
/* Discards outputs that were not committed, with their temporary files. */
void bake_gateway_destroy(bake_gateway *gateway);
/* For tests: temporary files get names from now on, as on file systems without unnamed files. */
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
 * the limit, ESTALE for a regular file that changes its size meanwhile, ENOMEM. bake_gateway_why
 * has the reason in words, and bake_fail_read the whole message. The record shows the failure too.
 */
const char *bake_gateway_read(bake_gateway *gateway, const char *path, size_t *ret_size);
/* Why the last call of bake_gateway_read, bake_gateway_is_regular or bake_gateway_run failed. */
const char *bake_gateway_why(const bake_gateway *gateway);
/* "cannot read x.yaml: No such file or directory", with errno and bake_gateway_why after such a
 * failure. */
bake_result bake_fail_read(bake_failure *failure, const bake_gateway *gateway, const char *path);

/* The first path by which the file at `path` was read: a file may have several paths, because of
 * `..` and links. */
const char *bake_gateway_first_name(const bake_gateway *gateway, const char *path);

/* Whether the name ends in .yaml or .yml. */
bool bake_is_yaml_name(const char *name);

/* The regular files below `folder` that have a YAML name or one of `endings` (a list that NULL
 * ends; NULL: none), as `folder/...` paths sorted bytewise. On failure NULL with errno set;
 * `reterr_path` (may be NULL) is what could not be examined. The list and all strings live as long
 * as the gateway. Below "." the paths have no "./". Names that begin with a dot are skipped. Links
 * to files are followed, links to folders are not, so that there are no loops. Each listed folder
 * is recorded. */
const char *const *bake_gateway_list(bake_gateway *gateway, const char *folder,
                                     const char *const *endings, size_t *ret_count,
                                     const char **reterr_path);

/* Whether `path` is a regular file or a link to one: reading a device or a pipe may block. False
 * with errno set; a missing file is recorded as looked for. */
bool bake_gateway_is_regular(bake_gateway *gateway, const char *path);

/* What is at a path, after links. A path with nothing, or that cannot be examined, is recorded as
 * looked for. With BAKE_THERE_UNKNOWN errno is set. */
typedef enum bake_there {
    BAKE_THERE_NOTHING,
    BAKE_THERE_FILE, /* a regular one */
    BAKE_THERE_FOLDER,
    BAKE_THERE_OTHER,  /* a device, a pipe */
    BAKE_THERE_UNKNOWN /* it cannot be examined, or memory ran out */
} bake_there;

bake_there bake_gateway_look(bake_gateway *gateway, const char *path);

/* The names in a folder, sorted, without those that begin with a dot, for hints: the folder is not
 * recorded. NULL with errno set: EFBIG where it has more than `most`, ENOMEM. The list and its
 * strings live as long as the gateway. */
const char *const *bake_gateway_names(bake_gateway *gateway, const char *folder, size_t most,
                                      size_t *ret_count);

/* Runs `command` (a list that NULL ends) with the file `source` as its last argument, for at most
 * `time_max` milliseconds (0: no limit). A command is run once for each source; the result lives as
 * long as the gateway. `source`, and the program's name if it has a slash, are relative to our own
 * current folder; the program's is `folder` (NULL or empty: ours). Both files are recorded as read.
 * NULL with errno set if the source is not a regular file, or if memory runs out (ENOMEM). */
const bake_program_end *bake_gateway_run(bake_gateway *gateway, const char *const *command,
                                         const char *folder, const char *source, unsigned time_max);
/* Forbids running programs from now on. */
void bake_gateway_refuse_programs(bake_gateway *gateway);

typedef enum bake_use {
    BAKE_USE_READ,    /* a file was read */
    BAKE_USE_MISSING, /* a file was looked for and could not be opened */
    BAKE_USE_LISTED   /* a folder was listed */
} bake_use;

/* The record: every path once, in the order of first use, with its latest use. */
size_t bake_gateway_use_count(const bake_gateway *gateway);
const char *bake_gateway_use(const bake_gateway *gateway, size_t i, bake_use *ret_use);

typedef struct bake_output bake_output;

/* Values of errno that the system never gives. */
enum { BAKE_OUTPUT_TAKEN = -1, BAKE_OUTPUT_READ = -2 };

/* Begins an output at `path`, relative to the current folder ("-": standard output, written at
 * commit). A link is followed, so its target is replaced if it exists. Devices, pipes and names of
 * open descriptors, such as /dev/stdout, are not replaced but written at commit. A file that
 * replaces another gets its owner and group if that is permitted, its mode, access list and user
 * attributes; a new one gets the mode that the umask leaves. The first output in a folder removes
 * leftovers of killed processes there. NULL with errno set: EISDIR for a folder; BAKE_OUTPUT_TAKEN
 * if the gateway has or had an output there, by any path; BAKE_OUTPUT_READ if the file was read. */
bake_output *bake_output_begin(bake_gateway *gateway, const char *path);
/* Whether outputs at these paths would be one file or descriptor. False also if one of them cannot
 * be examined. */
bool bake_output_is_same(const char *a, const char *b);
/* Appends; false with errno set, after which commit fails too. Has the signature of
 * kiln_write_function, `ctx` the bake_output. */
bool bake_output_write(void *ctx, const void *data, size_t size);
/* Gives all outputs their names, the last begun first: a depfile, which is begun first, is then
 * never older than its targets, so a build that was interrupted in between is repeated. With
 * `durable` each file is fsynced before and its folder after. With `if_changed` an output equal to
 * the existing file is not written. On failure errno is set, `*ret_path` names the output, and
 * outputs without names are discarded. A pipe without readers is a failure (EPIPE), not a signal.
 * Either way all outputs end. */
bool bake_gateway_commit(bake_gateway *gateway, bool durable, bool if_changed,
                         const char **ret_path);

/* Discards the outputs that were begun and not committed. */
void bake_gateway_discard_outputs(bake_gateway *gateway);

/* Makes SIGINT, SIGTERM and SIGHUP remove the temporary files of all gateways before they end the
 * process as usual; a signal that is ignored stays ignored. Ignores SIGXFSZ, so that exceeding a
 * limit of file size is a failed write. For a program's main, not for libraries. After SIGKILL
 * files with names remain; the next output into their folder removes them. */
void bake_gateway_clean_up_on_signals(void);

/* Opens standard streams that are closed, so that no other file gets their numbers and their
 * output. Using them fails as before. For a program's main. */
void bake_gateway_reserve_streams(void);

/* Appends a make rule: `targets` (with `quote` their spaces, # and $ are escaped for make), ": ",
 * and every file read and folder listed, in the order of first use, but not standard input. With
 * `phony` adds an empty rule for each prerequisite. False with errno set; EINVAL for a name with a
 * line end, which a rule cannot contain. */
bool bake_gateway_write_depfile(bake_gateway *gateway, bake_output *depfile,
                                const char *const *targets, size_t count, bool quote, bool phony);

#endif
