/* Compares the names in a folder. Both lists are sorted by name, so one pass finds all differences.
 */
#include "record_changes.h"

#include <string.h>

/* A position in a list: a name with its kind as the first character. */
typedef struct names_at {
    const char *next, *end;
} names_at;

static names_at begin(const bake_input_list *list)
{
    const char *names = list->size ? list->names : "";
    return (names_at){names, names + list->size};
}

static void step(names_at *at)
{
    at->next += strlen(at->next) + 1;
}

/* The order of the names at both positions; the end of a list comes after all names. */
static int compare(const names_at *a, const names_at *b)
{
    if (a->next == a->end || b->next == b->end)
        return (a->next == a->end) - (b->next == b->end);
    return strcmp(a->next + 1, b->next + 1);
}

static const char *kind_of(const char *entry)
{
    return *entry == 'd' ? "folder" : *entry == 'f' ? "file" : "name";
}

void bake_record_compare_names(const bake_input_list *before, const bake_input_list *now,
                               bake_changes *changes)
{
    names_at was = begin(before), is = begin(now);
    while ((was.next < was.end || is.next < is.end) && bake_changes_wanted(changes)) {
        int order = compare(&was, &is);
        if (order == 0 && *was.next != *is.next)
            bake_change_add(changes, BAKE_CHANGE_NAMES, "", before->path, "%s is now a %s",
                            was.next + 1, kind_of(is.next));
        else if (order < 0)
            bake_change_add(changes, BAKE_CHANGE_NAMES, "", before->path, "%s %s is missing",
                            kind_of(was.next), was.next + 1);
        else if (order > 0)
            bake_change_add(changes, BAKE_CHANGE_NAMES, "", before->path, "new %s %s",
                            kind_of(is.next), is.next + 1);
        if (order <= 0)
            step(&was);
        if (order >= 0)
            step(&is);
    }
}
