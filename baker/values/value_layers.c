/* Merges the layers of a value: selects the layers by rule and type, and merges structs field by
 * field.
 *
 * value_rule lists which values are merged; for all others the topmost layer wins. A struct that is
 * not written as a mapping is complete, so layers below it are ignored. Null is a value as well,
 * and hides the layers below it.
 *
 * A struct takes two passes. The first visits the keys of all layers, from the lowest to the
 * topmost. It builds a linked list for each field, whose head is the topmost value. The second
 * bakes each field from its list. Lists and heads are on the scratch stack, which may move with
 * every push, so they are addressed by offset. */
#include "value_layers.h"

#include "bake_memory.h"
#include "bake_text.h"
#include "origin_record.h"
#include "value_paths.h"
#include "value_watch.h"
#include "value_words.h"

#include <stdio.h>
#include <string.h>

/* ---- structs, first pass: collects a list of values for each field ---- */

/* The value of a field in one layer. */
typedef struct given {
    bake_node_id value;
    uint32_t layer;
    uint32_t below;        /* the value of the field in a lower layer; UINT32_MAX: none */
    const bake_path *path; /* a change inside the value, or NULL if this is a whole value */
    bool is_whole;         /* it replaces all lower layers */
} given;

/* A struct being merged. */
typedef struct merged_struct {
    const value_layer *layers;
    size_t count;
    value_rule rule;
    uint32_t type;
    const kiln_type *of;
    unsigned char *dst;
    const value_step *step;
    size_t heads;  /* scratch offset of the list heads, by member */
    size_t givens; /* scratch offset of the list entries, after `heads` */
    uint32_t given_count;
    value_form whole;    /* the form of the lowest layer, if it is not split into fields */
    uint32_t rest;       /* index of the rest field, or KILN_TYPE_NONE */
    uint32_t rest_layer; /* the topmost layer with entries for it; UINT32_MAX: none */
} merged_struct;

/* The result is valid until the next push on the scratch stack, like that of heads_of. */
static given *givens_of(bake_values *b, const merged_struct *l)
{
    return (given *)(void *)(b->scratch.bytes + l->givens);
}

static uint32_t *heads_of(bake_values *b, const merged_struct *l)
{
    return (uint32_t *)(void *)(b->scratch.bytes + l->heads);
}

static void push_given(bake_values *b, merged_struct *l, uint32_t number, const given *new_one)
{
    size_t at = bake_value_push(b, sizeof *new_one);
    if (at == SIZE_MAX)
        return;
    memcpy(b->scratch.bytes + at, new_one, sizeof *new_one);
    heads_of(b, l)[number] = l->given_count++;
}

/* Adds a field of a layer to its list. Reports a duplicate in the same layer, and keeps the
 * first. */
static void add_field(bake_values *b, merged_struct *l, uint32_t number, uint32_t layer,
                      const bake_iterator *entry, bool was)
{
    const kiln_member *member = &l->of->members[number];
    uint32_t head = heads_of(b, l)[number];
    if (head != UINT32_MAX && givens_of(b, l)[head].layer == layer) {
        bake_value_report_duplicate(b, entry->key, member, l->step);
        return;
    }
    if (was || (member->flags & KILN_MEMBER_DEPRECATED))
        bake_value_warn_member(b, entry->key, member, was, l->step);
    given new_one = {entry->value, layer, head, NULL, false};
    push_given(b, l, number, &new_one);
}

/* Adds the fields that a patch replaces or changes. */
static void add_paths(bake_values *b, merged_struct *l, uint32_t number)
{
    const value_layer *from = &l->layers[number];
    for (const bake_path *s = from->path->steps; s && !b->stopped; s = s->next) {
        uint32_t guess = 0;
        bool was = false;
        uint32_t field = s->is_bracket
                             ? KILN_TYPE_NONE
                             : value_find_field(b, l->type, s->text, s->length, &guess, &was);
        if (field == KILN_TYPE_NONE || field == l->rest) {
            bake_value_path_unknown(b, from, s, l->type, l->step);
            continue;
        }
        const kiln_member *member = &l->of->members[field];
        uint32_t head = heads_of(b, l)[field];
        if (head != UINT32_MAX && givens_of(b, l)[head].layer == number) {
            bake_value_report_duplicate(b, s->key, member, l->step);
            continue;
        }
        if (was || (member->flags & KILN_MEMBER_DEPRECATED))
            bake_value_warn_member(b, s->key, member, was, l->step);
        given value = {s->value, number, head, NULL, s->is_whole};
        if (s->value != BAKE_NODE_NONE)
            push_given(b, l, field, &value);
        given path = {s->key, number, heads_of(b, l)[field], s, false};
        if (s->steps && !b->stopped)
            push_given(b, l, field, &path);
    }
}

/* Adds the fields of a tuple. */
static void add_tuple(bake_values *b, merged_struct *l, uint32_t number)
{
    const value_layer *from = &l->layers[number];
    uint32_t field = 0;
    if (!bake_value_check_tag_of(b, from->node, KILN_KIND_ARRAY, l->of->name, l->step) ||
        !bake_value_check_tuple(b, from->node, l->type, l->step))
        return;
    for (bake_iterator it = bake_iterator_begin(b->tree, from->node); bake_iterator_next(&it);) {
        it.key = it.value;
        add_field(b, l, field++, number, &it, false);
    }
}

/* Adds the fields of the lowest layer if it is not written as a mapping. Returns false if it is a
 * mapping. */
static bool add_other_form(bake_values *b, merged_struct *l, uint32_t number)
{
    bake_node_id node = l->layers[number].node;
    value_form form = bake_value_form(b, node, l->type);
    if (form == FORM_TUPLE) {
        add_tuple(b, l, number);
    } else if (form == FORM_SHORT) {
        bake_iterator alone = {.key = node, .value = node};
        add_field(b, l, b->schema->info[l->type].short_field, number, &alone, false);
    } else if (form) {
        l->whole = form;
    }
    return form != FORM_NONE;
}

/* Whether the key belongs to the asset or names the alternative, and so is not a field. */
static bool is_asset_or_union_key(const bake_values *b, const merged_struct *l,
                                  const value_layer *from, const char *text, size_t length)
{
    const bake_layer_asset *asset = l->step ? NULL : from->layer->asset;
    if (from->key && bake_text_is(text, length, from->key))
        return true;
    return asset && bake_schema_is_asset_key(b->schema, asset->rule, asset->type, text, length);
}

static void add_layer(bake_values *b, merged_struct *l, uint32_t number)
{
    const value_layer *from = &l->layers[number];
    if (from->path) {
        add_paths(b, l, number);
        return;
    }
    if (number + 1 == l->count && add_other_form(b, l, number))
        return;
    if (bake_node_kind_of(b->tree, from->node) != BAKE_NODE_MAPPING) {
        if (!bake_node_is_placeholder(b->tree, from->node))
            bake_value_unexpected(b, from->node, l->type, l->step);
        return;
    }
    if (!bake_value_check_tag(b, from->node, l->type, l->step))
        return;
    uint32_t *guess = &b->fields.first[l->type];
    for (bake_iterator it = bake_iterator_begin(b->tree, from->node);
         !b->stopped && bake_iterator_next(&it);) {
        uint32_t length;
        bool was;
        const char *text = bake_scalar_text(b->tree, it.key, &length);
        uint32_t field = value_find_field(b, l->type, text, length, guess, &was);
        if (field != KILN_TYPE_NONE && field != l->rest) {
            guess = &value_fields(b, l->type)[field].next;
            add_field(b, l, field, number, &it, was);
        } else if (is_asset_or_union_key(b, l, from, text, length)) {
            continue;
        } else if (l->rest != KILN_TYPE_NONE) {
            l->rest_layer = number;
        } else {
            bake_value_unknown_key(b, it.key, l->type, text, length, l->step);
        }
    }
}

/* Returns how to merge the layers of a field. Sets `*ret_never` if it is not inherited. */
static value_rule rule_of(const bake_values *b, const merged_struct *l, uint32_t number,
                          bool *ret_never)
{
    uint32_t type = l->type, inherit = BAKE_INHERIT_UNSET;
    *ret_never = false;
    if (l->rule == VALUE_OVER)
        return VALUE_OVER;
    /* The rule of the field takes precedence over that of its newtype. */
    do {
        inherit = b->schema->members[b->schema->info[type].first_member + number].inherit;
        type = value_type(b, type)->members[number].type;
        number = 0;
    } while (inherit == BAKE_INHERIT_UNSET && (value_type(b, type)->flags & KILN_TYPE_TRANSPARENT));
    *ret_never = inherit == BAKE_INHERIT_NEVER;
    if (inherit == BAKE_INHERIT_UNSET)
        return l->rule == VALUE_MERGE ? VALUE_MERGE : VALUE_REPLACE;
    return inherit == BAKE_INHERIT_MERGE ? VALUE_MERGE : VALUE_REPLACE;
}

/* Whether a parent that is not abstract lacks the field as well, so that the parent reports the
 * error. */
static bool is_reported_below(const merged_struct *l)
{
    for (size_t i = 0; i < l->count; i++)
        if (!l->layers[i].is_own && !l->layers[i].layer->asset->is_abstract)
            return true;
    return false;
}

/* Whether a layer below the topmost one has the field under a misspelt key. The asset of that layer
 * reports the key, which is the mistake to correct. */
static bool is_misspelt_below(bake_values *b, const merged_struct *l, uint32_t number)
{
    bool found = false;
    if (b->merge.is_partial || bake_value_may_be_missing(b, l->type, number))
        return false;
    for (size_t i = 0; i < l->count && !found; i++) {
        if (l->layers[i].path)
            continue;
        value_saved before = bake_value_enter_layer(b, &l->layers[i]);
        found = bake_value_has_misspelt(b, l->layers[i].node, l->type, &l->of->members[number],
                                        l->step);
        bake_value_leave_layer(b, &l->layers[i], &before);
    }
    return found;
}

static void hint_parents(bake_values *b)
{
    enum { SHOWN_MAX = 5 };
    char text[SHOWN_MAX * 104] = "";
    const bake_asset_layers *asset = b->merge.asset;
    const char *last = NULL;
    size_t count = 0, at = 0;
    for (size_t i = asset->own_count; i < asset->count; i++) {
        const char *name = asset->layers[i]->asset->name;
        /* An asset and its patches are consecutive layers with the same name. */
        bool is_repeat = last && strcmp(last, name) == 0;
        if (!is_repeat && count++ < SHOWN_MAX)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%.100s", last ? ", " : "", name);
        last = name;
    }
    if (count > SHOWN_MAX)
        bake_hint(b->report.to, "its parents do not set it either: %s and %zu more", text,
                  count - SHOWN_MAX);
    else if (count > 0)
        bake_hint(b->report.to, "its parents do not set it either: %s", text);
}

/* Fills or reports a field that no layer sets, at the node of the asset itself. If a parent in the
 * output lacks the field as well, or if a layer has a misspelt key, a second report would be
 * redundant. */
static void missing_in_asset(bake_values *b, const merged_struct *l, uint32_t number, bool never)
{
    value_layer at = l->layers[0];
    if (!at.is_own) {
        at = (value_layer){.layer = b->merge.asset->layers[0], .is_own = true};
        at.node = at.layer->node;
    }
    value_saved before = bake_value_enter_layer(b, &at);
    if (!never && (is_reported_below(l) || is_misspelt_below(b, l, number)))
        b->report.to = b->report.silence;
    bake_value_missing(b, at.node, l->type, number, l->dst + l->of->members[number].offset,
                       l->step);
    if (b->report.errors > before.errors && !never)
        hint_parents(b);
    bake_value_leave_layer(b, &at, &before);
}

static void bake_missing(bake_values *b, const merged_struct *l, uint32_t number, bool never)
{
    if (bake_value_missing_quick(b, l->type, number, l->dst + l->of->members[number].offset))
        return;
    if (b->merge.asset) {
        missing_in_asset(b, l, number, never);
        return;
    }
    value_saved before = bake_value_enter_layer(b, &l->layers[0]);
    bake_value_missing(b, l->layers[0].node, l->type, number,
                       l->dst + l->of->members[number].offset, l->step);
    bake_value_leave_layer(b, &l->layers[0], &before);
}

/* Bakes the default if the topmost layer of a field is null but the field's type has no null.
 * Otherwise returns false. */
static bool bake_null_as_default(bake_values *b, const merged_struct *l, uint32_t number,
                                 const given *last)
{
    bake_node_id node = last->value;
    const value_layer *from = &l->layers[last->layer];
    value_saved before = bake_value_enter_layer(b, from);
    bool found = bake_value_null_is_default(b, node, l->type, number);
    if (found)
        bake_value_missing(b, node, l->type, number, l->dst + l->of->members[number].offset,
                           l->step);
    bake_value_leave_layer(b, from, &before);
    return found;
}

static value_layer layer_of(const merged_struct *l, const given *s)
{
    const value_layer *from = &l->layers[s->layer];
    return (value_layer){
        .layer = from->layer, .node = s->value, .is_own = from->is_own, .path = s->path};
}

/* Records all layers of a field for the source map, including replaced ones. */
static void record_field(bake_values *b, const merged_struct *l, uint32_t number,
                         const value_step *step)
{
    const given *givens = givens_of(b, l);
    size_t count = 0, capacity = 0;
    value_layer *layers = NULL;
    for (uint32_t at = heads_of(b, l)[number]; at != UINT32_MAX; at = givens[at].below) {
        if (givens[at].path)
            continue;
        value_layer *grown = bake_grow(layers, &capacity, count + 1, sizeof *layers);
        if (!grown) {
            value_no_memory(b);
            break;
        }
        layers = grown;
        layers[count++] = layer_of(l, &givens[at]);
    }
    if (!b->stopped && count > 0)
        bake_origin_layers(b, layers, count, step);
    bake_free(layers);
}

/* Lists the effective layers of a field, topmost first. Stops after a layer that replaces all lower
 * layers, and with VALUE_REPLACE after the first one without a path. If `layers` is NULL, only
 * counts them. */
static size_t list_given(bake_values *b, const merged_struct *l, uint32_t number, value_rule rule,
                         value_layer *layers)
{
    const given *givens = givens_of(b, l);
    size_t count = 0;
    for (uint32_t at = heads_of(b, l)[number]; at != UINT32_MAX; at = givens[at].below) {
        if (layers)
            layers[count] = layer_of(l, &givens[at]);
        count++;
        if (givens[at].is_whole || (rule == VALUE_REPLACE && !givens[at].path))
            break;
    }
    return count;
}

/* Whether the topmost layer without a path has a value that paths can change. */
static bool has_value(bake_values *b, const merged_struct *l, uint32_t number, bool never)
{
    const given *givens = givens_of(b, l);
    uint32_t at = heads_of(b, l)[number];
    while (at != UINT32_MAX && givens[at].path)
        at = givens[at].below;
    if (at == UINT32_MAX || (never && !l->layers[givens[at].layer].is_own))
        return false;
    value_saved before = bake_value_enter_layer(b, &l->layers[givens[at].layer]);
    bool is_default = bake_value_null_is_default(b, givens[at].value, l->type, number);
    bake_value_leave_layer(b, &l->layers[givens[at].layer], &before);
    return !is_default;
}

/* Bakes a field from its layers. */
static void bake_field(bake_values *b, const merged_struct *l, uint32_t number)
{
    enum { FEW = 8 };
    const kiln_member *member = &l->of->members[number];
    const given *head = &givens_of(b, l)[heads_of(b, l)[number]];
    value_layer few[FEW], *layers = few;
    bool never, is_path = head->path != NULL;
    value_rule rule = rule_of(b, l, number, &never);
    if (never && !l->layers[head->layer].is_own) {
        bake_missing(b, l, number, true);
        return;
    }
    if (!is_path && bake_null_as_default(b, l, number, head))
        return;
    size_t count = list_given(b, l, number, rule, NULL), paths = 0;
    if (count > FEW)
        layers = bake_alloc_array(count, sizeof *layers);
    if (!layers) {
        value_no_memory(b);
        return;
    }
    list_given(b, l, number, rule, layers);
    value_step inner = {l->step, STEP_NAME, member->name, strlen(member->name), 0};
    void *dst = l->dst + member->offset;
    if (is_path && !has_value(b, l, number, never)) {
        while (paths < count && layers[paths].path)
            paths++;
        bake_value_paths_default(b, layers, paths, l->type, number, dst, &inner, rule);
    } else {
        if (b->origins)
            record_field(b, l, number, &inner);
        bake_value_layers(b, layers, count, member->type, member, dst, &inner, rule);
    }
    if (layers != few)
        bake_free(layers);
}

/* Pushes the entries of a layer that belong to the rest field onto the scratch stack. */
static uint32_t rest_entries(bake_values *b, const merged_struct *l, const value_layer *from)
{
    uint32_t count = 0, guess = 0;
    for (bake_iterator it = bake_iterator_begin(from->layer->tree, from->node);
         bake_iterator_next(&it);) {
        value_joined entry = {*from, it.key};
        uint32_t length;
        bool was;
        const char *text = bake_scalar_text(from->layer->tree, it.key, &length);
        uint32_t field = value_find_field(b, l->type, text, length, &guess, &was);
        if ((field != KILN_TYPE_NONE && field != l->rest) ||
            is_asset_or_union_key(b, l, from, text, length))
            continue;
        entry.from.node = it.value;
        entry.from.key = NULL;
        size_t at = bake_value_push(b, sizeof entry);
        if (at == SIZE_MAX)
            break;
        memcpy(b->scratch.bytes + at, &entry, sizeof entry);
        count++;
    }
    return count;
}

/* Bakes the rest field from the topmost layer that has entries for it, or from all layers. */
static void bake_rest(bake_values *b, const merged_struct *l)
{
    const kiln_member *member = &l->of->members[l->rest];
    size_t chosen = b->scratch.used, first = l->rest_layer, count = 0;
    bool never;
    value_rule rule = rule_of(b, l, l->rest, &never);
    if (never && !l->layers[first].is_own)
        return;
    size_t last = rule == VALUE_MERGE ? l->count : first + 1;
    for (size_t i = first; i < last && !b->stopped; i++)
        if (bake_node_kind_of(l->layers[i].layer->tree, l->layers[i].node) == BAKE_NODE_MAPPING)
            count += rest_entries(b, l, &l->layers[i]);
    value_joined *entries = b->stopped ? NULL : bake_alloc_array(count, sizeof *entries);
    if (!entries && !b->stopped)
        value_no_memory(b);
    if (!entries)
        return;
    /* Copy the entries, since baking them pushes onto the stack and may move it. */
    memcpy(entries, b->scratch.bytes + chosen, count * sizeof *entries);
    value_step inner = {l->step, STEP_NAME, member->name, strlen(member->name), 0};
    if (b->origins)
        bake_origin_layers(b, &l->layers[first], last - first, &inner);
    bake_value_join_entries(b, &l->layers[first], entries, count, member->type, member,
                            l->dst + member->offset, b->origins ? &inner : l->step, NULL);
    bake_free(entries);
}

/* Bakes the fields that only the lowest layer sets, in the form of that layer. */
static void bake_whole(bake_values *b, const merged_struct *l)
{
    const value_layer *from = &l->layers[l->count - 1];
    value_saved before = bake_value_enter_layer(b, from);
    bake_value_struct_form(b, from->node, l->whole, l->heads, l->type, l->dst, l->step);
    bake_value_leave_layer(b, from, &before);
}

void bake_value_struct_layers(bake_values *b, const value_layer *layers, size_t count,
                              uint32_t type, void *dst, const value_step *step, value_rule rule)
{
    merged_struct l = {.layers = layers,
                       .count = count,
                       .rule = rule,
                       .type = type,
                       .of = value_type(b, type),
                       .dst = dst,
                       .step = step};
    size_t used = b->scratch.used;
    l.rest = b->schema->info[type].rest;
    l.rest_layer = UINT32_MAX;
    /* Align the stack for `given`. */
    size_t align = _Alignof(given), gap = -used % align;
    if (gap && bake_value_push(b, gap) == SIZE_MAX)
        return;
    size_t heads = l.of->member_count * sizeof(uint32_t);
    l.heads = bake_value_push(b, heads + -heads % align);
    if (l.heads == SIZE_MAX)
        return;
    memset(b->scratch.bytes + l.heads, 0xff, l.of->member_count * sizeof(uint32_t));
    bool is_framed = b->watch && bake_value_open_frame(b, type, step);
    l.givens = b->scratch.used;
    for (size_t i = count; i-- > 0;) {
        value_saved before = bake_value_enter_layer(b, &layers[i]);
        add_layer(b, &l, (uint32_t)i);
        bake_value_leave_layer(b, &layers[i], &before);
    }
    for (uint32_t m = 0; m < l.of->member_count && !b->stopped; m++) {
        if (m == l.rest)
            continue;
        if (heads_of(b, &l)[m] != UINT32_MAX)
            bake_field(b, &l, m);
        else if (!l.whole)
            bake_missing(b, &l, m, false);
    }
    if (l.whole && !b->stopped)
        bake_whole(b, &l);
    if (l.rest_layer != UINT32_MAX && !b->stopped)
        bake_rest(b, &l);
    if (is_framed)
        bake_value_close_frame(b);
    b->scratch.used = used;
}

/* ---- all values ---- */

void bake_value_one(bake_values *b, const value_layer *given_by, uint32_t type,
                    const kiln_member *field, void *dst, const value_step *step)
{
    value_saved before = bake_value_enter_layer(b, given_by);
    value_taken taken = {b->taken, b->tree, given_by->node, given_by->key};
    if (given_by->key)
        b->taken = &taken;
    /* No other layer adds to this value, so it must be complete. */
    b->merge.is_partial = b->merge.is_partial && !b->merge.asset;
    bake_value_any(b, given_by->node, type, field, dst, step);
    b->taken = taken.up;
    bake_value_leave_layer(b, given_by, &before);
}

/* Counts the layers above the first null, which hides those below. */
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

/* Merges the layers if the type and the rule allow it; otherwise returns false. */
static bool merge(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                  const kiln_member *field, void *dst, const value_step *step, value_rule rule)
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

/* Counts the layers down to and including the first struct that is not written as a mapping: such a
 * struct is complete. */
static size_t count_used(bake_values *b, const value_layer *layers, size_t count, uint32_t type)
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
        count = count_used(b, layers, count, type);
    bool is_whole = of->kind == KILN_KIND_STRUCT &&
                    (b->schema->info[type].forms & (BAKE_ENTITY | BAKE_LITERAL));
    bool many = rule != VALUE_REPLACE && !is_whole && (count > 1 || bake_value_is_open(b, layers));
    if (b->stopped || (many && merge(b, layers, count, type, field, dst, step, rule)))
        return;
    if (of->kind == KILN_KIND_DATA && b->words)
        b->words->bake_data(b, layers, count, layers[0].node, type, field, dst, step, rule);
    else if (of->kind != KILN_KIND_DATA)
        bake_value_one(b, layers, type, field, dst, step);
}
