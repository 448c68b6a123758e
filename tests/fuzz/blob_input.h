/* The input of harnesses that read bytes: the first two bytes select how the rest is read. With
 * BLOB_AS_RANDOM, the next eight bytes are the seed of the types. */
#ifndef BLOB_INPUT_H
#define BLOB_INPUT_H

#include <kiln/types.h>
#include <stddef.h>

enum { /* the first byte modulo the number of constants */
       BLOB_AS_FILE,
       BLOB_AS_TYPE_TABLE,
       BLOB_AS_BLOB,
       BLOB_AS_IMAGE, /* a payload of the type whose number is the second byte */
       BLOB_AS_CANONICAL,
       BLOB_AS_PATH,
       BLOB_AS_RANDOM,
       BLOB_AS_COUNT,
       BLOB_HEAD = 2,
       BLOB_SEED_SIZE = 8
};

/* The types of test_types.h, those of the format, and those of a seed. Each list is made once; for
 * seeds only the last list is cached. */
const kiln_types *blob_input_types(void);
const kiln_types *blob_input_builtin(void);
const kiln_types *blob_input_random(const unsigned char *seed);

/* Recomputes the hash if the header, gap and payload of a blob are complete. */
void blob_input_rehash(unsigned char *blob, size_t size);

#endif
