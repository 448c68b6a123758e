/* The first half of a run: finds the objects of the older payload, and assigns each a position in
 * the newer one.
 *
 * Objects are visited in ascending order of their starts, block by block, without recursion. Fields
 * point only forward, so when an object is visited, every field that points to it has been seen and
 * its maximum depth is known. Work is linear in the payload.
 *
 * Only steps that reach objects or strings are run (convert_row.scans). */
#include "convert_run.h"

#include <string.h>

static bool scan_rows(convert_run *r, const convert_row *row, uint32_t from, uint32_t count,
                      uint32_t depth);

/* Makes room for `count` + 1 more names and `count` more objects. Returns the address of the next
 * name; NULL with `status` set if memory runs out. Objects may move. */
static inline uint32_t *make_room(convert_run *r, uint32_t count)
{
    vector *names = &r->names, *objects = &r->objects;
    bool ok = true;
    if (names->capacity - names->count <= count)
        ok = kiln_vector_reserve(names, &r->allocator, names->count + names->count / 2 + count + 1,
                                 sizeof(uint32_t));
    if (ok && objects->capacity - objects->count < count)
        ok =
            kiln_vector_reserve(objects, &r->allocator, objects->count + objects->count / 2 + count,
                                sizeof(convert_object));
    if (!ok) {
        convert_stop(r, KILN_NO_MEMORY, 0);
        return NULL;
    }
    return CONVERT_ITEM(uint32_t, *names, names->count);
}

/* The number of the object at `start`, to which `field` points. Adds the object if it is new. The
 * list of each block is sorted by start. The caller must have made room. */
static inline uint32_t find_or_add_object(convert_run *r, uint32_t field, uint32_t start,
                                          uint32_t count, uint32_t target, uint32_t depth)
{
    const uint32_t block = start >> CONVERT_BLOCK_LOG2;
    uint32_t *link = &r->blocks[block];
    if (*link == 0)
        r->block_bits[block / 64] |= UINT64_C(1) << block % 64;
    while (*link) {
        convert_object *object = convert_object_at(r, *link - 1);
        if (object->start > start)
            break;
        if (object->start == start && object->target == target) {
            object->depth = depth > object->depth ? depth : object->depth;
            return *link - 1;
        }
        link = &object->next;
    }
    uint32_t number = (uint32_t)r->objects.count++;
    convert_object made = {.start = start,
                           .count = count,
                           .target = target,
                           .next = *link,
                           .field = field,
                           .depth = depth};
    *convert_object_at(r, number) = made;
    *link = number + 1;
    return number;
}

static bool scan_texts(convert_run *r, const convert_step *step, const convert_row *row,
                       uint32_t from, uint32_t count, uint32_t depth)
{
    uint32_t at = from + step->from;
    for (uint32_t i = 0; i < count; i++, at += row->from_size) {
        uint32_t offset = convert_read(r->from + at), length = convert_read(r->from + at + 4);
        if (offset == 0)
            continue;
        if (depth >= KILN_DEPTH_MAX)
            return convert_stop(r, KILN_TOO_LARGE, at);
        convert_mark_text(r, at + offset, length + 1);
    }
    return true;
}

/* Whether an object is new is unpredictable, and a mispredicted branch also waits for memory. The
 * data that the branch depends on is therefore prefetched some rows ahead: first the block, then
 * its first object. */
enum { BLOCKS_AHEAD = 24, OBJECTS_AHEAD = 8 };

static inline void fetch_block(const convert_run *r, uint32_t at)
{
    size_t block = (at + convert_read(r->from + at)) >> CONVERT_BLOCK_LOG2;
    prefetch(r->blocks, block * sizeof *r->blocks);
}

static inline void fetch_object(const convert_run *r, uint32_t at)
{
    size_t link = r->blocks[(at + convert_read(r->from + at)) >> CONVERT_BLOCK_LOG2];
    prefetch(r->objects.items, (link - 1) * sizeof(convert_object));
}

static bool scan_targets(convert_run *r, const convert_step *step, const convert_row *row,
                         uint32_t from, uint32_t count, uint32_t depth)
{
    uint32_t at = from + step->from;
    bool counted = step->op == CONVERT_COUNTED;
    uint32_t *name = make_room(r, count);
    if (!name)
        return false;
    for (uint32_t i = 0; i < count; i++, at += row->from_size) {
        uint32_t offset = convert_read(r->from + at);
        if (i + BLOCKS_AHEAD < count)
            fetch_block(r, at + BLOCKS_AHEAD * row->from_size);
        if (i + OBJECTS_AHEAD < count)
            fetch_object(r, at + OBJECTS_AHEAD * row->from_size);
        uint32_t items = counted ? convert_read(r->from + at + 4) : 1;
        if (offset == 0)
            continue;
        if (depth >= KILN_DEPTH_MAX)
            return convert_stop(r, KILN_TOO_LARGE, at);
        *name++ = find_or_add_object(r, at, at + offset, items, step->index, depth + 1);
    }
    r->names.count = (size_t)(name - (const uint32_t *)r->names.items);
    return true;
}

static bool scan_union(convert_run *r, const convert_step *step, uint32_t at, uint32_t depth)
{
    const convert_table *table = convert_table_at(r->c, step->index);
    const kiln_type *of = type_at(r->c->from, table->from);
    uint32_t tag = convert_read(r->from + at);
    if (tag == 0)
        return true;
    const convert_choice *choice = convert_choice_of(table, of, tag);
    if (!choice->is_known)
        return convert_stop(r, KILN_UNREADABLE_VALUE, at);
    uint32_t offset = convert_read(r->from + at + 4);
    if (choice->target == KILN_TYPE_NONE)
        return true;
    uint32_t *name = make_room(r, 1);
    if (!name)
        return false;
    if (depth >= KILN_DEPTH_MAX)
        return convert_stop(r, KILN_TOO_LARGE, at + 4);
    *name = find_or_add_object(r, at + 4, at + 4 + offset, 1, choice->target, depth + 1);
    r->names.count++;
    return true;
}

/* Runs a step that cannot process several rows at once. */
static bool scan_row(convert_run *r, const convert_step *step, uint32_t from, uint32_t depth)
{
    const convert_row *inner;
    switch ((convert_op)step->op) {
    case CONVERT_UNION:
        return scan_union(r, step, from + step->from, depth);
    case CONVERT_ROWS:
        inner = convert_row_at(r->c, step->index);
        return scan_rows(r, inner, from + step->from, step->count, depth);
    default: /* a box */
        if (depth >= KILN_DEPTH_MAX)
            return convert_stop(r, KILN_TOO_LARGE, from + step->from);
        inner = convert_row_at(r->c, step->index);
        return scan_rows(r, inner, from + step->from, 1, depth + 1);
    }
}

/* Runs all steps over `count` rows, and prefetches the `next` rows that follow them, one part per
 * step. */
static bool scan_some(convert_run *r, const convert_row *row, uint32_t from, uint32_t count,
                      uint32_t depth, uint32_t next)
{
    bool ok = true;
    for (uint32_t s = 0; s < row->scan_count && ok; s++) {
        convert_fetch(r->from + from + count * row->from_size, next * row->from_size, s,
                      row->scan_count);
        const convert_step *step = convert_step_at(r->c, row->scans + s);
        if (step->op == CONVERT_TEXT) {
            ok = scan_texts(r, step, row, from, count, depth);
        } else if (step->op == CONVERT_COUNTED || step->op == CONVERT_POINTER) {
            ok = scan_targets(r, step, row, from, count, depth);
        } else if (step->op == CONVERT_LINK) {
            const convert_image *image =
                CONVERT_ITEM(const convert_image, r->c->images, step->index);
            r->image_places[step->index] = 0;
            if (depth + image->height > KILN_DEPTH_MAX)
                return convert_stop(r, KILN_TOO_LARGE, from);
        } else {
            for (uint32_t i = 0; i < count && ok; i++)
                ok = scan_row(r, step, from + i * row->from_size, depth);
        }
    }
    return ok;
}

/* Scans rows in the order in which they will be written, because `names` must be in that order.
 * `depth` is the number of objects on the path to the rows. */
static bool scan_rows(convert_run *r, const convert_row *row, uint32_t from, uint32_t count,
                      uint32_t depth)
{
    uint32_t most = convert_rows_at_once(row);
    while (count > most) {
        count -= most;
        if (!scan_some(r, row, from, most, depth, count < most ? count : most))
            return false;
        from += most * row->from_size;
    }
    return scan_some(r, row, from, count, depth, 0);
}

/* Reserves `size` bytes at the end of the newer payload. */
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

static bool scan_object(convert_run *r, uint32_t number)
{
    convert_object *object = convert_object_at(r, number);
    const convert_target *target = convert_target_at(r->c, object->target);
    const convert_row *row = convert_row_at(r->c, target->row);
    uint32_t depth = object->depth, start = object->start, count = object->count, boxes;
    r->current = number;
    if (!place(r, (uint64_t)row->to_size * count, target->align, &object->place))
        return false;
    if (row->box_size && !place(r, (uint64_t)row->box_size * count, row->box_align, &boxes))
        return false;
    convert_span *span = kiln_vector_push(&r->spans, &r->allocator, 1, sizeof *span);
    if (!span)
        return convert_stop(r, KILN_NO_MEMORY, 0);
    span->object = number;
    span->place = object->place;
    span->count = count;
    return row->scan_count == 0 || scan_rows(r, row, start, count, depth);
}

/* Consecutive objects of one target whose rows are contiguous in both payloads. They are converted
 * like one object, which makes many small objects as fast as one large one. Their rows point only
 * to strings and images and cannot be rejected, so scan_block checks their depth in advance. */
typedef struct open_span {
    const convert_row *row;
    uint32_t target, first; /* number of the first object */
    uint32_t start, place;
    uint64_t count; /* 0: no span is open */
} open_span;

/* Records the open span, if any, and scans its rows. */
static bool close_span(convert_run *r, open_span *open)
{
    if (open->count == 0)
        return true;
    convert_span *span = kiln_vector_push(&r->spans, &r->allocator, 1, sizeof *span);
    if (!span)
        return convert_stop(r, KILN_NO_MEMORY, 0);
    span->object = open->first;
    span->place = open->place;
    span->count = (uint32_t)open->count;
    open->count = 0;
    return open->row->scan_count == 0 || scan_rows(r, open->row, open->start, span->count, 1);
}

/* Adds an object to the open span if it continues that span; otherwise opens a new one. False with
 * `status` set on failure. */
static bool open_object(convert_run *r, open_span *open, uint32_t number)
{
    convert_object *object = convert_object_at(r, number);
    const convert_target *target = convert_target_at(r->c, object->target);
    const convert_row *row = convert_row_at(r->c, target->row);
    r->current = number;
    if (!place(r, (uint64_t)row->to_size * object->count, target->align, &object->place))
        return false;
    if (open->count > 0 && open->target == object->target &&
        object->start - open->start == open->count * row->from_size &&
        object->place - open->place == open->count * row->to_size) {
        open->count += object->count;
        return true;
    }
    if (!close_span(r, open))
        return false;
    open_span made = {row, object->target, number, object->start, object->place, object->count};
    *open = made;
    return true;
}

static bool scan_block(convert_run *r, open_span *open, uint32_t block)
{
    for (uint32_t link = r->blocks[block]; link; link = convert_object_at(r, link - 1)->next) {
        const convert_object *object = convert_object_at(r, link - 1);
        const convert_row *row = convert_row_of(r, object);
        bool ok = row->height <= KILN_DEPTH_MAX && object->depth + row->height <= KILN_DEPTH_MAX
                      ? open_object(r, open, link - 1)
                      : close_span(r, open) && scan_object(r, link - 1);
        if (!ok)
            return false;
    }
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

bool kiln_convert_scan(convert_run *r)
{
    open_span open = {0};
    if (!make_room(r, 1))
        return false;
    find_or_add_object(r, 0, 0, 1, 0, 1);
    for (size_t block = 0; (block = convert_next_block(r, block)) < r->block_count; block++)
        if (!scan_block(r, &open, (uint32_t)block))
            return false;
    uint32_t *last_name = close_span(r, &open) ? make_room(r, 0) : NULL;
    if (!last_name)
        return false;
    *last_name = 0;
    r->current = 0;
    if (!place_images(r))
        return false;
    if (r->text_count && !place(r, r->text_count, 1, &r->text_place))
        return false;
    return kiln_convert_place_texts(r);
}
