/* Operations with queries: every iterator must visit exactly the matching entities. */
#include "entity_history.h"

#include <string.h>

bool history_query_matches(const history_query *query, uint32_t set)
{
    return set != 0 && (set & query->all) == query->all &&
           (query->any == 0 || (set & query->any) != 0) && (set & query->none) == 0;
}

static bool is_met(const history_query *query, const model_entity *entity)
{
    return entity->batch == 0 && history_query_matches(query, entity->set);
}

/* Finds the model's entity of each row, which must be visited only once per iteration. */
static void meet_rows(history *h, const history_query *query, const kiln_iterator *walk)
{
    uint32_t c = history_random(h, MODEL_COMPONENTS);
    const unsigned char *column = kiln_iterator_read(walk, h->components[c]);
    CHECK(h, walk->count > 0 && walk->first + walk->count <= walk->chunk->count);
    for (uint32_t row = 0; row < walk->count; row++) {
        model_entity *entity = entity_model_find(&h->model, kiln_iterator_entity(walk, row));
        CHECK(h, entity != NULL);
        CHECK(h, is_met(query, entity) && entity->stamp != h->model.stamp);
        entity->stamp = h->model.stamp;
        CHECK(h, (column != NULL) == (entity->set >> c & 1));
        CHECK(h, !column || entity_model_is_value(c, entity->values[c],
                                                  column + (size_t)row * model_components[c].size));
    }
}

static void write_rows(history *h, kiln_iterator *walk)
{
    uint32_t c = history_random(h, MODEL_COMPONENTS);
    unsigned char *column = kiln_iterator_write(walk, h->components[c]);
    if (!column)
        return;
    history_touched(h, walk->chunk, c);
    for (uint32_t row = 0; row < walk->count; row++) {
        model_entity *entity = entity_model_find(&h->model, kiln_iterator_entity(walk, row));
        uint64_t value = history_value(h);
        entity_model_bytes(c, value, column + (size_t)row * model_components[c].size);
        entity_model_write(&h->model, entity, c, value);
    }
}

static void check_all_met(history *h, const history_query *query)
{
    uint64_t rows = 0;
    for (uint32_t i = 0; i < h->model.count; i++) {
        const model_entity *entity = &h->model.entities[i];
        CHECK(h, !is_met(query, entity) || entity->stamp == h->model.stamp);
        rows += is_met(query, entity);
    }
    CHECK(h, kiln_query_rows(query->query) == rows);
}

void history_check_query(history *h, const history_query *query)
{
    uint32_t chunks = 0;
    h->model.stamp++;
    kiln_iterator walk = kiln_query_iterate(query->query);
    for (; kiln_iterator_next(&walk); chunks += walk.first == 0)
        meet_rows(h, query, &walk);
    CHECK(h, walk.status == KILN_OK && !kiln_iterator_next(&walk));
    CHECK(h, kiln_query_chunks(query->query) == chunks);
    check_all_met(h, query);
}

static history_query *any_query(history *h)
{
    history_query *query = &h->queries[history_random(h, HISTORY_QUERIES)];
    return query->query ? query : NULL;
}

static uint32_t components_of(history *h, uint32_t set, kiln_component *ret_components)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < MODEL_COMPONENTS; c++)
        if (set >> c & 1)
            ret_components[count++] = h->components[c];
    return count;
}

static uint32_t few(history *h)
{
    uint32_t set = 0;
    for (uint32_t left = history_random(h, 3); left > 0; left--)
        set |= 1u << history_random(h, MODEL_COMPONENTS);
    return set;
}

static uint32_t add_terms(kiln_query_term *terms, uint32_t at, kiln_term_kind kind,
                          const kiln_component *components, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        terms[at + i] = (kiln_query_term){components[i], kind};
    return at + count;
}

static void change_queries(history *h)
{
    history_query *query = &h->queries[history_random(h, HISTORY_QUERIES)];
    kiln_query_destroy(query->query);
    query->query = NULL;
    query->all = few(h);
    query->any = few(h);
    query->none = few(h);
    query->optional = few(h);
    kiln_component all[MODEL_COMPONENTS], any[MODEL_COMPONENTS], none[MODEL_COMPONENTS];
    kiln_component optional[MODEL_COMPONENTS];
    kiln_query_term terms[4 * MODEL_COMPONENTS];
    uint32_t count = 0;
    count = add_terms(terms, count, KILN_TERM_WITHOUT, none, components_of(h, query->none, none));
    count = add_terms(terms, count, KILN_TERM_WITH, all, components_of(h, query->all, all));
    count = add_terms(terms, count, KILN_TERM_OPTIONAL, optional,
                      components_of(h, query->optional, optional));
    count = add_terms(terms, count, KILN_TERM_ANY, any, components_of(h, query->any, any));
    if (history_is_done(h, kiln_query_create(h->world, terms, count, &query->query), 0, 0))
        history_check_query(h, query);
}

static void walk_and_write(history *h)
{
    const history_query *query = any_query(h);
    if (!query)
        return;
    h->model.stamp++;
    kiln_iterator walk = kiln_query_iterate(query->query);
    while (kiln_iterator_next(&walk)) {
        meet_rows(h, query, &walk);
        if (history_random(h, 3) == 0)
            write_rows(h, &walk);
    }
    check_all_met(h, query);
}

static void walk_in_parts(history *h)
{
    const history_query *query = any_query(h);
    if (!query)
        return;
    uint32_t parts = 1 + history_random(h, 9), chunks = kiln_query_chunks(query->query);
    h->model.stamp++;
    for (uint32_t i = 0; i < parts; i++) {
        kiln_iterator walk = kiln_query_iterate_part(query->query, (i + chunks) % parts, parts);
        uint32_t part_chunks = 0;
        for (; kiln_iterator_next(&walk); part_chunks += walk.first == 0) {
            meet_rows(h, query, &walk);
            if (history_random(h, 4) == 0)
                write_rows(h, &walk);
        }
        CHECK(h, part_chunks == chunks / parts || part_chunks == chunks / parts + 1);
    }
    check_all_met(h, query);
}

/* Readers see changes made before and after their creation. */
static void make_reader(history *h, uint32_t c)
{
    kiln_reader reader;
    kiln_status status = kiln_reader_init(h->world, h->components[c], &reader);
    if (!history_is_done(h, status, 0, 0))
        return;
    CHECK(h, !h->readers[c].columns || h->readers[c].columns == reader.columns);
    h->readers[c] = reader;
}

/* Reading many handles per call and single handles must agree, with and without a reader. */
static void read_many(history *h)
{
    enum { MANY = 60 };
    kiln_entity entities[MANY];
    const void *values[MANY];
    uint32_t count = history_random(h, MANY), c = history_random(h, MODEL_COMPONENTS);
    for (uint32_t i = 0; i < count; i++) {
        bool is_somebody = h->model.count > 0 && history_random(h, 6) > 0;
        entities[i] = is_somebody ? h->model.entities[history_random(h, h->model.count)].entity
                                  : history_nobody(h);
    }
    kiln_entity_read_many(h->world, entities, count, h->components[c], values);
    for (uint32_t i = 0; i < count; i++) {
        const model_entity *entity = entity_model_find(&h->model, entities[i]);
        bool has = entity && (entity->set >> c & 1);
        CHECK(h, values[i] == kiln_entity_read(h->world, entities[i], h->components[c]));
        CHECK(h, has == (values[i] != NULL));
        CHECK(h, !has || entity_model_is_value(c, entity->values[c], values[i]));
    }
    if (h->step % 4 == 0)
        make_reader(h, c);
    const kiln_reader *reader = &h->readers[c];
    const void *same[MANY];
    if (reader->columns)
        kiln_reader_read_many(reader, entities, count, same);
    for (uint32_t i = 0; reader->columns && i < count; i++) {
        CHECK(h, same[i] == values[i]);
        CHECK(h, kiln_reader_read(reader, entities[i]) == values[i]);
    }
}

static bool may_be_met(const history_query *query, const history_touch *touch, uint64_t since)
{
    bool may = touch->arrived > since;
    for (uint32_t c = 0; c < MODEL_COMPONENTS; c++)
        may |= ((query->all | query->any | query->optional) >> c & 1) && touch->written[c] > since;
    return may;
}

static bool must_be_met(const history_query *query, const model_entity *entity, uint64_t since)
{
    uint32_t asked =
        (query->all | query->any | query->optional) & entity->set & ~(uint32_t)MODEL_TAGS;
    bool must = entity->arrived > since;
    for (uint32_t c = 0; c < MODEL_COMPONENTS; c++)
        must |= (asked >> c & 1) && entity->written[c] > since;
    return must;
}

static void walk_what_changed(history *h)
{
    const history_query *query = any_query(h);
    history_mark mark = h->ticks[history_random(h, HISTORY_MARKS)];
    if (!query)
        return;
    h->model.stamp++;
    kiln_iterator walk = kiln_query_iterate_changed(query->query, mark.since);
    while (kiln_iterator_next(&walk)) {
        CHECK(h, may_be_met(query, history_touch_of(h, walk.chunk), mark.clock));
        meet_rows(h, query, &walk);
        if (history_random(h, 20) == 0)
            write_rows(h, &walk);
    }
    for (uint32_t i = 0; i < h->model.count; i++) {
        const model_entity *entity = &h->model.entities[i];
        CHECK(h, !is_met(query, entity) || !must_be_met(query, entity, mark.clock) ||
                     entity->stamp == h->model.stamp);
    }
}

/* A query for changes since a tick reports a later write, even if the writing iteration began
 * before the tick. */
static void mark_within_a_walk(history *h)
{
    const history_query *query = any_query(h);
    if (!query || query->all == 0)
        return;
    kiln_iterator walk = kiln_query_iterate(query->query);
    if (!kiln_iterator_next(&walk))
        return;
    const kiln_chunk *chunk = walk.chunk;
    history_mark mark = {kiln_world_tick(h->world), h->model.clock++};
    bool is_met_again = false;
    for (uint32_t c = 0; c < MODEL_COMPONENTS; c++) {
        if (!(query->all >> c & 1))
            continue;
        kiln_iterator_write(&walk, h->components[c]);
        history_touched(h, chunk, c);
    }
    walk = kiln_query_iterate_changed(query->query, mark.since);
    while (kiln_iterator_next(&walk))
        is_met_again |= walk.chunk == chunk;
    CHECK(h, is_met_again);
}

const history_operation history_query_operations[] = {
    {"change the queries", change_queries, 4, false},
    {"iterate and write", walk_and_write, 4, false},
    {"iterate in parts", walk_in_parts, 3, false},
    {"read many handles", read_many, 5, false},
    {"iterate over changes", walk_what_changed, 12, false},
    {"tick within an iteration", mark_within_a_walk, 2, false},
    {0},
};
