/* Groups of files with the same kind of documents, and the patterns that match them.
 *
 * Files are grouped in path order. Two files belong together if their documents are lists of the
 * same records, maps of the same records, or mappings with mostly the same keys. For files with the
 * same name or folder, fewer common keys are enough. Then each group gets a small set of patterns
 * that match all its files. Rules are tried in order, so a pattern must not match files of later
 * groups (SCHEMA.md "Files").
 *
 * Parts: infer_groups.c, infer_patterns.c. */
#ifndef BAKE_INFER_GROUPS_H
#define BAKE_INFER_GROUPS_H

#include "asset_input.h"
#include "infer_shape.h"

/* The layout of the documents of a group. */
typedef enum infer_layout {
    INFER_LAYOUT_ONE,    /* one value */
    INFER_LAYOUT_MAP,    /* a mapping of ids to values */
    INFER_LAYOUT_LIST,   /* a list of records with ids */
    INFER_LAYOUT_BY,     /* a list of records with a key for the kind and one for the id */
    INFER_LAYOUT_SCENE,  /* a scene */
    INFER_LAYOUT_OBJECTS /* an engine object: a class and its value, with tag and anchor */
} infer_layout;

typedef struct infer_scene infer_scene;

typedef struct infer_group {
    infer_shape *root;      /* shape of all its documents */
    const uint32_t *inputs; /* input indexes, ascending */
    uint32_t input_count;
    uint32_t document_count;
    bool has_many; /* at least one file has several documents */
    bool is_apart; /* the group was split by folder */
    const char **patterns;
    uint32_t pattern_count;
    infer_layout layout;     /* infer_assets.c */
    const char *tag;         /* OBJECTS: the common prefix of all tags; else NULL */
    bool has_local;          /* OBJECTS: `{fileID: N}` refers to an object of the same file */
    const char *by;          /* BY: the key with the kind */
    const char *id_key;      /* LIST, BY: the key with the id */
    const char *id_source;   /* ONE, SCENE: `stem`, `path` or `file` */
    const char *name;        /* a type name made from its file or folder names */
    const char *type;        /* the type of its assets; NULL: not decided, or BY */
    infer_scene *scene;      /* SCENE: see infer_scenes.h; otherwise NULL */
    infer_table heads;       /* MAP, SCENE: keys whose values are separate assets */
    const char **head_types; /* their types */
} infer_group;

typedef struct infer_groups {
    infer_group *groups;
    uint32_t count;
} infer_groups;

/* Puts all inputs with documents into groups. Returns false if memory runs out. */
bool bake_infer_groups_make(infer_groups *groups, bake_store *store, const bake_inputs *inputs);

/* Splits groups whose folders clearly contain different kinds of things. Returns false if memory
 * runs out. */
bool bake_infer_groups_split(infer_groups *groups, bake_store *store, const bake_inputs *inputs);

/* infer_patterns.c: fills the patterns and sorts the groups into rule order. Returns false if
 * memory runs out. */
bool bake_infer_groups_match(infer_groups *groups, bake_store *store, const bake_inputs *inputs);

#endif
