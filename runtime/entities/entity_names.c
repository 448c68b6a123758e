/* Names of entities in two chained hash tables over one array of slots: by text and by index.
 *
 * Destroying an entity does not touch its name: a lookup checks whether the entity in the slot is
 * alive, and slots of dead entities are collected when the array is full. So setting a name takes
 * amortized constant time, and destroying costs nothing. */
#include "world_object.h"

#include <string.h>
#include <xxhash.h>

enum { NAMES_LEAST = 16 };

static size_t names_bytes(uint32_t room)
{
    return room * (sizeof(kiln_name_slot) + 2 * sizeof(uint32_t));
}

static void free_text(const kiln_world *world, kiln_name_slot *slot)
{
    world_free(world, slot->text, slot->size);
    slot->text = NULL;
}

void kiln_names_fini(kiln_world *world)
{
    kiln_names *names = &world->names;
    for (uint32_t i = 0; i < names->used; i++)
        free_text(world, &names->slots[i]);
    world_free(world, names->slots, names_bytes(names->room));
    memset(names, 0, sizeof *names);
}

static uint32_t *text_chain(const kiln_names *names, uint64_t hash)
{
    return &names->by_text[hash & (names->room - 1)];
}

static uint32_t *index_chain(const kiln_names *names, uint32_t index)
{
    return &names->by_index[index & (names->room - 1)];
}

static void push_slot(kiln_names *names, uint32_t number)
{
    kiln_name_slot *slot = &names->slots[number - 1];
    uint32_t *chain = text_chain(names, slot->hash);
    slot->next_by_text = *chain;
    slot->prev_by_text = 0;
    if (*chain)
        names->slots[*chain - 1].prev_by_text = number;
    *chain = number;
    chain = index_chain(names, slot->entity.index);
    slot->next_by_index = *chain;
    *chain = number;
}

/* Removes a slot from both chains and frees it. */
static void drop_slot(kiln_world *world, uint32_t number)
{
    kiln_names *names = &world->names;
    kiln_name_slot *slot = &names->slots[number - 1];
    if (slot->prev_by_text)
        names->slots[slot->prev_by_text - 1].next_by_text = slot->next_by_text;
    else
        *text_chain(names, slot->hash) = slot->next_by_text;
    if (slot->next_by_text)
        names->slots[slot->next_by_text - 1].prev_by_text = slot->prev_by_text;
    uint32_t *at = index_chain(names, slot->entity.index);
    while (*at != number)
        at = &names->slots[*at - 1].next_by_index;
    *at = slot->next_by_index;
    free_text(world, slot);
    slot->next_by_text = names->free;
    names->free = number;
}

/* The slot for this entity index, plus 1, even if its entity is dead; 0 if there is none. */
static uint32_t slot_of_index(const kiln_names *names, uint32_t index)
{
    uint32_t number = names->room ? *index_chain(names, index) : 0;
    while (number && names->slots[number - 1].entity.index != index)
        number = names->slots[number - 1].next_by_index;
    return number;
}

/* Doubles the capacity. Each hash chain of names keeps its order, which determines the entity that
 * a lookup returns.
 */
static bool grow(kiln_world *world)
{
    kiln_names *names = &world->names;
    uint32_t room = names->room ? names->room * 2 : NAMES_LEAST;
    kiln_name_slot *slots = room > names->room ? world_alloc(world, names_bytes(room)) : NULL;
    if (!slots)
        return false;
    kiln_names grown = {slots, (uint32_t *)(slots + room), NULL, names->used, room, names->free};
    grown.by_index = grown.by_text + room;
    memset(grown.by_text, 0, 2 * room * sizeof(uint32_t));
    if (names->used)
        memcpy(slots, names->slots, names->used * sizeof *slots);
    /* A chain has the newest name first, and pushing reverses it. So each old chain is reversed
     * first. */
    for (uint32_t i = 0; i < names->room; i++) {
        uint32_t reversed = 0;
        for (uint32_t number = names->by_text[i], next; number; number = next) {
            next = slots[number - 1].next_by_text;
            slots[number - 1].next_by_text = reversed;
            reversed = number;
        }
        for (uint32_t number = reversed, next; number; number = next) {
            next = slots[number - 1].next_by_text;
            push_slot(&grown, number);
        }
    }
    world_free(world, names->slots, names_bytes(names->room));
    *names = grown;
    return true;
}

/* Makes a slot available; false if memory runs out. */
static bool reserve_slot(kiln_world *world)
{
    kiln_names *names = &world->names;
    if (names->free || names->used < names->room)
        return true;
    for (uint32_t number = 1; number <= names->used; number++) {
        if (!kiln_entity_exists(world, names->slots[number - 1].entity))
            drop_slot(world, number);
    }
    /* The array also grows if few slots were freed: otherwise the search would soon be repeated. */
    uint32_t freed = 0;
    for (uint32_t number = names->free; number; freed++)
        number = names->slots[number - 1].next_by_text;
    return freed > names->room / 2 || grow(world) || freed > 0;
}

kiln_status kiln_entity_set_name(kiln_world *world, kiln_entity entity, const char *name)
{
    if (!kiln_entity_exists(world, entity))
        return KILN_DEAD;
    kiln_names *names = &world->names;
    bool is_named = name && name[0] != '\0';
    size_t size = is_named ? strlen(name) + 1 : 0;
    char *text = NULL;
    if (is_named) {
        text = reserve_slot(world) ? world_alloc(world, size) : NULL;
        if (!text)
            return KILN_NO_MEMORY;
        memcpy(text, name, size);
    }
    /* `name` may be the entity's current name, which is freed here, so it was copied first. */
    uint32_t old = slot_of_index(names, entity.index);
    if (old)
        drop_slot(world, old);
    if (!is_named)
        return KILN_OK;
    uint32_t number = names->free;
    if (number)
        names->free = names->slots[number - 1].next_by_text;
    else
        number = ++names->used;
    kiln_name_slot slot = {text, size, XXH3_64bits(text, size - 1), entity, 0, 0, 0};
    names->slots[number - 1] = slot;
    push_slot(names, number);
    return KILN_OK;
}

const char *kiln_entity_name(const kiln_world *world, kiln_entity entity)
{
    const kiln_names *names = &world->names;
    uint32_t number = kiln_entity_exists(world, entity) ? slot_of_index(names, entity.index) : 0;
    if (!number || !kiln_entity_same(names->slots[number - 1].entity, entity))
        return NULL;
    return names->slots[number - 1].text;
}

kiln_entity kiln_entity_find(const kiln_world *world, const char *name)
{
    const kiln_names *names = &world->names;
    if (!name || !names->room)
        return kiln_entity_null();
    uint64_t hash = XXH3_64bits(name, strlen(name));
    for (uint32_t number = *text_chain(names, hash); number;) {
        const kiln_name_slot *slot = &names->slots[number - 1];
        if (slot->hash == hash && strcmp(slot->text, name) == 0 &&
            kiln_entity_exists(world, slot->entity))
            return slot->entity;
        number = slot->next_by_text;
    }
    return kiln_entity_null();
}

bool kiln_names_are_valid(const kiln_world *world)
{
    const kiln_names *names = &world->names;
    uint32_t found = 0, freed = 0;
    for (uint32_t i = 0; i < names->room; i++) {
        uint32_t prev = 0;
        for (uint32_t number = names->by_text[i]; number; found++) {
            const kiln_name_slot *slot = &names->slots[number - 1];
            if (number > names->used || found > names->used || !slot->text ||
                slot->prev_by_text != prev || slot_of_index(names, slot->entity.index) != number ||
                text_chain(names, slot->hash) != &names->by_text[i])
                return false;
            prev = number;
            number = slot->next_by_text;
        }
    }
    for (uint32_t number = names->free; number; freed++) {
        if (freed > names->used || names->slots[number - 1].text)
            return false;
        number = names->slots[number - 1].next_by_text;
    }
    return found + freed == names->used && names->used <= names->room;
}
