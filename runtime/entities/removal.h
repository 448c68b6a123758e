/* Calls the on_remove callbacks that a program has set for components. An archetype stores whether
 * one of its components has a callback. In all other archetypes, a change costs one test. */
#ifndef KILN_REMOVAL_H
#define KILN_REMOVAL_H

#include "world_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Calls the callbacks of the components that `to` lacks (all components if `to` is NULL), for
 * `count` rows of a chunk of the archetype. Nothing may fail between this call and the removal. */
void kiln_removal_report(kiln_world *world, const archetype *a, const archetype *to,
                         kiln_chunk *chunk, uint32_t row, uint32_t count);

static inline void removal_report(kiln_world *world, const archetype *a, const archetype *to,
                                  kiln_chunk *chunk, uint32_t row, uint32_t count)
{
    if (a->has_on_remove)
        kiln_removal_report(world, a, to, chunk, row, count);
}

/* The same for all rows of the archetype. */
void kiln_removal_report_all(kiln_world *world, const archetype *a, const archetype *to);

/* Whether such a callback is running. Callbacks must not change rows. */
#define IS_REMOVING(world) ((world)->is_removing)
#define MISUSE_REMOVING MISUSE("change of rows during on_remove")

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
