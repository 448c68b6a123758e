/* Describes components for the file: their words, their data fields and their padding.
 *
 * The description comes from the file's types if they have the component, otherwise from a scene
 * that has it. If a description lacked a word, the file would contain a memory address instead of
 * an encoded word. So all scenes of the world that have the component must describe it in the same
 * way. */
#include "scene_save.h"

#include "lower_bound.h"
#include "scene_agree.h"

#include <string.h>

static bool ends_with_data(const char *name)
{
    static const char last[] = "SceneData";
    size_t length = strlen(name), size = sizeof last - 1;
    return length >= size && strcmp(name + length - size, last) == 0 &&
           (length == size || name[length - size - 1] == '.');
}

static bool is_data_type(const kiln_types *types, uint32_t number)
{
    const kiln_type *type = kiln_types_get(types, number);
    return type && type->kind == KILN_KIND_STRUCT && (type->flags & KILN_TYPE_ASSET) != 0;
}

uint32_t kiln_save_find_data_type(const kiln_world *world, const kiln_types *types)
{
    for (const kiln_scene_instance *at = world->scenes; at; at = at->next) {
        const kiln_type *data = at->source->data_type;
        uint32_t number = data ? kiln_types_find(types, data->name) : KILN_TYPE_NONE;
        if (is_data_type(types, number))
            return number;
    }
    for (uint32_t i = 0; i < kiln_types_count(types); i++)
        if (is_data_type(types, i) && ends_with_data(kiln_types_get(types, i)->name))
            return i;
    return KILN_TYPE_NONE;
}

/* ---- padding ---- */

/* Sets the bytes of `mask` that are not padding. Padding is undefined in memory, but zero in a
 * file, so that equal scenes have equal bytes. */
static void mask_value(const kiln_types *types, uint32_t number, unsigned char *mask)
{
    const kiln_type *type = kiln_types_get(types, number);
    if (type->kind == KILN_KIND_STRUCT) {
        for (uint32_t i = 0; i < type->member_count; i++)
            mask_value(types, type->members[i].type, mask + type->members[i].offset);
    } else if (type->kind == KILN_KIND_FIXED) {
        uint32_t size = kiln_types_get(types, type->element)->size;
        for (uint32_t i = 0; i < type->count; i++)
            mask_value(types, type->element, mask + (size_t)i * size);
    } else {
        memset(mask, 0xff, type->size);
    }
}

static kiln_status make_mask(saving *s, uint32_t type, save_component *component)
{
    uint32_t size = component->desc->size;
    if (size == 0)
        return KILN_OK;
    component->mask = save_alloc(s, size);
    if (!component->mask)
        return KILN_NO_MEMORY;
    memset(component->mask, 0, size);
    mask_value(s->types, type, component->mask);
    if (memchr(component->mask, 0, size))
        return KILN_OK;
    save_free(s, component->mask, size);
    component->mask = NULL;
    return KILN_OK;
}

/* ---- data fields ---- */

static kiln_status make_fields(saving *s, uint32_t count, save_component *component)
{
    if (count == 0)
        return KILN_OK;
    component->fields = save_alloc(s, 2 * (size_t)count * sizeof *component->fields);
    if (!component->fields)
        return KILN_NO_MEMORY;
    component->field_count = count;
    return KILN_OK;
}

/* Takes the fields and the padding of a component from the file's types. */
static kiln_status take_fields_from_types(saving *s, uint32_t type, save_component *component)
{
    kiln_component_type of;
    kiln_status status = kiln_component_type_init(s->types, type, s->data_type, &s->allocator, &of);
    if (status)
        return status;
    uint32_t count = of.field_count;
    status =
        count && s->data_type == KILN_TYPE_NONE ? KILN_NO_TYPES : make_fields(s, count, component);
    for (uint32_t i = 0; i < count && !status; i++) {
        component->fields[i] = of.field_places[i];
        component->fields[count + i] = of.field_members[i];
    }
    kiln_component_type_fini(&of);
    return status ? status : make_mask(s, type, component);
}

/* The member of the file's data type for the values of a source's list; KILN_TYPE_NONE if there is
 * none. */
static uint32_t find_list(const saving *s, const kiln_scene_source *source, const kiln_string *name)
{
    const kiln_type *to = kiln_types_get(s->types, s->data_type);
    const kiln_member *theirs = scene_find_list(source, name);
    if (!to || !theirs)
        return KILN_TYPE_NONE;
    const kiln_member *ours = kiln_type_member(to, kiln_string_get(name), name->length);
    bool is_same =
        ours && kiln_scene_same_type(source->data_types, theirs->type, s->types, ours->type);
    return is_same ? (uint32_t)(ours - to->members) : KILN_TYPE_NONE;
}

static kiln_status take_from_source(saving *s, const kiln_scene_source *source, uint32_t number,
                                    save_component *component)
{
    const kiln_scene_component *in = scene_stored_component(source, number);
    const kiln_scene_field *fields = kiln_relative_get(&in->fields, in->fields.offset);
    uint32_t count = in->fields.count;
    kiln_status status = make_fields(s, count, component);
    for (uint32_t i = 0; i < count && !status; i++) {
        uint32_t list = find_list(s, source, &fields[i].name);
        component->fields[i] = fields[i].place;
        component->fields[count + i] = list;
        status = list == KILN_TYPE_NONE ? KILN_NO_TYPES : KILN_OK;
    }
    return status;
}

static bool is_component_below(const void *components, size_t at, const void *name)
{
    return strcmp(((const kiln_component_desc *)components)[at].name, name) < 0;
}

/* The number of the component in a scene; UINT32_MAX if the scene has none with this name and
 * layout. */
static uint32_t find_component(const kiln_scene_view *view, const kiln_component_desc *desc)
{
    uint32_t count = view->component_count;
    uint32_t at = (uint32_t)lower_bound(view->components, 0, count, is_component_below, desc->name);
    if (at == count)
        return UINT32_MAX;
    const kiln_component_desc *in = &view->components[at];
    bool is_same =
        strcmp(in->name, desc->name) == 0 && in->layout == desc->layout && in->size == desc->size;
    return is_same ? at : UINT32_MAX;
}

/* For a component that the file's types lack: takes its fields from a scene that has it. */
static kiln_status take_fields_from_scenes(saving *s, save_component *component)
{
    for (const kiln_scene_instance *at = s->world->scenes; at; at = at->next) {
        uint32_t number = find_component(&at->source->view, component->desc);
        if (number != UINT32_MAX)
            return take_from_source(s, at->source, number, component);
    }
    return KILN_OK;
}

/* Whether the component's data words refer to the same types in a scene as in the file. */
static bool agrees(const saving *s, const kiln_scene_source *source, uint32_t number,
                   const save_component *component)
{
    const kiln_scene_component *in = scene_stored_component(source, number);
    const kiln_scene_field *fields = kiln_relative_get(&in->fields, in->fields.offset);
    const kiln_type *to = kiln_types_get(s->types, s->data_type);
    uint32_t count = component->field_count;
    bool is_same = in->fields.count == count;
    for (uint32_t i = 0; i < count && is_same; i++) {
        const kiln_member *theirs = scene_find_list(source, &fields[i].name);
        is_same = fields[i].place == component->fields[i] && theirs &&
                  kiln_scene_same_type(source->data_types, theirs->type, s->types,
                                       to->members[component->fields[count + i]].type);
    }
    return is_same;
}

/* Two scenes can describe the same component differently if the program has no type for it. Rows do
 * not record their scene, so choosing a description would be a guess. */
static kiln_status check_scenes(const saving *s, const save_component *component)
{
    const kiln_scene_source *last = NULL;
    for (const kiln_scene_instance *at = s->world->scenes; at; at = at->next) {
        if (at->source == last)
            continue;
        last = at->source;
        uint32_t number = find_component(&last->view, component->desc);
        if (number != UINT32_MAX && !agrees(s, last, number, component))
            return KILN_TYPE_MISMATCH;
    }
    return KILN_OK;
}

/* ---- the description for the writer ---- */

static kiln_status describe_to_writer(saving *s, save_component *component)
{
    kiln_scene_component_desc desc = {*component->desc, component->fields, NULL,
                                      component->field_count};
    size_t size = desc.field_count * sizeof(char *);
    const char **names = size ? save_alloc(s, size) : NULL;
    if (size && !names)
        return KILN_NO_MEMORY;
    for (uint32_t i = 0; i < desc.field_count; i++)
        names[i] = kiln_types_get(s->types, s->data_type)
                       ->members[component->fields[desc.field_count + i]]
                       .name;
    desc.field_names = names;
    kiln_status status = kiln_scene_writer_add_component(s->writer, &desc, &component->number);
    save_free(s, names, size);
    return status;
}

kiln_status kiln_save_component(saving *s, kiln_component number)
{
    save_component *component = &s->components[number.number];
    if (component->desc)
        return KILN_OK;
    component->desc = &world_component(s->world, number)->desc;
    uint32_t type = kiln_types_find(s->types, component->desc->name);
    const kiln_type *of = kiln_types_get(s->types, type);
    bool is_typed = of && of->kind == KILN_KIND_STRUCT && of->layout == component->desc->layout;
    kiln_status status = is_typed ? take_fields_from_types(s, type, component)
                                  : take_fields_from_scenes(s, component);
    if (!status)
        status = check_scenes(s, component);
    if (!status)
        status = describe_to_writer(s, component);
    s->has_fields = s->has_fields || component->field_count > 0;
    return status ? kiln_fail(s->reterr, status, 0, component->desc->name) : KILN_OK;
}

void kiln_save_components_fini(saving *s)
{
    for (uint32_t i = 0; s->components && i < s->component_count; i++) {
        save_component *component = &s->components[i];
        save_free(s, component->fields,
                  2 * (size_t)component->field_count * sizeof *component->fields);
        if (component->mask)
            save_free(s, component->mask, component->desc->size);
    }
    save_free(s, s->components, s->component_count * sizeof *s->components);
}
