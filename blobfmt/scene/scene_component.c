/* Derives the description of a component from its type: the offsets of its words, and the arrays in
 * the scene's data that contain its values (FORMAT.md section 14, "Components and types").
 *
 * A type is traversed twice, first to count words and then to store them, so that one allocation
 * suffices. */
#include "scene_component.h"

#include "arena.h"

/* Whether the word at `place` overlaps a word in the ascending list. `*at` is the number of words
 * that end at or before `place`. Callers pass ascending places, so it only increases, and all calls
 * together take linear time. */
static bool overlaps(uint32_t place, const uint32_t *places, uint32_t count, uint32_t *at)
{
    while (*at < count && places[*at] + 8 <= place)
        ++*at;
    return *at < count && places[*at] < place + 8;
}

bool kiln_scene_data_places_are_valid(const kiln_component_desc *component, const void *places,
                                      size_t stride, uint32_t count)
{
    const unsigned char *next = places;
    uint64_t end = 0;
    uint32_t entities = 0, assets = 0;
    for (uint32_t i = 0; i < count; i++, next += stride) {
        uint32_t place;
        memcpy(&place, next, sizeof place);
        if (place < end || place % 8 != 0 || (uint64_t)place + 8 > component->size ||
            overlaps(place, component->entity_places, component->entity_count, &entities) ||
            overlaps(place, component->asset_places, component->asset_count, &assets))
            return false;
        end = (uint64_t)place + 8;
    }
    return count == 0 || component->alignment >= 8;
}

/* ---- the traversal of a type ---- */

static bool visit(const scene_visitor *v, const scene_path *path, uint32_t number, uint32_t place)
{
    const kiln_type *type = type_at(v->types, number);
    bool go_on = true;
    if (type->plain)
        return true;
    if (type->kind == KILN_KIND_STRUCT) {
        for (uint32_t i = 0; i < type->member_count && go_on; i++) {
            scene_path next = {path, &type->members[i]};
            go_on = visit(v, &next, type->members[i].type, place + type->members[i].offset);
        }
        return go_on;
    }
    if (type->kind == KILN_KIND_FIXED) {
        uint32_t size = type_at(v->types, type->element)->size;
        for (uint32_t i = 0; i < type->count && go_on; i++)
            go_on = visit(v, path, type->element, place + i * size);
        return go_on;
    }
    return v->on_value(v->ctx, path, number, place);
}

bool kiln_scene_visit(const scene_visitor *v, uint32_t number)
{
    return visit(v, NULL, number, 0);
}

bool kiln_scene_is_component(const kiln_types *types, uint32_t number)
{
    const kiln_type *type = kiln_types_get(types, number);
    return type && type->kind == KILN_KIND_STRUCT && !type->has_pointers &&
           type->size <= KILN_CHUNK_SIZE && type->align <= KILN_COLUMN_ALIGN;
}

/* ---- a component of a type ---- */

/* The words found so far. The lists are NULL in the first pass, which only counts. */
typedef struct describer {
    const kiln_types *types;
    const kiln_type *of, *data;
    uint32_t *entities, *assets, *fields, *members;
    uint32_t entity_count, asset_count, field_count;
    bool is_unknown; /* the data has no array for a field */
} describer;

enum { NAME_MAX_BYTES = (KILN_INLINE_DEPTH_MAX + 2) * 256 };

static size_t add_path(const scene_path *path, char *text)
{
    if (!path)
        return 0;
    size_t at = add_path(path->up, text), length = strlen(path->member->name);
    text[at] = '.';
    memcpy(text + at + 1, path->member->name, length);
    return at + 1 + length;
}

/* The number of the data's member that contains the values of a field; KILN_TYPE_NONE if there is
 * none. FORMAT.md section 14 defines its name: `game.Item.look.state`. */
static uint32_t find_list(const describer *d, const scene_path *path, uint32_t element)
{
    char name[NAME_MAX_BYTES];
    size_t length = strlen(d->of->name);
    memcpy(name, d->of->name, length);
    length += add_path(path, name + length);
    const kiln_member *member = d->data ? kiln_type_member(d->data, name, length) : NULL;
    if (!member)
        return KILN_TYPE_NONE;
    const kiln_type *list = type_at(d->types, member->type);
    return list->kind == KILN_KIND_ARRAY && list->element == element
               ? (uint32_t)(member - d->data->members)
               : KILN_TYPE_NONE;
}

static void record(uint32_t *list, uint32_t *count, uint32_t number)
{
    if (list)
        list[*count] = number;
    ++*count;
}

static bool describe(void *ctx, const scene_path *path, uint32_t number, uint32_t place)
{
    describer *d = ctx;
    const kiln_type *type = type_at(d->types, number);
    if (type->kind == KILN_KIND_ENTITY) {
        record(d->entities, &d->entity_count, place);
    } else if (type->kind == KILN_KIND_REF) {
        record(d->assets, &d->asset_count, place);
    } else if (type->kind == KILN_KIND_DATA) {
        uint32_t list = find_list(d, path, type->element);
        d->is_unknown |= d->data && list == KILN_TYPE_NONE;
        if (d->members)
            d->members[d->field_count] = list;
        record(d->fields, &d->field_count, place);
    }
    return true;
}

static kiln_status fill_places(describer *d, uint32_t number, kiln_component_type *made)
{
    scene_visitor visitor = {d->types, describe, d};
    kiln_scene_visit(&visitor, number);
    if (d->is_unknown)
        return KILN_BAD_ARGUMENT;
    size_t count = (size_t)d->entity_count + d->asset_count + 2 * (size_t)d->field_count;
    size_t name_size = strlen(d->of->name) + 1;
    made->memory_size = count * sizeof(uint32_t) + name_size;
    made->memory = made->allocator.alloc(made->allocator.ctx, made->memory_size, 8);
    if (!made->memory)
        return KILN_NO_MEMORY;
    d->entities = made->memory;
    d->assets = d->entities + d->entity_count;
    d->fields = d->assets + d->asset_count;
    d->members = d->fields + d->field_count;
    char *name = (char *)(d->members + d->field_count);
    memcpy(name, d->of->name, name_size);
    d->entity_count = d->asset_count = d->field_count = 0;
    kiln_scene_visit(&visitor, number);
    bool is_tag = d->of->member_count == 0;
    kiln_component_desc desc = {.name = name,
                                .layout = d->of->layout,
                                .size = is_tag ? 0 : d->of->size,
                                .alignment = is_tag ? 1 : d->of->align,
                                .entity_places = d->entity_count ? d->entities : NULL,
                                .asset_places = d->asset_count ? d->assets : NULL,
                                .entity_count = d->entity_count,
                                .asset_count = d->asset_count};
    made->desc = desc;
    made->field_places = d->field_count ? d->fields : NULL;
    made->field_members = d->field_count ? d->members : NULL;
    made->field_count = d->field_count;
    return KILN_OK;
}

kiln_status kiln_component_type_init(const kiln_types *types, uint32_t type, uint32_t data_type,
                                     const kiln_allocator *allocator,
                                     kiln_component_type *ret_component)
{
    const kiln_type *data = data_type == KILN_TYPE_NONE ? NULL : kiln_types_get(types, data_type);
    if (!kiln_scene_is_component(types, type) ||
        (data_type != KILN_TYPE_NONE && (!data || data->kind != KILN_KIND_STRUCT)))
        return KILN_BAD_ARGUMENT;
    kiln_component_type made = {.allocator = allocator_or_default(allocator)};
    describer d = {.types = types, .of = type_at(types, type), .data = data};
    kiln_status status = fill_places(&d, type, &made);
    if (!status)
        *ret_component = made;
    return status;
}

void kiln_component_type_fini(kiln_component_type *component)
{
    if (component->memory)
        component->allocator.free(component->allocator.ctx, component->memory,
                                  component->memory_size);
    memset(component, 0, sizeof *component);
}
