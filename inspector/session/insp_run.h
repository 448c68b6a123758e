/* One run of the program: what was asked for, where to write, and what the commands share. */
#ifndef INSP_RUN_H
#define INSP_RUN_H

#include "insp_check.h"
#include "insp_main.h"
#include "insp_walk.h"

typedef struct insp_run insp_run;

/* A row of the command table. */
typedef struct insp_command {
    const char *name;
    const char *arguments;
    const char *help;
    int least, most;     /* arguments; most < 0: any number */
    const char *formats; /* names with a blank behind each; the first is the default; "" where there
                            is no choice */
    int (*run)(insp_run *run);
} insp_command;

extern const insp_command insp_commands[];
extern const int insp_command_count;

typedef enum insp_color { INSP_COLOR_AUTO, INSP_COLOR_ALWAYS, INSP_COLOR_NEVER } insp_color;

typedef struct insp_options {
    const insp_command *command;
    char **arguments; /* the command's, in order */
    int argument_count;
    const char *format; /* one of the command's formats */
    insp_color color;
    bool all;
    bool chunks;            /* scene alone */
    const char *source_map; /* where alone; NULL: beside the file */
    const char *base;       /* where alone: the folder that sources are in; NULL */
    bool help, version;
    bool has_max_bytes;
    uint64_t max_bytes; /* 0: any number; only with `has_max_bytes` */
    uint64_t max_input; /* bytes that are read from a pipe; 0: any number */
} insp_options;

struct insp_run {
    insp_options options;
    insp_out out, err;
    const char *path; /* of the file opened last; NULL */
};

/* Fills `run->options` from the command line; the strings stay in `argv`, whose order of pointers
 * changes. Touches no file. On wrong usage says so on `run->err` and returns INSP_TROUBLE. */
int insp_parse(insp_run *run, int argc, char **argv);

/* `kiln-inspect: PATH: message`, escaped. `path` may be NULL. */
void insp_complain(insp_run *run, const char *path, const char *format, ...) INSP_PRINTF(3, 4);
/* A name from a file for `%.*s` of insp_complain: cut where it is long, and never empty. */
insp_text insp_name_to_tell(insp_text name);
/* Says why insp_read failed; returns INSP_TROUBLE. */
int insp_cannot_read(insp_run *run, const char *path, int error);
/* For want of memory; returns INSP_TROUBLE. */
int insp_no_memory(insp_run *run);

/* Reads and opens a file. On failure says so and returns INSP_TROUBLE; nothing is left to be ended.
 */
int insp_open(insp_run *run, const char *path, insp_file *ret_file);

/* `no such asset: Item/swrd; did you mean Item/sword?` `is_path`: what is wanted goes on behind the
 * name, as for get. Returns INSP_BAD. */
int insp_no_such_asset(insp_run *run, const insp_file *file, const char *wanted, bool is_path);

/* `H8 at offset 0x40 (member 3, Item/sword): the hash does not match the bytes [path]` */
void insp_put_finding(insp_out *out, const insp_file *file, const insp_finding *finding);

/* An insp_check's `on_finding` whose context is the run: says it on standard error, for what is
 * printed all the same. */
void insp_tell_finding(void *ctx, const insp_file *file, const insp_finding *finding);

/* Checks what the values that will be printed depend on, and finds their root. A broken asset is
 * announced and can be printed as far as it goes; `of` is NULL where it cannot. */
int insp_open_asset(insp_run *run, const insp_file *file, const insp_asset *asset,
                    kiln_value *ret_root);
/* The asset whose name is the longest that `path` begins with, and what follows the name. */
const insp_asset *insp_split_path(const insp_file *file, const char *path, const char **ret_rest);

/* Whether a file has an index and so assets to print; says why not, and what is wrong with the
 * index, and sets `*result` to INSP_BAD then. */
bool insp_has_index(insp_run *run, const insp_file *file, int *result);

/* Bytes that a run prints where nothing else is asked for: INSP_BYTES_LEAST, and
 * INSP_BYTES_FACTOR for each byte of the files. */
enum { INSP_BYTES_LEAST = 1 << 20, INSP_BYTES_FACTOR = 256 };
/* Says that the output was cut, and what of it is missing. Returns INSP_BAD. */
int insp_tell_cut(insp_run *run);

/* Of two exit codes the one that counts. */
int insp_heavier(int a, int b);

/* Whether the options ask for JSON instead of text. */
bool insp_wants_json(const insp_run *run);

/* A printer as the options want it. */
void insp_run_printer(insp_run *run, const insp_file *file, insp_printer *ret_printer);
/* Says whether printing met broken places. Returns INSP_OK or INSP_BAD. */
int insp_after_printing(insp_run *run, const insp_file *file, const insp_printer *p);

/* The commands. */
int insp_info(insp_run *run);
int insp_ls(insp_run *run);
int insp_dump(insp_run *run);
int insp_get(insp_run *run);
int insp_verify(insp_run *run);
int insp_hex(insp_run *run);
int insp_type(insp_run *run);
int insp_ref(insp_run *run);
int insp_scene_command(insp_run *run);
int insp_forecast(insp_run *run);
int insp_where(insp_run *run);

#endif
