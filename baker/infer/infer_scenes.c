#include "infer_form.h"

#include <inttypes.h>

#include <string.h>

enum { KEYS_MAX = 8 };

typedef struct finder {
    infer_ids *ids;
    infer_shapes *shapes;
    infer_group *group;
    infer_scene *scene;
    infer_entity_keys *entities;
} finder;

static const char *keep(finder *f, const infer_entry *entry)
{
    return bake_store_text(f->ids->store, entry->name, entry->length);
}

static bool is_list(const infer_shape *shape)
{
    return shape->lists && !shape->mappings && !shape->texts.count && !shape->tagged &&
           shape->element;
}

/* The shape of what lists of components hold: mappings that all say what they are. */
static infer_shape *components_of(const infer_entry *entry)
{
    const infer_shape *list = bake_infer_shape_of(entry->shape);
    if (!is_list(list))
        return NULL;
    infer_shape *element = bake_infer_shape_of(list->element);
    bool told = element->key && !element->fields.count && !element->rest && !element->nulls &&
                !element->lists && !element->texts.count && !element->tagged &&
                element->variants.count >= 2;
    return told ? element : NULL;
}

static const infer_entry *find_components(const infer_shape *entity)
{
    for (uint32_t i = 0; i < entity->fields.count; i++)
        if (components_of(&entity->fields.entries[i]))
            return &entity->fields.entries[i];
    return NULL;
}

/* What a list of entities holds, if it does; kinds of entities are put together. */
static bool entity_of(finder *f, const infer_entry *entry, infer_shape **ret_entity)
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

/* The kind of assets that have a list of such components, and the field that it is. */
static const infer_entry *find_prefabs(finder *f, const infer_shape *component)
{
    for (uint32_t k = 0; k < f->ids->kind_count; k++) {
        const infer_kind *kind = &f->ids->kinds[k];
        const infer_shape *record = kind->shape ? bake_infer_shape_of(kind->shape) : NULL;
        if (!record || kind->group == f->group || record->key || record->lists ||
            record->texts.count || kind->group->layout == INFER_LAYOUT_ONE)
            continue;
        for (uint32_t i = 0; i < record->fields.count; i++) {
            infer_shape *own = components_of(&record->fields.entries[i]);
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

/* Whether most texts are ids of the prefabs; nothing at all is no base. */
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

/* Gives the words of an entity; it must have no others. */
static bool read_words(finder *f, const infer_shape *entity)
{
    infer_scene *scene = f->scene;
    const infer_entry *components = find_components(entity);
    for (uint32_t i = 0; i < entity->fields.count; i++) {
        const infer_entry *entry = &entity->fields.entries[i];
        const infer_shape *shape = bake_infer_shape_of(entry->shape);
        if (entry == components)
            scene->components = keep(f, entry);
        else if (!scene->name && is_name_key(entry, entity))
            scene->name = keep(f, entry);
        else if (!scene->base && !scene->group_base && are_bases(f, shape))
            scene->base = keep(f, entry);
        else
            return false;
    }
    return scene->name && scene->components;
}

/* A group of entities has a base for all of them, and nothing else. */
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
        if (!entity_of(f, field, ret_entity))
            return false;
        if (*ret_entity) {
            f->scene->group_entities = keep(f, field);
            f->scene->group_base = keep(f, &group->fields.entries[1 - i]);
            return true;
        }
    }
    return true;
}

/* The other keys at the top are assets of their own. */
static bool take_heads(finder *f, const infer_shape *root)
{
    infer_table *heads = &f->group->heads;
    for (uint32_t i = 0; i < root->fields.count; i++) {
        const infer_entry *entry = &root->fields.entries[i];
        if (strlen(f->scene->entities) == entry->length &&
            memcmp(f->scene->entities, entry->name, entry->length) == 0)
            continue;
        infer_entry *head =
            bake_infer_table_need(heads, f->ids->store, entry->name, entry->length, entry->first);
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

/* All that the group's values were is said by the words of a scene from now on. */
static bool make_scene(finder *f, infer_shape *root, infer_shape *component,
                       const infer_entry *prefabs)
{
    infer_scene *scene = f->scene, *kept = bake_store_alloc(f->ids->store, 1, sizeof *kept);
    infer_shape *own = components_of(prefabs);
    for (uint32_t k = 0; k < f->ids->kind_count; k++)
        if (f->ids->kinds[k].group == f->group)
            scene->kind = k;
    scene->prefab_field = keep(f, prefabs);
    scene->component = own;
    if (!kept || !scene->prefab_field || !take_heads(f, root) ||
        (own != component && !bake_infer_shape_merge(f->shapes, own, component)))
        return false;
    *kept = *scene;
    bake_infer_ids_forget(f->ids, scene->kind);
    f->group->layout = INFER_LAYOUT_SCENE;
    f->group->scene = kept;
    mark_rows(own, true);
    return true;
}

/* The list of entities is one field of the documents. */
static bool try_entities(finder *f, infer_shape *root, const infer_entry *entry)
{
    infer_shape *entity;
    bool fits;
    if (!entity_of(f, entry, &entity) || (!entity && !read_group(f, entry, &entity)))
        return false;
    if (!entity)
        return true;
    infer_shape *component = components_of(find_components(entity));
    const infer_entry *prefabs = component ? find_prefabs(f, component) : NULL;
    if (!prefabs || component->variants.count > INFER_VARIANTS_MAX ||
        component->key_length > INFER_NAME_MAX)
        return true;
    f->scene->entities = keep(f, entry);
    f->scene->by = bake_store_text(f->ids->store, component->key, component->key_length);
    if (!f->scene->entities || !f->scene->by)
        return false;
    if (!read_words(f, entity) || (!f->scene->base && !f->scene->group_base))
        return true;
    if (!bake_infer_scene_check(f->ids, f->group, f->scene, f->entities, &fits))
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

/* Rows hold what structs can, and that is all that is written. */
static bool are_rows(const infer_shape *component)
{
    for (uint32_t i = 0; i < component->variants.count; i++)
        if (bake_infer_shape_of(component->variants.entries[i].shape)->rest)
            return false;
    return component->key && !component->nulls && !component->lists && !component->texts.count &&
           !component->tagged;
}

void bake_infer_scenes_settle(infer_ids *ids, infer_groups *groups)
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
