/* What a schema declares about resource paths: where their files and folders are, and where an
 * atlas lists the names of its states (SCHEMA.md, "Resource paths"). */
#ifndef BAKE_RESOURCE_KIND_H
#define BAKE_RESOURCE_KIND_H

#include <stdint.h>

/* What has to be at a path. */
typedef enum bake_resource_is {
    BAKE_RESOURCE_FILE,
    BAKE_RESOURCE_FOLDER,
    BAKE_RESOURCE_ANY
} bake_resource_is;

/* How a missing file is reported. */
typedef enum bake_absence { BAKE_ABSENT_ERROR, BAKE_ABSENT_WARN, BAKE_ABSENT_ACCEPT } bake_absence;

/* A step from the root of an atlas's document to the names of its states. */
typedef enum bake_names_kind {
    BAKE_NAMES_KEY,      /* to the value of a key */
    BAKE_NAMES_ELEMENTS, /* to all elements */
    BAKE_NAMES_KEYS      /* to all keys, which are the names */
} bake_names_kind;

typedef struct bake_names_step {
    bake_names_kind kind;
    const char *key;
} bake_names_step;

/* Strings are the schema's; folders are relative to that where inputs start. */
typedef struct bake_resource {
    const char *const *roots; /* at least one */
    uint32_t root_count;
    const char *absolute; /* where a path that begins with a slash starts */
    bake_resource_is is;
    bake_absence missing;
    const char *states_file;      /* in the folder; NULL: the file at the path itself */
    const bake_names_step *names; /* NULL: it is not an atlas */
    uint32_t name_count;
    const char *names_text; /* `states[].name` */
} bake_resource;

#endif
