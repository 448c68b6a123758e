/* The ids of all assets, by kind, and which values are ids. Part: infer_assets.c, which finds them.
 */
#ifndef BAKE_INFER_IDS_H
#define BAKE_INFER_IDS_H

#include "infer_groups.h"

#define INFER_KIND_NONE UINT32_MAX
/* The key of numbers of objects, as Unity writes it. */
#define INFER_NUMBER_KEY "fileID"

/* Assets of one type. */
typedef struct infer_kind {
    const char *name;   /* as the data or the files name it */
    const char *type;   /* the name of its type; NULL: not yet named */
    const char *word;   /* the part before the `/` in names of its assets */
    const char *id_key; /* in lists; NULL: the ids are keys or come from paths */
    infer_shape *shape; /* of the assets */
    infer_group *group;
    uint32_t count;         /* ids */
    const char *parent_key; /* assets inherit by this key; NULL: they do not */
    const char *abstract_key;
    uint64_t parents;     /* values of the parent key */
    uint32_t abstract;    /* ids of abstract assets */
    uint64_t base_refs;   /* references to abstract assets, which makes them assets */
    uint64_t popular;     /* values at all positions that certainly have its ids */
    infer_table accepted; /* ids in some field that no asset has */
} infer_kind;

typedef struct infer_id {
    const char *text;
    uint32_t length;
    uint32_t kind;
    uint32_t next;     /* the same text of another kind; 0: none */
    infer_place place; /* of the asset */
    uint8_t state;     /* while looking for cycles */
    bool is_abstract;
} infer_id;

typedef struct infer_ids {
    bake_store *store;
    const bake_inputs *inputs;
    infer_kind *kinds;
    uint32_t kind_count;
    size_t kind_capacity;
    infer_id *ids; /* the first is unused, so that 0 means none */
    uint32_t count;
    size_t capacity;
    hash_table by_text; /* the first of each text */
    bool bases_count;   /* ids of abstract assets match, too */
} infer_ids;

/* Adds an id; sets `*ret_twice` if the kind already has it. False when memory ran out. */
bool bake_infer_ids_add(infer_ids *ids, uint32_t kind, const char *text, uint32_t length,
                        infer_place place, bool *ret_twice);
/* The first id of this text; NULL. Others follow by bake_infer_ids_next. */
infer_id *bake_infer_ids_find(const infer_ids *ids, const char *text, uint32_t length);
infer_id *bake_infer_ids_next(const infer_ids *ids, const infer_id *id);
/* Forgets the ids of a kind that turned out not to be one. */
void bake_infer_ids_forget(infer_ids *ids, uint32_t kind);

/* How many of some texts are ids of one kind. */
typedef struct infer_match {
    uint32_t kind;
    uint32_t hits, distinct;       /* of the distinct values */
    uint64_t hit_count, all_count; /* of all */
    bool rivals;                   /* another kind has as many hits */
} infer_match;

/* Finds the kind that has most of the texts as ids; false if no kind has any. Between equals the
 * kind `preferred` wins, then one whose name is similar to `usage`, the key of the texts, then one
 * with far more references, then the one with the fewest ids, where a match by chance is least
 * likely. */
bool bake_infer_ids_match(const infer_ids *ids, const infer_texts *texts, const char *usage,
                          uint32_t usage_length, uint32_t preferred, infer_match *ret_match);
/* Whether all the texts, at least two, are ids of one kind. Most of them are enough if their key is
 * named like the kind. */
bool bake_infer_ids_cover(const infer_ids *ids, const infer_texts *texts, const char *usage,
                          uint32_t usage_length, bool *ret_alike);
/* Whether a key contains the name of a kind, or the reverse: `soundCollection`, `collection`. */
bool bake_infer_is_like_kind(const infer_kind *kind, const char *usage, uint32_t usage_length);

/* ---- infer_assets.c ---- */

/* Decides what the documents of each group are, and collects the kinds and their ids. False when
 * memory ran out. */
bool bake_infer_assets_find(infer_ids *ids, infer_groups *groups, infer_shapes *shapes);
/* Decides whether numbers in streams of objects are objects of the same file. False when memory ran
 * out. */
bool bake_infer_objects_find(infer_groups *groups, const bake_inputs *inputs);
/* Finds the kinds whose assets inherit. False when memory ran out. */
bool bake_infer_inheritance_find(infer_ids *ids);

#endif
