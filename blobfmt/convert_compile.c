/* Which steps make a value of one type from a value of another: FORMAT.md section 15. */
#include "convert_plan.h"

#include <string.h>

static kiln_status add_value(convert_compiler *k, uint32_t from_type, uint32_t to_type,
                             uint32_t from, uint32_t to, const convert_place *place);

/* Steps into unnamed types; a value is no step of a path, but no longer the member itself. */
enum { STEP_ELEMENT = 1, STEP_KEY = 2, STEP_VALUE = 3 };
/* More than types nest by value, and optionals in wraps in optionals that never end. */
enum { NESTING_MAX = 64 };

static convert_place step_into(const convert_place *place, uint32_t step)
{
    convert_place inner = *place;
    inner.steps = place->steps << 2 | step;
    return inner;
}

kiln_status kiln_convert_no_memory(convert_compiler *k)
{
    return kiln_fail(k->reterr, KILN_NO_MEMORY, 0, NULL);
}

kiln_status kiln_convert_fail(convert_compiler *k, kiln_status status, const convert_place *place)
{
    char path[2 * KILN_PATH_SIZE];
    kiln_error named = {KILN_OK, 0, ""};
    kiln_type_fail(&named, status, k->c->to, place->type, place->member);
    strcpy(path, named.path);
    unsigned shift = 30;
    while (shift > 0 && !(place->steps >> shift & 3))
        shift -= 2;
    for (;; shift -= 2) {
        uint32_t step = place->steps >> shift & 3;
        strcat(path, step == STEP_ELEMENT ? "[]" : step == STEP_KEY ? "[key]" : "");
        if (shift == 0)
            return kiln_fail(k->reterr, status, 0, path);
    }
}

/* By name, but for the two roots, which the caller says are. */
static bool is_same_type(const kiln_conversion *c, uint32_t from_type, uint32_t to_type)
{
    return (from_type == c->from_type && to_type == c->to_type) ||
           kiln_convert_same_name(type_at(c->from, from_type), type_at(c->to, to_type));
}

/* Numbers and bools that hold all of another's values, by kind from KILN_KIND_BOOL to
 * KILN_KIND_F64.
 */
static bool holds(kiln_kind to, kiln_kind from)
{
    if (to == from)
        return true;
    uint32_t to_bits = kiln_kind_size(to) * 8;
    uint32_t from_bits = from == KILN_KIND_BOOL ? 1 : kiln_kind_size(from) * 8;
    if (to == KILN_KIND_BOOL)
        return false;
    if (kiln_kind_is_float(from))
        return kiln_kind_is_float(to) && to_bits >= from_bits;
    /* Bits of a float's significand, the first one included. */
    if (kiln_kind_is_float(to))
        to_bits = to == KILN_KIND_F32 ? 24 : 53;
    else if (kiln_kind_is_signed(to))
        to_bits--;
    else if (kiln_kind_is_signed(from))
        return false;
    return to_bits >= from_bits - (kiln_kind_is_signed(from) ? 1 : 0);
}

static kiln_status add_number(convert_compiler *k, kiln_kind from_kind, kiln_kind to_kind,
                              uint32_t from, uint32_t to, const convert_place *place)
{
    if (!holds(to_kind, from_kind))
        return kiln_convert_fail(k, KILN_UNREADABLE_NARROW, place);
    uint32_t size = kiln_kind_size(to_kind);
    if (from_kind == to_kind || (size == 1 && kiln_kind_size(from_kind) == 1))
        return kiln_convert_add_bytes(k, CONVERT_COPY, from, to, size);
    convert_step step = {.what = CONVERT_NUMBER,
                         .from_kind = (uint8_t)from_kind,
                         .to_kind = (uint8_t)to_kind,
                         .from = from,
                         .to = to,
                         .count = 1};
    return kiln_convert_add(k, &step);
}

static uint64_t table_key(const void *ctx, uint32_t number)
{
    const convert_table *table = convert_table_at(ctx, number);
    return (uint64_t)table->from << 32 | table->to;
}

static uint64_t row_key(const void *ctx, uint32_t number)
{
    const convert_row *row = convert_row_at(ctx, number);
    return (uint64_t)row->from << 32 | row->to;
}

static uint64_t target_key(const void *ctx, uint32_t number)
{
    const convert_target *target = convert_target_at(ctx, number);
    return (uint64_t)target->from_unit << 32 | target->to_unit;
}

/* The target for these forms; it is compiled later. */
static kiln_status find_target(convert_compiler *k, object_form from, object_form to,
                               const convert_place *place, uint32_t *ret_number)
{
    uint64_t key = (uint64_t)from.unit << 32 | to.unit;
    uint32_t slot;
    if (!kiln_number_set_reserve(&k->target_numbers, &k->c->allocator, target_key, k->c))
        return kiln_convert_no_memory(k);
    uint32_t number = kiln_number_set_find(&k->target_numbers, target_key, k->c, key, &slot);
    while (number != UINT32_MAX && (convert_target_at(k->c, number)->align != to.align ||
                                    convert_target_at(k->c, number)->from_align != from.align))
        number = kiln_number_set_next(&k->target_numbers, target_key, k->c, key, &slot);
    if (number == UINT32_MAX) {
        number = (uint32_t)k->c->targets.count;
        convert_target *target =
            kiln_vector_push(&k->c->targets, &k->c->allocator, 1, sizeof *target);
        if (!target)
            return kiln_convert_no_memory(k);
        convert_target made = {.from_unit = from.unit,
                               .to_unit = to.unit,
                               .from = from.type,
                               .to = to.type,
                               .from_align = from.align,
                               .align = to.align,
                               .place = *place};
        *target = made;
        kiln_number_set_put(&k->target_numbers, slot, number);
    }
    *ret_number = number;
    return KILN_OK;
}

static kiln_status new_table(convert_compiler *k, uint32_t from_type, uint32_t to_type,
                             uint32_t *ret_number, bool *ret_is_new)
{
    uint64_t key = (uint64_t)from_type << 32 | to_type;
    uint32_t slot;
    if (!kiln_number_set_reserve(&k->table_numbers, &k->c->allocator, table_key, k->c))
        return kiln_convert_no_memory(k);
    *ret_number = kiln_number_set_find(&k->table_numbers, table_key, k->c, key, &slot);
    *ret_is_new = *ret_number == UINT32_MAX;
    if (!*ret_is_new)
        return KILN_OK;
    convert_table table = {from_type, to_type, NULL};
    kiln_status status =
        kiln_convert_match_choices(k, type_at(k->c->from, from_type), to_type, &table.choices);
    if (status)
        return status;
    *ret_number = (uint32_t)k->c->tables.count;
    convert_table *made = kiln_vector_push(&k->c->tables, &k->c->allocator, 1, sizeof *made);
    if (!made)
        return kiln_convert_no_memory(k);
    *made = table;
    kiln_number_set_put(&k->table_numbers, slot, *ret_number);
    return KILN_OK;
}

/* Enums and flag sets. Where every member keeps its number, numbers are all that there is. */
static kiln_status add_choice(convert_compiler *k, uint32_t from_type, uint32_t to_type,
                              uint32_t from, uint32_t to, const convert_place *place)
{
    const kiln_type *older = type_at(k->c->from, from_type);
    const kiln_type *newer = type_at(k->c->to, to_type);
    uint32_t number;
    bool is_new = false;
    if (!is_same_type(k->c, from_type, to_type))
        return kiln_convert_fail(k, KILN_UNREADABLE_TYPE, place);
    kiln_status status = new_table(k, from_type, to_type, &number, &is_new);
    if (status)
        return status;
    const convert_choice *choices = convert_table_at(k->c, number)->choices;
    bool keeps = true;
    for (uint32_t i = 0; i < older->member_count && keeps; i++)
        keeps = choices[i].is_known && choices[i].value == older->members[i].value;
    if (keeps && holds(newer->base, older->base))
        return add_number(k, older->base, newer->base, from, to, place);
    convert_step step = {
        .what = CONVERT_VALUE, .from = from, .to = to, .count = 1, .index = number};
    return kiln_convert_add(k, &step);
}

static kiln_status add_union(convert_compiler *k, uint32_t from_type, uint32_t to_type,
                             uint32_t from, uint32_t to, const convert_place *place)
{
    const kiln_type *older = type_at(k->c->from, from_type);
    const kiln_type *newer = type_at(k->c->to, to_type);
    convert_step step = {.what = CONVERT_UNION, .from = from, .to = to, .count = 1};
    bool is_new = false;
    if (!is_same_type(k->c, from_type, to_type))
        return kiln_convert_fail(k, KILN_UNREADABLE_TYPE, place);
    kiln_status status = new_table(k, from_type, to_type, &step.index, &is_new);
    convert_choice *choices = status ? NULL : convert_table_at(k->c, step.index)->choices;
    for (uint32_t i = 0; i < older->member_count && is_new && !status; i++) {
        if (!choices[i].is_known)
            continue;
        uint32_t from_value = older->members[i].type;
        const kiln_member *member = kiln_type_value(newer, choices[i].value);
        convert_place inner = {to_type, member, 0};
        if ((from_value == KILN_TYPE_NONE) != (member->type == KILN_TYPE_NONE))
            return kiln_convert_fail(k, KILN_UNREADABLE_KIND, &inner);
        if (from_value == KILN_TYPE_NONE)
            continue;
        uint32_t from_align = type_at(k->c->from, from_value)->align;
        uint32_t to_align = type_at(k->c->to, member->type)->align;
        status = find_target(k, object_form_of_values(k->c->from, from_value, from_align),
                             object_form_of_values(k->c->to, member->type, to_align), &inner,
                             &choices[i].target);
    }
    return status ? status : kiln_convert_add(k, &step);
}

static void begin_row(convert_compiler *k, convert_open_row *row, convert_open_row **outer)
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

/* Makes the innermost open row one of the conversion's. */
static kiln_status end_row(convert_compiler *k, convert_row row, convert_open_row *outer,
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
            status = add_value(k, was->type, member->type, was->offset, member->offset, &place);
        else
            status = kiln_convert_add_new(k, member->type, member->offset, 0, &place);
        s.to_end = member->offset + type_at(k->c->to, member->type)->size;
        s.last = was ? numbers[i] : UINT32_MAX - 1;
        s.from_end = was ? was->offset + type_at(k->c->from, was->type)->size : 0;
    }
    bool ends = s.last + 1 == older->member_count;
    return status ? status : add_padding(k, &s, ends, older->size, newer->size);
}

static kiln_status add_entry(convert_compiler *k, const convert_target *target, convert_row *row)
{
    const kiln_type *older = type_at(k->c->from, target->from);
    const kiln_type *newer = type_at(k->c->to, target->to);
    convert_place key = step_into(&target->place, STEP_KEY),
                  value = step_into(&target->place, STEP_ELEMENT);
    uint32_t key_end = type_at(k->c->to, newer->key)->size;
    uint32_t end = newer->value_offset + type_at(k->c->to, newer->element)->size;
    uint32_t from_key_end = type_at(k->c->from, older->key)->size;
    uint32_t from_end = older->value_offset + type_at(k->c->from, older->element)->size;
    seam after_key = {from_key_end, key_end, 0}, after_value = {from_end, end, 0};
    row->from_size = older->entry_size;
    row->to_size = newer->entry_size;
    kiln_status status = add_value(k, older->key, newer->key, 0, 0, &key);
    if (!status)
        status = add_padding(k, &after_key, true, older->value_offset, newer->value_offset);
    if (!status)
        status = add_value(k, older->element, newer->element, older->value_offset,
                           newer->value_offset, &value);
    if (!status)
        status = add_padding(k, &after_value, true, older->entry_size, newer->entry_size);
    return status;
}

static bool is_same_struct(const kiln_conversion *c, uint32_t from_type, uint32_t to_type)
{
    const kiln_type *older = type_at(c->from, from_type), *newer = type_at(c->to, to_type);
    return older->kind == KILN_KIND_STRUCT && newer->kind == KILN_KIND_STRUCT &&
           is_same_type(c, from_type, to_type);
}

/* The row of two types, one's value after the other's; compiled where it is new. */
static kiln_status find_row(convert_compiler *k, uint32_t from_type, uint32_t to_type,
                            const convert_place *place, uint32_t *ret_number)
{
    uint64_t key = (uint64_t)from_type << 32 | to_type;
    uint32_t slot;
    convert_open_row open, *outer;
    const kiln_type *older = type_at(k->c->from, from_type);
    const kiln_type *newer = type_at(k->c->to, to_type);
    *ret_number = kiln_number_set_find(&k->row_numbers, row_key, k->c, key, &slot);
    if (*ret_number != UINT32_MAX)
        return KILN_OK;
    if (k->nesting >= NESTING_MAX)
        return kiln_convert_fail(k, KILN_UNREADABLE_KIND, place);
    k->nesting++;
    convert_row row = {
        .from_size = older->size, .to_size = newer->size, .from = from_type, .to = to_type};
    begin_row(k, &open, &outer);
    kiln_status status = is_same_struct(k->c, from_type, to_type)
                             ? add_fields(k, from_type, to_type)
                             : add_value(k, from_type, to_type, 0, 0, place);
    if (!status)
        status = end_row(k, row, outer, ret_number);
    k->nesting--;
    if (status)
        return status;
    if (!kiln_number_set_reserve(&k->row_numbers, &k->c->allocator, row_key, k->c))
        return kiln_convert_no_memory(k);
    kiln_number_set_find(&k->row_numbers, row_key, k->c, key, &slot);
    kiln_number_set_put(&k->row_numbers, slot, *ret_number);
    return KILN_OK;
}

static kiln_status add_struct(convert_compiler *k, uint32_t from_type, uint32_t to_type,
                              uint32_t from, uint32_t to, const convert_place *place)
{
    uint32_t row;
    kiln_status status = find_row(k, from_type, to_type, place, &row);
    return status ? status : kiln_convert_add_row(k, row, from, to, 1);
}

static kiln_status add_fixed(convert_compiler *k, const kiln_type *older, uint32_t to_type,
                             uint32_t from, uint32_t to, const convert_place *place)
{
    const kiln_type *newer = type_at(k->c->to, to_type);
    convert_place inner = step_into(place, STEP_ELEMENT);
    uint32_t row;
    if (newer->count < older->count)
        return kiln_convert_fail(k, KILN_UNREADABLE_SHORTER, place);
    kiln_status status = find_row(k, older->element, newer->element, &inner, &row);
    if (!status)
        status = kiln_convert_add_row(k, row, from, to, older->count);
    if (!status && newer->count > older->count)
        status = kiln_convert_add_new(k, to_type, to, older->count, place);
    return status;
}

/* A value that becomes an object of its own. */
static kiln_status add_box(convert_compiler *k, uint32_t from_type, const kiln_type *newer,
                           uint32_t from, uint32_t to, const convert_place *place)
{
    const kiln_type *element = type_at(k->c->to, newer->element);
    convert_step step = {.what = newer->kind == KILN_KIND_ARRAY ? CONVERT_BOX_LIST : CONVERT_BOX,
                         .from = from,
                         .to = to,
                         .count = 1};
    convert_place inner =
        step_into(place, newer->kind == KILN_KIND_ARRAY ? STEP_ELEMENT : STEP_VALUE);
    kiln_status status = find_row(k, from_type, newer->element, &inner, &step.index);
    if (status)
        return status;
    const convert_row row = *convert_row_at(k->c, step.index);
    uint32_t align = newer->target_align > row.box_align ? newer->target_align : row.box_align;
    uint64_t size =
        (((uint64_t)element->size + row.box_align - 1) & ~(uint64_t)(row.box_align - 1));
    if (size + row.box_size > KILN_PAYLOAD_MAX)
        return kiln_fail(k->reterr, KILN_TOO_LARGE, 0, NULL);
    status = kiln_convert_add_box(k, (uint32_t)(size + row.box_size), align, &step.box);
    return status ? status : kiln_convert_add(k, &step);
}

static kiln_status add_relative(convert_compiler *k, uint32_t from_type, uint32_t to_type,
                                uint32_t from, uint32_t to, const convert_place *place)
{
    kiln_kind kind = type_at(k->c->to, to_type)->kind;
    convert_step step = {.what = kind == KILN_KIND_OPTIONAL ? CONVERT_POINTER : CONVERT_COUNTED,
                         .from = from,
                         .to = to,
                         .count = 1};
    kiln_status status = find_target(k, object_form_of_field(k->c->from, from_type),
                                     object_form_of_field(k->c->to, to_type), place, &step.index);
    return status ? status : kiln_convert_add(k, &step);
}

static bool is_byte_list(const kiln_types *types, const kiln_type *type)
{
    return type->kind == KILN_KIND_BYTES ||
           (type->kind == KILN_KIND_ARRAY && type_at(types, type->element)->kind == KILN_KIND_U8);
}

/* Two values of one kind. */
static kiln_status add_alike(convert_compiler *k, uint32_t from_type, uint32_t to_type,
                             uint32_t from, uint32_t to, const convert_place *place)
{
    const kiln_type *older = type_at(k->c->from, from_type);
    const kiln_type *newer = type_at(k->c->to, to_type);
    convert_step text = {.what = CONVERT_TEXT, .from = from, .to = to, .count = 1};
    switch (newer->kind) {
    case KILN_KIND_STRING:
        return kiln_convert_add(k, &text);
    case KILN_KIND_REF:
        if (newer->element != KILN_TYPE_NONE &&
            (older->element == KILN_TYPE_NONE ||
             !is_same_type(k->c, older->element, newer->element)))
            return kiln_convert_fail(k, KILN_UNREADABLE_TYPE, place);
        return kiln_convert_add_bytes(k, CONVERT_COPY, from, to, newer->size);
    case KILN_KIND_ENUM:
    case KILN_KIND_FLAGS:
        return add_choice(k, from_type, to_type, from, to, place);
    case KILN_KIND_STRUCT:
        return add_struct(k, from_type, to_type, from, to, place);
    case KILN_KIND_UNION:
        return add_union(k, from_type, to_type, from, to, place);
    case KILN_KIND_FIXED:
        return add_fixed(k, older, to_type, from, to, place);
    default:
        return add_relative(k, from_type, to_type, from, to, place);
    }
}

/* Through the newer type's wraps. */
static kiln_status add_wrapped(convert_compiler *k, uint32_t from_type, uint32_t to_type,
                               uint32_t from, uint32_t to, const convert_place *place)
{
    const kiln_type *newer = type_at(k->c->to, to_type);
    const kiln_member *member = &newer->members[0];
    convert_place inner = {to_type, member, 0};
    uint32_t end = type_at(k->c->to, member->type)->size;
    (void)place;
    kiln_status status = add_value(k, from_type, member->type, from, to, &inner);
    return status ? status
                  : kiln_convert_add_bytes(k, CONVERT_ZERO, 0, to + end, newer->size - end);
}

/* The type that a wrap wraps, at any depth. */
static const kiln_type *unwrapped(const kiln_types *types, const kiln_type *type)
{
    while (type->flags & KILN_TYPE_TRANSPARENT)
        type = type_at(types, type->members[0].type);
    return type;
}

/* Whether a value of `older`, which is no such list or optional, is one of its elements. */
static bool is_boxed(const kiln_conversion *c, const kiln_type *older, const kiln_type *newer,
                     const convert_place *place)
{
    if (unwrapped(c->from, older)->kind == newer->kind)
        return false;
    if (newer->kind == KILN_KIND_OPTIONAL)
        return true;
    return newer->kind == KILN_KIND_ARRAY && place->member && place->steps == 0 &&
           (place->member->flags & KILN_MEMBER_SINGLE) && !is_byte_list(c->from, older);
}

/* Writes all bytes of a value of `to_type`. Recurses no deeper than types nest by value. */
static kiln_status add_value(convert_compiler *k, uint32_t from_type, uint32_t to_type,
                             uint32_t from, uint32_t to, const convert_place *place)
{
    const kiln_type *older = type_at(k->c->from, from_type);
    const kiln_type *newer = type_at(k->c->to, to_type);
    if (is_same_struct(k->c, from_type, to_type))
        return add_struct(k, from_type, to_type, from, to, place);
    if (newer->flags & KILN_TYPE_TRANSPARENT)
        return add_wrapped(k, from_type, to_type, from, to, place);
    if (is_boxed(k->c, older, newer, place))
        return add_box(k, from_type, newer, from, to, place);
    if (older->flags & KILN_TYPE_TRANSPARENT)
        return add_value(k, older->members[0].type, to_type, from, to, place);
    if (older->kind <= KILN_KIND_F64 && newer->kind <= KILN_KIND_F64)
        return add_number(k, older->kind, newer->kind, from, to, place);
    if (is_byte_list(k->c->from, older) && is_byte_list(k->c->to, newer))
        return add_relative(k, from_type, to_type, from, to, place);
    if (older->kind != newer->kind)
        return kiln_convert_fail(k, KILN_UNREADABLE_KIND, place);
    if (newer->kind == KILN_KIND_STRUCT)
        return kiln_convert_fail(k, KILN_UNREADABLE_TYPE, place);
    return add_alike(k, from_type, to_type, from, to, place);
}

/* Whether the numbers of an enum's values come in another order, or become equal. */
static bool reorders(const convert_compiler *k, const convert_row *row)
{
    const convert_step *step = convert_step_at(k->c, row->first);
    if (step->what != CONVERT_VALUE)
        return false;
    const convert_table *table = convert_table_at(k->c, step->index);
    return type_at(k->c->from, table->from)->kind == KILN_KIND_ENUM;
}

/* Notes of a map with such keys how much it takes to sort it, and whether keys may become equal. */
static kiln_status note_sorting(convert_compiler *k, const convert_row *row)
{
    const convert_table *table = convert_table_at(k->c, convert_step_at(k->c, row->first)->index);
    const kiln_type *older = type_at(k->c->from, table->from);
    const kiln_type *newer = type_at(k->c->to, table->to);
    uint8_t *taken = kiln_arena_alloc_zeroed(&k->c->memory, newer->member_count, 1);
    if (!taken)
        return kiln_convert_no_memory(k);
    for (uint32_t i = 0; i < older->member_count; i++) {
        if (!table->choices[i].is_known)
            continue;
        size_t number = (size_t)(kiln_type_value(newer, table->choices[i].value) - newer->members);
        k->c->may_refuse = k->c->may_refuse || taken[number];
        taken[number] = 1;
    }
    if (older->member_count > k->c->sort_most)
        k->c->sort_most = older->member_count;
    return KILN_OK;
}

static kiln_status compile_target(convert_compiler *k, uint32_t number)
{
    convert_target target = *convert_target_at(k->c, number);
    convert_place inner = step_into(&target.place, STEP_ELEMENT);
    convert_open_row open, *outer;
    kiln_status status;
    if (target.from == KILN_TYPE_NONE || target.to == KILN_TYPE_NONE) {
        /* Bytes, on one side at least: the other is u8[]. */
        convert_row row = {.from_size = 1, .to_size = 1, .from = KILN_TYPE_NONE};
        begin_row(k, &open, &outer);
        status = kiln_convert_add_bytes(k, CONVERT_COPY, 0, 0, 1);
        if (!status)
            status = end_row(k, row, outer, &target.row);
    } else if (unit_is_entries(target.from_unit)) {
        convert_row row = {.from = target.from | CONVERT_ENTRIES,
                           .to = target.to | CONVERT_ENTRIES};
        begin_row(k, &open, &outer);
        status = add_entry(k, &target, &row);
        if (!status)
            status = end_row(k, row, outer, &target.row);
        if (!status && reorders(k, convert_row_at(k->c, target.row))) {
            target.sorts = true;
            status = note_sorting(k, convert_row_at(k->c, target.row));
        }
    } else {
        status = find_row(k, target.from, target.to, &inner, &target.row);
    }
    if (!status)
        *CONVERT_ITEM(convert_target, k->c->targets, number) = target;
    return status;
}

/* Whether each step leaves the older bytes as they are. */
static bool is_alike(const kiln_conversion *c)
{
    for (uint32_t i = 0; i < c->targets.count; i++) {
        const convert_target *target = convert_target_at(c, i);
        if (!convert_row_at(c, target->row)->is_alike || target->from_align != target->align)
            return false;
    }
    return true;
}

static uint64_t older_key(const void *ctx, uint32_t number)
{
    const convert_target *target = convert_target_at(ctx, number);
    return (uint64_t)target->from_unit << 32 | target->from_align;
}

/* Whether fields of the older type that may name one object are such as may not in the newer. */
static kiln_status find_two_forms(convert_compiler *k, bool *ret_found)
{
    const kiln_conversion *c = k->c;
    number_set seen = {NULL, 0, 0, 0};
    *ret_found = false;
    for (uint32_t i = 0; i < c->targets.count && !*ret_found; i++) {
        uint32_t slot;
        if (!kiln_number_set_reserve(&seen, &c->allocator, older_key, c)) {
            kiln_number_set_fini(&seen, &c->allocator);
            return kiln_convert_no_memory(k);
        }
        uint32_t other = kiln_number_set_find(&seen, older_key, c, older_key(c, i), &slot);
        if (other == UINT32_MAX)
            kiln_number_set_put(&seen, slot, i);
        else
            *ret_found = convert_target_at(c, other)->to_unit != convert_target_at(c, i)->to_unit;
    }
    kiln_number_set_fini(&seen, &c->allocator);
    return KILN_OK;
}

kiln_status kiln_convert_compile(convert_compiler *k)
{
    kiln_conversion *c = k->c;
    const kiln_type *older = type_at(c->from, c->from_type), *newer = type_at(c->to, c->to_type);
    convert_target root = {.from_unit = c->from_type,
                           .to_unit = c->to_type,
                           .from = c->from_type,
                           .to = c->to_type,
                           .from_align = older->align,
                           .align = newer->align,
                           .place = {c->to_type, NULL, 0}};
    convert_target *first = kiln_vector_push(&c->targets, &c->allocator, 1, sizeof *first);
    if (!first)
        return kiln_convert_no_memory(k);
    *first = root;
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < c->targets.count && !status; i++)
        status = compile_target(k, i);
    bool has_two_forms = true;
    if (!status && is_alike(c))
        status = find_two_forms(k, &has_two_forms);
    c->need = has_two_forms ? KILN_CONVERT_NEEDED : KILN_CONVERT_SAME;
    return status;
}
