/* A test source of pages: counts mapped and discarded bytes, checks the size passed to each unmap
 * and discard, and fails on request. Its pages come from the default source. */
#ifndef COUNTING_PAGES_H
#define COUNTING_PAGES_H

#include <kiln/page_source.h>

enum { COUNTED_MAPPINGS_MAX = 64 };

typedef struct counted_mapping {
    unsigned char *memory;
    size_t size;
} counted_mapping;

typedef struct counting_pages {
    counted_mapping mappings[COUNTED_MAPPINGS_MAX];
    size_t mapping_count, mapped_bytes;
    size_t huge_maps; /* calls that preferred huge pages */
    size_t calls;     /* calls of map so far */
    size_t fail_from; /* this call and all later ones fail; 0 means none */
    size_t discards, discarded_bytes;
    bool keeps_bytes; /* discarded pages keep their content; otherwise they read as zero */
    bool wrong_call;  /* a size or a pointer was not that of a mapping */
} counting_pages;

/* `counter` must outlive the page source. */
kiln_page_source counting_pages_of(counting_pages *counter);
/* Returns how many bytes of the mapped pages are in physical memory. */
size_t counting_pages_resident(const counting_pages *counter);

#endif
