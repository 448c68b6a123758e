/* A world with a few components for command buffers to change, and a comparison of two worlds. */
#ifndef COMMANDS_FIXTURE_H
#define COMMANDS_FIXTURE_H

#include "file_fixture.h"

#include <kiln/commands.h>
#include <kiln/query.h>

typedef struct fix_spot {
    uint32_t x, y, z;
} fix_spot;

/* Two entities, with other bytes before and between them. */
typedef struct fix_link {
    uint32_t weight;
    kiln_entity to;
    uint32_t kind;
    kiln_entity from;
} fix_link;

typedef struct fix_age {
    uint16_t years;
} fix_age;

enum { WIDE_SIZE = 9000 }; /* bytes; a chunk is too small for two such components */

enum { FIX_SPOT, FIX_LINK, FIX_AGE, FIX_HOT, FIX_WIDE, FIX_BROAD, FIX_COMPONENTS };

typedef struct fix_world {
    kiln_world *world;
    kiln_component components[FIX_COMPONENTS]; /* FIX_HOT is a tag */
    kiln_archetype
        archetypes[1 << FIX_COMPONENTS]; /* indexed by component bits; filled on first use */
} fix_world;

/* `allocator` may be NULL. The world has at most `max_blocks` data blocks. */
fix_world fixture_world(const kiln_allocator *allocator, uint32_t max_blocks);
uint32_t fixture_size(uint32_t component);
/* Returns the archetype with the components whose bits are set. */
kiln_archetype fixture_archetype(fix_world *fix, uint32_t mask);
/* Creates an entity with these components, all zero. */
kiln_entity fixture_entity(fix_world *fix, uint32_t mask);
/* Returns the components of the entity as bits. */
uint32_t fixture_mask(const fix_world *fix, kiln_entity entity);
/* Creates a command buffer of the world. Free it with kiln_commands_destroy. */
kiln_commands *fixture_commands(const fix_world *fix);

/* Fails the test unless both worlds have the same entities with the same components and bytes. With
 * `rows` they must also be in the same order. */
void fixture_compare(const fix_world *a, const fix_world *b, bool rows);

/* ---- a stage: a new world of four data blocks and two buffers for each case ---- */

/* Bits of the components. */
enum {
    SPOT = 1 << FIX_SPOT,
    LINK = 1 << FIX_LINK,
    AGE = 1 << FIX_AGE,
    HOT = 1 << FIX_HOT,
    WIDE = 1 << FIX_WIDE,
    BROAD = 1 << FIX_BROAD
};

extern fix_world stage;
extern kiln_commands *buffers[2];

int fixture_set_up(void **state);
int fixture_tear_down(void **state);
kiln_entity fixture_spawn(kiln_commands *commands, uint32_t mask);
void fixture_add(kiln_commands *commands, kiln_entity entity, uint32_t component,
                 const void *value);
void fixture_take(kiln_commands *commands, kiln_entity entity, uint32_t component);
void fixture_set(kiln_commands *commands, kiln_entity entity, uint32_t component,
                 const void *value);
void fixture_slay(kiln_commands *commands, kiln_entity entity);
kiln_played fixture_play(void);
const fix_spot *fixture_spot(kiln_entity entity);
const fix_link *fixture_link(kiln_entity entity);
uint64_t fixture_living(void);

#endif
