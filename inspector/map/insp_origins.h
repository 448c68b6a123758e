/* A source map from kiln-bake (SOURCE-MAP.md). All lines are checked when it is read, so lookups
 * trust the fields. It uses the memory of its text plus a few words for each file that it names. */
#ifndef INSP_ORIGINS_H
#define INSP_ORIGINS_H

#include "insp_file.h"

#include <stdbool.h>

typedef struct insp_origins {
    char *text;
    size_t size;
    size_t first; /* offset of the second line */
    insp_text *files;
    size_t file_count, file_capacity;
    const char *bindings; /* the `H` lines, which are last */
} insp_origins;

/* A line, split at tabs; missing fields are empty. */
typedef struct insp_origin_line {
    char what; /* F A V K L D H */
    insp_text fields[3];
    const char *next; /* the next line */
} insp_origin_line;

/* A location in a source file. */
typedef struct insp_origin_place {
    uint32_t file; /* in `files` */
    uint32_t line, column;
    uint32_t length; /* in code points; 0: the value continues on the next line */
} insp_origin_place;

typedef enum insp_origins_status {
    INSP_ORIGINS_OK,
    INSP_ORIGINS_NO_MEMORY, /* or the map is larger than KILN_SOURCE_MAP_MAX */
    INSP_ORIGINS_NONE,      /* not a source map */
    INSP_ORIGINS_VERSION,   /* a version of the format that this program cannot read */
    INSP_ORIGINS_BROKEN     /* line `*ret_line` is invalid or incomplete */
} insp_origins_status;

/* Takes ownership of `text`, which must be allocated with insp_memory.h. Call insp_origins_fini
 * even after a failure. */
insp_origins_status insp_origins_init(insp_origins *origins, char *text, size_t size,
                                      size_t *ret_line);
void insp_origins_fini(insp_origins *origins);

/* Whether the map belongs to the file whose header contains `hash`. */
bool insp_origins_is_of(const insp_origins *origins, uint64_t hash);

/* Reads the line at `at`; returns false at the end of the map. */
bool insp_origins_next(const insp_origins *origins, const char *at, insp_origin_line *ret_line);
/* Parses the place in a checked field. */
insp_origin_place insp_origin_place_of(insp_text field);

/* The name of file `number`; `?` if there is none. */
insp_text insp_origins_file(const insp_origins *origins, uint32_t number);

/* Finds the line of a value, or else of the nearest enclosing value. Returns false if the map has
 * neither. Sets `*ret_exact` if the line is that of the value itself. */
bool insp_origins_find(const insp_origins *origins, insp_text asset, const char *path,
                       insp_origin_line *ret_line, bool *ret_exact);
/* Iterates over the component fields whose values are stored at `path` in the data of a scene;
 * `*at` must be NULL at first. `ret_path` is the path of the field. If its value contains the value
 * at `path`, `*ret_rest` is the rest of `path`, relative to the field. */
bool insp_origins_next_user(const insp_origins *origins, insp_text scene, const char *path,
                            const char **at, insp_text *ret_path, const char **ret_rest);

#endif
