/* A gate in front of a heap that lets tests make any allocation fail. Running a test with n = 0, 1,
 * 2 and so on reaches every failure path.
 *
 * Each program that owns a heap has one gate and calls it before every allocation; frees are not
 * counted, since sanitizers and valgrind report leaks. Threads may share a gate: the count is
 * exact, but which thread's allocation fails is not determined. */
#ifndef KILN_HEAP_GATE_H
#define KILN_HEAP_GATE_H

#include <stdatomic.h>
#include <stdbool.h>

/* A zeroed gate is open. */
typedef struct heap_gate {
    atomic_long
        closes_in; /* the number of allocations until one fails, at least 1; 0: none fails */
    atomic_bool opens_again;
    atomic_bool has_failed;
} heap_gate;

/* The next `n` allocations succeed. After that all fail, or only one if `once` is set: an ignored
 * failure shows only if later allocations succeed. A negative `n` opens the gate. */
static inline void heap_gate_close(heap_gate *gate, long n, bool once)
{
    atomic_store(&gate->opens_again, once);
    atomic_store(&gate->has_failed, false);
    atomic_store(&gate->closes_in, n < 0 ? 0 : n + 1);
}

/* Whether an allocation may be made. */
static inline bool heap_gate_passes(heap_gate *gate)
{
    long left = atomic_load_explicit(&gate->closes_in, memory_order_relaxed);
    while (left != 0) {
        bool fails = left == 1, opens = fails && atomic_load(&gate->opens_again);
        long next = opens ? 0 : fails ? 1 : left - 1;
        if (!atomic_compare_exchange_weak(&gate->closes_in, &left, next))
            continue;
        if (fails)
            atomic_store(&gate->has_failed, true);
        return !fails;
    }
    return true;
}

#endif
