/* Collects the steps of rows during compilation, and computes the properties of a row when it is
 * closed.
 *
 * Adjacent steps of the same kind are merged, so an unchanged struct becomes a single copy. Rows
 * nest during compilation (a struct in a struct), so `open` is a stack of their steps. */
#include "convert_compile.h"

#include <string.h>

/* A row with more steps is not inlined into outer rows, which refer to it instead. This keeps the
 * number of steps linear in the types, even if they nest deeply. */
enum { INLINE_STEPS = 16 };

static bool is_bytes(uint8_t op)
{
    return op == CONVERT_COPY || op == CONVERT_ZERO || op == CONVERT_CONSTANT;
}

/* Whether `next` continues `last`, so that one step can do both. */
static bool continues(const convert_step *last, const convert_step *next)
{
    if (last->op != next->op || !is_bytes(next->op) || last->to + last->count != next->to)
        return false;
    if (next->op == CONVERT_COPY)
        return last->from + last->count == next->from;
    return next->op == CONVERT_ZERO || last->index + last->count == next->index;
}

kiln_status kiln_convert_add(convert_compiler *k, const convert_step *step)
{
    convert_step *last = k->open.count > k->row->first
                             ? CONVERT_ITEM(convert_step, k->open, k->open.count - 1)
                             : NULL;
    if (last && continues(last, step)) {
        last->count += step->count;
        return KILN_OK;
    }
    convert_step *next = kiln_vector_push(&k->open, &k->c->allocator, 1, sizeof *next);
    if (!next)
        return kiln_convert_no_memory(k);
    *next = *step;
    return KILN_OK;
}

kiln_status kiln_convert_add_bytes(convert_compiler *k, convert_op op, uint32_t from, uint32_t to,
                                   uint32_t count)
{
    convert_step step = {.op = (uint8_t)op, .from = from, .to = to, .count = count};
    return count ? kiln_convert_add(k, &step) : KILN_OK;
}

kiln_status kiln_convert_add_constant(convert_compiler *k, uint32_t to, const unsigned char *bytes,
                                      uint32_t count)
{
    convert_step step = {
        .op = CONVERT_CONSTANT, .to = to, .count = count, .index = (uint32_t)k->c->pool.count};
    if (count == 0)
        return KILN_OK;
    unsigned char *kept = k->c->pool.count + count <= KILN_PAYLOAD_MAX
                              ? kiln_vector_push(&k->c->pool, &k->c->allocator, count, 1)
                              : NULL;
    if (!kept)
        return kiln_convert_no_memory(k);
    memcpy(kept, bytes, count);
    return kiln_convert_add(k, &step);
}

kiln_status kiln_convert_add_box(convert_compiler *k, uint32_t size, uint32_t align,
                                 uint32_t *ret_box)
{
    convert_open_row *row = k->row;
    uint64_t at = ((uint64_t)row->box_size + align - 1) & ~(uint64_t)(align - 1);
    if (at + size > KILN_PAYLOAD_MAX)
        return kiln_fail(k->reterr, KILN_TOO_LARGE, 0, NULL);
    *ret_box = (uint32_t)at;
    row->box_size = (uint32_t)(at + size);
    row->box_align = align > row->box_align ? align : row->box_align;
    return KILN_OK;
}

/* Appends the steps of a row, shifted to the offset of its value in the outer row. */
static kiln_status add_steps(convert_compiler *k, uint32_t number, uint32_t from, uint32_t to)
{
    const convert_row row = *convert_row_at(k->c, number);
    uint32_t box = 0;
    kiln_status status =
        row.box_size ? kiln_convert_add_box(k, row.box_size, row.box_align, &box) : KILN_OK;
    for (uint32_t i = 0; i < row.count && !status; i++) {
        convert_step step = *convert_step_at(k->c, row.first + i);
        step.from += from;
        step.to += to;
        step.box += box;
        status = kiln_convert_add(k, &step);
    }
    return status;
}

/* Whether the row is a single step of numbers that covers the whole value. Consecutive values can
 * then be one step with more numbers. */
static bool is_numbers(const kiln_conversion *c, const convert_row *row)
{
    const convert_step *step = convert_step_at(c, row->first);
    const convert_table *table;
    if (row->count != 1)
        return false;
    if (step->op == CONVERT_NUMBER)
        return kiln_kind_size((kiln_kind)step->from_kind) * step->count == row->from_size &&
               kiln_kind_size((kiln_kind)step->to_kind) * step->count == row->to_size;
    if (step->op != CONVERT_VALUE)
        return false;
    table = convert_table_at(c, step->index);
    return type_at(c->from, table->from)->size * step->count == row->from_size &&
           type_at(c->to, table->to)->size * step->count == row->to_size;
}

kiln_status kiln_convert_add_row(convert_compiler *k, uint32_t number, uint32_t from, uint32_t to,
                                 uint32_t count)
{
    const convert_row row = *convert_row_at(k->c, number);
    if (row.is_copy)
        return kiln_convert_add_bytes(k, CONVERT_COPY, from, to, row.to_size * count);
    if (is_numbers(k->c, &row)) {
        convert_step step = *convert_step_at(k->c, row.first);
        step.from = from;
        step.to = to;
        step.count *= count;
        return kiln_convert_add(k, &step);
    }
    if ((uint64_t)row.count * count <= INLINE_STEPS) {
        kiln_status status = KILN_OK;
        for (uint32_t i = 0; i < count && !status; i++)
            status = add_steps(k, number, from + i * row.from_size, to + i * row.to_size);
        return status;
    }
    convert_step step = {
        .op = CONVERT_ROWS, .from = from, .to = to, .count = count, .index = number};
    uint64_t box_size = (uint64_t)row.box_size * count;
    if (box_size > KILN_PAYLOAD_MAX)
        return kiln_fail(k->reterr, KILN_TOO_LARGE, 0, NULL);
    kiln_status status =
        box_size ? kiln_convert_add_box(k, (uint32_t)box_size, row.box_align, &step.box) : KILN_OK;
    return status ? status : kiln_convert_add(k, &step);
}

void kiln_convert_begin_row(convert_compiler *k, convert_open_row *row, convert_open_row **outer)
{
    row->first = k->open.count;
    row->box_size = 0;
    row->box_align = 1;
    *outer = k->row;
    k->row = row;
}

static bool is_scan_step(uint8_t op)
{
    return op >= CONVERT_TEXT;
}

/* Whether the step leaves the older bytes unchanged. Ignores the objects that fields point to,
 * because convert_compile.c checks all targets. */
static bool step_is_identity(const kiln_conversion *c, const convert_step *step)
{
    if (step->from != step->to)
        return false;
    if (step->op == CONVERT_ROWS)
        return convert_row_at(c, step->index)->is_identity;
    if (step->op == CONVERT_UNION) {
        const convert_table *table = convert_table_at(c, step->index);
        const kiln_type *older = type_at(c->from, table->from);
        for (uint32_t i = 0; i < older->member_count; i++)
            if (!table->choices[i].is_known || table->choices[i].value != older->members[i].value)
                return false;
        return true;
    }
    return step->op == CONVERT_COPY || step->op == CONVERT_TEXT || step->op == CONVERT_COUNTED ||
           step->op == CONVERT_POINTER;
}

/* Computes convert_row.height. */
static uint32_t row_height(const kiln_conversion *c, const convert_step *steps, uint32_t count)
{
    uint32_t height = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t below = 0;
        if (steps[i].op == CONVERT_TEXT)
            below = 1;
        else if (steps[i].op == CONVERT_LINK)
            below = CONVERT_ITEM(const convert_image, c->images, steps[i].index)->height;
        else if (steps[i].op > CONVERT_NUMBER)
            below = UINT32_MAX;
        height = below > height ? below : height;
    }
    return height;
}

kiln_status kiln_convert_end_row(convert_compiler *k, convert_row row, convert_open_row *outer,
                                 uint32_t *ret_number)
{
    kiln_conversion *c = k->c;
    const convert_open_row *open = k->row;
    uint32_t count = (uint32_t)(k->open.count - open->first), scans = 0;
    const convert_step *from = CONVERT_ITEM(const convert_step, k->open, open->first);
    row.is_identity = row.from_size == row.to_size;
    for (uint32_t i = 0; i < count; i++) {
        bool is_scanned = is_scan_step(from[i].op);
        if (from[i].op == CONVERT_ROWS)
            is_scanned = convert_row_at(c, from[i].index)->scan_count > 0;
        scans += is_scanned;
        row.is_identity = row.is_identity && step_is_identity(c, &from[i]);
    }
    convert_step *steps = kiln_vector_push(&c->steps, &c->allocator, count + scans, sizeof *steps);
    convert_row *made = steps ? kiln_vector_push(&c->rows, &c->allocator, 1, sizeof *made) : NULL;
    if (!made)
        return kiln_convert_no_memory(k);
    row.first = (uint32_t)(c->steps.count - count - scans);
    row.count = count;
    row.scans = row.first + count;
    row.scan_count = scans;
    row.box_align = open->box_align;
    row.box_size = (open->box_size + open->box_align - 1) & ~(open->box_align - 1);
    row.height = row_height(c, from, count);
    row.is_copy = row.is_identity && count == 1 && from[0].op == CONVERT_COPY;
    memcpy(steps, from, count * sizeof *steps);
    convert_step *scan = steps + count;
    for (uint32_t i = 0; i < count; i++) {
        c->has_texts = c->has_texts || from[i].op == CONVERT_TEXT;
        if (is_scan_step(from[i].op) &&
            (from[i].op != CONVERT_ROWS || convert_row_at(c, from[i].index)->scan_count > 0))
            *scan++ = from[i];
    }
    *made = row;
    *ret_number = (uint32_t)c->rows.count - 1;
    k->open.count = open->first;
    k->row = outer;
    return KILN_OK;
}
