/* An instance that is being loaded. Files: scene_load.c (begins and fills), scene_claim.c (claims
 * chunks), scene_publish.c (publishes or cancels), scene_apply.c (applies a new version to an
 * instance). */
#ifndef KILN_SCENE_LOAD_H
#define KILN_SCENE_LOAD_H

#include "rows.h"
#include "scene_match.h"

#include <kiln/convert.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

struct kiln_scene_loading {
    kiln_world *world;
    kiln_scene_instance *instance;
    kiln_id_runs runs;
    kiln_entity *imports;
    uint32_t import_count;
    uint32_t *chains;     /* by part: chunks claimed for its tail */
    unsigned char *tails; /* columns of the parts' tails, with words resolved */
    size_t tails_size, tails_used;
    uint32_t part, chunk; /* the next to be filled */
    bool has_images;      /* enough images to map: KILN_SCENE_MAPPED_MIN; else no part is direct */
    bool maps;            /* images may be mapped */
    bool parts_may_merge; /* several parts may have one archetype */
    bool set_names, has_failed;
};

/* The number of rows in the part's *tail*: those that are appended to other chunks. They are first
 * written to separate memory, so that an error in them leaves the world unchanged. */
static inline uint32_t part_tail(const scene_part *part)
{
    uint64_t own = (uint64_t)part->own_chunks * (part->archetype ? part->archetype->capacity : 0);
    return own < part->rows->rows ? part->rows->rows - (uint32_t)own : 0;
}

static inline size_t tail_column_size(const scene_part *part, const scene_column *column)
{
    return ((size_t)part_tail(part) * column->size + KILN_COLUMN_ALIGN - 1) &
           ~(size_t)(KILN_COLUMN_ALIGN - 1);
}

/* Finds the entities of other scenes to which this scene refers by name. */
kiln_status kiln_scene_find_imports(kiln_scene_loading *loading, kiln_error *reterr);
/* Writes rows of a part to `to`, with their words resolved. */
kiln_status kiln_scene_make_column(const kiln_scene_loading *loading, const scene_part *part,
                                   const scene_column *column, uint32_t row, uint32_t count,
                                   unsigned char *to, kiln_error *reterr);
/* Determines how many chunks each part needs for itself, and which parts stay direct. */
void kiln_scene_count_chunks(kiln_scene_loading *loading);
/* Claims the parts' own chunks and maps as many as possible. After a failure some may remain
 * claimed. */
kiln_status kiln_scene_claim_chunks(kiln_scene_loading *loading);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
