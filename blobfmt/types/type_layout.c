/* Computes sizes, alignments and offsets: FORMAT.md section 6, rules T5 (for align_at), T6 and L2.
 *
 * The layout is the one that C compilers use on hosts that align 8-byte numbers to 8 bytes.
 * Programs can therefore declare the same structs and use blobs in place. Types are laid out after
 * the types that they contain by value; the recursion is no deeper than T6 allows. The targets of
 * relative fields come last, when all sizes are known, which is why a type may point to itself but
 * not contain itself. */
#include "object_form.h"

#include <kiln/blob_header.h>
#include <string.h>

enum { HEIGHT_UNKNOWN = 0, HEIGHT_BUSY = 255 };

static uint64_t round_up(uint64_t value, uint32_t align)
{
    return (value + align - 1) & ~(uint64_t)(align - 1);
}

/* `n` must not be 0. */
static bool is_power_of_two(uint32_t n)
{
    return (n & (n - 1)) == 0;
}

typedef struct layout {
    kiln_types *types;
    uint8_t *heights; /* by type: how many types nest by value, including itself; or HEIGHT_UNKNOWN
                         or HEIGHT_BUSY */
    kiln_error *reterr;
} layout;

static kiln_status lay_out(layout *l, uint32_t number, int depth);

/* Lays out a part by value, and raises `*height` above the height of the part. A busy part contains
 * the type that is being laid out. */
static kiln_status lay_out_part(layout *l, uint32_t whole, uint32_t part, int depth,
                                uint8_t *height)
{
    if (l->heights[part] == HEIGHT_BUSY || depth >= KILN_INLINE_DEPTH_MAX)
        return kiln_type_fail(l->reterr, KILN_T_RECURSION, l->types, whole, NULL);
    kiln_status status = lay_out(l, part, depth + 1);
    if (!status && l->heights[part] >= *height)
        *height = (uint8_t)(l->heights[part] + 1);
    return status;
}

static kiln_status lay_out_struct(layout *l, uint32_t number, int depth, uint8_t *height)
{
    kiln_type *type = &l->types->types[number];
    uint64_t end = 0;
    uint32_t align = type->align_at ? type->align_at : 1;
    if (!is_power_of_two(align) || align > KILN_ALIGN_MAX)
        return kiln_type_fail(l->reterr, KILN_T_LAYOUT, l->types, number, NULL);
    type->plain = true;
    for (uint32_t i = 0; i < type->member_count; i++) {
        kiln_member *member = (kiln_member *)(uintptr_t)&type->members[i];
        kiln_status status = lay_out_part(l, number, member->type, depth, height);
        if (status)
            return status;
        const kiln_type *of = type_at(l->types, member->type);
        uint64_t at = round_up(end, of->align);
        /* A gap before the field is padding, which must be zero, so not every bit pattern is valid.
         */
        type->plain = type->plain && of->plain && at == end;
        type->has_pointers = type->has_pointers || of->has_pointers;
        type->has_floats = type->has_floats || of->has_floats;
        type->is_component_only = type->is_component_only || of->is_component_only;
        align = of->align > align ? of->align : align;
        end = at + of->size;
        if (end > KILN_TYPE_SIZE_MAX)
            return kiln_type_fail(l->reterr, KILN_L_TYPE_SIZE, l->types, number, member);
        member->offset = (uint32_t)at;
    }
    /* A struct without fields has size 1, so that two objects of this type cannot start at the same
     * byte. */
    uint64_t size = round_up(end ? end : 1, align);
    if (size > KILN_TYPE_SIZE_MAX)
        return kiln_type_fail(l->reterr, KILN_L_TYPE_SIZE, l->types, number, NULL);
    type->plain = type->plain && size == end;
    type->size = (uint32_t)size;
    type->align = align;
    return KILN_OK;
}

static kiln_status lay_out_fixed(layout *l, uint32_t number, int depth, uint8_t *height)
{
    kiln_type *type = &l->types->types[number];
    kiln_status status = lay_out_part(l, number, type->element, depth, height);
    if (status)
        return status;
    const kiln_type *of = type_at(l->types, type->element);
    uint64_t size = (uint64_t)of->size * type->count;
    if (size > KILN_TYPE_SIZE_MAX)
        return kiln_type_fail(l->reterr, KILN_L_TYPE_SIZE, l->types, number, NULL);
    type->size = (uint32_t)size;
    type->align = of->align;
    type->plain = of->plain;
    type->has_pointers = of->has_pointers;
    type->has_floats = of->has_floats;
    type->is_component_only = of->is_component_only;
    return KILN_OK;
}

static void lay_out_number(kiln_type *type, kiln_kind kind)
{
    type->size = type->align = kiln_kind_size(kind);
    type->has_floats = kiln_kind_is_float(type->kind);
    type->plain = kiln_kind_is_integer(type->kind) || type->has_floats;
}

/* Recurses no deeper than KILN_INLINE_DEPTH_MAX. Each type is laid out only once. */
static kiln_status lay_out(layout *l, uint32_t number, int depth)
{
    kiln_type *type = &l->types->types[number];
    if (l->heights[number] != HEIGHT_UNKNOWN)
        return KILN_OK;
    l->heights[number] = HEIGHT_BUSY;
    uint8_t height = 1;
    kiln_status status = KILN_OK;
    switch (type->kind) {
    case KILN_KIND_STRUCT:
        status = lay_out_struct(l, number, depth, &height);
        break;
    case KILN_KIND_FIXED:
        status = lay_out_fixed(l, number, depth, &height);
        break;
    case KILN_KIND_FLAGS:
        for (uint32_t i = 0; i < type->member_count; i++)
            type->mask |= type->members[i].value;
        lay_out_number(type, type->base);
        break;
    case KILN_KIND_ENUM:
        lay_out_number(type, type->base);
        break;
    case KILN_KIND_ENTITY:
    case KILN_KIND_DATA:
        type->size = 8;
        type->align = type->kind == KILN_KIND_ENTITY ? 4 : 8;
        type->is_component_only = true;
        break;
    case KILN_KIND_OPTIONAL:
        type->size = type->align = 4;
        type->has_pointers = true;
        break;
    case KILN_KIND_STRING:
    case KILN_KIND_BYTES:
    case KILN_KIND_UNION:
    case KILN_KIND_ARRAY:
    case KILN_KIND_MAP:
        type->size = 8;
        type->align = 4;
        type->has_pointers = true;
        break;
    default:
        lay_out_number(type, type->kind);
    }
    /* Parts that were laid out earlier are not visited again, so checking `depth` alone would miss
     * their nesting. */
    if (!status && height > KILN_INLINE_DEPTH_MAX)
        status = kiln_type_fail(l->reterr, KILN_T_RECURSION, l->types, number, NULL);
    l->heights[number] = height;
    return status;
}

/* Lays out the object that a field of this type points to, once all sizes are known. */
static kiln_status lay_out_target(layout *l, uint32_t number)
{
    kiln_type *type = &l->types->types[number];
    const kiln_type *element = kiln_types_get(l->types, type->element);
    uint32_t natural = 1;
    if (type->kind == KILN_KIND_MAP) {
        const kiln_type *key = type_at(l->types, type->key);
        uint32_t align = key->align > element->align ? key->align : element->align;
        uint64_t value_at = round_up(key->size, element->align);
        uint64_t size = round_up(value_at + element->size, align);
        if (size > KILN_TYPE_SIZE_MAX)
            return kiln_type_fail(l->reterr, KILN_L_TYPE_SIZE, l->types, number, NULL);
        type->value_offset = (uint32_t)value_at;
        type->entry_size = (uint32_t)size;
        type->entry_align = natural = align;
    } else if (type->kind == KILN_KIND_ARRAY || type->kind == KILN_KIND_OPTIONAL) {
        natural = element->align;
    }
    if (type->kind == KILN_KIND_ARRAY || type->kind == KILN_KIND_BYTES) {
        /* An `align_at` no larger than the natural alignment would be a second spelling of the same
         * type, with a different layout hash. */
        if (type->align_at && (!is_power_of_two(type->align_at) ||
                               type->align_at > KILN_ALIGN_MAX || type->align_at <= natural))
            return kiln_type_fail(l->reterr, KILN_T_LAYOUT, l->types, number, NULL);
        if (type->align_at)
            natural = type->align_at;
    }
    type->target_align = natural;
    return KILN_OK;
}

static object_form form_of_target(const kiln_types *types, uint32_t number)
{
    const kiln_type *type = type_at(types, number);
    object_form none = {0, KILN_TYPE_NONE, 0, 1};
    object_form string = {UNIT_STRING, KILN_TYPE_NONE, 1, 1};
    object_form bytes = {UNIT_NUMBER | KILN_KIND_U8, KILN_TYPE_NONE, 1, type->target_align};
    object_form entries = {UNIT_ENTRIES | number, number, type->entry_size, type->entry_align};
    switch (type->kind) {
    case KILN_KIND_STRING:
        return string;
    case KILN_KIND_BYTES:
        return bytes;
    case KILN_KIND_MAP:
        return entries;
    case KILN_KIND_ARRAY:
    case KILN_KIND_OPTIONAL:
        return object_form_of_values(types, type->element, type->target_align);
    default:
        return none;
    }
}

kiln_status kiln_types_lay_out(kiln_types *types, kiln_error *reterr)
{
    const kiln_allocator *a = &types->allocator;
    size_t size = (size_t)types->count + 1;
    types->forms = kiln_arena_alloc(&types->memory, sizeof *types->forms * types->count + 1,
                                    _Alignof(object_form));
    if (!types->forms)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    layout l = {types, a->alloc(a->ctx, size, 1), reterr};
    if (!l.heights)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    memset(l.heights, HEIGHT_UNKNOWN, size);
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < types->count && !status; i++)
        status = lay_out(&l, i, 1);
    for (uint32_t i = 0; i < types->count && !status; i++)
        status = lay_out_target(&l, i);
    for (uint32_t i = 0; i < types->count && !status; i++)
        types->forms[i] = form_of_target(types, i);
    a->free(a->ctx, l.heights, size);
    return status;
}
