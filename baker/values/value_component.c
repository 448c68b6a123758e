/* Components as rows: fields are baked directly into the row, without a blob.
 *
 * A component is the root of its own path and depth, so this file sets the per-value state as
 * begin() in value_bake.c does for blobs. */
#include "value_component.h"

#include "bake_memory.h"
#include "value_layers.h"
#include "value_words.h"

#include <string.h>

bool bake_values_begin_scene(bake_values *b, uint32_t data_type)
{
    bake_values_end_scene(b);
    b->is_noisy = false;
    b->payloads.used_count = 0;
    value_words *w = bake_alloc_array(1, sizeof *w);
    b->words = w;
    if (!b->report.silence)
        b->report.silence = bake_diagnostics_create();
    if (!w || !b->report.silence)
        return value_no_memory(b);
    uint32_t lists = data_type == KILN_TYPE_NONE ? 0 : value_type(b, data_type)->member_count;
    w->bake_data = bake_value_data;
    return bake_data_lists_init(&w->data, lists) || value_no_memory(b);
}

/* Fills a component for which no layer sets a field. Reports have the position of `at`. */
static void fill_defaults(bake_values *b, const value_layer *at, uint32_t type, void *row,
                          const value_step *step)
{
    value_saved before = bake_value_enter_layer(b, at);
    bake_value_fill_defaults(b, at->node, type, row, step);
    bake_value_leave_layer(b, at, &before);
}

bool bake_values_component(bake_values *b, const bake_component_value *value, void *row)
{
    value_layer layers[BAKE_LAYERS_MAX];
    size_t count = 0;
    value_step entity = {NULL, value->name ? STEP_NAME : STEP_NUMBER, value->name,
                         value->name_length, value->number};
    value_step step = {value->is_prefab ? NULL : &entity, STEP_NAME, value->component->shown,
                       strlen(value->component->shown), 0};
    const kiln_type *of = value_type(b, value->component->type);
    b->root.name = value->root_name;
    b->root.type = KILN_TYPE_NONE;
    b->merge.asset = NULL;
    b->report.errors = 0;
    b->stopped = false;
    b->limits.depth = 1;
    b->scratch.used = 0;
    b->merge.value_number++;
    b->words->row = row;
    b->words->component = value->component;
    /* A null component has no fields. */
    for (const bake_layer *l = value->top; l; l = l->below)
        if (!value_is_written_null(l->tree, l->node))
            layers[count++] = (value_layer){.layer = l, .node = l->node, .key = l->key};
    bake_layer nothing = {.tree = value->tree, .node = value->node, .origin = &nothing};
    value_layer at = {.layer = value->top ? value->top : &nothing,
                      .node = value->top ? value->top->node : value->node};
    /* Null can be a valid value of a newtype, so it is not replaced by defaults. */
    bool is_newtype = (of->flags & KILN_TYPE_TRANSPARENT) != 0;
    bool is_row = b->schema->info[value->component->type].row_of != KILN_TYPE_NONE;
    /* A row must get the same value as its struct in an asset, so layers merge as in an asset. */
    value_rule rule = is_row ? VALUE_FIELDS : VALUE_OVER;
    bake_diagnostics *diagnostics = b->report.to;
    if (value->is_silent)
        b->report.to = b->report.silence;
    b->is_unwatched = value->is_silent;
    b->merge.is_partial = value->is_partial;
    b->report.is_repeat = value->top && value->top->is_prototype;
    if (count > 0)
        bake_value_layers(b, layers, count, value->component->type, NULL, row, &step, rule);
    else if (is_newtype && value->top)
        bake_value_layers(b, &at, 1, value->component->type, NULL, row, &step, rule);
    else
        fill_defaults(b, &at, value->component->type, row, &step);
    b->report.to = diagnostics;
    b->merge.is_partial = b->report.is_repeat = false;
    b->is_unwatched = false;
    return b->report.errors == 0 && b->failure->result == BAKE_OK;
}
