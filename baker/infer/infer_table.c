#include "infer_table.h"

#include <string.h>

/* Tables up to this size are searched one by one: most records have few keys. */
enum { LINEAR_MAX = 8 };

static bool is_entry(const infer_entry *entry, const char *name, uint32_t length)
{
    return entry->length == length && memcmp(entry->name, name, length) == 0;
}

/* The slot of the name, or the empty one where it belongs. At most half of the slots are used, so
 * the search ends. */
static uint32_t *slot_of(const infer_table *table, const char *name, uint32_t length, uint32_t hash)
{
    uint32_t mask = table->slot_count - 1, at = hash & mask;
    while (table->slots[at]) {
        const infer_entry *entry = &table->entries[table->slots[at] - 1];
        if (entry->hash == hash && is_entry(entry, name, length))
            break;
        at = (at + 1) & mask;
    }
    return &table->slots[at];
}

infer_entry *bake_infer_table_find(infer_table *table, const char *name, uint32_t length)
{
    uint32_t next = table->last + 1;
    if (next < table->count && is_entry(&table->entries[next], name, length)) {
        table->last = next;
        return &table->entries[next];
    }
    if (table->slots) {
        uint32_t number = *slot_of(table, name, length, bake_infer_hash(name, length));
        if (number)
            table->last = number - 1;
        return number ? &table->entries[number - 1] : NULL;
    }
    for (uint32_t i = 0; i < table->count; i++) {
        if (is_entry(&table->entries[i], name, length)) {
            table->last = i;
            return &table->entries[i];
        }
    }
    return NULL;
}

/* Makes room for one more entry. The old slots stay in the store, which frees nothing before its
 * end; doubling bounds the loss to the size of the table. */
static bool grow(infer_table *table, bake_store *store)
{
    infer_entry *entries = bake_store_grow(store, table->entries, &table->capacity,
                                           (size_t)table->count + 1, sizeof *entries);
    if (!entries)
        return false;
    table->entries = entries;
    if (table->capacity <= LINEAR_MAX)
        return true;
    table->slot_count = (uint32_t)table->capacity * 2;
    table->slots = bake_store_alloc(store, table->slot_count, sizeof *table->slots);
    if (!table->slots) {
        table->slot_count = 0;
        return false;
    }
    for (uint32_t i = 0; i < table->count; i++) {
        const infer_entry *entry = &entries[i];
        *slot_of(table, entry->name, entry->length, entry->hash) = i + 1;
    }
    return true;
}

infer_entry *bake_infer_table_need(infer_table *table, bake_store *store, const char *name,
                                   uint32_t length, infer_place place)
{
    infer_entry *found = bake_infer_table_find(table, name, length);
    if (found)
        return found;
    if (table->count == table->capacity && !grow(table, store))
        return NULL;
    infer_entry added = {name, length, bake_infer_hash(name, length), 0, NULL, place};
    table->entries[table->count++] = added;
    if (table->slots)
        *slot_of(table, name, length, added.hash) = table->count;
    table->last = table->count - 1;
    return &table->entries[table->count - 1];
}
