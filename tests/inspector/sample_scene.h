/* Small files with scenes: components with types and without, words of every kind. */
#ifndef SAMPLE_SCENE_H
#define SAMPLE_SCENE_H

#include <kiln/allocator.h>

typedef enum sample_scene_kind {
    SAMPLE_SCENE_FULL,    /* two scenes: one of five archetypes with chunks of both forms, a dot */
    SAMPLE_SCENE_UNTYPED, /* the same without type table */
    SAMPLE_SCENE_PACKED,  /* the same, compressed */
    SAMPLE_SCENE_WRONG,   /* the same, where a bool is neither true nor false */
    SAMPLE_SCENE_APART,   /* the large scene of the first alone, its other parts in another file */
    SAMPLE_SCENE_LONG,    /* lists that are shortened when they are shown */
    SAMPLE_SCENE_FOREIGN, /* the same as the first, but the scene names other chunks */
    SAMPLE_SCENE_SHARED,  /* hundreds of scenes with the same chunks */
    SAMPLE_SCENE_SMALL,   /* a few rows: for tests that try every byte */
    SAMPLE_SCENE_ORDERED  /* data in another order than entities; in a second scene more of it than
                           * there are words */
} sample_scene_kind;

/* In numbers of samples of either kind, those with scenes begin here. */
enum { SAMPLE_SCENES = 100 };

/* The caller releases the buffer. Fails the test if it cannot be made. */
kiln_buffer sample_scene(sample_scene_kind kind);

/* A sample_kind, or SAMPLE_SCENES and a sample_scene_kind. */
kiln_buffer sample_of_number(int number);

#endif
