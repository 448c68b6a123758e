/* Earlier names of fields, alternatives and values: each stands for one. */
#include "schema_reader.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const bake_was *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order ? order : (left->member > right->member) - (left->member < right->member);
}

static void check_present(schema_reader *reader, uint32_t number, const bake_was *was)
{
    const schema_type *extra = &reader->extras[number];
    if (bake_schema_find_member(reader, number, was->name) != UINT32_MAX)
        bake_report(reader->diagnostics, BAKE_ERROR, extra->members[was->member].mark, "name",
                    extra->name, "\"%s\" cannot be an earlier name of \"%s\": it is a present one",
                    was->name, reader->types[number].members[was->member].name);
}

static void report_shared(schema_reader *reader, uint32_t number, const bake_was *first,
                          const bake_was *second)
{
    const schema_type *extra = &reader->extras[number];
    const kiln_member *members = reader->types[number].members;
    bake_mark mark = extra->members[first->member].mark;
    bake_report(
        reader->diagnostics, BAKE_ERROR, extra->members[second->member].mark, "name", extra->name,
        "\"%s\" cannot be an earlier name of \"%s\": it is that of \"%s\", at %s:%u:%u, "
        "already",
        second->name, members[second->member].name, members[first->member].name,
        bake_diagnostics_source_name(reader->diagnostics, mark.source), mark.line, mark.column);
    bake_related(reader->diagnostics, mark, "it is here");
}

void bake_schema_check_earlier(schema_reader *reader, uint32_t number)
{
    const kiln_type *type = &reader->types[number];
    uint32_t count = 0, first = 0;
    for (uint32_t m = 0; m < type->member_count; m++)
        count += type->members[m].was_count;
    bake_was *all = count ? bake_store_alloc(reader->store, count, sizeof *all) : NULL;
    if (!all)
        return;
    count = 0;
    for (uint32_t m = 0; m < type->member_count; m++)
        for (uint32_t w = 0; w < type->members[m].was_count; w++)
            all[count++] = (bake_was){type->members[m].was[w], m};
    qsort(all, count, sizeof *all, compare);
    for (uint32_t i = 0; i < count; i++) {
        bool is_new = strcmp(all[first].name, all[i].name) != 0;
        if (is_new || i == 0)
            check_present(reader, number, &all[i]);
        first = is_new ? i : first;
        if (all[i].member != all[first].member && all[i].member != all[i - 1].member)
            report_shared(reader, number, &all[first], &all[i]);
    }
}
