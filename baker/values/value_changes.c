/* Steps of paths, and the parts of values that they lead to. */
#include "value_paths.h"

#include "bake_memory.h"
#include "value_told.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void no_memory(bake_values *b)
{
    bake_fail_memory(b->failure);
    bake_value_stop(b);
}

bool bake_value_changes_init(bake_values *b, value_changes *changes, uint32_t part_count)
{
    memset(changes, 0, sizeof *changes);
    changes->part_count = part_count;
    changes->heads = bake_alloc_array((size_t)part_count + 1, sizeof *changes->heads);
    if (!changes->heads)
        no_memory(b);
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
        no_memory(b);
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
static void tell_part(bake_values *b, const value_changes *changes, uint32_t part,
                      value_layer *layers, const value_layer *below, size_t below_count,
                      const value_step *step)
{
    size_t count = 0;
    for (uint32_t at = changes->heads[part]; at; at = changes->all[at - 1].below)
        if (!changes->all[at - 1].layer.path)
            layers[count++] = changes->all[at - 1].layer;
    for (size_t i = 0; i < below_count; i++)
        layers[count++] = below[i];
    bake_value_told_layers(b, layers, count, step);
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
        no_memory(b);
        return;
    }
    if (b->origins)
        tell_part(b, changes, part, layers, below, below_count, step);
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

/* What fits the asset that has the patch need not fit one that inherits it, which must not be left
 * out without a word. Where something was said, that is for the asset that has the patch. */
static value_turn begin_told(bake_values *b, const value_layer *from)
{
    value_turn before = bake_value_begin(b, from);
    if (b->asset && bake_diagnostics_errors(b->sources) == 0)
        b->diagnostics = b->sources;
    return before;
}

bool bake_value_path_report(bake_values *b, const value_layer *from, const bake_path *step,
                            const value_step *at, const char *format, ...)
{
    char message[400];
    va_list arguments;
    /* What is missing may be in what could not be read. */
    if (b->asset && b->asset->is_partial)
        return false;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    value_turn before = begin_told(b, from);
    bake_value_report(b, BAKE_ERROR, bake_path_mark(from->layer->tree, step), "path", at, "%s",
                      message);
    bake_value_end(b, from, &before);
    return false;
}

void bake_value_path_unknown(bake_values *b, const value_layer *from, const bake_path *step,
                             uint32_t type, const value_step *at)
{
    char quote[VALUE_QUOTE_SIZE];
    const char *name = value_type(b, type)->name;
    if (step->is_bracket) {
        bake_value_path_report(b, from, step, at,
                               "%s is no list or map, so that nothing in it "
                               "stands in brackets",
                               name);
        return;
    }
    bake_value_quote(quote, step->text, step->length);
    value_turn before = begin_told(b, from);
    bake_value_report(b, BAKE_ERROR, bake_path_mark(from->layer->tree, step), "path", at,
                      "%s has no field %s", name, quote);
    bake_value_hint_members(b, type, step->text, step->length);
    bake_value_end(b, from, &before);
}

bool bake_value_path_number(const bake_path *step, uint32_t *ret_number)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < step->length; i++) {
        if (step->text[i] < '0' || step->text[i] > '9')
            return false;
        number = number * 10 + (uint64_t)(step->text[i] - '0');
        if (number > UINT32_MAX)
            number = UINT32_MAX;
    }
    *ret_number = (uint32_t)number;
    return step->is_bracket && step->length > 0;
}
