/* The only source of memory in the baker, so that tests can make any allocation fail.
 *
 * All baker code allocates with these functions, and blobfmt uses them through
 * `bake_memory_allocator`. libyaml calls malloc directly; if that fails, its parser returns an
 * error, which the baker reports as out of memory. Thread-safe. If a test injects failures while
 * several threads allocate, any of them may get the failure. */
#ifndef BAKE_MEMORY_H
#define BAKE_MEMORY_H

#include <kiln/allocator.h>
#include <stdbool.h>
#include <stddef.h>

/* Returns uninitialized memory, at least one byte; NULL if memory runs out. */
void *bake_alloc(size_t size);
/* Returns zeroed memory; NULL if memory runs out or `count` * `size` overflows. */
void *bake_alloc_array(size_t count, size_t size);
/* Like realloc: if it returns NULL, the old block is unchanged and the caller still owns it. */
void *bake_realloc(void *block, size_t size);
/* Accepts NULL. */
void bake_free(void *block);

/* Grows `block` (may be NULL), which has room for `*capacity` elements of `size` > 0 bytes, to at
 * least `needed` elements. Grows by at least half. Returns the block, which may have moved, and
 * updates `*capacity`. Returns NULL if memory runs out; the old block is then unchanged. */
void *bake_grow(void *block, size_t *capacity, size_t needed, size_t size);

/* Like bake_grow, for arrays that may become large. On Linux, blocks of 2 MiB and more are mappings
 * that use huge pages where available. Huge pages cost fewer page faults, and a mapping grows
 * without a copy. Free such blocks with bake_block_free only, and pass the capacity in bytes. */
void *bake_block_grow(void *block, size_t *capacity, size_t needed, size_t size);
/* Frees the memory after `needed` elements. Does nothing for a mapping, whose untouched pages use
 * no memory. Returns the block, which may have moved; never fails. */
void *bake_block_trim(void *block, size_t *capacity, size_t needed, size_t size);
/* Accepts NULL. */
void bake_block_free(void *block, size_t bytes);

/* Copies `length` bytes and adds a NUL; NULL if memory runs out. */
char *bake_copy_text(const char *text, size_t length);

/* Wraps the functions above as a kiln_allocator; large blocks are mappings, too. */
kiln_allocator bake_memory_allocator(void);

/* Gives each thread a heap of its own (thread_heap.h) with huge pages, unless the address space is
 * limited. Also makes the heap of malloc grow in large steps and never shrink. Both are fastest for
 * a short-lived process. Only `main` should call it, before it allocates or starts threads. */
void bake_memory_tune(void);

/* For tests: lets the next `n` allocations succeed and all later ones fail. A negative `n` turns
 * this off. */
void bake_memory_fail_after(long n);
/* For tests: fails only the allocation after the next `n`, to find code that ignores a failure. */
void bake_memory_fail_at(long n);
/* For tests: whether an allocation has failed since the last call to one of the two functions
 * above. */
bool bake_memory_has_failed(void);

#endif
