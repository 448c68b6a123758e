/* All memory of the program is allocated in `allocate`, insp_alloc_entries or insp_grow, which call
 * the gate first.
 * A test that closes the gate after n = 0, 1, 2 ... allocations thus reaches every failure path.
 *
 * The gate is a global without a lock, because insp_main is not thread-safe. Frees are not counted;
 * the sanitizers and valgrind report leaks. */
#define _POSIX_C_SOURCE 200809L
#include "insp_memory.h"

#include "heap_gate.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static heap_gate gate;

static bool may_allocate(void)
{
    return heap_gate_passes(&gate);
}

void insp_memory_fail_at(long n)
{
    heap_gate_close(&gate, n, true);
}

/* Uses posix_memalign, because aligned_alloc requires a size that is a multiple of the alignment.
 * With the exact size, memory checkers detect a read directly after the end of a file. */
static void *allocate(size_t size, size_t align)
{
    void *memory = NULL;
    if (!may_allocate())
        return NULL;
    if (align < sizeof(void *))
        align = sizeof(void *);
    return posix_memalign(&memory, align, size ? size : 1) == 0 ? memory : NULL;
}

void *insp_alloc(size_t size, size_t align)
{
    void *memory = allocate(size, align);
    if (memory)
        memset(memory, 0, size ? size : 1);
    return memory;
}

void *insp_alloc_unset(size_t size, size_t align)
{
    return allocate(size, align);
}

void *insp_alloc_array(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    return insp_alloc(count * size, sizeof(uint64_t));
}

/* For large blocks, calloc gets pages from the system, which are zero when they are first used. */
void *insp_alloc_entries(size_t count, size_t size)
{
    if (!may_allocate())
        return NULL;
    return calloc(count ? count : 1, size ? size : 1);
}

void *insp_grow(void *array, size_t *capacity, size_t needed, size_t size)
{
    size_t next = *capacity ? *capacity : 16;
    void *grown;
    if (array && needed <= *capacity)
        return array;
    while (next < needed) {
        if (next > SIZE_MAX / 2)
            return NULL;
        next *= 2;
    }
    /* Doubling keeps the total cost of n appends linear in n. realloc is safe, because no list
     * needs more than malloc's alignment. */
    if (next > SIZE_MAX / size || !may_allocate())
        return NULL;
    grown = realloc(array, next * size);
    if (grown)
        *capacity = next;
    return grown;
}

void insp_free(void *memory)
{
    free(memory);
}

static void *allocate_for_kiln(void *ctx, size_t size, size_t align)
{
    (void)ctx;
    return allocate(size, align);
}

static void free_for_kiln(void *ctx, void *memory, size_t size)
{
    (void)ctx;
    (void)size;
    free(memory);
}

const kiln_allocator *insp_allocator(void)
{
    static const kiln_allocator allocator = {allocate_for_kiln, free_for_kiln, NULL};
    return &allocator;
}
