/* The types of the program that a table was created with. */
#ifndef KILN_ASSET_TYPES_H
#define KILN_ASSET_TYPES_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* The number of the program's struct that has that name, or had it earlier; KILN_TYPE_NONE if
 * there is none. */
uint32_t kiln_asset_program_type(const kiln_assets *assets, const char *name);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
