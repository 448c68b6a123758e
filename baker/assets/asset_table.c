#include "asset_table.h"

#include "bake_memory.h"

#include <kiln/index.h>
#include <string.h>

/* The slot where the name is, or would be. */
static size_t slot_of(asset_table *table, const char *name, size_t length)
{
    size_t slot = (size_t)kiln_asset_id(name, length) & (table->slot_count - 1);
    for (; table->slots[slot]; slot = (slot + 1) & (table->slot_count - 1)) {
        const bake_asset *asset = &table->inputs->assets[table->slots[slot] - 1];
        table->steps++;
        if (asset->name_length == length && memcmp(asset->name, name, length) == 0)
            break;
    }
    return slot;
}

bool bake_asset_table_init(asset_table *table, const bake_inputs *inputs)
{
    memset(table, 0, sizeof *table);
    table->inputs = inputs;
    table->slot_count = 16;
    while (table->slot_count < inputs->asset_count * 2)
        table->slot_count *= 2;
    table->slots = bake_alloc_array(table->slot_count, sizeof *table->slots);
    for (size_t i = 0; table->slots && i < inputs->asset_count; i++) {
        const bake_asset *asset = &inputs->assets[i];
        size_t slot = slot_of(table, asset->name, asset->name_length);
        if (!table->slots[slot])
            table->slots[slot] = (uint32_t)i + 1;
    }
    return table->slots != NULL;
}

void bake_asset_table_fini(asset_table *table)
{
    bake_free(table->slots);
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
    /* As in references, `Kind/id` may be written in full. */
    if (length > prefix && memcmp(id, kind, prefix) == 0 && id[prefix] == '/') {
        memcpy(name, id, length);
    } else {
        memcpy(name, kind, prefix);
        name[prefix] = '/';
        memcpy(name + prefix + 1, id, length);
        length += prefix + 1;
    }
    table->name_length = length;
    uint32_t found = table->slots[slot_of(table, name, length)];
    return found ? found - 1 : UINT32_MAX;
}

void bake_asset_hint(const asset_table *table, bake_diagnostics *diagnostics, const char *kind,
                     const char *id, size_t length)
{
    const bake_inputs *inputs = table->inputs;
    size_t prefix = strlen(kind), count = 0;
    const char **names = bake_alloc_array(inputs->asset_count, sizeof *names);
    /* A hint is worth no failure. */
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
