/* Memory for worlds under test: an allocator and a page source that count what is out, fail when
 * told to, and hold each free to its allocation. What an allocation holds at first is not zero,
 * what a discarded page holds afterwards is not either, and a byte before or behind mapped pages
 * cannot be touched. For one thread. */
#ifndef WORLD_MEMORY_H
#define WORLD_MEMORY_H

#include <kiln/world.h>

enum { WORLD_MAPPINGS_MAX = 1024 };

typedef struct world_mapping {
    unsigned char *whole, *memory; /* with its guards, and without */
    size_t whole_size, size;
} world_mapping;

typedef struct world_memory {
    kiln_allocator allocator;
    kiln_page_source pages;
    size_t calls;      /* of alloc and map so far */
    size_t fail_at;    /* the call of that number fails; 0: none */
    bool fail_rest;    /* and all behind it */
    size_t failed;     /* calls so far */
    size_t heap_bytes; /* out now */
    size_t page_bytes; /* out now */
    size_t page_peak;
    size_t discards; /* bytes */
    size_t mapping_count;
    world_mapping mappings[WORLD_MAPPINGS_MAX];
} world_memory;

void world_memory_init(world_memory *memory);
/* Default definition of a world that uses it. */
kiln_world_def world_memory_def(const world_memory *memory);

#endif
