/* Finds groups of scenes: documents whose entities have the same components as a kind of assets.
 * Every document is checked before a group becomes scenes. */
#include "infer_form.h"

#include "bake_text.h"

#include <inttypes.h>
#include <string.h>

/* ---- entities and the values that name them ---- */

/* A field with more than ACCEPTED_MAX unknown bases does not contain bases. */
enum { ACCEPTED_MAX = 20, DEPTH_MAX = 64 };

/* State of the check of one document. */
typedef struct document {
    infer_ids *ids;
    infer_scene *scene;
    infer_entity_keys *entities;
    const bake_tree *tree;
    infer_place root;
    bake_store store; /* for the tables below */
    infer_table names;
    infer_table components; /* with the number of the last entity that has each */
    bool failed;
} document;

static bake_node_id find_key(const document *d, bake_node_id mapping, const char *key)
{
    return key && bake_node_kind_of(d->tree, mapping) == BAKE_NODE_MAPPING
               ? bake_node_find(d->tree, mapping, key, strlen(key))
               : BAKE_NODE_NONE;
}

typedef bool visit_entity(document *d, bake_node_id entity, bake_node_id base);

static bool visit_list(document *d, bake_node_id list, bake_node_id base, visit_entity *visit)
{
    if (list == BAKE_NODE_NONE || bake_node_kind_of(d->tree, list) != BAKE_NODE_SEQUENCE)
        return list == BAKE_NODE_NONE;
    for (bake_iterator it = bake_iterator_begin(d->tree, list); bake_iterator_next(&it);)
        if (!visit(d, it.value, base))
            return false;
    return true;
}

static bool each_entity(document *d, visit_entity *visit)
{
    const infer_scene *scene = d->scene;
    bake_node_id list = find_key(d, d->root.node, scene->entities);
    if (!scene->group_entities)
        return visit_list(d, list, BAKE_NODE_NONE, visit);
    if (list == BAKE_NODE_NONE || bake_node_kind_of(d->tree, list) != BAKE_NODE_SEQUENCE)
        return list == BAKE_NODE_NONE;
    for (bake_iterator it = bake_iterator_begin(d->tree, list); bake_iterator_next(&it);)
        if (!visit_list(d, find_key(d, it.value, scene->group_entities),
                        find_key(d, it.value, scene->group_base), visit))
            return false;
    return true;
}

/* Whether the base of an entity is valid: a prefab, or one of a few unknown names. */
static bool check_base(document *d, bake_node_id base)
{
    infer_ids *ids = d->ids;
    infer_kind *kind = &ids->kinds[d->scene->prefab_kind];
    size_t length;
    if (base == BAKE_NODE_NONE || bake_node_is_null(d->tree, base))
        return true;
    const char *text = bake_node_text(d->tree, base, &length);
    /* In groups, an empty string means no base. */
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
        !bake_infer_table_find_or_add(&kind->accepted, ids->store, text, (uint32_t)length, nowhere);
    return !d->failed && kind->accepted.count <= ACCEPTED_MAX;
}

/* Checks an entity: a unique name, a valid base, and distinct components. */
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
        bake_infer_table_find_or_add(&d->names, &d->store, text, (uint32_t)length, nowhere);
    d->failed = !entry;
    if (!entry || entry->count++ ||
        !check_base(d, scene->base ? find_key(d, entity, scene->base) : base))
        return false;
    d->scene->entity_count++;
    if (list == BAKE_NODE_NONE)
        return true;
    if (bake_node_kind_of(d->tree, list) != BAKE_NODE_SEQUENCE)
        return false;
    for (bake_iterator it = bake_iterator_begin(d->tree, list); bake_iterator_next(&it);) {
        bake_node_id named = find_key(d, it.value, scene->by);
        if (named == BAKE_NODE_NONE)
            return false;
        text = bake_node_text(d->tree, named, &length);
        entry = bake_infer_table_find_or_add(&d->components, &d->store, text, (uint32_t)length,
                                             nowhere);
        d->failed = !entry;
        if (!entry || entry->count == d->names.count)
            return false;
        entry->count = d->names.count;
    }
    return true;
}

/* Whether a key is a common name for references to entities. */
static bool is_entity_key(const char *text, size_t length)
{
    static const char *const keys[] = {"parent", "ent",    "ents",      "entity", "entities",
                                       "owner",  "holder", "container", "target"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (bake_text_is(text, length, keys[i]))
            return true;
    return false;
}

/* Records whether a scalar under a key for entities names an entity. The first word that names none
 * becomes the word for no entity. */
static bool record_value(document *d, bake_node_id value, const char *key, size_t key_length)
{
    infer_entity_keys *entities = d->entities;
    infer_scene *scene = d->scene;
    infer_place nowhere = {0, 0};
    size_t length;
    infer_entry *entry = bake_infer_table_find_or_add(&entities->keys, d->ids->store, key,
                                                      (uint32_t)key_length, nowhere);
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
    entry->first.node = 1; /* not all values are entities */
    return true;
}

static bool record_values(document *d, bake_node_id value, const char *key, size_t key_length,
                          int depth)
{
    if (bake_node_is_placeholder(d->tree, value) || depth > DEPTH_MAX)
        return true;
    if (bake_node_kind_of(d->tree, value) == BAKE_NODE_SCALAR)
        return !key || record_value(d, value, key, key_length);
    bool mapping = bake_node_kind_of(d->tree, value) == BAKE_NODE_MAPPING;
    for (bake_iterator it = bake_iterator_begin(d->tree, value); bake_iterator_next(&it);) {
        size_t length = key_length;
        const char *text = key;
        if (mapping) {
            text = bake_node_text(d->tree, it.key, &length);
            if (!is_entity_key(text, length))
                text = NULL;
        }
        if (!record_values(d, it.value, text, length, depth + 1))
            return false;
    }
    return true;
}

/* Counts the fields of a component whose keys suggest an entity. Returns false if memory runs
 * out. */
static bool count_fields(document *d, bake_node_id component, bake_node_id name)
{
    infer_entity_keys *entities = d->entities;
    bake_store *store = d->ids->store;
    infer_place nowhere = {0, 0};
    size_t name_length, length;
    const char *text = bake_node_text(d->tree, name, &name_length);
    for (bake_iterator it = bake_iterator_begin(d->tree, component); bake_iterator_next(&it);) {
        const char *key = bake_node_text(d->tree, it.key, &length);
        if (!is_entity_key(key, length))
            continue;
        char *path = bake_store_alloc(store, name_length + length + 2, 1);
        if (!path)
            return false;
        memcpy(path, text, name_length);
        path[name_length] = '.';
        memcpy(path + name_length + 1, key, length);
        infer_entry *entry = bake_infer_table_find_or_add(
            &entities->fields, store, path, (uint32_t)(name_length + length + 1), nowhere);
        if (!entry)
            return false;
        entry->count++;
    }
    return true;
}

static bool record_entity(document *d, bake_node_id entity, bake_node_id base)
{
    const infer_scene *scene = d->scene;
    bake_node_id list = find_key(d, entity, scene->components);
    (void)base;
    for (bake_iterator it = bake_iterator_begin(d->tree, list);
         list != BAKE_NODE_NONE && bake_iterator_next(&it);) {
        d->failed = !count_fields(d, it.value, find_key(d, it.value, scene->by)) ||
                    !record_values(d, it.value, NULL, 0, 0);
        if (d->failed)
            return false;
    }
    return true;
}

/* Checks whether all documents are scenes with these keys. Counts their entities and records which
 * values name entities. Returns false if memory runs out. */
static bool check_scene(infer_ids *ids, const infer_group *group, infer_scene *scene,
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
            *ret_fits = each_entity(&d, check_entity) && each_entity(&d, record_entity);
            bake_store_fini(&d.store);
            if (!*ret_fits)
                return !d.failed;
        }
    }
    *ret_fits = scene->entity_count >= 2;
    return true;
}

/* Whether all values of a key in scenes name entities. */
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
    /* Assets cannot contain entities, so all values must be in scenes. */
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

/* ---- documents ---- */

enum { KEYS_MAX = 8 };

typedef struct finder {
    infer_ids *ids;
    infer_shapes *shapes;
    infer_group *group;
    infer_scene *scene;
    infer_entity_keys *entities;
} finder;

static const char *copy_name(finder *f, const infer_entry *entry)
{
    return bake_store_text(f->ids->store, entry->name, entry->length);
}

static bool is_list(const infer_shape *shape)
{
    return shape->lists && !shape->mappings && !shape->texts.count && !shape->tagged &&
           shape->element;
}

/* If the entry is a list of components, returns the shape of its elements, otherwise NULL.
 * Components are mappings that all name their kind. */
static infer_shape *component_shape(const infer_entry *entry)
{
    const infer_shape *list = bake_infer_shape_of(entry->shape);
    if (!is_list(list))
        return NULL;
    infer_shape *element = bake_infer_shape_of(list->element);
    bool has_components = element->key && !element->fields.count && !element->rest &&
                          !element->nulls && !element->lists && !element->texts.count &&
                          !element->tagged && element->variants.count >= 2;
    return has_components ? element : NULL;
}

static const infer_entry *find_components(const infer_shape *entity)
{
    for (uint32_t i = 0; i < entity->fields.count; i++)
        if (component_shape(&entity->fields.entries[i]))
            return &entity->fields.entries[i];
    return NULL;
}

/* If the entry is a list of entities, sets `*ret_entity` to the shape of its elements, otherwise to
 * NULL. Joins the kinds of entities. Returns false if memory runs out. */
static bool find_entity_shape(finder *f, const infer_entry *entry, infer_shape **ret_entity)
{
    const infer_shape *list = bake_infer_shape_of(entry->shape);
    *ret_entity = NULL;
    if (!is_list(list))
        return true;
    infer_shape *entity = bake_infer_shape_of(list->element);
    const infer_entry *components = find_components(entity);
    for (uint32_t i = 0; entity->key && i < entity->variants.count && !components; i++)
        components = find_components(bake_infer_shape_of(entity->variants.entries[i].shape));
    if (!components || entity->lists || entity->texts.count || entity->tagged || entity->nulls ||
        entity->rest)
        return true;
    if (entity->key && !bake_infer_shape_join_variants(f->shapes, entity))
        return false;
    *ret_entity = entity;
    return true;
}

/* Finds the prefabs: a kind of assets with a list that has at least half of the kinds of
 * `component`. Returns the field with that list, or NULL. */
static const infer_entry *find_prefabs(finder *f, const infer_shape *component)
{
    for (uint32_t k = 0; k < f->ids->kind_count; k++) {
        const infer_kind *kind = &f->ids->kinds[k];
        const infer_shape *record = kind->shape ? bake_infer_shape_of(kind->shape) : NULL;
        if (!record || kind->group == f->group || record->key || record->lists ||
            record->texts.count || kind->group->layout == INFER_LAYOUT_ONE)
            continue;
        for (uint32_t i = 0; i < record->fields.count; i++) {
            infer_shape *own = component_shape(&record->fields.entries[i]);
            uint32_t shared = 0;
            for (uint32_t v = 0; own && v < component->variants.count; v++)
                shared += bake_infer_table_find(&own->variants, component->variants.entries[v].name,
                                                component->variants.entries[v].length) != NULL;
            if (own && own->key_length == component->key_length &&
                memcmp(own->key, component->key, own->key_length) == 0 &&
                shared * 2 >= component->variants.count) {
                f->scene->prefab_kind = k;
                return &record->fields.entries[i];
            }
        }
    }
    return NULL;
}

/* Whether at least nine in ten distinct strings, except the empty one, are ids of prefabs. */
static bool are_bases(finder *f, const infer_shape *shape)
{
    uint32_t hits = 0, all = 0;
    if (!shape->texts.count || shape->lists || shape->mappings || shape->tagged ||
        shape->texts.many)
        return false;
    for (uint32_t i = 0; i < shape->texts.value_count; i++) {
        const infer_value *value = &shape->texts.values[i];
        const infer_id *id = bake_infer_ids_find(f->ids, value->text, value->length);
        while (id && id->kind != f->scene->prefab_kind)
            id = bake_infer_ids_next(f->ids, id);
        hits += id != NULL;
        all += value->length > 0;
    }
    return hits > 0 && hits * 10 >= all * 9;
}

static bool is_name_key(const infer_entry *entry, const infer_shape *entity)
{
    static const char *const keys[] = {"uid", "id", "name", "_id", "key", "guid", "ID", "Name"};
    const infer_shape *shape = bake_infer_shape_of(entry->shape);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strlen(keys[i]) == entry->length && memcmp(keys[i], entry->name, entry->length) == 0)
            return entry->count == entity->mappings && shape->texts.count == entry->count;
    return false;
}

/* Finds the keys of an entity. Returns false if it has any other key. */
static bool read_keys(finder *f, const infer_shape *entity)
{
    infer_scene *scene = f->scene;
    const infer_entry *components = find_components(entity);
    for (uint32_t i = 0; i < entity->fields.count; i++) {
        const infer_entry *entry = &entity->fields.entries[i];
        const infer_shape *shape = bake_infer_shape_of(entry->shape);
        if (entry == components)
            scene->components = copy_name(f, entry);
        else if (!scene->name && is_name_key(entry, entity))
            scene->name = copy_name(f, entry);
        else if (!scene->base && !scene->group_base && are_bases(f, shape))
            scene->base = copy_name(f, entry);
        else
            return false;
    }
    return scene->name && scene->components;
}

/* Finds the keys of a group: the entities, and their common base. */
static bool read_group(finder *f, const infer_entry *entry, infer_shape **ret_entity)
{
    const infer_shape *list = bake_infer_shape_of(entry->shape);
    *ret_entity = NULL;
    if (!is_list(list))
        return true;
    const infer_shape *group = bake_infer_shape_of(list->element);
    if (group->key || group->fields.count != 2 || group->lists || group->texts.count)
        return true;
    for (uint32_t i = 0; i < 2; i++) {
        const infer_entry *field = &group->fields.entries[i];
        if (!find_entity_shape(f, field, ret_entity))
            return false;
        if (*ret_entity) {
            f->scene->group_entities = copy_name(f, field);
            f->scene->group_base = copy_name(f, &group->fields.entries[1 - i]);
            return true;
        }
    }
    return true;
}

/* Makes all other top-level keys heads, whose values are separate assets. */
static bool add_heads(finder *f, const infer_shape *root)
{
    infer_table *heads = &f->group->heads;
    for (uint32_t i = 0; i < root->fields.count; i++) {
        const infer_entry *entry = &root->fields.entries[i];
        if (strlen(f->scene->entities) == entry->length &&
            memcmp(f->scene->entities, entry->name, entry->length) == 0)
            continue;
        infer_entry *head = bake_infer_table_find_or_add(heads, f->ids->store, entry->name,
                                                         entry->length, entry->first);
        if (!head)
            return false;
        head->count = entry->count;
        head->shape = entry->shape;
    }
    return true;
}

static void mark_rows(infer_shape *component, bool is_row)
{
    component->is_choice = is_row;
    for (uint32_t i = 0; i < component->variants.count; i++)
        bake_infer_shape_of(component->variants.entries[i].shape)->is_row = is_row;
}

/* Turns the group into scenes, so its documents are no longer assets. */
static bool make_scene(finder *f, infer_shape *root, infer_shape *component,
                       const infer_entry *prefabs)
{
    infer_scene *scene = f->scene, *stored = bake_store_alloc(f->ids->store, 1, sizeof *stored);
    infer_shape *own = component_shape(prefabs);
    for (uint32_t k = 0; k < f->ids->kind_count; k++)
        if (f->ids->kinds[k].group == f->group)
            scene->kind = k;
    scene->prefab_field = copy_name(f, prefabs);
    scene->component = own;
    if (!stored || !scene->prefab_field || !add_heads(f, root) ||
        (own != component && !bake_infer_shape_merge(f->shapes, own, component)))
        return false;
    *stored = *scene;
    bake_infer_ids_forget(f->ids, scene->kind);
    f->group->layout = INFER_LAYOUT_SCENE;
    f->group->scene = stored;
    mark_rows(own, true);
    return true;
}

/* Tries a field of the documents as the list of entities. */
static bool try_entities(finder *f, infer_shape *root, const infer_entry *entry)
{
    infer_shape *entity;
    bool fits;
    if (!find_entity_shape(f, entry, &entity) || (!entity && !read_group(f, entry, &entity)))
        return false;
    if (!entity)
        return true;
    infer_shape *component = component_shape(find_components(entity));
    const infer_entry *prefabs = component ? find_prefabs(f, component) : NULL;
    if (!prefabs || component->variants.count > INFER_VARIANTS_MAX ||
        component->key_length > INFER_NAME_MAX)
        return true;
    f->scene->entities = copy_name(f, entry);
    f->scene->by = bake_store_text(f->ids->store, component->key, component->key_length);
    if (!f->scene->entities || !f->scene->by)
        return false;
    if (!read_keys(f, entity) || (!f->scene->base && !f->scene->group_base))
        return true;
    if (!check_scene(f->ids, f->group, f->scene, f->entities, &fits))
        return false;
    return !fits || make_scene(f, root, component, prefabs);
}

bool bake_infer_scenes_find(infer_ids *ids, infer_groups *groups, infer_shapes *shapes,
                            infer_entity_keys *entities)
{
    for (uint32_t g = 0; g < groups->count; g++) {
        infer_group *group = &groups->groups[g];
        infer_shape *root = bake_infer_shape_of(group->root);
        if (group->layout != INFER_LAYOUT_ONE || root->lists || root->texts.count || root->tagged ||
            root->nulls || root->rest || root->key || root->fields.count > KEYS_MAX)
            continue;
        for (uint32_t i = 0; i < root->fields.count && group->layout == INFER_LAYOUT_ONE; i++) {
            infer_scene scene = {0};
            finder f = {ids, shapes, group, &scene, entities};
            if (!try_entities(&f, root, &root->fields.entries[i]))
                return false;
        }
    }
    return true;
}

/* Whether components can be rows: they must be structs that all name their kind. */
static bool are_rows(const infer_shape *component)
{
    for (uint32_t i = 0; i < component->variants.count; i++)
        if (bake_infer_shape_of(component->variants.entries[i].shape)->rest)
            return false;
    return component->key && !component->nulls && !component->lists && !component->texts.count &&
           !component->tagged;
}

void bake_infer_scenes_confirm(infer_ids *ids, infer_groups *groups)
{
    for (uint32_t g = 0; g < groups->count; g++) {
        infer_group *group = &groups->groups[g];
        infer_shape *component = group->scene ? bake_infer_shape_of(group->scene->component) : NULL;
        if (!component)
            continue;
        bool fits = are_rows(component);
        mark_rows(component, fits);
        if (fits)
            continue;
        group->layout = INFER_LAYOUT_ONE;
        ids->kinds[group->scene->kind].shape = bake_infer_shape_of(group->root);
        memset(&group->heads, 0, sizeof group->heads);
    }
}
