/* The baker's one door to the C library's heap, so that tests can make any allocation fail.
 *
 * All of the baker allocates here; so does blobfmt when it works for the baker, through
 * `bake_memory_allocator`. libyaml calls malloc itself and cannot be hooked: its failures come back
 * as an error of the parser and take the same way out. Safe from any thread while no test hook is
 * set; the hook itself counts without locks and is for tests of one thread. */
#ifndef BAKE_MEMORY_H
#define BAKE_MEMORY_H

#include <kiln/allocator.h>
#include <stdbool.h>
#include <stddef.h>

/* At least one byte, uninitialised; NULL when there is no memory. */
void *bake_alloc(size_t size);
/* Zeroed; NULL also when `count` * `size` does not fit. */
void *bake_alloc_array(size_t count, size_t size);
/* As realloc; on NULL the old block is untouched and stays the caller's. */
void *bake_realloc(void *block, size_t size);
/* Takes NULL too. */
void bake_free(void *block);

/* Makes room for at least `needed` elements of `size` > 0 bytes in `block` (NULL for none), which
 * has room for `*capacity`, growing by half at least. Returns the block, moved perhaps, and updates
 * `*capacity`; NULL when there is no memory, and then the old block stays as it was. */
void *bake_grow(void *block, size_t *capacity, size_t needed, size_t size);

/* The same for arrays that may become large. From some size on they have pages of their own, large
 * pages where the system gives them on advice: a page's first use is what costs most in memory that
 * is written once, and an array grows without being copied. Only bake_block_free ends them, with
 * the bytes that there is room for. */
void *bake_block_grow(void *block, size_t *capacity, size_t needed, size_t size);
/* Gives back what is more than `needed` elements, where the block has no pages of its own, of which
 * those that were never used cost nothing. Returns the block, moved perhaps; never fails. */
void *bake_block_trim(void *block, size_t *capacity, size_t needed, size_t size);
/* Takes NULL too. */
void bake_block_free(void *block, size_t bytes);

/* Copies `length` bytes and adds a NUL; NULL when there is no memory. */
char *bake_copy_text(const char *text, size_t length);

/* The same memory for those who take a kiln_allocator; large blocks as bake_block_grow makes them.
 */
kiln_allocator bake_memory_allocator(void);

/* Lets the heap have large pages, grow in large steps and never shrink, which for a process that
 * ends soon saves most of what memory costs. For a program's main, not for libraries. */
void bake_memory_keep(void);

/* For tests: the next `n` allocations succeed, all later ones fail; a negative `n` ends that. */
void bake_memory_fail_after(long n);
/* For tests: the same, but later ones succeed again, so that a failure that nobody noted shows. */
void bake_memory_fail_at(long n);
/* For tests: whether an allocation has failed since the last call of one of these. */
bool bake_memory_has_failed(void);

#endif
