/* Mutates a whole file, based on its index, its members and their types. */
#ifndef FILE_MUTATOR_H
#define FILE_MUTATOR_H

#include <kiln/types.h>
#include <stddef.h>

/* Changes one thing in the file of `size` bytes, which is aligned to 4096 and may grow to `room`:
 * in its index, in a member, or in the stored bytes of a compressed member. The types are those of
 * the file's type table, as far as it can be read, and the built-in types. All hashes are
 * recomputed: those of blobs, of members in the index, and of a scene's chunks and data. A reader
 * therefore refuses the file because of the change, not because of a hash. Returns the new size. */
size_t mutate_file(unsigned char *file, size_t size, size_t room, unsigned seed);

/* The same for one blob. If `type` is KILN_TYPE_NONE or the header is invalid, any byte may change
 * and no hash is recomputed. */
size_t mutate_blob(const kiln_types *types, uint32_t type, unsigned char *blob, size_t size,
                   size_t room, unsigned seed);

#endif
