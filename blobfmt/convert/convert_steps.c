/* Steps of a row as they are appended. */
#include "convert_plan.h"

#include <string.h>

/* A row of more steps is not repeated in the rows around it, but referred to. So what is compiled
 * stays linear in the types, however they nest. */
enum { INLINE_STEPS = 16 };

static bool is_bytes(uint8_t what)
{
    return what == CONVERT_COPY || what == CONVERT_ZERO || what == CONVERT_CONSTANT;
}

/* Whether `next` goes on where `last` ends, so that one step does both. */
static bool goes_on(const convert_step *last, const convert_step *next)
{
    if (last->what != next->what || !is_bytes(next->what) || last->to + last->count != next->to)
        return false;
    if (next->what == CONVERT_COPY)
        return last->from + last->count == next->from;
    return next->what == CONVERT_ZERO || last->index + last->count == next->index;
}

kiln_status kiln_convert_add(convert_compiler *k, const convert_step *step)
{
    convert_step *last = k->open.count > k->row->first
                             ? CONVERT_ITEM(convert_step, k->open, k->open.count - 1)
                             : NULL;
    if (last && goes_on(last, step)) {
        last->count += step->count;
        return KILN_OK;
    }
    convert_step *next = kiln_vector_push(&k->open, &k->c->allocator, 1, sizeof *next);
    if (!next)
        return kiln_convert_no_memory(k);
    *next = *step;
    return KILN_OK;
}

kiln_status kiln_convert_add_bytes(convert_compiler *k, convert_what what, uint32_t from,
                                   uint32_t to, uint32_t count)
{
    convert_step step = {.what = (uint8_t)what, .from = from, .to = to, .count = count};
    return count ? kiln_convert_add(k, &step) : KILN_OK;
}

kiln_status kiln_convert_add_constant(convert_compiler *k, uint32_t to, const unsigned char *bytes,
                                      uint32_t count)
{
    convert_step step = {
        .what = CONVERT_CONSTANT, .to = to, .count = count, .index = (uint32_t)k->c->pool.count};
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

/* One row, step by step. */
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

/* Whether `count` rows one after another are one step of that many numbers. */
static bool is_numbers(const kiln_conversion *c, const convert_row *row)
{
    const convert_step *step = convert_step_at(c, row->first);
    const convert_table *table;
    if (row->count != 1)
        return false;
    if (step->what == CONVERT_NUMBER)
        return kiln_kind_size((kiln_kind)step->from_kind) * step->count == row->from_size &&
               kiln_kind_size((kiln_kind)step->to_kind) * step->count == row->to_size;
    if (step->what != CONVERT_VALUE)
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
        .what = CONVERT_ROWS, .from = from, .to = to, .count = count, .index = number};
    uint64_t box_size = (uint64_t)row.box_size * count;
    if (box_size > KILN_PAYLOAD_MAX)
        return kiln_fail(k->reterr, KILN_TOO_LARGE, 0, NULL);
    kiln_status status =
        box_size ? kiln_convert_add_box(k, (uint32_t)box_size, row.box_align, &step.box) : KILN_OK;
    return status ? status : kiln_convert_add(k, &step);
}
