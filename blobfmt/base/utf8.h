/* Well-formed UTF-8 as Unicode 15, table 3-7 has it: no overlong forms, no surrogates, nothing
 * above U+10FFFF. */
#ifndef KILN_UTF8_H
#define KILN_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Number of leading bytes that are well-formed and not NUL; `size` when all are. */
size_t kiln_utf8_valid_prefix(const unsigned char *text, size_t size);
/* Whether all is well-formed; NULs are welcome. */
bool kiln_utf8_is_valid(const unsigned char *text, size_t size);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
