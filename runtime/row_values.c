#include "row_values.h"

/* Whether a column of the archetype is named. */
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
                          uint32_t column_count, uint32_t from, kiln_row first, uint32_t count)
{
    for (uint32_t i = 0; i < a->data_count; i++) {
        const archetype_column *data = &a->data[i];
        if (!is_named(data, columns, column_count))
            memset(row_at(first, data->component, data->size), 0, (size_t)count * data->size);
    }
    for (uint32_t i = 0; i < column_count; i++)
        kiln_row_values_copy(&columns[i], from, first.chunk, first.row, count);
}

bool kiln_row_values_are_right(const archetype *a, const kiln_column_values *columns,
                               uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!archetype_has(a, columns[i].component))
            return false;
    }
    return true;
}

void kiln_row_values_copy(const kiln_column_values *values, uint32_t from, const kiln_chunk *chunk,
                          uint32_t row, uint32_t count)
{
    const kiln_column *column = &chunk->columns[values->component.number];
    size_t bytes = (size_t)count * column->size;
    if (bytes)
        memcpy(chunk->data + column->offset + (size_t)row * column->size,
               (const unsigned char *)values->values + (size_t)from * column->size, bytes);
}
