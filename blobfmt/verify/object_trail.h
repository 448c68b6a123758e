/* Where in a value a collection failed: the path to the field, for messages. */
#ifndef KILN_OBJECT_TRAIL_H
#define KILN_OBJECT_TRAIL_H

#include "object_graph.h"

#include <kiln/path.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* After kiln_graph_collect has failed: appends the path from the root, a value of `type`, to the
 * field that is at fault; nothing where the root itself is. Map entries are named by their number
 * in the source, unions' alternatives not at all. */
void kiln_graph_trail_path(const graph *g, uint32_t type, kiln_path *path);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
