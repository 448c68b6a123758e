/* Marks bytes as not accessible if the program is built with the address sanitizer. */
#ifndef KILN_POOL_POISON_H
#define KILN_POOL_POISON_H

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define POOL_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POOL_POISONS 1
#endif
#endif

#if defined(POOL_POISONS)
#include <sanitizer/asan_interface.h>
#endif

static inline void pool_poison(const void *data, size_t size)
{
#if defined(POOL_POISONS)
    __asan_poison_memory_region(data, size);
#else
    (void)data;
    (void)size;
#endif
}

static inline void pool_unpoison(const void *data, size_t size)
{
#if defined(POOL_POISONS)
    __asan_unpoison_memory_region(data, size);
#else
    (void)data;
    (void)size;
#endif
}

#endif
