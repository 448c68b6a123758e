/* Scenes: entities that were baked, or saved, as chunks, and are loaded by mapping them.
 *
 * A scene lies in a file that a table of assets has mounted (<kiln/scene.h>, <kiln/assets.h>). It
 * is loaded in two steps. A *source* is a scene that was found, checked and understood once: its
 * file stays open, its data and the assets that its entities refer to stay loaded as long as it is
 * open. From a source any number of *instances* are loaded into any number of worlds: each is its
 * own entities.
 *
 *     kiln_scene_source_open(&(kiln_scene_source_def){.assets = assets, .name = "Scene/town"},
 *                            &source, &error);
 *     kiln_scene_load(&(kiln_scene_load_def){.world = world, .source = source}, &scene, &error);
 *     kiln_entity door = kiln_scene_find(scene, "door");
 *     kiln_scene_unload(scene);
 *     kiln_scene_source_close(source);
 *
 * What loading costs. Chunks that are stored whole are mapped where the file is, where its source
 * is KILN_SOURCE_MAP and there are enough of them (KILN_SCENE_OWN_LEAST): no byte of them is copied
 * until somebody writes to it, then a page. Otherwise they are copied, once. The cost of the rest
 * grows with chunks, entities with references, and 16 bytes an entity for its record. What a mapped
 * file's bytes become when the file is overwritten or cut is said of KILN_SOURCE_MAP
 * (<kiln/file.h>): reading a chunk of a file that was cut raises SIGBUS, KILN_SOURCE_COPY is for
 * files that others may write to.
 *
 * Words. Loading turns what rows have in the file into what they have in memory:
 *
 *     entity fields    kiln_entity: of this instance; of the last instance in the world of another
 *                      scene that this one names; otherwise null, and never another entity
 *     refs             kiln_ref of the indirect form; null where the asset is missing and
 *                      `allow_missing` was asked for; reads NULL when the asset is gone
 *     data fields      kiln_data: the address of the value, in the scene's data; 0 if empty
 *
 * Layouts. A component that the world has with another layout is converted, column by column, to
 * that layout, by the types of the program and of the file (<kiln/convert.h>). What becomes of one
 * that neither the world nor the program knows `unknown` says.
 *
 * Threads. Loading and unloading are changing calls of the world (<kiln/world.h>), and use the
 * table of assets as changing calls of that. Functions that only look are reading. Sources may be
 * opened and closed by any thread.
 *
 * Failure. A load that fails leaves the entities, chunks and components of the world as they were;
 * what it had registered stays registered: components, archetypes, memory for chunks. */
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

typedef struct kiln_scene_source_def {
    kiln_assets *assets; /* outlives the source and all that is loaded from it */
    kiln_id id;          /* 0 with a name */
    const char *name;    /* NULL with an id */
    bool allow_missing;  /* references to assets that nobody has read as null */
    const char *by;      /* KILN_HERE */
} kiln_scene_source_def;

/* Loads the scene's asset with everything that it refers to, and checks the scene as thoroughly as
 * the tier of its file says: in every tier what the places of rows stand on, and the words in rows
 * when they are turned; from `hash` on the hashes of its blobs; in `deep` every rule of FORMAT.md
 * section 14. TYPE_MISMATCH: it is no scene. Otherwise as kiln_assets_load,
 * and rules S. */
kiln_status kiln_scene_source_open(const kiln_scene_source_def *def, kiln_scene_source **ret_source,
                                   kiln_error *reterr);
/* Instances that were loaded from it stay, and keep what they need. NULL is fine. */
void kiln_scene_source_close(kiln_scene_source *source);
/* Components, archetypes, rows and names of the scene. As long as the source is open. */
const kiln_scene_view *kiln_scene_source_view(const kiln_scene_source *source);

/* ---- loading ---- */

typedef struct kiln_scene_instance kiln_scene_instance;

/* What becomes of components that neither the world nor the program's types know. */
typedef enum kiln_unknown {
    KILN_UNKNOWN_REFUSE, /* NOT_FOUND, `path` is the component */
    KILN_UNKNOWN_KEEP,   /* they are registered as the file describes them */
    KILN_UNKNOWN_DROP    /* the entities come without them */
} kiln_unknown;

typedef struct kiln_scene_load_def {
    kiln_world *world;
    kiln_scene_source *source;
    kiln_unknown unknown; /* default KILN_UNKNOWN_REFUSE */
    bool forbid_mapping;  /* copy in any case */
    bool set_names;       /* kiln_entity_set_name for all that have one; otherwise kiln_scene_find
                             alone knows names */
} kiln_scene_load_def;

/* Loads an instance. LIMIT, NO_MEMORY; TYPE_MISMATCH: a component cannot be converted, or is
 * not what its layout hash says, `path` says which and why; DUPLICATE: entities have a component
 * twice, by its name and by what it was called; NO_TYPES: the program knows a component, but not
 * what its data is; S6 to S8: a word in a row leads nowhere. Changing. */
kiln_status kiln_scene_load(const kiln_scene_load_def *def, kiln_scene_instance **ret_instance,
                            kiln_error *reterr);

/* Loading in slices, for streaming: between calls the world may be used and changed as ever, but
 * for kiln_world_clear. Nobody sees the entities before the end. It is ended or cancelled before
 * the world is destroyed. */
typedef struct kiln_scene_loading kiln_scene_loading;

kiln_status kiln_scene_load_begin(const kiln_scene_load_def *def, kiln_scene_loading **ret_loading,
                                  kiln_error *reterr);
/* Goes on until `nanoseconds` are over (at least one chunk), or all is done. After an error there
 * is only cancelling. Changing. */
kiln_status kiln_scene_load_step(kiln_scene_loading *loading, uint64_t nanoseconds, bool *ret_done,
                                 kiln_error *reterr);
/* Publishes what is done, at a cost by chunk; ends `loading`. BAD_ARGUMENT: it is not done yet.
 * Changing. */
kiln_status kiln_scene_load_end(kiln_scene_loading *loading, kiln_scene_instance **ret_instance,
                                kiln_error *reterr);
/* Gives everything back. NULL is fine. Changing. */
void kiln_scene_load_cancel(kiln_scene_loading *loading);

/* ---- instances ---- */

/* The entity of that number in the scene; null where it died. Reading. */
kiln_entity kiln_scene_entity(const kiln_scene_instance *instance, uint32_t number);
/* The entity of that name, a way `a/b` for children and nested scenes; null where there is none, or
 * it died. O(log n). Reading. */
kiln_entity kiln_scene_find(const kiln_scene_instance *instance, const char *name);

typedef struct kiln_scene_info {
    const char *name;  /* of the asset; as long as the instance */
    uint32_t entities; /* that came with it */
    uint32_t living;   /* of these */
    uint32_t chunks;   /* that its rows went to when it was loaded, those that others' rows are in,
                          too; in an empty world as many as the forecast says */
    uint32_t mapped;   /* of these, mapped from its file */
} kiln_scene_info;

/* Linear in the entities where some died or changed their components. Reading. */
kiln_scene_info kiln_scene_get_info(const kiln_scene_instance *instance);

/* Ends those of its entities that live, wherever they are now, and the instance. Where nothing came
 * or went in its chunks this costs by chunk, not by entity; pages of its file go at once. Entities
 * that the program created stay. NULL is fine. Alone: not even beside calls that are "any". */
void kiln_scene_unload(kiln_scene_instance *instance);

/* Lets the entities live on by themselves: the instance ends, they stay. The data of their fields
 * stays, too, until kiln_world_clear or kiln_world_destroy, or until kiln_scenes_settle finds that
 * none of them lives. Changing. */
void kiln_scene_detach(kiln_scene_instance *instance);
/* Gives back the data of detached instances of which no entity lives; gives how many stay. Linear
 * in their entities. Changing. */
uint32_t kiln_scenes_settle(kiln_world *world);

/* ---- saving ---- */

typedef struct kiln_scene_save_def {
    const kiln_world *world;
    /* Has the types of the program, and the names of the assets that entities refer to. NULL: no
     * entity refers to any, and data fields are those of scenes that are loaded. */
    kiln_assets *assets;
    /* Which entities, in any order; dead ones are left out. NULL: all that live. */
    const kiln_entity *entities;
    uint32_t count;
    const char *name; /* of the scene, `Kind/id` */
    int compression;  /* of kiln_scene_save: a level from 1 to 22; default 0, none */
    /* Without them an entity has the name that the world has for it, otherwise the one that it has
     * in the scene of its instance. A name that several have is that of the entity that
     * kiln_entity_find gives, or the first one; the others have none then. */
    bool omit_names;
    const kiln_allocator *allocator; /* NULL: the world's */
} kiln_scene_save_def;

/* Writes entities as a file with one scene, from which they are loaded as they are: components,
 * names, references. The same world gives the same bytes, however it came to be what it is: rows
 * are numbered by the names of their components and by where they stand in their chunks.
 *
 *     entity fields    to others that are saved; to one of another instance that is named in its
 *                      scene: that name; to the dead and to all others: null
 *     refs             by the asset's name, whatever the form; null where the asset went.
 *                      NOT_FOUND: it has no name. DEAD: the word never was one
 *     data fields      the value, with all that it refers to. Equal addresses are one value
 *
 * Entities of an open batch or appender, and of a scene that is being loaded, are no part of it.
 * `reterr->path` is `entity 17.game.Position`, with the entity's index. NO_TYPES: the type of what
 * a component's data fields lead to is not known; TYPE_MISMATCH: it is another in one scene of the
 * world than in the file. Reading of the world, changing of the table. */
kiln_status kiln_scene_save(const kiln_scene_save_def *def, kiln_buffer *ret_file,
                            kiln_error *reterr);
/* The same into a file that has more than that. `types` are the file's; they have kiln.Scene
 * (kiln_types_with_scene) and, where components have data fields, those and their SceneData. After
 * an error the file may hold a part of the scene. */
kiln_status kiln_scene_save_to(const kiln_scene_save_def *def, kiln_file_writer *file,
                               const kiln_types *types, kiln_error *reterr);

/* The instances of a world: the first after NULL, NULL after the last. Reading. */
kiln_scene_instance *kiln_scenes_next(const kiln_world *world, const kiln_scene_instance *after);

#ifdef __cplusplus
}
#endif

#endif
