/* Internals of a world.
 *
 * These parts of its public interface have no private header: world.c, component.c, entity.c (empty
 * entities and rows, one by one), entity_many.c (many rows at once), entity_change.c (components of
 * one entity), reader.c.
 *
 * Archetypes and components exist until their world is destroyed. They are in arrays of pointers,
 * numbered from 1; number 0 is null. */
#ifndef KILN_WORLD_OBJECT_H
#define KILN_WORLD_OBJECT_H

#include "archetype.h"
#include "chunk_store.h"
#include "entity_names.h"
#include "id_store.h"
#include "list.h"

#include <assert.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Keeps a rarely called function out of line, so that its hot caller needs fewer registers. */
#if defined(__GNUC__)
#define RARE __attribute__((noinline))
#else
#define RARE
#endif

/* Reports a bug in the program (see "Handles" in <kiln/world.h>): fails an assertion in debug
 * builds, and returns a status in all others. */
#define MISUSE(what) (assert(false && "misuse: " what), KILN_BAD_ARGUMENT)

typedef struct kiln_component_entry {
    kiln_component_desc desc;        /* its pointers point to the copies below */
    size_t size;                     /* bytes of this struct and of the copies after it */
    kiln_remove_function *on_remove; /* NULL: none */
    void *on_remove_ctx;
} kiln_component_entry;

enum { ARCHETYPE_BUCKETS = 1024 };

/* Consecutive free rows of a chunk, and as many consecutive ids from the stash. kiln_entity_create
 * takes rows from the window while nothing else changes the world. */
typedef struct kiln_row_window {
    /* The world's `structure` when the window was opened. Each use of a row increments the world's.
     */
    uint64_t structure;
    uint64_t tick; /* of the chunk */
    uint32_t archetype;
    uint32_t count, used;
    /* The next fields describe the first row and id. */
    uint32_t index, row;
    uint64_t place;
    kiln_record *records;
    kiln_chunk *chunk;
    uint64_t *rows; /* of the archetype */
} kiln_row_window;

/* Functions of the scenes that a world calls. Scenes are built on top of worlds, so a world calls
 * them only through this table. */
typedef struct kiln_world_hooks {
    /* All entities have died. */
    void (*on_clear)(kiln_world *world);
    /* The world is about to be destroyed but still complete. */
    void (*on_destroy)(kiln_world *world);
} kiln_world_hooks;

struct kiln_world {
    kiln_world_tables tables; /* first: see <kiln/entity_tables.h> */
    kiln_allocator allocator;
    kiln_page_source pages;
    kiln_id_store ids;
    kiln_chunk_store chunks;
    kiln_row_window window;
    kiln_list components;                /* of kiln_component_entry *; the first represents null */
    kiln_list archetypes;                /* of archetype *; the first is the null archetype */
    kiln_list layouts;                   /* of const chunk_layout * */
    uint32_t buckets[ARCHETYPE_BUCKETS]; /* hash table of archetypes by set; numbers, 0 for none */
    kiln_list queries;                   /* of kiln_query * */
    kiln_list column_tables;             /* of column_table */
    kiln_names names;
    uint32_t removers;  /* components with `on_remove` */
    bool is_removing;   /* an on_remove callback is running: see removal.h */
    uint64_t structure; /* incremented by each change, so that iterators detect it */
    uint32_t batches;   /* open batches and appenders, and scenes that are being loaded */
    const kiln_world_hooks *hooks;      /* NULL until a scene is loaded */
    struct kiln_scene_instance *scenes; /* the most recently loaded one first */
    /* The asset table whose collector reads the references in this world's rows; NULL if none
     * does. */
    const void *traced_for;
};

static inline void *world_alloc(const kiln_world *world, size_t size)
{
    return world->allocator.alloc(world->allocator.ctx, size, 16);
}

static inline void world_free(const kiln_world *world, void *memory, size_t size)
{
    if (memory)
        world->allocator.free(world->allocator.ctx, memory, size);
}

static inline uint64_t current_tick(const kiln_world *world)
{
    return atomic_load_explicit(&world->tables.tick, memory_order_relaxed);
}

/* NULL if the world has no such archetype. */
static inline archetype *world_archetype(const kiln_world *world, kiln_archetype number)
{
    return number.number < world->archetypes.count
               ? ((archetype **)world->archetypes.items)[number.number]
               : NULL;
}

static inline archetype *chunk_archetype(const kiln_world *world, const kiln_chunk *chunk)
{
    return ((archetype **)world->archetypes.items)[chunk->archetype];
}

static inline const chunk_layout *world_layout(const kiln_world *world, uint32_t number)
{
    return ((const chunk_layout **)world->layouts.items)[number];
}

/* NULL for null, and if the world has no such component. */
static inline const kiln_component_entry *world_component(const kiln_world *world,
                                                          kiln_component component)
{
    return component.number < world->components.count
               ? ((kiln_component_entry **)world->components.items)[component.number]
               : NULL;
}

static inline bool world_has_components(const kiln_world *world, const kiln_component *components,
                                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!world_component(world, components[i]))
            return false;
    }
    return true;
}

static inline uint64_t make_place(uint32_t chunk, uint32_t row)
{
    return (uint64_t)(chunk * sizeof(kiln_chunk)) << 32 | row;
}

static inline uint32_t chunk_number(const kiln_world *world, const kiln_chunk *chunk)
{
    return (uint32_t)(chunk - world->tables.chunks);
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
