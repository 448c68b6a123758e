/* Compares options. Options are sorted by name; those with the same name keep their order. */
#include "record_changes.h"

#include "bake_memory.h"
#include "record_store.h"

#include <stdlib.h>
#include <string.h>

/* The values of one option: a range of a sorted list. */
typedef struct option_values {
    const bake_record_option *const *items;
    size_t count;
} option_values;

static int compare_options(const void *a, const void *b)
{
    const bake_record_option *left = *(const bake_record_option *const *)a;
    const bake_record_option *right = *(const bake_record_option *const *)b;
    int order = strcmp(left->name, right->name);
    /* Both are elements of one array. */
    return order ? order : (left > right) - (left < right);
}

static const bake_record_option **sort(const bake_record_option *options, size_t count)
{
    const bake_record_option **sorted = bake_alloc_array(count + 1, sizeof *sorted);
    for (size_t i = 0; i < count && sorted; i++)
        sorted[i] = &options[i];
    if (sorted && count > 1)
        qsort(sorted, count, sizeof *sorted, compare_options);
    return sorted;
}

static option_values values_of(const bake_record_option *const *sorted, size_t count)
{
    option_values values = {sorted, 0};
    while (values.count < count && strcmp(sorted[values.count]->name, sorted[0]->name) == 0)
        values.count++;
    return values;
}

static bool is_equal(const option_values *a, const option_values *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++)
        if (strcmp(a->items[i]->value, b->items[i]->value) != 0)
            return false;
    return a->count == b->count;
}

static int compare_values(const void *a, const void *b)
{
    return strcmp((*(const bake_record_option *const *)a)->value,
                  (*(const bake_record_option *const *)b)->value);
}

static void report(bake_changes *changes, const bake_record_option *option, const char *what)
{
    if (*option->value)
        bake_change_add(changes, BAKE_CHANGE_OPTION, "option ", option->name, "%s %s",
                        option->value, what);
    else
        bake_change_add(changes, BAKE_CHANGE_OPTION, "option ", option->name, "%s", what);
}

/* Reports which values were added or removed, or that only their order differs. Sorts the values.
 */
static void compare_lists(const bake_record_option **was, size_t was_count,
                          const bake_record_option **is, size_t is_count, bake_changes *changes)
{
    size_t count = changes->count;
    if (was_count > 1)
        qsort(was, was_count, sizeof *was, compare_values);
    if (is_count > 1)
        qsort(is, is_count, sizeof *is, compare_values);
    for (size_t a = 0, b = 0; (a < was_count || b < is_count) && bake_changes_wanted(changes);) {
        int order = a == was_count ? 1 : b == is_count ? -1 : strcmp(was[a]->value, is[b]->value);
        if (order < 0)
            report(changes, was[a], "removed");
        else if (order > 0)
            report(changes, is[b], "added");
        a += order <= 0;
        b += order >= 0;
    }
    if (changes->count == count)
        bake_change_add(changes, BAKE_CHANGE_OPTION, "option ", was[0]->name,
                        "the order of the values changed");
}

static void compare_sorted(const bake_record_option **was, size_t was_count,
                           const bake_record_option **is, size_t is_count, bake_changes *changes)
{
    while ((was_count || is_count) && bake_changes_wanted(changes)) {
        int order = !was_count ? 1 : !is_count ? -1 : strcmp(was[0]->name, is[0]->name);
        option_values before = values_of(was, order <= 0 ? was_count : 0);
        option_values now = values_of(is, order >= 0 ? is_count : 0);
        bool is_one = before.count == 1 && now.count == 1;
        if (is_equal(&before, &now))
            ;
        else if (is_one && *was[0]->value && *is[0]->value)
            bake_change_add(changes, BAKE_CHANGE_OPTION, "option ", was[0]->name, "%s -> %s",
                            was[0]->value, is[0]->value);
        else
            compare_lists(was, before.count, is, now.count, changes);
        was += before.count;
        was_count -= before.count;
        is += now.count;
        is_count -= now.count;
    }
}

/* Whether both lists are equal, in the same order. This is the usual case, and needs no sorting. */
static bool are_same(const bake_record *record, const bake_record_def *def)
{
    for (size_t i = 0; i < record->option_count && i < def->option_count; i++)
        if (strcmp(record->options[i].name, def->options[i].name) != 0 ||
            strcmp(record->options[i].value, def->options[i].value) != 0)
            return false;
    return record->option_count == def->option_count;
}

void bake_record_compare_options(const bake_record *record, const bake_record_def *def,
                                 bake_changes *changes)
{
    if (strcmp(record->version, def->version) != 0)
        bake_change_add(changes, BAKE_CHANGE_VERSION, "", "version", "%s -> %s", record->version,
                        def->version);
    if (are_same(record, def))
        return;
    const bake_record_option **was = sort(record->options, record->option_count);
    const bake_record_option **is = sort(def->options, def->option_count);
    if (was && is)
        compare_sorted(was, record->option_count, is, def->option_count, changes);
    else
        changes->store.failed = true;
    bake_free(was);
    bake_free(is);
}
