/* The second half of a run: writes the objects of the newer payload.
 *
 * Each step runs over a block of rows before the next step does, so it is decoded once per block,
 * and its inner loop is short. Blocks fit in the cache (convert_rows_at_once). Nothing is allocated
 * here; the only possible failure is a value that must be rejected. */
#include "convert_run.h"

#include "number_sort.h"

#include <kiln/value.h>
#include <string.h>

static bool write_rows(convert_run *r, const convert_row *row, convert_rows rows);

static uint32_t older_offset(const convert_run *r, const unsigned char *at)
{
    return (uint32_t)(at - r->from);
}

static uint32_t newer_offset(const convert_run *r, const unsigned char *at)
{
    return (uint32_t)(at - r->to);
}

/* Copies `count` bytes as two copies of `half` bytes, which may overlap: half < count <= 2 * half.
 * A memcpy of variable size would be a function call per row. */
#define MOVE_LOOP(half)                                                                            \
    for (uint32_t i = 0; i < rows->count; i++, from += from_size, to += to_size) {                 \
        memcpy(to, from, half);                                                                    \
        memcpy(to + count - (half), from + count - (half), half);                                  \
    }

/* Copies `count` bytes into each row: from the corresponding older row, or the same bytes every
 * time if `from_size` is 0. */
static void move(const convert_rows *rows, const unsigned char *restrict from, size_t from_size,
                 unsigned char *restrict to, size_t count)
{
    const size_t to_size = rows->to_size;
    if (count > 64) {
        for (uint32_t i = 0; i < rows->count; i++, from += from_size, to += to_size)
            memcpy(to, from, count);
    } else if (count > 32) {
        MOVE_LOOP(32)
    } else if (count > 16) {
        MOVE_LOOP(16)
    } else if (count == 16) {
        for (uint32_t i = 0; i < rows->count; i++, from += from_size, to += to_size)
            memcpy(to, from, 16);
    } else if (count > 8) {
        MOVE_LOOP(8)
    } else if (count == 8) {
        for (uint32_t i = 0; i < rows->count; i++, from += from_size, to += to_size)
            memcpy(to, from, 8);
    } else if (count > 4) {
        MOVE_LOOP(4)
    } else if (count == 4) {
        for (uint32_t i = 0; i < rows->count; i++, from += from_size, to += to_size)
            memcpy(to, from, 4);
    } else if (count > 1) {
        MOVE_LOOP(2)
    } else {
        for (uint32_t i = 0; i < rows->count; i++, from += from_size, to += to_size)
            *to = *from;
    }
}

#undef MOVE_LOOP

static void copy(const convert_step *step, const convert_rows *rows)
{
    move(rows, rows->from + step->from, rows->from_size, rows->to + step->to, step->count);
}

static void fill(const convert_step *step, const convert_rows *rows, const unsigned char *bytes)
{
    move(rows, bytes, 0, rows->to + step->to, step->count);
}

static void zero(const convert_step *step, const convert_rows *rows)
{
    static const unsigned char zeros[16];
    unsigned char *to = rows->to + step->to;
    if (step->count <= sizeof zeros) {
        fill(step, rows, zeros);
        return;
    }
    for (uint32_t i = 0; i < rows->count; i++, to += rows->to_size)
        memset(to, 0, step->count);
}

static void write_texts(const convert_run *r, const convert_step *step, const convert_rows *rows)
{
    const unsigned char *restrict from = rows->from + step->from;
    unsigned char *restrict to = rows->to + step->to;
    const size_t from_size = rows->from_size, to_size = rows->to_size;
    uint32_t from_at = older_offset(r, from), to_at = newer_offset(r, to);
    /* If no bytes between strings are dropped, all strings move by the same distance. */
    uint32_t moved = r->text_place - r->text_first;
    bool is_one = !r->text_ranks;
    for (uint32_t i = rows->count; i > 0; i--, from += from_size, to += to_size) {
        uint32_t offset = convert_read(from), length = convert_read(from + 4);
        uint32_t start = from_at + offset;
        uint32_t place = is_one || !offset ? start + moved : convert_text_place(r, start);
        convert_write(to, offset ? place - to_at : 0);
        convert_write(to + 4, length);
        from_at += (uint32_t)from_size;
        to_at += (uint32_t)to_size;
    }
}

/* The offset from `to` to the new position of the object that `from` points to. */
static uint32_t offset_to_moved(convert_run *r, const unsigned char *from, const unsigned char *to,
                                uint32_t target)
{
    const convert_object *object;
    size_t name = r->next_name++;
    if (r->names_by_start)
        object = convert_find(r, older_offset(r, from) + convert_read(from), target);
    else
        object = convert_object_at(r, *CONVERT_ITEM(const uint32_t, r->names, name));
    return object->place - newer_offset(r, to);
}

static void write_targets(convert_run *r, const convert_step *step, const convert_rows *rows)
{
    const unsigned char *restrict from = rows->from + step->from;
    unsigned char *restrict to = rows->to + step->to;
    const size_t from_size = rows->from_size, to_size = rows->to_size;
    bool counted = step->op == CONVERT_COUNTED;
    if (r->names_by_start) {
        for (uint32_t i = rows->count; i > 0; i--, from += from_size, to += to_size) {
            convert_write(to, convert_read(from) ? offset_to_moved(r, from, to, step->index) : 0);
            if (counted)
                memcpy(to + 4, from + 4, 4);
        }
        return;
    }
    const convert_object *restrict objects = r->objects.items;
    const uint32_t *restrict names = r->names.items;
    size_t name = r->next_name;
    uint32_t to_at = newer_offset(r, to);
    for (uint32_t i = rows->count; i > 0; i--, from += from_size, to += to_size) {
        uint32_t offset = convert_read(from);
        /* Branch-free, because whether a field is empty is unpredictable. `names` has an extra item
         * at its end, so reading a name for an empty field is safe. */
        uint32_t place = objects[names[name]].place - to_at;
        name += offset != 0;
        convert_write(to, offset ? place : 0);
        if (counted)
            memcpy(to + 4, from + 4, 4);
        to_at += (uint32_t)to_size;
    }
    r->next_name = name;
}

static void write_union(convert_run *r, const convert_step *step, const unsigned char *from,
                        unsigned char *to)
{
    const convert_table *table = convert_table_at(r->c, step->index);
    const kiln_type *of = type_at(r->c->from, table->from);
    uint32_t tag = convert_read(from);
    if (tag == 0) {
        memset(to, 0, 8);
        return;
    }
    const convert_choice *choice = convert_choice_of(table, of, tag);
    convert_write(to, (uint32_t)choice->value);
    convert_write(to + 4, choice->target == KILN_TYPE_NONE
                              ? 0
                              : offset_to_moved(r, from + 4, to + 4, choice->target));
}

static bool write_choices(convert_run *r, const convert_step *step, const unsigned char *from,
                          unsigned char *to)
{
    const convert_table *table = convert_table_at(r->c, step->index);
    uint32_t from_size = type_at(r->c->from, table->from)->size;
    uint32_t to_size = type_at(r->c->to, table->to)->size;
    for (uint32_t i = 0; i < step->count; i++, from += from_size, to += to_size)
        if (!kiln_convert_choose(r->c, table, from, to))
            return convert_stop(r, KILN_UNREADABLE_VALUE, older_offset(r, from));
    return true;
}

/* Writes the value into the row's boxes, followed by the value's own boxes. */
static bool write_box(convert_run *r, const convert_step *step, const unsigned char *from,
                      unsigned char *to, uint32_t boxes)
{
    const convert_row *row = convert_row_at(r->c, step->index);
    uint32_t place = boxes + step->box, mask = row->box_align - 1;
    convert_rows rows = {from,
                         r->to + place,
                         row->from_size,
                         row->to_size,
                         1,
                         (place + row->to_size + mask) & ~mask,
                         row->box_size};
    convert_write(to, place - newer_offset(r, to));
    if (step->op == CONVERT_BOX_LIST)
        convert_write(to + 4, 1);
    return write_rows(r, row, rows);
}

/* Runs a step that cannot process several rows at once. */
static bool write_row(convert_run *r, const convert_step *step, const unsigned char *from,
                      unsigned char *to, uint32_t boxes)
{
    from += step->from;
    to += step->to;
    switch ((convert_op)step->op) {
    case CONVERT_VALUE:
        return write_choices(r, step, from, to);
    case CONVERT_UNION:
        write_union(r, step, from, to);
        return true;
    case CONVERT_ROWS: {
        const convert_row *row = convert_row_at(r->c, step->index);
        convert_rows rows = {
            from, to, row->from_size, row->to_size, step->count, boxes + step->box, row->box_size};
        return write_rows(r, row, rows);
    }
    default:
        return write_box(r, step, from, to, boxes);
    }
}

static void write_links(const convert_run *r, const convert_step *step, const convert_rows *rows)
{
    uint32_t place = r->image_places[step->index] + step->count;
    unsigned char *to = rows->to + step->to;
    for (uint32_t i = 0; i < rows->count; i++, to += rows->to_size)
        convert_write(to, place - newer_offset(r, to));
}

static bool write_step(convert_run *r, const convert_step *step, const convert_rows *rows)
{
    switch ((convert_op)step->op) {
    case CONVERT_COPY:
        copy(step, rows);
        return true;
    case CONVERT_ZERO:
        zero(step, rows);
        return true;
    case CONVERT_CONSTANT:
        fill(step, rows, (const unsigned char *)r->c->pool.items + step->index);
        return true;
    case CONVERT_NUMBER:
        kiln_convert_numbers(step, rows);
        return true;
    case CONVERT_TEXT:
        write_texts(r, step, rows);
        return true;
    case CONVERT_COUNTED:
    case CONVERT_POINTER:
        write_targets(r, step, rows);
        return true;
    case CONVERT_LINK:
        write_links(r, step, rows);
        return true;
    default:
        for (uint32_t i = 0; i < rows->count; i++)
            if (!write_row(r, step, rows->from + (size_t)i * rows->from_size,
                           rows->to + (size_t)i * rows->to_size, rows->boxes + i * rows->box_size))
                return false;
        return true;
    }
}

static bool write_rows(convert_run *r, const convert_row *row, convert_rows rows)
{
    if (row->is_copy) {
        memcpy(rows.to, rows.from, (size_t)row->to_size * rows.count);
        return true;
    }
    uint32_t left = rows.count, most = convert_rows_at_once(row);
    while (left > 0) {
        rows.count = left < most ? left : most;
        uint32_t rest = left - rows.count, next = rest < most ? rest : most;
        for (uint32_t s = 0; s < row->count; s++) {
            convert_fetch(rows.from + (size_t)rows.count * row->from_size, next * row->from_size, s,
                          row->count);
            if (!write_step(r, convert_step_at(r->c, row->first + s), &rows))
                return false;
        }
        rows.from += (size_t)rows.count * row->from_size;
        rows.to += (size_t)rows.count * row->to_size;
        rows.boxes += rows.count * row->box_size;
        left = rest;
    }
    return true;
}

/* The newer value of an entry's key, which is an enum. */
static uint64_t newer_key(const convert_run *r, const convert_table *table,
                          const unsigned char *entry)
{
    const kiln_type *older = type_at(r->c->from, table->from);
    kiln_value key = {r->c->from, older, table->from, entry, entry, entry + older->size};
    return convert_choice_of(table, older, kiln_value_uint(&key))->value;
}

typedef struct key_sorter {
    const convert_run *r;
    const convert_table *table;
    const unsigned char *entries;
    uint32_t size;
} key_sorter;

static int compare_keys(const void *ctx, uint32_t a, uint32_t b)
{
    const key_sorter *s = ctx;
    uint64_t left = newer_key(s->r, s->table, s->entries + (size_t)a * s->size);
    uint64_t right = newer_key(s->r, s->table, s->entries + (size_t)b * s->size);
    if (kiln_kind_is_signed(type_at(s->r->c->to, s->table->to)->base))
        return ((int64_t)left > (int64_t)right) - ((int64_t)left < (int64_t)right);
    return (left > right) - (left < right);
}

/* Writes the entries of a map one by one, in the order of their newer keys. */
static bool write_sorted(convert_run *r, const convert_target *target, convert_rows rows)
{
    const convert_row *row = convert_row_at(r->c, target->row);
    key_sorter s = {r, convert_table_at(r->c, convert_step_at(r->c, row->first)->index), rows.from,
                    rows.from_size};
    unsigned char key[8];
    uint32_t count = rows.count;
    for (uint32_t i = 0; i < count; i++) {
        r->order[i] = i;
        const unsigned char *entry = s.entries + (size_t)i * s.size;
        if (!kiln_convert_choose(r->c, s.table, entry, key))
            return convert_stop(r, KILN_UNREADABLE_VALUE, older_offset(r, entry));
    }
    kiln_number_sort(r->order, count, compare_keys, &s);
    rows.count = 1;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && compare_keys(&s, r->order[i - 1], r->order[i]) == 0)
            return convert_stop(r, KILN_UNREADABLE_KEYS,
                                older_offset(r, s.entries + (size_t)r->order[i] * s.size));
        rows.from = s.entries + (size_t)r->order[i] * s.size;
        if (!write_rows(r, row, rows))
            return false;
        rows.to += rows.to_size;
        rows.boxes += rows.box_size;
    }
    return true;
}

bool kiln_convert_write_span(convert_run *r, const convert_span *span)
{
    const convert_object *object = convert_object_at(r, span->object);
    const convert_target *target = convert_target_at(r->c, object->target);
    const convert_row *row = convert_row_at(r->c, target->row);
    convert_rows rows = {r->from + object->start,
                         r->to + span->place,
                         row->from_size,
                         row->to_size,
                         span->count,
                         0,
                         row->box_size};
    r->current = span->object;
    r->names_by_start = target->sorts;
    if (row->box_size) {
        /* Padding between boxes must be zero. */
        rows.boxes = (uint32_t)convert_boxes(span, row);
        memset(r->to + rows.boxes, 0, (size_t)row->box_size * span->count);
    }
    return target->sorts ? write_sorted(r, target, rows) : write_rows(r, row, rows);
}

bool kiln_convert_write_flat(convert_run *r, uint32_t count)
{
    const convert_row *row = convert_row_at(r->c, convert_target_at(r->c, 0)->row);
    convert_rows rows = {r->from, r->to, row->from_size, row->to_size, count, 0, 0};
    return write_rows(r, row, rows);
}
