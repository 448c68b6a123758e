/* A page source and allocator for worlds that live for one execution: freed pages and large blocks
 * are reused. */
#ifndef FEW_PAGES_H
#define FEW_PAGES_H

#include <kiln/allocator.h>
#include <kiln/page_source.h>

const kiln_page_source *few_pages(void);
/* Uses malloc except for large blocks. */
const kiln_allocator *few_blocks(void);

#endif
