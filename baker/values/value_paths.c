/* Layers with paths, which change parts of a value: `drops[2].weight` (SCHEMA.md, "Patches").
 *
 * A layer with a path has no value. bake_value_paths separates such layers from those with values,
 * and finds the part that each step refers to. It groups the changes by part, so that each part is
 * baked once. A change becomes a layer above the layers of its part. So indices refer to the merged
 * value, and reports have the position of each change.
 *
 * The changes to a part form a list, topmost first, so they are added from the lowest layer up. A
 * change is either a new value (`is_whole`) or a longer path. */
#include "value_paths.h"

#include "bake_memory.h"
#include "origin_record.h"

#include <string.h>

/* ---- changes by part ---- */

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
    /* In one patch, longer paths override shorter ones, so they become higher layers. */
    layer.node = step->value;
    if (step->value != BAKE_NODE_NONE)
        put_change(b, changes, part, &layer, true);
    layer.node = step->key;
    layer.path = step;
    if (step->steps)
        put_change(b, changes, part, &layer, false);
}

/* Records all layers of a part for the source map, including replaced ones. */
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

/* ---- values with paths ---- */

#define NO_VALUE_TO_CHANGE                                                                         \
    "no value to change: the field is neither set nor inherited, and has no default"

/* A tag takes precedence over keys, as in bake_value_union. */
value_chosen bake_value_path_choice(const bake_values *b, const value_layer *layer, uint32_t type)
{
    const bake_type_info *info = &b->schema->info[type];
    const bake_tree *tree = layer->layer->tree;
    const char *tag = bake_node_tag(tree, layer->node);
    value_chosen chosen = bake_value_choice(b, tree, layer->node, type);
    size_t prefix = info->forms & BAKE_BY_TAG ? strlen(info->by) : 0;
    if (prefix && tag && strncmp(tag, info->by, prefix) == 0) {
        chosen.key = NULL;
        chosen.named = chosen.value = layer->node;
        chosen.member =
            bake_schema_member(b->schema, type, tag + prefix, strlen(tag) - prefix, &chosen.was);
    }
    return chosen;
}

/* A value with paths in some of its layers. */
typedef struct path_value {
    bake_values *b;
    value_layer *rest; /* layers with values, topmost first */
    size_t rest_count;
    value_layer *paths;
    size_t path_count;
    uint32_t type;
    const kiln_type *of;
    const kiln_member *field;
    void *dst;
    const value_step *step;
    value_rule rule;
} path_value;

/* Reports the next steps of all paths. The patches are wrong, but the value below is still
 * baked. */
static void report_all(const path_value *p, const char *message)
{
    for (size_t i = 0; i < p->path_count; i++)
        for (const bake_path *s = p->paths[i].path->steps; s; s = s->next)
            bake_value_path_report(p->b, &p->paths[i], s, p->step, "%s", message);
}

static void bake_rest(const path_value *p)
{
    if (p->rest_count > 0)
        bake_value_layers(p->b, p->rest, p->rest_count, p->type, p->field, p->dst, p->step,
                          p->rule);
}

static void report_no_value(const path_value *p)
{
    report_all(p, NO_VALUE_TO_CHANGE);
    bake_rest(p);
}

static void optional(const path_value *p, const value_layer *layers, size_t count)
{
    bake_values *b = p->b;
    const kiln_type *element = value_type(b, p->of->element);
    if (p->rest_count == 0 || bake_value_layer_is_null(&p->rest[0])) {
        report_no_value(p);
        return;
    }
    value_saved before = bake_value_enter_layer(b, &p->rest[0]);
    bool is_entered = value_enter(b, p->rest[0].node, p->step);
    bake_value_leave_layer(b, &p->rest[0], &before);
    if (!is_entered)
        return;
    void *value = kiln_builder_pointer(b->builder, p->dst, element->size, element->align);
    if (value)
        bake_value_layers(b, layers, count, p->of->element, p->field, value, p->step, p->rule);
    else
        value_stop(b);
    value_leave(b);
}

/* Applies a step into a union. `part.Sprite.path` and `part.path` are equivalent if the alternative
 * is Sprite: a step for the alternative is inserted if it is missing. The given step is `pair[1]`;
 * an inserted one becomes `pair[0]`. */
static void change_alternative(const path_value *p, const value_layer *from, bake_path *pair,
                               const kiln_member *chosen, value_changes *changes)
{
    const bake_path *s = &pair[1];
    bake_values *b = p->b;
    bool was;
    const kiln_member *named = bake_schema_member(b->schema, p->type, s->text, s->length, &was);
    if (named == chosen) {
        if (chosen->type == KILN_TYPE_NONE)
            bake_value_path_report(b, from, s, p->step, "the alternative \"%s\" takes no value",
                                   chosen->name);
        else
            bake_value_change(b, changes, 0, from, s);
    } else if (named) {
        bake_value_path_report(b, from, s, p->step, "the alternative here is \"%s\", not \"%s\"",
                               chosen->name, named->name);
    } else if (chosen->type == KILN_TYPE_NONE) {
        bake_value_path_report(b, from, s, p->step, "the alternative \"%s\" takes no value",
                               chosen->name);
    } else {
        pair[0] =
            (bake_path){.steps = &pair[1], .text = "", .key = s->key, .value = BAKE_NODE_NONE};
        bake_value_change(b, changes, 0, from, &pair[0]);
    }
}

static void bake_alternative(const path_value *p, const value_chosen *top, const value_layer *below,
                             size_t count, const value_changes *changes)
{
    bake_values *b = p->b;
    const kiln_member *chosen = top->member;
    const kiln_type *of = value_type(b, chosen->type);
    value_step inner = {p->step, STEP_NAME, chosen->name, strlen(chosen->name), 0};
    value_taken taken = {b->taken, below[0].layer->tree, below[0].node, NULL};
    if (!value_enter(b, p->rest[0].node, &inner))
        return;
    void *value =
        kiln_builder_choose(b->builder, p->dst, (uint32_t)chosen->value, of->size, of->align);
    if (top->named == top->value)
        b->taken = &taken; /* its tag */
    if (value)
        bake_value_changed(b, changes, 0, below, count, chosen->type, value, &inner,
                           count > 1 ? VALUE_FIELDS : VALUE_REPLACE);
    else
        value_stop(b);
    b->taken = taken.up;
    value_leave(b);
}

/* Whether the union has a value that paths can change. A name alone has none. */
static bool has_value(const value_chosen *chosen)
{
    return chosen->member && (chosen->value != BAKE_NODE_NONE);
}

/* Lists the layers above the first without a value or with a different alternative, since fields of
 * different alternatives cannot be merged. Returns their count. */
static size_t list_below(const path_value *p, const kiln_member *chosen, value_layer *below)
{
    bake_values *b = p->b;
    size_t count = 0;
    for (; count < p->rest_count && !b->stopped; count++) {
        const value_layer *from = &p->rest[count];
        value_chosen one = bake_value_path_choice(b, from, p->type);
        if (!has_value(&one) || one.member != chosen)
            break;
        value_saved before = bake_value_enter_layer(b, from);
        /* The node of a struct is checked along with its fields. */
        if (one.value != from->node)
            bake_value_check_tag(b, from->node, p->type, p->step);
        bake_value_warn_member(b, one.named, chosen, one.was, p->step);
        bake_value_leave_layer(b, from, &before);
        below[count] = *from;
        below[count].node = one.value;
        below[count].key = one.key;
    }
    return count;
}

static void choice(const path_value *p)
{
    bake_values *b = p->b;
    size_t steps = 0, used = 0;
    value_chosen top = {NULL, BAKE_NODE_NONE, BAKE_NODE_NONE, NULL, false};
    value_changes changes;
    if (p->rest_count > 0)
        top = bake_value_path_choice(b, &p->rest[0], p->type);
    if (!has_value(&top)) {
        report_no_value(p);
        return;
    }
    for (size_t i = 0; i < p->path_count; i++)
        for (const bake_path *s = p->paths[i].path->steps; s; s = s->next)
            steps++;
    bake_path *pairs = bake_alloc_array(steps * 2, sizeof *pairs);
    value_layer *below = bake_alloc_array(p->rest_count, sizeof *below);
    if (!bake_value_changes_init(b, &changes, 1) || !pairs || !below)
        value_no_memory(b);
    for (size_t i = p->path_count; i-- > 0 && !b->stopped;)
        for (const bake_path *s = p->paths[i].path->steps; s; s = s->next, used += 2) {
            pairs[used + 1] = *s;
            pairs[used + 1].next = NULL;
            change_alternative(p, &p->paths[i], &pairs[used], top.member, &changes);
        }
    size_t count = changes.heads && changes.heads[0] ? list_below(p, top.member, below) : 0;
    if (!b->stopped && count > 0)
        bake_alternative(p, &top, below, count, &changes);
    else if (!b->stopped)
        bake_rest(p);
    bake_value_changes_fini(&changes);
    bake_free(pairs);
    bake_free(below);
}

/* Changes elements of a fixed-length array. This needs a node for each element, which a string of
 * several numbers does not have. */
static void fixed(const path_value *p)
{
    bake_values *b = p->b;
    const kiln_type *element = value_type(b, p->of->element);
    value_changes changes;
    const value_layer *from = &p->rest[0];
    const bake_tree *tree = p->rest_count ? from->layer->tree : NULL;
    if (!tree || bake_node_kind_of(tree, from->node) != BAKE_NODE_SEQUENCE ||
        bake_node_count(tree, from->node) != p->of->count) {
        report_all(p, "cannot change single elements: the value is not written as a complete list");
        bake_rest(p);
        return;
    }
    value_saved before = bake_value_enter_layer(b, from);
    bake_value_check_tag(b, from->node, p->type, p->step);
    bake_value_leave_layer(b, from, &before);
    bool ok = bake_value_changes_init(b, &changes, p->of->count);
    for (size_t i = p->path_count; ok && i-- > 0;)
        for (const bake_path *s = p->paths[i].path->steps; s; s = s->next) {
            uint32_t number;
            if (!bake_value_path_number(s, &number) || number >= p->of->count)
                bake_value_path_report(b, &p->paths[i], s, p->step,
                                       "expected an index in brackets, less than %u", p->of->count);
            else
                bake_value_change(b, &changes, number, &p->paths[i], s);
        }
    value_step inner = {p->step, STEP_NUMBER, NULL, 0, 0};
    unsigned char *to = p->dst;
    for (bake_iterator it = bake_iterator_begin(tree, from->node);
         ok && !b->stopped && bake_iterator_next(&it); inner.number++, to += element->size) {
        value_layer one = *from;
        one.node = it.value;
        bake_value_changed(b, &changes, (uint32_t)inner.number, &one, 1, p->of->element, to, &inner,
                           VALUE_REPLACE);
    }
    bake_value_changes_fini(&changes);
}

/* Merges the layers of a struct, down to the first that is not a mapping. Drops layers with paths
 * below the lowest layer with a value, because such paths change nothing. */
static void fields(const path_value *p, const value_layer *layers, size_t count)
{
    bake_values *b = p->b;
    const bake_tree *tree = b->tree;
    size_t kept = 0;
    value_form form = FORM_NONE;
    if (p->rest_count == 0 || (p->rule != VALUE_OVER && bake_value_layer_is_null(&p->rest[0]))) {
        report_no_value(p);
        return;
    }
    while (kept < count && !form) {
        b->tree = layers[kept].layer->tree;
        if (!layers[kept].path && p->rule != VALUE_OVER && bake_value_layer_is_null(&layers[kept]))
            break;
        if (!layers[kept].path)
            form = bake_value_form(b, layers[kept].node, p->type);
        kept++;
    }
    b->tree = tree;
    while (layers[kept - 1].path)
        kept--;
    bake_value_struct_layers(b, layers, kept, p->type, p->dst, p->step,
                             p->rule == VALUE_REPLACE ? VALUE_OVER : p->rule);
}

/* Dispatches on the type. A newtype passes all layers and steps to its field, because it has no
 * step of its own. */
static void dispatch(const path_value *p, const value_layer *layers, size_t count)
{
    bake_values *b = p->b;
    value_over over = {p->paths, p->path_count};
    const kiln_member *wrapped = p->of->members;
    size_t above_null = 0;
    while (above_null < p->rest_count && !bake_value_layer_is_null(&p->rest[above_null]))
        above_null++;
    switch (p->of->kind) {
    case KILN_KIND_STRUCT:
        if (p->of->flags & KILN_TYPE_TRANSPARENT)
            bake_value_layers(b, layers, count, wrapped->type, wrapped,
                              (unsigned char *)p->dst + wrapped->offset, p->step, p->rule);
        else
            fields(p, layers, count);
        break;
    case KILN_KIND_OPTIONAL:
        optional(p, layers, count);
        break;
    case KILN_KIND_UNION:
        choice(p);
        break;
    case KILN_KIND_FIXED:
        fixed(p);
        break;
    case KILN_KIND_ARRAY:
        if (above_null > 0)
            bake_value_join_lists(b, p->rest, above_null, p->type, p->field, p->dst, p->step,
                                  &over);
        else
            report_no_value(p);
        break;
    case KILN_KIND_MAP:
        if (above_null > 0)
            bake_value_join_maps(b, p->rest, above_null, p->type, p->field, p->dst, p->step, &over);
        else
            report_no_value(p);
        break;
    default:
        report_all(p, "the value before this step has no fields, elements or entries");
        bake_rest(p);
    }
}

/* Whether layers below the topmost value matter, as in merge() of value_layers.c. */
static bool merges_layers(kiln_kind kind, value_rule rule)
{
    if (rule == VALUE_REPLACE)
        return false;
    if (kind == KILN_KIND_STRUCT)
        return true;
    if (kind == KILN_KIND_UNION)
        return rule == VALUE_FIELDS; /* an element of several lists */
    return kind == KILN_KIND_OPTIONAL ? rule != VALUE_FIELDS : rule == VALUE_MERGE;
}

bool bake_value_paths(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                      const kiln_member *field, void *dst, const value_step *step, value_rule rule)
{
    path_value p = {.b = b,
                    .type = type,
                    .of = value_type(b, type),
                    .field = field,
                    .dst = dst,
                    .step = step,
                    .rule = rule};
    size_t kept = 0;
    bool all = merges_layers(p.of->kind, rule);
    for (bool ends = false; kept < count && !ends; kept++) {
        p.path_count += layers[kept].path != NULL;
        ends = !all && !layers[kept].path;
    }
    if (p.path_count == 0 || b->stopped)
        return b->stopped;
    p.paths = bake_alloc_array(kept, sizeof *p.paths);
    p.rest = bake_alloc_array(kept + 1, sizeof *p.rest);
    if (p.paths && p.rest) {
        p.path_count = 0;
        for (size_t i = 0; i < kept; i++)
            if (layers[i].path)
                p.paths[p.path_count++] = layers[i];
            else
                p.rest[p.rest_count++] = layers[i];
        if (b->origins && p.rest_count > 0)
            bake_origin_layers(b, p.rest, p.rest_count, step);
        dispatch(&p, layers, kept);
    } else {
        value_no_memory(b);
    }
    bake_free(p.paths);
    bake_free(p.rest);
    return true;
}

bool bake_value_paths_default(bake_values *b, const value_layer *given, size_t count, uint32_t type,
                              uint32_t member, void *dst, const value_step *step, value_rule rule)
{
    const kiln_member *field = &value_type(b, type)->members[member];
    const bake_default *written = bake_value_default_of(b, type, member);
    if (!written) {
        for (size_t i = 0; i < count; i++)
            for (const bake_path *s = given[i].path->steps; s; s = s->next)
                bake_value_path_report(b, &given[i], s, step, NO_VALUE_TO_CHANGE);
        return false;
    }
    bake_layer below = {.tree = written->tree,
                        .node = written->node,
                        .asset = given[0].layer->asset,
                        .origin = &below,
                        .is_default = true};
    value_layer *layers = bake_alloc_array(count + 1, sizeof *layers);
    if (!layers) {
        value_no_memory(b);
        return true;
    }
    memcpy(layers, given, count * sizeof *layers);
    layers[count] = (value_layer){.layer = &below, .node = below.node, .is_own = true};
    if (b->origins)
        bake_origin_layers(b, &layers[count], 1, step);
    bake_value_layers(b, layers, count + 1, field->type, field, dst, step, rule);
    bake_free(layers);
    return true;
}
