/* Resource paths as declared in a schema: the folders that contain the files, and where an atlas
 * lists the names of its states (SCHEMA.md, "Resource paths"). */
#ifndef BAKE_RESOURCE_KIND_H
#define BAKE_RESOURCE_KIND_H

#include <stdint.h>

/* The kind of file that must exist at a path. */
typedef enum bake_resource_kind {
    BAKE_RESOURCE_FILE,
    BAKE_RESOURCE_FOLDER,
    BAKE_RESOURCE_ANY
} bake_resource_kind;

/* How a missing resource is reported. */
typedef enum bake_missing_action {
    BAKE_MISSING_ERROR,
    BAKE_MISSING_WARN,
    BAKE_MISSING_ACCEPT
} bake_missing_action;

/* One step on the path from the document root of an atlas to the names of its states. */
typedef enum bake_names_kind {
    BAKE_NAMES_KEY,      /* the value of a key */
    BAKE_NAMES_ELEMENTS, /* all elements of a list */
    BAKE_NAMES_KEYS      /* all keys of a mapping; the keys are the names */
} bake_names_kind;

typedef struct bake_names_step {
    bake_names_kind kind;
    const char *key;
} bake_names_step;

/* The schema owns all strings. Folders are relative to the input folder. */
typedef struct bake_resource {
    const char *const *roots; /* at least one */
    uint32_t root_count;
    const char *absolute; /* root of paths that begin with a slash */
    bake_resource_kind is;
    bake_missing_action missing;
    const char
        *states_file; /* name of the file inside the folder; NULL: the path names the file itself */
    const bake_names_step *names; /* NULL: not an atlas */
    uint32_t name_count;
    const char *names_text; /* as written: `states[].name` */
} bake_resource;

#endif
