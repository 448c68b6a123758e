/* Calls the functions that a program has set for the removal of components. An archetype stores
 * whether one of its components has a function, so that all others cost one test. */
#ifndef KILN_REMOVAL_H
#define KILN_REMOVAL_H

#include "world_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Calls the functions of the components that `to` (NULL: none) lacks, for `count` rows of a chunk
 * of the archetype. Nothing may fail between this call and the removal. */
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

/* Whether such a function is running. It must not change rows. */
#define IS_REMOVING(world) ((world)->is_removing)
#define MISUSE_REMOVING MISUSE("change of rows during on_remove")

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
