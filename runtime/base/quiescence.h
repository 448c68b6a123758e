/* Defers freeing memory that other threads may still read, until all of them have been quiescent.
 *
 * Quiescent-state-based reclamation (McKenney and Slingwine, "Read-copy update: using execution
 * history to solve concurrency problems", 1998). An object is first made unreachable for readers,
 * then retired with the number of the current epoch, which is then incremented. A registered
 * thread that reports itself quiescent records the current epoch. If that epoch is later than the
 * object's, the thread can no longer reach the object and has dropped everything that it read
 * before.
 *
 * Only kiln_quiescence_pass may run in several threads at once. */
#ifndef KILN_QUIESCENCE_H
#define KILN_QUIESCENCE_H

#include <kiln/atomic.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Embedded in an object that can be retired. */
typedef struct kiln_retired {
    struct kiln_retired *next;
    uint64_t epoch;
    size_t bytes; /* for statistics */
    void (*free)(void *ctx, struct kiln_retired *retired);
} kiln_retired;

typedef struct kiln_quiescence_reader {
    KILN_ATOMIC(uint64_t) seen;
    struct kiln_quiescence_reader *next;
} kiln_quiescence_reader;

typedef struct kiln_quiescence {
    KILN_ATOMIC(uint64_t) epoch;
    kiln_quiescence_reader *readers;
    uint32_t reader_count;
    kiln_retired *first, **last; /* oldest first */
    size_t waiting;              /* bytes */
} kiln_quiescence;

void kiln_quiescence_init(kiln_quiescence *quiescence);
void kiln_quiescence_add(kiln_quiescence *quiescence, kiln_quiescence_reader *reader);
void kiln_quiescence_remove(kiln_quiescence *quiescence, kiln_quiescence_reader *reader);

/* Reports that the reader no longer uses anything that it read before. Any thread. */
static inline void kiln_quiescence_pass(kiln_quiescence *quiescence, kiln_quiescence_reader *reader)
{
    uint64_t now = KILN_LOAD_ACQUIRE(&quiescence->epoch);
    if (KILN_LOAD_RELAXED(&reader->seen) != now)
        atomic_store_explicit(&reader->seen, now, memory_order_release);
}

/* Retires an object that readers can no longer reach; `free` is called for it later. */
void kiln_quiescence_retire(kiln_quiescence *quiescence, kiln_retired *retired, size_t bytes,
                            void (*free)(void *ctx, kiln_retired *retired));
/* The number and the bytes of retired objects that this reader may still hold. */
uint64_t kiln_quiescence_held_by(const kiln_quiescence *quiescence,
                                 const kiln_quiescence_reader *reader, size_t *ret_bytes);
/* Frees retired objects that no reader can still hold, the oldest first, at most `most` of them.
 * Returns whether more such objects are left. If `free` retires objects, the next call
 * frees them. */
bool kiln_quiescence_settle(kiln_quiescence *quiescence, void *ctx, size_t most);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
