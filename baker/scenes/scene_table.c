#include "scene_table.h"

#include "bake_memory.h"
#include "bake_slots.h"
#include "scene_reader.h"
#include "tree_store.h"

#include <string.h>

/* Names come from the data and must not collide on purpose: addresses are unknown to its author. */
static size_t slot_of(const scene_table *table, const scene_unit *home, const char *name,
                      size_t length)
{
    uint64_t hash = bake_tree_hash(name, length) ^ (uint64_t)(uintptr_t)table;
    hash += (uint64_t)(uintptr_t)home * UINT64_C(0xd6e8feb86659fd93);
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
    return (size_t)(hash * UINT64_C(0xbf58476d1ce4e5b9) >> 24) & (table->slot_count - 1);
}

static bool is_named(const scene_unit *unit, const scene_unit *home, const char *name,
                     size_t length)
{
    return unit->home == home && unit->length == length && memcmp(unit->name, name, length) == 0;
}

/* Of several of one name the first is found; the others take no slot, so that however many there
 * are, no search passes them. */
static void insert(scene_table *table, uint32_t number)
{
    const scene_unit *unit = table->units[number];
    size_t at = slot_of(table, unit->home, unit->name, unit->length);
    for (; table->slots[at]; at = (at + 1) & (table->slot_count - 1))
        if (is_named(table->units[table->slots[at] - 1], unit->home, unit->name, unit->length))
            return;
    table->slots[at] = number + 1;
}

static bool grow(scene_table *table)
{
    scene_unit **units =
        bake_grow(table->units, &table->capacity, table->count + 1, sizeof(scene_unit *));
    if (!units)
        return false;
    table->units = units;
    bool emptied;
    if (!bake_slots_grow(&table->slots, &table->slot_count, table->count, &emptied))
        return false;
    for (size_t i = 0; emptied && i < table->count; i++)
        insert(table, (uint32_t)i);
    return true;
}

scene_unit *bake_scene_unit_add(bake_scenes *s, scene_table *table, const scene_unit *unit)
{
    scene_unit *kept = bake_store_alloc(&s->store, 1, sizeof *kept);
    if (!kept || !grow(table)) {
        bake_scene_no_memory(s);
        return NULL;
    }
    *kept = *unit;
    table->units[table->count] = kept;
    insert(table, (uint32_t)table->count++);
    return kept;
}

scene_unit *bake_scene_unit_find(const scene_table *table, const scene_unit *home, const char *name,
                                 size_t length)
{
    if (table->slot_count == 0)
        return NULL;
    for (size_t at = slot_of(table, home, name, length); table->slots[at];
         at = (at + 1) & (table->slot_count - 1)) {
        scene_unit *unit = table->units[table->slots[at] - 1];
        if (is_named(unit, home, name, length))
            return unit;
    }
    return NULL;
}

void bake_scene_tables_fini(bake_scenes *s)
{
    bake_free(s->prefabs.units);
    bake_free(s->prefabs.slots);
    bake_free(s->scenes.units);
    bake_free(s->scenes.slots);
    bake_free(s->prototypes.units);
    bake_free(s->prototypes.slots);
}
