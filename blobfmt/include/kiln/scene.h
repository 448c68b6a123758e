/* A scene in a file: entities in the layout that the runtime uses in memory.
 *
 * A scene is an asset of the type kiln.Scene, and up to two more that it refers to:
 *
 *     kiln.Scene        what there is: components, archetypes and how many rows each has, names,
 *                       what the rows refer to
 *     kiln.SceneChunks  the rows: columns of chunks, laid out as <kiln/chunk_layout.h> says
 *     SceneData         of the schema: lists of the strings, lists, maps, unions and optionals that
 *                       components have, one list a field
 *
 * Entities are numbered in the order in which they are stored: archetype after archetype, row after
 * row. All chunks of an archetype except the last one are full. Full chunks are stored whole in
 * `images`, 16 KiB each, so that a program may map them; so is a last chunk whose rows take more
 * than three quarters of it. Any other last chunk is stored *trimmed* in `tails`: the used bytes of
 * each column, rounded up to 64, one column after the other. Components of size 0 take no bytes.
 * All positions follow from the numbers of rows, so the file does not state them. Unused bytes are
 * zero.
 *
 * In stored rows, three kinds of words have another meaning than in memory:
 *
 *     entity    {number, source}: source 0 is null; 1 the entity of that number; k + 2 the entity
 *               that import k names, number 0
 *     ref       0 is null; k + 1 is the asset `assets[k]`
 *     data      0 is the empty value; k + 1 is element k of the field's list in the scene's data
 *
 * FORMAT.md section 14 specifies scenes. */
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
/* Their layout hashes, as FORMAT.md section 14 states them. */
#define KILN_SCENE_LAYOUT UINT64_C(0x959a5f7d1245b547)
#define KILN_SCENE_CHUNKS_LAYOUT UINT64_C(0xcbb7aa67515a2d0c)

/* ---- the bytes ---- */

/* A field of a component whose values are in the scene's data. */
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
    /* uint32_t, strictly ascending: numbers in `components`; empty for entities without components
     */
    kiln_array components;
    uint32_t rows; /* not 0 */
} kiln_scene_archetype;

typedef struct kiln_scene_import {
    kiln_string scene;  /* asset name; like `entity`, at most KILN_SCENE_TEXT_MAX bytes */
    kiln_string entity; /* the entity's name in that scene */
} kiln_scene_import;

typedef struct kiln_scene_name {
    kiln_string name;
    uint32_t entity;
} kiln_scene_name;

typedef struct kiln_scene {
    /* The hashes in the headers of the two other blobs, which identify them; 0 if there is no such
     * blob. */
    KILN_ALIGNAS(8) uint64_t chunks_hash;
    KILN_ALIGNAS(8) uint64_t data_hash;
    kiln_array components; /* kiln_scene_component, strictly ascending by name */
    kiln_array archetypes; /* kiln_scene_archetype, strictly ascending by components, as lists */
    kiln_array names;      /* kiln_scene_name: map<string, u32>; an entity has at most one */
    kiln_array assets;     /* uint64_t: refs, strictly ascending ids */
    kiln_array imports;    /* kiln_scene_import, strictly ascending by scene, then by entity */
    kiln_array chunks;     /* uint64_t: one ref; none if no row has bytes */
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
    /* A scene with at least this many whole chunks gets its own mega chunks, and may be mapped. */
    KILN_SCENE_OWN_LEAST = 16,
    /* In such a scene, writers place `images` at a multiple of this in the file, unless they are
     * compressed. Readers that find them elsewhere copy them. */
    KILN_SCENE_IMAGES_ALIGN = 65536,
    /* A last chunk whose rows take more bytes is stored whole. */
    KILN_SCENE_TRIMMED_MAX = KILN_CHUNK_SIZE / 4 * 3
};

/* The second half of an entity's word. A larger value is KILN_SCENE_IMPORT plus the number of an
 * import. */
enum { KILN_SCENE_NULL = 0, KILN_SCENE_LOCAL = 1, KILN_SCENE_IMPORT = 2 };

/* ---- reading ---- */

/* An archetype of a checked scene. */
typedef struct kiln_scene_rows {
    const uint32_t *components; /* numbers in the view's `components`, ascending by name */
    const uint32_t *offsets;    /* of their columns in a whole chunk */
    uint32_t component_count;
    uint32_t rows, rows_per_chunk;
    uint32_t first_entity;
    uint32_t chunks; /* 0 for empty entities */
    uint32_t whole;  /* chunks stored whole, which come first; 0 if rows have no bytes */
    uint32_t first_image;
    uint32_t row_size;  /* bytes of a row */
    uint64_t tail;      /* offset of the trimmed chunk in `tails` */
    uint64_t tail_size; /* 0 if there is none */
} kiln_scene_rows;

typedef struct kiln_scene_view {
    const kiln_scene *scene;
    const unsigned char *images; /* NULL if the view was opened without chunks */
    const unsigned char *tails;
    const kiln_component_desc *components; /* `asset_places` as stored; without the data fields */
    const kiln_scene_rows *archetypes;
    uint32_t component_count, archetype_count;
    uint32_t entities;
    uint32_t chunks, images_count; /* of all archetypes; those stored whole */
    uint64_t tails_size;
    /* Private. */
    const kiln_scene_chunks *root; /* of the chunks, or NULL */
    kiln_allocator allocator;
    void *memory;
    size_t memory_size;
} kiln_scene_view;

typedef struct kiln_scene_view_args {
    const kiln_scene *scene;         /* whose blob is valid */
    const kiln_scene_chunks *chunks; /* its blob must be valid; or NULL: then rows cannot be read */
    uint64_t chunks_hash;            /* in the header of their blob */
    const kiln_allocator *allocator; /* NULL: the C library's */
    /* In the header of the data's blob; 0: not checked. */
    uint64_t data_hash;
} kiln_scene_view_args;

/* Checks rules S1 to S5, on which finding a row depends: the functions below then need no checks.
 * Safe on hostile bytes; linear in the scene without its rows. Release `ret_view` with
 * kiln_scene_view_fini; scene and chunks must outlive it. `reterr->path` has the form
 * `components[3]`, and the offset is 0. */
kiln_status kiln_scene_view_init(const kiln_scene_view_args *args, kiln_scene_view *ret_view,
                                 kiln_error *reterr);
void kiln_scene_view_fini(kiln_scene_view *view);

/* The number of rows of chunk `chunk` of the archetype; the chunk must exist. */
static inline uint32_t kiln_scene_chunk_rows(const kiln_scene_rows *rows, uint32_t chunk)
{
    uint32_t before = chunk * rows->rows_per_chunk, left = rows->rows - before;
    return left < rows->rows_per_chunk ? left : rows->rows_per_chunk;
}
/* The number of the component of column `column` in the view's `components`. The view has checked
 * it (S2). */
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
/* The first byte of column `column` of that chunk; its rows are consecutive. NULL for a component
 * of size 0. O(columns) in a trimmed chunk. */
const unsigned char *kiln_scene_column(const kiln_scene_view *view, const kiln_scene_rows *rows,
                                       uint32_t chunk, uint32_t column);
/* The archetype of an entity, whose number must be below the count; `ret_row` receives the row in
 * it. O(log n). */
const kiln_scene_rows *kiln_scene_find_row(const kiln_scene_view *view, uint32_t entity,
                                           uint32_t *ret_row);
/* The number of the entity of that name; UINT32_MAX if there is none. O(log n). */
uint32_t kiln_scene_find_name(const kiln_scene *scene, const char *name, size_t length);
/* The name of an entity, or NULL. Linear in the names. */
const kiln_string *kiln_scene_entity_name(const kiln_scene *scene, uint32_t entity);

typedef struct kiln_scene_check_args {
    const kiln_scene_view *view; /* with chunks */
    /* The types in which components and SceneData are looked up: the program's or the file's. If a
     * component's type is missing or has another layout, its values are not checked. NULL: checks
     * only words of entities and assets (S6, S7), words of data if the scene has no data (S8), and
     * unused bytes (S9). */
    const kiln_types *types;
    const void *data;   /* the root of the scene's data, whose blob must be valid; or NULL */
    uint32_t data_type; /* in `types`; ignored without `data` */
    const kiln_allocator *allocator;
    /* If the scene has data, skips the checks of data words (S8) and of the data's lists (S10). For
     * callers that have the data in another layout than the file's, or not at all. `data` must be
     * NULL. */
    bool skip_data;
} kiln_scene_check_args;

/* Checks all rows: S6 to S10, and V8 to V10 and V16 for their values. Safe on hostile bytes; linear
 * in the chunks. `reterr->path` has the form `entity 17.game.Position.x`; the offset counts from
 * the chunks' root. BAD_ARGUMENT: `types` is set, and `data` is missing or not that of the scene;
 * or rows have bytes, but the view has no chunks. */
kiln_status kiln_scene_check(const kiln_scene_check_args *args, kiln_error *reterr);

/* What loading the scene into an empty world takes. */
typedef struct kiln_scene_forecast {
    uint32_t entities, blocks, chunks, mega_chunks;
    uint64_t block_bytes, chunk_bytes; /* as in kiln_world_stats */
    uint64_t waste;                    /* bytes of the chunks that no row uses */
} kiln_scene_forecast;

kiln_scene_forecast kiln_scene_get_forecast(const kiln_scene_view *view);

/* ---- describing components ---- */

/* The description of a struct as a component: name, layout, size, and the offsets of its words. */
typedef struct kiln_component_type {
    kiln_component_desc def;       /* pointing into `memory` */
    const uint32_t *field_places;  /* of data words, ascending */
    const uint32_t *field_members; /* their lists: member numbers of SceneData */
    uint32_t field_count;
    kiln_allocator allocator;
    void *memory;
    size_t memory_size;
} kiln_component_type;

/* Describes type number `type`. `data_type` is the type SceneData, which is needed for data fields,
 * or KILN_TYPE_NONE. BAD_ARGUMENT: the type cannot be a component. */
kiln_status kiln_component_type_init(const kiln_types *types, uint32_t type, uint32_t data_type,
                                     const kiln_allocator *allocator,
                                     kiln_component_type *ret_component);
void kiln_component_type_fini(kiln_component_type *component);

/* ---- writing ---- */

/* Collects entities in any order and writes them as a scene. In the rows that a program writes, an
 * entity is {number from kiln_scene_writer_add_rows, KILN_SCENE_LOCAL} or {0, KILN_SCENE_IMPORT +
 * number of the import}. An asset is the word from kiln_scene_writer_add_asset, and data words are
 * as in the file. Writers that add the same components, archetypes and, to each archetype, the same
 * rows in the same order give the same bytes. One thread at a time. After NO_MEMORY, the writer can
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

/* Adds a copy of the component, or finds the one of that name. DUPLICATE: that one is different.
 * Its data words are at `field_places` and refer to the lists with the names `field_names`. */
kiln_status kiln_scene_writer_add_component(kiln_scene_writer *writer,
                                            const kiln_scene_component_desc *desc,
                                            uint32_t *ret_number);

/* Adds or finds the archetype of these components, in any order; `count` is 0 for entities without
 * components. DUPLICATE: a component occurs twice. L_ROW: one row is larger than a chunk. */
kiln_status kiln_scene_writer_add_archetype(kiln_scene_writer *writer, const uint32_t *components,
                                            uint32_t count, uint32_t *ret_number);

/* Adds `count` rows of zeros. `ret_first` receives the number of the first entity; the others
 * follow. L_ENTITIES: there would be more than KILN_ENTITY_MAX entities. */
kiln_status kiln_scene_writer_add_rows(kiln_scene_writer *writer, uint32_t archetype,
                                       uint32_t count, uint32_t *ret_first);
/* The address of an entity's component, for writing; NULL if the entity does not have it.
 * `ret_count` (may be NULL) receives how many entities from this one on have theirs directly after
 * it. Valid until the next call of kiln_scene_writer_add_rows or kiln_scene_writer_finish. */
void *kiln_scene_writer_at(kiln_scene_writer *writer, uint32_t entity, uint32_t component,
                           uint32_t *ret_count);

/* The number in the file of each entity, in the order of the writer's numbers; for entities inside
 * of data. Adding more components, archetypes or rows changes these numbers. */
kiln_status kiln_scene_writer_numbers(kiln_scene_writer *writer, uint32_t *ret_numbers);

/* Names an entity; "" does nothing. DUPLICATE: another entity has the name, or the entity has
 * another name. L_TEXT: the name is longer than KILN_SCENE_TEXT_MAX bytes. */
kiln_status kiln_scene_writer_name(kiln_scene_writer *writer, uint32_t entity, const char *name,
                                   size_t length);
/* The word for a reference to the asset with that id. Finishing replaces it in the rows by the one
 * of the file. */
kiln_status kiln_scene_writer_add_asset(kiln_scene_writer *writer, kiln_id id, uint64_t *ret_word);
/* The number of an import; finishing replaces it, too. I_NAME: the scene's name is not of the form
 * `Kind/id`. L_TEXT: a name is longer than KILN_SCENE_TEXT_MAX bytes. */
kiln_status kiln_scene_writer_add_import(kiln_scene_writer *writer, const char *scene,
                                         const char *entity, uint32_t *ret_number);

typedef struct kiln_scene_sizes {
    uint64_t scene, chunks, data;
} kiln_scene_sizes;

typedef struct kiln_scene_finish_args {
    const char *name; /* `Kind/id`; the other assets are SceneChunks/id and SceneData/id */
    /* Receives the assets. Its types must include kiln.Scene and kiln.SceneChunks
     * (kiln_types_with_scene). */
    kiln_file_writer *file;
    const kiln_types *types; /* the same */
    /* The scene's data: a blob of type `data_type`, which the file writer takes over. Empty: no
     * data. */
    kiln_buffer *data;
    uint32_t data_type;
    /* NULL, or receives the sizes of the three blobs on success; 0 for a blob that does not exist.
     */
    kiln_scene_sizes *ret_sizes;
} kiln_scene_finish_args;

/* Adds the scene to a file; archetypes without rows are left out. Padding in rows is cleared if the
 * types describe it. DANGLING: the word of an entity or a reference in a row refers to nothing;
 * `reterr->path` is the component. TOO_LARGE: the chunks do not fit a blob. Also errors of
 * kiln_scene_check for the rows and of kiln_file_writer_add for the blobs. On success the writer is
 * empty; otherwise it is unchanged, and the file may contain a part of the scene. */
kiln_status kiln_scene_writer_finish(kiln_scene_writer *writer, const kiln_scene_finish_args *args,
                                     kiln_error *reterr);

/* A copy of the types, to which kiln.Scene, kiln.SceneChunks and their parts are added unless they
 * are present. */
kiln_status kiln_types_with_scene(const kiln_types *types, const kiln_allocator *allocator,
                                  kiln_types **ret_types, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
