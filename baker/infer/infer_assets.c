/* What the documents of each group hold: one value each, or assets by id. */
#include "ascii.h"
#include "infer_ids.h"
#include "infer_names.h"
#include "infer_sort.h"
#include "path_match.h"

#include <string.h>

typedef struct finder {
    infer_ids *ids;
    infer_shapes *shapes;
    infer_group *group;
    bool twice; /* an id was met a second time, or is none */
} finder;

static const char *const id_keys[] = {"id",   "ID",   "Id",   "_id", "name", "Name",
                                      "guid", "uuid", "slug", "key", "uid",  "code"};

static bool ends_like_id(const infer_entry *entry)
{
    static const char *const endings[] = {"id", "Id", "ID", "name", "Name", "type", "Type", "key"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(endings[i]);
        if (entry->length > length &&
            memcmp(entry->name + entry->length - length, endings[i], length) == 0)
            return true;
    }
    return false;
}

/* Whether each mapping has the key, with a text that no other has. */
static bool is_id_key(const infer_shape *record, const infer_entry *entry)
{
    const infer_shape *shape = bake_infer_shape_of(entry->shape);
    return entry->count == record->mappings && shape->texts.count == entry->count &&
           shape->texts.value_count == entry->count && (shape->texts.all & INFER_ID) &&
           shape->texts.longest <= 100;
}

/* The key that each mapping has with a text of its own; NULL. */
static const char *find_id_key(const infer_shape *record, bake_store *store)
{
    for (size_t i = 0; i < sizeof id_keys / sizeof *id_keys; i++) {
        infer_table fields = record->fields;
        const infer_entry *entry =
            bake_infer_table_find(&fields, id_keys[i], (uint32_t)strlen(id_keys[i]));
        if (entry && is_id_key(record, entry))
            return id_keys[i];
    }
    for (uint32_t i = 0; i < record->fields.count; i++) {
        const infer_entry *entry = &record->fields.entries[i];
        if (ends_like_id(entry) && is_id_key(record, entry))
            return bake_store_text(store, entry->name, entry->length);
    }
    return NULL;
}

static uint32_t add_kind(finder *f, const char *name, infer_shape *shape, const char *id_key)
{
    infer_ids *ids = f->ids;
    infer_kind *kinds = bake_store_grow(ids->store, ids->kinds, &ids->kind_capacity,
                                        (size_t)ids->kind_count + 1, sizeof *kinds);
    if (!kinds)
        return INFER_KIND_NONE;
    ids->kinds = kinds;
    infer_kind *kind = &ids->kinds[ids->kind_count];
    memset(kind, 0, sizeof *kind);
    kind->name = name;
    kind->shape = shape;
    kind->group = f->group;
    kind->id_key = id_key;
    return ids->kind_count++;
}

static bool add_id(finder *f, uint32_t kind, const char *text, size_t length, infer_place place)
{
    bool twice;
    if (!(bake_infer_read_text(text, (uint32_t)length).flags & INFER_ID) || length > 200) {
        f->twice = true;
        return true;
    }
    if (!bake_infer_ids_add(f->ids, kind, text, (uint32_t)length, place, &twice))
        return false;
    f->twice = f->twice || twice;
    return true;
}

/* Calls for each document of the group. */
typedef bool visit_document(finder *f, const bake_tree *tree, infer_place root, uint32_t kind);

static bool each_document(finder *f, uint32_t kind, visit_document *visit)
{
    for (uint32_t i = 0; i < f->group->input_count; i++) {
        const bake_tree *tree = f->ids->inputs->inputs[f->group->inputs[i]].tree;
        for (uint32_t d = 0; d < bake_tree_document_count(tree); d++) {
            infer_place root = {f->group->inputs[i], bake_tree_document(tree, d)};
            if (root.node != BAKE_NODE_NONE && !bake_node_is_placeholder(tree, root.node) &&
                !visit(f, tree, root, kind))
                return false;
        }
    }
    return true;
}

static bool visit_map(finder *f, const bake_tree *tree, infer_place root, uint32_t kind)
{
    for (bake_walk walk = bake_walk_begin(tree, root.node); bake_walk_next(&walk);) {
        size_t length;
        const char *text = bake_node_text(tree, walk.key, &length);
        infer_place place = {root.input, walk.value};
        if (!bake_infer_table_find(&f->group->heads, text, (uint32_t)length) &&
            !add_id(f, kind, text, length, place))
            return false;
    }
    return true;
}

/* Elements of lists, whose kinds follow one another from `kind` on as the variants do. */
static bool visit_list(finder *f, const bake_tree *tree, infer_place root, uint32_t kind)
{
    infer_shape *element = bake_infer_shape_of(bake_infer_shape_of(f->group->root)->element);
    for (bake_walk walk = bake_walk_begin(tree, root.node); bake_walk_next(&walk);) {
        uint32_t number = kind;
        size_t length;
        if (element->key) {
            bake_node_id named =
                bake_node_find(tree, walk.value, element->key, element->key_length);
            const char *text = bake_node_text(tree, named, &length);
            const infer_entry *entry =
                bake_infer_table_find(&element->variants, text, (uint32_t)length);
            number += (uint32_t)(entry - element->variants.entries);
        }
        const char *key = f->ids->kinds[number].id_key;
        bake_node_id id = bake_node_find(tree, walk.value, key, strlen(key));
        const char *text = bake_node_text(tree, id, &length);
        infer_place place = {root.input, walk.value};
        if (!add_id(f, number, text, length, place))
            return false;
    }
    return true;
}

static bool is_kind_word(const char *text, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++) {
        if (!bake_is_word(text[i]) && text[i] != '-' && text[i] != '.')
            return false;
    }
    return length > 0 && length < 64;
}

/* Adds the kinds that elements say by a key; `*ret_all`: each of them can be one. */
static bool add_said_kinds(finder *f, const infer_shape *element, bool *ret_all)
{
    uint32_t told = 0;
    *ret_all = false;
    for (uint32_t i = 0; i < element->variants.count; i++) {
        const infer_entry *entry = &element->variants.entries[i];
        infer_shape *variant = bake_infer_shape_of(entry->shape);
        const char *key = find_id_key(variant, f->ids->store);
        char *name = bake_store_text(f->ids->store, entry->name, entry->length);
        if (!name)
            return false;
        if (!key || !is_kind_word(entry->name, entry->length) || variant->rest ||
            bake_infer_has_unfit_name(&variant->fields))
            return true;
        if (add_kind(f, name, variant, key) == INFER_KIND_NONE)
            return false;
        told += (uint32_t)entry->count;
    }
    *ret_all = element->key && told == element->mappings;
    return true;
}

/* All elements are of one kind, if they have ids. */
static bool add_only_kind(finder *f, infer_shape *element)
{
    /* Kinds of which some have no ids are values of a union. */
    if (element->key && bake_infer_is_choice(element))
        return true;
    if (element->key && !bake_infer_shape_join_variants(f->shapes, element))
        return false;
    const char *key = find_id_key(element, f->ids->store);
    if (!key || bake_infer_has_unfit_name(&element->fields))
        return true;
    f->group->layout = INFER_LAYOUT_LIST;
    f->group->id_key = key;
    element->is_sorted = true;
    return add_kind(f, f->group->name, element, key) != INFER_KIND_NONE;
}

/* The documents are lists: of assets, if each element has an id. */
static bool find_lists(finder *f, infer_shape *root)
{
    infer_shape *element = bake_infer_shape_of(root->element);
    infer_group *group = f->group;
    uint32_t first = f->ids->kind_count;
    bool by;
    if (!element || element->lists || element->texts.count || element->nulls || element->tagged ||
        element->rest)
        return true;
    if (!add_said_kinds(f, element, &by))
        return false;
    if (by) {
        group->layout = INFER_LAYOUT_BY;
        group->id_key = "id";
        group->by = bake_store_text(f->ids->store, element->key, element->key_length);
        /* However much the kinds have in common, they stay apart. */
        element->is_sorted = element->is_asset = true;
        if (!group->by)
            return false;
    } else {
        f->ids->kind_count = first;
        if (!add_only_kind(f, element))
            return false;
        if (f->ids->kind_count == first)
            return true;
    }
    f->twice = false;
    if (!each_document(f, first, visit_list))
        return false;
    for (uint32_t k = first; k < f->ids->kind_count; k++) {
        if (f->twice)
            bake_infer_ids_forget(f->ids, k);
        else
            f->ids->kinds[k].shape->is_asset = true;
    }
    if (f->twice) {
        group->layout = INFER_LAYOUT_ONE;
        element->is_sorted = element->is_asset = false;
    }
    return true;
}

/* The documents are mappings: of ids to assets, if their keys are data. */
static bool find_maps(finder *f, infer_shape *root)
{
    infer_group *group = f->group;
    infer_shape *value = bake_infer_shape_of(root->rest);
    if (!value || !value->mappings || value->lists || value->texts.count || value->tagged ||
        value->nulls || root->fields.count > 8)
        return true;
    uint32_t kind = add_kind(f, group->name, value, NULL);
    if (kind == INFER_KIND_NONE)
        return false;
    group->heads = root->fields;
    f->twice = false;
    if (!each_document(f, kind, visit_map))
        return false;
    if (f->twice) {
        bake_infer_ids_forget(f->ids, kind);
        memset(&group->heads, 0, sizeof group->heads);
        return true;
    }
    group->layout = INFER_LAYOUT_MAP;
    value->is_asset = true;
    return true;
}

/* One value a document: its id is the shortest part of the path that no two files share. */
static bool find_ones(finder *f)
{
    static const char *const sources[] = {"stem", "path", "file"};
    infer_group *group = f->group;
    for (int s = 0; s < 3; s++) {
        uint32_t kind = add_kind(f, group->name, bake_infer_shape_of(group->root), NULL);
        if (kind == INFER_KIND_NONE)
            return false;
        f->twice = false;
        for (uint32_t i = 0; i < group->input_count; i++) {
            const bake_input *input = &f->ids->inputs->inputs[group->inputs[i]];
            const char *text = input->relative;
            size_t length = strlen(text), stem_length;
            const char *stem = bake_path_stem(text, &stem_length);
            if (s == 0)
                length = stem_length;
            if (s == 1)
                length = (size_t)(stem - text) + stem_length;
            infer_place place = {group->inputs[i], 0};
            if (!add_id(f, kind, s == 0 ? stem : text, length, place))
                return false;
        }
        group->id_source = sources[s];
        if (!f->twice || s == 2)
            return true;
        bake_infer_ids_forget(f->ids, kind);
        f->ids->kind_count--;
    }
    return true;
}

/* Each class is a kind; which object a number leads to is not looked into. */
static bool find_classes(finder *f, infer_shape *root)
{
    f->group->layout = INFER_LAYOUT_OBJECTS;
    root->is_sorted = true;
    for (uint32_t i = 0; i < root->fields.count; i++) {
        const infer_entry *entry = &root->fields.entries[i];
        char *name = bake_store_text(f->ids->store, entry->name, entry->length);
        uint32_t kind =
            name ? add_kind(f, name, bake_infer_shape_of(entry->shape), NULL) : INFER_KIND_NONE;
        if (kind == INFER_KIND_NONE)
            return false;
        f->ids->kinds[kind].count = (uint32_t)entry->count;
    }
    return true;
}

bool bake_infer_assets_find(infer_ids *ids, infer_groups *groups, infer_shapes *shapes)
{
    for (uint32_t g = 0; g < groups->count; g++) {
        finder f = {ids, shapes, &groups->groups[g], false};
        infer_shape *root = bake_infer_shape_of(f.group->root);
        f.group->layout = INFER_LAYOUT_ONE;
        if (f.group->tag) {
            if (!find_classes(&f, root))
                return false;
            continue;
        }
        bool only_lists =
            root->lists && !root->nulls && !root->mappings && !root->texts.count && !root->tagged;
        bool only_mappings = root->mappings && !root->lists && !root->texts.count && !root->tagged;
        if (only_lists && !find_lists(&f, root))
            return false;
        if (only_mappings && !bake_infer_sort_one(shapes, root, NULL, true))
            return false;
        if (only_mappings && !find_maps(&f, root))
            return false;
        if (f.group->layout == INFER_LAYOUT_ONE && !find_ones(&f))
            return false;
    }
    return true;
}
