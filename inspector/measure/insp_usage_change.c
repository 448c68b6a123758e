#include "insp_usage_change.h"

#include "insp_memory.h"

#include <stdlib.h>

static int compare_names(const insp_usage_row *left, const insp_usage_row *right)
{
    int order = insp_text_compare(left->name, right->name);
    return order ? order : insp_text_compare(left->field, right->field);
}

static int compare_rows(const void *a, const void *b)
{
    return compare_names(a, b);
}

static uint64_t difference(const insp_usage_change *change)
{
    return change->after > change->before ? change->after - change->before
                                          : change->before - change->after;
}

static int compare_changes(const void *a, const void *b)
{
    const insp_usage_change *left = a, *right = b;
    uint64_t one = difference(left), other = difference(right);
    int order;
    if (one != other)
        return one > other ? -1 : 1;
    order = insp_text_compare(left->name, right->name);
    return order ? order : insp_text_compare(left->field, right->field);
}

static void sort_by_name(insp_usage_list *list)
{
    if (list->count)
        qsort(list->rows, list->count, sizeof *list->rows, compare_rows);
}

kiln_status insp_usage_compare(insp_usage_list *before, insp_usage_list *after,
                               insp_usage_change **ret_changes, size_t *ret_count)
{
    size_t i = 0, j = 0, count = 0;
    insp_usage_change *changes = insp_alloc_array(before->count + after->count, sizeof *changes);
    if (!changes)
        return KILN_NO_MEMORY;
    sort_by_name(before);
    sort_by_name(after);
    while (i < before->count || j < after->count) {
        int order = i == before->count  ? 1
                    : j == after->count ? -1
                                        : compare_names(&before->rows[i], &after->rows[j]);
        const insp_usage_row *row = order > 0 ? &after->rows[j] : &before->rows[i];
        insp_usage_change change = {.name = row->name, .field = row->field};
        if (order <= 0)
            change.before = before->rows[i++].bytes;
        if (order >= 0)
            change.after = after->rows[j++].bytes;
        if (change.before != change.after)
            changes[count++] = change;
    }
    if (count)
        qsort(changes, count, sizeof *changes, compare_changes);
    *ret_changes = changes;
    *ret_count = count;
    return KILN_OK;
}
