/* A gate in front of a heap that lets tests make any allocation fail. Running a test with n = 0, 1,
 * 2 and so on reaches every failure path.
 *
 * Each program that owns a heap has one gate and calls it before every allocation; frees are not
 * counted, since sanitizers and valgrind report leaks. The count is not locked: while the gate is
 * not open, only one thread may call it. */
#ifndef KILN_HEAP_GATE_H
#define KILN_HEAP_GATE_H

#include <stdbool.h>

/* A zeroed gate is open. */
typedef struct heap_gate {
    long closes_in; /* the number of allocations until one fails, at least 1; 0: none fails */
    bool opens_again;
    bool has_failed;
} heap_gate;

/* The next `n` allocations succeed. After that all fail, or only one if `once` is set: an ignored
 * failure shows only if later allocations succeed. A negative `n` opens the gate. */
static inline void heap_gate_close(heap_gate *gate, long n, bool once)
{
    gate->closes_in = n < 0 ? 0 : n + 1;
    gate->opens_again = once;
    gate->has_failed = false;
}

/* Whether an allocation may be made. */
static inline bool heap_gate_passes(heap_gate *gate)
{
    if (gate->closes_in == 0)
        return true;
    if (gate->closes_in > 1) {
        gate->closes_in--;
        return true;
    }
    gate->has_failed = true;
    if (gate->opens_again)
        gate->closes_in = 0;
    return false;
}

#endif
