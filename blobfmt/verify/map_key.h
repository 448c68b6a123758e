/* Which values may be keys of a map: rule V14. */
#ifndef KILN_MAP_KEY_H
#define KILN_MAP_KEY_H

#include <kiln/value.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* For a value that is otherwise valid: whether it is neither a NaN, nor -0, nor a string that is
 * too long. */
bool kiln_map_key_is_valid(const kiln_value *key);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
