/* Layouts for chunks that get another column while most of their rows stay in place. */
#ifndef KILN_ARCHETYPE_CUT_H
#define KILN_ARCHETYPE_CUT_H

#include "world_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* The most cuts of one archetype; further chunks are copied. */
enum { CUTS_MOST = 8 };

/* The cut of `to` for chunks like this one of another archetype, made if it is new. NULL if none is
 * worth it. */
kiln_status kiln_archetype_cut(kiln_world *world, archetype *to, const kiln_chunk *chunk,
                               const chunk_layout **ret_layout);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
