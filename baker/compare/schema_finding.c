/* Findings own nothing: strings and changes live in the store of the comparison. */
#include "schema_finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Longer strings are truncated. */
enum { TEXT_SIZE = 600 };

void bake_schema_change_add(bake_store *store, schema_finding *finding, const char *member,
                            const char *word, schema_yaml yaml, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    schema_change *change = bake_store_alloc(store, 1, sizeof *change);
    if (!change)
        return;
    change->path = member ? bake_store_join(store, finding->name, '.', member) : finding->name;
    change->word = word;
    change->text = bake_store_text(store, text, strlen(text));
    change->yaml = yaml;
    if (!change->path || !change->text)
        return;
    if (!finding->last)
        finding->last = &finding->changes;
    *finding->last = change;
    finding->last = &change->next;
    finding->yaml = yaml > finding->yaml ? yaml : finding->yaml;
}
