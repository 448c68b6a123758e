/* The general engine of the verifier: visits one value at a time and tracks its path.
 *
 * Each object is visited once, when the first field points to it; object_table.h records it, and
 * later fields are only compared with the record. Overlaps and padding are checked with a bitmap of
 * owned bytes. Recursion is bounded by KILN_DEPTH_MAX nested objects, each with
 * KILN_INLINE_DEPTH_MAX types nested by value. Work is linear in the payload. */
#include "verify_judge.h"

#include <kiln/path.h>

#include "arena.h"
#include "map_key.h"
#include "object_form.h"
#include "object_table.h"
#include "utf8.h"

#include <string.h>

/* The path to the value that is being checked: a linked list on the C stack. It is formatted only
 * to report an error. */
typedef struct step {
    const struct step *up;
    enum { STEP_NONE, STEP_MEMBER, STEP_NUMBER, STEP_KEY } kind;
    const kiln_member *member;
    uint32_t number;
    uint32_t key_type; /* STEP_KEY: the key is at payload + number */
} step;

typedef struct verifier {
    const kiln_types *types;
    const unsigned char *payload;
    uint32_t size;
    uint32_t align; /* of the payload */
    uint64_t base;  /* added to reported offsets */
    void (*on_ref)(void *ctx, kiln_id id, uint64_t offset);
    void *on_ref_ctx;
    kiln_error *reterr;
    object_table objects;
} verifier;

static kiln_status check_value(verifier *v, const step *path, uint32_t number, uint32_t at,
                               uint32_t depth, uint32_t *height);

static void add_steps(const verifier *v, const step *path, kiln_path *printed)
{
    if (!path)
        return;
    add_steps(v, path->up, printed);
    if (path->kind == STEP_MEMBER) {
        kiln_path_add_name(printed, path->member->name, strlen(path->member->name));
    } else if (path->kind == STEP_NUMBER) {
        kiln_path_add_number(printed, path->number);
    } else if (path->kind == STEP_KEY) {
        const kiln_type *of = type_at(v->types, path->key_type);
        kiln_value key = {v->types,       of,
                          path->key_type, v->payload + path->number,
                          v->payload,     v->payload + v->size};
        kiln_path_add_key(printed, &key);
    }
}

static kiln_status fail(const verifier *v, const step *path, kiln_status status, uint64_t at)
{
    kiln_path printed = {{0}, 0};
    if (v->reterr)
        add_steps(v, path, &printed);
    return kiln_fail(v->reterr, status, v->base + at, printed.text);
}

static uint32_t read_u32(const verifier *v, uint32_t at)
{
    uint32_t number;
    memcpy(&number, v->payload + at, sizeof number);
    return number;
}

static kiln_status check_zero(const verifier *v, const step *path, uint32_t from, uint32_t to)
{
    for (; from < to; from++)
        if (v->payload[from])
            return fail(v, path, KILN_V_PADDING, from);
    return KILN_OK;
}

static kiln_status check_struct(verifier *v, const step *path, const kiln_type *type, uint32_t at,
                                uint32_t depth, uint32_t *height)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < type->member_count; i++) {
        const kiln_member *member = &type->members[i];
        const kiln_type *of = type_at(v->types, member->type);
        bool is_newtype = (type->flags & KILN_TYPE_TRANSPARENT) != 0;
        step field = {path, is_newtype ? STEP_NONE : STEP_MEMBER, member, 0, 0};
        kiln_status status = check_zero(v, path, at + end, at + member->offset);
        if (!status && !of->plain)
            status = check_value(v, &field, member->type, at + member->offset, depth, height);
        if (status)
            return status;
        end = member->offset + of->size;
    }
    return check_zero(v, path, at + end, at + type->size);
}

static kiln_status check_text(const verifier *v, const step *path, uint32_t at, uint32_t length)
{
    const unsigned char *text = v->payload + at;
    if (text[length] != 0)
        return fail(v, path, KILN_V_STRING_END, at + (uint64_t)length);
    size_t valid = kiln_utf8_valid_prefix((const char *)text, length);
    if (valid == length)
        return KILN_OK;
    return fail(v, path, text[valid] ? KILN_V_STRING_UTF8 : KILN_V_STRING_NUL, at + valid);
}

static kiln_status check_entries(verifier *v, const step *path, const kiln_type *map, uint32_t at,
                                 uint32_t count, uint32_t depth, uint32_t *height)
{
    const kiln_type *key = type_at(v->types, map->key);
    const kiln_type *element = type_at(v->types, map->element);
    kiln_value previous = {v->types, key, map->key, NULL, v->payload, v->payload + v->size};
    kiln_value current = previous;
    for (uint32_t i = 0; i < count; i++, at += map->entry_size) {
        step by_number = {path, STEP_NUMBER, NULL, i, 0},
             by_key = {path, STEP_KEY, NULL, at, map->key};
        /* A path shows an entry by its key only after the key has been checked. */
        kiln_status status = check_value(v, &by_number, map->key, at, depth, height);
        if (status)
            return status;
        current.data = v->payload + at;
        if (!kiln_map_key_is_valid(&current))
            return fail(v, &by_number, KILN_V_MAP_KEY, at);
        if (i > 0 && kiln_value_compare_keys(&previous, &current) >= 0)
            return fail(v, &by_key, KILN_V_MAP_ORDER, at);
        previous = current;
        status = check_zero(v, &by_key, at + key->size, at + map->value_offset);
        if (!status)
            status = check_value(v, &by_key, map->element, at + map->value_offset, depth, height);
        if (!status)
            status = check_zero(v, &by_key, at + map->value_offset + element->size,
                                at + map->entry_size);
        if (status)
            return status;
    }
    return KILN_OK;
}

/* Checks the values of an object on its first visit. */
static kiln_status check_content(verifier *v, const step *path, const object_form *form,
                                 uint32_t at, uint32_t count, bool is_array, uint32_t depth,
                                 uint32_t *height)
{
    if (form->unit == UNIT_STRING)
        return check_text(v, path, at, count);
    if (form->type == KILN_TYPE_NONE)
        return KILN_OK;
    const kiln_type *type = type_at(v->types, form->type);
    if (unit_is_entries(form->unit))
        return check_entries(v, path, type, at, count, depth, height);
    if (type->plain)
        return KILN_OK;
    step element = {path, is_array ? STEP_NUMBER : STEP_NONE, NULL, 0, 0};
    for (; element.number < count; element.number++, at += type->size) {
        kiln_status status = check_value(v, &element, form->type, at, depth, height);
        if (status)
            return status;
    }
    return KILN_OK;
}

/* Checks the object of `count` values that the field at `field` points to. Raises `*height` to at
 * least one more than the object's height. A shared object is not visited again, so V19 is checked
 * by heights: a second path to it may be longer than the first. */
static kiln_status check_object(verifier *v, const step *path, const object_form *form,
                                uint32_t field, uint32_t count, bool is_array, uint32_t depth,
                                uint32_t *height)
{
    uint64_t at = (uint64_t)field + read_u32(v, field);
    uint64_t bytes = (uint64_t)form->size * count + (form->unit == UNIT_STRING);
    if (at > v->size || bytes > v->size - at)
        return fail(v, path, KILN_V_BOUNDS, field);
    if ((at & (form->align - 1)) || form->align > v->align)
        return fail(v, path, KILN_V_MISALIGNED, field);
    uint32_t start = (uint32_t)at, own_height = 1;
    uint32_t seen = object_table_find(&v->objects, start);
    if (seen != UINT32_MAX) {
        const object_record *object = &v->objects.records[seen];
        if (object->unit != form->unit || object->count != count || object->align != form->align)
            return fail(v, path, KILN_V_SHARE, field);
        own_height = object->height;
    } else {
        if (!kiln_object_table_own(&v->objects, start, (uint32_t)bytes))
            return fail(v, path, KILN_V_OVERLAP, field);
        if (depth >= KILN_DEPTH_MAX)
            return fail(v, path, KILN_V_DEPTH, field);
        uint32_t number =
            kiln_object_table_insert(&v->objects, start, form->unit, count, form->align);
        if (number == UINT32_MAX)
            return kiln_fail(v->reterr, KILN_NO_MEMORY, 0, NULL);
        kiln_status status =
            check_content(v, path, form, start, count, is_array, depth + 1, &own_height);
        if (status)
            return status;
        v->objects.records[number].height = (uint8_t)own_height;
    }
    if (own_height + 1 > *height)
        *height = own_height + 1;
    if (*height > KILN_DEPTH_MAX)
        return fail(v, path, KILN_V_DEPTH, field);
    return KILN_OK;
}

static kiln_status check_union(verifier *v, const step *path, const kiln_type *type, uint32_t at,
                               uint32_t depth, uint32_t *height)
{
    uint32_t tag = read_u32(v, at), offset = read_u32(v, at + 4);
    const kiln_member *member = kiln_type_value(type, tag);
    if (tag != 0 && !member)
        return fail(v, path, KILN_V_UNION_TAG, at);
    bool has_value = member && member->type != KILN_TYPE_NONE;
    if (has_value != (offset != 0))
        return fail(v, path, KILN_V_UNION_VALUE, at + (uint64_t)4);
    if (!has_value)
        return KILN_OK;
    step chosen = {path, STEP_MEMBER, member, 0, 0};
    uint32_t align = type_at(v->types, member->type)->align;
    object_form form = object_form_of_values(v->types, member->type, align);
    return check_object(v, &chosen, &form, at + 4, 1, false, depth, height);
}

static kiln_status check_relative(verifier *v, const step *path, uint32_t number,
                                  const kiln_type *type, uint32_t at, uint32_t depth,
                                  uint32_t *height)
{
    bool is_optional = type->kind == KILN_KIND_OPTIONAL;
    uint32_t offset = read_u32(v, at), count = is_optional ? 1 : read_u32(v, at + 4);
    if (offset == 0 || count == 0) {
        if (offset != 0 || (count != 0 && !is_optional))
            return fail(v, path, KILN_V_EMPTY, at);
        return KILN_OK;
    }
    object_form form = object_form_of_field(v->types, number);
    return check_object(v, path, &form, at, count, !is_optional, depth, height);
}

static uint64_t read_number(const verifier *v, uint32_t number, const kiln_type *type, uint32_t at)
{
    kiln_value value = {v->types, type, number, v->payload + at, v->payload, v->payload + v->size};
    return kiln_value_uint(&value);
}

/* `depth` is the number of objects on the path from the root to the value. `*height` is the number
 * of objects on the longest path down from the object that contains the value, including that
 * object. */
static kiln_status check_value(verifier *v, const step *path, uint32_t number, uint32_t at,
                               uint32_t depth, uint32_t *height)
{
    const kiln_type *type = type_at(v->types, number);
    switch (type->kind) {
    case KILN_KIND_BOOL:
        return v->payload[at] > 1 ? fail(v, path, KILN_V_BOOL, at) : KILN_OK;
    case KILN_KIND_REF: {
        kiln_id id = read_number(v, number, type, at);
        if (id == 0)
            return fail(v, path, KILN_V_REF, at);
        if (v->on_ref)
            v->on_ref(v->on_ref_ctx, id, v->base + at);
        return KILN_OK;
    }
    case KILN_KIND_ENTITY:
    case KILN_KIND_DATA:
        return check_zero(v, path, at, at + type->size);
    case KILN_KIND_ENUM:
        return kiln_type_value(type, read_number(v, number, type, at))
                   ? KILN_OK
                   : fail(v, path, KILN_V_ENUM, at);
    case KILN_KIND_FLAGS:
        return read_number(v, number, type, at) & ~type->mask ? fail(v, path, KILN_V_FLAGS, at)
                                                              : KILN_OK;
    case KILN_KIND_STRUCT:
        return check_struct(v, path, type, at, depth, height);
    case KILN_KIND_UNION:
        return check_union(v, path, type, at, depth, height);
    case KILN_KIND_FIXED: {
        step element = {path, STEP_NUMBER, NULL, 0, 0};
        uint32_t stride = type->size / type->count;
        kiln_status status = KILN_OK;
        if (type->plain)
            return KILN_OK;
        for (; element.number < type->count && !status; element.number++)
            status = check_value(v, &element, type->element, at + element.number * stride, depth,
                                 height);
        return status;
    }
    case KILN_KIND_STRING:
    case KILN_KIND_BYTES:
    case KILN_KIND_ARRAY:
    case KILN_KIND_MAP:
    case KILN_KIND_OPTIONAL:
        return check_relative(v, path, number, type, at, depth, height);
    default:
        return KILN_OK;
    }
}

static kiln_status check_root(verifier *v, uint32_t type)
{
    const kiln_type *root = type_at(v->types, type);
    uint32_t height = 1;
    if (root->size > v->size)
        return fail(v, NULL, KILN_V_ROOT, 0);
    object_form form = object_form_of_values(v->types, type, root->align);
    kiln_object_table_own(&v->objects, 0, root->size);
    if (kiln_object_table_insert(&v->objects, 0, form.unit, 1, form.align) == UINT32_MAX)
        return kiln_fail(v->reterr, KILN_NO_MEMORY, 0, NULL);
    kiln_status status = check_value(v, NULL, type, 0, 1, &height);
    if (status)
        return status;
    size_t stray = kiln_object_table_stray(&v->objects, v->payload);
    return stray < v->size ? fail(v, NULL, KILN_V_PADDING, stray) : KILN_OK;
}

kiln_status kiln_judge(const payload_def *def, kiln_error *reterr)
{
    kiln_allocator a = allocator_or_default(def->allocator);
    verifier v = {.types = def->types,
                  .payload = def->payload,
                  .size = def->size,
                  .align = def->align,
                  .base = def->base,
                  .on_ref = def->on_ref,
                  .on_ref_ctx = def->on_ref_ctx,
                  .reterr = reterr};
    kiln_status status = KILN_NO_MEMORY;
    if (kiln_object_table_init(&v.objects, &a, v.size))
        status = check_root(&v, def->type);
    else
        kiln_fail(reterr, status, 0, NULL);
    kiln_object_table_fini(&v.objects);
    return status;
}
