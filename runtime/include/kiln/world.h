/* Entities in chunks: a store of rows by archetype that needs no blob.
 *
 * An *entity* is a handle of index and version (<kiln/entity.h>). It has *components*: structs of a
 * fixed size, one of a kind at most, and tags, which have no bytes. Entities with the same set of
 * components share an *archetype*; their rows lie in its *chunks*, 16 KiB each, one column a
 * component (<kiln/chunk_layout.h>). Adding or removing a component moves the row to another
 * archetype's chunks; the entity, its index and every handle to it stay. A *bare* entity has no
 * components and no row: it is an id alone, and belongs to the null archetype.
 *
 *     data block    8,192 entities: a bitmask of those taken, and a record of 16 bytes each
 *     record        {version, row, chunk}: one read says whether a handle lives, and where
 *     mega chunk    64 chunks, 1 MiB; two of them share a 2 MiB page where huge pages are asked for
 *
 * A chunk is columns only. What there is to know of it lies beside it in a kiln_chunk: its count of
 * rows, the entity of each, when each column was last written. As long as the rows of a chunk have
 * consecutive indices, as they have after creating many at once, that is a first index and a count.
 * All chunks of an archetype are full but one, other than those that a batch or a bulk change
 * brought: destroying fills the hole with the last row. A chunk that a bulk change brought may be
 * full with fewer rows than others.
 *
 * Memory. Chunks and data blocks come from `pages`, whole and aligned, everything else from
 * `allocator`. Blocks are never given back while the world lives, nor moved, so looking at a handle
 * is safe at any time. Destroying gives chunks back to their mega chunk, and a mega chunk that is
 * wholly free is used again; its pages go back on kiln_world_trim, or above `keep_free`.
 *
 * Threads. There are three kinds of calls, and each function says which it is:
 *
 *     any       any number at once, beside one another and beside reading and changing
 *     reading   any number at once, but not beside changing
 *     changing  alone: neither reading nor another changing call at the same time
 *
 * Threads that read may write components (kiln_entity_write, kiln_walk_write) as long as no two use
 * the same component of the same chunk and one of them writes. What other threads want changed they
 * record in command buffers (<kiln/commands.h>) or fill into a batch (<kiln/batch.h>).
 *
 * Handles. A stale, forged or null handle is told apart in every build: reading one gives NULL,
 * changing one gives KILN_DEAD and changes nothing. What only a mistake of the program can cause (a
 * component that the world has not, a change while walking) stops a debug build of the library with
 * an assertion, and is KILN_BAD_ARGUMENT otherwise. Which world an entity, a component or an
 * archetype is of, it does not say: that of another world may stand for something in this one.
 * Running out of memory gives KILN_NO_MEMORY and leaves everything as it was, unless the function
 * says otherwise; KILN_LIMIT is a limit of the definition. Destroying needs no memory. */
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

/* Whether pages of 2 MiB are asked for. They make first touches and random reads cheaper, and cost
 * up to 2 MiB where a few KiB are used. AUTO: from the third mega chunk and data block on. */
typedef enum kiln_huge_pages {
    KILN_HUGE_PAGES_AUTO,
    KILN_HUGE_PAGES_NEVER,
    KILN_HUGE_PAGES_ALWAYS
} kiln_huge_pages;

typedef struct kiln_world_def {
    uint32_t max_blocks;      /* of 8,192 entities; 1 to KILN_BLOCK_MAX, the default */
    uint32_t max_mega_chunks; /* 1 to KILN_MEGA_MAX, the default */
    /* Bytes of wholly free mega chunks whose pages are kept; default SIZE_MAX: all. */
    size_t keep_free;
    kiln_huge_pages huge_pages;      /* default KILN_HUGE_PAGES_AUTO */
    const kiln_page_source *pages;   /* NULL: kiln_page_source_default() */
    const kiln_allocator *allocator; /* NULL: the C library's */
} kiln_world_def;

kiln_world_def kiln_world_def_default(void);

/* An empty world, with copies of what the definition points to. */
kiln_status kiln_world_create(const kiln_world_def *def, kiln_world **ret_world);
/* Frees everything without visiting an entity. Its queries, batches, appenders and command buffers
 * were destroyed or closed before: they are not freed with it. NULL is fine. Alone: not even beside
 * calls that are "any". */
void kiln_world_destroy(kiln_world *world);
/* Every entity dies: all handles read dead when it returns, and none was visited, so that it costs
 * next to nothing. Components, archetypes, queries, and memory stay. KILN_BAD_ARGUMENT while a
 * batch or an appender is open. Alone: not even beside calls that are "any". */
kiln_status kiln_world_clear(kiln_world *world);
/* Returns the pages of wholly free mega chunks; gives the bytes. Any. */
size_t kiln_world_trim(kiln_world *world);

/* Adds `count` mega chunks of memory that the caller has: `count` times KILN_MEGA_SIZE bytes at a
 * multiple of KILN_CHUNK_ALIGN, used like the world's own and never unmapped by it; what it holds
 * does not matter. It must outlive the world. KILN_LIMIT: `max_mega_chunks` has no room for all of
 * it, and none is used. Any. */
kiln_status kiln_world_lend(kiln_world *world, void *memory, uint32_t count);

/* A number that grows: what is written after this call is marked with a larger number than what was
 * written before. Give it as `since` to a later walk. Any. */
uint64_t kiln_world_mark(kiln_world *world);

typedef struct kiln_world_stats {
    uint64_t live; /* entities */
    uint64_t bare; /* of these without components */
    uint64_t free; /* other places in the blocks that there are, those of open batches and appenders
                    * included */
    uint64_t retired; /* places that had their last version */
    uint32_t blocks, mega_chunks, free_mega_chunks;
    uint32_t chunks; /* in use */
    uint32_t components, archetypes;
    uint64_t chunk_bytes; /* of mega chunks, lent ones included */
    uint64_t block_bytes; /* of data blocks' records */
} kiln_world_stats;

/* Linear in the places of the blocks. Beside creating and destroying threads an estimate. Reading.
 */
void kiln_world_get_stats(const kiln_world *world, kiln_world_stats *ret_stats);
/* Whether everything that must agree does. Linear in entities; for tests and for doubt. Changing.
 */
bool kiln_world_is_valid(const kiln_world *world);

/* ---- components and archetypes ---- */

/* Registers a component and copies what the definition points to. The same name again gives the
 * same component where layout, size and alignment are the same, too, and KILN_DUPLICATE otherwise.
 * KILN_BAD_ARGUMENT: kiln_component_def_check says so, which programs ask first that register what
 * they have read somewhere. Changing. */
kiln_status kiln_component_register(kiln_world *world, const kiln_component_def *def,
                                    kiln_component *ret_component);
/* By name; null where there is none. Reading. */
kiln_component kiln_component_find(const kiln_world *world, const char *name);
/* NULL for one that this world has not. Good as long as the world. Reading. */
const kiln_component_def *kiln_component_get(const kiln_world *world, kiln_component component);

/* The archetype of that set, made where it is new: the order does not matter, repeating does not
 * either, and none at all is the null archetype. KILN_L_ROW: one row is larger than a chunk.
 * Changing. */
kiln_status kiln_archetype_of(kiln_world *world, const kiln_component *components, uint32_t count,
                              kiln_archetype *ret_archetype);

/* An archetype and how well its chunks are used: data a tool can print. */
typedef struct kiln_archetype_info {
    const kiln_component *components; /* in the order of their names; good as long as the world */
    uint32_t component_count;
    uint32_t row_size;       /* bytes of a row, without the columns' alignment */
    uint32_t rows_per_chunk; /* at most: less in chunks that got a component while they had rows */
    uint32_t chunks;
    uint64_t rows;
    uint64_t waste; /* bytes of its chunks that no row uses */
} kiln_archetype_info;

/* Archetypes are numbered from 1 to the count, in the order in which they were made. Reading. */
uint32_t kiln_archetype_count(const kiln_world *world);
/* False for one that this world has not, and for the null archetype. Reading. */
bool kiln_archetype_get(const kiln_world *world, kiln_archetype archetype,
                        kiln_archetype_info *ret_info);

/* ---- ids ---- */

/* Creates `count` bare entities. Never waits for another thread: a block in use by another one is
 * passed over. Indices are consecutive where whole words of a block are free. KILN_LIMIT or
 * KILN_NO_MEMORY create none; KILN_LIMIT may come a little early, for up to 64 places wait for
 * kiln_entity_create, and blocks that other threads hold at that moment are passed over. Any. */
kiln_status kiln_entity_create_bare(kiln_world *world, uint32_t count, kiln_entity *ret_entities);

/* The entity that has this index now; null where none is alive. Any. */
kiln_entity kiln_entity_at(const kiln_world *world, uint32_t index);
/* The first living entity whose index is `from` or more; null where there is none. For iterating
 * over everything:
 *
 *     for (kiln_entity e = kiln_entity_next(world, 0); !kiln_entity_is_null(e);
 *          e = kiln_entity_next(world, e.index + 1))
 *
 * Beside creating and destroying threads it gives every entity that lives all the while. Any. */
kiln_entity kiln_entity_next(const kiln_world *world, uint32_t from);

/* KILN_DEAD where it does not live. A bare entity: any. One with components: changing. Entities of
 * a batch that is not published yet, or of an open appender, can be read and written, but neither
 * destroyed nor moved: KILN_BAD_ARGUMENT. */
kiln_status kiln_entity_destroy(kiln_world *world, kiln_entity entity);
/* Destroys those that live and gives their number. Bare entities alone: any. Otherwise changing. */
uint32_t kiln_entity_destroy_many(kiln_world *world, const kiln_entity *entities, uint32_t count);

/* ---- rows ---- */

/* Creates an entity with a row of `archetype`. With `ret_row` the caller writes every component of
 * the row at once, for its bytes are whatever was there; with NULL they are zero. For many in a
 * loop, an appender (<kiln/appender.h>) is quicker. Changing. */
kiln_status kiln_entity_create(kiln_world *world, kiln_archetype archetype, kiln_entity *ret_entity,
                               kiln_row *ret_row);

/* Values for many rows, one after another in memory. */
typedef struct kiln_column_values {
    kiln_component component;
    const void *values; /* `count` times the component's size; no alignment asked for */
} kiln_column_values;

typedef struct kiln_create_def {
    kiln_archetype archetype;
    uint32_t count; /* of entities */
    /* Values by component; those of the archetype that are not named are zero. */
    const kiln_column_values *columns;
    uint32_t column_count;
} kiln_create_def;

/* Creates many at once; their indices are consecutive wherever the blocks allow, so that their
 * chunks need no list of them. `ret_entities` has room for `count`, or is NULL. All or none: after
 * a failure the world holds what it held, and what `ret_entities` holds means nothing. KILN_LIMIT
 * may come a little early, as for kiln_entity_create_bare. Changing. */
kiln_status kiln_entity_create_many(kiln_world *world, const kiln_create_def *def,
                                    kiln_entity *ret_entities);

/* Adds the component with that value (NULL: zero), or writes the value where the entity has it
 * already. A tag's value is ignored. The value may be another component's, of this entity or of any
 * other. KILN_L_ROW: the row would be larger than a chunk. Changing. */
kiln_status kiln_entity_add(kiln_world *world, kiln_entity entity, kiln_component component,
                            const void *value);
/* Removes the component; where the entity has it not, nothing happens. The last one removed leaves
 * a bare entity. Changing. */
kiln_status kiln_entity_remove(kiln_world *world, kiln_entity entity, kiln_component component);
/* Moves the row to `archetype` in one step: components in both stay, others go, new ones are zero.
 * The null archetype leaves a bare entity. Changing. */
kiln_status kiln_entity_move(kiln_world *world, kiln_entity entity, kiln_archetype archetype);

/* The same for every entity of an archetype at once, chunk by chunk. A chunk whose columns have
 * room for the change is handed over as it is, at no cost for its rows: when components are
 * removed, tags added, or a component added that was removed so before. A full chunk that gets a
 * new component with bytes gives up as many rows as it needs room; these are copied, the others
 * stay where they are. Where that would be more than half of them, all are copied, as they are
 * where chunks would be left with much less than `rows_per_chunk`. Afterwards the archetype has no
 * rows, and those of the other have no order that means anything. The value must not lie in the
 * world's own chunks. KILN_L_ROW as above; KILN_NO_MEMORY or KILN_LIMIT may leave a part of the
 * entities moved, each of them whole. Changing.
 */
kiln_status kiln_archetype_add(kiln_world *world, kiln_archetype archetype,
                               kiln_component component, const void *value);
kiln_status kiln_archetype_remove(kiln_world *world, kiln_archetype archetype,
                                  kiln_component component);
kiln_status kiln_archetype_move(kiln_world *world, kiln_archetype from, kiln_archetype to);
/* Every entity of the archetype dies. Changing. */
kiln_status kiln_archetype_clear(kiln_world *world, kiln_archetype archetype);

/* ---- names ---- */

/* Gives the entity a name, or takes it away with NULL or "". The text is copied. Names need not be
 * unique; a dead entity's name is gone. Changing. */
kiln_status kiln_entity_set_name(kiln_world *world, kiln_entity entity, const char *name);
/* NULL where it has none, or is dead. Good until the next change. Reading. */
const char *kiln_entity_name(const kiln_world *world, kiln_entity entity);
/* The entity of that name, of several the one named last; null where there is none. O(1), but for
 * those of the same name that died since. Reading. */
kiln_entity kiln_entity_find(const kiln_world *world, const char *name);

#ifdef __cplusplus
}
#endif

#endif
