/* Compiles a conversion: the steps that turn a value of one type into a value of another (FORMAT.md
 * section 17).
 *
 * This file goes through the list of targets, which are kinds of objects. convert_kinds.c compiles
 * the inline contents of a target, and appends the targets that its fields point to. Each pair of
 * forms is added only once, so the loop ends for recursive types, too. */
#include "convert_compile.h"

#include <string.h>

/* Whether the keys of these entries are enums whose numbers may change: the entries may then need a
 * different order, or two keys may become equal. */
static bool may_reorder_keys(const convert_compiler *k, const convert_row *row)
{
    const convert_step *step = convert_step_at(k->c, row->first);
    if (step->op != CONVERT_VALUE)
        return false;
    const convert_table *table = convert_table_at(k->c, step->index);
    return type_at(k->c->from, table->from)->kind == KILN_KIND_ENUM;
}

/* Records the maximum number of entries to sort in a map with such keys, and whether two keys may
 * become equal. A map has at most one entry per value of the enum. */
static kiln_status record_sorting(convert_compiler *k, const convert_row *row)
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
    if (older->member_count > k->c->sort_max)
        k->c->sort_max = older->member_count;
    return KILN_OK;
}

static kiln_status compile_target(convert_compiler *k, uint32_t number)
{
    convert_target target = *convert_target_at(k->c, number);
    convert_place inner = convert_step_into(&target.place, CONVERT_STEP_ELEMENT);
    convert_open_row open, *outer;
    kiln_status status;
    if (target.from == KILN_TYPE_NONE || target.to == KILN_TYPE_NONE) {
        /* At least one side is `bytes`; the other is `bytes` or `u8[]`. */
        convert_row row = {.from_size = 1, .to_size = 1, .from = KILN_TYPE_NONE};
        kiln_convert_begin_row(k, &open, &outer);
        status = kiln_convert_add_bytes(k, CONVERT_COPY, 0, 0, 1);
        if (!status)
            status = kiln_convert_end_row(k, row, outer, &target.row);
    } else if (unit_is_entries(target.from_unit)) {
        convert_row row = {.from = target.from | CONVERT_ENTRIES,
                           .to = target.to | CONVERT_ENTRIES};
        kiln_convert_begin_row(k, &open, &outer);
        status = kiln_convert_add_entry(k, &target, &row);
        if (!status)
            status = kiln_convert_end_row(k, row, outer, &target.row);
        if (!status && may_reorder_keys(k, convert_row_at(k->c, target.row))) {
            target.sorts = true;
            status = record_sorting(k, convert_row_at(k->c, target.row));
        }
    } else {
        status = kiln_convert_find_row(k, target.from, target.to, &inner, &target.row);
    }
    if (!status)
        *CONVERT_ITEM(convert_target, k->c->targets, number) = target;
    return status;
}

/* Whether every step leaves the older bytes unchanged. */
static bool is_identity(const kiln_conversion *c)
{
    for (uint32_t i = 0; i < c->targets.count; i++) {
        const convert_target *target = convert_target_at(c, i);
        if (!convert_row_at(c, target->row)->is_identity || target->from_align != target->align)
            return false;
    }
    return true;
}

static uint64_t older_key(const convert_target *target)
{
    return (uint64_t)target->from_unit << 32 | target->from_align;
}

static bool is_older(const kiln_conversion *c, uint32_t number, uint64_t key)
{
    return older_key(convert_target_at(c, number)) == key;
}

HASH_TABLE(targets_by_older, const kiln_conversion *, uint64_t, hash_of_number, is_older)

/* Finds two fields that may share an object in the older layout, but not in the newer one. The
 * object must then be written twice, even if its bytes do not change. */
static kiln_status find_two_forms(convert_compiler *k, bool *ret_found)
{
    const kiln_conversion *c = k->c;
    hash_table seen = {0};
    *ret_found = false;
    for (uint32_t i = 0; i < c->targets.count && !*ret_found; i++) {
        if (!hash_table_reserve(&seen, &c->allocator)) {
            kiln_hash_table_fini(&seen, &c->allocator);
            return kiln_convert_no_memory(k);
        }
        const convert_target *target = convert_target_at(c, i);
        hash_slot *slot = targets_by_older_slot(&seen, c, older_key(target));
        if (hash_slot_is_empty(slot))
            hash_table_put(&seen, slot, i);
        else
            *ret_found = convert_target_at(c, hash_slot_number(slot))->to_unit != target->to_unit;
    }
    kiln_hash_table_fini(&seen, &c->allocator);
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
    if (!status && is_identity(c))
        status = find_two_forms(k, &has_two_forms);
    c->need = has_two_forms ? KILN_CONVERT_NEEDED : KILN_CONVERT_SAME;
    return status;
}
