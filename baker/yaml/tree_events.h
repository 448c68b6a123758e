/* Builds a tree from libyaml's events, and reports syntax errors. Private to the tree_*.c files. */
#ifndef BAKE_TREE_EVENTS_H
#define BAKE_TREE_EVENTS_H

#include "tree_builder.h"

bake_build bake_read_events(bake_builder *b);

#endif
