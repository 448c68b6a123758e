/* A library to be loaded before a program (LD_PRELOAD): it counts the blocks that the program has
 * and tells who follows the program's system calls how many are left at its end, by a call that the
 * kernel refuses. */
#define _GNU_SOURCE

#include "heap_shim.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

/* What the C library calls these itself. */
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

/* The buffers of streams are the C library's, which keeps them to the last. */
__attribute__((destructor)) static void tell(void)
{
    setvbuf(stdin, NULL, _IONBF, 0);
    setvbuf(stdout, NULL, _IONBF, 0);
    syscall(SYS_prctl, (unsigned long)HEAP_SHIM_TELLS, (unsigned long)atomic_load(&blocks), 0UL,
            0UL, 0UL);
}
