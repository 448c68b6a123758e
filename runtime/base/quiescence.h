/* Memory that other threads may still read goes when they have said that they hold nothing old.
 *
 * Quiescent-state-based reclamation (McKenney and Slingwine, "Read-copy update: using execution
 * history to solve concurrency problems", 1998). What is taken away from readers is first made
 * unreachable, then retired with the number of the present epoch, and the epoch grows. A registered
 * thread that is quiescent notes the epoch that it sees: having seen a later one it saw the thing
 * unreachable, too, and what it read before it has let go of.
 *
 * All but kiln_quiescence_pass is for one thread at a time. */
#ifndef KILN_QUIESCENCE_H
#define KILN_QUIESCENCE_H

#include <kiln/atomic.h>

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Lies in what is to be freed. */
typedef struct kiln_retired {
    struct kiln_retired *next;
    uint64_t epoch;
    size_t bytes; /* for statistics */
    void (*free)(void *ctx, struct kiln_retired *retired);
} kiln_retired;

typedef struct kiln_reader {
    KILN_ATOMIC(uint64_t) seen;
    struct kiln_reader *next;
} kiln_reader;

typedef struct kiln_quiescence {
    KILN_ATOMIC(uint64_t) epoch;
    kiln_reader *readers;
    uint32_t reader_count;
    kiln_retired *first, **last; /* oldest first */
    size_t waiting;              /* bytes */
} kiln_quiescence;

void kiln_quiescence_init(kiln_quiescence *quiescence);
void kiln_quiescence_add(kiln_quiescence *quiescence, kiln_reader *reader);
void kiln_quiescence_remove(kiln_quiescence *quiescence, kiln_reader *reader);

/* The reader holds nothing that it read before. Any thread. */
static inline void kiln_quiescence_pass(kiln_quiescence *quiescence, kiln_reader *reader)
{
    uint64_t now = KILN_LOAD_ACQUIRE(&quiescence->epoch);
    if (KILN_LOAD_RELAXED(&reader->seen) != now)
        atomic_store_explicit(&reader->seen, now, memory_order_release);
}

/* Takes what no reader can come to any more, to be freed by `free` later. */
void kiln_quiescence_retire(kiln_quiescence *quiescence, kiln_retired *retired, size_t bytes,
                            void (*free)(void *ctx, kiln_retired *retired));
/* Frees what every reader has let go of. What `free` retires goes with the next call. */
void kiln_quiescence_settle(kiln_quiescence *quiescence, void *ctx);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
