/* Rows being compiled: the fields of structs and the entries of maps, with what lies between them.
 */
#include "convert_plan.h"

#include <string.h>

void kiln_convert_begin_row(convert_compiler *k, convert_open_row *row, convert_open_row **outer)
{
    row->first = k->open.count;
    row->box_size = 0;
    row->box_align = 1;
    *outer = k->row;
    k->row = row;
}

static bool is_look(uint8_t what)
{
    return what >= CONVERT_TEXT;
}

/* Whether the newer value is the older bytes. Targets are asked about by whoever asks this. */
static bool step_is_alike(const kiln_conversion *c, const convert_step *step)
{
    if (step->from != step->to)
        return false;
    if (step->what == CONVERT_ROWS)
        return convert_row_at(c, step->index)->is_alike;
    if (step->what == CONVERT_UNION) {
        const convert_table *table = convert_table_at(c, step->index);
        const kiln_type *older = type_at(c->from, table->from);
        for (uint32_t i = 0; i < older->member_count; i++)
            if (!table->choices[i].is_known || table->choices[i].value != older->members[i].value)
                return false;
        return true;
    }
    return step->what == CONVERT_COPY || step->what == CONVERT_TEXT ||
           step->what == CONVERT_COUNTED || step->what == CONVERT_POINTER;
}

/* convert_row's `height`. */
static uint32_t row_height(const kiln_conversion *c, const convert_step *steps, uint32_t count)
{
    uint32_t height = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t below = 0;
        if (steps[i].what == CONVERT_TEXT)
            below = 1;
        else if (steps[i].what == CONVERT_LINK)
            below = CONVERT_ITEM(const convert_image, c->images, steps[i].index)->height;
        else if (steps[i].what > CONVERT_NUMBER)
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
    uint32_t count = (uint32_t)(k->open.count - open->first), looks = 0;
    const convert_step *from = CONVERT_ITEM(const convert_step, k->open, open->first);
    row.is_alike = row.from_size == row.to_size;
    for (uint32_t i = 0; i < count; i++) {
        bool look = is_look(from[i].what);
        if (from[i].what == CONVERT_ROWS)
            look = convert_row_at(c, from[i].index)->look_count > 0;
        looks += look;
        row.is_alike = row.is_alike && step_is_alike(c, &from[i]);
    }
    convert_step *steps = kiln_vector_push(&c->steps, &c->allocator, count + looks, sizeof *steps);
    convert_row *made = steps ? kiln_vector_push(&c->rows, &c->allocator, 1, sizeof *made) : NULL;
    if (!made)
        return kiln_convert_no_memory(k);
    row.first = (uint32_t)(c->steps.count - count - looks);
    row.count = count;
    row.looks = row.first + count;
    row.look_count = looks;
    row.box_align = open->box_align;
    row.box_size = (open->box_size + open->box_align - 1) & ~(open->box_align - 1);
    row.height = row_height(c, from, count);
    row.is_copy = row.is_alike && count == 1 && from[0].what == CONVERT_COPY;
    memcpy(steps, from, count * sizeof *steps);
    convert_step *look = steps + count;
    for (uint32_t i = 0; i < count; i++) {
        c->has_texts = c->has_texts || from[i].what == CONVERT_TEXT;
        if (is_look(from[i].what) &&
            (from[i].what != CONVERT_ROWS || convert_row_at(c, from[i].index)->look_count > 0))
            *look++ = from[i];
    }
    *made = row;
    *ret_number = (uint32_t)c->rows.count - 1;
    k->open.count = open->first;
    k->row = outer;
    return KILN_OK;
}

/* One after another as in the older struct, so that the bytes between them are padding of the same
 * length in both. */
typedef struct seam {
    uint32_t from_end, to_end, last; /* number of the older field before; KILN_TYPE_NONE for none */
} seam;

static kiln_status add_padding(convert_compiler *k, const seam *s, bool is_next, uint32_t from,
                               uint32_t to)
{
    if (is_next && from - s->from_end == to - s->to_end)
        return kiln_convert_add_bytes(k, CONVERT_COPY, s->from_end, s->to_end, to - s->to_end);
    return kiln_convert_add_bytes(k, CONVERT_ZERO, 0, s->to_end, to - s->to_end);
}

static kiln_status add_fields(convert_compiler *k, uint32_t from_type, uint32_t to_type)
{
    const kiln_type *older = type_at(k->c->from, from_type);
    const kiln_type *newer = type_at(k->c->to, to_type);
    seam s = {0, 0, KILN_TYPE_NONE};
    uint32_t *numbers;
    kiln_status status = kiln_convert_match_fields(k, older, to_type, &numbers);
    for (uint32_t i = 0; i < newer->member_count && !status; i++) {
        const kiln_member *member = &newer->members[i];
        const kiln_member *was = numbers[i] == KILN_TYPE_NONE ? NULL : &older->members[numbers[i]];
        convert_place place = {to_type, member, 0};
        bool is_next = was && (s.last == KILN_TYPE_NONE ? i == 0 && numbers[i] == 0
                                                        : s.last + 1 == numbers[i]);
        status = add_padding(k, &s, is_next, was ? was->offset : 0, member->offset);
        if (status)
            return status;
        if (was)
            status = kiln_convert_add_value(k, was->type, member->type, was->offset, member->offset,
                                            &place);
        else
            status = kiln_convert_add_new(k, member->type, member->offset, 0, &place);
        s.to_end = member->offset + type_at(k->c->to, member->type)->size;
        s.last = was ? numbers[i] : UINT32_MAX - 1;
        s.from_end = was ? was->offset + type_at(k->c->from, was->type)->size : 0;
    }
    bool ends = s.last + 1 == older->member_count;
    return status ? status : add_padding(k, &s, ends, older->size, newer->size);
}

kiln_status kiln_convert_add_entry(convert_compiler *k, const convert_target *target,
                                   convert_row *row)
{
    const kiln_type *older = type_at(k->c->from, target->from);
    const kiln_type *newer = type_at(k->c->to, target->to);
    convert_place key = convert_step_into(&target->place, CONVERT_STEP_KEY),
                  value = convert_step_into(&target->place, CONVERT_STEP_ELEMENT);
    uint32_t key_end = type_at(k->c->to, newer->key)->size;
    uint32_t end = newer->value_offset + type_at(k->c->to, newer->element)->size;
    uint32_t from_key_end = type_at(k->c->from, older->key)->size;
    uint32_t from_end = older->value_offset + type_at(k->c->from, older->element)->size;
    seam after_key = {from_key_end, key_end, 0}, after_value = {from_end, end, 0};
    row->from_size = older->entry_size;
    row->to_size = newer->entry_size;
    kiln_status status = kiln_convert_add_value(k, older->key, newer->key, 0, 0, &key);
    if (!status)
        status = add_padding(k, &after_key, true, older->value_offset, newer->value_offset);
    if (!status)
        status = kiln_convert_add_value(k, older->element, newer->element, older->value_offset,
                                        newer->value_offset, &value);
    if (!status)
        status = add_padding(k, &after_value, true, older->entry_size, newer->entry_size);
    return status;
}

static bool is_row(const kiln_conversion *c, uint32_t number, uint64_t key)
{
    const convert_row *row = convert_row_at(c, number);
    return ((uint64_t)row->from << 32 | row->to) == key;
}

HASH_TABLE(rows_by_types, const kiln_conversion *, uint64_t, hash_of_number, is_row)

/* More than types nest by value, and optionals in wraps in optionals that never end. */
enum { NESTING_MAX = 64 };

kiln_status kiln_convert_find_row(convert_compiler *k, uint32_t from_type, uint32_t to_type,
                                  const convert_place *place, uint32_t *ret_number)
{
    uint64_t key = (uint64_t)from_type << 32 | to_type;
    convert_open_row open, *outer;
    const kiln_type *older = type_at(k->c->from, from_type);
    const kiln_type *newer = type_at(k->c->to, to_type);
    *ret_number = rows_by_types_find(&k->row_numbers, k->c, key);
    if (*ret_number != HASH_TABLE_NONE)
        return KILN_OK;
    if (k->nesting >= NESTING_MAX)
        return kiln_convert_fail(k, KILN_UNREADABLE_KIND, place);
    k->nesting++;
    convert_row row = {
        .from_size = older->size, .to_size = newer->size, .from = from_type, .to = to_type};
    kiln_convert_begin_row(k, &open, &outer);
    kiln_status status = kiln_convert_is_same_struct(k->c, from_type, to_type)
                             ? add_fields(k, from_type, to_type)
                             : kiln_convert_add_value(k, from_type, to_type, 0, 0, place);
    if (!status)
        status = kiln_convert_end_row(k, row, outer, ret_number);
    k->nesting--;
    if (status)
        return status;
    if (!hash_table_reserve(&k->row_numbers, &k->c->allocator))
        return kiln_convert_no_memory(k);
    hash_table_put(&k->row_numbers, rows_by_types_slot(&k->row_numbers, k->c, key), *ret_number);
    return KILN_OK;
}
