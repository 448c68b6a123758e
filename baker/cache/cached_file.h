/* Checks a kiln file from a cache with the verifier. A wrong file has the right hash if somebody
 * stored it with a wrong result. */
#ifndef BAKE_CACHED_FILE_H
#define BAKE_CACHED_FILE_H

#include "cache_object.h"

#include <kiln/status.h>

/* Checks the index, all members, and the values of all assets whose types are in the file's type
 * table or built in. (A file without a type table shows no other types.) Rule C1, the order of
 * objects in a blob, is not checked, because it does not affect values and takes most of the time.
 * `file` reads at any offset. Payloads are read in parts, everything else is read into memory.
 * Returns KILN_OK, KILN_NO_MEMORY, KILN_IO if the file cannot be read, or the first violation.
 * Returns KILN_TOO_LARGE if the uncompressed values to check have more than `most` bytes in total,
 * so a file cannot make this function run without end. Safe on hostile bytes. */
kiln_status bake_cached_file_check(const bake_cache_source *file, uint64_t most);

/* The limit of `most` for files from caches. */
#define BAKE_CACHED_FILE_MAX ((uint64_t)2 << 30)

#endif
