/* Numbers found by a 64-bit hash of what they stand for: open addressing, grown by doubling. The
 * hashes may be chosen by an adversary, who cannot tell which of them share a slot. */
#ifndef KILN_NUMBER_SET_H
#define KILN_NUMBER_SET_H

#include <kiln/allocator.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct number_set {
    uint32_t *slots; /* number plus 1; 0 is empty */
    uint32_t slot_count, count;
    uint64_t seed; /* of the slots' order */
} number_set;

/* Hash of what the set holds under `number`. */
typedef uint64_t number_hash(const void *ctx, uint32_t number);

void kiln_number_set_fini(number_set *set, const kiln_allocator *allocator);
/* Room for one more; false when memory ran out. */
bool kiln_number_set_reserve(number_set *set, const kiln_allocator *allocator, number_hash *hash_of,
                             const void *ctx);
/* The first number with this hash, or UINT32_MAX; `ret_slot` is where it is or would go. */
uint32_t kiln_number_set_find(const number_set *set, number_hash *hash_of, const void *ctx,
                              uint64_t hash, uint32_t *ret_slot);
/* The next one after `*slot`. */
uint32_t kiln_number_set_next(const number_set *set, number_hash *hash_of, const void *ctx,
                              uint64_t hash, uint32_t *slot);
/* Puts a number into the slot that a look-up after kiln_number_set_reserve gave. */
void kiln_number_set_put(number_set *set, uint32_t slot, uint32_t number);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
