/* Mutations of a whole file that know its index, its members and their types. */
#ifndef FILE_MUTATOR_H
#define FILE_MUTATOR_H

#include <kiln/types.h>
#include <stddef.h>

/* Changes one thing in the file of `size` bytes, which lies at a multiple of 4096 and may grow to
 * `room`: in its index, in a member, or in the stored bytes of a compressed one. Types are those of
 * the file's type table, as far as it can be read, and those that are fixed. Hashes of blobs, the
 * index's hashes of members, and a scene's hashes of its chunks and data are put right, so that
 * what is refused is refused by its rule. Returns the new size. */
size_t mutate_file(unsigned char *file, size_t size, size_t room, unsigned seed);

/* The same for one blob; types without a root type (KILN_TYPE_NONE): any bytes of it. */
size_t mutate_blob(const kiln_types *types, uint32_t type, unsigned char *blob, size_t size,
                   size_t room, unsigned seed);

#endif
