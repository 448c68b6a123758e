/* Two hand-written schemas, whose generated headers the tests compile and use. `game` has every
 * kind and shape, and names and docs that are not valid in C without changes. `town` is another
 * schema that includes some of the same types. */
#ifndef HEADER_TYPES_H
#define HEADER_TYPES_H

#include <kiln/types.h>

/* Returns NULL if memory runs out or Kiln refuses the types. */
kiln_types *header_game_types(void);
kiln_types *header_town_types(void);

#endif
