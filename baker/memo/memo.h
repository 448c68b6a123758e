/* The memo of a run: its source files and assets, as far as a later run needs them to decide which
 * assets a change of some files affects.
 *
 * The blob of an asset depends on the meaning of its own node and of the nodes of its parents and
 * their parents, on the rule that found it, on the schema, and on the names and types of all
 * assets. An asset is plain if nothing else has an effect on it: it was baked without files and
 * resource paths. memo_paths.h describes the files that all others use. A run must have no memo if
 * it uses a source for another purpose, too, or if a message is not about the schema or the values
 * of an asset.
 *
 * Abstract assets, which are only parents, have rows, too. The file does not contain to which
 * assets they refer, so the memo does. memo_file.h stores memos. One thread at a time. */
#ifndef BAKE_MEMO_H
#define BAKE_MEMO_H

#include "asset_input.h"
#include "file_state.h"
#include "node_form.h"

#include <kiln/index.h>

enum {
    BAKE_MEMO_PLAIN = 1,
    BAKE_MEMO_NOISY = 2,   /* it had a part in a message, so every run must bake it */
    BAKE_MEMO_REPORTED = 4 /* a message about a budget has its line, so every run must parse it */
};
#define BAKE_MEMO_NO_RULE UINT32_MAX

/* As it is stored. */
typedef struct bake_memo_asset {
    kiln_hash128 meaning; /* of its own node and its patches */
    KILN_ALIGNAS(8)
    uint64_t weight; /* of its layers, as bake_bases counts them; 0 without parents */
    uint32_t name;   /* `Kind/id`: offset in the texts */
    uint32_t name_length;
    uint32_t type;
    uint32_t file;
    uint32_t rule;         /* index in the schema */
    uint32_t first_parent; /* in the list of parents */
    uint32_t parent_count;
    uint32_t flags;
    uint32_t first_target; /* in the list of targets */
    uint32_t target_count;
} bake_memo_asset;

/* As it is stored. */
typedef struct bake_memo_source {
    KILN_ALIGNAS(8) uint64_t size; /* in bytes */
    uint32_t path;                 /* relative to the current folder: offset in the texts */
    uint32_t path_length;
} bake_memo_source;

/* A kind of assets in the schema, as it is stored. */
typedef struct bake_memo_kind {
    kiln_hash128 name;    /* its hash */
    kiln_hash128 meaning; /* of its type (schema_meaning.h) */
    uint32_t type;        /* in the schema */
    uint32_t zero;
} bake_memo_kind;

/* The data of a payload in an asset, as it is stored. */
typedef struct bake_memo_payload {
    kiln_hash128 content;
    uint32_t row;                   /* below `asset_count` */
    uint32_t alignment, frame_size; /* as in bake_payload_form */
    uint32_t zero;
} bake_memo_payload;

typedef enum bake_memo_alias_kind {
    BAKE_MEMO_RENAMED, /* the name of an asset, and its new name */
    BAKE_MEMO_DELETED,
    BAKE_MEMO_ACCEPTED,
    BAKE_MEMO_DANGLING,      /* a missing name that caused a warning */
    BAKE_MEMO_GUID,          /* a guid, and the path of its file relative to the base */
    BAKE_MEMO_GUID_OF_INPUT, /* the same for a file that is an input */
    BAKE_MEMO_CONTEXT        /* only `file`, which renames, deletes or accepts ids, or has
                                patches or patched assets */
} bake_memo_alias_kind;

/* A name that is not that of an asset, as it is stored. */
typedef struct bake_memo_alias {
    uint32_t name, name_length; /* in the texts of aliases */
    uint32_t to, to_length;
    uint32_t file; /* of guids and contexts; otherwise BAKE_MEMO_NO_FILE */
    uint32_t kind;
} bake_memo_alias;
#define BAKE_MEMO_NO_FILE UINT32_MAX

/* A path that the run used besides its sources, as it is stored. */
typedef struct bake_memo_used {
    uint32_t path, path_length; /* in the texts of aliases */
} bake_memo_used;

/* Who used a path (memo_paths.h), as it is stored. */
typedef struct bake_memo_use {
    uint32_t path;   /* its number */
    uint32_t kind;   /* bake_memo_user_kind */
    uint32_t number; /* of the file or the row */
} bake_memo_use;

/* About the scenes of the run, as it is stored. */
typedef struct bake_memo_scenes {
    kiln_hash128 schema; /* of all types and their order; zero without scenes and prefabs */
    KILN_ALIGNAS(8) uint64_t cost; /* entities and components of the largest scene, or more */
    uint32_t prefab_count;
    uint32_t exist; /* 1: there are documents of scenes or prefabs, even if they are empty */
} bake_memo_scenes;

typedef struct bake_memo {
    bake_memo_asset *all; /* assets, abstract assets, prefabs; each of these sorted by name */
    bake_memo_source *files;
    uint32_t *parents; /* numbers of rows */
    kiln_id *targets;  /* ids to which abstract assets refer, perhaps with duplicates */
    bake_memo_kind *kinds;
    bake_memo_payload *payloads; /* by row, perhaps with duplicates */
    bake_memo_alias *aliases;    /* sorted by bake_memo_sort_aliases */
    bake_memo_used *paths;       /* sorted by their texts */
    bake_memo_use *uses;         /* sorted by their members, without duplicates */
    char *alias_texts;           /* of aliases and paths; each ends with a NUL */
    bake_node_form *forms;       /* by row, if the run had a source map */
    char *texts;                 /* each ends with a NUL */
    uint32_t count, asset_count, file_count, parent_count, target_count, kind_count;
    uint32_t payload_count, alias_count, alias_size, path_count, use_count;
    uint32_t form_count;      /* `count` or 0 */
    kiln_hash128 schema_rest; /* see schema_meaning.h */
    bake_memo_scenes scenes;
    size_t text_size, parent_capacity, target_capacity, payload_capacity;
    size_t alias_capacity, alias_text_capacity;
    bake_file_state state; /* of the file that it was loaded from; otherwise zero */
} bake_memo;

/* Whether a memo can describe these inputs: all could be read, and if there are patches, there are
 * neither links nor scenes or prefabs. */
bool bake_memo_are_possible(const bake_inputs *inputs);

/* A prefab that all scenes can use. */
typedef struct bake_memo_prefab {
    const char *name;
    size_t name_length;
    const bake_tree *tree;
    bake_node_id node, named_at;
    uint32_t input;
} bake_memo_prefab;

typedef struct bake_memo_def {
    const bake_inputs *inputs; /* sorted by name, with resolved bases; all trees must exist */
    const bake_schema *schema;
    bake_memo_prefab *prefabs; /* in any order; sorted afterwards */
    size_t prefab_count;
    bool has_forms; /* needed for a source map */
} bake_memo_def;

/* Makes the memo of inputs. No asset is plain yet, and scenes and prefabs have no parents. Returns
 * NULL if memory runs out or there are too many rows. */
bake_memo *bake_memo_make(const bake_memo_def *def);
/* Accepts NULL. */
void bake_memo_destroy(bake_memo *memo);

/* Lists the kinds of a schema in new memory, and gets the hashes of its rest and of all its types.
 * Returns NULL if memory runs out or there are too many kinds. */
bake_memo_kind *bake_memo_list_kinds(const bake_schema *schema, kiln_hash128 *ret_rest,
                                     kiln_hash128 *ret_types);

/* Replaces the parents of a row. Returns false if memory runs out. */
bool bake_memo_set_parents(bake_memo *memo, uint32_t number, const uint32_t *parents,
                           uint32_t count);

/* Replaces the targets of a row. Returns false if memory runs out. */
bool bake_memo_set_targets(bake_memo *memo, uint32_t number, const kiln_id *targets, size_t count);

/* Adds a payload. Call bake_memo_sort_payloads after the last one, unless all were added in the
 * order of their rows. Returns false if memory runs out. */
bool bake_memo_add_payload(bake_memo *memo, const bake_memo_payload *payload);
void bake_memo_sort_payloads(bake_memo *memo);
/* Removes the payloads of all rows whose byte is set. */
void bake_memo_drop_payloads(bake_memo *memo, const unsigned char *rows);

/* The number of rows of assets, with abstract ones. */
static inline uint32_t bake_memo_prefabs_at(const bake_memo *memo)
{
    return memo->count - memo->scenes.prefab_count;
}

/* Whether a row is a scene or a prefab. The parents of such a row are everything that it uses:
 * prefabs, assets that are prefabs, and scenes; its weight is the work to read it. */
static inline bool bake_memo_is_scene(const bake_memo_asset *row)
{
    return row->type == KILN_TYPE_NONE;
}

/* The meaning of the node of a row. In a scene or prefab, the order of keys can matter. */
kiln_hash128 bake_memo_meaning(const bake_tree *tree, bake_node_id node, bool is_scene);

/* Returns the number of the row of the asset with this name; UINT32_MAX if there is none. */
uint32_t bake_memo_find(const bake_memo *memo, const char *name, size_t length);
/* The same for a prefab. */
uint32_t bake_memo_find_prefab(const bake_memo *memo, const char *name, size_t length);
/* The same for a file. The search begins at the number `first`, which changes only its time. */
uint32_t bake_memo_find_file(const bake_memo *memo, const char *path, uint32_t first);

static inline const char *bake_memo_name(const bake_memo *memo, uint32_t number)
{
    return memo->texts + memo->all[number].name;
}

static inline const char *bake_memo_path(const bake_memo *memo, uint32_t file)
{
    return memo->texts + memo->files[file].path;
}

/* The rule of an asset as a number. */
uint32_t bake_memo_rule(const bake_schema *schema, const bake_file_rule *rule);

/* Sets a byte in `flags`, which has one for each row, for all descendants of the rows whose byte
 * is already set. */
void bake_memo_add_descendants(const bake_memo *memo, unsigned char *flags);
/* Sets a byte in `files`, which has one for each file, for all files with ancestors of any asset in
 * the files whose byte is already set. */
void bake_memo_add_ancestors(const bake_memo *memo, unsigned char *files);

#endif
