/* Atomic operations for the inline functions of public headers: C and C++ spell them differently.
 */
#ifndef KILN_ATOMIC_H
#define KILN_ATOMIC_H

#ifdef __cplusplus
#include <atomic>
#define KILN_ATOMIC(type) std::atomic<type>
#define KILN_LOAD_RELAXED(object) std::atomic_load_explicit(object, std::memory_order_relaxed)
#define KILN_LOAD_ACQUIRE(object) std::atomic_load_explicit(object, std::memory_order_acquire)
#define KILN_STORE_RELAXED(object, value)                                                          \
    std::atomic_store_explicit(object, value, std::memory_order_relaxed)
#define KILN_STORE_RELEASE(object, value)                                                          \
    std::atomic_store_explicit(object, value, std::memory_order_release)
#else
#include <stdatomic.h>
#define KILN_ATOMIC(type) _Atomic(type)
#define KILN_LOAD_RELAXED(object) atomic_load_explicit(object, memory_order_relaxed)
#define KILN_LOAD_ACQUIRE(object) atomic_load_explicit(object, memory_order_acquire)
#define KILN_STORE_RELAXED(object, value) atomic_store_explicit(object, value, memory_order_relaxed)
#define KILN_STORE_RELEASE(object, value) atomic_store_explicit(object, value, memory_order_release)
#endif

#endif
