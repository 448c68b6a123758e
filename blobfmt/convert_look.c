/* Finds the objects of a payload that is being converted, and where each goes. */
#include "convert_run.h"

#include <string.h>

static bool look_rows(convert_run *r, const convert_row *row, uint32_t from, uint32_t count,
                      uint32_t depth);

/* Notes which object a field names. */
static bool add_name(convert_run *r, uint32_t number)
{
    uint32_t *name = kiln_vector_push(&r->names, &r->allocator, 1, sizeof *name);
    if (!name)
        return convert_stop(r, KILN_NO_MEMORY, 0);
    *name = number;
    return true;
}

/* Notes that `field` names the object at `start`. */
static bool add_object(convert_run *r, uint32_t field, uint32_t start, uint32_t count,
                       uint32_t target, uint32_t depth)
{
    uint32_t block = start >> CONVERT_BLOCK_LOG2;
    uint64_t bit = UINT64_C(1) << block % 64;
    if (depth > KILN_DEPTH_MAX)
        return convert_stop(r, KILN_TOO_LARGE, field);
    if (!(r->block_bits[block / 64] & bit)) {
        r->block_bits[block / 64] |= bit;
        r->blocks[block] = 0;
    }
    uint32_t *link = &r->blocks[block];
    while (*link) {
        convert_object *object = convert_object_at(r, *link - 1);
        if (object->start > start)
            break;
        if (object->start == start && object->target == target) {
            object->depth = depth > object->depth ? depth : object->depth;
            return add_name(r, *link - 1);
        }
        link = &object->next;
    }
    /* Adding may move the objects, and `link` with them. */
    bool is_first = link == &r->blocks[block];
    size_t behind =
        is_first ? 0
                 : (size_t)((const unsigned char *)link - (const unsigned char *)r->objects.items);
    convert_object *object = kiln_vector_push(&r->objects, &r->allocator, 1, sizeof *object);
    if (!object)
        return convert_stop(r, KILN_NO_MEMORY, field);
    if (!is_first)
        link = (uint32_t *)(void *)((unsigned char *)r->objects.items + behind);
    convert_object made = {.start = start,
                           .count = count,
                           .target = target,
                           .next = *link,

                           .field = field,
                           .depth = depth};
    *object = made;
    *link = (uint32_t)r->objects.count;
    return add_name(r, *link - 1);
}

static bool look_texts(convert_run *r, const convert_step *step, const convert_row *row,
                       uint32_t from, uint32_t count, uint32_t depth)
{
    uint32_t at = from + step->from;
    for (uint32_t i = 0; i < count; i++, at += row->from_size) {
        uint32_t offset = convert_read(r->from + at), length = convert_read(r->from + at + 4);
        if (offset == 0)
            continue;
        if (depth >= KILN_DEPTH_MAX)
            return convert_stop(r, KILN_TOO_LARGE, at);
        convert_take_text(r, at + offset, length + 1);
    }
    return true;
}

static bool look_targets(convert_run *r, const convert_step *step, const convert_row *row,
                         uint32_t from, uint32_t count, uint32_t depth)
{
    uint32_t at = from + step->from;
    bool counted = step->what == CONVERT_COUNTED;
    for (uint32_t i = 0; i < count; i++, at += row->from_size) {
        uint32_t offset = convert_read(r->from + at);
        uint32_t items = counted ? convert_read(r->from + at + 4) : 1;
        if (offset && !add_object(r, at, at + offset, items, step->index, depth + 1))
            return false;
    }
    return true;
}

static bool look_union(convert_run *r, const convert_step *step, uint32_t at, uint32_t depth)
{
    const convert_table *table = convert_table_at(r->c, step->index);
    const kiln_type *of = type_at(r->c->from, table->from);
    uint32_t tag = convert_read(r->from + at);
    if (tag == 0)
        return true;
    const convert_choice *choice = &table->choices[kiln_type_value(of, tag) - of->members];
    if (!choice->is_known)
        return convert_stop(r, KILN_UNREADABLE_VALUE, at);
    uint32_t offset = convert_read(r->from + at + 4);
    return choice->target == KILN_TYPE_NONE ||
           add_object(r, at + 4, at + 4 + offset, 1, choice->target, depth + 1);
}

/* A step that concerns one row at a time. */
static bool look_row(convert_run *r, const convert_step *step, uint32_t from, uint32_t depth)
{
    const convert_row *inner;
    switch ((convert_what)step->what) {
    case CONVERT_UNION:
        return look_union(r, step, from + step->from, depth);
    case CONVERT_ROWS:
        inner = convert_row_at(r->c, step->index);
        return look_rows(r, inner, from + step->from, step->count, depth);
    default: /* a box */
        if (depth >= KILN_DEPTH_MAX)
            return convert_stop(r, KILN_TOO_LARGE, from + step->from);
        inner = convert_row_at(r->c, step->index);
        return look_rows(r, inner, from + step->from, 1, depth + 1);
    }
}

static bool look_some(convert_run *r, const convert_row *row, uint32_t from, uint32_t count,
                      uint32_t depth)
{
    bool ok = true;
    for (uint32_t s = 0; s < row->look_count && ok; s++) {
        const convert_step *step = convert_step_at(r->c, row->looks + s);
        if (step->what == CONVERT_TEXT) {
            ok = look_texts(r, step, row, from, count, depth);
        } else if (step->what == CONVERT_COUNTED || step->what == CONVERT_POINTER) {
            ok = look_targets(r, step, row, from, count, depth);
        } else if (step->what == CONVERT_LINK) {
            const convert_image *image =
                CONVERT_ITEM(const convert_image, r->c->images, step->index);
            r->image_places[step->index] = 0;
            if (depth + image->height > KILN_DEPTH_MAX)
                return convert_stop(r, KILN_TOO_LARGE, from);
        } else {
            for (uint32_t i = 0; i < count && ok; i++)
                ok = look_row(r, step, from + i * row->from_size, depth);
        }
    }
    return ok;
}

/* In the order in which the rows will be written. `depth` counts the objects around the rows. */
static bool look_rows(convert_run *r, const convert_row *row, uint32_t from, uint32_t count,
                      uint32_t depth)
{
    uint32_t most = convert_rows_at_once(row);
    while (count > most) {
        if (!look_some(r, row, from, most, depth))
            return false;
        from += most * row->from_size;
        count -= most;
    }
    return look_some(r, row, from, count, depth);
}

/* Room for `size` bytes at the newer payload's end. */
static bool place(convert_run *r, uint64_t size, uint32_t align, uint32_t *ret_place)
{
    uint64_t at = (r->to_size + align - 1) & ~(uint64_t)(align - 1);
    if (size > KILN_PAYLOAD_MAX || at + size > KILN_PAYLOAD_MAX)
        return convert_stop(r, KILN_TOO_LARGE, convert_object_at(r, r->current)->start);
    *ret_place = (uint32_t)at;
    r->to_size = at + size;
    r->align = align > r->align ? align : r->align;
    return true;
}

static bool look_object(convert_run *r, uint32_t number)
{
    convert_object *object = convert_object_at(r, number);
    const convert_target *target = convert_target_at(r->c, object->target);
    const convert_row *row = convert_row_at(r->c, target->row);
    r->current = number;
    if (!place(r, (uint64_t)row->to_size * object->count, target->align, &object->place))
        return false;
    uint32_t boxes;
    if (row->box_size && !place(r, (uint64_t)row->box_size * object->count, row->box_align, &boxes))
        return false;
    object->names = (uint32_t)r->names.count;
    return row->look_count == 0 || look_rows(r, row, object->start, object->count, object->depth);
}

static bool look_block(convert_run *r, uint32_t block)
{
    for (uint32_t link = r->blocks[block]; link; link = convert_object_at(r, link - 1)->next)
        if (!look_object(r, link - 1))
            return false;
    return true;
}

static bool place_images(convert_run *r)
{
    for (uint32_t i = 0; i < r->c->images.count; i++) {
        const convert_image *image = CONVERT_ITEM(const convert_image, r->c->images, i);
        if (r->image_places[i] != UINT32_MAX &&
            !place(r, image->size, image->align, &r->image_places[i]))
            return false;
    }
    return true;
}

bool kiln_convert_look(convert_run *r)
{
    if (!add_object(r, 0, 0, 1, 0, 1))
        return false;
    for (size_t block = 0; (block = convert_next_block(r, block)) < r->block_count; block++)
        if (!look_block(r, (uint32_t)block))
            return false;
    r->current = 0;
    if (!place_images(r))
        return false;
    if (r->text_count && !place(r, r->text_count, 1, &r->text_place))
        return false;
    return kiln_convert_place_texts(r);
}
