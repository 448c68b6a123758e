/* The path to the field at which a collection failed, for messages. */
#ifndef KILN_OBJECT_TRAIL_H
#define KILN_OBJECT_TRAIL_H

#include "object_graph.h"

#include <kiln/path.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* After kiln_graph_collect has failed: appends the path from the root, a value of `type`, to the
 * field at fault, or nothing if the root itself is at fault. A map entry is identified by its index
 * in the source, because its key may be invalid. */
void kiln_graph_trail_path(const graph *g, uint32_t type, kiln_path *path);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
