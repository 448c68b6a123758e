/* A scene that is being finished. scene_writer_finish.c calls the steps: scene_writer_order.c sorts
 * everything, scene_writer_chunks.c writes the rows, and scene_writer_seal.c checks the result. */
#ifndef KILN_SCENE_WRITER_FINISH_H
#define KILN_SCENE_WRITER_FINISH_H

#include "scene_writer_state.h"

#include <kiln/index.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct scene_part_name {
    const char *text;
    size_t length;
} scene_part_name;

typedef struct scene_finish_state {
    kiln_scene_writer *writer;
    const kiln_scene_finish_args *args;
    kiln_error *reterr;
    arena memory;
    uint32_t scene_type, chunks_type;
    scene_part_name scene_name, chunks_name, data_name;
    /* The writer's numbers in the order of the file, and the inverse: the position of each number
     * in that order. */
    uint32_t *components, *component_ranks;
    uint32_t *archetypes, archetype_count;
    uint32_t *assets, *asset_ranks;
    uint32_t *imports, *import_ranks;
    uint32_t *first_entities;  /* by the writer's number of the archetype */
    uint32_t last_span;        /* where the next search starts */
    uint32_t *trimmed_offsets; /* of the columns of one chunk */
    uint64_t images_count, tails_size;
    kiln_buffer scene;  /* the blob of the scene */
    kiln_buffer chunks; /* the blob of the chunks; empty if no row has bytes */
    uint32_t chunks_align_log2;
    kiln_builder *builder;
} scene_finish_state;

/* scene_writer_order.c: puts everything in the order of the file. */
kiln_status kiln_scene_order_all(scene_finish_state *f);
/* The number that an existing entity has in the file. */
uint32_t kiln_scene_final_entity(scene_finish_state *f, uint32_t entity);
/* scene_writer_chunks.c: makes the blob of the rows, except for its header. */
kiln_status kiln_scene_store_chunks(scene_finish_state *f);
/* scene_writer_seal.c: checks the result as a reader would, clears padding in rows, and then writes
 * the header of the chunks and stores its hash in the scene. */
kiln_status kiln_scene_seal(scene_finish_state *f);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
