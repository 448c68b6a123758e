/* A small file with every encoding in it, made in memory. */
#ifndef SAMPLE_FILE_H
#define SAMPLE_FILE_H

#include <kiln/allocator.h>
#include <stdbool.h>

typedef enum sample_kind {
    SAMPLE_FULL,     /* five assets, two of which share their bytes, and one import */
    SAMPLE_UNTYPED,  /* the same without type table */
    SAMPLE_SMALL,    /* one asset with a few fields: for tests that try every byte */
    SAMPLE_BARE,     /* a blob without a file around it */
    SAMPLE_TYPES,    /* a type table alone */
    SAMPLE_CONTROLS, /* texts that would move a cursor or change a colour */
    SAMPLE_DEEP,     /* as many objects nested in one another as may be */
    SAMPLE_SHARED,   /* a value of two to the power of 60 leaves in a few hundred bytes */
    SAMPLE_LINKED,   /* a map whose keys are references, a newtype, and a gap before a payload */
    SAMPLE_PACKED,   /* the full one with items more, its members compressed with a dictionary */
    SAMPLE_UNPACKED, /* the same, uncompressed */
    SAMPLE_UNSHARED  /* valid, but not canonical as its header says: a string twice */
} sample_kind;

/* The caller releases the buffer, which is aligned to 4096. Fails the test if it cannot be made. */
kiln_buffer sample_file(sample_kind kind);

#endif
