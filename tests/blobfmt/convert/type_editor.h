/* Lists of types as they come to be when a schema changes: random edits of a list, each one that an
 * older value survives. */
#ifndef TYPE_EDITOR_H
#define TYPE_EDITOR_H

#include <kiln/types.h>

/* The list after up to `count` edits that follow from the seed; never NULL. Types keep their
 * numbers, and new ones come behind them. New fields that need a default have one. With `removals`
 * values of enums, flags and alternatives of unions may be gone, which a value may not survive. */
kiln_types *type_editor_edit(const kiln_types *types, uint64_t seed, unsigned count, bool removals);

#endif
