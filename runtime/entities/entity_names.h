/* Names of entities. Each name has a slot, which is in a hash table by text and in one by index. A
 * chain by text begins with the name that was set last.
 *
 * Destroying an entity does not touch its name. So names do not slow it down, and threads may
 * destroy empty entities without a lock. A slot stores the handle of its entity, and is void if the
 * entity is dead. Void slots are freed before the table grows.
 *
 * hash_table.h is not used: it cannot remove single rows, and each new name of an entity removes
 * the old one. Nanoseconds to find one of 100 | 10,000 | 1,000,000 names of 15 bytes; gcc 12 -O2,
 * Intel Xeon: 17 | 80 | 680 here, 15 | 75 | 600 with hash_table.h. */
#ifndef KILN_ENTITY_NAMES_H
#define KILN_ENTITY_NAMES_H

#include <kiln/world.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct kiln_name_slot {
    char *text;  /* NULL if the slot is free */
    size_t size; /* of the text with its NUL */
    uint64_t hash;
    kiln_entity entity;
    uint32_t next_by_text; /* slot + 1; 0 for the last. Also chains the free slots. */
    uint32_t prev_by_text; /* because many entities may share a name, and removing one must not
                              search the chain */
    uint32_t next_by_index;
} kiln_name_slot;

typedef struct kiln_names {
    kiln_name_slot *slots;
    uint32_t *by_text, *by_index; /* slot + 1; `room` of each */
    uint32_t used, room;          /* `room` is a power of two, or 0 */
    uint32_t free;                /* slot + 1 */
} kiln_names;

/* Removes all names. */
void kiln_names_fini(kiln_world *world);
bool kiln_names_are_valid(const kiln_world *world);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
