/* The environment variables that programs get from kiln-bake. */
#ifndef BAKE_PROGRAM_ENVIRONMENT_H
#define BAKE_PROGRAM_ENVIRONMENT_H

#include <kiln/index.h>
#include <stdbool.h>

/* Returns a hash of all environment variables, in any order, without those that describe only the
 * shell, make or kiln-bake's caches: `_`, `COLUMNS`, `LINES`, `OLDPWD`, `PWD`, `SHLVL`,
 * `MAKEFLAGS`, `MAKELEVEL`, `MAKE_TERMERR`, `MAKE_TERMOUT`, `MFLAGS`, and names that begin with
 * `KILN_CACHE`. Returns false if memory runs out. No other thread may change the environment. */
bool bake_program_environment(kiln_hash128 *ret);

#endif
