/* The internals of a kiln_scene_writer. scene_writer.c collects components and rows, and
 * scene_writer_names.c collects names and references. For writing the scene, see
 * scene_writer_finish.h. */
#ifndef KILN_SCENE_WRITER_STATE_H
#define KILN_SCENE_WRITER_STATE_H

#include "arena.h"
#include "hash_table.h"
#include "scene_columns.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct scene_component {
    kiln_scene_component_desc desc; /* in the arena */
    size_t name_length;
} scene_component;

/* Chunks have the layout of whole chunks, except that the first one is smaller while it fills up:
 * its columns have `room` rows. */
typedef struct scene_archetype {
    const uint32_t *components; /* in the order of their names */
    const uint32_t *sizes;      /* of their rows */
    const uint32_t *offsets;    /* of their columns in a whole chunk */
    uint32_t *last_offsets;     /* in the last chunk */
    uint32_t component_count;
    uint32_t row_size, rows_per_chunk;
    uint32_t rows;
    uint32_t room;
    vector chunks; /* unsigned char *; none if rows have no bytes */
} scene_archetype;

/* Entities of one archetype that were added one directly after the other. */
typedef struct scene_span {
    uint32_t first, count;
    uint32_t archetype, row;
} scene_span;

typedef struct scene_writer_name {
    const char *text;
    uint32_t length, entity;
} scene_writer_name;

typedef struct scene_writer_import {
    const char *scene, *entity;
    uint32_t scene_length, entity_length;
} scene_writer_import;

struct kiln_scene_writer {
    kiln_allocator allocator;
    arena memory;
    vector components, archetypes; /* scene_component, scene_archetype */
    vector spans;                  /* scene_span */
    vector names, imports, assets; /* scene_writer_name, scene_writer_import, kiln_id */
    hash_table components_by_name, archetypes_by_components, names_by_text, names_by_entity,
        imports_by_text, assets_by_id;
    uint32_t entities;
    uint32_t last_span; /* where the next search starts */
};

static inline scene_component *scene_component_at(const kiln_scene_writer *w, uint32_t number)
{
    return (scene_component *)w->components.items + number;
}

static inline scene_archetype *scene_archetype_at(const kiln_scene_writer *w, uint32_t number)
{
    return (scene_archetype *)w->archetypes.items + number;
}

/* Compares two component numbers by the components' names. */
int kiln_scene_compare_components(const void *writer, uint32_t a, uint32_t b);
/* The span of an existing entity. `guess` is a span near it. */
uint32_t kiln_scene_find_span(const kiln_scene_writer *w, uint32_t entity, uint32_t guess);
/* Removes everything that was added. */
void kiln_scene_writer_reset(kiln_scene_writer *w);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
