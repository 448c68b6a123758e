/* Values that several nodes have a say in: mappings of structs are put together by field, of
 * everything else the last word counts. A struct that is written in another way counts whole, so
 * that of it and of the mappings above it a value is made. */
#include "value_baker.h"

#include <string.h>

/* What a field is written as, in one layer. */
typedef struct said {
    bake_node_id value;
    uint32_t layer;
    uint32_t below; /* the same field's in a lower layer; UINT32_MAX: none */
} said;

/* A struct in the making. */
typedef struct layered {
    const value_layer *layers;
    size_t count;
    uint32_t type;
    const kiln_type *of;
    unsigned char *dst;
    const value_step *step;
    size_t heads; /* on the scratch stack: by member the number of what was said last */
    size_t saids; /* behind it */
    uint32_t said_count;
    value_form whole;    /* what the lowest layer is, where that is told as a whole */
    uint32_t rest;       /* number of the rest, or KILN_TYPE_NONE */
    uint32_t rest_layer; /* the uppermost that has entries of it; UINT32_MAX: none */
} layered;

/* What is at fault in a layer is told once, in whichever value it comes first. */
typedef struct turn {
    const bake_tree *tree;
    bake_diagnostics *diagnostics;
    bool no_warnings;
    size_t errors, warnings;
} turn;

static turn begin(bake_values *b, const bake_layer *layer)
{
    turn before = {b->tree, b->diagnostics, b->no_warnings, b->error_count, b->warning_count};
    uint32_t failed = layer->origin->failed_in, warned = layer->origin->warned_in;
    b->tree = layer->tree;
    b->no_warnings |= warned && warned != b->value_number;
    if (failed && failed != b->value_number && b->silence)
        b->diagnostics = b->silence;
    return before;
}

static void end(bake_values *b, const bake_layer *layer, const turn *before)
{
    if (b->error_count > before->errors)
        layer->origin->failed_in = b->value_number;
    if (b->warning_count > before->warnings)
        layer->origin->warned_in = b->value_number;
    b->no_warnings = before->no_warnings;
    b->tree = before->tree;
    b->diagnostics = before->diagnostics;
}

static void one(bake_values *b, const value_layer *said_by, uint32_t type, const kiln_member *field,
                void *dst, const value_step *step)
{
    turn before = begin(b, said_by->layer);
    bake_value_any(b, said_by->node, type, field, dst, step);
    end(b, said_by->layer, &before);
}

static said *saids_of(bake_values *b, const layered *l)
{
    return (said *)(void *)(b->scratch + l->saids);
}

static uint32_t *heads_of(bake_values *b, const layered *l)
{
    return (uint32_t *)(void *)(b->scratch + l->heads);
}

static void note_field(bake_values *b, layered *l, uint32_t number, uint32_t layer,
                       const bake_walk *entry, bool was)
{
    const kiln_member *member = &l->of->members[number];
    uint32_t head = heads_of(b, l)[number];
    if (head != UINT32_MAX && saids_of(b, l)[head].layer == layer) {
        bake_value_report_twice(b, entry->key, member, l->step);
        return;
    }
    if (was || (member->flags & KILN_MEMBER_DEPRECATED))
        bake_value_warn_member(b, entry->key, member, was, l->step);
    said new_one = {entry->value, layer, head};
    size_t at = bake_value_push(b, sizeof new_one);
    if (at == SIZE_MAX)
        return;
    memcpy(b->scratch + at, &new_one, sizeof new_one);
    heads_of(b, l)[number] = l->said_count++;
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

static void note_layer(bake_values *b, layered *l, uint32_t number)
{
    const value_layer *from = &l->layers[number];
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
        } else if (l->rest != KILN_TYPE_NONE) {
            l->rest_layer = number;
        } else {
            bake_value_unknown_key(b, walk.key, l->type, text, length, l->step);
        }
    }
}

static void bake_field(bake_values *b, const layered *l, uint32_t number)
{
    const kiln_member *member = &l->of->members[number];
    value_layer layers[BAKE_LAYERS_MAX];
    size_t count = 0;
    for (uint32_t at = heads_of(b, l)[number]; at != UINT32_MAX && count < BAKE_LAYERS_MAX;) {
        said from = saids_of(b, l)[at];
        layers[count++] = (value_layer){l->layers[from.layer].layer, from.value};
        at = from.below;
    }
    value_step inner = {l->step, STEP_NAME, member->name, strlen(member->name), 0};
    bake_value_layers(b, layers, count, member->type, member, l->dst + member->offset, &inner);
}

/* The rest is a map like any other: that of the uppermost layer that has one. */
static void bake_rest(bake_values *b, const layered *l)
{
    const kiln_member *member = &l->of->members[l->rest];
    const value_layer *from = &l->layers[l->rest_layer];
    size_t chosen = b->scratch_used;
    uint32_t count = 0, guess = 0;
    turn before = begin(b, from->layer);
    for (bake_walk walk = bake_walk_begin(b->tree, from->node); bake_walk_next(&walk);) {
        value_entry entry = {walk.key, walk.value};
        uint32_t length;
        bool was;
        const char *text = bake_scalar_text(b->tree, walk.key, &length);
        uint32_t field = bake_value_find_field(b, l->type, text, length, &guess, &was);
        if (field != KILN_TYPE_NONE && field != l->rest)
            continue;
        size_t at = bake_value_push(b, sizeof entry);
        if (at == SIZE_MAX)
            break;
        memcpy(b->scratch + at, &entry, sizeof entry);
        count++;
    }
    bake_value_check_length(b, from->node, member, count, "entry", l->step);
    if (!b->stopped)
        bake_value_map_entries(b, from->node, chosen, count, member->type, l->dst + member->offset,
                               l->step);
    end(b, from->layer, &before);
}

static void bake_missing(bake_values *b, const layered *l, uint32_t number)
{
    turn before = begin(b, l->layers[0].layer);
    bake_value_missing(b, l->layers[0].node, l->type, number,
                       l->dst + l->of->members[number].offset, l->step);
    end(b, l->layers[0].layer, &before);
}

/* What is not said above it. */
static void bake_whole(bake_values *b, const layered *l)
{
    const value_layer *from = &l->layers[l->count - 1];
    turn before = begin(b, from->layer);
    bake_value_formed(b, from->node, l->whole, l->heads, l->type, l->dst, l->step);
    end(b, from->layer, &before);
}

static void struct_layers(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                          void *dst, const value_step *step)
{
    layered l = {.layers = layers,
                 .count = count,
                 .type = type,
                 .of = value_type(b, type),
                 .dst = dst,
                 .step = step};
    size_t used = b->scratch_used;
    l.rest = b->schema->info[type].rest;
    l.rest_layer = UINT32_MAX;
    /* Numbers of 32 bits are aligned wherever the stack stands. */
    if (used % sizeof(uint32_t) && bake_value_push(b, -used % sizeof(uint32_t)) == SIZE_MAX)
        return;
    l.heads = bake_value_push(b, l.of->member_count * sizeof(uint32_t));
    if (l.heads == SIZE_MAX)
        return;
    memset(b->scratch + l.heads, 0xff, l.of->member_count * sizeof(uint32_t));
    l.saids = b->scratch_used;
    for (size_t i = count; i-- > 0;) {
        turn before = begin(b, layers[i].layer);
        note_layer(b, &l, (uint32_t)i);
        end(b, layers[i].layer, &before);
    }
    for (uint32_t m = 0; m < l.of->member_count && !b->stopped; m++) {
        if (m == l.rest)
            continue;
        if (heads_of(b, &l)[m] != UINT32_MAX)
            bake_field(b, &l, m);
        else if (!l.whole)
            bake_missing(b, &l, m);
    }
    if (l.whole && !b->stopped)
        bake_whole(b, &l);
    if (l.rest_layer != UINT32_MAX && !b->stopped)
        bake_rest(b, &l);
    b->scratch_used = used;
}

static bool is_null(const value_layer *layer)
{
    return bake_node_is_null(layer->layer->tree, layer->node);
}

/* Lower layers count down to one that says there is nothing. */
static void optional(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                     const kiln_member *field, void *dst, const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    const kiln_type *element = value_type(b, of->element);
    size_t kept = 0;
    while (kept < count && !is_null(&layers[kept]))
        kept++;
    if (kept < 2) {
        one(b, layers, type, field, dst, step);
        return;
    }
    turn before = begin(b, layers[0].layer);
    if (bake_value_enter(b, layers[0].node, step)) {
        void *value = kiln_builder_pointer(b->builder, dst, element->size, element->align);
        if (value)
            bake_value_layers(b, layers, kept, of->element, field, value, step);
        else
            bake_value_stop(b);
        bake_value_leave(b);
    }
    end(b, layers[0].layer, &before);
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
                       const kiln_member *field, void *dst, const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    if (b->stopped)
        return;
    if (of->kind == KILN_KIND_STRUCT && b->schema->info[type].forms)
        count = counting(b, layers, count, type);
    if (of->kind == KILN_KIND_STRUCT && (of->flags & KILN_TYPE_TRANSPARENT) && count > 1) {
        const kiln_member *wrapped = &of->members[0];
        bake_value_layers(b, layers, count, wrapped->type, wrapped,
                          (unsigned char *)dst + wrapped->offset, step);
    } else if (of->kind == KILN_KIND_STRUCT && count > 1) {
        struct_layers(b, layers, count, type, dst, step);
    } else if (of->kind == KILN_KIND_OPTIONAL && count > 1) {
        optional(b, layers, count, type, field, dst, step);
    } else if (of->kind == KILN_KIND_DATA) {
        bake_value_data(b, layers, count, layers[0].node, type, field, dst, step);
    } else {
        one(b, layers, type, field, dst, step);
    }
}

void bake_value_empty(bake_values *b, const value_layer *at, uint32_t type, void *dst,
                      const value_step *step)
{
    turn before = begin(b, at->layer);
    bake_value_nothing(b, at->node, type, dst, step);
    end(b, at->layer, &before);
}
