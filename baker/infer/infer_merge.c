/* Merges two shapes, as if one shape had counted the values of both. The merged shape remains as a
 * forwarding pointer (`same_as`), because entries and forms still point to it. */
#include "infer_shape.h"

#include <string.h>

enum { LISTS_MAX = 16 };

/* A work list of pairs to merge. It replaces recursion, because the data can be deeper than the
 * stack. */
typedef struct merger {
    infer_shapes *shapes;
    struct pair {
        infer_shape *into, *from;
    } * pairs;
    size_t count, capacity;
} merger;

static bool push(merger *m, infer_shape *into, infer_shape *from)
{
    struct pair *pairs =
        bake_store_grow(m->shapes->store, m->pairs, &m->capacity, m->count + 1, sizeof *pairs);
    if (!pairs)
        return false;
    m->pairs = pairs;
    m->pairs[m->count].into = into;
    m->pairs[m->count++].from = from;
    return true;
}

/* If `inner` is an element of `list` at any depth, merging the two would make a list that contains
 * itself. Instead, `inner` becomes the short form of a list with one element. Returns whether
 * `inner` is such an element. */
static bool make_single(infer_shape *list, const infer_shape *inner)
{
    int depth = 0;
    const infer_shape *at = list;
    while (at && at->lists && at != inner && depth++ < LISTS_MAX)
        at = bake_infer_shape_of(at->element);
    if (at != inner || list == inner)
        return false;
    for (infer_shape *outer = list; outer != inner; outer = bake_infer_shape_of(outer->element))
        outer->is_single = true;
    return true;
}

/* Queues the merge of `from` into `*into`, or sets `*into` if it is NULL. */
static bool push_into(merger *m, infer_shape **into, infer_shape *from)
{
    infer_shape *own = bake_infer_shape_of(*into), *other = bake_infer_shape_of(from);
    if (!other)
        return true;
    if (own && make_single(other, own))
        own = NULL;
    if (own)
        return push(m, own, other);
    *into = from;
    return true;
}

/* Adds an entry to a map: its name to the keys, its shape to the values. */
static bool add_to_rest(merger *m, infer_shape *shape, const infer_entry *entry)
{
    uint32_t count = entry->count < UINT32_MAX ? (uint32_t)entry->count : UINT32_MAX;
    return bake_infer_texts_add(&shape->keys, m->shapes->store, entry->name, entry->length,
                                entry->first, 0, count) &&
           push_into(m, &shape->rest, entry->shape);
}

static bool add_entry(merger *m, infer_shape *shape, infer_table *table, const infer_entry *entry)
{
    infer_entry *own = bake_infer_table_find(table, entry->name, entry->length);
    /* Merged records can exceed the number of keys of a record. A map bounds the memory. */
    if (!own && table == &shape->fields &&
        (shape->rest || shape->fields.count > INFER_KEYS_MAX * 4))
        return add_to_rest(m, shape, entry);
    if (!own)
        own = bake_infer_table_find_or_add(table, m->shapes->store, entry->name, entry->length,
                                           entry->first);
    if (!own)
        return false;
    own->count += entry->count;
    return push_into(m, &own->shape, entry->shape);
}

/* Scales the count of a key from `all` mappings to `mappings`, because the shape of a kind can
 * include merged mappings of other positions. A key in all mappings stays required, and any other
 * key stays optional. */
static uint64_t scale_count(uint64_t count, uint64_t all, uint64_t mappings)
{
    if (all == mappings || count >= all)
        return count < mappings ? count : mappings;
    double part = (double)count / (double)all * (double)mappings;
    return part < (double)(mappings - 1) ? (uint64_t)part : mappings - 1;
}

static bool join_variants(merger *m, infer_shape *shape)
{
    infer_table kinds = shape->variants;
    infer_place place = shape->first;
    shape->is_joined = true;
    if (!shape->key)
        return true;
    memset(&shape->variants, 0, sizeof shape->variants);
    infer_entry *key = bake_infer_table_find_or_add(&shape->fields, m->shapes->store, shape->key,
                                                    shape->key_length, place);
    if (key && !key->shape)
        key->shape = bake_infer_shape_create(m->shapes, place);
    if (!key || !key->shape)
        return false;
    infer_shape *names = bake_infer_shape_of(key->shape);
    names->usage = shape->key;
    names->usage_length = shape->key_length;
    shape->key = NULL;
    for (uint32_t i = 0; i < kinds.count; i++) {
        const infer_entry *kind = &kinds.entries[i];
        uint32_t count = kind->count < UINT32_MAX ? (uint32_t)kind->count : UINT32_MAX;
        /* Adding fields may move the entries, so find it again. */
        key = bake_infer_table_find(&shape->fields, names->usage, names->usage_length);
        key->count += kind->count;
        if (!bake_infer_texts_add(&names->texts, m->shapes->store, kind->name, kind->length,
                                  kind->first, 0, count))
            return false;
        infer_shape *variant = bake_infer_shape_of(kind->shape);
        for (uint32_t f = 0; f < variant->fields.count; f++) {
            infer_entry entry = variant->fields.entries[f];
            entry.count = scale_count(entry.count, variant->mappings, kind->count);
            if (!add_entry(m, shape, &shape->fields, &entry))
                return false;
        }
        if (!bake_infer_texts_merge(&shape->keys, m->shapes->store, &variant->keys) ||
            !push_into(m, &shape->rest, variant->rest))
            return false;
    }
    return true;
}

static bool merge_kinds(merger *m, infer_shape *into, infer_shape *from)
{
    bool same = into->key && from->key && into->key_length == from->key_length &&
                memcmp(into->key, from->key, into->key_length) == 0;
    /* `into` has no mappings yet, so it adopts the kinds of `from`. */
    if (!into->key && into->mappings == 0) {
        into->key = from->key;
        into->key_length = from->key_length;
        into->variants = from->variants;
        into->is_joined = from->is_joined;
        return true;
    }
    /* If only one of the shapes has kinds, or if different keys name them, they cannot be
     * alternatives of one union. */
    if (!same && from->mappings > 0 && (into->key || from->key))
        return join_variants(m, into) && join_variants(m, from);
    for (uint32_t i = 0; i < from->variants.count; i++)
        if (!add_entry(m, into, &into->variants, &from->variants.entries[i]))
            return false;
    return true;
}

static bool merge_lists(merger *m, infer_shape *into, const infer_shape *from)
{
    if (from->lists && (into->lists == 0 || from->list_min < into->list_min))
        into->list_min = from->list_min;
    if (from->list_max > into->list_max)
        into->list_max = from->list_max;
    into->lists += from->lists;
    return push_into(m, &into->element, from->element);
}

static bool merge_tags(merger *m, infer_shape *into, const infer_shape *from)
{
    if (from->tag_count == 0)
        return true;
    uint32_t count = into->tag_count;
    size_t needed = (size_t)count + from->tag_count;
    uint32_t *tags =
        bake_store_grow(m->shapes->store, into->tags, &into->tag_capacity, needed, sizeof *tags);
    if (!tags)
        return false;
    for (uint32_t i = 0; i < from->tag_count; i++) {
        uint32_t k = 0;
        while (k < count && tags[k] != from->tags[i])
            k++;
        if (k == count)
            tags[count++] = from->tags[i];
    }
    /* All tags at a position are alternatives of one union. */
    m->shapes->tag_unions[bake_infer_tag_union(m->shapes, tags[count - 1])] =
        bake_infer_tag_union(m->shapes, tags[0]);
    into->tags = tags;
    into->tag_count = count;
    return true;
}

static bool merge_pair(merger *m, infer_shape *into, infer_shape *from)
{
    if (!merge_kinds(m, into, from) || !merge_lists(m, into, from) || !merge_tags(m, into, from))
        return false;
    for (uint32_t i = 0; i < from->fields.count; i++)
        if (!add_entry(m, into, &into->fields, &from->fields.entries[i]))
            return false;
    if (!bake_infer_texts_merge(&into->texts, m->shapes->store, &from->texts) ||
        !bake_infer_texts_merge(&into->keys, m->shapes->store, &from->keys) ||
        !push_into(m, &into->rest, from->rest))
        return false;
    into->nulls += from->nulls;
    into->mappings += from->mappings;
    into->tagged += from->tagged;
    into->is_choice = into->is_choice || from->is_choice;
    into->is_row = into->is_row || from->is_row;
    into->is_single = into->is_single || from->is_single;
    into->has_joined_elements = into->has_joined_elements || from->has_joined_elements;
    /* The keys of `into` may have changed, so it must be sorted again. */
    into->is_sorted = false;
    from->same_as = into;
    return true;
}

static bool run(merger *m)
{
    while (m->count > 0) {
        struct pair pair = m->pairs[--m->count];
        infer_shape *into = bake_infer_shape_of(pair.into), *from = bake_infer_shape_of(pair.from);
        if (into != from && !make_single(into, from) && !merge_pair(m, into, from))
            return false;
    }
    return true;
}

bool bake_infer_shape_merge(infer_shapes *shapes, infer_shape *into, infer_shape *from)
{
    merger m = {shapes, NULL, 0, 0};
    shapes->merges++;
    return push(&m, into, from) && run(&m);
}

bool bake_infer_shape_join_variants(infer_shapes *shapes, infer_shape *shape)
{
    merger m = {shapes, NULL, 0, 0};
    return join_variants(&m, shape) && run(&m);
}
