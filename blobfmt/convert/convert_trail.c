/* Finds the path to the byte of the older payload at which a run stopped.
 *
 * A run records only the byte and the current object. The path is computed afterwards, when time no
 * longer matters: backwards from the object to the root, through the fields that point to it, then
 * forwards to collect the names. */
#include "convert_run.h"

#include <kiln/path.h>
#include <kiln/value.h>
#include <string.h>

/* Returns the innermost part of the inline value that contains byte `at`, and adds the steps to it.
 * That part is neither a struct nor a fixed array. */
static kiln_value add_inline_steps(kiln_value value, const unsigned char *at, kiln_path *path)
{
    for (;;) {
        const kiln_type *of = value.of;
        uint32_t i = 0, inside = (uint32_t)(at - value.data);
        if (of->kind == KILN_KIND_STRUCT) {
            for (i = of->member_count - 1; i > 0 && of->members[i].offset > inside;)
                i--;
            if (!(of->flags & KILN_TYPE_TRANSPARENT))
                kiln_path_add_name(path, of->members[i].name, strlen(of->members[i].name));
        } else if (of->kind == KILN_KIND_FIXED) {
            i = inside / (of->size / of->count);
            kiln_path_add_number(path, i);
        } else {
            return value;
        }
        kiln_value_at(&value, i, &value);
    }
}

/* Moves from a relative field to the part of its target at `at`; false if `at` is not in the
 * target. */
static bool add_target_step(kiln_value *value, const unsigned char *at, kiln_path *path)
{
    const unsigned char *target = NULL;
    uint64_t size = 0;
    const kiln_type *of = value->of;
    if (kiln_value_target(value, &target, &size) || !target || at < target || at >= target + size)
        return false;
    if (of->kind == KILN_KIND_UNION) {
        const kiln_member *member = kiln_value_member(value);
        kiln_path_add_name(path, member->name, strlen(member->name));
        return kiln_value_at(value, 0, value) == KILN_OK;
    }
    if (of->kind == KILN_KIND_OPTIONAL)
        return kiln_value_at(value, 0, value) == KILN_OK;
    if (of->kind == KILN_KIND_MAP) {
        uint32_t i = (uint32_t)((uint64_t)(at - target) / of->entry_size);
        bool is_key = (uint64_t)(at - target) % of->entry_size < of->value_offset;
        kiln_value key;
        if (kiln_value_key(value, i, &key))
            return false;
        kiln_path_add_key(path, &key);
        if (!is_key)
            return kiln_value_at(value, i, value) == KILN_OK;
        *value = key;
        return true;
    }
    if (of->kind != KILN_KIND_ARRAY)
        return false;
    uint32_t i = (uint32_t)((uint64_t)(at - target) / (size / kiln_value_count(value)));
    kiln_path_add_number(path, i);
    return kiln_value_at(value, i, value) == KILN_OK;
}

/* The number of an object to which byte `at` of the older payload belongs. */
static uint32_t object_around(const convert_run *r, uint32_t at)
{
    for (uint32_t i = 1; i < r->objects.count; i++) {
        const convert_object *object = convert_object_at(r, i);
        const convert_target *target = convert_target_at(r->c, object->target);
        uint64_t size = (uint64_t)convert_row_at(r->c, target->row)->from_size * object->count;
        if (at >= object->start && at - object->start < size)
            return i;
    }
    return 0;
}

void kiln_convert_trail(const convert_run *r, kiln_path *path)
{
    uint32_t chain[KILN_DEPTH_MAX + 1], count = 0;
    kiln_value value;
    if (r->objects.count == 0 ||
        kiln_value_root(r->c->from, r->c->from_type, r->from, r->from_size, &value))
        return;
    for (uint32_t number = r->current; number != 0 && count < KILN_DEPTH_MAX;
         number = object_around(r, convert_object_at(r, number)->field))
        chain[count++] = number;
    while (count-- > 0) {
        /* The field that points to the next object, then the object. */
        const convert_object *object = convert_object_at(r, chain[count]);
        const unsigned char *field = r->from + object->field;
        value = add_inline_steps(value, field, path);
        const unsigned char *next =
            count > 0 ? r->from + convert_object_at(r, chain[count - 1])->field : r->from + r->at;
        if (!add_target_step(&value, next, path))
            return;
    }
    (void)add_inline_steps(value, r->from + r->at, path);
}

void kiln_convert_row_trail(const convert_run *r, uint32_t at, kiln_path *path)
{
    const kiln_type *of = type_at(r->c->from, r->c->from_type);
    const unsigned char *row = r->from + (r->at - at);
    kiln_value value = {r->c->from, of, r->c->from_type, row, row, row + of->size};
    (void)add_inline_steps(value, row + at, path);
}
