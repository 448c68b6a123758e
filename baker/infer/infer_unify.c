/* Merges records of the same type. Records are compared in order of their location in the data, so
 * the result does not depend on addresses. */
#include "infer_sort.h"

#include "bake_text.h"

#include <stdlib.h>

/* A record is compared with at most COMPARED_MAX others of the same name, which bounds the time. */
enum { COMPARED_MAX = 48, ELEMENT_DEPTH_MAX = 16 };

typedef struct collector {
    infer_shapes *shapes;
    infer_shape **records;
    size_t count, capacity;
} collector;

static bool add_record(collector *c, infer_shape *shape)
{
    infer_shape **records =
        bake_store_grow(c->shapes->store, c->records, &c->capacity, c->count + 1, sizeof *records);
    if (!records)
        return false;
    c->records = records;
    c->records[c->count++] = shape;
    return true;
}

static bool collect(collector *c, infer_shape *shape);

static bool collect_table(collector *c, const infer_table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (!collect(c, table->entries[i].shape))
            return false;
    return true;
}

static bool collect(collector *c, infer_shape *shape)
{
    shape = bake_infer_shape_of(shape);
    if (!shape || shape->visited == c->shapes->visit)
        return true;
    shape->visited = c->shapes->visit;
    bool record = shape->mappings && !shape->is_asset && !shape->is_row && !shape->is_apart &&
                  (shape->key || shape->fields.count);
    return (!record || add_record(c, shape)) && collect(c, shape->element) &&
           collect(c, shape->rest) && collect_table(c, &shape->fields) &&
           collect_table(c, &shape->variants);
}

static int compare_places(infer_place a, infer_place b)
{
    if (a.input != b.input)
        return a.input < b.input ? -1 : 1;
    return (a.node > b.node) - (a.node < b.node);
}

static int compare_usage(const void *a, const void *b)
{
    const infer_shape *left = *(infer_shape *const *)a, *right = *(infer_shape *const *)b;
    int order =
        bake_compare_text(left->usage, left->usage_length, right->usage, right->usage_length);
    if (!order)
        order = (left->key != NULL) - (right->key != NULL);
    return order ? order : compare_places(left->first, right->first);
}

/* Returns a hash that is independent of the order of keys, so that sorting puts records with equal
 * keys next to each other. */
static uint32_t keys_hash(const infer_shape *shape)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < shape->fields.count; i++)
        sum += shape->fields.entries[i].hash;
    return sum;
}

static int compare_keys(const void *a, const void *b)
{
    const infer_shape *left = *(infer_shape *const *)a, *right = *(infer_shape *const *)b;
    uint32_t left_hash = keys_hash(left), right_hash = keys_hash(right);
    if (left_hash != right_hash)
        return left_hash < right_hash ? -1 : 1;
    return compare_places(left->first, right->first);
}

/* Whether two records have no common key, such as `{x, y}` and `{r, g, b}`. */
static bool share_no_key(const infer_shape *a, const infer_shape *b)
{
    infer_table others = b->fields;
    if (a->key || b->key || a->rest || b->rest || !a->fields.count || !b->fields.count)
        return false;
    for (uint32_t i = 0; i < a->fields.count; i++)
        if (bake_infer_table_find(&others, a->fields.entries[i].name, a->fields.entries[i].length))
            return false;
    return true;
}

/* Whether the values of two fields with the same name can have the same type. */
static bool are_compatible(const infer_shape *a, const infer_shape *b)
{
    /* Types that follow from the syntax of a string. The others do not distinguish fields. */
    uint32_t narrow = INFER_NUMBER | INFER_BOOL | INFER_VECTOR | INFER_COLOUR;
    if (!a->texts.count != !b->texts.count && (a->mappings || b->mappings || a->lists || b->lists))
        return a->nulls == 0 && b->nulls == 0 ? false : true;
    if ((a->lists && !a->mappings && b->mappings && !b->lists) ||
        (b->lists && !b->mappings && a->mappings && !a->lists))
        return false;
    if (a->texts.count && b->texts.count)
        return (a->texts.all & narrow) == (b->texts.all & narrow) ||
               (a->texts.all & b->texts.all & narrow);
    return true;
}

/* Returns the number of common keys with compatible values, and sets `*ret_conflicts` to the number
 * of the other common keys. */
static uint32_t count_shared(const infer_table *a, infer_table *b, uint32_t *ret_conflicts)
{
    uint32_t shared = 0;
    *ret_conflicts = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const infer_entry *entry = &a->entries[i];
        const infer_entry *other = bake_infer_table_find(b, entry->name, entry->length);
        if (!other)
            continue;
        if (are_compatible(bake_infer_shape_of(entry->shape), bake_infer_shape_of(other->shape)))
            shared++;
        else
            ++*ret_conflicts;
    }
    return shared;
}

static bool has_element(const infer_shape *shape, const infer_shape *element)
{
    for (int depth = 0; shape && depth < ELEMENT_DEPTH_MAX; depth++) {
        shape = bake_infer_shape_of(shape->element);
        if (shape == element)
            return true;
    }
    return false;
}

/* Whether one shape is an element of the other at any depth. If so, the other is a list that can be
 * written as a single element, and merging the two would make a type that contains itself. */
static bool is_element(const infer_shape *a, const infer_shape *b)
{
    return has_element(a, b) || has_element(b, a);
}

/* Whether two records with the same name are one type. They must share at least half of the keys of
 * the smaller record and a quarter of the keys of the larger one, with compatible values. At most
 * one in five common keys can have incompatible values. Unions must name their kinds by the same
 * key, and share at least half of the kinds of the smaller one. */
static bool are_one_type(infer_shape *a, infer_shape *b)
{
    uint32_t conflicts;
    if (is_element(a, b))
        return false;
    if ((a->key != NULL) != (b->key != NULL) || (a->rest != NULL) != (b->rest != NULL))
        return false;
    if (a->key) {
        uint32_t shared = count_shared(&a->variants, &b->variants, &conflicts);
        uint32_t fewer =
            a->variants.count < b->variants.count ? a->variants.count : b->variants.count;
        return bake_compare_text(a->key, a->key_length, b->key, b->key_length) == 0 &&
               shared * 2 >= fewer;
    }
    uint32_t shared = count_shared(&a->fields, &b->fields, &conflicts);
    uint32_t fewer = a->fields.count < b->fields.count ? a->fields.count : b->fields.count;
    uint32_t more = a->fields.count + b->fields.count - fewer;
    return shared > 0 && shared * 2 >= fewer && shared * 4 >= more && conflicts * 4 <= shared;
}

/* Merges similar records with the same name. */
static bool unify_by_usage(collector *c)
{
    if (c->count > 1)
        qsort(c->records, c->count, sizeof *c->records, compare_usage);
    for (size_t first = 0, end; first < c->count; first = end) {
        infer_shape *kinds[COMPARED_MAX];
        size_t kind_count = 0;
        for (end = first; end < c->count; end++) {
            infer_shape *shape = c->records[end];
            if (bake_compare_text(shape->usage, shape->usage_length, c->records[first]->usage,
                                  c->records[first]->usage_length) != 0)
                break;
            shape = bake_infer_shape_of(shape);
            size_t k = 0;
            while (k < kind_count && bake_infer_shape_of(kinds[k]) != shape &&
                   !are_one_type(bake_infer_shape_of(kinds[k]), shape))
                k++;
            if (k < kind_count) {
                if (!bake_infer_shape_merge(c->shapes, bake_infer_shape_of(kinds[k]), shape))
                    return false;
            } else if (kind_count < COMPARED_MAX) {
                kinds[kind_count++] = shape;
            }
        }
    }
    return true;
}

/* Whether the values of some common field are records without a common key. */
static bool have_conflicting_field(const infer_table *a, infer_table *b)
{
    for (uint32_t i = 0; i < a->count; i++) {
        const infer_entry *other =
            bake_infer_table_find(b, a->entries[i].name, a->entries[i].length);
        if (other && share_no_key(bake_infer_shape_of(a->entries[i].shape),
                                  bake_infer_shape_of(other->shape)))
            return true;
    }
    return false;
}

/* Merges records with exactly the same keys, at least two, regardless of their names. */
static bool unify_by_keys(collector *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++) {
        const infer_shape *shape = c->records[i];
        if (!shape->same_as && !shape->key && !shape->rest && shape->fields.count >= 2)
            c->records[kept++] = c->records[i];
    }
    c->count = kept;
    if (c->count > 1)
        qsort(c->records, c->count, sizeof *c->records, compare_keys);
    for (size_t i = 1; i < c->count; i++) {
        infer_shape *shape = bake_infer_shape_of(c->records[i]);
        infer_shape *before = bake_infer_shape_of(c->records[i - 1]);
        uint32_t conflicts;
        if (shape == before || is_element(shape, before) || shape->key || before->key ||
            shape->fields.count != before->fields.count ||
            count_shared(&shape->fields, &before->fields, &conflicts) != shape->fields.count ||
            have_conflicting_field(&shape->fields, &before->fields))
            continue;
        if (!bake_infer_shape_merge(c->shapes, before, shape))
            return false;
    }
    return true;
}

bool bake_infer_unify(infer_shapes *shapes, infer_shape *const *roots, size_t root_count)
{
    collector c = {shapes, NULL, 0, 0};
    shapes->visit++;
    for (size_t i = 0; i < root_count; i++)
        if (!collect(&c, roots[i]))
            return false;
    for (uint32_t i = 0; i < shapes->tags.count; i++)
        if (!collect(&c, shapes->tags.entries[i].shape))
            return false;
    return unify_by_usage(&c) && unify_by_keys(&c);
}
