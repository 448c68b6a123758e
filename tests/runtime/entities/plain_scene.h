/* A small world for tests of single calls: two components, a tag, one archetype and one query. It
 * is the state of a test, created by its setup and destroyed by its teardown. */
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
    kiln_world *world;                   /* with 70 blocks and 16 mega chunks */
    kiln_component position, light, lit; /* 12 bytes, 4 bytes, a tag */
    kiln_archetype both;                 /* position and light */
    kiln_query *query;                   /* light */
} plain_scene;

enum { PLAIN_BLOCKS = 70, PLAIN_MEGAS = 16 };

int plain_scene_begin(void **state);
/* Checks that the world is valid, destroys it and checks that all memory is freed. */
int plain_scene_end(void **state);
/* Adds a component with alignment 4. A size of 0 makes a tag. */
kiln_component plain_scene_register(kiln_world *world, const char *name, uint32_t size);
kiln_archetype_info plain_scene_info(const plain_scene *s, kiln_archetype archetype);
kiln_world_stats plain_scene_stats(const plain_scene *s);

#define PLAIN_TEST(name) cmocka_unit_test_setup_teardown(name, plain_scene_begin, plain_scene_end)

#endif
