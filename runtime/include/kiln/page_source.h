/* A source of whole pages, which use no physical memory until they are touched. */
#ifndef KILN_PAGE_SOURCE_H
#define KILN_PAGE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Functions that provide whole pages. Any thread may call them. */
typedef struct kiln_page_source {
    /* Returns `size` zero bytes at a multiple of `align` (a power of two up to 2 MiB), or NULL.
     * With `huge`, pages of 2 MiB are preferred. Pages should use no physical memory until they are
     * touched. */
    void *(*map)(void *ctx, size_t size, size_t align, bool huge);
    void (*unmap)(void *ctx, void *memory, size_t size);
    /* Releases the physical memory but keeps the addresses. For a pool, each byte must afterwards
     * be zero or unchanged; for other users of the source, the content may be undefined. */
    void (*discard)(void *ctx, void *memory, size_t size);
    void *ctx;
    /* Maps pages of a file over whole pages from `map`: the bytes from `offset` on, which is a
     * multiple of the page size. A page is copied when it is written to, and never written back.
     * `file` is a descriptor that may be closed afterwards. Returns false if that is impossible;
     * then the content of the pages is undefined. NULL if the source does not support this. */
    bool (*map_file)(void *ctx, void *memory, size_t size, int file, uint64_t offset);
    /* Replaces pages of a file with anonymous memory with undefined content; returns false on
     * failure. Must not be NULL if `map_file` is not. */
    bool (*unmap_file)(void *ctx, void *memory, size_t size);
} kiln_page_source;

/* Anonymous memory of the operating system. */
kiln_page_source kiln_page_source_default(void);

#ifdef __cplusplus
}
#endif

#endif
