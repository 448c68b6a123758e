/* Colours as CSS writes them: `#RGB`, `#RGBA`, `#RRGGBB`, `#RRGGBBAA`, and its named colours. */
#ifndef BAKE_COLOUR_H
#define BAKE_COLOUR_H

#include <stdbool.h>
#include <stddef.h>

enum { BAKE_COLOURS = 149, BAKE_CHANNELS = 4 };

/* The name of colour `i` of BAKE_COLOURS, in lower case; ascending. */
const char *bake_colour_name(size_t i);

/* Red, green, blue and alpha of a named colour, in any letter case; false if CSS does not define
 * the name. */
bool bake_colour_find(const char *text, size_t length, unsigned char channels[BAKE_CHANNELS]);
/* The same for a name or for digits after `#`. */
bool bake_colour_read(const char *text, size_t length, unsigned char channels[BAKE_CHANNELS]);

#endif
