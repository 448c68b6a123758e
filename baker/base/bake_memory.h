/* The only source of memory in the baker, so that tests can make any allocation fail.
 *
 * The whole baker allocates here; so does blobfmt when it works for the baker, through
 * `bake_memory_allocator`. libyaml calls malloc itself and cannot be hooked: its failures arrive as
 * an error of the parser and are reported as lack of memory, too. Safe from any thread while no
 * test makes allocations fail; the gate counts without locks, so such a test uses one thread. */
#ifndef BAKE_MEMORY_H
#define BAKE_MEMORY_H

#include <kiln/allocator.h>
#include <stdbool.h>
#include <stddef.h>

/* At least one byte, uninitialised; NULL if memory runs out. */
void *bake_alloc(size_t size);
/* Zeroed; NULL also if `count` * `size` overflows. */
void *bake_alloc_array(size_t count, size_t size);
/* As realloc; on NULL the old block is untouched and stays the caller's. */
void *bake_realloc(void *block, size_t size);
/* Takes NULL too. */
void bake_free(void *block);

/* Makes room for at least `needed` elements of `size` > 0 bytes in `block` (NULL for none), which
 * has room for `*capacity`, growing by half at least. Returns the block, which may have moved, and
 * updates `*capacity`. Returns NULL if memory runs out, and then the old block is unchanged. */
void *bake_grow(void *block, size_t *capacity, size_t needed, size_t size);

/* The same for arrays that may become large. On Linux, from 2 MiB on a block has its own mapping,
 * with large pages if the system grants them: for memory that is written once the first use of each
 * page costs most, and a mapping grows without a copy. Free blocks with bake_block_free only, and
 * pass the capacity in bytes. */
void *bake_block_grow(void *block, size_t *capacity, size_t needed, size_t size);
/* Releases the room after `needed` elements, unless the block has its own mapping, of which unused
 * pages cost nothing. Returns the block, which may have moved; never fails. */
void *bake_block_trim(void *block, size_t *capacity, size_t needed, size_t size);
/* Takes NULL too. */
void bake_block_free(void *block, size_t bytes);

/* Copies `length` bytes and adds a NUL; NULL if memory runs out. */
char *bake_copy_text(const char *text, size_t length);

/* The same memory as a kiln_allocator; large blocks have their own mappings, too. */
kiln_allocator bake_memory_allocator(void);

/* Makes the heap use large pages, grow in large steps and never shrink, which saves most of the
 * cost of memory in a process that ends soon. For a program's main, not for libraries. */
void bake_memory_keep(void);

/* For tests: the next `n` allocations succeed, all later ones fail; a negative `n` ends that. */
void bake_memory_fail_after(long n);
/* For tests: only one allocation fails, so that a failure shows that the code did not notice. */
void bake_memory_fail_at(long n);
/* For tests: whether an allocation has failed since the last call of one of these two. */
bool bake_memory_has_failed(void);

#endif
