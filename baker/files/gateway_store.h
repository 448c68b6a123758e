/* The state of a gateway, and functions shared by its parts. Private to gateway*.c and
 * depfile.c. */
#ifndef BAKE_GATEWAY_STORE_H
#define BAKE_GATEWAY_STORE_H

#include "bake_table.h"
#include "file_read.h"
#include "gateway.h"
#include "gateway_folder.h"
#include "gateway_inputs.h"
#include "gateway_users.h"
#include "input_folders.h"
#include "spool.h"

#include <stdint.h>
#include <sys/types.h>

enum { WHY_SIZE = 120 };

typedef struct used_path {
    char *path;
    bake_use use;
    char *text; /* NULL until read; a block of `capacity` bytes, or in the spool: 0 */
    size_t size, capacity;
    bool is_regular; /* a regular file was read; `device` and `inode` identify it */
    bool is_absent;  /* a missing file that still did not exist when the depfile was written */
    dev_t device;
    ino_t inode;
    bake_path_kind kind; /* what was at the path; BAKE_PATH_UNKNOWN: not examined yet */
    bool is_unstable;    /* the kind or the content changed during the run */
    bool is_left_out;    /* depfiles omit it */
    bool has_unknown;    /* a program read it together with unknown inputs */
    bool is_used_again;  /* it was used for more than one purpose */
    bool has_hash;       /* `state` and `hash` are known */
    bake_execution execution;
    bake_file_state state;
    kiln_hash128 hash;
} used_path;

/* The target of an output, recorded for the lifetime of the gateway. */
typedef struct output_place {
    char *target;     /* NULL: a descriptor or a device */
    const char *name; /* the last component of `target` */
    int descriptor;   /* -1: none */
    bool is_committed;
    char *path; /* as given; NULL without details, or if `target` is NULL */
    bake_file_state state;
    kiln_hash128 hash;
} output_place;

/* A list of names that was made with details. */
typedef struct name_list {
    char *path;
    char **suffixes;
    char *names;
    bake_input_list list; /* its texts are those above */
} name_list;

/* An environment variable that was read. */
typedef struct kept_variable {
    char *name;
    char *value; /* NULL: not set */
} kept_variable;

/* A run of a program, and its result. */
typedef struct gateway_run {
    const char *const *command;
    const char *const *inputs; /* of the call; NULL: none */
    char *source;
    unsigned time_max;
    bake_use_range uses; /* of the paths on which the result depends */
    bake_program_end end;
} gateway_run;

struct bake_gateway {
    char *base; /* NULL: the current folder */
    used_path *used;
    size_t used_count;
    size_t used_capacity;
    hash_table by_path; /* index into `used` */
    input_folder *input_folders;
    size_t input_folder_count;
    size_t input_folder_capacity;
    hash_table input_folders_by_path;
    bool has_depfile; /* a depfile was written: the commit restores the times of input folders */
    void **owned;     /* blocks to free with the gateway */
    size_t owned_count;
    size_t owned_capacity;
    bake_output **outputs;
    size_t output_count;
    size_t output_capacity;
    output_place *places; /* of all outputs ever begun */
    size_t place_count;
    size_t place_capacity;
    output_folder *folders; /* of all outputs */
    bool only_named;        /* do not use O_TMPFILE */
    gateway_run **runs;     /* of programs */
    size_t run_count;
    size_t run_capacity;
    hash_table runs_by_source;
    bool no_programs;
    const bake_run_results *results; /* NULL: none */
    size_t started_count, reused_count, refused_count;
    bool reverses_folders;
    bool keeps_details;
    int64_t began;         /* when it started to keep details */
    unsigned char *buffer; /* for bake_file_hash; NULL without details */
    name_list *lists;
    size_t list_count;
    size_t list_capacity;
    kept_variable *variables;
    size_t variable_count;
    size_t variable_capacity;
    bake_user user; /* the current one */
    bake_path_use *path_uses;
    size_t path_use_count;
    size_t path_use_capacity;
    bool lacks_uses;
    bake_timings *timings; /* NULL: not measured */
    size_t input_max;      /* maximum size of an input in bytes */
    bake_spool *spool;     /* NULL: all texts stay in memory */
    char *spool_folder;    /* for its file; NULL: only the folder for temporary files */
    char why[WHY_SIZE];    /* the reason for the last failure to read */
};

/* gateway_spool.c: moves the text of a file to the spool, or leaves it. */
void bake_gateway_spool_text(bake_spool *spool, used_path *used);
void bake_gateway_free_text(used_path *used);
/* Finds or adds the entry of a path in the record. Returns NULL with errno ENOMEM. */
used_path *bake_gateway_record(bake_gateway *gateway, const char *path, bake_use use);
/* The entry of a path in the record; NULL if there is none. */
const used_path *bake_gateway_find(const bake_gateway *gateway, const char *path);
/* With details, notes that the current user uses a path of the record. */
void bake_gateway_note_use(bake_gateway *gateway, const used_path *used);
/* Notes what was at a path that is in the record. */
void bake_gateway_note_kind(used_path *used, bake_path_kind kind);
/* With details, notes state and content of a file. */
void bake_gateway_note_content(const bake_gateway *gateway, used_path *used,
                               const struct stat *status, const void *data, size_t size);
/* Notes kind, state and content of a file that was read into `early`. */
void bake_gateway_note_early(used_path *used, const used_path *early);
/* With details, reads a file that a program reads and notes its state and content. A file that
 * cannot be read stays without a hash. */
void bake_gateway_note_file(const bake_gateway *gateway, used_path *used);
/* Frees everything that only a gateway with details has. */
void bake_gateway_free_details(bake_gateway *gateway);
/* With details, records a list of names and takes ownership of `names`. Returns false with errno
 * ENOMEM. */
bool bake_gateway_keep_list(bake_gateway *gateway, const bake_input_list *list, char *names);
/* Records a regular file that a program reads. Returns false with errno set on failure. A missing
 * file is recorded, too. */
bool bake_gateway_record_file(bake_gateway *gateway, const char *path);
/* Sets errno to `error`, and the text of bake_gateway_reason to the formatted `why`, or to strerror
 * if `why` is NULL. Always returns false. */
bool bake_gateway_refuse(bake_gateway *gateway, int error, const char *why, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
/* Lists the entries of one folder again. Returns false if it cannot be listed. */
bool bake_gateway_sum_names(const bake_gateway *gateway, const input_folder *folder,
                            uint64_t *ret_names);
/* What the output of a program depends on: indices into `used`. */
typedef struct run_inputs {
    size_t *paths;
    size_t count, capacity;
    bool is_incomplete; /* there are others */
} run_inputs;

/* Records the inputs of a call, and whether there are others. Returns false with errno ENOMEM. */
bool bake_gateway_keep_inputs(bake_gateway *gateway, const bake_program_call *call,
                              run_inputs *ret);
/* Records the other files that a program reads, as far as its name and arguments show them. Without
 * details, records only those that depfiles list, and none in `ret`. `source`, `inputs`, and a
 * program with a slash in its name, are recorded already. The caller frees `paths`. Returns false
 * with errno ENOMEM. */
/* Records whether the file, which is recorded already, can be started. */
void bake_gateway_note_execution(bake_gateway *gateway, const char *path);
bool bake_gateway_keep_command(bake_gateway *gateway, const bake_program_call *call,
                               run_inputs *ret);
/* Returns false if there can be no key: an input changed during the run, or could not be examined,
 * or memory ran out. */
bool bake_gateway_run_key(const bake_gateway *gateway, const gateway_run *run, const char *folder,
                          const run_inputs *inputs, bake_run_key *ret);
/* Whether no input has changed since it was recorded. */
bool bake_gateway_are_unchanged(const bake_gateway *gateway, const run_inputs *inputs);
/* Joins the current folder and `path`; returns NULL with errno set. */
char *bake_gateway_absolute(const char *path);
/* Frees a run and its output; accepts NULL. */
void bake_gateway_run_free(gateway_run *run);
/* Opens an input file or folder; returns -1 with errno set. */
int bake_gateway_open(const bake_gateway *gateway, const char *path, int flags);
/* Writes all bytes and retries after EINTR. Returns false with errno set. */
bool bake_write_all(int file, const void *data, size_t size);
/* The same at an offset of the file, whose own offset stays unchanged. */
bool bake_write_all_at(int file, const void *data, size_t size, uint64_t at);
/* Transfers ownership of `block` to the gateway. On failure, returns false with errno ENOMEM, and
 * the caller still owns it. */
bool bake_gateway_own(bake_gateway *gateway, void *block);

#endif
