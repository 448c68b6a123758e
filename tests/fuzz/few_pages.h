/* Whole pages and large blocks for worlds that live for one execution: released ones are used
 * again. */
#ifndef FEW_PAGES_H
#define FEW_PAGES_H

#include <kiln/allocator.h>
#include <kiln/page_source.h>

const kiln_page_source *few_pages(void);
/* The C library's memory, but for large blocks. */
const kiln_allocator *few_blocks(void);

#endif
