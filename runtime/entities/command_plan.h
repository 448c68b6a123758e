/* The combined effect of several commands about one entity, so that its row moves only once.
 *
 * A plan is made from the archetype of the entity and from the kinds and components of commands to
 * add, remove and set. It holds for every entity and list of commands with the same; values do not
 * matter. It gives the resulting archetype and the effect of each command, exactly as if they were
 * played one after another: a component that does not fit into a chunk is dropped at that point,
 * even if a later command makes room. */
#ifndef KILN_COMMAND_PLAN_H
#define KILN_COMMAND_PLAN_H

#include "command_buffer.h"

enum {
    PLAN_COMMANDS = 32,   /* that a plan may cover */
    PLAN_COMPONENTS = 64, /* that its entity may have at any point */
    PLAN_COUNT = 8        /* plans in the cache; a power of two */
};

typedef enum plan_effect {
    PLAN_NOTHING, /* part of the archetype, or another command's value replaces it */
    PLAN_WRITE,   /* its value is the last one of a component that stays */
    PLAN_DROP
} plan_effect;

typedef struct plan_step {
    uint32_t component;
    uint8_t kind;   /* command_kind */
    uint8_t effect; /* plan_effect */
} plan_step;

typedef struct kiln_command_plan {
    kiln_archetype from, to;
    uint32_t requested; /* commands; 0 without a plan */
    uint32_t covered;   /* of these; the others are played one by one */
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
