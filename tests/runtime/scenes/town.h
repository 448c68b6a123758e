/* A town: a scene made without a schema, a file with it, and what every entity of it must be once
 * it is loaded.
 *
 * Entity number i has a `town.Number` that says i, and as its kind is a `town.Place`, a
 * `town.Link` to others, or a tag. Kinds: i % 4 of 0 has number and place; 1 number, place and
 * link; 2 number, link and the tag; 3 the number alone. A town may have empty entities, too. */
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
    kiln_ref thing;     /* an asset, of every eighth entity; null of others */
} town_link;

typedef struct town_def {
    uint32_t count;        /* entities with components */
    uint32_t empty;        /* without */
    const char *path;      /* where the file is written; NULL: in memory */
    const char *name;      /* of the scene; NULL: "Scene/town" */
    const char *neighbour; /* a scene; the link of the second entity leads to its "one" */
    bool is_compressed;
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

/* A file; where `path` is given it is written there, and the buffer is empty. */
kiln_buffer town_file(const town_def *def);

/* A town's file is mounted, and an empty world knows the components. */
void town_begin(town *t, const town_def *def);
/* Mounts another one's file as well. */
void town_mount(town *t, const town_def *def, kiln_buffer *ret_image);
/* Everything is given back; nothing is left. */
void town_end(town *t);
/* Nobody holds an asset, or has borrowed its bytes. */
void town_expect_nothing_held(kiln_assets *assets);

kiln_scene_source *town_open(town *t, const char *name);
kiln_scene_instance *town_load(town *t, kiln_scene_source *source);
/* Every entity is there, as it was written, and the world is valid. */
void town_check(town *t, const kiln_scene_instance *instance, uint32_t count, uint32_t empty);

#endif
