#include "scene_info.h"

#include "bake_memory.h"

#include <string.h>

/* Collects the names of the lists that store the data. Returns false if memory runs out. */
static bool name_fields(bake_scenes *s, scene_info *info)
{
    const kiln_type *data = kiln_types_get(s->schema->types, s->schema->scene_data);
    info->field_names =
        bake_store_alloc(&s->store, (size_t)info->type.field_count + 1, sizeof(const char *));
    for (uint32_t i = 0; info->field_names && i < info->type.field_count; i++)
        info->field_names[i] = data->members[info->type.field_members[i]].name;
    return info->field_names != NULL;
}

scene_info *bake_scene_info_get(bake_scenes *s, uint32_t component, bake_failure *failure)
{
    kiln_allocator allocator = bake_memory_allocator();
    /* Most runs use few components of a schema, so the data of each is computed on first use. */
    if (!s->infos)
        s->infos = bake_alloc_array((size_t)s->components.count + 1, sizeof *s->infos);
    scene_info *info = s->infos ? &s->infos[component] : NULL;
    if (info && info->is_known)
        return info;
    const scene_component *named = &s->components.all[component];
    kiln_status status =
        info ? kiln_component_type_init(s->schema->types, named->type, s->schema->scene_data,
                                        &allocator, &info->type)
             : KILN_NO_MEMORY;
    if (!status) {
        /* Set this before anything else can fail, so that bake_scene_infos_fini frees the type. */
        info->is_known = true;
        info->values = (bake_component){named->type, named->shown, info->type.field_places,
                                        info->type.field_members, info->type.field_count};
        if (!name_fields(s, info))
            status = KILN_NO_MEMORY;
    }
    if (!status)
        return info;
    if (status == KILN_NO_MEMORY)
        bake_fail_memory(failure);
    else
        bake_fail_bug(failure, named->name, status, NULL);
    return NULL;
}

void bake_scene_infos_fini(bake_scenes *s)
{
    for (uint32_t i = 0; s->infos && i < s->components.count; i++)
        if (s->infos[i].is_known)
            kiln_component_type_fini(&s->infos[i].type);
    bake_free(s->infos);
    s->infos = NULL;
}
