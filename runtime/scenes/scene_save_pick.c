/* Determines which rows are saved, and in which order.
 *
 * Archetypes are sorted by the names of their components, so that the order of their creation does
 * not matter. Rows keep their order in chunks, so that they are copied in long pieces. Empty
 * entities are sorted by index. */
#include "scene_save.h"

#include "grow.h"

#include <string.h>

/* ---- sorting ---- */

static void swap(unsigned char *a, unsigned char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

/* The sift-down step of heapsort. qsort is not used: it passes no context to the comparison, and
 * may allocate memory without the program's allocator. */
static void sink(unsigned char *items, uint32_t at, uint32_t count, size_t size,
                 save_compare *compare, const void *ctx)
{
    for (uint32_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count &&
            compare(ctx, items + child * size, items + (child + (size_t)1) * size) < 0)
            child++;
        if (compare(ctx, items + at * size, items + child * size) >= 0)
            return;
        swap(items + at * size, items + child * size, size);
        at = child;
    }
}

void kiln_save_sort(void *items, uint32_t count, size_t size, save_compare *compare,
                    const void *ctx)
{
    unsigned char *bytes = items;
    for (uint32_t i = count / 2; i > 0; i--)
        sink(bytes, i - 1, count, size, compare, ctx);
    for (uint32_t last = count; last > 1; last--) {
        swap(bytes, bytes + (last - (size_t)1) * size, size);
        sink(bytes, 0, last - 1, size, compare, ctx);
    }
}

static int compare_archetypes(const saving *s, const archetype *a, const archetype *b)
{
    uint32_t i = 0;
    for (; i < a->component_count && i < b->component_count; i++) {
        kiln_component x = a->components[i], y = b->components[i];
        if (x.number != y.number)
            return strcmp(world_component(s->world, x)->desc.name,
                          world_component(s->world, y)->desc.name);
    }
    return (a->component_count > i) - (b->component_count > i);
}

/* ---- saving a whole world ---- */

static save_part *add_part(saving *s, const archetype *a)
{
    save_part *part = kiln_list_push(&s->allocator, &s->parts, sizeof *part);
    if (part) {
        save_part made = {a, s->pieces.count, 0, 0, 0};
        *part = made;
    }
    return part;
}

static bool add_piece(saving *s, save_part *part, const kiln_chunk *chunk, uint32_t row,
                      uint32_t count)
{
    save_piece *piece = kiln_list_push(&s->allocator, &s->pieces, sizeof *piece);
    if (!piece)
        return false;
    save_piece made = {chunk, row, count};
    *piece = made;
    part->piece_count++;
    part->rows += count;
    return true;
}

static int compare_parts(const void *ctx, const void *a, const void *b)
{
    return compare_archetypes(ctx, ((const save_part *)a)->archetype,
                              ((const save_part *)b)->archetype);
}

static bool pick_archetype(saving *s, const archetype *a)
{
    if (a->chunk_count == 0)
        return true;
    save_part *part = add_part(s, a);
    for (uint32_t i = 0; part && i < a->chunk_count; i++) {
        const kiln_chunk *chunk = &s->world->tables.chunks[a->chunks[i]];
        if (!add_piece(s, part, chunk, 0, chunk->count))
            return false;
    }
    return part != NULL;
}

static bool add_empty(saving *s, uint32_t index)
{
    uint32_t *place = kiln_list_push(&s->allocator, &s->empty, sizeof *place);
    if (place)
        *place = index;
    return place != NULL;
}

static bool pick_all(saving *s)
{
    bool is_done = true;
    for (uint32_t i = 1; i < s->world->archetypes.count && is_done; i++) {
        kiln_archetype number = {i};
        is_done = pick_archetype(s, world_archetype(s->world, number));
    }
    kiln_save_sort(s->parts.items, s->parts.count, sizeof(save_part), compare_parts, s);
    for (kiln_entity e = kiln_entity_next(s->world, 0); is_done && !kiln_entity_is_null(e);
         e = kiln_entity_next(s->world, e.index + 1)) {
        if (kiln_entity_place(s->world, e) == 0)
            is_done = add_empty(s, e.index);
    }
    return is_done;
}

/* ---- saving some entities ---- */

/* An empty entity has no chunk. */
typedef struct save_item {
    const kiln_chunk *chunk;
    uint32_t row, index;
} save_item;

static const archetype *archetype_of(const saving *s, const kiln_chunk *chunk)
{
    kiln_archetype number = {chunk->archetype};
    return world_archetype(s->world, number);
}

/* Empty entities come first, because they get the lowest numbers in the file. */
static int compare_items(const void *ctx, const void *left, const void *right)
{
    const save_item *a = left, *b = right;
    if (!a->chunk || !b->chunk) {
        if (a->chunk || b->chunk)
            return a->chunk ? 1 : -1;
        return (a->index > b->index) - (a->index < b->index);
    }
    if (a->chunk->archetype != b->chunk->archetype)
        return compare_archetypes(ctx, archetype_of(ctx, a->chunk), archetype_of(ctx, b->chunk));
    if (a->chunk != b->chunk)
        return a->chunk->order < b->chunk->order ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static bool list_items(const saving *s, kiln_list *items)
{
    for (uint32_t i = 0; i < s->args->count; i++) {
        kiln_entity entity = s->args->entities[i];
        kiln_row row = kiln_entity_row(s->world, entity);
        if (!kiln_entity_exists(s->world, entity) || (row.chunk && !chunk_is_listed(row.chunk)))
            continue;
        save_item *item = kiln_list_push(&s->allocator, items, sizeof *item);
        if (!item)
            return false;
        save_item made = {row.chunk, row.chunk ? row.row : 0, entity.index};
        *item = made;
    }
    return true;
}

/* Extends the last piece if the row follows it, else adds a piece. */
static bool take_row(saving *s, save_part *part, const save_item *item)
{
    save_piece *last = s->pieces.items;
    if (part->piece_count > 0) {
        last += s->pieces.count - 1;
        if (last->chunk == item->chunk && last->row + last->count == item->row) {
            last->count++;
            part->rows++;
            return true;
        }
    }
    return add_piece(s, part, item->chunk, item->row, 1);
}

/* The list is sorted, so duplicates are adjacent. */
static bool take_items(saving *s, const save_item *items, uint32_t count)
{
    save_part *part = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const save_item *item = &items[i];
        if (i > 0 && item->index == items[i - 1].index)
            continue;
        if (!item->chunk) {
            if (!add_empty(s, item->index))
                return false;
            continue;
        }
        const archetype *a = archetype_of(s, item->chunk);
        if (!part || part->archetype != a)
            part = add_part(s, a);
        if (!part || !take_row(s, part, item))
            return false;
    }
    return true;
}

static bool pick_some(saving *s)
{
    kiln_list items = {NULL, 0, 0};
    bool is_done = list_items(s, &items);
    kiln_save_sort(items.items, items.count, sizeof(save_item), compare_items, s);
    is_done = is_done && take_items(s, items.items, items.count);
    kiln_list_fini(&s->allocator, &items, sizeof(save_item));
    return is_done;
}

/* ---- numbering ---- */

kiln_status kiln_save_number(saving *s, uint32_t index, uint32_t number)
{
    uint32_t **block = &s->numbers[index / KILN_BLOCK_ENTITIES];
    size_t size = KILN_BLOCK_ENTITIES * sizeof **block;
    if (!*block) {
        *block = save_alloc(s, size);
        if (!*block)
            return KILN_NO_MEMORY;
        memset(*block, 0, size);
    }
    (*block)[index % KILN_BLOCK_ENTITIES] = number + 1;
    return KILN_OK;
}

kiln_status kiln_save_number_rows(saving *s, const kiln_chunk *chunk, uint32_t row, uint32_t count,
                                  uint32_t first)
{
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < count && !status; i++)
        status = kiln_save_number(s, kiln_chunk_index(chunk, row + i), first + i);
    return status;
}

kiln_status kiln_save_pick(saving *s)
{
    s->numbers = save_alloc(s, KILN_BLOCK_MAX * sizeof *s->numbers);
    if (!s->numbers)
        return KILN_NO_MEMORY;
    memset(s->numbers, 0, KILN_BLOCK_MAX * sizeof *s->numbers);
    return (s->args->entities ? pick_some(s) : pick_all(s)) ? KILN_OK : KILN_NO_MEMORY;
}

void kiln_save_pick_fini(saving *s)
{
    for (uint32_t i = 0; s->numbers && i < KILN_BLOCK_MAX; i++)
        save_free(s, s->numbers[i], KILN_BLOCK_ENTITIES * sizeof *s->numbers[i]);
    save_free(s, s->numbers, KILN_BLOCK_MAX * sizeof *s->numbers);
    kiln_list_fini(&s->allocator, &s->parts, sizeof(save_part));
    kiln_list_fini(&s->allocator, &s->pieces, sizeof(save_piece));
    kiln_list_fini(&s->allocator, &s->empty, sizeof(uint32_t));
}
