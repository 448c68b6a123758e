/* Finds types in the type table that the program passed to kiln_assets_create. */
#ifndef KILN_ASSET_TYPES_H
#define KILN_ASSET_TYPES_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* The program's struct that has this name now or had it earlier; KILN_TYPE_NONE if there is none.
 */
uint32_t kiln_asset_program_type(const kiln_assets *assets, const char *name);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
