/* A tree from libyaml's events: reads whatever libyaml reads, and says what is wrong with the rest.
 * Private to the tree_*.c files. */
#ifndef BAKE_TREE_EVENTS_H
#define BAKE_TREE_EVENTS_H

#include "tree_builder.h"

bake_build bake_read_events(bake_builder *b);

#endif
