/* Small files with cluster plans, valid and damaged. */
#ifndef SAMPLE_CLUSTERS_H
#define SAMPLE_CLUSTERS_H

#include <kiln/allocator.h>

typedef enum sample_clusters_kind {
    SAMPLE_CLUSTERS_FULL,    /* four clusters, names with special characters, and an import */
    SAMPLE_CLUSTERS_PACKED,  /* the same, compressed */
    SAMPLE_CLUSTERS_UNTYPED, /* the same without a type table */
    SAMPLE_CLUSTERS_OWNERS,  /* a member with two owners (K4) */
    SAMPLE_CLUSTERS_STARTS,  /* starts that decrease (K2) */
    SAMPLE_CLUSTERS_NUMBERS, /* mutables that do not exist (K5) */
    SAMPLE_CLUSTERS_NAMED,   /* a plan with a wrong name (K1) */
    SAMPLE_CLUSTERS_MANY /* a chain: a list of what each cluster dissolves has quadratic length */
} sample_clusters_kind;

/* Where the numbering of samples continues; see sample_scene.h. */
enum { SAMPLE_CLUSTERS = 200 };

/* The caller frees the buffer. Fails the test if the sample cannot be made. */
kiln_buffer sample_clusters(sample_clusters_kind kind);

#endif
