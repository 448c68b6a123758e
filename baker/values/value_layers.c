/* Values that several layers give: mappings of structs are merged by field, of everything else the
 * uppermost layer counts, unless the inherit rule of a field differs. A struct that is written in
 * another form counts whole: the value is made of it and of the mappings above it. */
#include "value_paths.h"

#include "origin_record.h"
#include "value_words.h"

#include <string.h>

void bake_value_one(bake_values *b, const value_layer *given_by, uint32_t type,
                    const kiln_member *field, void *dst, const value_step *step)
{
    value_saved before = bake_value_enter_layer(b, given_by);
    value_taken taken = {b->taken, b->tree, given_by->node, given_by->key};
    if (given_by->key)
        b->taken = &taken;
    /* Nothing can be added to what counts whole. */
    b->merge.is_partial = b->merge.is_partial && !b->merge.asset;
    bake_value_any(b, given_by->node, type, field, dst, step);
    b->taken = taken.up;
    bake_value_leave_layer(b, given_by, &before);
}

/* Layers down to one that is null. */
static size_t count_above_null(const value_layer *layers, size_t count)
{
    size_t kept = 0;
    while (kept < count && !bake_value_layer_is_null(&layers[kept]))
        kept++;
    return kept;
}

static void optional(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                     const kiln_member *field, void *dst, const value_step *step, value_rule rule)
{
    const kiln_type *of = value_type(b, type);
    const kiln_type *element = value_type(b, of->element);
    size_t kept = count_above_null(layers, count);
    if (kept == 0 || (kept == 1 && rule == VALUE_OVER)) {
        bake_value_one(b, layers, type, field, dst, step);
        return;
    }
    value_saved before = bake_value_enter_layer(b, &layers[0]);
    bool is_entered = value_enter(b, layers[0].node, step);
    bake_value_leave_layer(b, &layers[0], &before);
    if (!is_entered)
        return;
    void *value = kiln_builder_pointer(b->builder, dst, element->size, element->align);
    if (value)
        bake_value_layers(b, layers, kept, of->element, field, value, step, rule);
    else
        value_stop(b);
    value_leave(b);
}

/* What is put together from layers, one being enough where more might come. */
static bool put_together(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                         const kiln_member *field, void *dst, const value_step *step,
                         value_rule rule)
{
    const kiln_type *of = value_type(b, type);
    bool is_struct = of->kind == KILN_KIND_STRUCT;
    if (is_struct && (of->flags & KILN_TYPE_TRANSPARENT)) {
        const kiln_member *wrapped = &of->members[0];
        bake_value_layers(b, layers, count, wrapped->type, wrapped,
                          (unsigned char *)dst + wrapped->offset, step, rule);
    } else if (is_struct && (rule == VALUE_OVER || count_above_null(layers, count) > 0)) {
        bake_value_struct_layers(b, layers,
                                 rule == VALUE_OVER ? count : count_above_null(layers, count), type,
                                 dst, step, rule);
    } else if (of->kind == KILN_KIND_OPTIONAL && rule != VALUE_FIELDS) {
        optional(b, layers, count, type, field, dst, step, rule);
    } else if (of->kind == KILN_KIND_ARRAY && rule == VALUE_MERGE) {
        bake_value_join_lists(b, layers, count_above_null(layers, count), type, field, dst, step,
                              NULL);
    } else if (of->kind == KILN_KIND_MAP && rule == VALUE_MERGE) {
        bake_value_join_maps(b, layers, count_above_null(layers, count), type, field, dst, step,
                             NULL);
    } else {
        return false;
    }
    return true;
}

/* How many layers count, from the uppermost down to one that is no mapping. */
static size_t counting(bake_values *b, const value_layer *layers, size_t count, uint32_t type)
{
    const bake_tree *tree = b->tree;
    size_t kept = 0;
    value_form form = FORM_NONE;
    while (kept < count && !form) {
        b->tree = layers[kept].layer->tree;
        form = bake_value_form(b, layers[kept].node, type);
        kept++;
    }
    b->tree = tree;
    return kept;
}

void bake_value_layers(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                       const kiln_member *field, void *dst, const value_step *step, value_rule rule)
{
    const kiln_type *of = value_type(b, type);
    if (b->merge.has_paths && bake_value_paths(b, layers, count, type, field, dst, step, rule))
        return;
    if (b->origins)
        bake_origin_layers(b, layers, count, step);
    if (of->kind == KILN_KIND_STRUCT && b->schema->info[type].forms)
        count = counting(b, layers, count, type);
    bool is_whole = of->kind == KILN_KIND_STRUCT &&
                    (b->schema->info[type].forms & (BAKE_ENTITY | BAKE_LITERAL));
    bool many = rule != VALUE_REPLACE && !is_whole && (count > 1 || bake_value_is_open(b, layers));
    if (b->stopped || (many && put_together(b, layers, count, type, field, dst, step, rule)))
        return;
    if (of->kind == KILN_KIND_DATA && b->words)
        b->words->bake_data(b, layers, count, layers[0].node, type, field, dst, step, rule);
    else if (of->kind != KILN_KIND_DATA)
        bake_value_one(b, layers, type, field, dst, step);
}
