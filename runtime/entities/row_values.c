/* Writes the program's values into columns, for many rows at once. Columns without values are
 * zeroed, so a new row never contains bytes of an earlier row. */
#include "row_values.h"

#include "stream_copy.h"

/* Whether `columns` has values for a column of the archetype. */
static bool is_named(const archetype_column *data, const kiln_column_values *columns,
                     uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (columns[i].component.number == data->component.number)
            return true;
    }
    return false;
}

void kiln_row_values_fill(const archetype *a, const kiln_column_values *columns,
                          uint32_t column_count, const row_span *span)
{
    for (uint32_t i = 0; i < a->data_count; i++) {
        const archetype_column *data = &a->data[i];
        if (!is_named(data, columns, column_count))
            memset(row_at(span->first, data->component, data->size), 0,
                   (size_t)span->count * data->size);
    }
    for (uint32_t i = 0; i < column_count; i++)
        kiln_row_values_copy(&columns[i], span);
}

bool kiln_row_values_are_valid(const archetype *a, const kiln_column_values *columns,
                               uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!archetype_has(a, columns[i].component))
            return false;
    }
    return true;
}

void kiln_row_values_copy(const kiln_column_values *values, const row_span *span)
{
    uint32_t size = span->first.chunk->columns[values->component.number].size;
    size_t bytes = (size_t)span->count * size;
    if (bytes == 0)
        return;
    unsigned char *to = row_at(span->first, values->component, size);
    const unsigned char *from = (const unsigned char *)values->values + (size_t)span->from * size;
    if (span->streams)
        stream_copy(to, from, bytes);
    else
        memcpy(to, from, bytes);
}
