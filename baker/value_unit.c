/* Numbers in fields that have a unit. */
#include "value_baker.h"

#include "bake_memory.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const value_special *)a)->member;
    uintptr_t y = (uintptr_t)((const value_special *)b)->member;
    return x < y ? -1 : x > y;
}

bool bake_values_list_specials(bake_values *b)
{
    size_t count = 0;
    if (!b->schema->has_units)
        return true;
    b->specials = bake_alloc_array(b->schema->member_count, sizeof *b->specials);
    for (uint32_t i = 0; b->specials && i < b->schema->member_count; i++)
        if (b->schema->members[i].unit)
            b->specials[count++] = (value_special){b->fields[i].member, &b->schema->members[i]};
    if (!b->specials)
        return false;
    b->special_count = count;
    qsort(b->specials, count, sizeof *b->specials, compare);
    return true;
}

const bake_member_info *bake_value_special(const bake_values *b, const kiln_member *field)
{
    value_special key = {field, NULL};
    const value_special *found =
        b->special_count && field
            ? bsearch(&key, b->specials, b->special_count, sizeof key, compare)
            : NULL;
    return found ? found->info : NULL;
}

size_t bake_value_unit(const bake_values *b, const kiln_member *field, const char *text,
                       size_t length, char out[BAKE_UNIT_TEXT_SIZE])
{
    const bake_member_info *info = bake_value_special(b, field);
    return info && info->unit ? bake_unit_convert(info->unit, text, length, out) : 0;
}

size_t bake_value_same_unit(const bake_values *b, const kiln_member *field, const char *text,
                            size_t length)
{
    const bake_member_info *info = bake_value_special(b, field);
    return info && info->unit ? bake_unit_same(info->unit, text, length) : 0;
}

bool bake_value_no_number(bake_values *b, bake_node_id node, const char *text, size_t length,
                          uint32_t type, const kiln_member *field, const value_step *step)
{
    const bake_member_info *info = bake_value_special(b, field);
    char units[80], number[BAKE_UNIT_TEXT_SIZE];
    bake_value_text_unexpected(b, node, text, length, type, step);
    if (!info || !info->unit)
        return false;
    if (bake_unit_convert(info->unit, text, length, number)) {
        bake_hint(b->diagnostics, "it is no whole number of %s", bake_unit_name(info->unit));
        return false;
    }
    bake_unit_list(info->unit, units, sizeof units);
    bake_hint(b->diagnostics, "a number of %s, or one with its unit: %s",
              bake_unit_name(info->unit), units);
    return false;
}
