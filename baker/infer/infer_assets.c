/* Finds assets, their ids, and the kinds that inherit, from the documents of each group. */
#include "infer_ids.h"

#include "ascii.h"
#include "infer_names.h"
#include "infer_sort.h"
#include "path_match.h"

#include <string.h>

/* ---- engine objects: whether `{fileID: N}` always refers to an object of the same file ---- */

enum { DEPTH_MAX = 128 };

/* The numbers in one file. */
typedef struct object_file {
    const bake_tree *tree;
    const infer_table *anchors;
    uint64_t hits;
    bool fits;
} object_file;

/* Checks that the number in each mapping whose only key is `fileID` is 0 or the anchor of an object
 * in the file. */
static void check_numbers(object_file *f, bake_node_id node, int depth)
{
    if (bake_node_is_placeholder(f->tree, node) || depth > DEPTH_MAX ||
        bake_node_kind_of(f->tree, node) == BAKE_NODE_SCALAR)
        return;
    bool alone = bake_node_kind_of(f->tree, node) == BAKE_NODE_MAPPING &&
                 bake_node_count(f->tree, node) == 1;
    for (bake_iterator it = bake_iterator_begin(f->tree, node);
         f->fits && bake_iterator_next(&it);) {
        size_t length;
        const char *text = alone ? bake_node_text(f->tree, it.key, &length) : "";
        if (!alone || length != sizeof INFER_NUMBER_KEY - 1 ||
            memcmp(text, INFER_NUMBER_KEY, length) != 0) {
            check_numbers(f, it.value, depth + 1);
            continue;
        }
        infer_table anchors = *f->anchors;
        if (bake_node_kind_of(f->tree, it.value) != BAKE_NODE_SCALAR) {
            f->fits = false;
            return;
        }
        text = bake_node_text(f->tree, it.value, &length);
        bool found = bake_infer_table_find(&anchors, text, (uint32_t)length) != NULL;
        f->hits += found;
        f->fits = found || (length == 1 && *text == '0');
    }
}

static bool note_anchors(infer_table *anchors, bake_store *store, const bake_tree *tree)
{
    infer_place nowhere = {0, 0};
    for (uint32_t d = 0; d < bake_tree_document_count(tree); d++) {
        const char *anchor = bake_tree_document_anchor(tree, d);
        infer_entry *entry = anchor ? bake_infer_table_find_or_add(
                                          anchors, store, anchor, (uint32_t)strlen(anchor), nowhere)
                                    : NULL;
        if (anchor && !entry)
            return false;
    }
    return true;
}

bool bake_infer_objects_find(infer_groups *groups, const bake_inputs *inputs)
{
    for (uint32_t g = 0; g < groups->count; g++) {
        infer_group *group = &groups->groups[g];
        uint64_t hits = 0;
        bool fits = group->tag != NULL, ok = true;
        for (uint32_t i = 0; i < group->input_count && fits && ok; i++) {
            bake_store store;
            infer_table anchors;
            memset(&store, 0, sizeof store);
            memset(&anchors, 0, sizeof anchors);
            object_file f = {inputs->inputs[group->inputs[i]].tree, &anchors, 0, true};
            ok = note_anchors(&anchors, &store, f.tree);
            for (uint32_t d = 0; d < bake_tree_document_count(f.tree) && ok && f.fits; d++)
                if (bake_tree_document(f.tree, d) != BAKE_NODE_NONE)
                    check_numbers(&f, bake_tree_document(f.tree, d), 0);
            fits = f.fits;
            hits += f.hits;
            bake_store_fini(&store);
        }
        if (!ok)
            return false;
        group->has_local = fits && hits > 0;
    }
    return true;
}

/* ---- documents and ids ---- */

typedef struct finder {
    infer_ids *ids;
    infer_shapes *shapes;
    infer_group *group;
    bool has_bad_id; /* some id is a duplicate, invalid or too long */
} finder;

static const char *const id_keys[] = {"id",   "ID",   "Id",   "_id", "name", "Name",
                                      "guid", "uuid", "slug", "key", "uid",  "code"};

static bool has_id_suffix(const infer_entry *entry)
{
    static const char *const suffixes[] = {"id", "Id", "ID", "name", "Name", "type", "Type", "key"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t length = strlen(suffixes[i]);
        if (entry->length > length &&
            memcmp(entry->name + entry->length - length, suffixes[i], length) == 0)
            return true;
    }
    return false;
}

/* Whether every mapping has the key, with unique values that are valid ids of at most 100 bytes. */
static bool is_id_key(const infer_shape *record, const infer_entry *entry)
{
    const infer_shape *shape = bake_infer_shape_of(entry->shape);
    return entry->count == record->mappings && shape->texts.count == entry->count &&
           shape->texts.value_count == entry->count && (shape->texts.all & INFER_ID) &&
           shape->texts.longest <= 100;
}

/* Returns the key with the id of each mapping: first the well-known names, then keys with a suffix
 * such as `Id`. NULL if there is none. */
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
        if (has_id_suffix(entry) && is_id_key(record, entry))
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
    bool has_bad_id;
    if (!(bake_infer_read_text(text, (uint32_t)length).flags & INFER_ID) || length > 200) {
        f->has_bad_id = true;
        return true;
    }
    if (!bake_infer_ids_add(f->ids, kind, text, (uint32_t)length, place, &has_bad_id))
        return false;
    f->has_bad_id = f->has_bad_id || has_bad_id;
    return true;
}

/* Called for each document of a group. Returns false if memory runs out. */
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
    for (bake_iterator it = bake_iterator_begin(tree, root.node); bake_iterator_next(&it);) {
        size_t length;
        const char *text = bake_node_text(tree, it.key, &length);
        infer_place place = {root.input, it.value};
        if (!bake_infer_table_find(&f->group->heads, text, (uint32_t)length) &&
            !add_id(f, kind, text, length, place))
            return false;
    }
    return true;
}

/* Adds the ids of list elements. `kind` is the kind of the first variant; the kinds of the other
 * variants follow it. */
static bool visit_list(finder *f, const bake_tree *tree, infer_place root, uint32_t kind)
{
    infer_shape *element = bake_infer_shape_of(bake_infer_shape_of(f->group->root)->element);
    for (bake_iterator it = bake_iterator_begin(tree, root.node); bake_iterator_next(&it);) {
        uint32_t number = kind;
        size_t length;
        if (element->key) {
            bake_node_id named = bake_node_find(tree, it.value, element->key, element->key_length);
            const char *text = bake_node_text(tree, named, &length);
            const infer_entry *entry =
                bake_infer_table_find(&element->variants, text, (uint32_t)length);
            number += (uint32_t)(entry - element->variants.entries);
        }
        const char *key = f->ids->kinds[number].id_key;
        bake_node_id id = bake_node_find(tree, it.value, key, strlen(key));
        const char *text = bake_node_text(tree, id, &length);
        infer_place place = {root.input, it.value};
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

/* Adds the kinds that elements name by a key, up to the first one that has no ids or cannot be a
 * kind. Sets `*ret_all` to whether every element names one of them. */
static bool add_named_kinds(finder *f, const infer_shape *element, bool *ret_all)
{
    uint32_t named = 0;
    *ret_all = false;
    for (uint32_t i = 0; i < element->variants.count; i++) {
        const infer_entry *entry = &element->variants.entries[i];
        infer_shape *variant = bake_infer_shape_of(entry->shape);
        const char *key = find_id_key(variant, f->ids->store);
        char *name = bake_store_text(f->ids->store, entry->name, entry->length);
        if (!name)
            return false;
        if (!key || !is_kind_word(entry->name, entry->length) || variant->rest ||
            bake_infer_has_invalid_name(&variant->fields))
            return true;
        if (add_kind(f, name, variant, key) == INFER_KIND_NONE)
            return false;
        named += (uint32_t)entry->count;
    }
    *ret_all = element->key && named == element->mappings;
    return true;
}

/* Adds one kind for all elements, if they have ids. */
static bool add_only_kind(finder *f, infer_shape *element)
{
    /* Some kinds have no ids, so the elements are values of a union. */
    if (element->key && bake_infer_is_choice(element))
        return true;
    if (element->key && !bake_infer_shape_join_variants(f->shapes, element))
        return false;
    const char *key = find_id_key(element, f->ids->store);
    if (!key || bake_infer_has_invalid_name(&element->fields))
        return true;
    f->group->layout = INFER_LAYOUT_LIST;
    f->group->id_key = key;
    element->is_sorted = true;
    return add_kind(f, f->group->name, element, key) != INFER_KIND_NONE;
}

/* Decides whether documents that are lists are lists of assets: each element must have an id. */
static bool find_lists(finder *f, infer_shape *root)
{
    infer_shape *element = bake_infer_shape_of(root->element);
    infer_group *group = f->group;
    uint32_t first = f->ids->kind_count;
    bool by;
    if (!element || element->lists || element->texts.count || element->nulls || element->tagged ||
        element->rest)
        return true;
    if (!add_named_kinds(f, element, &by))
        return false;
    if (by) {
        group->layout = INFER_LAYOUT_BY;
        group->id_key = "id";
        group->by = bake_store_text(f->ids->store, element->key, element->key_length);
        /* Keep the kinds as separate types, even if they are similar. */
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
    f->has_bad_id = false;
    if (!each_document(f, first, visit_list))
        return false;
    for (uint32_t k = first; k < f->ids->kind_count; k++) {
        if (f->has_bad_id)
            bake_infer_ids_forget(f->ids, k);
        else
            f->ids->kinds[k].shape->is_asset = true;
    }
    if (f->has_bad_id) {
        group->layout = INFER_LAYOUT_ONE;
        element->is_sorted = element->is_asset = false;
    }
    return true;
}

/* Decides whether documents that are mappings map ids to assets: their keys must be ids, except for
 * a few heads. */
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
    f->has_bad_id = false;
    if (!each_document(f, kind, visit_map))
        return false;
    if (f->has_bad_id) {
        bake_infer_ids_forget(f->ids, kind);
        memset(&group->heads, 0, sizeof group->heads);
        return true;
    }
    group->layout = INFER_LAYOUT_MAP;
    value->is_asset = true;
    return true;
}

/* Makes each document one asset, whose id is the shortest unique part of its path. */
static bool find_single_values(finder *f)
{
    static const char *const sources[] = {"stem", "path", "file"};
    infer_group *group = f->group;
    for (int s = 0; s < 3; s++) {
        uint32_t kind = add_kind(f, group->name, bake_infer_shape_of(group->root), NULL);
        if (kind == INFER_KIND_NONE)
            return false;
        f->has_bad_id = false;
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
        if (!f->has_bad_id || s == 2)
            return true;
        bake_infer_ids_forget(f->ids, kind);
        f->ids->kind_count--;
    }
    return true;
}

/* Makes each class of engine objects a kind. References between objects are not resolved. */
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
        if (f.group->layout == INFER_LAYOUT_ONE && !find_single_values(&f))
            return false;
    }
    return true;
}

/* ---- inheritance: a key that names assets of the same kind, without cycles ---- */

enum { NEW, OPEN, DONE };

static const char *const parent_keys[] = {"parent",    "parents",       "inherit",      "inherits",
                                          "extends",   "base",          "bases",        "Parent",
                                          "Inherits",  "inherits_from", "inherit_from", "prototype",
                                          "copy-from", "based_on",      "super"};
static const char *const abstract_keys[] = {"abstract", "Abstract", "is_abstract", "isAbstract",
                                            "virtual"};

static infer_id *find_id(const infer_ids *ids, uint32_t kind, const char *text, size_t length)
{
    infer_id *id = bake_infer_ids_find(ids, text, (uint32_t)length);
    while (id && id->kind != kind)
        id = bake_infer_ids_next(ids, id);
    return id;
}

/* A depth-first search along parents. The stack is on the heap, because the data determines the
 * length of chains. */
typedef struct chain {
    const infer_ids *ids;
    uint32_t kind;
    const char *key;
    infer_id **open;
    uint32_t count;
    uint64_t values;
    bool fits; /* all parents are assets of the kind, and there is no cycle */
} chain;

static void visit_parent(chain *c, const bake_tree *tree, bake_node_id value)
{
    size_t length;
    const char *text = bake_node_text(tree, value, &length);
    infer_id *parent =
        bake_node_kind_of(tree, value) == BAKE_NODE_SCALAR && !bake_node_is_null(tree, value)
            ? find_id(c->ids, c->kind, text, length)
            : NULL;
    c->values++;
    if (!parent || parent->state == OPEN)
        c->fits = false;
    else if (parent->state == NEW)
        c->open[c->count++] = parent;
}

/* Visits the topmost open asset, or closes it after its parents are done. Reaching an open asset
 * again means a cycle. */
static void visit_top(chain *c)
{
    infer_id *id = c->open[c->count - 1];
    const bake_tree *tree = c->ids->inputs->inputs[id->place.input].tree;
    if (id->state != NEW) {
        id->state = DONE;
        c->count--;
        return;
    }
    id->state = OPEN;
    bake_node_id value = bake_node_find(tree, id->place.node, c->key, strlen(c->key));
    if (value == BAKE_NODE_NONE)
        return;
    if (bake_node_kind_of(tree, value) != BAKE_NODE_SEQUENCE) {
        visit_parent(c, tree, value);
        return;
    }
    for (bake_iterator it = bake_iterator_begin(tree, value); bake_iterator_next(&it) && c->fits;)
        visit_parent(c, tree, it.value);
}

static bool is_forest(infer_ids *ids, uint32_t kind, const char *key, uint64_t *ret_values,
                      bool *ret_fits)
{
    uint64_t room = ids->count;
    for (uint32_t i = 1; i < ids->count; i++) {
        ids->ids[i].state = NEW;
        const infer_id *id = &ids->ids[i];
        if (id->kind != kind)
            continue;
        const bake_tree *tree = ids->inputs->inputs[id->place.input].tree;
        bake_node_id value = bake_node_find(tree, id->place.node, key, strlen(key));
        if (value != BAKE_NODE_NONE)
            room += bake_node_count(tree, value) + 1;
    }
    chain c = {ids, kind, key, NULL, 0, 0, true};
    c.open = bake_store_alloc(ids->store, (size_t)room + 1, sizeof *c.open);
    if (!c.open)
        return false;
    for (uint32_t i = 1; i < ids->count && c.fits; i++) {
        if (ids->ids[i].kind != kind || ids->ids[i].state == DONE)
            continue;
        c.open[0] = &ids->ids[i];
        c.count = 1;
        while (c.count > 0 && c.fits)
            visit_top(&c);
    }
    *ret_values = c.values;
    *ret_fits = c.fits && c.values > 0;
    return true;
}

static const infer_entry *find_field(const infer_shape *record, const char *name)
{
    infer_table fields = record->fields;
    return bake_infer_table_find(&fields, name, (uint32_t)strlen(name));
}

/* Marks the ids of abstract assets of a kind. */
static void mark_abstract(infer_ids *ids, uint32_t number)
{
    infer_kind *kind = &ids->kinds[number];
    for (uint32_t i = 1; i < ids->count; i++) {
        infer_id *id = &ids->ids[i];
        if (id->kind != number)
            continue;
        const bake_tree *tree = ids->inputs->inputs[id->place.input].tree;
        bake_node_id value =
            bake_node_find(tree, id->place.node, kind->abstract_key, strlen(kind->abstract_key));
        size_t length;
        const char *text = value == BAKE_NODE_NONE ? "" : bake_node_text(tree, value, &length);
        if (value == BAKE_NODE_NONE || !(*text == 't' || *text == 'T'))
            continue;
        id->is_abstract = true;
        kind->abstract++;
    }
}

static bool find_parents(infer_ids *ids, uint32_t number)
{
    infer_kind *kind = &ids->kinds[number];
    const infer_shape *record = kind->shape;
    if (!record || record->key || !record->is_asset)
        return true;
    for (size_t i = 0; i < sizeof parent_keys / sizeof *parent_keys; i++) {
        const infer_entry *entry = find_field(record, parent_keys[i]);
        bool fits;
        if (!entry)
            continue;
        if (!is_forest(ids, number, parent_keys[i], &kind->parents, &fits))
            return false;
        if (fits) {
            kind->parent_key = parent_keys[i];
            break;
        }
    }
    for (size_t i = 0; kind->parent_key && i < sizeof abstract_keys / sizeof *abstract_keys; i++) {
        const infer_entry *entry = find_field(record, abstract_keys[i]);
        const infer_shape *shape = entry ? bake_infer_shape_of(entry->shape) : NULL;
        if (!shape || shape->texts.count != entry->count || !(shape->texts.all & INFER_BOOL))
            continue;
        kind->abstract_key = abstract_keys[i];
        mark_abstract(ids, number);
        break;
    }
    return true;
}

bool bake_infer_inheritance_find(infer_ids *ids)
{
    for (uint32_t k = 0; k < ids->kind_count; k++)
        if (ids->kinds[k].count && !find_parents(ids, k))
            return false;
    return true;
}
