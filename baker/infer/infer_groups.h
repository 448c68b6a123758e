/* Which files hold the same kind of documents, and the patterns that tell them from others.
 *
 * Files are taken in the order of their paths. Two belong together if their documents are lists of
 * the same records, maps of the same records, or mappings with mostly the same keys. If they have
 * one name or are in one folder, fewer common keys are enough. Then each group gets the fewest
 * patterns that match all its files. Rules are tried in order, so a pattern must not match files of
 * groups that come later (SCHEMA.md "Files").
 *
 * Parts: infer_groups.c, infer_patterns.c. */
#ifndef BAKE_INFER_GROUPS_H
#define BAKE_INFER_GROUPS_H

#include "asset_input.h"
#include "infer_shape.h"

/* What the documents of a group are. */
typedef enum infer_layout {
    INFER_LAYOUT_ONE,    /* one value each */
    INFER_LAYOUT_MAP,    /* ids and values */
    INFER_LAYOUT_LIST,   /* a list of records that have an id */
    INFER_LAYOUT_BY,     /* a list of records, each with a key for its kind and one for its id */
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
    bool is_apart; /* other folders contain different kinds of things with almost the same keys */
    const char **patterns;
    uint32_t pattern_count;
    infer_layout layout;     /* infer_assets.c */
    const char *tag;         /* OBJECTS: the common prefix of all tags; else NULL */
    bool has_local;          /* OBJECTS: a plain number refers to an object of the same file */
    const char *by;          /* BY: the key that names the kind */
    const char *id_key;      /* lists */
    const char *id_source;   /* one: `stem`, `path` or `file` */
    const char *name;        /* the name of its files or folder, as a name for a type */
    const char *type;        /* the type of its assets, once it is decided; NULL for BY */
    infer_scene *scene;      /* infer_scenes.c; NULL: these are not scenes */
    infer_table heads;       /* map, scene: keys that are not ids; each is an asset of its own */
    const char **head_types; /* their types */
} infer_group;

typedef struct infer_groups {
    infer_group *groups;
    uint32_t count;
} infer_groups;

/* Puts all inputs that have documents into groups. False when memory ran out. */
bool bake_infer_groups_make(infer_groups *groups, bake_store *store, const bake_inputs *inputs);

/* Splits groups whose files are in folders that clearly contain different kinds of things. False
 * when memory ran out. */
bool bake_infer_groups_split(infer_groups *groups, bake_store *store, const bake_inputs *inputs);

/* infer_patterns.c: fills the patterns, and puts the groups into the order of the rules. */
bool bake_infer_groups_match(infer_groups *groups, bake_store *store, const bake_inputs *inputs);

#endif
