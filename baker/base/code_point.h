/* Code points of texts in UTF-8, one at a time. */
#ifndef BAKE_CODE_POINT_H
#define BAKE_CODE_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of bytes of the code point at `text` (`size` > 0): 1 to 4; 0 when it is not UTF-8. */
size_t bake_utf8_decode(const char *text, size_t size, uint32_t *ret_code_point);

/* Whether a terminal does not show the code point as a sign of its own: C1 controls, and those that
 * change the direction of text or have no width. */
bool bake_utf8_hides_or_moves(uint32_t code_point);

/* The number of bytes, at most `most`, that the text can be cut to without cutting a code point. */
size_t bake_utf8_cut(const char *text, size_t size, size_t most);

#endif
