/* A library for LD_PRELOAD that counts the program's heap blocks. At exit it reports the
 * number of remaining blocks to the program's tracer, through a call that the kernel refuses. */
#define _GNU_SOURCE

#include "heap_shim.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

/* The C library's own entry points. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t align, size_t size);
extern void __libc_free(void *block);

static atomic_long blocks;

static void *counted(void *block)
{
    if (block)
        atomic_fetch_add(&blocks, 1);
    return block;
}

EXPORTED void *malloc(size_t size)
{
    return counted(__libc_malloc(size));
}

EXPORTED void *calloc(size_t count, size_t size)
{
    return counted(__libc_calloc(count, size));
}

EXPORTED void *aligned_alloc(size_t align, size_t size)
{
    return counted(__libc_memalign(align, size));
}

EXPORTED int posix_memalign(void **ret, size_t align, size_t size)
{
    int before = errno;
    void *block = counted(__libc_memalign(align, size));
    errno = before;
    if (block)
        *ret = block;
    return block ? 0 : ENOMEM;
}

EXPORTED void free(void *block)
{
    if (block)
        atomic_fetch_sub(&blocks, 1);
    __libc_free(block);
}

EXPORTED void *realloc(void *block, size_t size)
{
    void *moved = __libc_realloc(block, size);
    if (!block)
        return counted(moved);
    if (!moved && size == 0)
        atomic_fetch_sub(&blocks, 1);
    return moved;
}

/* Ignores the buffers of streams, which the C library keeps until the end. */
__attribute__((destructor)) static void tell(void)
{
    setvbuf(stdin, NULL, _IONBF, 0);
    setvbuf(stdout, NULL, _IONBF, 0);
    syscall(SYS_prctl, (unsigned long)HEAP_SHIM_TELLS, (unsigned long)atomic_load(&blocks), 0UL,
            0UL, 0UL);
}
