/* Bulk operations on all entities of an archetype or a query. */
#include "entity_history.h"

#include <string.h>

typedef enum change_kind { CHANGE_ADD, CHANGE_REMOVE, CHANGE_MOVE, CHANGE_CLEAR } change_kind;

typedef struct bulk_change {
    change_kind kind;
    history_query meant; /* matches the sets to change, if `set` is 0 */
    uint32_t set;        /* the only set to change */
    uint32_t component;
    uint64_t value;
    uint32_t to;
} bulk_change;

static bool is_meant(const bulk_change *change, uint32_t set)
{
    return change->set ? set == change->set : history_query_matches(&change->meant, set);
}

static uint32_t set_after(const bulk_change *change, uint32_t set)
{
    switch (change->kind) {
    case CHANGE_ADD:
        return set | 1u << change->component;
    case CHANGE_REMOVE:
        return set & ~(1u << change->component);
    default:
        return change->to;
    }
}

/* Whether all entities were changed. */
static bool is_all_done(history *h, const bulk_change *change, kiln_status status)
{
    static uint32_t rows[MODEL_SETS];
    memset(rows, 0, sizeof rows);
    for (uint32_t i = 0; i < h->model.count; i++)
        rows[h->model.entities[i].set] += h->model.entities[i].batch == 0;
    uint64_t chunks = 0;
    bool is_too_large = false;
    for (uint32_t set = 1; set < MODEL_SETS && change->kind != CHANGE_CLEAR; set++) {
        if (!is_meant(change, set) || (rows[set] == 0 && !change->set))
            continue;
        uint32_t after = set_after(change, set);
        if (after != 0 && entity_model_chunk_rows(after) == 0)
            is_too_large = true;
        else if (after != set)
            chunks += history_chunks_for(after, rows[set]) + 1;
    }
    if (status == KILN_L_ROW) {
        /* A query may match archetypes without rows. */
        CHECK(h, is_too_large || !change->set);
        return false;
    }
    CHECK(h, !is_too_large || status != KILN_OK);
    return history_is_done(h, status, 0, chunks);
}

/* Checks one selected entity: it has its new state or, after a partial change, possibly its old
 * state. */
static void follow_entity(history *h, const bulk_change *change, model_entity *entity, bool is_done)
{
    model_entity before = *entity;
    uint32_t after = set_after(change, entity->set);
    if (!is_done && history_matches(h, entity)) {
        if (after == before.set && before.set != 0)
            history_touched(h, kiln_entity_row(h->world, entity->entity).chunk, change->component);
        return;
    }
    if (after != entity->set)
        entity_model_move(&h->model, entity, after);
    if (change->kind == CHANGE_ADD)
        entity_model_write(&h->model, entity, change->component, change->value);
    if (after != before.set)
        history_arrived(h, entity);
    else if (change->kind == CHANGE_ADD)
        history_touched(h, kiln_entity_row(h->world, entity->entity).chunk, change->component);
    history_check_entity(h, entity);
}

static void follow(history *h, const bulk_change *change, kiln_status status)
{
    bool is_done = is_all_done(h, change, status);
    for (uint32_t i = h->model.count; i-- > 0;) {
        model_entity *entity = &h->model.entities[i];
        if (entity->batch != 0 || !is_meant(change, entity->set))
            continue;
        if (change->kind == CHANGE_CLEAR) {
            CHECK(h, is_done);
            history_dies(h, entity);
        } else {
            follow_entity(h, change, entity, is_done);
        }
    }
    if (!is_done || history_random(h, 20) == 0)
        history_check_all(h);
}

static bool any_change(history *h, change_kind kind, bulk_change *ret_change)
{
    memset(ret_change, 0, sizeof *ret_change);
    ret_change->kind = kind;
    ret_change->component =
        history_random(h, 40) ? history_random(h, 8) : history_random(h, MODEL_COMPONENTS);
    ret_change->value = history_random(h, 3) ? history_value(h) : 0;
    entity_model_bytes(ret_change->component, ret_change->value, h->values);
    ret_change->to = history_set(h);
    return true;
}

/* ---- archetypes ---- */

static bool any_archetype(history *h, bulk_change *change, kiln_archetype *ret_archetype)
{
    const model_entity *entity = history_entity(h);
    change->set = entity && history_random(h, 4) ? entity->set : history_set(h);
    return change->set != 0 && history_archetype(h, change->set, ret_archetype);
}

static void add_to_archetype(history *h)
{
    bulk_change change;
    kiln_archetype archetype;
    if (!any_change(h, CHANGE_ADD, &change) || !any_archetype(h, &change, &archetype))
        return;
    const void *value = change.value ? h->values : NULL;
    follow(h, &change,
           kiln_archetype_add(h->world, archetype, h->components[change.component], value));
}

static void remove_from_archetype(history *h)
{
    bulk_change change;
    kiln_archetype archetype;
    if (!any_change(h, CHANGE_REMOVE, &change) || !any_archetype(h, &change, &archetype))
        return;
    follow(h, &change, kiln_archetype_remove(h->world, archetype, h->components[change.component]));
}

static void move_archetype(history *h)
{
    bulk_change change;
    kiln_archetype archetype, to;
    if (!any_change(h, CHANGE_MOVE, &change) || !any_archetype(h, &change, &archetype) ||
        !history_archetype(h, change.to, &to))
        return;
    follow(h, &change, kiln_archetype_move(h->world, archetype, to));
}

static void clear_archetype(history *h)
{
    bulk_change change;
    kiln_archetype archetype;
    if (!any_change(h, CHANGE_CLEAR, &change) || !any_archetype(h, &change, &archetype))
        return;
    follow(h, &change, kiln_archetype_clear(h->world, archetype));
}

/* Fills a chunk of `set` so that one component has a different value in each row. Returns false if
 * that fails. */
static bool create_full_chunk(history *h, uint32_t set, kiln_archetype archetype)
{
    enum { MOST = 700 };
    static kiln_entity entities[MOST];
    uint32_t count = entity_model_chunk_rows(set), written = 0;
    kiln_create_args args = {.archetype = archetype, .count = count};
    if (count > MOST)
        return false;
    kiln_status status = kiln_entity_create_many(h->world, &args, entities);
    if (!history_is_done(h, status, count + HISTORY_SET_ASIDE, 1))
        return false;
    while (!(set & ~MODEL_TAGS & 1u << written))
        written++;
    for (uint32_t i = 0; i < count; i++) {
        model_entity *born = history_born(h, entities[i], set);
        uint64_t value = history_value(h);
        entity_model_write(&h->model, born, written, value);
        entity_model_bytes(written, value,
                           kiln_entity_write(h->world, entities[i], h->components[written]));
        history_touched(h, kiln_entity_row(h->world, entities[i]).chunk, written);
    }
    return true;
}

/* Chunks must make room for a column even in worlds whose chunks are rarely full. */
static void add_to_a_full_chunk(history *h)
{
    bulk_change change;
    kiln_archetype archetype;
    if (!h->is_growing || !any_change(h, CHANGE_ADD, &change))
        return;
    change.set = history_set(h);
    if (!(change.set & ~MODEL_TAGS) || !history_archetype(h, change.set, &archetype) ||
        !create_full_chunk(h, change.set, archetype))
        return;
    const void *value = change.value ? h->values : NULL;
    follow(h, &change,
           kiln_archetype_add(h->world, archetype, h->components[change.component], value));
}

/* ---- queries ---- */

static kiln_query *any_query(history *h, bulk_change *change)
{
    change->meant = h->queries[history_random(h, HISTORY_QUERIES)];
    return change->meant.query;
}

static void add_to_query(history *h)
{
    bulk_change change;
    kiln_query *query;
    if (!any_change(h, CHANGE_ADD, &change) || !(query = any_query(h, &change)))
        return;
    const void *value = change.value ? h->values : NULL;
    follow(h, &change, kiln_query_add(query, h->components[change.component], value));
}

static void remove_from_query(history *h)
{
    bulk_change change;
    kiln_query *query;
    if (!any_change(h, CHANGE_REMOVE, &change) || !(query = any_query(h, &change)))
        return;
    follow(h, &change, kiln_query_remove(query, h->components[change.component]));
}

static void clear_query(history *h)
{
    bulk_change change;
    kiln_query *query;
    if (!any_change(h, CHANGE_CLEAR, &change) || !(query = any_query(h, &change)))
        return;
    follow(h, &change, kiln_query_clear(query));
}

const history_operation history_bulk_operations[] = {
    {"add to an archetype", add_to_archetype, 12, true},
    {"remove from an archetype", remove_from_archetype, 12, true},
    {"move an archetype", move_archetype, 12, true},
    {"clear an archetype", clear_archetype, 6, true},
    {"add to a full chunk", add_to_a_full_chunk, 12, true},
    {"add to a query", add_to_query, 4, true},
    {"remove from a query", remove_from_query, 4, true},
    {"clear a query", clear_query, 1, true},
    {0},
};
