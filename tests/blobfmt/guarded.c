#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "guarded.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

guarded guarded_copy(const void *data, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), used = (size + page - 1) / page * page;
    guarded g = {NULL, size, NULL, used + page};
    g.pages = mmap(NULL, g.page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g.pages == MAP_FAILED || mprotect((unsigned char *)g.pages + used, page, PROT_NONE) != 0)
        abort();
    g.data = (unsigned char *)g.pages + (used - size);
    if (data && size)
        memcpy(g.data, data, size);
    return g;
}

void guarded_fini(guarded *g)
{
    munmap(g->pages, g->page_bytes);
    g->data = NULL;
}
