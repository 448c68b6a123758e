#include "insp_recycler.h"

#include "insp_memory.h"

#include <string.h>

/* The place in `unused` for blocks of at least `size` bytes; INSP_RECYCLER_SIZES: too large. */
static int place_of(size_t size)
{
    int place = 0;
    while (place < INSP_RECYCLER_SIZES && size > (size_t)INSP_RECYCLER_LEAST << place)
        place++;
    return place;
}

static void *take(void *ctx, size_t size, size_t align)
{
    insp_recycler *r = ctx;
    int place = place_of(size);
    void *block;
    if (place == INSP_RECYCLER_SIZES)
        return insp_alloc_unset(size, align);
    block = r->unused[place];
    /* Unused blocks have at least this alignment. */
    if (!block || align > INSP_RECYCLER_LEAST)
        return insp_alloc_unset((size_t)INSP_RECYCLER_LEAST << place,
                                align > INSP_RECYCLER_LEAST ? align : INSP_RECYCLER_LEAST);
    memcpy(&r->unused[place], block, sizeof block);
    return block;
}

static void put_back(void *ctx, void *block, size_t size)
{
    insp_recycler *r = ctx;
    int place = place_of(size);
    if (place == INSP_RECYCLER_SIZES || !block) {
        insp_free(block);
        return;
    }
    memcpy(block, &r->unused[place], sizeof block);
    r->unused[place] = block;
}

void insp_recycler_init(insp_recycler *r)
{
    *r = (insp_recycler){.allocator = {take, put_back, r}};
}

void insp_recycler_fini(insp_recycler *r)
{
    int i;
    for (i = 0; i < INSP_RECYCLER_SIZES; i++)
        while (r->unused[i]) {
            void *block = r->unused[i];
            memcpy(&r->unused[i], block, sizeof block);
            insp_free(block);
        }
}
