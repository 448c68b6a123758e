/* The entities that scenes list, and which values are entities. */
#include "infer_form.h"

#include "bake_text.h"

#include <inttypes.h>
#include <string.h>

enum { ACCEPTED_MAX = 20, DEPTH_MAX = 64 };

/* One document. */
typedef struct document {
    infer_ids *ids;
    infer_scene *scene;
    infer_entity_keys *entities;
    const bake_tree *tree;
    infer_place root;
    bake_store store; /* for the tables alone */
    infer_table names;
    infer_table components; /* each with the number of the entity that had it last */
    bool failed;
} document;

static bake_node_id find_key(const document *d, bake_node_id mapping, const char *key)
{
    return key && bake_node_kind_of(d->tree, mapping) == BAKE_NODE_MAPPING
               ? bake_node_find(d->tree, mapping, key, strlen(key))
               : BAKE_NODE_NONE;
}

typedef bool visit_entity(document *d, bake_node_id entity, bake_node_id base);

static bool each_of(document *d, bake_node_id list, bake_node_id base, visit_entity *visit)
{
    if (list == BAKE_NODE_NONE || bake_node_kind_of(d->tree, list) != BAKE_NODE_SEQUENCE)
        return list == BAKE_NODE_NONE;
    for (bake_walk walk = bake_walk_begin(d->tree, list); bake_walk_next(&walk);)
        if (!visit(d, walk.value, base))
            return false;
    return true;
}

static bool each_entity(document *d, visit_entity *visit)
{
    const infer_scene *scene = d->scene;
    bake_node_id list = find_key(d, d->root.node, scene->entities);
    if (!scene->group_entities)
        return each_of(d, list, BAKE_NODE_NONE, visit);
    if (list == BAKE_NODE_NONE || bake_node_kind_of(d->tree, list) != BAKE_NODE_SEQUENCE)
        return list == BAKE_NODE_NONE;
    for (bake_walk walk = bake_walk_begin(d->tree, list); bake_walk_next(&walk);)
        if (!each_of(d, find_key(d, walk.value, scene->group_entities),
                     find_key(d, walk.value, scene->group_base), visit))
            return false;
    return true;
}

/* Whether the scene may be made from what is named: missing ones are accepted, if they are few. */
static bool check_base(document *d, bake_node_id base)
{
    infer_ids *ids = d->ids;
    infer_kind *kind = &ids->kinds[d->scene->prefab_kind];
    size_t length;
    if (base == BAKE_NODE_NONE || bake_node_is_null(d->tree, base))
        return true;
    const char *text = bake_node_text(d->tree, base, &length);
    /* A group may say with an empty text that it has no base. */
    if (bake_node_kind_of(d->tree, base) != BAKE_NODE_SCALAR || length == 0)
        return length == 0 && d->scene->group_base;
    d->scene->base_count++;
    const infer_id *id = bake_infer_ids_find(ids, text, (uint32_t)length);
    while (id && id->kind != d->scene->prefab_kind)
        id = bake_infer_ids_next(ids, id);
    if (id) {
        kind->base_refs += id->is_abstract;
        return true;
    }
    infer_place nowhere = {0, 0};
    d->failed =
        !bake_infer_table_need(&kind->accepted, ids->store, text, (uint32_t)length, nowhere);
    return !d->failed && kind->accepted.count <= ACCEPTED_MAX;
}

/* Its name is the only one of its kind, and no component is there twice. */
static bool check_entity(document *d, bake_node_id entity, bake_node_id base)
{
    const infer_scene *scene = d->scene;
    size_t length;
    infer_place nowhere = {0, 0};
    bake_node_id name = find_key(d, entity, scene->name);
    bake_node_id list = find_key(d, entity, scene->components);
    if (name == BAKE_NODE_NONE || bake_node_kind_of(d->tree, name) != BAKE_NODE_SCALAR)
        return false;
    const char *text = bake_node_text(d->tree, name, &length);
    if (length == 0 || length > 255 || memchr(text, '/', length) || memchr(text, '#', length))
        return false;
    infer_entry *entry =
        bake_infer_table_need(&d->names, &d->store, text, (uint32_t)length, nowhere);
    d->failed = !entry;
    if (!entry || entry->count++ ||
        !check_base(d, scene->base ? find_key(d, entity, scene->base) : base))
        return false;
    d->scene->entity_count++;
    if (list == BAKE_NODE_NONE)
        return true;
    if (bake_node_kind_of(d->tree, list) != BAKE_NODE_SEQUENCE)
        return false;
    for (bake_walk walk = bake_walk_begin(d->tree, list); bake_walk_next(&walk);) {
        bake_node_id said = find_key(d, walk.value, scene->by);
        if (said == BAKE_NODE_NONE)
            return false;
        text = bake_node_text(d->tree, said, &length);
        entry = bake_infer_table_need(&d->components, &d->store, text, (uint32_t)length, nowhere);
        d->failed = !entry;
        if (!entry || entry->count == d->names.count)
            return false;
        entry->count = d->names.count;
    }
    return true;
}

/* Keys under which games write one entity, or several. */
static bool is_entity_key(const char *text, size_t length)
{
    static const char *const keys[] = {"parent", "ent",    "ents",      "entity", "entities",
                                       "owner",  "holder", "container", "target"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (bake_text_is(text, length, keys[i]))
            return true;
    return false;
}

/* Notes of a scalar under such a key whether it is an entity; a word that is none, once, is what is
 * written for none. */
static bool note_value(document *d, bake_node_id value, const char *key, size_t key_length)
{
    infer_entity_keys *entities = d->entities;
    infer_scene *scene = d->scene;
    infer_place nowhere = {0, 0};
    size_t length;
    infer_entry *entry =
        bake_infer_table_need(&entities->keys, d->ids->store, key, (uint32_t)key_length, nowhere);
    if (!entry || bake_node_is_null(d->tree, value))
        return entry != NULL;
    const char *text = bake_node_text(d->tree, value, &length);
    uint32_t flags = bake_infer_read_text(text, (uint32_t)length).flags;
    entry->count++;
    if (bake_infer_table_find(&d->names, text, (uint32_t)length))
        return true;
    bool word = (flags & INFER_WORD) && !(flags & INFER_NUMBER);
    if (word && (!scene->none || bake_text_is(text, length, scene->none))) {
        if (!scene->none)
            scene->none = bake_store_text(d->ids->store, text, length);
        return scene->none != NULL;
    }
    entry->first.node = 1; /* not all of them are entities */
    return true;
}

static bool note_values(document *d, bake_node_id value, const char *key, size_t key_length,
                        int depth)
{
    if (bake_node_is_placeholder(d->tree, value) || depth > DEPTH_MAX)
        return true;
    if (bake_node_kind_of(d->tree, value) == BAKE_NODE_SCALAR)
        return !key || note_value(d, value, key, key_length);
    bool mapping = bake_node_kind_of(d->tree, value) == BAKE_NODE_MAPPING;
    for (bake_walk walk = bake_walk_begin(d->tree, value); bake_walk_next(&walk);) {
        size_t length = key_length;
        const char *text = key;
        if (mapping) {
            text = bake_node_text(d->tree, walk.key, &length);
            if (!is_entity_key(text, length))
                text = NULL;
        }
        if (!note_values(d, walk.value, text, length, depth + 1))
            return false;
    }
    return true;
}

/* How often each field of a component that has a key for entities is written in scenes. */
static bool note_fields(document *d, bake_node_id component, bake_node_id name)
{
    infer_entity_keys *entities = d->entities;
    bake_store *store = d->ids->store;
    infer_place nowhere = {0, 0};
    size_t name_length, length;
    const char *text = bake_node_text(d->tree, name, &name_length);
    for (bake_walk walk = bake_walk_begin(d->tree, component); bake_walk_next(&walk);) {
        const char *key = bake_node_text(d->tree, walk.key, &length);
        if (!is_entity_key(key, length))
            continue;
        char *path = bake_store_alloc(store, name_length + length + 2, 1);
        if (!path)
            return false;
        memcpy(path, text, name_length);
        path[name_length] = '.';
        memcpy(path + name_length + 1, key, length);
        infer_entry *entry = bake_infer_table_need(&entities->fields, store, path,
                                                   (uint32_t)(name_length + length + 1), nowhere);
        if (!entry)
            return false;
        entry->count++;
    }
    return true;
}

static bool note_entity(document *d, bake_node_id entity, bake_node_id base)
{
    const infer_scene *scene = d->scene;
    bake_node_id list = find_key(d, entity, scene->components);
    (void)base;
    for (bake_walk walk = bake_walk_begin(d->tree, list);
         list != BAKE_NODE_NONE && bake_walk_next(&walk);) {
        d->failed = !note_fields(d, walk.value, find_key(d, walk.value, scene->by)) ||
                    !note_values(d, walk.value, NULL, 0, 0);
        if (d->failed)
            return false;
    }
    return true;
}

bool bake_infer_scene_check(infer_ids *ids, const infer_group *group, infer_scene *scene,
                            infer_entity_keys *entities, bool *ret_fits)
{
    *ret_fits = true;
    for (uint32_t i = 0; i < group->input_count; i++) {
        const bake_tree *tree = ids->inputs->inputs[group->inputs[i]].tree;
        for (uint32_t n = 0; n < bake_tree_document_count(tree); n++) {
            document d = {
                ids, scene, entities, tree, {group->inputs[i], bake_tree_document(tree, n)},
                {0}, {0},   {0},      false};
            if (d.root.node == BAKE_NODE_NONE)
                continue;
            *ret_fits = each_entity(&d, check_entity) && each_entity(&d, note_entity);
            bake_store_fini(&d.store);
            if (!*ret_fits)
                return !d.failed;
        }
    }
    *ret_fits = scene->entity_count >= 2;
    return true;
}

/* Whether all values under a key are entities wherever it stands in scenes. */
static bool holds_entities(const infer_forms *forms, const char *key, uint32_t length)
{
    infer_table keys = forms->entities.keys;
    const infer_entry *entry = key ? bake_infer_table_find(&keys, key, length) : NULL;
    return entry && entry->count >= 2 && entry->first.node == 0;
}

bool bake_infer_write_entity(infer_forms *forms, infer_writer *w, const infer_entry *entry,
                             const char *row, uint32_t row_length)
{
    const infer_shape *shape = bake_infer_shape_of(entry->shape);
    infer_writer path = {forms->store, NULL, 0, 0};
    if (shape->texts.value_count < 2 || shape->lists || shape->mappings || shape->tagged ||
        !holds_entities(forms, entry->name, entry->length))
        return false;
    bake_infer_write(&path, "%.*s.%.*s", (int)row_length, row, (int)entry->length, entry->name);
    infer_table fields = forms->entities.fields;
    const infer_entry *written =
        bake_infer_table_find(&fields, bake_infer_written(&path), (uint32_t)path.length);
    /* Assets have no place for an entity. */
    if (!written || written->count != entry->count)
        return false;
    bake_infer_write(w, "      ");
    bake_infer_write_text(w, entry->name, entry->length);
    bake_infer_write(w, ": entity  # %" PRIu64 " values, all entities of their scene\n",
                     shape->texts.count);
    return true;
}

bool bake_infer_decide_entities(infer_forms *forms, const infer_texts *texts, const char *usage,
                                uint32_t usage_length, infer_form *form)
{
    if (!(texts->all & INFER_INT) || texts->value_count < 2 || texts->lowest ||
        texts->highest > UINT32_MAX || !holds_entities(forms, usage, usage_length))
        return true;
    infer_type *type = bake_infer_type_begin(forms, "EntityNumber", "");
    const char *name = type ? bake_infer_type_end(forms, type, "    wrap: u32\n    entity: true\n",
                                                  "", false, true)
                            : NULL;
    form->type = name;
    form->depth = 1;
    form->note = "entities of the scene";
    return name != NULL;
}
