/* Classifies each shape as record, map, alternatives, or list that can be written as its only
 * element. These are guesses from counts. */
#include "infer_sort.h"

#include "infer_ids.h"

#include <string.h>

/* ---- single elements in place of lists ---- */

enum { CYCLE_MAX = 16 };

/* Breaks a cycle in which a list contains itself through its elements. Merges can create such
 * cycles. */
static bool join_cycle(infer_shapes *shapes, infer_shape *shape)
{
    infer_shape *inner = bake_infer_shape_of(shape->element);
    for (int depth = 0; inner && inner != shape && depth < CYCLE_MAX; depth++) {
        infer_shape *next = bake_infer_shape_of(inner->element);
        if (next != shape) {
            inner = next;
            continue;
        }
        infer_shape *list = bake_infer_shape_create(shapes, shape->first);
        shape->element = shape;
        if (!list || !bake_infer_shape_merge(shapes, shape, inner))
            return false;
        list->lists = shape->lists;
        list->list_min = shape->list_min;
        list->list_max = shape->list_max;
        list->element = bake_infer_shape_create(shapes, shape->first);
        shape->element = list;
        return list->element != NULL;
    }
    return true;
}

bool bake_infer_sort_single(infer_shapes *shapes, infer_shape *shape)
{
    if (shape->lists == 0 || (shape->texts.count == 0 && shape->mappings == 0))
        return true;
    if (!join_cycle(shapes, shape))
        return false;
    infer_shape *element = bake_infer_shape_of(shape->element);
    infer_shape *single = bake_infer_shape_create(shapes, shape->first);
    /* A list that was merged with its own elements needs a new element shape. */
    if (!element || element == shape)
        element = shape->element = bake_infer_shape_create(shapes, shape->first);
    if (!single || !element)
        return false;
    shape->has_joined_elements = shape->has_joined_elements || (element->texts.some & INFER_NAMES);
    element->is_item = true;
    element->usage = shape->usage;
    element->usage_length = shape->usage_length;
    single->texts = shape->texts;
    single->mappings = shape->mappings;
    single->fields = shape->fields;
    single->variants = shape->variants;
    single->key = shape->key;
    single->key_length = shape->key_length;
    single->is_joined = shape->is_joined;
    single->rest = shape->rest;
    single->keys = shape->keys;
    memset(&shape->texts, 0, sizeof shape->texts);
    memset(&shape->fields, 0, sizeof shape->fields);
    memset(&shape->variants, 0, sizeof shape->variants);
    memset(&shape->keys, 0, sizeof shape->keys);
    shape->mappings = 0;
    shape->key = NULL;
    shape->rest = NULL;
    shape->is_single = true;
    return bake_infer_shape_merge(shapes, element, single);
}

/* ---- records, maps and alternatives ---- */

/* Kinds of values at a position. All values of a map must be of one kind. */
enum { OF_NUMBERS = 1, OF_BOOLS = 2, OF_TEXTS = 4, OF_LISTS = 8, OF_MAPPINGS = 16, OF_TAGGED = 32 };

static unsigned contents(const infer_shape *shape)
{
    unsigned set = 0;
    if (shape->texts.count)
        set |= shape->texts.all & INFER_NUMBER ? OF_NUMBERS
               : shape->texts.all & INFER_BOOL ? OF_BOOLS
                                               : OF_TEXTS;
    return set | (shape->lists ? OF_LISTS : 0u) | (shape->mappings ? OF_MAPPINGS : 0u) |
           (shape->tagged ? OF_TAGGED : 0u);
}

static unsigned contents_of_all(const infer_table *table)
{
    unsigned set = 0;
    for (uint32_t i = 0; i < table->count; i++)
        set |= contents(bake_infer_shape_of(table->entries[i].shape));
    return set;
}

static bool is_one_kind(unsigned set)
{
    return (set & (set - 1)) == 0;
}

/* The number of key tables of a shape: one for its fields, and one for each alternative. */
static size_t count_tables(const infer_shape *shape)
{
    return 1 + shape->variants.count;
}

static const infer_table *table_of(const infer_shape *shape, size_t i)
{
    return i == 0 ? &shape->fields
                  : &bake_infer_shape_of(shape->variants.entries[i - 1].shape)->fields;
}

/* Returns how similar the values of a table are, which must be mappings or null: the fraction of
 * their keys, from 0 to 1, that occur in several of them. Returns -1 if there are other values. */
static double similarity(const infer_table *table)
{
    enum { SAMPLE_MAX = 64, KEYS_MAX = 48 };
    uint32_t step = table->count / SAMPLE_MAX + 1;
    uint64_t shared = 0, all = 0;
    bake_store store;
    infer_table keys;
    memset(&store, 0, sizeof store);
    memset(&keys, 0, sizeof keys);
    infer_place nowhere = {0, 0};
    for (uint32_t i = 0; i < table->count; i += step) {
        const infer_shape *child = bake_infer_shape_of(table->entries[i].shape);
        if (!child->mappings && !child->nulls) {
            bake_store_fini(&store);
            return -1;
        }
        for (size_t t = 0; t < count_tables(child); t++) {
            const infer_table *fields = table_of(child, t);
            for (uint32_t f = 0; f < fields->count && f < KEYS_MAX; f++) {
                infer_entry *key = bake_infer_table_find_or_add(
                    &keys, &store, fields->entries[f].name, fields->entries[f].length, nowhere);
                if (key)
                    key->count++;
            }
        }
        if (child->key) {
            infer_entry *key =
                bake_infer_table_find_or_add(&keys, &store, child->key, child->key_length, nowhere);
            if (key)
                key->count++;
        }
    }
    for (uint32_t i = 0; i < keys.count; i++) {
        all += keys.entries[i].count;
        shared += keys.entries[i].count > 1 ? keys.entries[i].count : 0;
    }
    bake_store_fini(&store);
    return all ? (double)shared / (double)all : 0;
}

/* Whether a common field of the kinds is a record with different keys in each kind. Then the kind
 * determines the type of the field, so the kinds are alternatives. */
static bool distinguishes_kinds(const infer_shape *shape, const infer_entry *field)
{
    enum { KINDS_MIN = 3, KEYS_MIN = 2 };
    infer_table same;
    bake_store store;
    uint32_t kinds = 0;
    uint64_t keys = 0;
    infer_place nowhere = {0, 0};
    memset(&store, 0, sizeof store);
    memset(&same, 0, sizeof same);
    for (uint32_t i = 0; i < shape->variants.count; i++) {
        infer_entry *kind = &shape->variants.entries[i];
        const infer_entry *own = bake_infer_table_find(&bake_infer_shape_of(kind->shape)->fields,
                                                       field->name, field->length);
        const infer_shape *record = own ? bake_infer_shape_of(own->shape) : NULL;
        infer_entry *added =
            record && record->mappings && !record->rest && record->fields.count
                ? bake_infer_table_find_or_add(&same, &store, kind->name, kind->length, nowhere)
                : NULL;
        if (!added)
            continue;
        added->shape = own->shape;
        keys += record->fields.count;
        kinds++;
    }
    double like = kinds >= KINDS_MIN ? similarity(&same) : 1;
    bake_store_fini(&store);
    return kinds >= KINDS_MIN && kinds * 2 >= shape->variants.count &&
           keys >= KEYS_MIN * (uint64_t)kinds && like >= 0 && like < 0.5;
}

/* Whether the kinds have enough keys in common to be one record. */
static bool are_similar(const infer_shape *shape)
{
    uint64_t keys = 0;
    bake_store store;
    infer_table seen;
    memset(&store, 0, sizeof store);
    memset(&seen, 0, sizeof seen);
    infer_place nowhere = {0, 0};
    for (uint32_t i = 0; i < shape->variants.count; i++) {
        const infer_table *fields = &bake_infer_shape_of(shape->variants.entries[i].shape)->fields;
        keys += fields->count;
        for (uint32_t f = 0; f < fields->count; f++) {
            infer_entry *key = bake_infer_table_find_or_add(&seen, &store, fields->entries[f].name,
                                                            fields->entries[f].length, nowhere);
            if (key)
                key->count++;
        }
    }
    uint64_t all = seen.count;
    bool distinct = false;
    for (uint32_t i = 0; i < seen.count && !distinct; i++)
        distinct = seen.entries[i].count * 2 >= shape->variants.count &&
                   distinguishes_kinds(shape, &seen.entries[i]);
    bake_store_fini(&store);
    if (distinct)
        return false;
    /* Kinds that occur only once are weak evidence for alternatives. */
    double enough = shape->mappings < shape->variants.count * 2 ? 0.4 : 0.6;
    uint64_t again = (uint64_t)shape->variants.count - 1;
    return all == 0 || (double)(keys - all) >= enough * (double)all * (double)again;
}

bool bake_infer_has_invalid_name(const infer_table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (!(bake_infer_read_text(table->entries[i].name, table->entries[i].length).flags &
              INFER_ID))
            return true;
    return false;
}

bool bake_infer_is_choice(const infer_shape *shape)
{
    uint64_t with_kind = 0;
    for (uint32_t i = 0; i < shape->variants.count; i++) {
        const infer_entry *entry = &shape->variants.entries[i];
        with_kind += entry->count;
        if (bake_infer_has_invalid_name(&bake_infer_shape_of(entry->shape)->fields) ||
            (entry->length == shape->key_length &&
             memcmp(entry->name, shape->key, entry->length) == 0))
            return false;
    }
    return shape->key && with_kind == shape->mappings && !shape->rest && shape->fields.count == 0 &&
           (shape->is_choice || (shape->variants.count >= 2 && !are_similar(shape)));
}

/* Whether some key is not a valid field name. */
static bool has_invalid_key(const infer_texts *keys)
{
    return !(keys->all & INFER_ID);
}

static bool list_names(infer_shapes *shapes, const infer_table *table, infer_texts *ret_keys)
{
    memset(ret_keys, 0, sizeof *ret_keys);
    for (uint32_t i = 0; i < table->count; i++) {
        const infer_entry *entry = &table->entries[i];
        if (!bake_infer_texts_add(ret_keys, shapes->store, entry->name, entry->length, entry->first,
                                  0, 1))
            return false;
    }
    return true;
}

/* Whether most keys look like titles written by people rather than like field names. */
static bool are_titles(const infer_texts *keys)
{
    uint32_t titles = 0;
    for (uint32_t i = 0; i < keys->value_count; i++) {
        const infer_value *value = &keys->values[i];
        bool odd = value->length == 0 || (value->text[0] >= '0' && value->text[0] <= '9');
        for (uint32_t c = 0; c < value->length && !odd; c++)
            odd = strchr(" /:.\\@#*+(,", value->text[c]) != NULL;
        titles += odd;
    }
    return titles * 2 > keys->value_count;
}

/* Whether the keys are data. `filled` is the average fraction of the mappings that have a key:
 * fields are in most mappings, data keys in few. The thresholds are heuristics. */
static bool is_map(const infer_shape *shape, const infer_texts *keys, const infer_ids *ids,
                   bool is_root)
{
    uint32_t n = shape->fields.count;
    double m = (double)shape->mappings;
    uint64_t uses = 0;
    unsigned set = contents_of_all(&shape->fields);
    bool numbers = (keys->all & (INFER_NUMBER | INFER_VECTOR)) != 0, alike;
    if (n == 0)
        return false;
    for (uint32_t i = 0; i < n; i++)
        uses += shape->fields.entries[i].count;
    double filled = (double)uses / (m * n);
    if (numbers)
        return true;
    /* Values of several kinds have no common type, except scalars. */
    if (!is_one_kind(set))
        return n > 300 && filled < 0.02 && !(set & (OF_LISTS | OF_MAPPINGS | OF_TAGGED));
    if (n >= 2 && bake_infer_ids_cover(ids, keys, shape->usage, shape->usage_length, &alike) &&
        (filled < 0.9 || m == 1 || alike || (filled < 1 && set == OF_NUMBERS)))
        return true;
    if (set == OF_MAPPINGS) {
        double like = similarity(&shape->fields);
        if (like < 0.6)
            return n > 300;
        if (shape->mappings > 1)
            return filled < 0.5 && n >= 4;
        uint64_t inner = 0;
        for (uint32_t i = 0; i < n; i++)
            inner += bake_infer_shape_of(shape->fields.entries[i].shape)->fields.count +
                     (bake_infer_shape_of(shape->fields.entries[i].shape)->key ? 2u : 0u);
        return inner * 2 >= 3 * (uint64_t)n && (n >= 3 || (is_root && n == 2 && like > 0.8));
    }
    if (are_titles(keys) && n >= 3)
        return true;
    return shape->mappings == 1 ? n > 40 : n >= 12 && filled < 0.2 && (double)uses < 4.0 * n;
}

/* A key in most mappings is a field, regardless of the other keys. */
static bool is_frequent(const infer_shape *shape, const infer_entry *entry)
{
    return shape->mappings >= 3 && entry->count * 2 > shape->mappings;
}

/* Turns fields into keys of a map. With `partly`, keys in most mappings stay fields. */
static bool turn_into_map(infer_shapes *shapes, infer_shape *shape, bool partly)
{
    infer_table old = shape->fields;
    memset(&shape->fields, 0, sizeof shape->fields);
    for (uint32_t i = 0; i < old.count && partly; i++) {
        const infer_entry *entry = &old.entries[i];
        infer_entry *kept =
            is_frequent(shape, entry)
                ? bake_infer_table_find_or_add(&shape->fields, shapes->store, entry->name,
                                               entry->length, entry->first)
                : NULL;
        if (kept) {
            kept->count = entry->count;
            kept->shape = entry->shape;
        }
    }
    infer_table frequent = shape->fields;
    for (uint32_t i = 0; i < old.count; i++) {
        const infer_entry *entry = &old.entries[i];
        /* Merging the values may merge the map itself into another shape. */
        if (!bake_infer_table_find(&frequent, entry->name, entry->length) &&
            !bake_infer_shape_move_to_rest(shapes, bake_infer_shape_of(shape), entry))
            return false;
    }
    return !shapes->store->failed;
}

/* Whether all fields of a shape that is also a map can stay fields: they are frequent, and none is
 * also a key of the map. */
static bool are_all_frequent(const infer_shape *shape)
{
    for (uint32_t i = 0; i < shape->fields.count; i++) {
        const infer_entry *entry = &shape->fields.entries[i];
        if (!is_frequent(shape, entry) || shape->keys.many ||
            bake_infer_texts_find(&shape->keys, entry->name, entry->length))
            return false;
    }
    return true;
}

/* Whether some keys are in most mappings, while many others are rare and have values of one
 * kind. */
static bool is_partly_map(const infer_shape *shape, const infer_ids *ids, infer_shapes *shapes)
{
    infer_table rare;
    infer_texts keys;
    uint64_t uses = 0;
    memset(&rare, 0, sizeof rare);
    for (uint32_t i = 0; i < shape->fields.count; i++) {
        const infer_entry *entry = &shape->fields.entries[i];
        if (is_frequent(shape, entry))
            continue;
        infer_entry *added = bake_infer_table_find_or_add(&rare, shapes->store, entry->name,
                                                          entry->length, entry->first);
        if (!added)
            return false;
        added->shape = entry->shape;
        uses += entry->count;
    }
    if (rare.count == shape->fields.count || rare.count < 12 || uses > 3 * (uint64_t)rare.count ||
        !list_names(shapes, &rare, &keys))
        return false;
    unsigned set = contents_of_all(&rare);
    (void)ids;
    return set == OF_MAPPINGS ? similarity(&rare) >= 0.6 : is_one_kind(set) && are_titles(&keys);
}

static bool sort_mappings(infer_shapes *shapes, infer_shape *shape, const infer_ids *ids,
                          bool is_root)
{
    infer_texts keys;
    /* With scalars or lists, the position cannot be a union, but it can be a record with a short
     * form. */
    if (shape->key && bake_infer_is_choice(shape) && !shape->texts.count && !shape->lists)
        return true;
    if (shape->key && !bake_infer_shape_join_variants(shapes, shape))
        return false;
    /* A merged shape is sorted together with its replacement. */
    if (shape->same_as)
        return true;
    if (!list_names(shapes, &shape->fields, &keys))
        return false;
    if (shape->fields.count == 0)
        return true;
    if (shape->rest)
        return has_invalid_key(&keys) || !are_all_frequent(shape)
                   ? turn_into_map(shapes, shape, false)
                   : true;
    if (has_invalid_key(&keys) || is_map(shape, &keys, ids, is_root))
        return turn_into_map(shapes, shape, false);
    return is_partly_map(shape, ids, shapes) ? turn_into_map(shapes, shape, true) : true;
}

/* Whether the values are vectors in both forms: `1,2` and `[1, 2]`. */
static bool is_vector(const infer_shape *shape)
{
    const infer_shape *element = bake_infer_shape_of(shape->element);
    return (shape->texts.all & INFER_VECTOR) && element && (element->texts.all & INFER_NUMBER) &&
           !element->nulls && !element->lists && !element->mappings && !element->tagged &&
           shape->mappings == 0 && shape->texts.dimensions == shape->list_max &&
           shape->list_min == shape->list_max;
}

bool bake_infer_sort_one(infer_shapes *shapes, infer_shape *shape, const infer_ids *ids,
                         bool is_root)
{
    if (shape->is_sorted)
        return true;
    shape->is_sorted = true;
    return (is_vector(shape) || bake_infer_sort_single(shapes, shape)) &&
           (shape->same_as || sort_mappings(shapes, shape, ids, is_root));
}

static bool sort_table(infer_shapes *shapes, const infer_table *table, const infer_ids *ids)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (!bake_infer_sort(shapes, table->entries[i].shape, ids))
            return false;
    return true;
}

/* Keys of alternatives are always fields. */
static bool sort_variants(infer_shapes *shapes, const infer_table *table, const infer_ids *ids)
{
    for (uint32_t i = 0; i < table->count; i++) {
        infer_shape *variant = bake_infer_shape_of(table->entries[i].shape);
        variant->is_sorted = true;
        if (!sort_table(shapes, &variant->fields, ids) ||
            (variant->rest && !bake_infer_sort(shapes, variant->rest, ids)))
            return false;
    }
    return true;
}

bool bake_infer_sort(infer_shapes *shapes, infer_shape *shape, const infer_ids *ids)
{
    shape = bake_infer_shape_of(shape);
    if (shape->visited == shapes->visit)
        return true;
    shape->visited = shapes->visit;
    return bake_infer_sort_one(shapes, shape, ids, false) &&
           (!shape->element || bake_infer_sort(shapes, shape->element, ids)) &&
           (!shape->rest || bake_infer_sort(shapes, shape->rest, ids)) &&
           sort_table(shapes, &shape->fields, ids) && sort_variants(shapes, &shape->variants, ids);
}
