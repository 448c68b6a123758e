/* A world stores entities as rows of chunks, one set of chunks per archetype. It needs no blob.
 *
 * An *entity* is a handle of index and version (<kiln/entity.h>). It has *components*: structs of a
 * fixed size, at most one of each kind. A component without bytes is a *tag*. Entities with the
 * same set of components share an *archetype*. Their rows are stored in its *chunks*, 16 KiB each,
 * with one column for each component (<kiln/chunk_layout.h>). Adding or removing a component moves
 * the row to a chunk of another archetype; the entity, its index and every handle to it stay valid.
 * An *empty* entity has no components and no row: it is only an id, and belongs to the null
 * archetype.
 *
 *     data block    8,192 entities: a bitmask of the ids in use, and a 16-byte record for each id
 *     record        {version, row, chunk}: one read shows whether the entity is alive, and where
 *                   its row is
 *     mega chunk    64 chunks, 1 MiB; two of them share a 2 MiB page if huge pages are used
 *
 * A chunk contains only columns. Everything else about it is in a kiln_chunk: the number of rows,
 * the entity of each row, and when each column was last written. While the rows of a chunk have
 * consecutive indices, as after creating many at once, only the first index is stored. Destroying
 * an entity fills the hole with the last row. So all chunks of an archetype but one are full,
 * except those from a batch or a bulk change. A chunk from a bulk change may have room for fewer
 * rows than others.
 *
 * Memory. Chunks and data blocks come from `pages`, whole and aligned, everything else from
 * `allocator`. Data blocks never move, and are not released while the world exists, so any handle
 * can be read at any time. Destroying returns chunks to their mega chunk, and wholly free mega
 * chunks are reused. kiln_world_trim releases their pages. The world also releases pages when these
 * mega chunks exceed `max_free_bytes`.
 *
 * Threads. Each function belongs to one of three kinds:
 *
 *     any       any number of calls at once, even during calls of the other kinds
 *     reading   any number of calls at once, but not during changing calls
 *     changing  alone: no reading call and no other changing call at the same time
 *
 * Reading threads may write components (kiln_entity_write, kiln_iterator_write) unless two of them
 * use the same component of the same chunk and one of them writes. They record other changes in
 * command buffers (<kiln/commands.h>) or fill a batch (<kiln/batch.h>).
 *
 * Handles. Every build detects stale, forged and null handles: reading one returns NULL, changing
 * one returns KILN_DEAD and changes nothing. Bugs in the program (an unknown component, a change
 * during an iteration) fail an assertion in debug builds of the library, and return
 * KILN_BAD_ARGUMENT otherwise. Handles of entities, components and archetypes do not record their
 * world: a handle from another world may match an unrelated object of this one. If memory runs out,
 * functions return KILN_NO_MEMORY and leave everything unchanged, unless their comment says
 * otherwise. KILN_LIMIT: a limit of the definition is reached. Destroying needs no memory. */
#ifndef KILN_WORLD_H
#define KILN_WORLD_H

#include <kiln/allocator.h>
#include <kiln/chunk_layout.h>
#include <kiln/entity.h>
#include <kiln/entity_tables.h>
#include <kiln/page_source.h>
#include <kiln/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the world ---- */

/* Whether the world requests pages of 2 MiB. They make first accesses and random reads cheaper, but
 * use up to 2 MiB where only a few KiB are needed. AUTO: from the third mega chunk and data block
 * on. */
typedef enum kiln_huge_pages {
    KILN_HUGE_PAGES_AUTO,
    KILN_HUGE_PAGES_NEVER,
    KILN_HUGE_PAGES_ALWAYS
} kiln_huge_pages;

typedef struct kiln_world_def {
    uint32_t max_blocks;      /* of 8,192 entities; 1 to KILN_BLOCK_MAX, the default */
    uint32_t max_mega_chunks; /* 1 to KILN_MEGA_MAX, the default */
    /* Maximum total size of the wholly free mega chunks that keep their pages, in bytes; default
     * SIZE_MAX: no limit. */
    size_t max_free_bytes;
    kiln_huge_pages huge_pages;      /* default KILN_HUGE_PAGES_AUTO */
    const kiln_page_source *pages;   /* NULL: kiln_page_source_default() */
    const kiln_allocator *allocator; /* NULL: the C library's */
    uint32_t cookie;                 /* private: set by kiln_world_def_default */
} kiln_world_def;

kiln_world_def kiln_world_def_default(void);

/* Creates an empty world, with copies of what the definition points to. */
kiln_status kiln_world_create(const kiln_world_def *def, kiln_world **ret_world);
/* Frees everything. Visits no entities, except to report rows to on_remove callbacks
 * (kiln_component_set_on_remove). Before this call, destroy or close the world's queries, batches,
 * appenders and command buffers: they are not freed with it. NULL is fine. Alone: not even at the
 * same time as calls of kind "any". */
void kiln_world_destroy(kiln_world *world);
/* Destroys every entity. Visits no entities, except to report rows to on_remove callbacks, so it
 * costs very little without such callbacks. Afterwards all handles are dead. Components,
 * archetypes, queries and memory stay. KILN_BAD_ARGUMENT while a batch or an appender is open.
 * Alone: not even at the same time as calls of kind "any". */
kiln_status kiln_world_clear(kiln_world *world);
/* Releases the pages of wholly free mega chunks, and returns the number of bytes released. Any. */
size_t kiln_world_trim(kiln_world *world);

/* Adds `count` mega chunks of the caller's memory: `count` times KILN_MEGA_SIZE bytes at a multiple
 * of KILN_CHUNK_ALIGN, with any content. The world uses them like its own, but never unmaps them.
 * The memory must outlive the world. KILN_LIMIT: `max_mega_chunks` would be exceeded; none of the
 * memory is used. Any. */
kiln_status kiln_world_add_memory(kiln_world *world, void *memory, uint32_t count);

/* Starts a new tick and returns the one that ended. Ticks increase: writes after this call have a
 * later tick than writes before it. Pass the returned tick as `since` to a later iteration. Any. */
uint64_t kiln_world_tick(kiln_world *world);

typedef struct kiln_world_stats {
    uint64_t live;    /* entities */
    uint64_t empty;   /* of these, entities without components */
    uint64_t free;    /* unused ids in existing blocks, including those reserved by open batches and
                         appenders */
    uint64_t retired; /* ids that have used their last version */
    uint32_t blocks, mega_chunks, free_mega_chunks;
    uint32_t chunks; /* in use */
    uint32_t components, archetypes;
    uint64_t chunk_bytes; /* of mega chunks, including memory from kiln_world_add_memory */
    uint64_t block_bytes; /* of data blocks' records */
} kiln_world_stats;

/* Linear in the size of the blocks. Approximate while other threads create and destroy entities.
 * Reading. */
void kiln_world_get_stats(const kiln_world *world, kiln_world_stats *ret_stats);
/* Checks the consistency of the world, for tests and for debugging memory corruption. Linear in
 * entities. Changing. */
bool kiln_world_is_valid(const kiln_world *world);

/* ---- components and archetypes ---- */

/* Registers a component and copies everything that `desc` points to. If the name is registered
 * already, returns the existing component if layout, size and alignment agree, else KILN_DUPLICATE.
 * KILN_BAD_ARGUMENT: kiln_component_desc_check rejects `desc`. Programs that read descriptions from
 * elsewhere should call that function first. Changing. */
kiln_status kiln_component_register(kiln_world *world, const kiln_component_desc *desc,
                                    kiln_component *ret_component);
/* Rows of a component that are about to be removed. Pointers are valid during the call. */
typedef struct kiln_removal {
    kiln_component component;
    uint32_t count;              /* of rows; at least 1 */
    const kiln_entity *entities; /* one for each row */
    const void *rows; /* their values, `count` times the component's size; NULL for a tag */
} kiln_removal;

typedef void kiln_remove_function(void *ctx, const kiln_world *world, const kiln_removal *removal);

/* Sets the function that is called when the component is removed from entities; NULL, the default:
 * none. It is called before each change that removes rows of the component, by the function that
 * makes the change, in the same thread:
 *
 *     kiln_entity_remove, kiln_entity_move             one row
 *     kiln_archetype_remove, kiln_archetype_move,
 *     kiln_query_remove                                chunk by chunk
 *     kiln_entity_destroy, kiln_entity_destroy_many    rows that are next to each other, in the
 *                                                      order of the list
 *     kiln_archetype_clear, kiln_query_clear, kiln_world_clear,
 *     kiln_world_destroy, kiln_scene_unload            chunk by chunk
 *     kiln_commands_play                               as above, when it plays the command; not
 *                                                      when the command is recorded. Consecutive
 *                                                      commands that destroy count as one list
 *
 * One call reports up to 256 rows. The entities are still alive and have all of their components.
 * The function may read all of them, this component for the last time. If an entity loses several
 * components that have functions, all of these functions are called before the first component is
 * removed, in the order of the components' names. A change that fails makes no call, except for
 * chunks that were changed before the failure. Writing a new value is not a removal. Entities of
 * batches, appenders and loads that are discarded have never been published, so there is no call
 * for them.
 *
 * The function must not change or reserve rows (batches, appenders, loads of scenes): such a call
 * fails an assertion in debug builds of the library, and in other builds returns KILN_BAD_ARGUMENT
 * (kiln_entity_destroy_many: 0) and changes nothing. It may write existing components, iterate over
 * queries, create and destroy empty entities, and record commands, except in a buffer that is being
 * played (KILN_BAD_ARGUMENT, an assertion in debug builds). To change rows in response, record
 * commands in another buffer and play it later.
 *
 * If no component of an archetype has a function, each change of its rows costs one more test.
 * Setting a function takes time linear in the number of archetypes. KILN_BAD_ARGUMENT: there is no
 * such component. Changing. */
kiln_status kiln_component_set_on_remove(kiln_world *world, kiln_component component,
                                         kiln_remove_function *on_remove, void *ctx);
/* The component of that name; null if there is none. Reading. */
kiln_component kiln_component_find(const kiln_world *world, const char *name);
/* The description of a component; NULL if this world has no such component. Valid until the world
 * is destroyed. Reading. */
const kiln_component_desc *kiln_component_get(const kiln_world *world, kiln_component component);

/* The archetype with this set of components, created if it is new. Order and duplicates do not
 * matter, and the empty set is the null archetype. KILN_L_ROW: one row is larger than a chunk.
 * Changing. */
kiln_status kiln_archetype_register(kiln_world *world, const kiln_component *components,
                                    uint32_t count, kiln_archetype *ret_archetype);

/* An archetype and how well its chunks are used, for tools to print. */
typedef struct kiln_archetype_info {
    const kiln_component *components; /* sorted by name; valid while the world exists */
    uint32_t component_count;
    uint32_t row_size;       /* bytes of a row, without padding between columns */
    uint32_t rows_per_chunk; /* maximum; chunks from a bulk change may have room for fewer */
    uint32_t chunks;
    uint64_t rows;
    uint64_t waste; /* bytes of its chunks that no row uses */
} kiln_archetype_info;

/* Archetypes are numbered from 1 to the count, in the order of creation. Reading. */
uint32_t kiln_archetype_count(const kiln_world *world);
/* False for the null archetype, and if this world has no such archetype. Reading. */
bool kiln_archetype_get(const kiln_world *world, kiln_archetype archetype,
                        kiln_archetype_info *ret_info);

/* ---- ids ---- */

/* Creates `count` empty entities. Never waits for another thread: it skips blocks that other
 * threads use. Indices are consecutive where the free ids of a block are. KILN_LIMIT and
 * KILN_NO_MEMORY create none. KILN_LIMIT may be returned slightly before the limit is reached: up
 * to 64 ids are reserved for kiln_entity_create, and blocks that other threads hold at that moment
 * are skipped. Any. */
kiln_status kiln_entity_create_empty(kiln_world *world, uint32_t count, kiln_entity *ret_entities);

/* The living entity with this index; null if there is none. Any. */
kiln_entity kiln_entity_at(const kiln_world *world, uint32_t index);
/* The living entity with the lowest index that is `from` or more; null if there is none. To iterate
 * over everything:
 *
 *     for (kiln_entity e = kiln_entity_next(world, 0); !kiln_entity_is_null(e);
 *          e = kiln_entity_next(world, e.index + 1))
 *
 * If other threads create and destroy entities meanwhile, it returns every entity that is alive
 * throughout the iteration. Any.
 */
kiln_entity kiln_entity_next(const kiln_world *world, uint32_t from);

/* Destroys an entity; KILN_DEAD if it is not alive. If it is empty: any. Otherwise: changing.
 * Entities of a batch that is not published yet, or of an open appender, can be read and written,
 * but neither destroyed nor moved: KILN_BAD_ARGUMENT. */
kiln_status kiln_entity_destroy(kiln_world *world, kiln_entity entity);
/* Destroys the living ones among `count` entities and returns how many were destroyed. If all of
 * them are empty: any. Otherwise: changing. */
uint32_t kiln_entity_destroy_many(kiln_world *world, const kiln_entity *entities, uint32_t count);

/* ---- rows ---- */

/* Creates an entity with a row of `archetype`. If `ret_row` is NULL, the bytes of the row are zero.
 * Otherwise they are undefined, and the caller must write every component of the row immediately.
 * To create many in a loop, an appender (<kiln/appender.h>) is faster. Changing. */
kiln_status kiln_entity_create(kiln_world *world, kiln_archetype archetype, kiln_entity *ret_entity,
                               kiln_row *ret_row);

/* Values for many rows, one after another in memory. */
typedef struct kiln_column_values {
    kiln_component component;
    const void *values; /* `count` times the component's size; any alignment */
} kiln_column_values;

typedef struct kiln_create_args {
    kiln_archetype archetype;
    uint32_t count; /* of entities */
    /* Values by component; other components of the archetype are zero. */
    const kiln_column_values *columns;
    uint32_t column_count;
} kiln_create_args;

/* Creates many entities at once. Their indices are consecutive where the blocks allow it; chunks
 * with consecutive indices need no list of them. `ret_entities` has room for `count`, or is NULL.
 * All or nothing: after a failure the world is unchanged, and the content of `ret_entities` is
 * undefined. KILN_LIMIT may be returned slightly before the limit is reached, as for
 * kiln_entity_create_empty. Changing. */
kiln_status kiln_entity_create_many(kiln_world *world, const kiln_create_args *args,
                                    kiln_entity *ret_entities);

/* Adds the component with that value (NULL: zero), or writes the value if the entity has the
 * component. A tag's value is ignored. The value may be stored in another component, of this entity
 * or of any other. KILN_L_ROW: the row would be larger than a chunk. Changing. */
kiln_status kiln_entity_add(kiln_world *world, kiln_entity entity, kiln_component component,
                            const void *value);
/* Removes the component; does nothing if the entity does not have it. Removing the last component
 * leaves an empty entity. Changing. */
kiln_status kiln_entity_remove(kiln_world *world, kiln_entity entity, kiln_component component);
/* Moves the row to `archetype` in one step: components in both stay, others are removed, and new
 * ones are zero. The null archetype leaves an empty entity. Changing. */
kiln_status kiln_entity_move(kiln_world *world, kiln_entity entity, kiln_archetype archetype);

/* Adds or removes a component, or moves to another archetype, for all entities of an archetype at
 * once, chunk by chunk. A chunk is handed over unchanged, at no cost for its rows, if its columns
 * have room for the change: when components are removed, when tags are added, and when a component
 * is added again after such a removal. If a full chunk gets a new component with bytes, the last
 * rows are copied to other chunks until the new column fits, and the first rows stay. All rows are
 * copied if more than half of them would have to be copied, if the chunk could then hold less than
 * three quarters of `rows_per_chunk`, or if the rows that stay would fill less than half of the
 * chunk and fit into other chunks. Afterwards the archetype has no rows, and the order of rows in
 * the target archetype is undefined. The value must not be stored in the world's own chunks.
 * KILN_L_ROW as above; after KILN_NO_MEMORY or KILN_LIMIT some of the entities may have been moved,
 * each of them completely. Changing. */
kiln_status kiln_archetype_add(kiln_world *world, kiln_archetype archetype,
                               kiln_component component, const void *value);
kiln_status kiln_archetype_remove(kiln_world *world, kiln_archetype archetype,
                                  kiln_component component);
kiln_status kiln_archetype_move(kiln_world *world, kiln_archetype from, kiln_archetype to);
/* Destroys every entity of the archetype. Changing. */
kiln_status kiln_archetype_clear(kiln_world *world, kiln_archetype archetype);

/* ---- names ---- */

/* Sets the entity's name, or removes it with NULL or "". The string is copied. Names need not be
 * unique; a dead entity has none. Changing. */
kiln_status kiln_entity_set_name(kiln_world *world, kiln_entity entity, const char *name);
/* The entity's name; NULL if it has none, or is dead. Valid until the next change. Reading. */
const char *kiln_entity_name(const kiln_world *world, kiln_entity entity);
/* The entity with that name, or null if there is none. If several entities have the name, the one
 * that got it last. O(1), plus the number of dead entities that had this name. Reading. */
kiln_entity kiln_entity_find(const kiln_world *world, const char *name);

#ifdef __cplusplus
}
#endif

#endif
