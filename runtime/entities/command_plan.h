/* What several commands about one entity come to, so that its row is placed once.
 *
 * A plan is made from the archetype that the entity has and the kinds and components of commands to
 * add, remove and set, and holds for every entity with the same; values are not looked at. It says
 * which archetype follows and what each command is good for, exactly as if they were played one
 * after another: a component that does not fit into a chunk any more is dropped where it would be,
 * even if a later command makes room. */
#ifndef KILN_COMMAND_PLAN_H
#define KILN_COMMAND_PLAN_H

#include "command_buffer.h"

enum {
    PLAN_COMMANDS = 32,   /* that a plan may cover */
    PLAN_COMPONENTS = 64, /* that its entity may have meanwhile */
    PLAN_COUNT = 8        /* that are remembered; a power of two */
};

typedef enum plan_effect {
    PLAN_NOTHING, /* what it says is part of the archetype, or another command's value counts */
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
    uint32_t asked;   /* commands; 0 where there is no plan yet */
    uint32_t covered; /* of these; what is left is played on its own */
    uint32_t blank_count;
    plan_step steps[PLAN_COMMANDS];
    uint32_t blanks[PLAN_COMPONENTS]; /* components of `to` that no command writes */
} kiln_command_plan;

typedef struct kiln_command_plans {
    kiln_command_plan plans[PLAN_COUNT];
} kiln_command_plans;

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* The plan for 1 to PLAN_COMMANDS commands, made or remembered; good until the next call. Fails as
 * kiln_archetype_of does, and is not asked again then. */
kiln_status kiln_command_plan_of(kiln_world *world, kiln_command_plans *plans, kiln_archetype from,
                                 command *const *list, uint32_t count,
                                 const kiln_command_plan **ret_plan);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
