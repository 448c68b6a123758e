#include "value_said.h"

#include "bake_text.h"
#include "value_scalar.h"

#include <string.h>

static void push_said(bake_values *b, layered *l, uint32_t number, const said *new_one)
{
    size_t at = bake_value_push(b, sizeof *new_one);
    if (at == SIZE_MAX)
        return;
    memcpy(b->scratch + at, new_one, sizeof *new_one);
    bake_value_heads(b, l)[number] = l->said_count++;
}

static void note_field(bake_values *b, layered *l, uint32_t number, uint32_t layer,
                       const bake_walk *entry, bool was)
{
    const kiln_member *member = &l->of->members[number];
    uint32_t head = bake_value_heads(b, l)[number];
    if (head != UINT32_MAX && bake_value_saids(b, l)[head].layer == layer) {
        bake_value_report_twice(b, entry->key, member, l->step);
        return;
    }
    if (was || (member->flags & KILN_MEMBER_DEPRECATED))
        bake_value_warn_member(b, entry->key, member, was, l->step);
    said new_one = {entry->value, layer, head, NULL, false};
    push_said(b, l, number, &new_one);
}

/* What a patch says of fields, or of what is in them. */
static void note_paths(bake_values *b, layered *l, uint32_t number)
{
    const value_layer *from = &l->layers[number];
    for (const bake_path *s = from->path->steps; s && !b->stopped; s = s->next) {
        uint32_t guess = 0;
        bool was = false;
        uint32_t field = s->is_bracket
                             ? KILN_TYPE_NONE
                             : bake_value_find_field(b, l->type, s->text, s->length, &guess, &was);
        if (field == KILN_TYPE_NONE || field == l->rest) {
            bake_value_path_unknown(b, from, s, l->type, l->step);
            continue;
        }
        const kiln_member *member = &l->of->members[field];
        uint32_t head = bake_value_heads(b, l)[field];
        if (head != UINT32_MAX && bake_value_saids(b, l)[head].layer == number) {
            bake_value_report_twice(b, s->key, member, l->step);
            continue;
        }
        if (was || (member->flags & KILN_MEMBER_DEPRECATED))
            bake_value_warn_member(b, s->key, member, was, l->step);
        said value = {s->value, number, head, NULL, s->is_whole};
        if (s->value != BAKE_NODE_NONE)
            push_said(b, l, field, &value);
        said path = {s->key, number, bake_value_heads(b, l)[field], s, false};
        if (s->steps && !b->stopped)
            push_said(b, l, field, &path);
    }
}

/* The fields of a struct that is a list of them. */
static void note_tuple(bake_values *b, layered *l, uint32_t number)
{
    const value_layer *from = &l->layers[number];
    uint32_t field = 0;
    if (!bake_value_check_tag_of(b, from->node, KILN_KIND_ARRAY, l->of->name, l->step) ||
        !bake_value_check_tuple(b, from->node, l->type, l->step))
        return;
    for (bake_walk walk = bake_walk_begin(b->tree, from->node); bake_walk_next(&walk);) {
        walk.key = walk.value;
        note_field(b, l, field++, number, &walk, false);
    }
}

/* The lowest of the layers, where it is no mapping. False: it is one. */
static bool note_whole(bake_values *b, layered *l, uint32_t number)
{
    bake_node_id node = l->layers[number].node;
    value_form form = bake_value_form(b, node, l->type);
    if (form == FORM_TUPLE) {
        note_tuple(b, l, number);
    } else if (form == FORM_SHORT) {
        bake_walk alone = {.key = node, .value = node};
        note_field(b, l, b->schema->info[l->type].short_field, number, &alone, false);
    } else if (form) {
        l->whole = form;
    }
    return form != FORM_NONE;
}

bool bake_value_says_no_field(const bake_values *b, const layered *l, const value_layer *from,
                              const char *text, size_t length)
{
    const bake_layer_asset *asset = l->step ? NULL : from->layer->asset;
    if (from->key && bake_text_is(text, length, from->key))
        return true;
    return asset && bake_schema_is_asset_key(b->schema, asset->rule, asset->type, text, length);
}

void bake_value_note_layer(bake_values *b, layered *l, uint32_t number)
{
    const value_layer *from = &l->layers[number];
    if (from->path) {
        note_paths(b, l, number);
        return;
    }
    if (number + 1 == l->count && note_whole(b, l, number))
        return;
    if (bake_node_kind_of(b->tree, from->node) != BAKE_NODE_MAPPING) {
        if (!bake_node_is_placeholder(b->tree, from->node))
            bake_value_unexpected(b, from->node, l->type, l->step);
        return;
    }
    if (!bake_value_check_tag(b, from->node, l->type, l->step))
        return;
    uint32_t *guess = &b->first_fields[l->type];
    for (bake_walk walk = bake_walk_begin(b->tree, from->node);
         !b->stopped && bake_walk_next(&walk);) {
        uint32_t length;
        bool was;
        const char *text = bake_scalar_text(b->tree, walk.key, &length);
        uint32_t field = bake_value_find_field(b, l->type, text, length, guess, &was);
        if (field != KILN_TYPE_NONE && field != l->rest) {
            guess = &value_fields(b, l->type)[field].next;
            note_field(b, l, field, number, &walk, was);
        } else if (bake_value_says_no_field(b, l, from, text, length)) {
            continue;
        } else if (l->rest != KILN_TYPE_NONE) {
            l->rest_layer = number;
        } else {
            bake_value_unknown_key(b, walk.key, l->type, text, length, l->step);
        }
    }
}
