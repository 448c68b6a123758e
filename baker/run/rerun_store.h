/* The state of a rerun. Private to rerun.c, rerun_files.c, rerun_map.c, rerun_names.c,
 * rerun_output.c, rerun_patches.c, rerun_paths.c, rerun_payloads.c, rerun_scenes.c and
 * rerun_schema.c. */
#ifndef BAKE_RERUN_STORE_H
#define BAKE_RERUN_STORE_H

#include "asset_bases.h"
#include "asset_names.h"
#include "bake_inputs.h"
#include "extern_files.h"
#include "file_rebuild.h"
#include "memo_change.h"
#include "memo_patches.h"
#include "rerun.h"
#include "value_bake.h"
#include "value_origin.h"

typedef struct bake_rerun_moves bake_rerun_moves;

typedef struct rerun {
    bake_run *run;
    const bake_rerun_def *def;
    const bake_memo *before;
    bake_memo *memo;     /* of this run */
    bake_inputs located; /* all source files; empty if they are those of `before` */
    /* By new file. */
    const char **paths;
    uint64_t *sizes;
    unsigned char *changed; /* it is new, or its content has changed */
    unsigned char *parsed;
    const unsigned char *read; /* `changed` or `parsed`: the files of `inputs` */
    uint32_t file_count;
    /* By old file: its new number; UINT32_MAX: it is removed. */
    uint32_t *files;
    const char **added, **removed;
    size_t added_count, removed_count;
    unsigned char *uses_changed; /* by old row: it used a changed path that is not a source */
    uint32_t *others;            /* numbers of these paths */
    size_t other_count;
    /* By row of `memo`. */
    uint32_t *from;          /* the old row; UINT32_MAX: none */
    unsigned char *own;      /* it is new, or the meaning of its own node has changed */
    unsigned char *affected; /* the same, or it inherits from such an asset, or it is touched */
    unsigned char *retyped;  /* the schema has changed for its type */
    unsigned char *touched;  /* its references can have other targets */
    unsigned char *baked;    /* it is affected, touched or noisy */
    size_t schema_warnings;
    bool has_other_schema; /* a file of the schema has changed */
    /* If it has: its kinds and rest. */
    bake_memo_kind *kinds;
    kiln_hash128 schema_rest, schema_types;
    /* By type of the old schema: its new number, and whether its assets must be baked. */
    uint32_t *types, type_count;
    unsigned char *has_other_type;
    bool has_same_names;       /* no asset was added or removed */
    bool has_same_links;       /* no renamed or deleted id has changed */
    bool has_aliases;          /* references can mean an asset by another name than its own */
    bool has_other_aliases;    /* a guid, or a renamed, deleted or accepted id, has changed */
    bool has_other_prototypes; /* the same for an id of the kind of assets that are prefabs */
    bake_inputs inputs;        /* the parsed files */
    uint32_t *numbers;         /* by input: its number among the new files */
    bake_memo_patches patches; /* while `inputs` are those of the changed files */
    bake_names names;
    extern_files externs;
    bake_values *values;
    bake_patched_asset *made;
    size_t made_count, baked_count;
    /* The payloads of the new file, which are known after baking. */
    bake_rebuilt_payload *payloads;
    size_t payload_count;
    bool has_same_payloads; /* the old file has the same, in the same form */
    size_t scene_count;     /* baked scenes */
    bool has_noisy_scenes;
    /* The source map. */
    bake_old_origins *old_map;
    bake_rerun_moves *moves; /* private to rerun_map.c */
    unsigned char *mapped;   /* by row: it is not baked, but its records are made again */
    size_t mapped_count;
    bake_origins *origins;
} rerun;

static inline bool bake_rerun_has_map(const rerun *r)
{
    return r->run->options->source_map != NULL;
}

/* Whether the run can still succeed. */
static inline bool bake_rerun_is_valid(const rerun *r)
{
    bake_diagnostics *d = r->run->diagnostics;
    return bake_diagnostics_errors(d) == 0 && !bake_diagnostics_no_memory(d) &&
           r->run->failure.result == BAKE_OK;
}

/* The same, and there are no warnings except those of the schema. Other messages may depend on
 * files that this run does not read. */
static inline bool bake_rerun_is_silent(const rerun *r)
{
    return bake_rerun_is_valid(r) &&
           bake_diagnostics_warnings(r->run->diagnostics) == r->schema_warnings;
}

/* rerun_files.c: lists the source files and marks those that have changed. Needs the schema.
 * Returns false if anything else has changed, or memory runs out. */
bool bake_rerun_list_files(rerun *r);
/* rerun_files.c: reads the source files whose byte is set in `wanted`. */
bool bake_rerun_read(rerun *r, const unsigned char *wanted);
/* rerun_files.c: resolves the inheritance and the scenes of the files that were read. Returns false
 * after reports, or if memory runs out. */
bool bake_rerun_resolve(rerun *r);

/* rerun_names.c: whether files can have guids. */
bool bake_rerun_has_guids(const bake_schema *schema);
/* rerun_names.c: adds the guids of all files that are not in `inputs`. Returns false if a guid is
 * not unique, or memory runs out. */
bool bake_rerun_add_guids(rerun *r);
/* rerun_names.c: adds the aliases of all files to the new memo, while `inputs` are those of the
 * changed files. Returns false if memory runs out. */
bool bake_rerun_list_aliases(rerun *r);
/* rerun_names.c: sets `touched`, `has_same_links` and the members about aliases. Returns false if
 * the old output is damaged, a deletion of an id is removed, an asset has the name of a new link,
 * or memory runs out. */
bool bake_rerun_touch(rerun *r);

/* rerun_schema.c: whether a path is that of a schema file. */
bool bake_rerun_is_schema(const bake_run *run, const char *path);
/* rerun_schema.c: finds out which types another schema affects, and marks the files with assets of
 * these types as changed. Returns false if everything is affected, or memory runs out. */
bool bake_rerun_compare_schema(rerun *r);
/* rerun_schema.c: whether any type of the schema has changed, or their order. Only for runs with
 * scenes or prefabs. */
bool bake_rerun_has_other_types(const rerun *r);

/* rerun_map.c: finds the assets whose records are made again, and adds their files to those that
 * are parsed. Returns false if the old map is damaged, or memory runs out. */
bool bake_rerun_map_find(rerun *r);
/* rerun_map.c: begins the new map. From now on, values that are read are added to it. Returns false
 * if that failed. */
bool bake_rerun_map_begin(rerun *r);
/* rerun_map.c: copies the records of an asset. Returns false if memory runs out or writing fails.
 */
bool bake_rerun_map_copy(rerun *r, uint32_t number);
/* rerun_map.c: ends the map with the hash in the header of the output. Returns false if memory runs
 * out or writing fails. */
bool bake_rerun_map_bind(rerun *r, const unsigned char *header);
void bake_rerun_map_fini(rerun *r);

/* rerun_patches.c: lists the patches while `inputs` are those of the changed files, and reads the
 * files of all patched assets, too. Returns false if two of these have the same name, a report was
 * made, or memory runs out. */
bool bake_rerun_patches_begin(rerun *r);
/* rerun_patches.c: whether an asset is deleted, so that it has no row. */
bool bake_rerun_patches_skip(const rerun *r, const bake_asset *asset);
/* rerun_patches.c: a byte for each base, in new memory: it is deleted, or the layer of a patch.
 * Returns NULL if memory runs out. */
unsigned char *bake_rerun_patches_unlisted(const bake_bases *bases);

/* rerun_paths.c: marks everything that used a changed path, which is not a source. Returns false if
 * everything may be affected. */
bool bake_rerun_mark_path(rerun *r, const char *path);
/* rerun_paths.c: sets `touched` for all assets that used such a path. */
void bake_rerun_touch_users(rerun *r);
/* rerun_paths.c: adds the paths to the new memo, when all assets are baked, and the changed ones
 * that nobody uses any more to `removed`. Returns false if memory runs out. */
bool bake_rerun_paths_end(rerun *r);

/* rerun_payloads.c: makes the payloads of the new output from those of the memos. Returns false if
 * memory runs out. */
bool bake_rerun_payloads_list(rerun *r);
void bake_rerun_payloads_fini(rerun *r);

/* rerun_scenes.c: appends the prefabs of the changed files. `found` has room for all. Returns false
 * if memory runs out. */
bool bake_rerun_scenes_list(const rerun *r, bake_memo_found *found, uint32_t *count);
/* rerun_scenes.c: marks the scenes and prefabs that use anything else than before, and adds the
 * files that the changed ones use to those that are parsed. Returns false if everything is
 * affected, or memory runs out. */
bool bake_rerun_scenes_compare(rerun *r);
/* rerun_scenes.c: whether references in unchanged prefabs can have become wrong. */
bool bake_rerun_scenes_check_all(const rerun *r);
/* rerun_scenes.c: adds the names of a scene, which has the number `row`, and of its parts. */
bool bake_rerun_scenes_names(rerun *r, uint32_t row, bool (*add)(rerun *r, const bake_name *name));
/* rerun_scenes.c: checks the prefabs of the parsed files. */
bool bake_rerun_scenes_check(rerun *r);
/* rerun_scenes.c: bakes a scene, unless only its place is new, which only needs its records. */
bool bake_rerun_scenes_bake(rerun *r, const bake_asset *asset, uint32_t row);
/* rerun_scenes.c: completes the memo. Returns false if a limit may be exceeded, or memory runs
 * out. */
bool bake_rerun_scenes_end(rerun *r);

/* rerun_output.c: calls `may_write`. */
bool bake_rerun_may_write(rerun *r);
/* rerun_output.c: writes and commits the output, and prints its summary. */
bool bake_rerun_write(rerun *r);

#endif
