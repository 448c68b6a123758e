#include "record_changes.h"

#include "bake_text.h"

#include <stdarg.h>
#include <stdio.h>

void bake_changes_fini(bake_changes *changes)
{
    bake_store_fini(&changes->store);
}

bool bake_changes_wanted(const bake_changes *changes)
{
    return !changes->store.failed && (changes->most == 0 || changes->count < changes->most);
}

/* Formats the end of a text after `used` bytes, for which the store has room. */
static char *make_text(bake_store *store, const char *before, const char *subject,
                       const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int end = vsnprintf(NULL, 0, format, again);
    va_end(again);
    size_t start = strlen(before) + strlen(subject) + 2;
    char *text = end < 0 ? NULL : bake_store_alloc(store, start + (size_t)end + 1, 1);
    if (text) {
        snprintf(text, start + 1, "%s%s: ", before, subject);
        vsnprintf(text + start, (size_t)end + 1, format, arguments);
    }
    return text;
}

void bake_change_add(bake_changes *changes, bake_change_kind kind, const char *before,
                     const char *subject, const char *format, ...)
{
    va_list arguments;
    if (!bake_changes_wanted(changes))
        return;
    bake_change *items = bake_store_grow(&changes->store, changes->items, &changes->capacity,
                                         changes->count + 1, sizeof *items);
    if (!items)
        return;
    changes->items = items;
    va_start(arguments, format);
    bake_change change = {kind, bake_store_text(&changes->store, subject, strlen(subject)),
                          make_text(&changes->store, before, subject, format, arguments)};
    va_end(arguments);
    if (!change.subject || !change.text)
        return;
    items[changes->count++] = change;
    if (changes->notice)
        changes->notice(changes->ctx, &change);
}
