/* Scenes in files: entities, stored in the layout that the runtime uses in memory.
 *
 * A scene is an asset of the type kiln.Scene, which refers to at most two more assets:
 *
 *     kiln.Scene        the description: components, archetypes and their row counts, names,
 *                       and the assets and entities to which rows refer
 *     kiln.SceneChunks  the rows: columns in chunks, laid out as in <kiln/chunk_layout.h>
 *     SceneData         defined by the schema: an array for each component field that is or
 *                       contains a string, bytes, array, map, union or optional, with the values of
 *                       all entities
 *
 * Entities are numbered in the order in which they are stored: archetype after archetype, row after
 * row. All chunks of an archetype are full, except the last one. Full chunks are stored whole in
 * `images`, 16 KiB each, so that a program may map them. A last chunk whose rows take more than
 * three quarters of it is stored whole, too. Other last chunks are stored *trimmed* in `tails`: the
 * bytes of each column's rows, rounded up to 64, one column after the other. Nothing is stored for
 * components without bytes. All positions follow from the row counts, so they are not stored. Bytes
 * that no row uses are zero.
 *
 * Three kinds of words in rows have a different meaning in files than in memory:
 *
 *     entity    {number, source}: {0, 0} is null; {n, 1} is entity n of this scene; {0, k + 2} is
 *               the entity that import k names
 *     ref       0 is null; k + 1 is the asset `assets[k]`
 *     data      0 is the empty value; k + 1 is element k of the field's array in the scene's data
 *
 * FORMAT.md section 14 is the specification. */
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
/* Their layout hashes (FORMAT.md section 14). */
#define KILN_SCENE_LAYOUT UINT64_C(0x959a5f7d1245b547)
#define KILN_SCENE_CHUNKS_LAYOUT UINT64_C(0xcbb7aa67515a2d0c)

/* ---- the structs as they are stored ---- */

/* A field of a component with values in the scene's data. */
typedef struct kiln_scene_field {
    kiln_string name; /* of the array: a member of the type SceneData */
    uint32_t place;   /* byte offset of the word in the component */
} kiln_scene_field;

typedef struct kiln_scene_component {
    kiln_string name; /* qualified name of the struct */
    KILN_ALIGNAS(8) uint64_t layout;
    uint32_t size, alignment;
    kiln_array entity_places, asset_places; /* uint32_t, strictly ascending */
    kiln_array fields;                      /* kiln_scene_field, strictly ascending by place */
} kiln_scene_component;

typedef struct kiln_scene_archetype {
    /* uint32_t, strictly ascending: indices in `components`; empty for entities without components
     */
    kiln_array components;
    uint32_t rows; /* not 0 */
} kiln_scene_archetype;

typedef struct kiln_scene_import {
    kiln_string scene;  /* name of the asset; both have at most KILN_SCENE_TEXT_MAX bytes */
    kiln_string entity; /* name of the entity there */
} kiln_scene_import;

typedef struct kiln_scene_name {
    kiln_string name;
    uint32_t entity;
} kiln_scene_name;

typedef struct kiln_scene {
    /* The hashes in the headers of the two other blobs, so that blobs of other scenes are rejected;
     * 0 if there is no such blob. */
    KILN_ALIGNAS(8) uint64_t chunks_hash;
    KILN_ALIGNAS(8) uint64_t data_hash;
    kiln_array components; /* kiln_scene_component, strictly ascending by name */
    kiln_array archetypes; /* kiln_scene_archetype, strictly ascending by component lists */
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
    kiln_array tails;  /* bytes@64: trimmed chunks */
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
    KILN_SCENE_MAPPED_MIN = 16,
    /* The images of such a scene begin at a multiple of this in the file, unless they are
     * compressed. Writers place the blob accordingly; readers copy images that are placed
     * differently. */
    KILN_SCENE_IMAGES_ALIGN = 65536,
    /* A last chunk is stored whole if its trimmed form would take more bytes than this. */
    KILN_SCENE_TRIMMED_MAX = KILN_CHUNK_SIZE / 4 * 3
};

/* The source in an entity word: null, this scene, or KILN_SCENE_IMPORT plus the number of an
 * import. */
enum { KILN_SCENE_NULL = 0, KILN_SCENE_LOCAL = 1, KILN_SCENE_IMPORT = 2 };

/* ---- reading ---- */

/* An archetype of a checked scene. */
typedef struct kiln_scene_rows {
    const uint32_t *components; /* indices in the view's `components`, in the order of names */
    const uint32_t *offsets;    /* byte offsets of their columns in a whole chunk */
    uint32_t component_count;
    uint32_t rows, rows_per_chunk;
    uint32_t first_entity; /* number of the first entity */
    uint32_t chunks;       /* 0 for entities without components */
    uint32_t whole;        /* the first `whole` of them are stored whole; 0 if rows have no bytes */
    uint32_t first_image;  /* index of the first whole chunk in `images` */
    uint32_t row_size;     /* bytes of a row */
    uint64_t tail;         /* byte offset of the trimmed chunk in `tails` */
    uint64_t tail_size;    /* bytes; 0 if there is none */
} kiln_scene_rows;

/* A checked scene, for reading. Release it with kiln_scene_view_fini. Any number of threads may
 * read it. */
typedef struct kiln_scene_view {
    const kiln_scene *scene;
    const unsigned char *images; /* NULL if the view was opened without chunks */
    const unsigned char *tails;
    const kiln_component_desc *components; /* `asset_places` does not include data fields */
    const kiln_scene_rows *archetypes;
    uint32_t component_count, archetype_count;
    uint32_t entities;
    uint32_t chunks, images_count; /* chunks of all archetypes; number of chunks stored whole */
    uint64_t tails_size;           /* bytes */
    /* Private. */
    const kiln_scene_chunks *root; /* of the chunks, or NULL */
    kiln_allocator allocator;
    void *memory;
    size_t memory_size;
} kiln_scene_view;

typedef struct kiln_scene_view_args {
    const kiln_scene *scene;         /* of a verified blob */
    const kiln_scene_chunks *chunks; /* of a verified blob; NULL if rows will not be read */
    uint64_t chunks_hash;            /* in the header of their blob */
    const kiln_allocator *allocator; /* NULL: the C library's */
    /* The hash in the header of the data's blob; 0: do not check it. */
    uint64_t data_hash;
} kiln_scene_view_args;

/* Opens a view and checks rules S1 to S5, which is everything that finding a row depends on. The
 * functions below therefore need no checks. Scene and chunks must outlive the view. On failure the
 * view needs no kiln_scene_view_fini, `reterr->path` is like `components[3]`, and the offset is 0.
 * Safe on hostile scenes in verified blobs; linear in the scene without its rows. */
kiln_status kiln_scene_view_init(const kiln_scene_view_args *args, kiln_scene_view *ret_view,
                                 kiln_error *reterr);
/* Frees the view. A zeroed view is fine. */
void kiln_scene_view_fini(kiln_scene_view *view);

/* Returns the number of rows in the archetype's chunk `chunk`, which must be less than `chunks`. */
static inline uint32_t kiln_scene_chunk_rows(const kiln_scene_rows *rows, uint32_t chunk)
{
    uint32_t before = chunk * rows->rows_per_chunk, left = rows->rows - before;
    return left < rows->rows_per_chunk ? left : rows->rows_per_chunk;
}
/* Returns the index, in the view's `components`, of the component of column `column`. S2 guarantees
 * that it is in range. */
static inline uint32_t kiln_scene_column_number(const kiln_scene_view *view,
                                                const kiln_scene_rows *rows, uint32_t column)
{
    assert(column < rows->component_count && rows->components[column] < view->component_count);
    (void)view;
    return rows->components[column];
}
/* Returns the component of that column. */
static inline const kiln_component_desc *
kiln_scene_column_desc(const kiln_scene_view *view, const kiln_scene_rows *rows, uint32_t column)
{
    return &view->components[kiln_scene_column_number(view, rows, column)];
}
/* Returns the first row of column `column` in that chunk; the others follow it. NULL for a
 * component without bytes. The view must have been opened with chunks. O(columns) in a trimmed
 * chunk. */
const unsigned char *kiln_scene_column(const kiln_scene_view *view, const kiln_scene_rows *rows,
                                       uint32_t chunk, uint32_t column);
/* Returns the archetype of `entity`, which must be less than the scene's number of entities, and
 * the entity's row there. O(log n). */
const kiln_scene_rows *kiln_scene_find_row(const kiln_scene_view *view, uint32_t entity,
                                           uint32_t *ret_row);
/* Returns the number of the entity with this name; UINT32_MAX if there is none. O(log n). */
uint32_t kiln_scene_find_name(const kiln_scene *scene, const char *name, size_t length);
/* Returns the name of an entity; NULL if it has none. Linear in the number of names. */
const kiln_string *kiln_scene_entity_name(const kiln_scene *scene, uint32_t entity);

typedef struct kiln_scene_check_args {
    const kiln_scene_view *view; /* with chunks */
    /* The types of the program or of the file, for the components and SceneData. Values of
     * components that are not in the list, or have a different layout there, are not checked. NULL:
     * only words of entities and assets (S6, S7), words of data if the scene has no data (S8), and
     * zeros (S9) are checked. */
    const kiln_types *types;
    const void *data;   /* the root of the scene's data, in a verified blob; or NULL */
    uint32_t data_type; /* index in `types`; ignored without `data` */
    const kiln_allocator *allocator;
    /* Do not check the words of data fields (S8), nor whether the scene's data has their arrays
     * (S10): for callers that do not have the data, or have it in a different layout from the
     * file's. `data` must be NULL. */
    bool skip_data;
} kiln_scene_check_args;

/* Checks all rows: S6 to S10, and V8 to V10 and V16 of the values in them. `reterr->path` is like
 * `entity 17.game.Position.x`; the offset counts in bytes from the root of the chunks.
 * BAD_ARGUMENT: `types` is given without `skip_data`, and either only the scene or only the
 * arguments have data, or `data_type` is not a struct; or rows have bytes and the view has no
 * chunks. NO_MEMORY. Safe on hostile bytes, linear in the chunks. */
kiln_status kiln_scene_check(const kiln_scene_check_args *args, kiln_error *reterr);

/* The memory that a world uses after the scene has been loaded into it, if the world was empty
 * before. */
typedef struct kiln_scene_forecast {
    uint32_t entities, blocks, chunks, mega_chunks;
    uint64_t block_bytes, chunk_bytes; /* as in kiln_world_stats */
    uint64_t waste;                    /* bytes of the chunks that no row uses */
} kiln_scene_forecast;

kiln_scene_forecast kiln_scene_get_forecast(const kiln_scene_view *view);

/* ---- describing components ---- */

/* A struct of a schema as a component: name, layout, size and the offsets of its words. */
typedef struct kiln_component_type {
    kiln_component_desc desc;      /* its pointers point into `memory` */
    const uint32_t *field_places;  /* byte offsets of data words, ascending */
    const uint32_t *field_members; /* their arrays: member numbers of SceneData */
    uint32_t field_count;
    kiln_allocator allocator;
    void *memory;
    size_t memory_size;
} kiln_component_type;

/* Describes the type with number `type`, and its data fields if `data_type` is the number of a
 * SceneData (KILN_TYPE_NONE: without data fields). Release it with kiln_component_type_fini.
 * BAD_ARGUMENT: the type cannot be a component, or the SceneData has no array for a field.
 * NO_MEMORY. On failure `ret_component` is untouched. */
kiln_status kiln_component_type_init(const kiln_types *types, uint32_t type, uint32_t data_type,
                                     const kiln_allocator *allocator,
                                     kiln_component_type *ret_component);
/* Frees the description. A zeroed struct is fine. */
void kiln_component_type_fini(kiln_component_type *component);

/* ---- writing ---- */

/* Collects entities in any order and writes them as a scene. Words in the rows that the program
 * writes:
 *
 *     entity    {number from kiln_scene_writer_add_rows, KILN_SCENE_LOCAL}, or
 *               {0, KILN_SCENE_IMPORT + number from kiln_scene_writer_add_import}
 *     ref       the word from kiln_scene_writer_add_asset
 *     data      as in the file: 0, or k + 1 for element k of the array of the field
 *
 * The same calls produce the same bytes. Calls in a different order do, too, if they add the same
 * components and archetypes, and the same rows in the same order to each archetype. A writer
 * belongs to one thread at a time. After NO_MEMORY it can only be destroyed, except after NO_MEMORY
 * from kiln_scene_writer_finish. */
typedef struct kiln_scene_writer kiln_scene_writer;

/* Creates an empty writer. NO_MEMORY, BIG_ENDIAN_HOST. If `allocator` is NULL, uses the C
 * library's. */
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

/* Adds a component, which is copied, or finds the one with the same name. DUPLICATE: a different
 * component has the name. BAD_ARGUMENT: the description breaks its contract. `field_places` are
 * byte offsets of data words in the component, multiples of 8; `field_names` are the names of the
 * arrays to which they refer. */
kiln_status kiln_scene_writer_add_component(kiln_scene_writer *writer,
                                            const kiln_scene_component_desc *desc,
                                            uint32_t *ret_number);

/* Adds or finds the archetype with these components, which may be in any order; `count` is 0 for
 * entities without components. DUPLICATE: a component is listed twice. L_ROW: one row is larger
 * than a chunk. BAD_ARGUMENT: there is no such component. */
kiln_status kiln_scene_writer_add_archetype(kiln_scene_writer *writer, const uint32_t *components,
                                            uint32_t count, uint32_t *ret_number);

/* Adds `count` rows of zeros. `ret_first` is the number of the first entity; the others follow it.
 * L_ENTITIES: there would be more than KILN_ENTITY_MAX entities. BAD_ARGUMENT: there is no such
 * archetype. */
kiln_status kiln_scene_writer_add_rows(kiln_scene_writer *writer, uint32_t archetype,
                                       uint32_t count, uint32_t *ret_first);
/* Returns an entity's component, for writing. The components of the next entities follow it;
 * `ret_count` (may be NULL) receives how many there are, including this one. NULL if the entity
 * does not have the component. For a tag the address is not NULL, but must not be read or written.
 * Valid until the next kiln_scene_writer_add_rows or kiln_scene_writer_finish. */
void *kiln_scene_writer_at(kiln_scene_writer *writer, uint32_t entity, uint32_t component,
                           uint32_t *ret_count);

/* Writes to `ret_numbers` the number that each entity will have in the file, in the order of the
 * writer's numbers: for data that contains entities. The numbers become invalid when further
 * components, archetypes or rows are added. */
kiln_status kiln_scene_writer_numbers(kiln_scene_writer *writer, uint32_t *ret_numbers);

/* Sets the name of an entity; "" does nothing. DUPLICATE: another entity has the name, or the
 * entity already has a different name. L_TEXT: the name has more than KILN_SCENE_TEXT_MAX bytes.
 * BAD_ARGUMENT: there is no such entity. */
kiln_status kiln_scene_writer_name(kiln_scene_writer *writer, uint32_t entity, const char *name,
                                   size_t length);
/* Sets `ret_word` to the word for a reference to the asset `id`, which must not be 0. The word
 * stays valid until the scene is finished, which rewrites the words in rows to match the order of
 * ids. */
kiln_status kiln_scene_writer_add_asset(kiln_scene_writer *writer, kiln_id id, uint64_t *ret_word);
/* Adds an import and sets `ret_number` to its number. Finishing the scene rewrites these numbers,
 * too. I_NAME: `scene` is not the name of an asset. L_TEXT: a name has more than
 * KILN_SCENE_TEXT_MAX bytes. BAD_ARGUMENT: `entity` is empty. */
kiln_status kiln_scene_writer_add_import(kiln_scene_writer *writer, const char *scene,
                                         const char *entity, uint32_t *ret_number);

/* Sizes of the blobs in bytes. */
typedef struct kiln_scene_sizes {
    uint64_t scene, chunks, data;
} kiln_scene_sizes;

typedef struct kiln_scene_finish_args {
    /* The scene's name, `Kind/id`. The other assets are named SceneChunks/id and SceneData/id. */
    const char *name;
    /* Receives the assets. Its types must include kiln.Scene and kiln.SceneChunks
     * (kiln_types_with_scene). */
    kiln_file_writer *file;
    const kiln_types *types; /* the list that `file` uses */
    /* A blob of type `data_type` for the data words. The file writer takes ownership of it. NULL or
     * empty: none. */
    kiln_buffer *data;
    uint32_t data_type;
    /* Receives the sizes of the three blobs on success, 0 for a blob that does not exist. May be
     * NULL. */
    kiln_scene_sizes *ret_sizes;
    /* If not NULL, three buffers that receive the blobs of the scene, its chunks and its data
     * instead of `file`, which may then be NULL. A blob that does not exist is zeroed. On success,
     * the caller frees them with kiln_buffer_fini. */
    kiln_buffer *ret_blobs;
} kiln_scene_finish_args;

/* Adds the scene to a file; archetypes without rows are omitted. DANGLING: an entity or reference
 * word in a row refers to nothing; `reterr->path` is the component. TOO_LARGE: the chunks do not
 * fit in a blob. Otherwise errors of kiln_scene_check for the rows, and of kiln_file_writer_add for
 * the blobs. Padding in rows is cleared if the types describe it. On success the writer becomes
 * empty. On failure it is unchanged, and the file may contain part of the scene. */
kiln_status kiln_scene_writer_finish(kiln_scene_writer *writer, const kiln_scene_finish_args *args,
                                     kiln_error *reterr);

/* Creates a copy of `types` (NULL: none) to which kiln.Scene, kiln.SceneChunks and the types in
 * them are appended, unless it has them. Free it with kiln_types_destroy. DUPLICATE: `types` has a
 * different type with one of these names. NO_MEMORY. On failure `ret_types` is untouched. */
kiln_status kiln_types_with_scene(const kiln_types *types, const kiln_allocator *allocator,
                                  kiln_types **ret_types, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
