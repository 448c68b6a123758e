/* Layouts for chunks that get another column while most of their rows stay in place. */
#ifndef KILN_ARCHETYPE_CUT_H
#define KILN_ARCHETYPE_CUT_H

#include "world_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Maximum number of cuts of one archetype. Rows of chunks that would need another cut are copied.
 */
enum { CUTS_MOST = 8 };

/* Finds or makes the cut of `to` for chunks with the columns of `chunk`, which belongs to another
 * archetype. `*ret_layout` becomes NULL if the rows of such chunks should be copied. KILN_OK or
 * KILN_NO_MEMORY. */
kiln_status kiln_archetype_cut(kiln_world *world, archetype *to, const kiln_chunk *chunk,
                               const chunk_layout **ret_layout);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
