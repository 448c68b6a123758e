/* Compares the properties of components that a layout hash does not cover.
 *
 * Name and layout identify a named type, so the recursion follows only unnamed types, which cannot
 * contain themselves. For a component with the program's layout, the offsets of its words are
 * compared with those of the program's type. A word that stayed unresolved would be a small number,
 * which the program would use as an address. */
#include "scene_agree.h"

#include "asset_types.h"

#include <string.h>

bool kiln_scene_same_type(const kiln_types *a, uint32_t x, const kiln_types *b, uint32_t y)
{
    const kiln_type *left = kiln_types_get(a, x), *right = kiln_types_get(b, y);
    if (!left || !right)
        return left == right;
    if (left->kind != right->kind || left->count != right->count ||
        left->align_at != right->align_at)
        return false;
    if (kiln_kind_is_named(left->kind))
        return left->layout == right->layout && strcmp(left->name, right->name) == 0;
    switch (left->kind) {
    case KILN_KIND_MAP:
        return kiln_scene_same_type(a, left->key, b, right->key) &&
               kiln_scene_same_type(a, left->element, b, right->element);
    case KILN_KIND_ARRAY:
    case KILN_KIND_OPTIONAL:
    case KILN_KIND_FIXED:
        return kiln_scene_same_type(a, left->element, b, right->element);
    default:
        return true;
    }
}

/* The field that contains the byte at offset `place` of a struct; NULL for padding, and for a type
 * that is not a struct. */
static const kiln_member *member_at(const kiln_types *types, const kiln_type *of, uint32_t place)
{
    for (uint32_t i = 0; of->kind == KILN_KIND_STRUCT && i < of->member_count; i++) {
        const kiln_member *member = &of->members[i];
        if (place >= member->offset &&
            place - member->offset < kiln_types_get(types, member->type)->size)
            return member;
    }
    return NULL;
}

uint32_t kiln_scene_element_at(const kiln_types *types, uint32_t type, uint32_t place,
                               const kiln_member **ret_member)
{
    *ret_member = NULL;
    for (;;) {
        const kiln_type *of = kiln_types_get(types, type);
        if (of->kind == KILN_KIND_DATA)
            return of->element;
        if (of->kind == KILN_KIND_FIXED) {
            type = of->element;
            place %= kiln_types_get(types, type)->size;
            *ret_member = NULL;
            continue;
        }
        const kiln_member *member = member_at(types, of, place);
        *ret_member = member;
        if (!member)
            return KILN_TYPE_NONE;
        type = member->type;
        place -= member->offset;
    }
}

static bool are_same(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count)
{
    return a_count == b_count && (a_count == 0 || memcmp(a, b, a_count * sizeof *a) == 0);
}

static bool have_same_words(const kiln_component_desc *a, const kiln_component_desc *b)
{
    return are_same(a->entity_places, a->entity_count, b->entity_places, b->entity_count) &&
           are_same(a->asset_places, a->asset_count, b->asset_places, b->asset_count);
}

/* Whether the data words have the same offsets as in the program's type, and refer to lists of its
 * types. */
static bool has_same_data(const kiln_scene_source *source, const scene_component *component,
                          uint32_t type, const kiln_component_type *of)
{
    const kiln_types *types = source->assets->types;
    uint32_t count = component->field_count;
    if (!are_same(of->field_places, of->field_count, component->fields, count))
        return false;
    for (uint32_t i = 0; i < count && source->data_type; i++) {
        const kiln_member *member = &source->data_type->members[component->fields[count + i]];
        const kiln_type *list = kiln_types_get(source->data_types, member->type);
        const kiln_member *unused;
        uint32_t element = kiln_scene_element_at(types, type, component->fields[i], &unused);
        if (list->kind != KILN_KIND_ARRAY ||
            !kiln_scene_same_type(source->data_types, list->element, types, element))
            return false;
    }
    return true;
}

kiln_status kiln_scene_check_component(const kiln_scene_instance *instance, uint32_t number,
                                       const scene_component *component)
{
    const kiln_scene_source *source = instance->source;
    const kiln_component_desc *in = &source->view.components[number];
    const kiln_component_desc *known = kiln_component_get(instance->world, component->component);
    /* If the component was registered without a hash, only its size and alignment are compared, by
     * kiln_scene_match. */
    if (known->layout != 0 && !have_same_words(in, known))
        return KILN_TYPE_MISMATCH;
    uint32_t type = kiln_asset_program_type(source->assets, in->name);
    if (type == KILN_TYPE_NONE || kiln_types_get(source->assets->types, type)->layout != in->layout)
        return KILN_OK;
    kiln_component_type of;
    kiln_status status = kiln_component_type_init(source->assets->types, type, KILN_TYPE_NONE,
                                                  &instance->world->allocator, &of);
    if (status)
        return status == KILN_NO_MEMORY ? status : KILN_TYPE_MISMATCH;
    if (in->size != of.desc.size || in->alignment != of.desc.alignment ||
        !have_same_words(in, &of.desc) || !has_same_data(source, component, type, &of))
        status = KILN_TYPE_MISMATCH;
    kiln_component_type_fini(&of);
    return status;
}
