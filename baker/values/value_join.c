/* Concatenates lists of several layers from the topmost to the lowest (SCHEMA.md, "Inheritance").
 *
 * In a list of a union with `by: {key: NAME}`, elements with the same alternative are merged: the
 * first of each layer, then the second, and so on. All elements are collected, matched in a hash
 * table by alternative and rank, and baked in order of first appearance. This takes linear time.
 *
 * Elements get their indices after matching. Paths of patches use these indices. */
#include "value_paths.h"

#include "bake_memory.h"
#include "bake_table.h"
#include "origin_record.h"
#include "value_cache.h"

#include <string.h>

/* An element of one layer. */
typedef struct element {
    value_layer from;
    value_chosen chosen;    /* its alternative; if `member` is NULL, it matches no other element */
    uint32_t rank;          /* number of earlier elements of its layer with this alternative */
    uint32_t below;         /* the matching element of a lower layer, plus 1 */
    uint32_t last;          /* in the topmost match: the lowest one so far */
    bool is_first;          /* it is the topmost of its matches */
    const bake_layer *seen; /* in the first element of an alternative: the layer being counted */
    uint32_t seen_count;    /* elements of that layer so far */
} element;

typedef struct joined {
    bake_values *b;
    uint32_t type; /* of the elements, with newtypes unwrapped */
    bool is_by_key;
    element *all;
    size_t count, capacity;
    uint32_t kept;
    hash_table by_rank; /* the topmost elements, by alternative and rank */
    bool no_memory;
    const value_changes *changes; /* by final element index; NULL: none */
} joined;

typedef struct rank_key {
    const kiln_member *alternative;
    uint32_t rank;
} rank_key;

static uint32_t hash_of_rank(const hash_table *table, rank_key key)
{
    return hash_of_number(table, key.alternative->value << 32 ^ key.rank);
}

static bool has_rank(const joined *j, uint32_t number, rank_key key)
{
    const element *e = &j->all[number];
    return e->chosen.member == key.alternative && e->rank == key.rank;
}

HASH_TABLE(elements_by_rank, const joined *, rank_key, hash_of_rank, has_rank)

static void add(joined *j, const value_layer *from, bake_node_id node)
{
    if (bake_node_is_placeholder(from->layer->tree, node))
        return;
    element *all = bake_grow(j->all, &j->capacity, j->count + 1, sizeof *all);
    if (!all) {
        j->no_memory = true;
        return;
    }
    j->all = all;
    element *e = &all[j->count++];
    memset(e, 0, sizeof *e);
    e->from = *from;
    e->from.node = node;
    e->is_first = true;
}

static void add_layer(joined *j, const value_layer *from, uint32_t type, const kiln_member *field,
                      const value_step *step)
{
    bake_values *b = j->b;
    const bake_tree *tree = from->layer->tree;
    bool single = field && (field->flags & KILN_MEMBER_SINGLE);
    value_saved before = bake_value_enter_layer(b, from);
    if (bake_node_kind_of(tree, from->node) == BAKE_NODE_SEQUENCE) {
        if (bake_value_check_tag(b, from->node, type, step))
            for (bake_iterator it = bake_iterator_begin(tree, from->node); bake_iterator_next(&it);)
                add(j, from, it.value);
    } else if (single) {
        add(j, from, from->node);
    } else if (!bake_node_is_placeholder(tree, from->node)) {
        bake_value_unexpected(b, from->node, type, step);
    }
    bake_value_leave_layer(b, from, &before);
}

/* Matches the elements of each alternative by rank. The first element of an alternative stores how
 * many elements of that alternative the current layer has. */
static void match(joined *j)
{
    for (uint32_t i = 0; i < j->count; i++) {
        element *e = &j->all[i];
        e->chosen = e->from.is_own
                        ? bake_value_choice(j->b, e->from.layer->tree, e->from.node, j->type)
                        : bake_value_cached_choice(j->b, &e->from, j->type);
        const kiln_member *alternative = e->chosen.member;
        if (!alternative)
            continue;
        if (!bake_table_reserve(&j->by_rank)) {
            j->no_memory = true;
            return;
        }
        uint32_t first = elements_by_rank_find(&j->by_rank, j, (rank_key){alternative, 0});
        element *counter = first != HASH_TABLE_NONE ? &j->all[first] : e;
        e->rank = counter->seen == e->from.layer ? counter->seen_count : 0;
        counter->seen = e->from.layer;
        counter->seen_count = e->rank + 1;
        e->last = i;
        hash_slot *slot = elements_by_rank_slot(&j->by_rank, j, (rank_key){alternative, e->rank});
        if (hash_slot_is_empty(slot)) {
            hash_table_put(&j->by_rank, slot, i);
        } else {
            element *top = &j->all[hash_slot_number(slot)];
            j->all[top->last].below = i + 1;
            top->last = i;
            e->is_first = false;
        }
    }
}

/* Elements with more layers are rare, and need an allocated array. */
enum { FEW_LAYERS = 8 };

/* Returns the match in the next lower layer, or NULL. */
static const element *below_of(const joined *j, const element *e)
{
    return e->below ? &j->all[e->below - 1] : NULL;
}

/* Collects the layers of an element, topmost first, in `few` or in an array that the caller frees.
 * Returns NULL if memory runs out. An asset with many parents can have any number of layers. */
static value_layer *layers_of(joined *j, const element *top, value_layer few[FEW_LAYERS],
                              size_t *ret_count)
{
    size_t count = 0;
    for (const element *e = top; e; e = below_of(j, e))
        count++;
    value_layer *layers = count <= FEW_LAYERS ? few : bake_alloc_array(count, sizeof *layers);
    *ret_count = 0;
    for (const element *e = top; layers && e; e = below_of(j, e))
        layers[(*ret_count)++] = e->from;
    j->no_memory = j->no_memory || !layers;
    return layers;
}

/* Bakes an element whose fields merge like those of an asset: several layers set it, or one layer
 * may not be the complete value (bake_value_is_open). */
static void bake_chosen(joined *j, const element *top, unsigned char *dst, const value_step *step)
{
    bake_values *b = j->b;
    const kiln_member *chosen = top->chosen.member;
    const kiln_type *of = value_type(b, chosen->type);
    value_step inner = {step, STEP_NAME, chosen->name, strlen(chosen->name), 0};
    value_layer few[FEW_LAYERS], *layers;
    size_t count;
    if (!(layers = layers_of(j, top, few, &count)))
        return;
    const element *e = top;
    for (size_t i = 0; i < count; i++, e = below_of(j, e)) {
        value_saved before = bake_value_enter_layer(b, &layers[i]);
        bake_value_check_tag(b, e->from.node, j->type, step);
        bake_value_warn_member(b, e->chosen.named, chosen, e->chosen.was, step);
        layers[i].node = e->chosen.value;
        layers[i].key = e->chosen.key;
        bake_value_leave_layer(b, &layers[i], &before);
    }
    if (value_enter(b, top->from.node, &inner)) {
        void *value =
            kiln_builder_choose(b->builder, dst, (uint32_t)chosen->value, of->size, of->align);
        if (value)
            bake_value_layers(b, layers, count, chosen->type, NULL, value, &inner, VALUE_FIELDS);
        else
            value_stop(b);
        value_leave(b);
    }
    if (layers != few)
        bake_free(layers);
}

/* Whether all layers of the element have a value for its alternative. If a layer has only a name,
 * the element is baked from its topmost layer alone. */
static bool has_values(const joined *j, const element *top)
{
    const element *e = top;
    while (e && e->chosen.value != BAKE_NODE_NONE)
        e = below_of(j, e);
    return e == NULL;
}

static void record_element(joined *j, const element *top, const value_step *step)
{
    size_t count;
    value_layer few[FEW_LAYERS], *layers = layers_of(j, top, few, &count);
    if (layers)
        bake_origin_layers(j->b, layers, count, step);
    if (layers != few)
        bake_free(layers);
}

static void bake_element(joined *j, const element *e, uint32_t element_type, unsigned char *to,
                         const value_step *step)
{
    bake_values *b = j->b;
    const kiln_member *chosen = e->chosen.member;
    bool is_struct = chosen && chosen->type != KILN_TYPE_NONE;
    if (is_struct && (e->below || bake_value_is_open(b, &e->from)) && has_values(j, e))
        bake_chosen(j, e, to, step);
    else
        bake_value_one(b, &e->from, element_type, NULL, to, step);
}

/* Takes an unchanged inherited element from the cache, and bakes it there first if necessary.
 * Returns false if it must be baked for this asset. */
static bool take_cached(joined *j, const element *top, const value_layer *layers, size_t count,
                        uint32_t element_type, void *to, const value_step *step)
{
    bake_values *b = j->b;
    const value_cached *cached = bake_value_cache_find(b, layers, count, element_type);
    if (!cached) {
        value_caching caching;
        if (!bake_value_cache_begin(b, layers, count, element_type, &caching))
            return false;
        bake_element(j, top, element_type, (unsigned char *)&caching.cached->value, step);
        cached = bake_value_cache_end(b, &caching);
    }
    if (!cached)
        return false;
    kiln_union *choice = to;
    choice->tag = cached->value.tag;
    kiln_builder_share(b->builder, &choice->value, &cached->value.value);
    return true;
}

static bool share_element(joined *j, const element *top, uint32_t element_type, void *to,
                          const value_step *step)
{
    size_t count;
    value_layer few[FEW_LAYERS], *layers = layers_of(j, top, few, &count);
    bool is_shared = layers && take_cached(j, top, layers, count, element_type, to, step);
    if (layers != few)
        bake_free(layers);
    return is_shared;
}

/* Bakes an element that paths of patches change. The changes become layers above those of the
 * element. */
static void bake_changed(joined *j, const element *top, uint32_t number, uint32_t type, void *dst,
                         const value_step *step)
{
    size_t count;
    value_layer few[FEW_LAYERS], *layers = layers_of(j, top, few, &count);
    if (layers)
        bake_value_changed(j->b, j->changes, number, layers, count, type, dst, step,
                           count > 1 ? VALUE_FIELDS : VALUE_REPLACE);
    if (layers != few)
        bake_free(layers);
}

static void bake_elements(joined *j, uint32_t element_type, unsigned char *to,
                          const value_step *step)
{
    bake_values *b = j->b;
    const kiln_type *of = value_type(b, element_type);
    value_step inner = {step, STEP_NUMBER, NULL, 0, 0};
    for (size_t i = 0; i < j->count && !b->stopped && !j->no_memory; i++) {
        const element *e = &j->all[i];
        if (!e->is_first)
            continue;
        if (j->changes && j->changes->heads[inner.number]) {
            bake_changed(j, e, (uint32_t)inner.number, element_type, to, &inner);
        } else {
            if (b->origins)
                record_element(j, e, &inner);
            if (!j->is_by_key || !bake_value_may_cache(b, &e->from) ||
                !share_element(j, e, element_type, to, &inner))
                bake_element(j, e, element_type, to, &inner);
        }
        inner.number++;
        to += of->size;
    }
}

static void bake_joined(joined *j, const value_layer *at, uint32_t type, const kiln_member *field,
                        void *dst, const value_step *step)
{
    bake_values *b = j->b;
    const kiln_type *of = value_type(b, type), *one = value_type(b, of->element);
    uint32_t align = of->align_at > one->align ? of->align_at : one->align;
    value_saved before = bake_value_enter_layer(b, at);
    bake_value_check_length(b, at->node, field, j->kept, "element", step);
    bool is_entered = j->kept > 0 &&
                      bake_value_size_fits(b, at->node, step, (uint64_t)j->kept * one->size) &&
                      value_enter(b, at->node, step);
    bake_value_leave_layer(b, at, &before);
    if (!is_entered)
        return;
    unsigned char *data = kiln_builder_array(b->builder, dst, j->kept, one->size, align);
    if (data)
        bake_elements(j, of->element, data, step);
    else
        value_stop(b);
    value_leave(b);
}

/* Returns, for each alternative, the index plus 1 of its first element, to which `[Alternative]` in
 * a path refers. Returns NULL if the elements are not unions, or if memory runs out. */
static uint32_t *first_numbers(joined *j)
{
    const kiln_type *of = value_type(j->b, j->type);
    uint32_t number = 0;
    if (of->kind != KILN_KIND_UNION)
        return NULL;
    uint32_t *firsts = bake_alloc_array(of->member_count, sizeof *firsts);
    j->no_memory = !firsts;
    for (size_t i = 0; i < j->count && firsts; i++) {
        if (!j->all[i].is_first)
            continue;
        const kiln_member *chosen = bake_value_path_choice(j->b, &j->all[i].from, j->type).member;
        if (chosen && firsts[chosen - of->members] == 0)
            firsts[chosen - of->members] = number + 1;
        number++;
    }
    return firsts;
}

static void change_element(joined *j, const value_layer *from, const bake_path *s,
                           const uint32_t *firsts, value_changes *changes, const value_step *step)
{
    bake_values *b = j->b;
    const kiln_type *of = value_type(b, j->type);
    char quote[VALUE_QUOTE_SIZE];
    uint32_t number;
    bool was;
    const kiln_member *named =
        firsts ? bake_schema_member(b->schema, j->type, s->text, s->length, &was) : NULL;
    if (bake_value_path_number(s, &number)) {
        if (number < j->kept)
            bake_value_change(b, changes, number, from, s);
        else
            bake_value_path_report(b, from, s, step,
                                   "index out of range: the list has %u element%s", j->kept,
                                   j->kept == 1 ? "" : "s");
    } else if (named && s->is_bracket && firsts[named - of->members]) {
        bake_value_change(b, changes, firsts[named - of->members] - 1, from, s);
    } else if (s->is_bracket && firsts) {
        bake_value_path_report(b, from, s, step, "the list has no element %s",
                               bake_value_quote(quote, s->text, s->length));
        if (s->text[0] == '-' && value_path_is_reported(b, from))
            bake_hint(b->report.to, "indices start at 0");
        else if (!named && value_path_is_reported(b, from))
            bake_value_hint_members(b, j->type, s->text, s->length);
    } else {
        bake_value_path_report(b, from, s, step,
                               firsts ? "expected an index or an alternative in brackets"
                                      : "expected an index in brackets");
    }
}

static void find_changes(joined *j, const value_over *over, value_changes *changes,
                         const value_step *step)
{
    uint32_t *firsts = first_numbers(j);
    if (!j->no_memory && bake_value_changes_init(j->b, changes, j->kept))
        j->changes = changes;
    for (size_t i = over->count; j->changes && i-- > 0;)
        for (const bake_path *s = over->layers[i].path->steps; s; s = s->next)
            change_element(j, &over->layers[i], s, firsts, changes, step);
    bake_free(firsts);
}

void bake_value_join_lists(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                           const kiln_member *field, void *dst, const value_step *step,
                           const value_over *over)
{
    joined j = {.b = b, .type = value_unwrapped(b, value_type(b, type)->element)};
    value_changes changes = {.heads = NULL};
    j.is_by_key = value_type(b, j.type)->kind == KILN_KIND_UNION &&
                  (b->schema->info[j.type].forms & BAKE_BY_KEY);
    for (size_t i = 0; i < count; i++)
        add_layer(&j, &layers[i], type, field, step);
    if (j.is_by_key && !j.no_memory)
        match(&j);
    for (size_t i = 0; i < j.count; i++)
        j.kept += j.all[i].is_first;
    if (over && !j.no_memory)
        find_changes(&j, over, &changes, step);
    if (!j.no_memory)
        bake_joined(&j, &layers[0], type, field, dst, step);
    if (j.no_memory) {
        value_no_memory(b);
    }
    bake_value_changes_fini(&changes);
    bake_free(j.all);
    bake_table_fini(&j.by_rank);
}
