/* A small world for tests of single calls: two components, a tag, one archetype, one query. It is
 * the set-up and tear-down of a test, whose state it is. */
#ifndef PLAIN_SCENE_H
#define PLAIN_SCENE_H

#include "world_memory.h"

#include <kiln/batch.h>
#include <kiln/query.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct plain_scene {
    world_memory memory;
    kiln_world *world;                   /* of 70 blocks and 16 mega chunks */
    kiln_component position, light, lit; /* 12 bytes, 4 bytes, a tag */
    kiln_archetype both;                 /* position and light */
    kiln_query *query;                   /* light */
} plain_scene;

enum { PLAIN_BLOCKS = 70, PLAIN_MEGAS = 16 };

int plain_scene_begin(void **state);
/* The world is valid, and no byte is left of it. */
int plain_scene_end(void **state);
/* Aligned to 4; a size of 0 is a tag. */
kiln_component plain_scene_register(kiln_world *world, const char *name, uint32_t size);
kiln_archetype_info plain_scene_info(const plain_scene *s, kiln_archetype archetype);
kiln_world_stats plain_scene_stats(const plain_scene *s);

#define PLAIN_TEST(name) cmocka_unit_test_setup_teardown(name, plain_scene_begin, plain_scene_end)

#endif
