/* What the paths of resources of a run consist of. Private to resource_*.c. */
#ifndef BAKE_RESOURCE_STORE_H
#define BAKE_RESOURCE_STORE_H

#include "gateway.h"
#include "hash_table.h"
#include "place_set.h"
#include "resource_path.h"

typedef enum resource_problem {
    PROBLEM_NONE,
    PROBLEM_NOTHING,    /* it leads nowhere */
    PROBLEM_OTHER_KIND, /* to something else than it should */
    PROBLEM_NO_STATES   /* to an atlas without its file */
} resource_problem;

struct bake_resource_path {
    const bake_resource *resource;
    const char *text;
    const char *clean; /* without `.` and `..`, as a path from a root */
    size_t length;
    const char *found; /* from the current folder; NULL */
    resource_problem problem;
    bake_there there;  /* PROBLEM_OTHER_KIND: what is */
    const char *root;  /* in which the problem is */
    const char *value; /* the first place, where it is missing */
    bake_mark mark;
    size_t count;    /* of its places, where it is missing */
    uint32_t number; /* among all paths */
    bake_atlas *atlas;
};

/* An atlas, by its file and the path of the names in it. */
typedef struct known_atlas {
    bake_atlas *atlas;
    const char *names_text;
} known_atlas;

struct bake_resource_paths {
    bake_resource_paths_def def;
    const char *base; /* "": the current folder */
    bake_store store;
    bake_resource_path **all;
    size_t count, capacity;
    hash_table by_text;    /* and resource */
    bake_place_set places; /* of paths that are missing */
    known_atlas *atlases;
    size_t atlas_count, atlas_capacity;
    hash_table atlases_by_file; /* and path of the names */
    size_t errors;
    const char *unknown; /* a path that could not be looked at; NULL: none */
    int error;           /* why */
};

/* How many roots the path is looked for in, and which. */
static inline uint32_t resource_roots(const bake_resource_path *path)
{
    return path->text[0] == '/' ? 1 : path->resource->root_count;
}

static inline const char *resource_root(const bake_resource_path *path, uint32_t i)
{
    return path->text[0] == '/' ? path->resource->absolute : path->resource->roots[i];
}

/* The path from the current folder of what `rest` is in a root; NULL when memory ran out. */
const char *bake_resource_join(bake_resource_paths *paths, const char *root, const char *rest);

#endif
