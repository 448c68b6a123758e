/* Names of saved entities, and imports: entities that are not saved but have a name in another
 * scene.
 *
 * Names are unique in a scene, but not in a world, so names have ranks. Names by which
 * kiln_entity_find finds the entity come first, then other names in the world, then names from
 * scenes. Each entity gets its best name that no other entity got before. */
#include "scene_save.h"

#include "lower_bound.h"

#include <string.h>

enum { RANK_FOUND, RANK_NAMED, RANK_SCENE };

static bool add_name(const saving *s, kiln_list *names, const char *text, uint32_t index,
                     uint32_t rank)
{
    uint32_t number = save_number_of(s, index);
    if (!number)
        return true;
    save_name *name = kiln_list_push(&s->allocator, names, sizeof *name);
    if (!name)
        return false;
    save_name made = {text, number - 1, rank};
    *name = made;
    return true;
}

static bool list_own(const saving *s, kiln_list *names)
{
    const kiln_names *all = &s->world->names;
    for (uint32_t i = 0; i < all->used; i++) {
        const kiln_name_slot *slot = &all->slots[i];
        if (!slot->text || !kiln_entity_exists(s->world, slot->entity))
            continue;
        kiln_entity found = kiln_entity_find(s->world, slot->text);
        uint32_t rank = kiln_entity_same(found, slot->entity) ? RANK_FOUND : RANK_NAMED;
        if (!add_name(s, names, slot->text, slot->entity.index, rank))
            return false;
    }
    return true;
}

static const kiln_scene_name *names_of(const kiln_scene_instance *instance, uint32_t *ret_count)
{
    const kiln_scene *scene = instance->source->scene;
    *ret_count = scene->names.count;
    return kiln_relative_get(&scene->names, scene->names.offset);
}

/* Called for each name of a living entity in a scene. */
typedef bool name_action(saving *s, const kiln_scene_instance *instance, const char *name,
                         uint32_t index, void *to);

static bool visit_names(saving *s, name_action *action, void *to)
{
    kiln_scene_instance *instance = NULL;
    while ((instance = kiln_scenes_next(s->world, instance)) != NULL) {
        uint32_t count;
        const kiln_scene_name *name = names_of(instance, &count);
        for (uint32_t i = 0; i < count; i++) {
            kiln_entity entity = kiln_scene_entity(instance, name[i].entity);
            if (!kiln_entity_is_null(entity) &&
                !action(s, instance, kiln_string_get(&name[i].name), entity.index, to))
                return false;
        }
    }
    return true;
}

static bool add_scenes_name(saving *s, const kiln_scene_instance *instance, const char *name,
                            uint32_t index, void *names)
{
    (void)instance;
    return add_name(s, names, name, index, RANK_SCENE);
}

static int compare_names(const void *ctx, const void *left, const void *right)
{
    const save_name *a = left, *b = right;
    (void)ctx;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* The writer rejects a name that another entity has, and a second name for an entity, as
 * duplicates. Names are added in the order of their ranks, so rejected names are skipped. */
kiln_status kiln_save_names(saving *s)
{
    kiln_list names = {NULL, 0, 0};
    if (s->args->omit_names)
        return KILN_OK;
    kiln_status status =
        list_own(s, &names) && visit_names(s, add_scenes_name, &names) ? KILN_OK : KILN_NO_MEMORY;
    kiln_save_sort(names.items, names.count, sizeof(save_name), compare_names, NULL);
    const save_name *name = names.items;
    const char *path = NULL;
    for (uint32_t i = 0; i < names.count && !status; i++) {
        status =
            kiln_scene_writer_name(s->writer, name[i].number, name[i].text, strlen(name[i].text));
        path = status == KILN_L_TEXT ? name[i].text : NULL;
        if (status == KILN_DUPLICATE)
            status = KILN_OK;
    }
    if (status)
        kiln_fail(s->reterr, status, 0, path);
    kiln_list_fini(&s->allocator, &names, sizeof(save_name));
    return status;
}

/* ---- imports ---- */

static int compare_imports(const void *ctx, const void *left, const void *right)
{
    const save_import *a = left, *b = right;
    (void)ctx;
    if (a->index != b->index)
        return a->index < b->index ? -1 : 1;
    return strcmp(a->entity, b->entity);
}

static bool add_import(saving *s, const kiln_scene_instance *instance, const char *name,
                       uint32_t index, void *imports)
{
    save_import *import = kiln_list_push(&s->allocator, imports, sizeof *import);
    if (!import)
        return false;
    save_import made = {instance->source->name, name, index, 0};
    *import = made;
    return true;
}

/* Lists all living entities with names in scenes. An entity belongs to at most one instance. */
static bool list_imports(saving *s)
{
    if (!visit_names(s, add_import, &s->imports))
        return false;
    kiln_save_sort(s->imports.items, s->imports.count, sizeof(save_import), compare_imports, NULL);
    s->has_imports = true;
    return true;
}

static bool import_is_below(const void *imports, size_t at, const void *index)
{
    return ((const save_import *)imports)[at].index < *(const uint32_t *)index;
}

kiln_status kiln_save_find_import(saving *s, uint32_t index, uint32_t *ret_number)
{
    *ret_number = 0;
    if (!s->has_imports && !list_imports(s))
        return KILN_NO_MEMORY;
    save_import *imports = s->imports.items;
    size_t at = lower_bound(imports, 0, s->imports.count, import_is_below, &index);
    if (at == s->imports.count || imports[at].index != index)
        return KILN_OK;
    save_import *import = &imports[at];
    if (!import->number) {
        uint32_t number;
        kiln_status status =
            kiln_scene_writer_add_import(s->writer, import->scene, import->entity, &number);
        if (status)
            return status;
        import->number = number + 1;
    }
    *ret_number = import->number;
    return KILN_OK;
}

void kiln_save_names_fini(saving *s)
{
    kiln_list_fini(&s->allocator, &s->imports, sizeof(save_import));
}
