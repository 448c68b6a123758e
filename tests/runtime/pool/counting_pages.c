#define _DEFAULT_SOURCE /* mincore */

#include "counting_pages.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void *counted_map(void *ctx, size_t size, size_t align, bool huge)
{
    counting_pages *counter = ctx;
    kiln_page_source pages = kiln_page_source_default();
    counter->calls++;
    counter->huge_maps += huge;
    if (size == 0 || align == 0 || (align & (align - 1)) != 0 || align > (size_t)2 << 20)
        counter->wrong_call = true;
    if (counter->fail_from && counter->calls >= counter->fail_from)
        return NULL;
    if (counter->mapping_count == COUNTED_MAPPINGS_MAX)
        abort();
    void *memory = pages.map(pages.ctx, size, align, huge);
    if (memory) {
        counted_mapping mapping = {memory, size};
        counter->mappings[counter->mapping_count++] = mapping;
        counter->mapped_bytes += size;
    }
    return memory;
}

/* The index of a whole mapping. */
static size_t find_mapping(counting_pages *counter, const void *memory, size_t size)
{
    size_t i = 0;
    while (i < counter->mapping_count &&
           (counter->mappings[i].memory != memory || counter->mappings[i].size != size))
        i++;
    counter->wrong_call = counter->wrong_call || i == counter->mapping_count;
    return i;
}

static void counted_unmap(void *ctx, void *memory, size_t size)
{
    counting_pages *counter = ctx;
    kiln_page_source pages = kiln_page_source_default();
    size_t i = find_mapping(counter, memory, size);
    if (i == counter->mapping_count)
        return;
    pages.unmap(pages.ctx, memory, size);
    counter->mappings[i] = counter->mappings[--counter->mapping_count];
    counter->mapped_bytes -= size;
}

static void counted_discard(void *ctx, void *memory, size_t size)
{
    counting_pages *counter = ctx;
    kiln_page_source pages = kiln_page_source_default();
    if (find_mapping(counter, memory, size) == counter->mapping_count)
        return;
    counter->discards++;
    counter->discarded_bytes += size;
    if (!counter->keeps_bytes)
        pages.discard(pages.ctx, memory, size);
}

kiln_page_source counting_pages_of(counting_pages *counter)
{
    kiln_page_source source = {
        .map = counted_map, .unmap = counted_unmap, .discard = counted_discard, .ctx = counter};
    return source;
}

size_t counting_pages_resident(const counting_pages *counter)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), resident = 0;
    for (size_t i = 0; i < counter->mapping_count; i++) {
        size_t count = (counter->mappings[i].size + page - 1) / page;
        unsigned char *flags = malloc(count);
        if (!flags || mincore(counter->mappings[i].memory, counter->mappings[i].size, flags))
            abort();
        for (size_t k = 0; k < count; k++)
            resident += flags[k] & 1 ? page : 0;
        free(flags);
    }
    return resident;
}
