/* Scenes: entities that are baked or saved as chunks, and loaded by mapping the chunks.
 *
 * A scene is stored in a file that is mounted in an asset table (<kiln/scene.h>, <kiln/assets.h>).
 * Loading has two steps. A *source* is a scene that has been found and checked. While a source is
 * open, its file stays open, and its data and the assets to which its entities refer stay loaded. A
 * program loads any number of *instances* from a source into any number of worlds. Each instance
 * has its own entities.
 *
 *     kiln_scene_source_open(&(kiln_scene_source_args){.assets = assets, .name = "Scene/town"},
 *                            &source, &error);
 *     kiln_scene_load(&(kiln_scene_load_args){.world = world, .source = source}, &scene, &error);
 *     kiln_entity door = kiln_scene_find(scene, "door");
 *     kiln_scene_unload(scene);
 *     kiln_scene_source_close(source);
 *
 * Cost. Chunks that are stored whole are mapped from the file, if the file was opened with
 * KILN_SOURCE_MAP and there are enough of them (KILN_SCENE_MAPPED_MIN): a page is copied only when
 * it is written to. Otherwise the chunks are copied once. The remaining cost is proportional to the
 * number of chunks and the number of entities that have references, plus 16 bytes written for each
 * entity's record. The warnings about KILN_SOURCE_MAP (<kiln/file.h>) apply to mapped chunks:
 * reading a chunk of a truncated file raises SIGBUS. Use KILN_SOURCE_COPY for files to which other
 * programs may write.
 *
 * Words. Loading replaces the words in rows:
 *
 *     entity fields    kiln_entity: an entity of this instance. If the field names an entity of
 *                      another scene: that entity in the most recently loaded instance of that
 *                      scene in the world; null if there is none, never a different entity
 *     refs             kiln_ref of the indirect form; null if the asset is missing and
 *                      `allow_missing` is set; reads as NULL after the asset is removed
 *     data fields      kiln_data: the address of the value, in the scene's data; 0 if empty
 *
 * Layouts. If a component's layout in the world differs from the file's, its columns are converted
 * to the world's layout, by the types of the program and of the file (<kiln/convert.h>). `unknown`
 * controls what happens to components that are neither in the world nor in the program's types.
 *
 * Threads. Loading and unloading are changing calls of both the world (<kiln/world.h>) and the
 * asset table. Functions that only read are of kind "reading". Sources may be opened and closed by
 * any thread.
 *
 * Failure. A load that fails leaves the existing entities, chunks and components of the world
 * unchanged. Components and archetypes that it has registered stay, and so does memory for chunks.
 */
#ifndef KILN_SCENES_H
#define KILN_SCENES_H

#include <kiln/assets.h>
#include <kiln/file_writer.h>
#include <kiln/scene.h>
#include <kiln/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sources ---- */

typedef struct kiln_scene_source kiln_scene_source;

typedef struct kiln_scene_source_args {
    kiln_assets *assets; /* must outlive the source and everything that is loaded from it */
    kiln_id id;          /* set either `id` or `name`; the other is 0 or NULL */
    const char *name;    /* of the scene, `Kind/id` */
    bool allow_missing;  /* references to assets that do not exist read as null */
    const char *by;      /* KILN_HERE */
} kiln_scene_source_args;

/* Loads the scene's asset with everything that it refers to, and checks the scene. At every
 * verification level, this function checks everything on which the addresses of rows depend, and
 * loading checks the words in rows. KILN_VERIFY_HASH adds the hashes of the scene's blobs,
 * KILN_VERIFY_DEEP every rule of FORMAT.md section 14. TYPE_MISMATCH: the asset is not a scene.
 * Otherwise an error of kiln_assets_load, or the rule of section 14 that the scene violates. Words
 * with an earlier id of an asset refer to the asset; those of deleted assets become null
 * (<kiln/redirects.h>). If another thread replaces the file meanwhile, all parts of the scene come
 * from one version of the file. */
kiln_status kiln_scene_source_open(const kiln_scene_source_args *args,
                                   kiln_scene_source **ret_source, kiln_error *reterr);
/* Closes the source. Its instances stay. They keep the file open, and the assets that they use
 * loaded. NULL is fine. */
void kiln_scene_source_close(kiln_scene_source *source);
/* Components, archetypes, rows and names of the scene; valid while the source is open. */
const kiln_scene_view *kiln_scene_source_view(const kiln_scene_source *source);

/* ---- loading ---- */

typedef struct kiln_scene_instance kiln_scene_instance;

/* What to do with components that are neither in the world nor in the program's types. */
typedef enum kiln_unknown {
    KILN_UNKNOWN_REFUSE, /* NOT_FOUND, `path` is the component */
    KILN_UNKNOWN_KEEP,   /* they are registered as the file describes them */
    KILN_UNKNOWN_DROP    /* the entities are loaded without them */
} kiln_unknown;

typedef struct kiln_scene_load_args {
    kiln_world *world;
    kiln_scene_source *source;
    kiln_unknown unknown; /* default KILN_UNKNOWN_REFUSE */
    bool forbid_mapping;  /* always copy */
    bool set_names;       /* call kiln_entity_set_name for every named entity; otherwise only
                             kiln_scene_find finds names */
} kiln_scene_load_args;

/* Loads an instance. LIMIT, NO_MEMORY. TYPE_MISMATCH: a component cannot be converted, or does not
 * match its layout hash; `path` has the component and the reason. DUPLICATE: entities have a
 * component twice, under its name and under an earlier name. NO_TYPES: the program's types contain
 * a component, but not the type of its data. S6 to S8: a word in a row is invalid. Changing. */
kiln_status kiln_scene_load(const kiln_scene_load_args *args, kiln_scene_instance **ret_instance,
                            kiln_error *reterr);

/* Begins loading in slices, for streaming. Between the calls the world may be used and changed as
 * usual, except by kiln_world_clear. The entities are not visible before kiln_scene_load_end. End
 * or cancel the load before the world is destroyed. */
typedef struct kiln_scene_loading kiln_scene_loading;

kiln_status kiln_scene_load_begin(const kiln_scene_load_args *args,
                                  kiln_scene_loading **ret_loading, kiln_error *reterr);
/* Continues for `nanoseconds` (at least one chunk), or until the load is complete. After an error
 * `loading` can only be cancelled. Changing. */
kiln_status kiln_scene_load_step(kiln_scene_loading *loading, uint64_t nanoseconds, bool *ret_done,
                                 kiln_error *reterr);
/* Publishes the instance and frees `loading`. Linear in chunks, in rows that share chunks with
 * other rows, in entities without components and, with `set_names`, in names. NO_MEMORY and LIMIT
 * also free `loading`, and nothing stays loaded. BAD_ARGUMENT: loading is not finished, or has
 * failed; `loading` stays. Changing. */
kiln_status kiln_scene_load_end(kiln_scene_loading *loading, kiln_scene_instance **ret_instance,
                                kiln_error *reterr);
/* Releases everything that was loaded. NULL is fine. Changing. */
void kiln_scene_load_cancel(kiln_scene_loading *loading);

/* ---- instances ---- */

/* The entity with that number in the scene; null if it is dead. Reading. */
kiln_entity kiln_scene_entity(const kiln_scene_instance *instance, uint32_t number);
/* The entity with that name, which is a path `a/b` for children and nested scenes; null if there is
 * none, or if it is dead. O(log n). Reading. */
kiln_entity kiln_scene_find(const kiln_scene_instance *instance, const char *name);

typedef struct kiln_scene_info {
    const char *name;  /* of the asset; valid until the instance is unloaded or detached */
    uint32_t entities; /* loaded with it; after kiln_scene_apply, those of the new scene */
    uint32_t living;   /* number of these that are alive */
    uint32_t chunks; /* chunks into which its rows were loaded, including chunks with other rows; in
                        an empty world, as many as kiln_scene_get_forecast predicts. 0 after
                        kiln_scene_apply */
    uint32_t mapped; /* number of these chunks that are mapped from its file */
} kiln_scene_info;

/* Linear in the number of entities if some died or changed their components. Reading. */
kiln_scene_info kiln_scene_get_info(const kiln_scene_instance *instance);

/* Destroys the instance and its living entities, whatever archetypes they are in now. If no row was
 * added to its chunks or removed from them, the cost is proportional to its chunks, not to its
 * entities, and pages of its file are unmapped immediately. Entities that the program created stay.
 * NULL is fine. Alone: not even at the same time as calls of kind "any". */
void kiln_scene_unload(kiln_scene_instance *instance);

/* Frees the instance, but not its entities. The data of the entities' fields stays until
 * kiln_world_clear or kiln_world_destroy, or until kiln_scenes_collect finds that no entity of the
 * instance is alive. Changing. */
void kiln_scene_detach(kiln_scene_instance *instance);
/* Releases the data of detached instances without a living entity, and returns how many detached
 * instances stay. Linear in their entities. Changing. */
uint32_t kiln_scenes_collect(kiln_world *world);

/* ---- applying a scene again ---- */

/* A value, component or entity that both the scene and the program have changed, so that
 * kiln_scene_apply kept the program's version. */
typedef struct kiln_scene_kept {
    kiln_entity entity;
    const char *component; /* NULL: the entity, which the program destroyed */
    /* NULL: all of the component, because its type is unknown, or because the component itself was
     * added or removed; else a field of its type. Strings are valid during the call. */
    const char *field;
} kiln_scene_kept;

typedef struct kiln_scene_apply_args {
    kiln_scene_instance *instance;
    kiln_scene_source *source; /* of the same scene, opened after the file was replaced */
    kiln_unknown unknown;      /* as in kiln_scene_load_args */
    /* May be NULL. Called for each value, component or entity that is kept; must not use the world
     * or the table. */
    void (*on_kept)(void *ctx, const kiln_scene_kept *kept);
    void *ctx;
} kiln_scene_apply_args;

typedef struct kiln_scene_applied {
    uint32_t added, removed; /* entities */
    uint32_t changed;        /* other entities that were written or moved */
    uint32_t kept;           /* calls of `on_kept` */
} kiln_scene_applied;

/* Applies a new version of its scene to an instance (hot reload: kiln_assets_replace, then
 * kiln_scene_source_open, then this function for each instance). Three versions of each value are
 * compared: the one that was loaded, the current one in the world, and the new one in the scene.
 *
 *     the program has not changed it    it gets the new value
 *     the scene has not changed it      it stays
 *     both have changed it              it stays, and `on_kept` is called
 *
 * Values are the fields of a component if the program's types contain the component with its
 * layout; otherwise whole components. A data field always counts as changed by the scene, unless it
 * is empty in both the old and the new version. Components that the scene adds or removes follow
 * the same rule: a component with a value that the program changed is not removed, and one that the
 * program removed is not added again. Layouts are converted as by kiln_scene_load.
 *
 * Entities are identified by their names in the scene, which are paths (`a/b`). Unnamed entities
 * are matched by order: the n-th one with a set of components in the old scene is the n-th one with
 * the same set in the new scene. So name the entities to which a program refers. Entities that are
 * new in the scene are created. Entities that the new scene lacks are destroyed, whatever the
 * program changed in them. All others keep their handles, even if their components change. Entities
 * of the program, and those that the program destroyed, are not affected.
 *
 * Afterwards kiln_scene_find and kiln_scene_entity use the new scene. Only chunks with changed rows
 * get a new tick. If data fields are kept, data of the old scene stays until the instance is
 * unloaded. Names in the world (kiln_entity_set_name) do not change.
 *
 * All or nothing: after an error only components and archetypes may have been registered. Returns
 * the errors of kiln_scene_load, and BAD_ARGUMENT if the source belongs to a different scene or
 * table, or if rows of the instance are in an open batch or appender. Changing, for the world and
 * the table. */
kiln_status kiln_scene_apply(const kiln_scene_apply_args *args, kiln_scene_applied *ret_applied,
                             kiln_error *reterr);

/* ---- saving ---- */

typedef struct kiln_scene_save_args {
    const kiln_world *world;
    /* Provides the program's types, and the names of the assets to which entities refer. May be
     * NULL if no entity refers to an asset and all data fields come from loaded scenes. */
    kiln_assets *assets;
    /* The entities, in any order; dead ones are ignored. NULL: all living ones. */
    const kiln_entity *entities;
    uint32_t count;
    const char *name; /* of the scene, `Kind/id` */
    int compression;  /* of kiln_scene_save: a level from 1 to 22; default 0, none */
    /* Omits names. Otherwise an entity is saved with its name in the world, or else with its name
     * in the scene from which it was loaded. If several entities have the same name, only one is
     * saved with it: the entity that kiln_entity_find returns, or else the first. */
    bool omit_names;
    const kiln_allocator *allocator; /* NULL: the world's */
} kiln_scene_save_args;

/* Writes entities, with their components, names and references, as a file with one scene. Entities
 * are numbered in the order of the names of their components, and then of their rows, so the same
 * world always gives the same bytes.
 *
 *     entity fields    to a saved entity: that entity. To an entity that is not saved but has a
 *                      name in a loaded scene: that name. To any other entity, or a dead one:
 *                      null
 *     refs             saved as the asset's name, whatever the form of the word; null if the asset
 *                      was removed. NOT_FOUND: the asset has no name. DEAD: the word was never a
 *                      reference
 *     data fields      the value, with everything to which it refers. Equal addresses become one
 *                      value
 *
 * Entities of an open batch or appender, and of a scene that is being loaded, are not saved.
 * `reterr->path` is `entity 17.game.Position`, with the entity's index. NO_TYPES: the type of a
 * component's data fields is unknown. TYPE_MISMATCH: this type differs between a scene of the world
 * and the file. BAD_ARGUMENT: `assets` is NULL, but an entity refers to an asset. Reading for the
 * world, changing for the asset table. */
kiln_status kiln_scene_save(const kiln_scene_save_args *args, kiln_buffer *ret_file,
                            kiln_error *reterr);
/* Like kiln_scene_save, but adds the scene to `file`, which may contain other assets. `types` are
 * the types of the file. They must include kiln.Scene (kiln_types_with_scene) and, if components
 * have data fields, the types of these fields and their SceneData. After an error the file may
 * contain part of the scene. */
kiln_status kiln_scene_save_to(const kiln_scene_save_args *args, kiln_file_writer *file,
                               const kiln_types *types, kiln_error *reterr);

/* Iterates over the instances of a world. Pass NULL to get the first one; returns NULL after the
 * last. Reading. */
kiln_scene_instance *kiln_scenes_next(const kiln_world *world, const kiln_scene_instance *after);

#ifdef __cplusplus
}
#endif

#endif
