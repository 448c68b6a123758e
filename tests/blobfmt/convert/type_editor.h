/* Type lists as they evolve when a schema changes: random edits of a list. Older values can be
 * converted after each edit. */
#ifndef TYPE_EDITOR_H
#define TYPE_EDITOR_H

#include <kiln/types.h>

/* Returns the list after up to `count` edits chosen by the seed; never NULL. Types keep their
 * numbers and new types are appended. New fields have a default if they need one. With `removals`,
 * values of enums and flags and alternatives of unions may disappear, so that some older values
 * cannot be converted. */
kiln_types *type_editor_edit(const kiln_types *types, uint64_t seed, unsigned count, bool removals);

#endif
