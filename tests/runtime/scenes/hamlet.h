/* A program with types, assets, components of every shape, and values of its own for the
 * components' data fields. Makes random worlds and compares two worlds.
 *
 * Entities with components have a `hamlet.Serial`, which identifies them. Entities without
 * components or with only tags are identified by their names. */
#ifndef HAMLET_H
#define HAMLET_H

#include "expect_status.h"
#include "world_memory.h"

#include <inttypes.h>
#include <kiln/assets.h>
#include <kiln/file_writer.h>
#include <kiln/scenes.h>
#include <kiln/types.h>

enum {
    H_SERIAL, /* a u32 */
    H_PLACE,  /* three f32 */
    H_LINK,   /* entities and refs with padding between them */
    H_LABEL,  /* a string and a list of leaves */
    H_LOOK,   /* a union, a map and two strings */
    H_ODD,    /* mostly padding */
    H_BIG,    /* 800 bytes */
    H_LIT,    /* a tag */
    H_DARK,   /* a tag */
    H_COUNT
};

typedef struct hamlet_link {
    kiln_entity a;
    uint8_t flag;
    kiln_entity b;
    KILN_ALIGNAS(8) kiln_ref thing;
    KILN_ALIGNAS(8) kiln_ref other;
} hamlet_link;

typedef struct hamlet_label {
    KILN_ALIGNAS(8) uint64_t text;
    KILN_ALIGNAS(8) uint64_t leaves;
} hamlet_label;

typedef struct hamlet_look {
    uint8_t kind;
    KILN_ALIGNAS(8) uint64_t look;
    KILN_ALIGNAS(8) uint64_t counts;
    KILN_ALIGNAS(8) uint64_t names[2];
} hamlet_look;

typedef struct hamlet_odd {
    uint8_t a;
    uint32_t b;
    uint16_t c;
} hamlet_odd;

enum { HAMLET_THINGS = 5, HAMLET_VALUES = 12, HAMLET_FORMS = 4 };

typedef struct hamlet {
    world_memory memory;
    kiln_types *types;
    kiln_buffer table, file, values;
    kiln_assets *assets;
    kiln_ref things[HAMLET_THINGS], forms[HAMLET_THINGS][HAMLET_FORMS];
    uint64_t random;
    kiln_error error;
} hamlet;

typedef struct hamlet_world {
    kiln_world *world;
    kiln_component components[H_COUNT];
} hamlet_world;

void hamlet_begin(hamlet *h, uint64_t seed);
void hamlet_end(hamlet *h);
uint32_t hamlet_random(hamlet *h, uint32_t below);

/* Types in which the components have different names, so that no type is found for a component. */
kiln_types *hamlet_unknowing_types(void);

/* Adds the things to a file with these types, which begin with the program's types. */
void hamlet_add_things(const kiln_types *types, kiln_file_writer *file);
/* Creates an asset table with the things and these types, or without types. */
kiln_assets *hamlet_other_assets(hamlet *h, const kiln_types *types);

/* Registers all components in the world, or none. */
void hamlet_world_begin(hamlet *h, hamlet_world *w, bool has_components);
void hamlet_world_end(hamlet_world *w);

/* Fills the world with about `count` entities and changes some of them. */
void hamlet_fill(hamlet *h, hamlet_world *w, uint32_t count);
/* Returns the address of one of the program's values for the list with this name, or 0. */
uint64_t hamlet_value(hamlet *h, const char *list);

/* Returns a number that identifies the entity in equal worlds; UINT32_MAX if it is not alive. */
uint32_t hamlet_serial(const hamlet_world *w, kiln_entity entity);

/* Checks that both worlds have the same entities. With `is_some`, `b` must have only the entities
 * whose serials it selects, and null references to the others. */
void hamlet_check_same(hamlet *h, const hamlet_world *a, const hamlet_world *b,
                       const bool *is_some);
enum { HAMLET_SERIALS = 20000 };

#endif
