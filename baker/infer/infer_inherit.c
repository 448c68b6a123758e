/* Kinds whose assets inherit: a key that names assets of the same kind, in a forest. */
#include "infer_ids.h"

#include <string.h>

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

/* Follows the parents of one asset, without the stack: chains may be as long as the data. */
typedef struct chain {
    const infer_ids *ids;
    uint32_t kind;
    const char *key;
    infer_id **open;
    uint32_t count;
    uint64_t values;
    bool fits; /* every parent is an asset of the kind, and none is its own ancestor */
} chain;

static void enter(chain *c, const bake_tree *tree, bake_node_id value)
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

/* Takes one asset from the list; its parents come before it is done. */
static void step(chain *c)
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
        enter(c, tree, value);
        return;
    }
    for (bake_walk walk = bake_walk_begin(tree, value); bake_walk_next(&walk) && c->fits;)
        enter(c, tree, walk.value);
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
            step(&c);
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

/* Ids of those that are bases alone. */
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
