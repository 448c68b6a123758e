/* Two schemas, described by hand, whose generated headers the tests compile and use: `game` holds
 * every kind and shape, and names and docs that no C compiler would take as they are; `town` is
 * another schema that includes a part of the same types. */
#ifndef HEADER_TYPES_H
#define HEADER_TYPES_H

#include <kiln/types.h>

/* NULL when memory runs out or Kiln refuses them. */
kiln_types *header_game_types(void);
kiln_types *header_town_types(void);

#endif
