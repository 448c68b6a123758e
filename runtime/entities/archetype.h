/* An archetype: a set of components, the layout of their columns, and the chunks that hold its
 * rows.
 *
 *     chunks[0 .. full)       full of rows
 *     chunks[full .. count)   at least one row, and room for one more
 *
 * A row is appended to chunks[full], so that partly filled chunks fill up. A hole is filled with
 * the last row of the last chunk. No listed chunk is empty.
 *
 * Removing a component from all rows, or adding a tag, moves no row: the chunks are handed over
 * unchanged. Adding a component with bytes usually leaves most rows in place: the chunk is *cut* to
 * fewer rows, so that the new column fits after another one, and only the last rows move. So the
 * layout of a chunk may have more columns than its archetype, or fewer rows than would fit. All
 * code that accesses rows takes the columns and the capacity from the chunk.
 *
 * The ticks and indices of a chunk are in its *side*. Every chunk has a side, so destroying and
 * moving rows needs no memory. Sides come from slabs, each of which begins with the ticks of all
 * its chunks. So the memory for indices stays untouched, and uses no pages, as long as each of
 * these chunks has consecutive indices, of which only the first is stored.
 *
 * archetype.c creates archetypes and plans how rows move between them; archetype_change.c changes
 * all rows of one archetype at once.
 *
 * The null archetype, number 0, has no components and no rows; empty entities belong to it. */
#ifndef KILN_ARCHETYPE_H
#define KILN_ARCHETYPE_H

#include "chunk_store.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* This bit of `order` is set in a chunk that is not on any list. The other bits may contain the
 * number of the next such chunk, because chunk numbers are far below this bit. */
#define CHUNK_UNLISTED ((uint32_t)1 << 31)

static inline bool chunk_is_listed(const kiln_chunk *chunk)
{
    return (chunk->order & CHUNK_UNLISTED) == 0;
}

typedef struct archetype_column {
    kiln_component component;
    uint32_t offset, size;
} archetype_column;

/* How rows of one archetype become rows of another: first the components to copy, then the new
 * ones. `from` and `to` are offsets in chunks with the archetypes' own layouts; in chunks with
 * other layouts the offsets can differ. */
typedef struct move_step {
    kiln_component component;
    uint32_t size;
    uint16_t from, to;
} move_step;

typedef struct move_plan {
    struct move_plan *next; /* of the source archetype */
    const struct archetype *from;
    struct archetype *to;
    size_t bytes; /* of this struct */
    uint32_t copied, count;
    bool is_small; /* is_small_size holds for all copied components */
    move_step steps[];
} move_plan;

/* The plans for adding and for removing a component; NULL until they are first needed. */
typedef struct archetype_edge {
    const move_plan *add, *remove;
} archetype_edge;

/* The positions of the columns in a chunk. Each archetype has its own layout, with the maximum
 * number of rows. All other layouts are cuts. Each world numbers its layouts. */
typedef struct chunk_layout {
    const struct archetype *of; /* the archetype whose components are its columns */
    const kiln_column *columns; /* the columns of that archetype */
    uint32_t number;
    uint32_t capacity; /* rows that fit */
} chunk_layout;

/* A layout for chunks that get another component while most of their rows stay in place. */
typedef struct archetype_cut {
    struct archetype_cut *next;
    size_t bytes;
    const kiln_column *source; /* the chunk's columns before the cut */
    chunk_layout layout;
    kiln_column columns[];
} archetype_cut;

/* An archetype's columns in chunks whose layout was made for another archetype, but contains all of
 * these columns. */
typedef struct archetype_variant {
    struct archetype_variant *next;
    size_t bytes;
    uint32_t layout; /* its number */
    kiln_column columns[];
} archetype_variant;

typedef struct side_slab {
    struct side_slab *next;
    size_t bytes;
    uint32_t used, room; /* chunks */
} side_slab;

typedef struct archetype {
    kiln_archetype number;
    uint32_t capacity; /* rows of a chunk */
    uint32_t row_size;
    uint32_t component_count, data_count;
    bool has_on_remove;         /* one of its components has an on_remove callback */
    bool is_small;              /* is_small_size holds for all components with bytes */
    kiln_component *components; /* in the order of their names */
    archetype_column *data;     /* the components that have bytes */
    kiln_column *columns;       /* by component number */
    uint32_t column_limit;
    move_plan *plans;      /* other plans, to archetypes to which rows have moved */
    archetype_edge *edges; /* by component number */
    uint32_t edge_limit;
    uint32_t same_bucket; /* number of the next archetype in its bucket; 0 for the last */
    uint64_t rows;
    uint32_t *chunks; /* their numbers */
    uint32_t chunk_count, chunk_room, full;
    uint32_t unlisted;   /* claimed chunks that are not listed; the list has room for them */
    chunk_layout layout; /* its own */
    archetype_variant *variants;
    archetype_cut *cuts;
    uint32_t cut_count;
    side_slab *slabs;
    uint64_t *free_sides; /* sides of released chunks; the first word links to the next side */
    size_t bytes;         /* of this struct, with components, data and columns */
} archetype;

/* Makes the null archetype of a new world. */
kiln_status kiln_archetype_make_null(kiln_world *world);
void kiln_archetype_free(kiln_world *world, archetype *a);

/* The plan for adding or removing a component. */
kiln_status kiln_archetype_plan_add(kiln_world *world, archetype *a, kiln_component component,
                                    const move_plan **ret_plan);
kiln_status kiln_archetype_plan_remove(kiln_world *world, archetype *a, kiln_component component,
                                       const move_plan **ret_plan);
/* The plan for any other change of archetype. */
kiln_status kiln_archetype_plan_move(kiln_world *world, archetype *from, archetype *to,
                                     const move_plan **ret_plan);

/* Whether components of this size are copied inline. */
static inline bool is_small_size(uint32_t size)
{
    return size == 4 || (size >= 8 && size <= 16);
}

static inline bool archetype_has(const archetype *a, kiln_component component)
{
    return component.number < a->column_limit &&
           a->columns[component.number].offset != KILN_NO_COLUMN;
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
