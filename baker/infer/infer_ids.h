/* The ids of all assets by kind, and functions that match values with ids. Part: infer_assets.c,
 * which finds the assets. */
#ifndef BAKE_INFER_IDS_H
#define BAKE_INFER_IDS_H

#include "infer_groups.h"

#define INFER_KIND_NONE UINT32_MAX
/* The key whose value is an object number in Unity files. */
#define INFER_NUMBER_KEY "fileID"

/* Assets of one type. */
typedef struct infer_kind {
    const char *name;   /* from the data or the file names */
    const char *type;   /* the type name; NULL: not named yet */
    const char *word;   /* the kind as in `Kind/id` */
    const char *id_key; /* lists: the key with the id; NULL: ids are keys or come from paths */
    infer_shape *shape; /* shape of the assets */
    infer_group *group;
    uint32_t count;         /* number of ids */
    const char *parent_key; /* the key with the parents; NULL: no inheritance */
    const char *abstract_key;
    uint64_t parents;     /* number of values of the parent key */
    uint32_t abstract;    /* number of abstract assets */
    uint64_t base_refs;   /* references to abstract assets, which turn them into normal assets */
    uint64_t sure_refs;   /* distinct values that certainly refer to it, per position */
    infer_table accepted; /* referenced ids that no asset has */
} infer_kind;

typedef struct infer_id {
    const char *text;
    uint32_t length;
    uint32_t kind;
    uint32_t next;     /* index of an equal id of another kind; 0: none */
    infer_place place; /* location of the asset */
    uint8_t state;     /* for cycle detection */
    bool is_abstract;
} infer_id;

typedef struct infer_ids {
    bake_store *store;
    const bake_inputs *inputs;
    infer_kind *kinds;
    uint32_t kind_count;
    size_t kind_capacity;
    infer_id *ids; /* index 0 is unused, so that 0 means none */
    uint32_t count;
    size_t capacity;
    hash_table by_text;  /* the first id with each text */
    bool match_abstract; /* ids of abstract assets match as well */
} infer_ids;

/* Adds an id. Sets `*ret_duplicate` if the kind already has it. Returns false if memory runs
 * out. */
bool bake_infer_ids_add(infer_ids *ids, uint32_t kind, const char *text, uint32_t length,
                        infer_place place, bool *ret_duplicate);
/* Returns the first id with this text, or NULL. bake_infer_ids_next returns the equal ids of other
 * kinds. */
infer_id *bake_infer_ids_find(const infer_ids *ids, const char *text, uint32_t length);
infer_id *bake_infer_ids_next(const infer_ids *ids, const infer_id *id);
/* Removes the ids of a kind whose values turned out not to be assets. */
void bake_infer_ids_forget(infer_ids *ids, uint32_t kind);

/* The result of matching strings with the ids of a kind. */
typedef struct infer_match {
    uint32_t kind;
    uint32_t hits, distinct; /* distinct values that are ids of the kind; all distinct values */
    uint64_t hit_count, all_count; /* the same counts with repeated values */
    bool rivals;                   /* another kind has the same number of hits */
} infer_match;

/* Finds the kind to which most of the strings belong as ids. Returns false if there is none. Ties
 * are resolved in this order: the kind `preferred`, a kind whose name is similar to the key
 * `usage`, a kind with far more references, and the kind with the fewest ids, which matches least
 * often by chance. */
bool bake_infer_ids_match(const infer_ids *ids, const infer_texts *texts, const char *usage,
                          uint32_t usage_length, uint32_t preferred, infer_match *ret_match);
/* Whether there are at least two strings, and all are ids of one kind. If their key is named like
 * the kind, which sets `*ret_alike`, three quarters of them are enough. Ids that come from paths do
 * not count. */
bool bake_infer_ids_cover(const infer_ids *ids, const infer_texts *texts, const char *usage,
                          uint32_t usage_length, bool *ret_alike);
/* Whether a key contains the name of a kind or vice versa: `soundCollection`, `collection`. */
bool bake_infer_is_like_kind(const infer_kind *kind, const char *usage, uint32_t usage_length);

/* ---- infer_assets.c ---- */

/* Decides the layout of each group, and collects kinds and ids. Returns false if memory runs
 * out. */
bool bake_infer_assets_find(infer_ids *ids, infer_groups *groups, infer_shapes *shapes);
/* Decides for each group of engine objects whether `{fileID: N}` always refers to an object of the
 * same file. Returns false if memory runs out. */
bool bake_infer_objects_find(infer_groups *groups, const bake_inputs *inputs);
/* Finds the kinds whose assets inherit. Returns false if memory runs out. */
bool bake_infer_inheritance_find(infer_ids *ids);

#endif
