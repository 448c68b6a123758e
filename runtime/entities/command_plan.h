/* The combined effect of several commands for one entity, so that its row moves only once.
 *
 * A plan is made from the archetype of the entity, and from the kinds and components of commands to
 * add, remove and set. It applies to every entity of that archetype with such commands, whatever
 * their values. It contains the resulting archetype and the effect of each command, exactly as if
 * the commands were played one after another. For example, an added component that does not fit
 * into a chunk is dropped, even if a later command makes room. */
#ifndef KILN_COMMAND_PLAN_H
#define KILN_COMMAND_PLAN_H

#include "command_buffer.h"

enum {
    PLAN_COMMANDS = 32,   /* maximum that a plan covers */
    PLAN_COMPONENTS = 64, /* maximum components of the entity at any point */
    PLAN_COUNT = 8        /* plans in the cache; a power of two */
};

typedef enum plan_effect {
    PLAN_NOTHING, /* no value to write: none is needed, or a later command writes it */
    PLAN_WRITE,   /* writes the final value of a component */
    PLAN_DROP
} plan_effect;

typedef struct plan_step {
    uint32_t component;
    uint8_t kind;   /* command_kind */
    uint8_t effect; /* plan_effect */
} plan_step;

typedef struct kiln_command_plan {
    kiln_archetype from, to;
    uint32_t requested; /* number of commands; 0: no plan */
    uint32_t
        covered; /* number of commands that the plan covers; the others are played one by one */
    uint32_t zero_count;
    plan_step steps[PLAN_COMMANDS];
    uint32_t zeros[PLAN_COMPONENTS]; /* components of `to` that no command writes */
} kiln_command_plan;

typedef struct kiln_command_plans {
    kiln_command_plan plans[PLAN_COUNT];
} kiln_command_plans;

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* The plan for 1 to PLAN_COMMANDS commands, new or from the cache; valid until the next call. Fails
 * as kiln_archetype_register does; a failure is not cached. */
kiln_status kiln_command_plan_of(kiln_world *world, kiln_command_plans *plans, kiln_archetype from,
                                 command *const *list, uint32_t count,
                                 const kiln_command_plan **ret_plan);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
