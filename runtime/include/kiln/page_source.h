/* Where stores take whole pages from: memory that costs nothing until it is touched. */
#ifndef KILN_PAGE_SOURCE_H
#define KILN_PAGE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where whole pages come from. Called by any thread. */
typedef struct kiln_page_source {
    /* `size` zero bytes at a multiple of `align` (a power of two up to 2 MiB), NULL when there are
     * none. `huge`: pages of 2 MiB are welcome. Memory should cost nothing until it is touched. */
    void *(*map)(void *ctx, size_t size, size_t align, bool huge);
    void (*unmap)(void *ctx, void *memory, size_t size);
    /* The bytes are not needed any more, the addresses are: what they hold afterwards does not
     * matter. */
    void (*discard)(void *ctx, void *memory, size_t size);
    void *ctx;
    /* Puts pages of a file in the place of whole pages that `map` gave: the bytes from `offset`, a
     * multiple of the page's size, on, copied where they are written to, and never written back.
     * `file` is a descriptor that may be closed afterwards. False where it cannot be done; then the
     * bytes are whatever they were. NULL: never. */
    bool (*map_file)(void *ctx, void *memory, size_t size, int file, uint64_t offset);
    /* Puts memory of no file in their place again, whatever it holds; false where that fails. Not
     * NULL where `map_file` is not. */
    bool (*unmap_file)(void *ctx, void *memory, size_t size);
} kiln_page_source;

/* Anonymous memory of the operating system. */
kiln_page_source kiln_page_source_default(void);

#ifdef __cplusplus
}
#endif

#endif
