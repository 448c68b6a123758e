/* The record of a gateway in the detail that step records store: see baker/record.
 *
 * Without bake_gateway_keep_details, a gateway records paths only. With it, the gateway also
 * records the states and hashes of all files that it reads or writes, the names in folders, the
 * programs that it runs, and environment variables. A state is always older than the content, so a
 * later change of the content changes the state, too (file_state.h).
 *
 * All texts belong to the gateway. Calls to other functions of the gateway may move them. The parts
 * are gateway_inputs.c, and functions in gateway_list.c and gateway_command.c. */
#ifndef BAKE_GATEWAY_INPUTS_H
#define BAKE_GATEWAY_INPUTS_H

#include "gateway.h"

/* Records details from now on. Call it directly after bake_gateway_create; the gateway must have no
 * base. Calling it again does nothing. Returns false with errno ENOMEM. */
bool bake_gateway_keep_details(bake_gateway *gateway);
/* The time of that call (bake_file_time_now); everything recorded is newer. */
int64_t bake_gateway_began(const bake_gateway *gateway);

/* Gets the value of an environment variable, NULL if it is not set, and records it. A variable is
 * read once. Variables that change neither outputs nor messages need no record. Returns false with
 * errno ENOMEM if memory runs out. */
bool bake_gateway_getenv(bake_gateway *gateway, const char *name, const char **ret_value);

/* The variables that a gateway itself gets: those that decide which program runs. The list ends
 * with NULL. */
extern const char *const bake_gateway_variables[];

/* A path of the record, or a part of a command, which depfiles omit. */
typedef struct bake_input_path {
    const char *path;
    bake_use use;
    bake_path_kind kind; /* BAKE_PATH_UNKNOWN if it could not be examined */
    bool is_stable;      /* the path did not change between two uses in this run */
    bool is_left_out;    /* a program that was looked for in PATH, or an argument with an absolute
                            path;    depfiles omit it */
    bool is_used_again;  /* it was read or examined again after it had been read, for example for an
                          * input and then for a value */
    bool has_unknown;    /* a program read it together with unknown inputs */
    bool has_hash;       /* `state` and `hash` are those of the regular file that was read */
    bake_execution execution; /* of programs, and of files that were looked for in PATH */
    bake_file_state state;
    kiln_hash128 hash;
} bake_input_path;

/* `i` is below bake_gateway_use_count. */
bake_input_path bake_gateway_input_path(const bake_gateway *gateway, size_t i);

/* From now on, `is_used_again` means that a path is used after this call, too. */
void bake_gateway_begin_uses(bake_gateway *gateway);

/* A folder whose names the result depends on. */
typedef struct bake_input_list {
    const char *path;
    const char *const *suffixes; /* of bake_gateway_list; ends with NULL */
    size_t most;                 /* of bake_gateway_names; 0: the folder was listed */
    bool has_links;              /* links are listed according to their targets */
    bool is_listed;              /* whether it could be listed */
    bake_file_state state;
    const char *names; /* see bake_list_names */
    size_t size;
    size_t scanned; /* names that bake_list_names has read, also those that do not matter */
} bake_input_list;

size_t bake_gateway_input_list_count(const bake_gateway *gateway);
bake_input_list bake_gateway_input_list(const bake_gateway *gateway, size_t i);

typedef struct bake_input_variable {
    const char *name;
    const char *value; /* NULL: not set */
} bake_input_variable;

size_t bake_gateway_input_variable_count(const bake_gateway *gateway);
bake_input_variable bake_gateway_input_variable(const bake_gateway *gateway, size_t i);

typedef struct bake_output_file {
    const char *path; /* as given; NULL: a descriptor or a device */
    bool is_committed;
    bake_file_state state; /* zeroed: another process has already replaced the file */
    kiln_hash128 hash;
} bake_output_file;

/* All outputs that were begun. */
size_t bake_gateway_output_file_count(const bake_gateway *gateway);
bake_output_file bake_gateway_output_file(const bake_gateway *gateway, size_t i);

/* ---- gateway_list.c ---- */

/* Lists the names in one folder again. If `list->most` is 0, the names are those that
 * bake_gateway_list would list there, otherwise those of bake_gateway_names. Sets the members from
 * `has_links` on. `names` is new memory, which the caller frees with bake_free: for each name, in
 * bytewise order, `f` for a file, `d` for a folder or `n` for any name, the name and a NUL. A
 * folder that cannot be listed has no names. Returns false if memory runs out. */
bool bake_list_names(bake_input_list *list, char **ret_names);

#endif
