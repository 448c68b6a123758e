/* Looks up names of the form `kind/id`, which are built in one reused buffer. */
#include "asset_table.h"

#include "bake_table.h"

#include <string.h>

static bool has_name(asset_table *table, uint32_t number, text_key name)
{
    const bake_asset *asset = &table->inputs->assets[number];
    /* Counted so that tests notice quadratic behaviour. */
    table->steps++;
    return asset->name_length == name.length && memcmp(asset->name, name.text, name.length) == 0;
}

HASH_TABLE(assets_by_name, asset_table *, text_key, hash_of_text, has_name)

bool bake_asset_table_init(asset_table *table, const bake_inputs *inputs)
{
    memset(table, 0, sizeof *table);
    table->inputs = inputs;
    for (size_t i = 0; i < inputs->asset_count; i++) {
        const bake_asset *asset = &inputs->assets[i];
        if (!bake_table_reserve(&table->by_name))
            return false;
        hash_slot *slot = assets_by_name_slot(&table->by_name, table,
                                              (text_key){asset->name, asset->name_length});
        if (hash_slot_is_empty(slot))
            hash_table_put(&table->by_name, slot, (uint32_t)i);
    }
    return true;
}

void bake_asset_table_fini(asset_table *table)
{
    bake_table_fini(&table->by_name);
    bake_free(table->name);
    memset(table, 0, sizeof *table);
}

uint32_t bake_asset_find(asset_table *table, const char *kind, const char *id, size_t length,
                         bool *ret_no_memory)
{
    size_t prefix = strlen(kind);
    char *name = bake_grow(table->name, &table->name_capacity, prefix + length + 2, 1);
    if (!name) {
        *ret_no_memory = true;
        return UINT32_MAX;
    }
    table->name = name;
    /* The id may already be a full `Kind/id`, as in references. */
    if (length > prefix && memcmp(id, kind, prefix) == 0 && id[prefix] == '/') {
        memcpy(name, id, length);
    } else {
        memcpy(name, kind, prefix);
        name[prefix] = '/';
        memcpy(name + prefix + 1, id, length);
        length += prefix + 1;
    }
    table->name_length = length;
    return assets_by_name_find(&table->by_name, table, (text_key){name, length});
}

void bake_asset_hint(const asset_table *table, bake_diagnostics *diagnostics, const char *kind,
                     const char *id, size_t length)
{
    const bake_inputs *inputs = table->inputs;
    size_t prefix = strlen(kind), count = 0;
    const char **names = bake_alloc_array(inputs->asset_count, sizeof *names);
    /* If memory runs out, there is just no hint. */
    if (!names)
        return;
    for (size_t i = 0; i < inputs->asset_count; i++) {
        const char *name = inputs->assets[i].name;
        if (strncmp(name, kind, prefix) == 0 && name[prefix] == '/')
            names[count++] = name + prefix + 1;
    }
    bake_hint_similar(diagnostics, id, length, names, count);
    bake_free(names);
}
