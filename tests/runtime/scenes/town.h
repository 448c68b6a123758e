/* A town: a scene made without a schema, a file that contains it, and the expected entities after
 * loading.
 *
 * Entity i has a `town.Number` with the value i. Its kind, i % 4, selects more components: 0 has a
 * place; 1 a place and a link to others; 2 a link and a tag; 3 nothing else. A town may also have
 * entities without components. */
#ifndef TOWN_H
#define TOWN_H

#include "expect_status.h"
#include "world_memory.h"

#include <kiln/assets.h>
#include <kiln/scenes.h>

typedef struct town_place {
    float x, y, z;
} town_place;

typedef struct town_link {
    kiln_entity next;   /* entity town_next(i) */
    kiln_entity nobody; /* null */
    kiln_ref thing;     /* an asset for every eighth entity, null for others */
} town_link;

typedef struct town_def {
    uint32_t count;        /* entities with components */
    uint32_t empty;        /* without */
    const char *path;      /* the path of the file; NULL for a file in memory */
    const char *name;      /* of the scene; NULL: "Scene/town" */
    const char *neighbour; /* a scene, to whose entity "one" the second entity links */
    bool is_compressed;
    bool uses_first; /* all words refer to the first asset, and the scene lacks the others */
} town_def;

enum { TOWN_THINGS = 3 };

typedef struct town {
    world_memory memory;
    kiln_assets *assets;
    kiln_mount mount;
    kiln_buffer image;
    kiln_world *world;
    kiln_component number, place, link, lit;
    kiln_error error;
    uint32_t count, empty;
} town;

uint32_t town_next(uint32_t i, uint32_t count);

/* Makes a file. If `path` is set, the file is written there and the buffer is empty. */
kiln_buffer town_file(const town_def *def);

/* Mounts a town's file and creates an empty world in which the town's components are registered. */
void town_begin(town *t, const town_def *def);
/* Also mounts the file of another town. */
void town_mount(town *t, const town_def *def, kiln_buffer *ret_image);
/* Frees everything and checks that nothing is left. */
void town_end(town *t);
/* Checks that no asset is held and no bytes are borrowed. */
void town_expect_nothing_held(kiln_assets *assets);

kiln_scene_source *town_open(town *t, const char *name);
kiln_scene_instance *town_load(town *t, kiln_scene_source *source);
/* Checks that every entity exists as written and that the world is valid. */
void town_check(town *t, const kiln_scene_instance *instance, uint32_t count, uint32_t empty);

#endif
