/* Finds a layout for a chunk that gets another column while its existing columns stay in place.
 *
 * With fewer rows in the chunk, there are gaps between the columns. The order of rows has no
 * meaning, so the last rows can move away, and the new column goes into the first gap that is large
 * enough. Binary search finds the maximum number of rows for which all columns have room. Each cut
 * is made once and cached. */
#include "archetype_cut.h"

#include <string.h>

/* A chunk cannot have more columns, because each takes at least KILN_COLUMN_ALIGN bytes. */
enum { COLUMNS_MOST = KILN_CHUNK_SIZE / KILN_COLUMN_ALIGN };

typedef struct placed {
    uint32_t offset, size; /* bytes per row */
} placed;

/* Columns, sorted by offset. */
typedef struct columns {
    uint32_t count;
    placed items[COLUMNS_MOST];
} columns;

static void insert(columns *all, uint32_t at, placed column)
{
    memmove(all->items + at + 1, all->items + at, (all->count - at) * sizeof column);
    all->items[at] = column;
    all->count++;
}

/* The offset of column `i`; after the last one, the end of the chunk. */
static uint32_t begin_of(const columns *all, uint32_t i)
{
    return i < all->count ? all->items[i].offset : KILN_CHUNK_SIZE;
}

/* The end of the column before `i` with `rows` rows. */
static uint64_t end_before(const columns *all, uint32_t i, uint64_t rows)
{
    const uint64_t mask = KILN_COLUMN_ALIGN - 1;
    if (i == 0)
        return 0;
    const placed *column = &all->items[i - 1];
    return column->offset + ((column->size * rows + mask) & ~mask);
}

/* Puts a column into the first gap that is large enough for `rows` rows. */
static bool put_column(columns *all, uint32_t size, uint64_t rows, uint32_t *ret_offset)
{
    for (uint32_t i = 0; i <= all->count && all->count < COLUMNS_MOST; i++) {
        uint64_t offset = end_before(all, i, rows);
        if (offset + size * rows > begin_of(all, i))
            continue;
        placed column = {(uint32_t)offset, size};
        insert(all, i, column);
        *ret_offset = column.offset;
        return true;
    }
    return false;
}

/* Collects the columns of `to` that the chunk already has. */
static void collect_columns(const archetype *to, const kiln_chunk *chunk, columns *ret_columns)
{
    ret_columns->count = 0;
    for (uint32_t i = 0; i < to->data_count; i++) {
        const kiln_column *column = kiln_chunk_column(chunk, to->data[i].component);
        uint32_t at = 0;
        if (!column)
            continue;
        while (at < ret_columns->count && ret_columns->items[at].offset < column->offset)
            at++;
        placed item = {column->offset, column->size};
        insert(ret_columns, at, item);
    }
}

/* Whether all columns of `to` have room for `rows` rows. If so, `ret_columns` receives their
 * offsets, by component number. */
static bool place_all(const archetype *to, const kiln_chunk *chunk, const columns *kept,
                      uint32_t rows, kiln_column *ret_columns)
{
    columns all = *kept;
    for (uint32_t i = 0; i < to->data_count; i++) {
        const archetype_column *data = &to->data[i];
        const kiln_column *column = kiln_chunk_column(chunk, data->component);
        uint32_t offset = column ? column->offset : 0;
        if (!column && !put_column(&all, data->size, rows, &offset))
            return false;
        ret_columns[data->component.number].offset = (uint16_t)offset;
    }
    return true;
}

/* Returns the maximum number of rows for which all columns have room, and the columns. Fewer rows
 * leave larger gaps, so binary search works. */
static uint32_t place_most(const archetype *to, const kiln_chunk *chunk, kiln_column *ret_columns)
{
    columns kept;
    collect_columns(to, chunk, &kept);
    uint32_t low = 0, high = to->capacity < chunk->capacity ? to->capacity : chunk->capacity;
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (place_all(to, chunk, &kept, middle, ret_columns))
            low = middle;
        else
            high = middle - 1;
    }
    return low > 0 && place_all(to, chunk, &kept, low, ret_columns) ? low : 0;
}

kiln_status kiln_archetype_cut(kiln_world *world, archetype *to, const kiln_chunk *chunk,
                               const chunk_layout **ret_layout)
{
    *ret_layout = NULL;
    for (const archetype_cut *cut = to->cuts; cut; cut = cut->next) {
        if (cut->source == chunk->columns)
            *ret_layout = &cut->layout;
    }
    if (*ret_layout || to->cut_count == CUTS_MOST || world->layouts.count == UINT32_MAX)
        return KILN_OK;
    size_t bytes = sizeof(archetype_cut) + to->column_limit * sizeof(kiln_column);
    archetype_cut *cut = world_alloc(world, bytes);
    if (!cut || !kiln_list_grow(&world->allocator, &world->layouts, sizeof ret_layout)) {
        world_free(world, cut, bytes);
        return KILN_NO_MEMORY;
    }
    memcpy(cut->columns, to->columns, to->column_limit * sizeof(kiln_column));
    uint32_t capacity = place_most(to, chunk, cut->columns);
    /* The columns are valid only if there is room for a row. */
    bool is_own = capacity > 0 &&
                  memcmp(cut->columns, to->columns, to->column_limit * sizeof(kiln_column)) == 0;
    /* Copying is better than a cut that leaves room for less than three quarters of the rows. */
    if (is_own || (uint64_t)capacity * 4 < (uint64_t)to->capacity * 3) {
        *ret_layout = is_own ? &to->layout : NULL;
        world_free(world, cut, bytes);
        return KILN_OK;
    }
    chunk_layout layout = {to, cut->columns, world->layouts.count, capacity};
    cut->next = to->cuts;
    cut->bytes = bytes;
    cut->source = chunk->columns;
    cut->layout = layout;
    to->cuts = cut;
    to->cut_count++;
    ((const chunk_layout **)world->layouts.items)[world->layouts.count++] = &cut->layout;
    *ret_layout = &cut->layout;
    return KILN_OK;
}
