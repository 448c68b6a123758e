#include "infer_table.h"

#include "bake_table.h"
#include "hash.h"

#include <string.h>

/* Tables up to this size use a linear search, because most records have few keys. */
enum { LINEAR_MAX = 8 };

static bool is_entry(const infer_table *table, uint32_t number, text_key name)
{
    const infer_entry *entry = &table->entries[number];
    return entry->length == name.length && memcmp(entry->name, name.text, name.length) == 0;
}

HASH_TABLE(entries_by_name, const infer_table *, text_key, hash_of_text, is_entry)

/* Returns HASH_TABLE_NONE if there is no such entry. */
static uint32_t find(const infer_table *table, text_key name)
{
    uint32_t next = table->last + 1;
    if (next < table->count && is_entry(table, next, name))
        return next;
    if (table->by_name.count)
        return entries_by_name_find(&table->by_name, table, name);
    for (uint32_t i = 0; i < table->count; i++)
        if (is_entry(table, i, name))
            return i;
    return HASH_TABLE_NONE;
}

infer_entry *bake_infer_table_find(infer_table *table, const char *name, uint32_t length)
{
    uint32_t number = find(table, (text_key){name, length});
    if (number == HASH_TABLE_NONE)
        return NULL;
    table->last = number;
    return &table->entries[number];
}

/* If the table has more than LINEAR_MAX entries, adds those below `count` that are not in the hash
 * table yet. Returns false if memory runs out. */
static bool enter(infer_table *table, bake_store *store, uint32_t count)
{
    while (count > LINEAR_MAX && table->by_name.count < count) {
        uint32_t number = table->by_name.count;
        const infer_entry *entry = &table->entries[number];
        if (!bake_table_reserve_in(&table->by_name, store))
            return false;
        text_key name = {entry->name, entry->length};
        hash_table_put(&table->by_name, entries_by_name_slot(&table->by_name, table, name), number);
    }
    return true;
}

infer_entry *bake_infer_table_find_or_add(infer_table *table, bake_store *store, const char *name,
                                          uint32_t length, infer_place place)
{
    infer_entry *found = bake_infer_table_find(table, name, length);
    if (found)
        return found;
    infer_entry *entries = bake_store_grow(store, table->entries, &table->capacity,
                                           (size_t)table->count + 1, sizeof *entries);
    if (!entries)
        return NULL;
    table->entries = entries;
    entries[table->count] =
        (infer_entry){name, length, (uint32_t)kiln_hash64(name, length, 0), 0, NULL, place};
    if (!enter(table, store, table->count + 1))
        return NULL;
    table->last = table->count++;
    return &entries[table->last];
}
