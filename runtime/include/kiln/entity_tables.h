/* Reads entities: the part of <kiln/world.h> that must be fast and is therefore inline.
 *
 * A world begins with its tables, so that reading by handle costs only two reads that may miss the
 * cache: the entity's record and the component itself. Programs use the functions. The structs are
 * visible only because the functions are inline, and for debuggers and tools that read the memory
 * of a process. Only the library writes them. Each function's comment ends with its kind: see
 * "Threads" in <kiln/world.h>. */
#ifndef KILN_ENTITY_TABLES_H
#define KILN_ENTITY_TABLES_H

#include <kiln/atomic.h>
#include <kiln/entity.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Maximum number of mega chunks in a world. A 32-bit host cannot address more. */
#if SIZE_MAX > UINT32_MAX
enum { KILN_MEGA_MAX = 16384 };
#else
enum { KILN_MEGA_MAX = 2048 };
#endif

typedef struct kiln_world kiln_world;

/* A component of a world; zero is null. */
typedef struct kiln_component {
    uint32_t number;
} kiln_component;

/* An archetype of a world; zero is null, the archetype without components. */
typedef struct kiln_archetype {
    uint32_t number;
} kiln_archetype;

/* The record of an entity: 16 bytes. `place` locates its row: the lower 32 bits are the row in its
 * chunk, the upper 32 bits the byte offset of the kiln_chunk in `chunks`. `place` is 0 while the
 * entity is empty or the record is free. */
typedef struct kiln_record {
    KILN_ATOMIC(uint32_t) version;
    uint32_t is_retired; /* 1: never reused */
    KILN_ATOMIC(uint64_t) place;
} kiln_record;

/* Where a component is stored in the chunks of an archetype. */
typedef struct kiln_column {
    uint16_t offset; /* of its column in a chunk, in bytes; KILN_NO_COLUMN: not in the archetype */
    uint16_t number; /* position among the archetype's components, from 1 */
    uint32_t size;   /* bytes per row */
} kiln_column;

enum { KILN_NO_COLUMN = UINT16_MAX };

/* Describes a chunk. The chunk itself contains only columns. */
typedef struct kiln_chunk {
    unsigned char *data;        /* 16 KiB */
    const kiln_column *columns; /* by component number, `column_limit` of them */
    /* The world's tick when a row was last created in the chunk or moved into it, followed by one
     * tick for each of the archetype's components: when it was last written. */
    uint64_t *ticks;
    uint32_t *indices; /* of each row's entity, if `is_run` is 0 */
    uint32_t column_limit;
    uint32_t count; /* rows; an open appender updates it when it reserves more */
    uint32_t first; /* index of the first row's entity, if `is_run` is 1 */
    uint32_t is_run;
    uint32_t capacity; /* rows that fit */
    uint32_t archetype;
    /* Position among the archetype's chunks; 2^31 or more while the chunk belongs to a batch or
     * appender. */
    uint32_t order;
    uint32_t layout; /* number of the layout that defines its columns */
} kiln_chunk;

typedef struct kiln_world_tables {
    KILN_ATOMIC(kiln_record *) * blocks; /* KILN_BLOCK_MAX of them; NULL for missing blocks */
    kiln_chunk *chunks;                  /* by number; number 0 is a placeholder without columns */
    KILN_ATOMIC(uint64_t) tick;
} kiln_world_tables;

/* A row and its chunk. Valid until the next change. */
typedef struct kiln_row {
    kiln_chunk *chunk;
    uint32_t row;
} kiln_row;

static inline const kiln_world_tables *kiln_world_get_tables(const kiln_world *world)
{
    return (const kiln_world_tables *)(const void *)world;
}

/* The record of an index in a table of blocks; NULL if there is no block for it. The load acquires:
 * another thread may have just mapped the block, and its page source may have written zeros to it.
 * Any. */
static inline const kiln_record *kiln_block_record(KILN_ATOMIC(kiln_record *) const *blocks,
                                                   uint32_t index)
{
    if (index >= KILN_ENTITY_MAX)
        return NULL;
    const kiln_record *block = KILN_LOAD_ACQUIRE(&blocks[index / KILN_BLOCK_ENTITIES]);
    return block ? &block[index % KILN_BLOCK_ENTITIES] : NULL;
}

/* The record of an index; NULL if there is no block for it. Any. */
static inline const kiln_record *kiln_index_record(const kiln_world *world, uint32_t index)
{
    return kiln_block_record(kiln_world_get_tables(world)->blocks, index);
}

/* The record of a living entity, NULL for any other bits. Any. */
static inline const kiln_record *kiln_entity_record(const kiln_world *world, kiln_entity entity)
{
    const kiln_record *record = kiln_index_record(world, entity.index);
    bool is_alive =
        record && (entity.version & 1) && KILN_LOAD_ACQUIRE(&record->version) == entity.version;
    return is_alive ? record : NULL;
}

/* Whether the entity is alive. Any. */
static inline bool kiln_entity_exists(const kiln_world *world, kiln_entity entity)
{
    return kiln_entity_record(world, entity) != NULL;
}

/* The component's column in the chunk; NULL if the chunk has none. Reading. */
static inline const kiln_column *kiln_chunk_column(const kiln_chunk *chunk,
                                                   kiln_component component)
{
    if (component.number >= chunk->column_limit)
        return NULL;
    const kiln_column *column = &chunk->columns[component.number];
    return column->offset != KILN_NO_COLUMN ? column : NULL;
}

/* The `place` of a living entity's record; 0 for any other bits. A free record has no place, so
 * even versions need no separate check. Reading. */
static inline uint64_t kiln_entity_place(const kiln_world *world, kiln_entity entity)
{
    const kiln_record *record = kiln_index_record(world, entity.index);
    if (!record)
        return 0;
    uint64_t place = KILN_LOAD_RELAXED(&record->place);
    return KILN_LOAD_RELAXED(&record->version) == entity.version ? place : 0;
}

/* The chunk and row of a place. Place 0 is in chunk 0, which has no columns. Reading. */
static inline kiln_row kiln_place_row(const kiln_world *world, uint64_t place)
{
    unsigned char *chunks = (unsigned char *)kiln_world_get_tables(world)->chunks;
    kiln_row row = {(kiln_chunk *)(void *)(chunks + (place >> 32)), (uint32_t)place};
    return row;
}

/* The entity's chunk and row. The chunk is NULL for a dead or empty entity. Reading. */
static inline kiln_row kiln_entity_row(const kiln_world *world, kiln_entity entity)
{
    uint64_t place = kiln_entity_place(world, entity);
    kiln_row row = kiln_place_row(world, place);
    if (!place)
        row.chunk = NULL;
    return row;
}

/* The entity's archetype, for kiln_archetype_get and similar functions; null for a dead or empty
 * entity. Reading.
 */
static inline kiln_archetype kiln_entity_archetype(const kiln_world *world, kiln_entity entity)
{
    kiln_row row = kiln_entity_row(world, entity);
    kiln_archetype archetype = {row.chunk ? row.chunk->archetype : 0};
    return archetype;
}

/* The component in that row, or NULL if the archetype does not have it. The row's chunk must not be
 * NULL. Use it for reading, and for the first write to a row that was just created. For a tag,
 * which has no bytes, returns a non-NULL address that must not be dereferenced. Reading. */
static inline void *kiln_row_at(kiln_row row, kiln_component component)
{
    const kiln_column *column = kiln_chunk_column(row.chunk, component);
    return column ? row.chunk->data + column->offset + (size_t)row.row * column->size : NULL;
}

/* The entity's component; NULL if the entity is dead or does not have it. Valid until the next
 * change. To read one component of many entities, a reader is faster (<kiln/reader.h>). Reading. */
static inline const void *kiln_entity_read(const kiln_world *world, kiln_entity entity,
                                           kiln_component component)
{
    return kiln_row_at(kiln_place_row(world, kiln_entity_place(world, entity)), component);
}

/* Calls kiln_entity_read for `count` entities; `ret_values` must have room for as many. If the
 * entities are scattered over more memory than the cache holds, this is faster than single reads,
 * because cache misses overlap; a few hundred per call are enough for that. Reading. */
void kiln_entity_read_many(const kiln_world *world, const kiln_entity *entities, uint32_t count,
                           kiln_component component, const void **ret_values);

/* Like kiln_entity_read, but for writing: sets the tick of the column in its chunk. Reading; see
 * "Threads" in <kiln/world.h>. */
static inline void *kiln_entity_write(kiln_world *world, kiln_entity entity,
                                      kiln_component component)
{
    kiln_row row = kiln_place_row(world, kiln_entity_place(world, entity));
    const kiln_column *column = kiln_chunk_column(row.chunk, component);
    if (!column)
        return NULL;
    row.chunk->ticks[column->number] = KILN_LOAD_RELAXED(&kiln_world_get_tables(world)->tick);
    return row.chunk->data + column->offset + (size_t)row.row * column->size;
}

/* Whether the entity is alive and has the component. Reading. */
static inline bool kiln_entity_has(const kiln_world *world, kiln_entity entity,
                                   kiln_component component)
{
    return kiln_entity_read(world, entity, component) != NULL;
}

/* The index of the entity in that row of the chunk. Reading. */
static inline uint32_t kiln_chunk_index(const kiln_chunk *chunk, uint32_t row)
{
    return chunk->is_run ? chunk->first + row : chunk->indices[row];
}

#ifdef __cplusplus
}
#endif

#endif
