/* Hash tables beside lists: open addressing, in slots that have the number of a row plus 1, or 0.
 * Who owns the list finds the slot of a row, since only it knows what rows are found by. */
#ifndef BAKE_SLOTS_H
#define BAKE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes room for one row more than `used`, so that half of the slots stay free; their number is a
 * power of two. `*ret_emptied`: they are other slots, into which the caller puts its rows anew.
 * False when memory ran out, and then all stays as it was. */
bool bake_slots_grow(uint32_t **slots, size_t *slot_count, size_t used, bool *ret_emptied);

#endif
