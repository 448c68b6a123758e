/* Finds the components and archetypes of a scene in a world.
 *
 * There are four cases for a component of the scene: the world has it with the same layout, its
 * rows must be converted, the world registers it as the file describes it, or it is dropped. An
 * archetype is direct if the world's archetype has as many rows per chunk, and the same columns at
 * the same offsets. Its chunks in the file can then be used unchanged. The only changes to the
 * world are new components and archetypes, which are harmless if the load fails. */
#include "scene_match.h"

#include "asset_types.h"
#include "scene_agree.h"

#include <kiln/convert.h>
#include <stdio.h>
#include <string.h>

typedef struct matching {
    kiln_scene_instance *instance;
    const kiln_scene_load_args *args;
    kiln_error *reterr;
} matching;

static kiln_status fail(const matching *m, kiln_status status, const char *path)
{
    return kiln_fail(m->reterr, status, 0, path);
}

/* ---- components ---- */

/* For a component that is used with the file's layout: copies the offsets of its data words and
 * finds their lists in the scene's data. */
static kiln_status take_fields(const matching *m, uint32_t number, scene_component *component)
{
    const kiln_scene_source *source = m->instance->source;
    const kiln_scene_component *in = scene_stored_component(source, number);
    uint32_t count = in->fields.count;
    if (count == 0)
        return KILN_OK;
    const kiln_scene_field *fields = kiln_relative_get(&in->fields, in->fields.offset);
    component->fields = world_alloc(m->instance->world, 2 * count * sizeof *component->fields);
    if (!component->fields)
        return fail(m, KILN_NO_MEMORY, NULL);
    component->field_count = count;
    for (uint32_t i = 0; i < count; i++) {
        component->fields[i] = fields[i].place;
        component->fields[count + i] = KILN_TYPE_NONE;
        if (!source->data_type)
            continue;
        const kiln_member *list = scene_find_list(source, &fields[i].name);
        if (!list)
            return fail(m, KILN_S_TYPE, kiln_string_get(&fields[i].name));
        component->fields[count + i] = (uint32_t)(list - source->data_type->members);
    }
    return KILN_OK;
}

/* Uses the component with the file's layout, and registers it if it is new to the world. */
static kiln_status use_as_is(const matching *m, uint32_t number, const char *name,
                             scene_component *component)
{
    const kiln_component_desc *in = &m->instance->source->view.components[number];
    kiln_component_desc desc = *in;
    desc.name = name;
    kiln_status status = kiln_component_desc_check(&desc);
    component->component = kiln_component_find(m->instance->world, name);
    if (!status && !component->component.number)
        status = kiln_component_register(m->instance->world, &desc, &component->component);
    if (status)
        return fail(m, status, name);
    component->desc = in;
    status = take_fields(m, number, component);
    if (status)
        return status;
    status = kiln_scene_check_component(m->instance, number, component);
    return status ? fail(m, status, name) : KILN_OK;
}

/* Finds the default values of data fields that conversion adds. Their lifetime is that of the
 * program's types. */
static kiln_status find_defaults(const matching *m, uint32_t type, scene_component *component)
{
    uint32_t count = component->type.field_count;
    if (count == 0)
        return KILN_OK;
    component->defaults = world_alloc(m->instance->world, count * sizeof *component->defaults);
    if (!component->defaults)
        return fail(m, KILN_NO_MEMORY, NULL);
    for (uint32_t i = 0; i < count; i++) {
        const kiln_member *member;
        kiln_scene_element_at(m->instance->source->assets->types, type,
                              component->type.field_places[i], &member);
        component->defaults[i] = member ? member->default_image : NULL;
    }
    return KILN_OK;
}

/* Uses the component with the program's layout, which differs from the file's: its columns are
 * converted. */
static kiln_status use_converted(const matching *m, uint32_t number, uint32_t type,
                                 scene_component *component)
{
    const kiln_scene_source *source = m->instance->source;
    kiln_world *world = m->instance->world;
    const char *name = source->view.components[number].name;
    const kiln_types *types = source->assets->types;
    kiln_conversion_def def = kiln_conversion_def_default();
    def.from = source->file_types;
    def.from_type = def.from ? kiln_types_find(def.from, name) : KILN_TYPE_NONE;
    def.to = types;
    def.to_type = type;
    def.allocator = &world->allocator;
    if (def.from_type == KILN_TYPE_NONE)
        return fail(m, KILN_NO_TYPES, name);
    const kiln_type *from = kiln_types_get(def.from, def.from_type);
    if (from->layout != source->view.components[number].layout ||
        source->assets->def.forbid_conversion)
        return fail(m, KILN_TYPE_MISMATCH, name);
    kiln_error error = {0};
    kiln_status status = kiln_conversion_create(&def, &component->conversion, &error);
    if (status) {
        char path[2 * KILN_PATH_SIZE];
        snprintf(path, sizeof path, "%s: %s: %s", name, error.path, kiln_status_text(status));
        return fail(m, status == KILN_NO_MEMORY ? status : KILN_TYPE_MISMATCH, path);
    }
    bool is_own = source->data_type && source->data_types == types;
    uint32_t data = is_own ? kiln_types_find(types, source->data_type->name) : KILN_TYPE_NONE;
    status = kiln_component_type_init(types, type, data, &world->allocator, &component->type);
    if (status)
        return fail(m, status, name);
    component->has_type = true;
    /* Converted fields refer to data of the program's types. Data whose type the program lacks
     * still has the file's type, so such fields cannot be used. */
    if (component->type.field_count && source->data_type && !is_own)
        return fail(m, KILN_NO_TYPES, source->data_type->name);
    status = find_defaults(m, type, component);
    if (status)
        return status;
    status = kiln_component_register(world, &component->type.desc, &component->component);
    component->desc = &component->type.desc;
    return status ? fail(m, status, name) : KILN_OK;
}

static kiln_status use_unknown(const matching *m, uint32_t number, scene_component *component)
{
    const char *name = m->instance->source->view.components[number].name;
    if (m->args->unknown == KILN_UNKNOWN_KEEP)
        return use_as_is(m, number, name, component);
    component->is_dropped = true;
    return m->args->unknown == KILN_UNKNOWN_DROP ? KILN_OK : fail(m, KILN_NOT_FOUND, name);
}

/* Whether a component has the same layout in the file and in the world. If it was registered
 * without a hash, only size and alignment count. */
static bool is_same(const kiln_component_desc *in, const kiln_component_desc *world)
{
    return in->size == world->size && in->alignment == world->alignment &&
           (in->layout == world->layout || world->layout == 0);
}

static kiln_status match_component(const matching *m, uint32_t number, scene_component *component)
{
    const kiln_scene_source *source = m->instance->source;
    const kiln_component_desc *in = &source->view.components[number];
    uint32_t type = kiln_asset_program_type(source->assets, in->name);
    const kiln_type *program =
        type == KILN_TYPE_NONE ? NULL : kiln_types_get(source->assets->types, type);
    const char *name = program ? program->name : in->name;
    const kiln_component_desc *known =
        kiln_component_get(m->instance->world, kiln_component_find(m->instance->world, name));
    if (!known && !program)
        return use_unknown(m, number, component);
    if (known ? is_same(in, known) : program->layout == in->layout)
        return use_as_is(m, number, name, component);
    if (!program || (known && known->layout != program->layout))
        return fail(m, KILN_TYPE_MISMATCH, name);
    return use_converted(m, number, type, component);
}

/* ---- archetypes ---- */

static bool has_words(const scene_component *component)
{
    uint32_t fields = component->has_type ? component->type.field_count : component->field_count;
    return component->desc->entity_count || component->desc->asset_count || fields;
}

static void fill_column(const scene_component *component, const archetype *a, uint32_t number,
                        scene_column *column)
{
    memset(column, 0, sizeof *column);
    column->number = number;
    column->component = component->component;
    column->desc = component->desc;
    column->size = component->desc->size;
    column->offset = a->columns[component->component.number].offset;
    column->conversion = component->conversion;
    column->has_words = has_words(component);
    if (component->has_type) {
        column->field_places = component->type.field_places;
        column->field_lists = component->type.field_members;
        column->field_count = component->type.field_count;
        column->field_defaults = component->defaults;
    } else {
        column->field_places = component->fields;
        /* Without fields, `fields` is NULL, and adding an offset to NULL would be undefined. */
        if (component->field_count > 0)
            column->field_lists = component->fields + component->field_count;
        column->field_count = component->field_count;
    }
}

/* Finds or creates the world's archetype for a part. `set` is scratch memory for its components. */
static kiln_status match_archetype(const matching *m, const scene_component *components,
                                   kiln_component *set, scene_part *part)
{
    kiln_scene_instance *instance = m->instance;
    const kiln_scene_view *view = &instance->source->view;
    const kiln_scene_rows *rows = part->rows;
    uint32_t count = 0;
    for (uint32_t i = 0; i < rows->component_count; i++) {
        const scene_component *component = &components[kiln_scene_column_number(view, rows, i)];
        if (!component->is_dropped)
            set[count++] = component->component;
    }
    if (count == 0)
        return KILN_OK;
    kiln_archetype number;
    kiln_status status = kiln_archetype_register(instance->world, set, count, &number);
    if (status)
        return fail(m, status, "an archetype");
    part->archetype = world_archetype(instance->world, number);
    /* Then the scene has a component twice: under its name and under an earlier name. */
    if (part->archetype->component_count < count)
        return fail(m, KILN_DUPLICATE, "an archetype");
    bool is_same = part->archetype->capacity == rows->rows_per_chunk;
    for (uint32_t i = 0; i < rows->component_count; i++) {
        const scene_component *component = &components[kiln_scene_column_number(view, rows, i)];
        is_same = is_same && !component->is_dropped && !component->conversion;
        if (component->is_dropped || component->desc->size == 0)
            continue;
        scene_column *column = &part->columns[part->column_count++];
        fill_column(component, part->archetype, i, column);
        is_same = is_same && column->offset == rows->offsets[i];
        part->has_words = part->has_words || column->has_words;
    }
    part->is_direct = is_same;
    return KILN_OK;
}

/* Lays out the instance's memory: the parts, then the columns of each. */
static void lay_out_parts(kiln_scene_instance *instance)
{
    const kiln_scene_view *view = &instance->source->view;
    memset(instance->memory, 0, instance->memory_size);
    instance->parts = instance->memory;
    instance->part_count = view->archetype_count;
    scene_column *next = (scene_column *)(void *)(instance->parts + view->archetype_count);
    for (uint32_t i = 0; i < view->archetype_count; i++) {
        instance->parts[i].rows = &view->archetypes[i];
        instance->parts[i].columns = next;
        next += view->archetypes[i].component_count;
    }
}

static kiln_status match_archetypes(const matching *m)
{
    kiln_scene_instance *instance = m->instance;
    const kiln_scene_view *view = &instance->source->view;
    size_t columns = 0, widest = 0;
    for (uint32_t i = 0; i < view->archetype_count; i++) {
        uint32_t count = view->archetypes[i].component_count;
        columns += count;
        widest = count > widest ? count : widest;
    }
    instance->memory_size =
        view->archetype_count * sizeof(scene_part) + columns * sizeof(scene_column);
    size_t set_size = (widest + 1) * sizeof(kiln_component);
    kiln_component *set = world_alloc(instance->world, set_size);
    instance->memory = world_alloc(instance->world, instance->memory_size + 1);
    kiln_status status = set && instance->memory ? KILN_OK : fail(m, KILN_NO_MEMORY, NULL);
    if (!status)
        lay_out_parts(instance);
    for (uint32_t i = 0; i < view->archetype_count && !status; i++)
        status = match_archetype(m, instance->components, set, &instance->parts[i]);
    world_free(instance->world, set, set_size);
    return status;
}

kiln_status kiln_scene_match(kiln_scene_instance *instance, const kiln_scene_load_args *args,
                             kiln_error *reterr)
{
    matching m = {instance, args, reterr};
    uint32_t count = instance->source->view.component_count;
    size_t size = ((size_t)count + 1) * sizeof *instance->components;
    instance->components = world_alloc(instance->world, size);
    if (!instance->components)
        return fail(&m, KILN_NO_MEMORY, NULL);
    memset(instance->components, 0, size);
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < count && !status; i++)
        status = match_component(&m, i, &instance->components[i]);
    return status ? status : match_archetypes(&m);
}

void kiln_scene_match_fini(kiln_scene_instance *instance)
{
    kiln_world *world = instance->world;
    uint32_t count = instance->source->view.component_count;
    for (uint32_t i = 0; instance->components && i < count; i++) {
        scene_component *component = &instance->components[i];
        kiln_conversion_destroy(component->conversion);
        world_free(world, (void *)component->defaults,
                   component->type.field_count * sizeof *component->defaults);
        if (component->has_type)
            kiln_component_type_fini(&component->type);
        world_free(world, component->fields,
                   2 * component->field_count * sizeof *component->fields);
    }
    world_free(world, instance->components, ((size_t)count + 1) * sizeof *instance->components);
    world_free(world, instance->memory, instance->memory_size + 1);
    instance->components = NULL;
    instance->memory = NULL;
    instance->parts = NULL;
}
