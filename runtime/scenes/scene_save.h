/* Saves a scene: numbers the entities, and copies their rows chunk by chunk, with their words
 * encoded for a file.
 *
 *     part       an archetype of the world with rows to save
 *     piece      consecutive rows of one of its chunks
 *     component  a component of a part, as it will be in the file
 *     list       the values to which the data words of one field refer, in the order in which they
 *                were found
 *
 * Files: scene_save.c (order and chunks), scene_save_pick.c (which entities and their numbers),
 * scene_save_component.c, scene_save_words.c (words of rows), scene_save_data.c (the data blob),
 * scene_save_names.c (names and imports). */
#ifndef KILN_SCENE_SAVE_H
#define KILN_SCENE_SAVE_H

#include "key_table.h"
#include "list.h"
#include "scene_object.h"

#include <kiln/file_writer.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct save_piece {
    const kiln_chunk *chunk;
    uint32_t row, count;
} save_piece;

typedef struct save_part {
    const archetype *archetype;
    uint32_t first_piece, piece_count;
    uint32_t rows;
    uint32_t first_entity; /* number in the file */
} save_part;

typedef struct save_component {
    const kiln_component_desc *desc; /* NULL: not described yet */
    uint32_t number;                 /* in the writer */
    uint32_t *fields;                /* offsets of data words, then their lists */
    uint32_t field_count;
    unsigned char *mask; /* for a row: 0 for each padding byte; NULL without padding */
} save_component;

typedef struct save_list {
    kiln_key_table numbers; /* by word; note: number of the value plus 1 */
    kiln_list words;        /* uint64_t */
} save_list;

/* A possible name of the file's entity `number`; a lower rank is better. */
typedef struct save_name {
    const char *text;
    uint32_t number, rank;
} save_name;

/* A living entity that has a name in a loaded scene. */
typedef struct save_import {
    const char *scene, *entity;
    uint32_t index;
    uint32_t number; /* number in the writer plus 1; 0 until it is used */
} save_import;

typedef struct saving {
    kiln_allocator allocator;
    const kiln_scene_save_args *args;
    const kiln_world *world;
    kiln_assets *assets;
    kiln_file_writer *file;
    const kiln_types *types; /* the file's */
    kiln_error *reterr;
    kiln_scene_writer *writer;
    kiln_list parts, pieces; /* save_part, save_piece */
    kiln_list empty;         /* uint32_t: indices */
    uint32_t **numbers;      /* by block, then index: number in the file plus 1; 0 if not saved */
    save_component *components;
    uint32_t component_count;
    kiln_key_table asset_words; /* by word in memory; note: the word in the file */
    uint32_t data_type;         /* in `types`; KILN_TYPE_NONE if there is none */
    save_list *lists;           /* by member of the data type */
    uint32_t list_count;
    bool has_fields;   /* a component has data words */
    kiln_list imports; /* save_import, by index */
    bool has_imports;  /* `imports` is complete */
} saving;

/* ---- memory ---- */

static inline void *save_alloc(const saving *s, size_t size)
{
    return s->allocator.alloc(s->allocator.ctx, size, 16);
}

static inline void save_free(const saving *s, void *memory, size_t size)
{
    if (memory)
        s->allocator.free(s->allocator.ctx, memory, size);
}

typedef int save_compare(const void *ctx, const void *a, const void *b);
/* Sorts without allocating. */
void kiln_save_sort(void *items, uint32_t count, size_t item_size, save_compare *compare,
                    const void *ctx);

/* ---- what is saved ---- */

/* Lists the rows and empty entities to save, in order. */
kiln_status kiln_save_pick(saving *s);
/* Numbers the entities of `count` rows of a chunk, from `first` on. */
kiln_status kiln_save_number_rows(saving *s, const kiln_chunk *chunk, uint32_t row, uint32_t count,
                                  uint32_t first);
kiln_status kiln_save_number(saving *s, uint32_t index, uint32_t number);
void kiln_save_pick_fini(saving *s);

/* The number of the entity with this index, plus 1; 0 if it is not saved. */
static inline uint32_t save_number_of(const saving *s, uint32_t index)
{
    const uint32_t *block = s->numbers[index / KILN_BLOCK_ENTITIES];
    return block ? block[index % KILN_BLOCK_ENTITIES] : 0;
}

/* ---- components and words ---- */

/* Adds the component to the writer, unless it is there already. */
kiln_status kiln_save_component(saving *s, kiln_component component);
void kiln_save_components_fini(saving *s);

/* Encodes the words of `count` rows at `rows`, which were copied from the piece's chunk from `row`
 * on. */
kiln_status kiln_save_words(saving *s, const save_component *component, unsigned char *rows,
                            const save_piece *piece, uint32_t row, uint32_t count);
void kiln_save_words_fini(saving *s);

/* Builds the blob of the values to which data words refer. */
kiln_status kiln_save_data(saving *s, kiln_buffer *ret_blob);
/* The type of that blob; KILN_TYPE_NONE if `types` has none. */
uint32_t kiln_save_find_data_type(const kiln_world *world, const kiln_types *types);

/* ---- names ---- */

kiln_status kiln_save_names(saving *s);
/* The number, plus 1, of the import for an entity that is not saved; 0 if it has no name in a
 * scene. */
kiln_status kiln_save_find_import(saving *s, uint32_t index, uint32_t *ret_number);
void kiln_save_names_fini(saving *s);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
