/* Interruptible atomic operations, for a test that includes a runtime source after this header.
 * Each operation first calls `interrupted_here`, which can run everything that another thread does.
 * The test therefore tries these points one after the other. Loads and stores with an explicit
 * memory order are not intercepted, so the other thread does not run directly before them. */
#ifndef INTERRUPTED_H
#define INTERRUPTED_H

#include <stdatomic.h>

void interrupted_here(void);

#if defined(__clang__)
#define PLAIN_LOAD(p) __c11_atomic_load(p, __ATOMIC_SEQ_CST)
#define PLAIN_STORE(p, v) __c11_atomic_store(p, v, __ATOMIC_SEQ_CST)
#define PLAIN_EXCHANGE(p, v) __c11_atomic_exchange(p, v, __ATOMIC_SEQ_CST)
#define PLAIN_ADD(p, v) __c11_atomic_fetch_add(p, v, __ATOMIC_SEQ_CST)
#define PLAIN_SUB(p, v) __c11_atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST)
#define PLAIN_AND(p, v) __c11_atomic_fetch_and(p, v, __ATOMIC_SEQ_CST)
#define PLAIN_OR(p, v) __c11_atomic_fetch_or(p, v, __ATOMIC_SEQ_CST)
#define PLAIN_SWAP(p, e, v)                                                                        \
    __c11_atomic_compare_exchange_strong(p, e, v, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#else
#define PLAIN_LOAD(p) __atomic_load_n(p, __ATOMIC_SEQ_CST)
#define PLAIN_STORE(p, v) __atomic_store_n(p, v, __ATOMIC_SEQ_CST)
#define PLAIN_EXCHANGE(p, v) __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)
#define PLAIN_ADD(p, v) __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST)
#define PLAIN_SUB(p, v) __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST)
#define PLAIN_AND(p, v) __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST)
#define PLAIN_OR(p, v) __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST)
#define PLAIN_SWAP(p, e, v)                                                                        \
    __atomic_compare_exchange_n(p, e, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#endif

#undef atomic_load
#undef atomic_store
#undef atomic_exchange
#undef atomic_exchange_explicit
#undef atomic_fetch_add
#undef atomic_fetch_sub
#undef atomic_fetch_and
#undef atomic_fetch_or
#undef atomic_compare_exchange_strong
#undef atomic_compare_exchange_weak
#define atomic_load(p) (interrupted_here(), PLAIN_LOAD(p))
#define atomic_store(p, v) (interrupted_here(), PLAIN_STORE(p, v))
#define atomic_exchange(p, v) (interrupted_here(), PLAIN_EXCHANGE(p, v))
#define atomic_exchange_explicit(p, v, order) (interrupted_here(), PLAIN_EXCHANGE(p, v))
#define atomic_fetch_add(p, v) (interrupted_here(), PLAIN_ADD(p, v))
#define atomic_fetch_sub(p, v) (interrupted_here(), PLAIN_SUB(p, v))
#define atomic_fetch_and(p, v) (interrupted_here(), PLAIN_AND(p, v))
#define atomic_fetch_or(p, v) (interrupted_here(), PLAIN_OR(p, v))
#define atomic_compare_exchange_strong(p, e, v) (interrupted_here(), PLAIN_SWAP(p, e, v))
#define atomic_compare_exchange_weak(p, e, v) (interrupted_here(), PLAIN_SWAP(p, e, v))

#endif
