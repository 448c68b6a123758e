/* The only source of memory in the inspector, so that a test can make each allocation fail.
 *
 * All allocating functions may return NULL. Callers propagate that failure, which ends the program
 * with one message and exit code 2. */
#ifndef INSP_MEMORY_H
#define INSP_MEMORY_H

#include <kiln/allocator.h>
#include <stdbool.h>

/* Allocates `size` zeroed bytes, at least one, aligned to `align` (a power of two, at most
 * 4096). */
void *insp_alloc(size_t size, size_t align);

/* Like insp_alloc, but uninitialized. */
void *insp_alloc_unset(size_t size, size_t align);

/* Allocates `count` zeroed elements; NULL if memory runs out or the product overflows. */
void *insp_alloc_array(size_t count, size_t size);

/* Like insp_alloc_array, for arrays with room for entries that may never be used. In large arrays,
 * only those that are used occupy memory. */
void *insp_alloc_entries(size_t count, size_t size);

/* Grows an array with room for `*capacity` elements of `size` bytes to at least `needed` elements.
 * The array is NULL or was returned by this function. New elements are uninitialized. On failure,
 * returns NULL and leaves the array unchanged. */
void *insp_grow(void *array, size_t *capacity, size_t needed, size_t size);

void insp_free(void *memory);

/* Wraps the functions above as an allocator for blobfmt. */
const kiln_allocator *insp_allocator(void);

/* For tests: the next `n` allocations succeed, the one after them fails, and later ones succeed
 * again. A negative `n` turns this off. */
void insp_memory_fail_at(long n);

#endif
