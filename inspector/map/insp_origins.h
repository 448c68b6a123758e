/* A source map as kiln-bake writes it (SOURCE-MAP.md), read once and believed only as far as it was
 * checked: every line is one that the format has, so that those who look things up later trust its
 * fields. A map takes the memory of its text and of a few words for each file that it names. */
#ifndef INSP_ORIGINS_H
#define INSP_ORIGINS_H

#include "insp_file.h"

#include <stdbool.h>

typedef struct insp_origins {
    char *text;
    size_t size;
    size_t first; /* where the line behind the first begins */
    insp_text *files;
    size_t file_count, file_capacity;
    const char *bindings; /* the `H` lines, with which the map ends */
} insp_origins;

/* A line, cut at its tabs; fields that it does not have are empty. */
typedef struct insp_origin_line {
    char what; /* F A V K L D H */
    insp_text fields[3];
    const char *next; /* the line behind it */
} insp_origin_line;

/* Where something is written. */
typedef struct insp_origin_place {
    uint32_t file; /* in `files` */
    uint32_t line, column;
    uint32_t length; /* in code points; 0: to the line's end and beyond */
} insp_origin_place;

typedef enum insp_origins_status {
    INSP_ORIGINS_OK,
    INSP_ORIGINS_NO_MEMORY,
    INSP_ORIGINS_NONE,    /* not such a file at all */
    INSP_ORIGINS_VERSION, /* of another version */
    INSP_ORIGINS_BROKEN   /* the line `*ret_line` is none, or is not there whole */
} insp_origins_status;

/* Takes over `text`, which came from insp_memory.h; either way ended by insp_origins_fini. */
insp_origins_status insp_origins_init(insp_origins *origins, char *text, size_t size,
                                      size_t *ret_line);
void insp_origins_fini(insp_origins *origins);

/* Whether the map belongs to the file whose header has that hash. */
bool insp_origins_is_of(const insp_origins *origins, uint64_t hash);

/* The lines from `at` on; false behind the last. */
bool insp_origins_next(const insp_origins *origins, const char *at, insp_origin_line *ret_line);
/* Of a field that was checked. */
insp_origin_place insp_origin_place_of(insp_text field);

/* The name of a file; `?` where no file has the number. */
insp_text insp_origins_file(const insp_origins *origins, uint32_t number);

/* The line of the value, or else of the nearest one that it lies in; false where the map does not
 * have the asset, or nothing around the value. `*ret_exact`: it is the value itself. */
bool insp_origins_find(const insp_origins *origins, insp_text asset, const char *path,
                       insp_origin_line *ret_line, bool *ret_exact);
/* The same of the values of scenes that lie in data, one after the other: `*at` is NULL at first.
 * `path` is one of the data's, and what lies behind its element is behind `ret_path` as well. */
bool insp_origins_next_user(const insp_origins *origins, insp_text scene, const char *path,
                            const char **at, insp_text *ret_path, const char **ret_rest);

#endif
