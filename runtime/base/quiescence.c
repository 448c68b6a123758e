/* Epochs only increase, so the list of retired objects is ordered by epoch, and
 * kiln_quiescence_settle frees a prefix of it. A call costs one load per registered reader, plus
 * the work to free objects.
 *
 * The release in kiln_quiescence_retire and the acquire in kiln_quiescence_pass order the steps: a
 * reader that sees the new epoch also sees that the object is unreachable. */
#include "quiescence.h"

void kiln_quiescence_init(kiln_quiescence *quiescence)
{
    atomic_init(&quiescence->epoch, 1);
    quiescence->readers = NULL;
    quiescence->reader_count = 0;
    quiescence->first = NULL;
    quiescence->last = &quiescence->first;
    quiescence->waiting = 0;
}

void kiln_quiescence_add(kiln_quiescence *quiescence, kiln_quiescence_reader *reader)
{
    atomic_init(&reader->seen, atomic_load_explicit(&quiescence->epoch, memory_order_relaxed));
    reader->next = quiescence->readers;
    quiescence->readers = reader;
    quiescence->reader_count++;
}

void kiln_quiescence_remove(kiln_quiescence *quiescence, kiln_quiescence_reader *reader)
{
    kiln_quiescence_reader **link = &quiescence->readers;
    while (*link != reader)
        link = &(*link)->next;
    *link = reader->next;
    quiescence->reader_count--;
}

void kiln_quiescence_retire(kiln_quiescence *quiescence, kiln_retired *retired, size_t bytes,
                            void (*free)(void *ctx, kiln_retired *retired))
{
    retired->next = NULL;
    retired->epoch = atomic_fetch_add_explicit(&quiescence->epoch, 1, memory_order_release);
    retired->bytes = bytes;
    retired->free = free;
    *quiescence->last = retired;
    quiescence->last = &retired->next;
    quiescence->waiting += bytes;
}

/* No reader holds anything retired before this epoch. */
static uint64_t oldest_seen(const kiln_quiescence *quiescence)
{
    uint64_t oldest = UINT64_MAX;
    for (const kiln_quiescence_reader *reader = quiescence->readers; reader;
         reader = reader->next) {
        uint64_t seen = atomic_load_explicit(&reader->seen, memory_order_acquire);
        if (seen < oldest)
            oldest = seen;
    }
    return oldest;
}

/* Removes the prefix before it calls `free`, because `free` may retire other objects, which are
 * appended to the list. */
bool kiln_quiescence_settle(kiln_quiescence *quiescence, void *ctx, size_t most)
{
    if (!quiescence->first)
        return false;
    uint64_t oldest = oldest_seen(quiescence);
    kiln_retired *done = quiescence->first, **end = &done;
    while (most > 0 && *end && (*end)->epoch < oldest) {
        end = &(*end)->next;
        most--;
    }
    bool is_more = *end && (*end)->epoch < oldest;
    quiescence->first = *end;
    *end = NULL;
    if (!quiescence->first)
        quiescence->last = &quiescence->first;
    while (done) {
        kiln_retired *next = done->next;
        quiescence->waiting -= done->bytes;
        done->free(ctx, done);
        done = next;
    }
    return is_more;
}

uint64_t kiln_quiescence_held_by(const kiln_quiescence *quiescence,
                                 const kiln_quiescence_reader *reader, size_t *ret_bytes)
{
    uint64_t seen = atomic_load_explicit(&reader->seen, memory_order_acquire), count = 0;
    *ret_bytes = 0;
    for (const kiln_retired *at = quiescence->first; at; at = at->next) {
        if (at->epoch < seen)
            continue;
        *ret_bytes += at->bytes;
        count++;
    }
    return count;
}
