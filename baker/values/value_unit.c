/* Numbers in fields that have a unit. */
#include "value_scalar.h"

#include "bake_memory.h"
#include "value_mismatch.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const value_field_unit *)a)->member;
    uintptr_t y = (uintptr_t)((const value_field_unit *)b)->member;
    return x < y ? -1 : x > y;
}

bool bake_values_list_units(bake_values *b)
{
    const bake_schema *schema = b->schema;
    if (!schema->has_units)
        return true;
    b->units.all = bake_alloc_array(schema->member_count, sizeof *b->units.all);
    if (!b->units.all)
        return false;
    for (uint32_t i = 0; i < schema->member_count; i++)
        if (schema->members[i].unit)
            b->units.all[b->units.count++] =
                (value_field_unit){b->fields.all[i].member, schema->members[i].unit};
    qsort(b->units.all, b->units.count, sizeof *b->units.all, compare);
    return true;
}

bake_unit bake_value_unit(const bake_values *b, const kiln_member *field)
{
    value_field_unit key = {field, 0};
    if (!field || b->units.count == 0)
        return 0;
    const value_field_unit *found =
        bsearch(&key, b->units.all, b->units.count, sizeof key, compare);
    return found ? found->unit : 0;
}

bool bake_value_report_number(bake_values *b, bake_node_id node, const char *text, size_t length,
                              uint32_t type, const kiln_member *field, const value_step *step)
{
    bake_unit unit = bake_value_unit(b, field);
    char units[80], number[BAKE_UNIT_TEXT_SIZE], quote[VALUE_QUOTE_SIZE];
    bake_value_text_unexpected(b, node, text, length, type, step);
    if (!unit)
        return false;
    if (bake_unit_convert(unit, text, length, number)) {
        bake_hint(b->report.to, "%s is not a whole number of %s",
                  bake_value_quote(quote, text, length), bake_unit_name(unit));
        return false;
    }
    bake_unit_list(unit, units, sizeof units);
    if (strcmp(bake_unit_name(unit), "1") == 0)
        bake_hint(b->report.to, "write a number, or a number with a unit: %s", units);
    else
        bake_hint(b->report.to, "write a number of %s, or a number with a unit: %s",
                  bake_unit_name(unit), units);
    return false;
}
