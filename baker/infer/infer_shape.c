/* Reads the data into shapes, visiting each node once. */
#include "infer_shape.h"

#include "bake_text.h"

#include <string.h>

static const char core[] = "tag:yaml.org,2002:";

/* Whether a tag is from YAML's core schema. Other tags name alternatives of unions. */
static bool is_plain_tag(const char *tag)
{
    static const char *const words[] = {"str",  "int",    "float", "bool",
                                        "null", "binary", "seq",   "map"};
    if (strncmp(tag, core, sizeof core - 1) != 0)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(tag + sizeof core - 1, words[i]) == 0)
            return true;
    return false;
}

/* Keys that can name the kind of a mapping, most likely first. */
static const char *const kind_keys[] = {"type", "kind",  "$type", "_type",    "@type", "Type",
                                        "Kind", "class", "Class", "__type__", "_kind", "component"};
enum { KIND_KEY_COUNT = sizeof kind_keys / sizeof *kind_keys };

static bool is_kind_name(const bake_tree *tree, bake_node_id value)
{
    bake_scalar_view view;
    if (!bake_view_scalar(tree, value, &view) || bake_view_is_null(&view) || view.length == 0 ||
        view.length > 100 || !view.is_bare)
        return false;
    infer_reading reading = bake_infer_read_text(view.text, view.length);
    return (reading.flags & INFER_ID) && !(reading.flags & (INFER_BOOL | INFER_NUMBER));
}

bool bake_infer_kind_of(const bake_tree *tree, bake_node_id mapping, const infer_shape *shape,
                        bake_node_id *ret_key, bake_node_id *ret_value)
{
    int best = KIND_KEY_COUNT;
    for (bake_iterator it = bake_iterator_begin(tree, mapping); bake_iterator_next(&it);) {
        size_t length;
        const char *text = bake_node_text(tree, it.key, &length);
        if (length < 4 || length > 9)
            continue;
        if (shape && shape->key) {
            if (shape->key_length != length || memcmp(shape->key, text, length) != 0)
                continue;
            best = 0;
        } else {
            int rank = 0;
            while (rank < best && !bake_text_is(text, length, kind_keys[rank]))
                rank++;
            /* With several such keys, the most likely one wins. */
            if (rank == best)
                continue;
            best = rank;
        }
        *ret_key = it.key;
        *ret_value = it.value;
        if (shape && shape->key)
            break;
    }
    return best < KIND_KEY_COUNT && is_kind_name(tree, *ret_value);
}

/* Returns the shape of an entry; creates it if necessary. */
static infer_shape *find_or_create_shape(infer_shapes *shapes, infer_entry *entry,
                                         infer_place place, bool is_key)
{
    if (!entry->shape) {
        entry->shape = bake_infer_shape_create(shapes, place);
        if (entry->shape && is_key) {
            entry->shape->usage = entry->name;
            entry->shape->usage_length = entry->length;
        }
    }
    return bake_infer_shape_of(entry->shape);
}

static bool add_scalar(infer_shapes *shapes, infer_shape *shape, const bake_tree *tree,
                       infer_place place, const bake_scalar_view *view)
{
    uint32_t extra = view->is_plain ? 0 : INFER_QUOTED;
    if (!view->is_bare) {
        const char *tag = bake_node_tag(tree, place.node);
        if (tag && strcmp(tag, "tag:yaml.org,2002:str") == 0)
            extra |= INFER_QUOTED | INFER_TEXT;
        else if (tag && strcmp(tag, "tag:yaml.org,2002:binary") == 0)
            extra |= INFER_BINARY;
    }
    return bake_infer_texts_add(&shape->texts, shapes->store, view->text, view->length, place,
                                extra, 1);
}

static bool add_list(infer_shapes *shapes, infer_shape *shape, const bake_tree *tree,
                     infer_place place)
{
    uint32_t count = bake_node_count(tree, place.node);
    if (shape->lists == 0 || count < shape->list_min)
        shape->list_min = count;
    if (count > shape->list_max)
        shape->list_max = count;
    shape->lists++;
    if (count > 0 && !shape->element) {
        shape->element = bake_infer_shape_create(shapes, place);
        if (!shape->element)
            return false;
        shape->element->is_item = true;
        shape->element->usage = shape->usage;
        shape->element->usage_length = shape->usage_length;
    }
    if (count > 0)
        bake_infer_shape_of(shape->element)->texts.list = ++shapes->lists;
    for (bake_iterator it = bake_iterator_begin(tree, place.node); bake_iterator_next(&it);) {
        infer_place at = {place.input, it.value};
        /* Reading the previous element may have merged this shape into another. */
        shape = bake_infer_shape_of(shape);
        if (!bake_infer_shape_add(shapes, bake_infer_shape_of(shape->element), tree, at))
            return false;
    }
    return true;
}

bool bake_infer_shape_move_to_rest(infer_shapes *shapes, infer_shape *shape,
                                   const infer_entry *entry)
{
    uint32_t count = entry->count < UINT32_MAX ? (uint32_t)entry->count : UINT32_MAX;
    if (!bake_infer_texts_add(&shape->keys, shapes->store, entry->name, entry->length, entry->first,
                              0, count))
        return false;
    infer_shape *from = bake_infer_shape_of(entry->shape), *into = bake_infer_shape_of(shape->rest);
    if (!from || from == into)
        return true;
    if (!into) {
        shape->rest = from;
        from->is_item = true;
        from->usage = shape->usage;
        from->usage_length = shape->usage_length;
        return true;
    }
    return bake_infer_shape_merge(shapes, into, from);
}

/* Turns a record with too many fields into a map. If there are at least three mappings, fields in
 * half of them or more stay fields. */
static bool make_map(infer_shapes *shapes, infer_shape *shape)
{
    infer_table old = shape->fields;
    memset(&shape->fields, 0, sizeof shape->fields);
    for (uint32_t i = 0; i < old.count; i++) {
        infer_entry *entry = &old.entries[i];
        if (shape->mappings > 2 && entry->count * 2 >= shape->mappings) {
            infer_entry *moved = bake_infer_table_find_or_add(
                &shape->fields, shapes->store, entry->name, entry->length, entry->first);
            if (!moved)
                return false;
            moved->count = entry->count;
            moved->shape = entry->shape;
        } else if (!bake_infer_shape_move_to_rest(shapes, bake_infer_shape_of(shape), entry)) {
            return false;
        }
    }
    shape = bake_infer_shape_of(shape);
    if (!shape->rest)
        shape->rest = bake_infer_shape_create(shapes, shape->first);
    return shape->rest != NULL;
}

/* Adds one entry of a mapping. */
static bool add_entry(infer_shapes *shapes, infer_shape *shape, const bake_tree *tree,
                      infer_place key, bake_node_id value)
{
    size_t length;
    const char *text = bake_node_text(tree, key.node, &length);
    infer_place place = {key.input, value};
    infer_entry *entry = bake_infer_table_find(&shape->fields, text, (uint32_t)length);
    if (!entry && shape->rest) {
        return bake_infer_texts_add(&shape->keys, shapes->store, text, (uint32_t)length, key, 0,
                                    1) &&
               bake_infer_shape_add(shapes, bake_infer_shape_of(shape->rest), tree, place);
    }
    if (!entry)
        entry = bake_infer_table_find_or_add(&shape->fields, shapes->store, text, (uint32_t)length,
                                             key);
    infer_shape *field = entry ? find_or_create_shape(shapes, entry, place, true) : NULL;
    if (!field)
        return false;
    entry->count++;
    return bake_infer_shape_add(shapes, field, tree, place) &&
           (shape->fields.count <= INFER_KEYS_MAX || make_map(shapes, shape));
}

static bool add_entries(infer_shapes *shapes, infer_shape *shape, const bake_tree *tree,
                        infer_place place, bake_node_id skip_key)
{
    shape->fields.last = UINT32_MAX;
    for (bake_iterator it = bake_iterator_begin(tree, place.node); bake_iterator_next(&it);) {
        infer_place key = {place.input, it.key};
        shape = bake_infer_shape_of(shape);
        if (it.key != skip_key && !add_entry(shapes, shape, tree, key, it.value))
            return false;
    }
    return true;
}

static bool add_mapping(infer_shapes *shapes, infer_shape *shape, const bake_tree *tree,
                        infer_place place)
{
    bake_node_id key, value;
    shape->mappings++;
    if (shape->variants.count > INFER_VARIANTS_MAX &&
        !bake_infer_shape_join_variants(shapes, shape))
        return false;
    if (!shape->is_joined && (shape->key || shape->fields.count == 0) &&
        bake_infer_kind_of(tree, place.node, shape, &key, &value)) {
        size_t length;
        const char *text = bake_node_text(tree, key, &length);
        infer_place at = {place.input, value};
        if (!shape->key) {
            shape->key = text;
            shape->key_length = (uint32_t)length;
        }
        text = bake_node_text(tree, value, &length);
        infer_entry *entry = bake_infer_table_find_or_add(&shape->variants, shapes->store, text,
                                                          (uint32_t)length, at);
        infer_shape *variant = entry ? find_or_create_shape(shapes, entry, place, false) : NULL;
        if (!variant)
            return false;
        entry->count++;
        variant->mappings++;
        if (!variant->usage) {
            variant->usage = entry->name;
            variant->usage_length = entry->length;
        }
        return add_entries(shapes, variant, tree, place, key);
    }
    return add_entries(shapes, shape, tree, place, BAKE_NODE_NONE);
}

/* Adds a tagged value to the shape of all values with this tag. */
static bool add_tagged(infer_shapes *shapes, infer_shape *shape, const bake_tree *tree,
                       infer_place place, const char *tag)
{
    infer_entry *entry = bake_infer_table_find_or_add(&shapes->tags, shapes->store, tag,
                                                      (uint32_t)strlen(tag), place);
    infer_shape *tagged = entry ? find_or_create_shape(shapes, entry, place, false) : NULL;
    if (!tagged)
        return false;
    entry->count++;
    shape->tagged++;
    uint32_t number = (uint32_t)(entry - shapes->tags.entries), i = 0;
    if (shapes->tags.count > shapes->tag_capacity) {
        uint32_t capacity = shapes->tag_capacity ? shapes->tag_capacity * 2 : 32;
        uint32_t *unions = bake_store_alloc(shapes->store, capacity, sizeof *unions);
        if (!unions)
            return false;
        for (uint32_t k = 0; k < capacity; k++)
            unions[k] = k < shapes->tag_capacity ? shapes->tag_unions[k] : k;
        shapes->tag_unions = unions;
        shapes->tag_capacity = capacity;
    }
    while (i < shape->tag_count && shape->tags[i] != number)
        i++;
    if (i == shape->tag_count) {
        uint32_t *tags = bake_store_grow(shapes->store, shape->tags, &shape->tag_capacity,
                                         (size_t)i + 1, sizeof *tags);
        if (!tags)
            return false;
        shape->tags = tags;
        shape->tags[shape->tag_count++] = number;
        shapes->tag_unions[bake_infer_tag_union(shapes, number)] =
            bake_infer_tag_union(shapes, shape->tags[0]);
    }
    bake_scalar_view view;
    if (bake_view_scalar(tree, place.node, &view)) {
        /* A tag without a value is a record with no fields. */
        if (view.length == 0 && view.is_plain) {
            tagged->nulls++;
            return true;
        }
        return add_scalar(shapes, tagged, tree, place, &view);
    }
    if (!tagged->usage) {
        const char *name = tag + strlen(tag);
        while (name > tag && name[-1] != ':' && name[-1] != '!' && name[-1] != '/')
            name--;
        tagged->usage = name;
        tagged->usage_length = (uint32_t)strlen(name);
    }
    return bake_node_kind_of(tree, place.node) == BAKE_NODE_SEQUENCE
               ? add_list(shapes, tagged, tree, place)
               : add_mapping(shapes, tagged, tree, place);
}

bool bake_infer_shape_add(infer_shapes *shapes, infer_shape *shape, const bake_tree *tree,
                          infer_place place)
{
    bake_scalar_view view;
    const char *tag = bake_node_tag(tree, place.node);
    if (bake_node_is_placeholder(tree, place.node))
        return true;
    if (tag && !is_plain_tag(tag))
        return add_tagged(shapes, shape, tree, place, tag);
    if (bake_view_scalar(tree, place.node, &view)) {
        if (bake_view_is_null(&view) && !(tag && strcmp(tag + sizeof core - 1, "str") == 0)) {
            shape->nulls++;
            return true;
        }
        return add_scalar(shapes, shape, tree, place, &view);
    }
    if (bake_node_kind_of(tree, place.node) == BAKE_NODE_SEQUENCE)
        return add_list(shapes, shape, tree, place);
    return add_mapping(shapes, shape, tree, place);
}
