/* A small file with every encoding in it, made in memory. */
#ifndef SAMPLE_FILE_H
#define SAMPLE_FILE_H

#include <kiln/allocator.h>
#include <stdbool.h>

typedef enum sample_kind {
    SAMPLE_FULL,     /* five assets, two with equal bytes, and one import */
    SAMPLE_UNTYPED,  /* the same without a type table */
    SAMPLE_SMALL,    /* one asset with a few fields, for tests that try every byte */
    SAMPLE_BARE,     /* a blob without a file */
    SAMPLE_TYPES,    /* only a type table */
    SAMPLE_CONTROLS, /* strings that would move the cursor or change a colour */
    SAMPLE_DEEP,     /* objects nested as deep as allowed */
    SAMPLE_SHARED,   /* a value with 2^60 leaves in a few hundred bytes */
    SAMPLE_LINKED,   /* a map whose keys are references, a newtype, and a gap before a payload */
    SAMPLE_PACKED,   /* SAMPLE_FULL with more items and members compressed with a dictionary */
    SAMPLE_UNPACKED, /* the same, uncompressed */
    SAMPLE_UNSHARED, /* flagged as canonical, but not: a string is stored twice; otherwise valid */
    SAMPLE_MANY      /* 8,200 assets, of which 300 have the same bytes */
} sample_kind;

/* The caller frees the buffer, which is aligned to 4096. Fails the test if the sample cannot be
 * made. */
kiln_buffer sample_file(sample_kind kind);

#endif
