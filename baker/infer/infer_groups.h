/* Which files hold the same kind of documents, and the patterns that tell them from others.
 *
 * Files are taken in the order of their paths. Two belong together when their documents are lists
 * of the same records, maps of the same records, or mappings with mostly the same keys, more
 * readily so when they have one name or lie in one folder. Each group then gets the fewest patterns
 * that fit its files and, among those asked earlier, no others (SCHEMA.md "Files"). */
#ifndef BAKE_INFER_GROUPS_H
#define BAKE_INFER_GROUPS_H

#include "asset_input.h"
#include "infer_shape.h"

/* What the documents of a group are. */
typedef enum infer_layout {
    INFER_LAYOUT_ONE,    /* one value each */
    INFER_LAYOUT_MAP,    /* ids and values */
    INFER_LAYOUT_LIST,   /* a list of records that have an id */
    INFER_LAYOUT_BY,     /* a list of records that say what kind they are, and have an id */
    INFER_LAYOUT_SCENE,  /* entities */
    INFER_LAYOUT_OBJECTS /* a class and its value each, with tag and anchor */
} infer_layout;

typedef struct infer_scene infer_scene;

typedef struct infer_group {
    infer_shape *root;      /* of all its documents */
    const uint32_t *inputs; /* their numbers, ascending */
    uint32_t input_count;
    uint32_t document_count;
    bool has_many; /* one file at least has several documents */
    bool is_apart; /* other folders hold different things of much the same keys */
    const char **patterns;
    uint32_t pattern_count;
    infer_layout layout;   /* infer_assets.c */
    const char *tag;       /* OBJECTS: what all tags begin with; else NULL */
    bool has_local;        /* OBJECTS: what is written as a number alone is an object of the file */
    const char *by;        /* BY: the key that says the kind */
    const char *id_key;    /* lists */
    const char *id_source; /* one: `stem`, `path` or `file` */
    const char *name;      /* what its files or folder are called, as a name of a type */
    const char *type;      /* the type of its assets, once it is decided; NULL for BY */
    infer_scene *scene;    /* infer_scenes.c; NULL: none, or one no more */
    infer_table heads;     /* map, scene: keys that are no ids, each an asset of its own */
    const char **head_types; /* their types */
} infer_group;

typedef struct infer_groups {
    infer_group *groups;
    uint32_t count;
} infer_groups;

/* Puts all inputs that have documents into groups. False when memory ran out. */
bool bake_infer_groups_make(infer_groups *groups, bake_store *store, const bake_inputs *inputs);

/* infer_folders.c: parts groups whose files lie in folders that plainly hold different things.
 * False when memory ran out. */
bool bake_infer_groups_split(infer_groups *groups, bake_store *store, const bake_inputs *inputs);

/* infer_patterns.c: fills the patterns, and puts the groups into the order of the rules. */
bool bake_infer_groups_match(infer_groups *groups, bake_store *store, const bake_inputs *inputs);

#endif
