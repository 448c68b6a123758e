/* A scene in a file: entities as the runtime wants them in memory.
 *
 * A scene is an asset of the type kiln.Scene, and up to two more that it refers to:
 *
 *     kiln.Scene        what there is: components, archetypes and how many rows each has, names,
 *                       what the rows refer to
 *     kiln.SceneChunks  the rows: columns of chunks, laid out as <kiln/chunk_layout.h> says
 *     SceneData         of the schema: lists of the strings, lists, maps, unions and optionals that
 *                       components have, one list a field
 *
 * Entities are numbered by where they stand: archetype after archetype, row after row. All chunks
 * of an archetype are full but for the last one. Full chunks are stored whole in `images`, 16 KiB
 * each, so that a program may map them; so is a last one whose rows take more than three quarters
 * of it. Other last ones are stored *trimmed* in `tails`: of each column the bytes of its rows,
 * rounded up to 64, one column after the other. Of components without bytes nothing is stored.
 * Where everything lies follows from the numbers of rows, so that nothing states it. What no row
 * uses is zero.
 *
 * In rows, three kinds of words mean something else than in memory:
 *
 *     entity    {number, source}: source 0 is null; 1 the entity of that number; k + 2 the entity
 *               that import k names, number 0
 *     ref       0 is null; k + 1 is the asset `assets[k]`
 *     data      0 is the empty value; k + 1 is element k of the field's list in the scene's data
 *
 * FORMAT.md section 14 is the law of it. */
#ifndef KILN_SCENE_H
#define KILN_SCENE_H

#include <kiln/allocator.h>
#include <kiln/chunk_layout.h>
#include <kiln/entity.h>
#include <kiln/file_writer.h>
#include <kiln/relative.h>
#include <kiln/status.h>
#include <kiln/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_SCENE_TYPE_NAME "kiln.Scene"
#define KILN_SCENE_CHUNKS_TYPE_NAME "kiln.SceneChunks"
/* Their layout hashes, as FORMAT.md section 14 has them. */
#define KILN_SCENE_LAYOUT UINT64_C(0x959a5f7d1245b547)
#define KILN_SCENE_CHUNKS_LAYOUT UINT64_C(0xcbb7aa67515a2d0c)

/* ---- the bytes ---- */

/* A field of a component whose values lie in the scene's data. */
typedef struct kiln_scene_field {
    kiln_string name; /* of the list: a member of the type SceneData */
    uint32_t place;   /* of the word in the component */
} kiln_scene_field;

typedef struct kiln_scene_component {
    kiln_string name; /* of the struct; qualified */
    KILN_ALIGNAS(8) uint64_t layout;
    uint32_t size, alignment;
    kiln_array entity_places, asset_places; /* uint32_t, strictly ascending */
    kiln_array fields;                      /* kiln_scene_field, strictly ascending by place */
} kiln_scene_component;

typedef struct kiln_scene_archetype {
    /* uint32_t, strictly ascending: numbers in `components`; none where entities have none */
    kiln_array components;
    uint32_t rows; /* not 0 */
} kiln_scene_archetype;

typedef struct kiln_scene_import {
    kiln_string scene;  /* asset name; like the other, at most KILN_SCENE_TEXT_MAX bytes */
    kiln_string entity; /* its name there */
} kiln_scene_import;

typedef struct kiln_scene_name {
    kiln_string name;
    uint32_t entity;
} kiln_scene_name;

typedef struct kiln_scene {
    /* The hashes in the headers of the two other blobs, so that only they are taken for its own; 0
     * where there is none. */
    KILN_ALIGNAS(8) uint64_t chunks_hash;
    KILN_ALIGNAS(8) uint64_t data_hash;
    kiln_array components; /* kiln_scene_component, strictly ascending by name */
    kiln_array archetypes; /* kiln_scene_archetype, strictly ascending by components, as lists */
    kiln_array names;      /* kiln_scene_name: map<string, u32>; an entity has at most one */
    kiln_array assets;     /* uint64_t: refs, strictly ascending ids */
    kiln_array imports;    /* kiln_scene_import, strictly ascending by scene, then by entity */
    kiln_array chunks;     /* uint64_t: one ref; none where no row has bytes */
    kiln_array data;       /* uint64_t: one ref, or none */
    uint32_t entities;
    uint32_t reserved; /* 0 */
} kiln_scene;

typedef struct kiln_scene_chunks {
    kiln_array images; /* bytes@4096: whole chunks */
    kiln_array tails;  /* bytes@64: trimmed ones */
} kiln_scene_chunks;

KILN_STATIC_ASSERT(sizeof(kiln_scene_field) == 12, "FORMAT.md 14: field");
KILN_STATIC_ASSERT(sizeof(kiln_scene_component) == 48, "FORMAT.md 14: component");
KILN_STATIC_ASSERT(sizeof(kiln_scene_archetype) == 12, "FORMAT.md 14: archetype");
KILN_STATIC_ASSERT(sizeof(kiln_scene_import) == 16, "FORMAT.md 14: import");
KILN_STATIC_ASSERT(sizeof(kiln_scene_name) == 12, "FORMAT.md 14: name");
KILN_STATIC_ASSERT(sizeof(kiln_scene) == 80, "FORMAT.md 14: scene");
KILN_STATIC_ASSERT(sizeof(kiln_scene_chunks) == 16, "FORMAT.md 14: chunks");

enum {
    /* From so many whole chunks on a scene has mega chunks of its own, and may be mapped. */
    KILN_SCENE_OWN_LEAST = 16,
    /* Of such a scene `images` begin at a multiple of it in the file, unless they are compressed:
     * writers place the blob so, readers that find them elsewhere copy. */
    KILN_SCENE_IMAGES_ALIGN = 65536,
    /* A last chunk whose rows take more bytes is stored whole. */
    KILN_SCENE_TRIMMED_MAX = KILN_CHUNK_SIZE / 4 * 3
};

/* The second half of an entity's word; what is above is the number of an import, plus the last. */
enum { KILN_SCENE_NULL = 0, KILN_SCENE_LOCAL = 1, KILN_SCENE_IMPORT = 2 };

/* ---- reading ---- */

/* An archetype of a scene whose shape was checked. */
typedef struct kiln_scene_rows {
    const uint32_t *components; /* numbers in the view's `components`, ascending by name */
    const uint32_t *offsets;    /* of their columns in a whole chunk */
    uint32_t component_count;
    uint32_t rows, rows_per_chunk;
    uint32_t first_entity;
    uint32_t chunks; /* 0 for empty entities */
    uint32_t whole;  /* of these stored whole, the first ones; 0 where rows have no bytes */
    uint32_t first_image;
    uint32_t row_size;  /* bytes of a row */
    uint64_t tail;      /* where the trimmed chunk begins in `tails` */
    uint64_t tail_size; /* 0 where there is none */
} kiln_scene_rows;

typedef struct kiln_scene_view {
    const kiln_scene *scene;
    const unsigned char *images; /* NULL where the view was opened without chunks */
    const unsigned char *tails;
    const kiln_component_desc *components; /* `asset_places` as stored; without the data fields */
    const kiln_scene_rows *archetypes;
    uint32_t component_count, archetype_count;
    uint32_t entities;
    uint32_t chunks, images_count; /* of all archetypes; of these stored whole */
    uint64_t tails_size;
    /* Private. */
    const kiln_scene_chunks *root; /* of the chunks, or NULL */
    kiln_allocator allocator;
    void *memory;
    size_t memory_size;
} kiln_scene_view;

typedef struct kiln_scene_view_args {
    const kiln_scene *scene; /* whose blob is valid */
    const kiln_scene_chunks
        *chunks;          /* whose blob is valid, or NULL: then nothing may ask for rows */
    uint64_t chunks_hash; /* in the header of their blob */
    const kiln_allocator *allocator; /* NULL: the C library's */
    /* In the header of the data's blob; 0: not looked at (yet). */
    uint64_t data_hash;
} kiln_scene_view_args;

/* Checks rules S1 to S5: everything that finding a row stands on, so that the functions below need
 * no checks. Safe on hostile bytes; linear in the scene without its rows. What `ret_view` holds is
 * ended by kiln_scene_view_fini; scene and chunks outlive it. `reterr->path` is `components[3]` or
 * the like, the offset is 0. */
kiln_status kiln_scene_view_init(const kiln_scene_view_args *args, kiln_scene_view *ret_view,
                                 kiln_error *reterr);
void kiln_scene_view_fini(kiln_scene_view *view);

/* Rows of chunk `chunk` of the archetype, which has it. */
static inline uint32_t kiln_scene_chunk_rows(const kiln_scene_rows *rows, uint32_t chunk)
{
    uint32_t before = chunk * rows->rows_per_chunk, left = rows->rows - before;
    return left < rows->rows_per_chunk ? left : rows->rows_per_chunk;
}
/* The number of column `column`'s component in the view's `components`: checked with the view (S2).
 */
static inline uint32_t kiln_scene_column_number(const kiln_scene_view *view,
                                                const kiln_scene_rows *rows, uint32_t column)
{
    assert(column < rows->component_count && rows->components[column] < view->component_count);
    (void)view;
    return rows->components[column];
}
static inline const kiln_component_desc *
kiln_scene_column_desc(const kiln_scene_view *view, const kiln_scene_rows *rows, uint32_t column)
{
    return &view->components[kiln_scene_column_number(view, rows, column)];
}
/* Where column number `column` of that chunk begins; rows follow one another. NULL for a component
 * without bytes. O(columns) in a trimmed chunk. */
const unsigned char *kiln_scene_column(const kiln_scene_view *view, const kiln_scene_rows *rows,
                                       uint32_t chunk, uint32_t column);
/* The archetype, and by `ret_row` the row in it, of an entity number below the count. O(log n). */
const kiln_scene_rows *kiln_scene_find_row(const kiln_scene_view *view, uint32_t entity,
                                           uint32_t *ret_row);
/* The number of the entity of that name; UINT32_MAX where there is none. O(log n). */
uint32_t kiln_scene_find_name(const kiln_scene *scene, const char *name, size_t length);
/* The name of an entity, or NULL. Linear in the names. */
const kiln_string *kiln_scene_entity_name(const kiln_scene *scene, uint32_t entity);

typedef struct kiln_scene_check_args {
    const kiln_scene_view *view; /* with chunks */
    /* In which the components are looked up, and SceneData: the program's or the file's. Values of
     * those that are not there, or have another layout there, are not checked. NULL: only words of
     * entities and assets (S6, S7), those of data if the scene has none (S8), and zeros (S9) are.
     */
    const kiln_types *types;
    const void *data;   /* the root of the scene's data, whose blob is valid, or NULL */
    uint32_t data_type; /* in `types`; not looked at without `data` */
    const kiln_allocator *allocator;
    /* If the scene has data, words of data fields (S8) and whether it has their lists (S10) are not
     * checked: for callers that have the data in another layout than the file, or have it not.
     * `data` must be NULL. */
    bool skip_data;
} kiln_scene_check_args;

/* Checks all rows: S6 to S10, and of the values that lie in them V8 to V10 and V16. Safe on hostile
 * bytes, linear in the chunks. `reterr->path` is `entity 17.game.Position.x`, the offset counts
 * from the chunks' root. BAD_ARGUMENT where the scene has data and it is not given with the types,
 * and where the scene has rows with bytes and the view no chunks. */
kiln_status kiln_scene_check(const kiln_scene_check_args *args, kiln_error *reterr);

/* What an empty world counts when the scene is loaded. */
typedef struct kiln_scene_forecast {
    uint32_t entities, blocks, chunks, mega_chunks;
    uint64_t block_bytes, chunk_bytes; /* as kiln_world_stats has them */
    uint64_t waste;                    /* bytes of the chunks that no row uses */
} kiln_scene_forecast;

kiln_scene_forecast kiln_scene_get_forecast(const kiln_scene_view *view);

/* ---- describing components ---- */

/* What a struct of a schema is as a component: name, layout, size, and where words lie. */
typedef struct kiln_component_type {
    kiln_component_desc def;       /* pointing into `memory` */
    const uint32_t *field_places;  /* of data words, ascending */
    const uint32_t *field_members; /* their lists: member numbers of SceneData */
    uint32_t field_count;
    kiln_allocator allocator;
    void *memory;
    size_t memory_size;
} kiln_component_type;

/* Describes type number `type`, with its data fields where there is a SceneData (`data_type`;
 * KILN_TYPE_NONE without). BAD_ARGUMENT where it cannot be a component. */
kiln_status kiln_component_type_init(const kiln_types *types, uint32_t type, uint32_t data_type,
                                     const kiln_allocator *allocator,
                                     kiln_component_type *ret_component);
void kiln_component_type_fini(kiln_component_type *component);

/* ---- writing ---- */

/* Collects entities in any order and writes them as a scene. In the words of rows that are given to
 * it, entities are {number as kiln_scene_writer_add_rows gave it, KILN_SCENE_LOCAL} or {0,
 * KILN_SCENE_IMPORT + number}, assets what kiln_scene_writer_add_asset gives, data words as stored.
 * The same calls give the same bytes; so do others that add the same components, archetypes and, to
 * each archetype, the same rows in the same order. One thread at a time. After NO_MEMORY it may
 * only be destroyed. */
typedef struct kiln_scene_writer kiln_scene_writer;

kiln_status kiln_scene_writer_create(const kiln_allocator *allocator,
                                     kiln_scene_writer **ret_writer);
/* NULL is fine. */
void kiln_scene_writer_destroy(kiln_scene_writer *writer);

typedef struct kiln_scene_component_desc {
    kiln_component_desc component;
    const uint32_t *field_places; /* ascending */
    const char *const *field_names;
    uint32_t field_count;
} kiln_scene_component_desc;

/* Adds a component, copied, or finds the one of that name, which must be the same (DUPLICATE). Its
 * data words lie at `field_places`, and lead into the lists named `field_names`. */
kiln_status kiln_scene_writer_add_component(kiln_scene_writer *writer,
                                            const kiln_scene_component_desc *desc,
                                            uint32_t *ret_number);

/* The archetype of these components, in any order, each once (DUPLICATE); none for empty entities.
 * L_ROW: one row is larger than a chunk. */
kiln_status kiln_scene_writer_add_archetype(kiln_scene_writer *writer, const uint32_t *components,
                                            uint32_t count, uint32_t *ret_number);

/* Adds `count` rows of zeros and gives the number of the first entity; the others follow.
 * L_ENTITIES above KILN_ENTITY_MAX entities. */
kiln_status kiln_scene_writer_add_rows(kiln_scene_writer *writer, uint32_t archetype,
                                       uint32_t count, uint32_t *ret_first);
/* Where the component of an entity lies, to be written; with those of the next entities it is the
 * first of `ret_count` in a row (may be NULL). NULL where the entity has it not. Good until the
 * next call of kiln_scene_writer_add_rows or kiln_scene_writer_finish. */
void *kiln_scene_writer_at(kiln_scene_writer *writer, uint32_t entity, uint32_t component,
                           uint32_t *ret_count);

/* The number in the file of each entity that there is, in the order of the writer's numbers, if no
 * further components, archetypes and rows are added: for data that has entities in it. */
kiln_status kiln_scene_writer_numbers(kiln_scene_writer *writer, uint32_t *ret_numbers);

/* DUPLICATE where another entity has the name, or the entity another name. "" is none. L_TEXT
 * above KILN_SCENE_TEXT_MAX bytes. */
kiln_status kiln_scene_writer_name(kiln_scene_writer *writer, uint32_t entity, const char *name,
                                   size_t length);
/* The word for a reference to the asset with that id. It stays the same until finishing, which
 * changes the words in rows to those of the order of ids. */
kiln_status kiln_scene_writer_add_asset(kiln_scene_writer *writer, kiln_id id, uint64_t *ret_word);
/* The number of an import, likewise. I_NAME: the scene's name is none of an asset. L_TEXT above
 * KILN_SCENE_TEXT_MAX bytes. */
kiln_status kiln_scene_writer_add_import(kiln_scene_writer *writer, const char *scene,
                                         const char *entity, uint32_t *ret_number);

typedef struct kiln_scene_sizes {
    uint64_t scene, chunks, data;
} kiln_scene_sizes;

typedef struct kiln_scene_finish_args {
    const char *name; /* of the scene, `Kind/id`; the others are SceneChunks/id and SceneData/id */
    /* Receives the assets; its types have kiln.Scene and kiln.SceneChunks (kiln_types_with_scene).
     */
    kiln_file_writer *file;
    const kiln_types *types; /* the same */
    /* A blob of type `data_type` for the data words, which the file writer takes over; empty: none.
     */
    kiln_buffer *data;
    uint32_t data_type;
    /* Or NULL: receives the bytes of the three blobs, 0 of one that there is not. On success. */
    kiln_scene_sizes *ret_sizes;
} kiln_scene_finish_args;

/* Adds the scene to a file; archetypes without rows are left out. DANGLING: the word of an entity
 * or a reference in a row leads to none; `reterr->path` is the component. Otherwise what
 * kiln_scene_check says of the rows, whose padding is cleared where the types know it, and
 * kiln_file_writer_add of the blobs; TOO_LARGE where the chunks fit no blob. On success the writer
 * is empty afterwards; otherwise it is as it was, and the file may hold a part of the scene. */
kiln_status kiln_scene_writer_finish(kiln_scene_writer *writer, const kiln_scene_finish_args *args,
                                     kiln_error *reterr);

/* The types with kiln.Scene, kiln.SceneChunks and what they are made of behind them, unless they
 * are there. */
kiln_status kiln_types_with_scene(const kiln_types *types, const kiln_allocator *allocator,
                                  kiln_types **ret_types, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
