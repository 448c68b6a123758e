/* Operations with batches, several of which may be open. */
#include "entity_history.h"

#include <string.h>

/* The batch number in the model's entities; 0 means none. */
static uint32_t number_of(const history *h, const history_batch *batch)
{
    return (uint32_t)(batch - h->batches) + 1;
}

static void reserve(history *h)
{
    history_batch *batch = &h->batches[history_random(h, HISTORY_BATCHES)];
    uint32_t set = history_set(h), count = 1 + history_random(h, h->is_growing ? 500 : 5);
    kiln_archetype archetype;
    if (batch->batch || set == 0 || !history_archetype(h, set, &archetype))
        return;
    kiln_status status = kiln_batch_reserve(h->world, archetype, count, &batch->batch);
    if (!history_is_done(h, status, count + HISTORY_SET_ASIDE, history_chunks_for(set, count))) {
        batch->batch = NULL;
        return;
    }
    batch->set = set;
    batch->count = count;
    batch->parts = kiln_batch_part_count(batch->batch);
    batch->filled = batch->next = 0;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < batch->parts; i++) {
        kiln_batch_part part = kiln_batch_get_part(batch->batch, i);
        CHECK(h, part.start == sum && part.count > 0 && part.first.row == 0);
        CHECK(h, part.count <= entity_model_chunk_rows(set));
        sum += part.count;
    }
    CHECK(h, sum == count);
    CHECK(h, batch->parts == history_chunks_for(set, count));
}

static uint64_t value_in_batch(uint64_t first, uint32_t row)
{
    return first ? first + row * UINT64_C(0x2545f4914f6cdd1d) : 0;
}

typedef struct part_values {
    kiln_column_values columns[MODEL_COMPONENTS];
    uint64_t firsts[MODEL_COMPONENTS];
    uint32_t count;
    bool is_zeroed;
} part_values;

/* Each component gets its values from a list for the whole batch, or directly in its column, or is
 * zeroed. */
static void make_values(history *h, const history_batch *batch, const kiln_batch_part *part,
                        part_values *values)
{
    size_t at = 3;
    memset(values, 0, sizeof *values);
    values->is_zeroed = history_random(h, 2);
    for (uint32_t c = 0; c < MODEL_COMPONENTS; c++) {
        size_t size = model_components[c].size, bytes = batch->count * size;
        if (!(batch->set >> c & 1))
            continue;
        bool is_named = history_random(h, 2) && bytes <= HISTORY_VALUES_MAX - at;
        if (!is_named && values->is_zeroed)
            continue;
        values->firsts[c] = history_value(h);
        unsigned char *to = is_named ? h->values + at + part->start * size
                                     : kiln_row_at(part->first, h->components[c]);
        for (uint32_t r = 0; r < part->count; r++)
            entity_model_bytes(c, value_in_batch(values->firsts[c], r), to + r * size);
        if (is_named) {
            kiln_column_values column = {h->components[c], h->values + at};
            values->columns[values->count++] = column;
            at += bytes;
        }
    }
}

static void fill_part(history *h, history_batch *batch)
{
    /* Parts are filled alternately from both ends. */
    uint32_t turn = batch->next++;
    uint32_t number = turn % 2 ? batch->parts - 1 - turn / 2 : turn / 2;
    kiln_batch_part part = kiln_batch_get_part(batch->batch, number);
    part_values values;
    make_values(h, batch, &part, &values);
    static kiln_entity entities[KILN_CHUNK_ROWS_MAX];
    bool is_told = history_random(h, 3) > 0;
    kiln_fill_args args = {values.columns, values.count, values.is_zeroed};
    kiln_status status = kiln_batch_fill(batch->batch, number, &args, is_told ? entities : NULL);
    CHECK(h, status == KILN_OK);
    for (uint32_t r = 0; r < part.count; r++) {
        if (!is_told)
            entities[r] = kiln_entity_at(h->world, kiln_chunk_index(part.first.chunk, r));
        model_entity *born = history_born(h, entities[r], batch->set);
        born->batch = number_of(h, batch);
        for (uint32_t c = 0; c < MODEL_COMPONENTS; c++)
            born->values[c] = value_in_batch(values.firsts[c], r);
        history_check_entity(h, born);
    }
    batch->filled += part.count;
}

static history_batch *any_batch(history *h)
{
    history_batch *batch = &h->batches[history_random(h, HISTORY_BATCHES)];
    return batch->batch ? batch : NULL;
}

static void fill(history *h)
{
    history_batch *batch = any_batch(h);
    if (batch && batch->next < batch->parts)
        fill_part(h, batch);
}

static void publish(history *h)
{
    history_batch *batch = any_batch(h);
    if (!batch)
        return;
    while (batch->next < batch->parts)
        fill_part(h, batch);
    if (!history_is_done(h, kiln_batch_publish(batch->batch), 0, 0))
        return;
    for (uint32_t i = 0; i < h->model.count; i++) {
        model_entity *entity = &h->model.entities[i];
        if (entity->batch != number_of(h, batch))
            continue;
        entity->batch = 0;
        entity->arrived = h->model.clock;
        history_arrived(h, entity);
    }
    batch->batch = NULL;
}

static void discard(history *h)
{
    history_batch *batch = any_batch(h);
    if (!batch)
        return;
    kiln_batch_discard(batch->batch);
    batch->batch = NULL;
    for (uint32_t i = h->model.count; i-- > 0;)
        if (h->model.entities[i].batch == number_of(h, batch))
            history_dies(h, &h->model.entities[i]);
}

const history_operation history_batch_operations[] = {
    {"reserve a batch", reserve, 8, true},
    {"fill a part", fill, 20, true},
    {"publish a batch", publish, 6, true},
    {"discard a batch", discard, 3, true},
    {0},
};
