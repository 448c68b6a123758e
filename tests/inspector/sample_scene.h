/* Small files with scenes: components with and without types, and every kind of word. */
#ifndef SAMPLE_SCENE_H
#define SAMPLE_SCENE_H

#include <kiln/allocator.h>

typedef enum sample_scene_kind {
    SAMPLE_SCENE_FULL,    /* a large scene with both forms of chunks, and one with one entity */
    SAMPLE_SCENE_UNTYPED, /* the same without a type table */
    SAMPLE_SCENE_PACKED,  /* the same, compressed */
    SAMPLE_SCENE_WRONG,   /* the same with an invalid bool */
    SAMPLE_SCENE_APART, /* only the large scene of the first; its other parts are in another file */
    SAMPLE_SCENE_LONG,  /* lists that are abbreviated in the output */
    SAMPLE_SCENE_FOREIGN, /* the same as the first, but the scene refers to different chunks */
    SAMPLE_SCENE_SHARED,  /* hundreds of scenes that share their chunks */
    SAMPLE_SCENE_SMALL,   /* a few rows, for tests that try every byte */
    SAMPLE_SCENE_ORDERED  /* data in a different order from the entities; the second scene has more
                             values than words */
} sample_scene_kind;

/* Samples of both kinds share one numbering. Those with scenes begin here. */
enum { SAMPLE_SCENES = 100 };

/* The caller frees the buffer. Fails the test if the sample cannot be made. */
kiln_buffer sample_scene(sample_scene_kind kind);

/* `number` is a sample_kind, SAMPLE_SCENES plus a sample_scene_kind, or SAMPLE_CLUSTERS plus a
 * sample_clusters_kind. */
kiln_buffer sample_of_number(int number);

#endif
