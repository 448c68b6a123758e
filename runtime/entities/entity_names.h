/* Names of entities: a slot for each, in a hash table by text and in one by index. The chains of
 * the first begin with the name given last.
 *
 * Nothing is told when an entity dies, so that destroying costs nothing for names and may happen on
 * any thread: a slot remembers the version that it was given to, and is worth nothing once that is
 * dead. Such slots are freed before the table grows. */
#ifndef KILN_ENTITY_NAMES_H
#define KILN_ENTITY_NAMES_H

#include <kiln/world.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct kiln_name_slot {
    char *text;  /* NULL where the slot is free */
    size_t size; /* of the text with its NUL */
    uint64_t hash;
    kiln_entity entity;
    uint32_t next_by_text; /* slot + 1; 0 ends. Free slots are chained by it, too. */
    uint32_t prev_by_text; /* many may have one name: a slot leaves without looking for itself */
    uint32_t next_by_index;
} kiln_name_slot;

typedef struct kiln_names {
    kiln_name_slot *slots;
    uint32_t *by_text, *by_index; /* slot + 1; `room` of each */
    uint32_t used, room;          /* `room` is a power of two, or 0 */
    uint32_t free;                /* slot + 1 */
} kiln_names;

/* Forgets all names. */
void kiln_names_fini(kiln_world *world);
bool kiln_names_are_valid(const kiln_world *world);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
