/* One run of the program: its options and output streams. */
#ifndef INSP_RUN_H
#define INSP_RUN_H

#include "insp_out.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct insp_command insp_command; /* insp_command.h */

typedef enum insp_color { INSP_COLOR_AUTO, INSP_COLOR_ALWAYS, INSP_COLOR_NEVER } insp_color;

/* The most values of an option that may be repeated. */
enum { INSP_LIST_MAX = 63 };

typedef struct insp_options {
    const insp_command *command;
    char **arguments; /* of the command, in order */
    int argument_count;
    const char *format; /* one of the command's formats; NULL: its first */
    insp_color color;
    bool all;
    bool chunks;
    bool copy;                         /* do not map files */
    const char *source_map;            /* NULL: the file name with `.map` appended */
    const char *base;                  /* the folder of relative source names; NULL: default */
    const char *mounts[INSP_LIST_MAX]; /* files that override the first one, in this order */
    uint32_t mount_count;
    const char *roots[INSP_LIST_MAX]; /* patterns of assets that are in use without references */
    uint32_t root_count;
    const char *match; /* what `find` looks for; NULL: a value */
    bool null;         /* end lines with NUL */
    bool bytes, git, stat;
    double tolerance;                   /* of floats */
    const char *ignored[INSP_LIST_MAX]; /* patterns of paths */
    uint32_t ignored_count;
    bool help, version;
    bool has_max_bytes;
    uint64_t max_bytes;          /* if `has_max_bytes`; 0: no limit */
    bool decompress;             /* `hex` shows a member after decompression */
    bool data;                   /* `type` also describes the values of fields */
    const char *sort;            /* the column by which `ls` sorts; NULL: the name */
    const char *type;            /* pattern of the types that `ls` lists; NULL: all */
    uint64_t min_size, max_size; /* of the assets that `ls` lists */
    const char *by;              /* the only list that `du` prints; NULL: all */
    const char *compare;         /* an earlier file; NULL: none */
    const char *to;              /* what `export` writes; NULL: not given */
    bool force;                  /* `export` replaces an existing file */
    bool has_top;
    uint64_t top;        /* if `has_top`: maximum number of rows of a list */
    uint64_t max_errors; /* of each file, for verify; 0: no limit */
    uint64_t jobs;       /* number of threads; 0: see insp_threads_for */
    uint64_t max_input;  /* maximum bytes to read from a pipe; 0: no limit */
} insp_options;

typedef struct insp_run {
    insp_options options;
    insp_out out, err;
    const char *path;           /* of the file opened last, or NULL */
    struct insp_mounts *mounts; /* for insp_with_mounts; NULL outside of it */
    void *command_data;         /* private to the command */
} insp_run;

/* The default of --max-errors. */
enum { INSP_ERRORS_MAX = 1000 };

/* The output limit without --max-bytes: INSP_BYTES_MIN, plus INSP_BYTES_FACTOR for each byte of
 * the files. */
enum { INSP_BYTES_MIN = 1 << 20, INSP_BYTES_FACTOR = 256 };

/* Whether the output is JSON instead of text. */
static inline bool insp_wants_json(const insp_run *run)
{
    return run->options.format && strcmp(run->options.format, "json") == 0;
}

#endif
