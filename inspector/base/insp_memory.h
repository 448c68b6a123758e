/* The inspector's only source of memory, so that a test can make every single allocation fail.
 *
 * All functions may return NULL, and every caller hands that on until it ends as one line and exit
 * code 2. */
#ifndef INSP_MEMORY_H
#define INSP_MEMORY_H

#include <kiln/allocator.h>
#include <stdbool.h>

/* `size` zeroed bytes at a multiple of `align` (a power of two, at most 4096); a size of 0 gives
 * one byte. */
void *insp_alloc(size_t size, size_t align);

/* The same, but the bytes hold anything. */
void *insp_alloc_unset(size_t size, size_t align);

/* `count` zeroed elements; NULL also where the product does not fit. */
void *insp_alloc_array(size_t count, size_t size);

/* Makes room for at least `needed` elements of `size` bytes in an array that has room for
 * `*capacity` and was NULL or came from here. On failure NULL comes back and the array stays as it
 * was. New elements are not initialised. */
void *insp_grow(void *array, size_t *capacity, size_t needed, size_t size);

void insp_free(void *memory);

/* The same memory as an allocator for Kiln's libraries. */
const kiln_allocator *insp_allocator(void);

/* For tests: each allocation asks `may`, and fails where that says false. NULL: none fails. */
void insp_memory_set_gate(bool (*may)(void *ctx), void *ctx);

#endif
