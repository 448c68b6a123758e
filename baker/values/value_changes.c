/* Changes of the parts of a value, by part. */
#include "value_paths.h"

#include "bake_memory.h"
#include "origin_record.h"

#include <string.h>

bool bake_value_changes_init(bake_values *b, value_changes *changes, uint32_t part_count)
{
    memset(changes, 0, sizeof *changes);
    changes->part_count = part_count;
    changes->heads = bake_alloc_array((size_t)part_count + 1, sizeof *changes->heads);
    if (!changes->heads)
        value_no_memory(b);
    return changes->heads != NULL;
}

void bake_value_changes_fini(value_changes *changes)
{
    bake_free(changes->heads);
    bake_free(changes->all);
}

static void put_change(bake_values *b, value_changes *changes, uint32_t part,
                       const value_layer *layer, bool is_whole)
{
    value_change *all =
        bake_grow(changes->all, &changes->capacity, changes->count + 1, sizeof *all);
    if (!all) {
        value_no_memory(b);
        return;
    }
    changes->all = all;
    all[changes->count++] = (value_change){*layer, changes->heads[part], is_whole};
    changes->heads[part] = (uint32_t)changes->count;
}

void bake_value_change(bake_values *b, value_changes *changes, uint32_t part,
                       const value_layer *from, const bake_path *step)
{
    value_layer layer = {.layer = from->layer, .is_own = from->is_own};
    layer.node = step->value;
    if (step->value != BAKE_NODE_NONE)
        put_change(b, changes, part, &layer, true);
    layer.node = step->key;
    layer.path = step;
    if (step->steps)
        put_change(b, changes, part, &layer, false);
}

/* Whatever was written of a part, whether it counts or not. */
static void record_part(bake_values *b, const value_changes *changes, uint32_t part,
                        value_layer *layers, const value_layer *below, size_t below_count,
                        const value_step *step)
{
    size_t count = 0;
    for (uint32_t at = changes->heads[part]; at; at = changes->all[at - 1].below)
        if (!changes->all[at - 1].layer.path)
            layers[count++] = changes->all[at - 1].layer;
    for (size_t i = 0; i < below_count; i++)
        layers[count++] = below[i];
    bake_origin_layers(b, layers, count, step);
}

void bake_value_changed(bake_values *b, const value_changes *changes, uint32_t part,
                        const value_layer *below, size_t below_count, uint32_t type, void *dst,
                        const value_step *step, value_rule rule)
{
    size_t count = below_count;
    bool is_whole = false;
    for (uint32_t at = changes->heads[part]; at; at = changes->all[at - 1].below)
        count++;
    value_layer *layers = bake_alloc_array(count, sizeof *layers);
    if (!layers) {
        value_no_memory(b);
        return;
    }
    if (b->origins)
        record_part(b, changes, part, layers, below, below_count, step);
    count = 0;
    for (uint32_t at = changes->heads[part]; at && !is_whole; at = changes->all[at - 1].below) {
        layers[count++] = changes->all[at - 1].layer;
        is_whole = changes->all[at - 1].is_whole;
    }
    for (size_t i = 0; i < below_count && !is_whole; i++)
        layers[count++] = below[i];
    bake_value_layers(b, layers, count, type, NULL, dst, step, rule);
    bake_free(layers);
}
