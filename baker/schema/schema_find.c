/* Members of types under construction, by name. File rules may be many, and ask each. */
#include "schema_reader.h"

#include "bake_memory.h"

#include <stdlib.h>
#include <string.h>

static int compare_members(const void *a, const void *b)
{
    const kiln_member *const *left = a, *const *right = b;
    int order = strcmp((*left)->name, (*right)->name);
    return order ? order : (*left > *right) - (*left < *right);
}

/* False when memory ran out. */
static bool sort_members(schema_reader *reader, uint32_t number)
{
    const kiln_type *type = &reader->types[number];
    const kiln_member **sorted =
        bake_store_alloc(reader->store, (size_t)type->member_count + 1, sizeof *sorted);
    if (!sorted)
        return false;
    for (uint32_t i = 0; i < type->member_count; i++)
        sorted[i] = &type->members[i];
    if (type->member_count > 1)
        qsort(sorted, type->member_count, sizeof *sorted, compare_members);
    reader->extras[number].by_name = sorted;
    reader->extras[number].by_name_of = type->members;
    return true;
}

uint32_t bake_schema_find_member(schema_reader *reader, uint32_t number, const char *name)
{
    const kiln_type *type = &reader->types[number];
    bool is_sorted =
        reader->extras[number].by_name && reader->extras[number].by_name_of == type->members;
    if (!is_sorted && !sort_members(reader, number)) {
        bake_report_no_memory(reader->diagnostics);
        return UINT32_MAX;
    }
    uint32_t low = 0, high = type->member_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(reader->extras[number].by_name[middle]->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const kiln_member *found =
        low < type->member_count ? reader->extras[number].by_name[low] : NULL;
    return found && strcmp(found->name, name) == 0 ? (uint32_t)(found - type->members) : UINT32_MAX;
}

void bake_schema_hint_members(schema_reader *reader, uint32_t number, const char *name)
{
    const kiln_type *type = &reader->types[number];
    if (!bake_hints_wanted(reader->diagnostics))
        return;
    const char **names = bake_alloc_array(type->member_count, sizeof *names);
    for (uint32_t i = 0; names && i < type->member_count; i++)
        names[i] = type->members[i].name;
    /* A hint is worth no failure. */
    if (names)
        bake_hint_similar(reader->diagnostics, name, strlen(name), names, type->member_count);
    bake_free(names);
}
