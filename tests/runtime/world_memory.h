/* Test memory for worlds: an allocator and a page source that count live memory, fail on request,
 * and match each free with its allocation. New allocations and discarded pages are filled with
 * nonzero bytes. Guard pages surround mapped pages. For one thread only. */
#ifndef WORLD_MEMORY_H
#define WORLD_MEMORY_H

#include <kiln/world.h>

enum { WORLD_MAPPINGS_MAX = 1024 };

typedef struct world_mapping {
    unsigned char *whole, *memory; /* with and without its guards */
    size_t whole_size, size;
} world_mapping;

typedef struct world_memory {
    kiln_allocator allocator;
    kiln_page_source pages;
    size_t calls;      /* calls of alloc and map so far */
    size_t fail_at;    /* number of the call that fails; 0 for none */
    bool fail_rest;    /* all later calls fail, too */
    size_t failed;     /* failed calls so far */
    size_t heap_bytes; /* currently allocated */
    size_t page_bytes; /* currently mapped */
    size_t page_peak;
    size_t discards; /* discarded bytes */
    size_t mapping_count;
    world_mapping mappings[WORLD_MAPPINGS_MAX];
} world_memory;

void world_memory_init(world_memory *memory);
/* The default world definition with this memory. */
kiln_world_def world_memory_def(const world_memory *memory);

#endif
