/* Colours in CSS notation: `#RGB`, `#RGBA`, `#RRGGBB`, `#RRGGBBAA` and the named colours. */
#ifndef BAKE_COLOUR_H
#define BAKE_COLOUR_H

#include <stdbool.h>
#include <stddef.h>

enum { BAKE_COLOURS = 149, BAKE_CHANNELS = 4 };

/* The name of colour `i` < BAKE_COLOURS, in lower case. Names are sorted. */
const char *bake_colour_name(size_t i);

/* Looks up a named colour, in any letter case, and writes red, green, blue and alpha. Returns false
 * if CSS does not define the name. */
bool bake_colour_find(const char *text, size_t length, unsigned char channels[BAKE_CHANNELS]);
/* Like bake_colour_find, but also accepts hexadecimal digits after `#`. */
bool bake_colour_read(const char *text, size_t length, unsigned char channels[BAKE_CHANNELS]);

#endif
