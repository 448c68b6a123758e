/* Internals of scene sources and instances.
 *
 *     source     a checked scene: its view, and the targets of its words
 *     instance   a loaded copy in one world: the ids of its entities, and its own chunks
 *     loading    an instance that is not published yet
 *
 * A scene numbers its entities. A *span* is a range of numbers with consecutive ids. The entities
 * of a block that was taken whole have the same version. For all others, the span stores each
 * version, because an index alone does not identify an entity.
 *
 * Files: scene_source.c, scene_ids.c, scene_instance.c. */
#ifndef KILN_SCENE_OBJECT_H
#define KILN_SCENE_OBJECT_H

#include "assets_object.h"
#include "id_runs.h"
#include "list.h"
#include "world_object.h"

#include <assert.h>
#include <kiln/blob_header.h>
#include <kiln/scenes.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* The values to which the data words of one field refer. */
typedef struct scene_list {
    const unsigned char *first;
    uint32_t count, size;
} scene_list;

/* An asset to which rows refer. */
typedef struct scene_asset {
    kiln_ref held; /* strong */
    uint64_t word; /* the word for rows; null if the asset is missing */
} scene_asset;

struct kiln_scene_source {
    kiln_allocator allocator;
    kiln_assets *assets;
    const char *by;
    _Atomic(uint32_t) users; /* number of users: the program and the instances */
    kiln_ref scene_ref, chunks_ref, data_ref;
    const kiln_scene *scene;
    const void *data; /* NULL if there is none */
    const kiln_scene_chunks *chunks;
    uint64_t chunks_hash; /* from the header of their blob */
    kiln_scene_view view;
    char *name;
    size_t name_size;
    const kiln_types *file_types; /* NULL if the file has none */
    /* Descriptor and offset for mapping the images; `file` is -1 if they cannot be mapped. */
    int file;
    uint64_t images_at;
    scene_asset *held; /* one for each asset to which the scene refers */
    uint32_t held_count;
    const kiln_types
        *data_types; /* the program's or the file's, whichever has the current layout of the data
                      */
    const kiln_type *data_type; /* NULL if there is none */
    scene_list *lists;          /* one per member of the data type */
};

/* A component of the scene, as stored in the file. */
static inline const kiln_scene_component *scene_stored_component(const kiln_scene_source *source,
                                                                 uint32_t number)
{
    const kiln_array *array = &source->scene->components;
    return (const kiln_scene_component *)kiln_relative_get(array, array->offset) + number;
}
/* The member of the source's data with this name; NULL if there is none. */
static inline const kiln_member *scene_find_list(const kiln_scene_source *source,
                                                 const kiln_string *name)
{
    return source->data_type
               ? kiln_type_member(source->data_type, kiln_string_get(name), name->length)
               : NULL;
}

kiln_scene_source *kiln_scene_source_keep(kiln_scene_source *source);
void kiln_scene_source_drop(kiln_scene_source *source);

typedef struct scene_span {
    uint32_t start, count; /* entities */
    uint32_t index;        /* of the first */
    uint32_t version;      /* of all entities; 0 if each has one in `versions` */
    uint32_t versions;     /* index of the first in `versions` */
    uint32_t released;     /* while unloading: entities whose chunks were released */
} scene_span;

/* The ids of an instance. */
typedef struct scene_ids {
    scene_span *spans;
    uint32_t span_count;
    uint32_t *versions;
    uint32_t version_count;
    uint32_t *starts; /* the span of every 8,192nd entity */
    uint32_t count;   /* entities */
} scene_ids;

/* Takes ids for `count` entities. Those without rows must be among the first `empty` ones, which
 * get no whole blocks. */
kiln_status kiln_scene_ids_take(kiln_world *world, uint32_t count, uint32_t empty,
                                kiln_id_runs *runs, scene_ids *ret_ids);
/* Makes the spans for the ids of existing entities, which may be dead. */
kiln_status kiln_scene_ids_make(kiln_world *world, const kiln_entity *entities, uint32_t count,
                                scene_ids *ret_ids);
void kiln_scene_ids_fini(kiln_world *world, scene_ids *ids);

static inline const scene_span *scene_span_of(const scene_ids *ids, uint32_t number)
{
    assert(number < ids->count);
    const scene_span *span = &ids->spans[ids->starts[number / KILN_BLOCK_ENTITIES]];
    while (number - span->start >= span->count)
        span++;
    return span;
}
static inline kiln_entity scene_span_entity(const scene_ids *ids, const scene_span *span,
                                            uint32_t number)
{
    uint32_t at = number - span->start;
    kiln_entity entity = {span->index + at,
                          span->version ? span->version : ids->versions[span->versions + at]};
    return entity;
}

/* The world's component for a component of the scene. */
typedef struct scene_component {
    kiln_component component;
    const kiln_component_desc *desc;    /* with offsets in the world's rows */
    struct kiln_conversion *conversion; /* NULL: bytes are copied */
    kiln_component_type type;           /* the program's, where `has_type` */
    uint32_t *fields;                   /* offsets of data words, then their lists */
    const void **defaults;              /* of the program's data fields, where `has_type` */
    uint32_t field_count;
    bool is_dropped, has_type;
} scene_component;

/* How a column of the scene becomes a column of the world. */
typedef struct scene_column {
    uint32_t number; /* of the column in the scene's archetype */
    kiln_component component;
    uint32_t size;   /* in the world */
    uint32_t offset; /* in chunks of the world */
    const struct kiln_conversion *conversion;
    const kiln_component_desc *desc;
    const uint32_t *field_places,
        *field_lists;                  /* offsets of data words; their lists in the source */
    const void *const *field_defaults; /* values for KILN_DATA_DEFAULT, or NULL */
    uint32_t field_count;
    bool has_words;
} scene_column;

/* The world's archetype for an archetype of the scene. */
typedef struct scene_part {
    const kiln_scene_rows *rows;
    archetype *archetype; /* NULL for empty entities */
    scene_column *columns;
    uint32_t column_count;
    uint32_t first_chunk; /* in the instance's `chunks` */
    uint32_t own_chunks;  /* chunks for the first rows; the tail is appended to other chunks of the
                             archetype */
    uint32_t mapped;      /* the number of mapped chunks: the first ones */
    uint32_t last_chunk;  /* the last one to which rows of the tail were appended; 0: none */
    bool is_direct;       /* chunks of the file are used unchanged */
    bool has_words;
} scene_part;

/* Rows of one of the part's own chunks. */
static inline uint32_t scene_own_rows(const scene_part *part, uint32_t chunk)
{
    uint32_t most = part->archetype->capacity, left = part->rows->rows - chunk * most;
    return left < most ? left : most;
}

struct kiln_scene_instance {
    kiln_scene_instance *next, **before; /* of the world */
    kiln_world *world;
    kiln_scene_source *source;
    scene_ids ids;
    scene_part *parts; /* one per archetype of the scene */
    uint32_t part_count;
    uint32_t *chunks; /* numbers of its own chunks, part after part */
    uint32_t chunk_count;
    uint32_t tail_chunks; /* number of other chunks to which rows were appended */
    uint32_t mapped;
    uint64_t tick; /* of the world, at the end of loading: later changes have a later tick */
    bool is_detached;
    bool is_applied; /* by kiln_scene_apply: it has no parts, and any of its rows may be anywhere */
    kiln_list former; /* kiln_scene_source *: earlier ones to whose data rows may refer */
    scene_component *components; /* one per component of the scene */
    void *memory;                /* of parts and columns */
    size_t memory_size;
};

/* The longest run of ids from entity `number` on, at most `most` of them. */
static inline kiln_id_run scene_run_at(const scene_ids *ids, uint32_t number, uint32_t most)
{
    const scene_span *span = scene_span_of(ids, number);
    uint32_t at = number - span->start, left = span->count - at;
    kiln_id_run run = {span->index + at, left < most ? left : most};
    return run;
}

/* Frees the instance without touching its entities. */
void kiln_scene_instance_free(kiln_scene_instance *instance);

/* The entity with this name in the scene's instance that was loaded last; null if there is none. */
kiln_entity kiln_scenes_find(const kiln_world *world, const char *scene, const char *entity);
/* Adds an instance to its world. */
void kiln_scenes_add(kiln_scene_instance *instance);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
