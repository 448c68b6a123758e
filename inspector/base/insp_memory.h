/* The only source of memory in the inspector, so that a test can make each allocation fail.
 *
 * All functions can return NULL. Every caller returns that failure to its own caller; it ends as
 * one message and exit code 2. */
#ifndef INSP_MEMORY_H
#define INSP_MEMORY_H

#include <kiln/allocator.h>
#include <stdbool.h>

/* `size` zeroed bytes at a multiple of `align` (a power of two, at most 4096); at least one byte.
 */
void *insp_alloc(size_t size, size_t align);

/* The same, but uninitialised. */
void *insp_alloc_unset(size_t size, size_t align);

/* `count` zeroed elements; NULL if memory runs out or the product overflows. */
void *insp_alloc_array(size_t count, size_t size);

/* Makes room for at least `needed` elements of `size` bytes in an array with room for `*capacity`;
 * the array is NULL or came from here. On failure it returns NULL and leaves the array unchanged.
 * New elements are uninitialised. */
void *insp_grow(void *array, size_t *capacity, size_t needed, size_t size);

void insp_free(void *memory);

/* The same memory as an allocator for Kiln's libraries. */
const kiln_allocator *insp_allocator(void);

/* For tests: the next `n` allocations succeed, the one after them fails, and later ones succeed
 * again; a negative `n` ends that. */
void insp_memory_fail_at(long n);

#endif
