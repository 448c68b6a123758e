/* What an input of the harnesses for bytes is: two bytes that say how the rest is read. The rest of
 * BLOB_AS_RANDOM begins with eight bytes more, the seed of its types. */
#ifndef BLOB_INPUT_H
#define BLOB_INPUT_H

#include <kiln/types.h>
#include <stddef.h>

enum { /* the first byte, as a remainder */
       BLOB_AS_FILE,
       BLOB_AS_TYPE_TABLE,
       BLOB_AS_BLOB,
       BLOB_AS_IMAGE, /* of the type whose number the second byte is */
       BLOB_AS_CANONICAL,
       BLOB_AS_PATH,
       BLOB_AS_RANDOM,
       BLOB_AS_COUNT,
       BLOB_HEAD = 2,
       BLOB_SEED_SIZE = 8
};

/* The types of test_types.h, the format's own, and those of a seed: made once, the last one kept
 * until another is asked for. */
const kiln_types *blob_input_types(void);
const kiln_types *blob_input_builtin(void);
const kiln_types *blob_input_random(const unsigned char *seed);

/* Puts the hash right where header, gap and payload of a blob are all there. */
void blob_input_rehash(unsigned char *blob, size_t size);

#endif
