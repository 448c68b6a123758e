/* Whole pages for worlds that live for one execution: released ones are used again. */
#ifndef FEW_PAGES_H
#define FEW_PAGES_H

#include <kiln/page_source.h>

const kiln_page_source *few_pages(void);

#endif
