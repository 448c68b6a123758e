#include "scene_table.h"

#include "bake_memory.h"
#include "scene_reader.h"

#include <string.h>

typedef struct unit_key {
    const scene_unit *home;
    text_key name;
} unit_key;

static uint32_t hash_of_unit(const hash_table *table, unit_key key)
{
    /* Hash the address, although it differs between runs: no output depends on the order of
     * slots. */
    return hash_of_text(table, key.name) ^ hash_of_number(table, (uint64_t)(uintptr_t)key.home);
}

static bool is_unit(const scene_table *table, uint32_t number, unit_key key)
{
    const scene_unit *unit = table->units[number];
    return unit->home == key.home && unit->length == key.name.length &&
           memcmp(unit->name, key.name.text, key.name.length) == 0;
}

HASH_TABLE(units_by_name, const scene_table *, unit_key, hash_of_unit, is_unit)

/* Reserves room for one more unit. Returns false if memory runs out. */
static bool reserve(scene_table *table)
{
    kiln_allocator allocator = bake_memory_allocator();
    scene_unit **units =
        bake_grow(table->units, &table->capacity, table->count + 1, sizeof(scene_unit *));
    if (units)
        table->units = units;
    return units && hash_table_reserve(&table->by_name, &allocator);
}

scene_unit *bake_scene_unit_add(bake_scenes *s, scene_table *table, const scene_unit *unit)
{
    /* Units are allocated one by one, because pointers to them must survive growth of the table. */
    scene_unit *added = bake_store_alloc(&s->store, 1, sizeof *added);
    if (!added || !reserve(table)) {
        bake_scene_no_memory(s);
        return NULL;
    }
    *added = *unit;
    unit_key key = {unit->home, {unit->name, unit->length}};
    hash_slot *slot = units_by_name_slot(&table->by_name, table, key);
    /* If several units have the same name, the table finds the first. */
    if (hash_slot_is_empty(slot))
        hash_table_put(&table->by_name, slot, (uint32_t)table->count);
    table->units[table->count++] = added;
    return added;
}

scene_unit *bake_scene_unit_find(const scene_table *table, const scene_unit *home, const char *name,
                                 size_t length)
{
    unit_key key = {home, {name, length}};
    uint32_t number = units_by_name_find(&table->by_name, table, key);
    return number == HASH_TABLE_NONE ? NULL : table->units[number];
}

void bake_scene_tables_fini(bake_scenes *s)
{
    kiln_allocator allocator = bake_memory_allocator();
    scene_table *tables[] = {&s->prefabs, &s->scenes, &s->prototypes};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        bake_free(tables[i]->units);
        kiln_hash_table_fini(&tables[i]->by_name, &allocator);
    }
}
