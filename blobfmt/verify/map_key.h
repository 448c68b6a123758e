/* Which values may be keys of a map: rule V14. */
#ifndef KILN_MAP_KEY_H
#define KILN_MAP_KEY_H

#include <kiln/value.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Whether a value that is otherwise valid may be a key. NaN, -0 and strings that are too long may
 * not. */
bool kiln_map_key_is_valid(const kiln_value *key);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
