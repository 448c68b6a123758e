/* Compiles the value of a field that the older layout does not have: its default, or an empty
 * value.
 *
 * A default is an image, a small payload. Its inline bytes become constants of the row. The objects
 * below it become a convert_image that a run places once; the links of all rows point there. Only
 * reachable objects are copied into the image, because a valid payload must not contain others. */
#include "convert_compile.h"

#include <kiln/value.h>
#include <string.h>

/* An image under construction. Objects with relative fields start at multiples of 4, so the index
 * of a word identifies such an object, and each is visited once. */
typedef struct image_maker {
    convert_compiler *k;
    convert_image image;
    uint8_t *heights; /* by the word at which an object starts; 0: not visited */
} image_maker;

static void copy_objects(image_maker *e, const kiln_value *value, uint32_t *height);

static void copy_children(image_maker *e, const kiln_value *value, uint32_t *height)
{
    kiln_value child;
    uint32_t count = kiln_value_count(value);
    for (uint32_t i = 0; i < count; i++) {
        if (value->of->kind == KILN_KIND_MAP && kiln_value_key(value, i, &child) == KILN_OK)
            copy_objects(e, &child, height);
        if (kiln_value_at(value, i, &child) == KILN_OK)
            copy_objects(e, &child, height);
    }
}

static uint32_t align_of_target(const kiln_value *value)
{
    if (value->of->kind != KILN_KIND_UNION)
        return object_form_of_field(value->types, value->type).align;
    return type_at(value->types, kiln_value_member(value)->type)->align;
}

static bool target_has_fields(const kiln_value *value)
{
    const kiln_type *of = value->of;
    if (of->kind == KILN_KIND_STRING || of->kind == KILN_KIND_BYTES)
        return false;
    if (of->kind == KILN_KIND_UNION)
        return type_at(value->types, kiln_value_member(value)->type)->has_pointers;
    return type_at(value->types, of->element)->has_pointers ||
           (of->kind == KILN_KIND_MAP && type_at(value->types, of->key)->has_pointers);
}

/* The offset in the image that a relative field of the default points to; 0 if it is empty. */
static uint32_t target_of(const kiln_value *value, uint32_t *ret_size)
{
    const unsigned char *target = NULL;
    uint64_t size = 0;
    if (kiln_value_target(value, &target, &size) || !target)
        return 0;
    *ret_size = (uint32_t)size;
    return (uint32_t)(target - value->begin);
}

/* Copies the objects below a value into the image, at the same offsets as in the default. Raises
 * `*height` to at least the number of objects on the longest path. */
static void copy_objects(image_maker *e, const kiln_value *value, uint32_t *height)
{
    uint32_t size = 0, own = 1;
    if (!value->of->has_pointers)
        return;
    if (value->of->kind == KILN_KIND_STRUCT || value->of->kind == KILN_KIND_FIXED) {
        copy_children(e, value, height);
        return;
    }
    uint32_t target = target_of(value, &size), align = 1;
    if (target == 0)
        return;
    align = align_of_target(value);
    if (align > e->image.align)
        e->image.align = align;
    if (!target_has_fields(value)) {
        memcpy(e->image.bytes + target, value->begin + target, size);
    } else if (e->heights[target / 4]) {
        own = e->heights[target / 4];
    } else {
        memcpy(e->image.bytes + target, value->begin + target, size);
        uint32_t below = 0;
        copy_children(e, value, &below);
        own += below;
        e->heights[target / 4] = (uint8_t)own;
    }
    if (own > *height)
        *height = own;
}

/* Collects the links of an inline value at offset `to` of the row, and clears their offsets in
 * `bytes`, a copy of the value: they depend on where the value is written. */
static kiln_status collect_links(convert_compiler *k, vector *links, const kiln_value *value,
                                 unsigned char *bytes, uint32_t to)
{
    uint32_t size, union_at = value->of->kind == KILN_KIND_UNION ? 4 : 0;
    if (!value->of->has_pointers)
        return KILN_OK;
    if (value->of->kind == KILN_KIND_STRUCT || value->of->kind == KILN_KIND_FIXED) {
        kiln_status status = KILN_OK;
        kiln_value child;
        for (uint32_t i = 0; i < kiln_value_count(value) && !status; i++) {
            if (kiln_value_at(value, i, &child) != KILN_OK)
                continue;
            uint32_t at = (uint32_t)(child.data - value->data);
            status = collect_links(k, links, &child, bytes + at, to + at);
        }
        return status;
    }
    uint32_t target = target_of(value, &size);
    if (target == 0)
        return KILN_OK;
    convert_step *link = kiln_vector_push(links, &k->c->allocator, 1, sizeof *link);
    if (!link)
        return kiln_convert_no_memory(k);
    memset(link, 0, sizeof *link);
    link->op = CONVERT_LINK;
    link->to = to + union_at;
    link->count = target;
    link->index = (uint32_t)k->c->images.count;
    memset(bytes + union_at, 0, 4);
    return KILN_OK;
}

/* Makes an image of the objects below a value; for a fixed array, below its elements from `first`
 * on. */
static kiln_status add_image(convert_compiler *k, const kiln_value *value, uint32_t first)
{
    uint32_t size = (uint32_t)(value->end - value->begin), words = size / 4 + 1;
    image_maker e = {.k = k, .image = {.size = size, .align = 1}};
    e.image.bytes = kiln_arena_alloc_zeroed(&k->c->memory, size, 16);
    e.heights = k->c->allocator.alloc(k->c->allocator.ctx, words, 1);
    if (!e.image.bytes || !e.heights) {
        if (e.heights)
            k->c->allocator.free(k->c->allocator.ctx, e.heights, words);
        return kiln_convert_no_memory(k);
    }
    memset(e.heights, 0, words);
    kiln_value child;
    if (value->of->kind != KILN_KIND_FIXED)
        copy_objects(&e, value, &e.image.height);
    for (uint32_t i = first; value->of->kind == KILN_KIND_FIXED && i < value->of->count; i++)
        if (kiln_value_at(value, i, &child) == KILN_OK)
            copy_objects(&e, &child, &e.image.height);
    k->c->allocator.free(k->c->allocator.ctx, e.heights, words);
    convert_image *image = kiln_vector_push(&k->c->images, &k->c->allocator, 1, sizeof *image);
    if (!image)
        return kiln_convert_no_memory(k);
    *image = e.image;
    return KILN_OK;
}

/* The word KILN_DATA_DEFAULT. */
static const unsigned char data_default[8] = {255, 255, 255, 255, 255, 255, 255, 255};

/* Appends a default; for a fixed array, its elements from `first` on. */
static kiln_status add_default(convert_compiler *k, const kiln_member *member, uint32_t to,
                               uint32_t first)
{
    kiln_value root;
    if (type_at(k->c->to, member->type)->kind == KILN_KIND_DATA)
        return kiln_convert_add_constant(k, to, data_default, sizeof data_default);
    if (kiln_value_root(k->c->to, member->type, member->default_image, member->default_size, &root))
        return kiln_fail(k->reterr, KILN_BAD_ARGUMENT, 0, NULL);
    uint32_t skip = root.of->kind == KILN_KIND_FIXED ? root.of->size / root.of->count * first : 0;
    uint32_t size = root.of->size - skip;
    unsigned char *bytes = kiln_arena_alloc(&k->c->memory, root.of->size, 1);
    if (!bytes)
        return kiln_convert_no_memory(k);
    memcpy(bytes, root.data, root.of->size);
    vector links = {NULL, 0, 0};
    kiln_status status = collect_links(k, &links, &root, bytes, to);
    if (!status)
        status = kiln_convert_add_constant(k, to + skip, bytes + skip, size);
    bool is_linked = false;
    for (size_t i = 0; i < links.count && !status; i++) {
        const convert_step *link = CONVERT_ITEM(const convert_step, links, i);
        if (link->to < to + skip)
            continue;
        status = kiln_convert_add(k, link);
        is_linked = true;
    }
    kiln_vector_fini(&links, &k->c->allocator, sizeof(convert_step));
    return !status && is_linked ? add_image(k, &root, first) : status;
}

kiln_status kiln_convert_add_new(convert_compiler *k, uint32_t type, uint32_t to, uint32_t first,
                                 const convert_place *place)
{
    const kiln_type *of = type_at(k->c->to, type);
    const kiln_member *member = place->steps == 0 ? place->member : NULL;
    uint32_t size = of->size;
    bool is_required = false;
    if (of->kind == KILN_KIND_FIXED && first > 0) {
        /* Only the elements that the older array does not have. */
        if (member && member->default_image)
            return add_default(k, member, to, first);
        uint32_t skip = size / of->count * first;
        to += skip;
        size -= skip;
        of = type_at(k->c->to, of->element);
        member = NULL;
    }
    /* A value of a newtype may be missing from the older layout if the value inside it may be
     * missing. */
    for (;;) {
        if (member && member->default_image) {
            kiln_status status = add_default(k, member, to, 0);
            uint32_t inner = type_at(k->c->to, member->type)->size;
            return status ? status
                          : kiln_convert_add_bytes(k, CONVERT_ZERO, 0, to + inner, size - inner);
        }
        is_required = is_required || (member && (member->flags & KILN_MEMBER_REQUIRED));
        if (!(of->flags & KILN_TYPE_TRANSPARENT))
            break;
        member = of->members;
        of = type_at(k->c->to, member->type);
    }
    const kiln_type *empty = of->kind == KILN_KIND_DATA ? type_at(k->c->to, of->element) : of;
    if (is_required || (empty->kind != KILN_KIND_ARRAY && empty->kind != KILN_KIND_MAP &&
                        empty->kind != KILN_KIND_OPTIONAL && empty->kind != KILN_KIND_UNION &&
                        empty->kind != KILN_KIND_ENTITY))
        return kiln_convert_fail(k, KILN_UNREADABLE_MISSING, place);
    return kiln_convert_add_bytes(k, CONVERT_ZERO, 0, to, size);
}
