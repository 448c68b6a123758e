/* Compiles the steps for a value from its older and newer kind. Implements the table of FORMAT.md
 * section 17 with one function per row. Structs recurse into their fields. */
#include "convert_compile.h"

/* Appends the steps that write a value of `to_type`. Recurses no deeper than types nest by value.
 */
static kiln_status add_value(convert_compiler *k, uint32_t from_type, uint32_t to_type,
                             uint32_t from, uint32_t to, const convert_place *place);

/* Whether kind `to` can represent every value of kind `from`; both are bools, integers or floats.
 */
static bool can_hold(kiln_kind to, kiln_kind from)
{
    if (to == from)
        return true;
    uint32_t to_bits = kiln_kind_size(to) * 8;
    uint32_t from_bits = from == KILN_KIND_BOOL ? 1 : kiln_kind_size(from) * 8;
    if (to == KILN_KIND_BOOL)
        return false;
    if (kiln_kind_is_float(from))
        return kiln_kind_is_float(to) && to_bits >= from_bits;
    /* The bits of a float's significand, including the implicit one. */
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
    if (!can_hold(to_kind, from_kind))
        return kiln_convert_fail(k, KILN_UNREADABLE_NARROW, place);
    uint32_t size = kiln_kind_size(to_kind);
    if (from_kind == to_kind || (size == 1 && kiln_kind_size(from_kind) == 1))
        return kiln_convert_add_bytes(k, CONVERT_COPY, from, to, size);
    convert_step step = {.op = CONVERT_NUMBER,
                         .from_kind = (uint8_t)from_kind,
                         .to_kind = (uint8_t)to_kind,
                         .from = from,
                         .to = to,
                         .count = 1};
    return kiln_convert_add(k, &step);
}

static bool is_table(const kiln_conversion *c, uint32_t number, uint64_t key)
{
    const convert_table *table = convert_table_at(c, number);
    return ((uint64_t)table->from << 32 | table->to) == key;
}

HASH_TABLE(tables_by_types, const kiln_conversion *, uint64_t, hash_of_number, is_table)

static kiln_status new_table(convert_compiler *k, uint32_t from_type, uint32_t to_type,
                             uint32_t *ret_number, bool *ret_is_new)
{
    uint64_t key = (uint64_t)from_type << 32 | to_type;
    if (!hash_table_reserve(&k->table_numbers, &k->c->allocator))
        return kiln_convert_no_memory(k);
    hash_slot *slot = tables_by_types_slot(&k->table_numbers, k->c, key);
    *ret_is_new = hash_slot_is_empty(slot);
    if (!*ret_is_new) {
        *ret_number = hash_slot_number(slot);
        return KILN_OK;
    }
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
    hash_table_put(&k->table_numbers, slot, *ret_number);
    return KILN_OK;
}

/* Enums and flag sets. If every member keeps its value, converting the number is enough. */
static kiln_status add_choice(convert_compiler *k, uint32_t from_type, uint32_t to_type,
                              uint32_t from, uint32_t to, const convert_place *place)
{
    const kiln_type *older = type_at(k->c->from, from_type);
    const kiln_type *newer = type_at(k->c->to, to_type);
    uint32_t number;
    bool is_new = false;
    if (!kiln_convert_is_same_type(k->c, from_type, to_type))
        return kiln_convert_fail(k, KILN_UNREADABLE_TYPE, place);
    kiln_status status = new_table(k, from_type, to_type, &number, &is_new);
    if (status)
        return status;
    const convert_choice *choices = convert_table_at(k->c, number)->choices;
    bool keeps = true;
    for (uint32_t i = 0; i < older->member_count && keeps; i++)
        keeps = choices[i].is_known && choices[i].value == older->members[i].value;
    if (keeps && can_hold(newer->base, older->base))
        return add_number(k, older->base, newer->base, from, to, place);
    convert_step step = {.op = CONVERT_VALUE, .from = from, .to = to, .count = 1, .index = number};
    return kiln_convert_add(k, &step);
}

/* The forms of an object in the older and in the newer layout. */
typedef struct form_pair {
    object_form from, to;
} form_pair;

static uint32_t hash_of_forms(const hash_table *table, form_pair forms)
{
    return hash_of_number(table, (uint64_t)forms.from.unit << 32 | forms.to.unit);
}

static bool is_target(const kiln_conversion *c, uint32_t number, form_pair forms)
{
    const convert_target *target = convert_target_at(c, number);
    return target->from_unit == forms.from.unit && target->to_unit == forms.to.unit &&
           target->from_align == forms.from.align && target->align == forms.to.align;
}

HASH_TABLE(targets_by_forms, const kiln_conversion *, form_pair, hash_of_forms, is_target)

/* The number of the target for these forms. A new one is compiled later, by kiln_convert_compile:
 * the recursion of types through relative fields ends here. */
static kiln_status find_target(convert_compiler *k, object_form from, object_form to,
                               const convert_place *place, uint32_t *ret_number)
{
    if (!hash_table_reserve(&k->target_numbers, &k->c->allocator))
        return kiln_convert_no_memory(k);
    hash_slot *slot = targets_by_forms_slot(&k->target_numbers, k->c, (form_pair){from, to});
    if (hash_slot_is_empty(slot)) {
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
        hash_table_put(&k->target_numbers, slot, (uint32_t)k->c->targets.count - 1);
    }
    *ret_number = hash_slot_number(slot);
    return KILN_OK;
}

static kiln_status add_union(convert_compiler *k, uint32_t from_type, uint32_t to_type,
                             uint32_t from, uint32_t to, const convert_place *place)
{
    const kiln_type *older = type_at(k->c->from, from_type);
    const kiln_type *newer = type_at(k->c->to, to_type);
    convert_step step = {.op = CONVERT_UNION, .from = from, .to = to, .count = 1};
    bool is_new = false;
    if (!kiln_convert_is_same_type(k->c, from_type, to_type))
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

/* ---- structs and entries of maps, with the padding between their fields ---- */

/* Where the previous field ends in both structs. If the next field follows it in both, with padding
 * of the same length, the zeros of the padding are copied, so that one step covers several fields.
 */
typedef struct seam {
    uint32_t from_end, to_end,
        last; /* number of the previous older field; KILN_TYPE_NONE for none */
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

static bool is_row(const kiln_conversion *c, uint32_t number, uint64_t key)
{
    const convert_row *row = convert_row_at(c, number);
    return ((uint64_t)row->from << 32 | row->to) == key;
}

HASH_TABLE(rows_by_types, const kiln_conversion *, uint64_t, hash_of_number, is_row)

/* Greater than the depth to which types can nest by value. Only a newer type that contains itself
 * through optionals and newtypes can reach this limit, because each optional becomes a box with its
 * own row. */
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
                             : add_value(k, from_type, to_type, 0, 0, place);
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

static kiln_status add_struct(convert_compiler *k, uint32_t from_type, uint32_t to_type,
                              uint32_t from, uint32_t to, const convert_place *place)
{
    uint32_t row;
    kiln_status status = kiln_convert_find_row(k, from_type, to_type, place, &row);
    return status ? status : kiln_convert_add_row(k, row, from, to, 1);
}

static kiln_status add_fixed(convert_compiler *k, const kiln_type *older, uint32_t to_type,
                             uint32_t from, uint32_t to, const convert_place *place)
{
    const kiln_type *newer = type_at(k->c->to, to_type);
    convert_place inner = convert_step_into(place, CONVERT_STEP_ELEMENT);
    uint32_t row;
    if (newer->count < older->count)
        return kiln_convert_fail(k, KILN_UNREADABLE_SHORTER, place);
    kiln_status status = kiln_convert_find_row(k, older->element, newer->element, &inner, &row);
    if (!status)
        status = kiln_convert_add_row(k, row, from, to, older->count);
    if (!status && newer->count > older->count)
        status = kiln_convert_add_new(k, to_type, to, older->count, place);
    return status;
}

/* Appends the step for an inline value that becomes a separate object (a *box*): the value of an
 * optional, or the only element of an array. */
static kiln_status add_box(convert_compiler *k, uint32_t from_type, const kiln_type *newer,
                           uint32_t from, uint32_t to, const convert_place *place)
{
    const kiln_type *element = type_at(k->c->to, newer->element);
    convert_step step = {.op = newer->kind == KILN_KIND_ARRAY ? CONVERT_BOX_LIST : CONVERT_BOX,
                         .from = from,
                         .to = to,
                         .count = 1};
    convert_place inner = convert_step_into(
        place, newer->kind == KILN_KIND_ARRAY ? CONVERT_STEP_ELEMENT : CONVERT_STEP_VALUE);
    kiln_status status = kiln_convert_find_row(k, from_type, newer->element, &inner, &step.index);
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
    convert_step step = {.op = kind == KILN_KIND_OPTIONAL ? CONVERT_POINTER : CONVERT_COUNTED,
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

/* Appends the steps of a value that keeps its kind and is not a number. */
static kiln_status add_same_kind(convert_compiler *k, uint32_t from_type, uint32_t to_type,
                                 uint32_t from, uint32_t to, const convert_place *place)
{
    const kiln_type *older = type_at(k->c->from, from_type);
    const kiln_type *newer = type_at(k->c->to, to_type);
    convert_step text = {.op = CONVERT_TEXT, .from = from, .to = to, .count = 1};
    switch (newer->kind) {
    case KILN_KIND_STRING:
        return kiln_convert_add(k, &text);
    case KILN_KIND_REF:
        if (newer->element != KILN_TYPE_NONE &&
            (older->element == KILN_TYPE_NONE ||
             !kiln_convert_is_same_type(k->c, older->element, newer->element)))
            return kiln_convert_fail(k, KILN_UNREADABLE_TYPE, place);
        return kiln_convert_add_bytes(k, CONVERT_COPY, from, to, newer->size);
    case KILN_KIND_ENTITY:
    case KILN_KIND_DATA: /* the scene's data is converted separately */
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

/* The newer type is a newtype: converts the value inside it. */
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

/* Removes newtypes around a type, at any depth. */
static const kiln_type *unwrapped(const kiln_types *types, const kiln_type *type)
{
    while (type->flags & KILN_TYPE_TRANSPARENT)
        type = type_at(types, type->members[0].type);
    return type;
}

/* Whether a value of `older` becomes the value of an optional, or the only element of an array with
 * KILN_MEMBER_SINGLE. */
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

static kiln_status add_value(convert_compiler *k, uint32_t from_type, uint32_t to_type,
                             uint32_t from, uint32_t to, const convert_place *place)
{
    const kiln_type *older = type_at(k->c->from, from_type);
    const kiln_type *newer = type_at(k->c->to, to_type);
    if (kiln_convert_is_same_struct(k->c, from_type, to_type))
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
    return add_same_kind(k, from_type, to_type, from, to, place);
}
