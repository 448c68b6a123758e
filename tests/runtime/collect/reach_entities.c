/* The rows of the world: steps that create, move and destroy entities, and write words. */
#include "reach_history.h"

#include <stdio.h>
#include <string.h>

typedef struct keeper {
    uint32_t number; /* of the asset to which the word refers, as in a holder */
    KILN_ALIGNAS(8) kiln_ref word;
} keeper;

/* ---- components ---- */

static const uint32_t holder_places[REACH_HELD] = {0, 8, 16};
static const uint32_t keeper_places[] = {offsetof(keeper, word)};
static const kiln_component_desc descs[REACH_COMPONENTS] = {
    [REACH_HOLDER] = {"reach.Holder", 1, sizeof(reach_holder), 8, NULL, holder_places, 0,
                      REACH_HELD},
    [REACH_KEEPER] = {"reach.Keeper", 2, sizeof(keeper), 8, NULL, keeper_places, 0, 1},
    [REACH_NUMBER] = {"reach.Number", 3, 4, 4, NULL, NULL, 0, 0},
    [REACH_LIT] = {"reach.Lit", 4, 0, 1, NULL, NULL, 0, 0},
};

void reach_make_world(reach *h)
{
    kiln_world_def def = world_memory_def(&h->scene.memory);
    EXPECT_STATUS(KILN_OK, kiln_world_create(&def, &h->world));
    for (int i = 0; i < REACH_COMPONENTS; i++)
        EXPECT_STATUS(KILN_OK, kiln_component_register(h->world, &descs[i], &h->components[i]));
}

uint32_t reach_words_of(const reach *h, kiln_entity entity, kiln_ref *ret_words,
                        uint32_t *ret_numbers)
{
    const reach_holder *holder = kiln_entity_read(h->world, entity, h->components[REACH_HOLDER]);
    const keeper *one = kiln_entity_read(h->world, entity, h->components[REACH_KEEPER]);
    uint32_t count = 0;
    for (; holder && count < REACH_HELD; count++) {
        ret_words[count] = holder->words[count];
        ret_numbers[count] = holder->numbers[count];
    }
    if (one) {
        ret_words[count] = one->word;
        ret_numbers[count++] = one->number;
    }
    return count;
}

/* ---- entities ---- */

static bool is_hidden(const reach *h, kiln_entity entity)
{
    for (uint32_t i = 0; i < h->hidden_count; i++)
        if (h->hidden[i].index == entity.index)
            return true;
    return false;
}

kiln_entity reach_next(const reach *h, uint32_t from)
{
    kiln_entity next = kiln_entity_next(h->world, from);
    while (!kiln_entity_is_null(next) && is_hidden(h, next))
        next = kiln_entity_next(h->world, next.index + 1);
    return next;
}

kiln_entity reach_entity(reach *h)
{
    kiln_entity found = reach_next(h, reach_random(h, REACH_MOST));
    return kiln_entity_is_null(found) ? reach_next(h, 0) : found;
}

static kiln_archetype choose_archetype(reach *h)
{
    kiln_component chosen[REACH_COMPONENTS];
    kiln_archetype archetype = {0};
    uint32_t count = 0;
    for (int i = 0; i < REACH_COMPONENTS; i++)
        if (reach_random(h, 3) > (i == REACH_LIT))
            chosen[count++] = h->components[i];
    reach_threaten(h);
    if (count > 0)
        REACH_SUCCEED(h, "archetype", kiln_archetype_register(h->world, chosen, count, &archetype));
    return archetype;
}

static bool has_room(const reach *h)
{
    kiln_world_stats stats;
    kiln_world_get_stats(h->world, &stats);
    return stats.live < REACH_ENTITIES;
}

/* One entity in three gets a name, by which it is found when its scene is applied. */
void reach_create(reach *h)
{
    kiln_entity entities[12] = {{0}};
    char name[24];
    if (!has_room(h))
        return;
    const kiln_archetype archetype = choose_archetype(h);
    const kiln_create_args args = {.archetype = archetype, .count = 1 + reach_random(h, 12)};
    if (archetype.number == 0)
        return;
    reach_threaten(h);
    if (!REACH_SUCCEED(h, "create", kiln_entity_create_many(h->world, &args, entities)))
        return;
    for (uint32_t i = 0; i < args.count; i += 3) {
        snprintf(name, sizeof name, "entity %lu", (unsigned long)(h->steps + i));
        reach_threaten(h);
        REACH_SUCCEED(h, "name", kiln_entity_set_name(h->world, entities[i], name));
    }
}

void reach_destroy(reach *h)
{
    kiln_entity entities[8];
    const uint32_t count = 1 + reach_random(h, 8);
    for (uint32_t i = 0; i < count; i++)
        entities[i] = reach_entity(h);
    kiln_entity_destroy_many(h->world, entities, count);
}

void reach_move(reach *h)
{
    const kiln_entity entity = reach_entity(h);
    const kiln_component component = h->components[reach_random(h, REACH_COMPONENTS)];
    const uint32_t how = reach_random(h, 3);
    if (kiln_entity_is_null(entity))
        return;
    const kiln_archetype archetype = choose_archetype(h);
    reach_threaten(h);
    kiln_status status = how == 0   ? kiln_entity_move(h->world, entity, archetype)
                         : how == 1 ? kiln_entity_remove(h->world, entity, component)
                         : kiln_entity_has(h->world, entity, component)
                             ? KILN_OK
                             : kiln_entity_add(h->world, entity, component, NULL);
    h->moves += REACH_SUCCEED(h, "move", status);
}

/* Changes many entities at once. */
void reach_change_many(reach *h)
{
    if (reach_random(h, 3))
        return;
    const kiln_archetype from = choose_archetype(h), to = choose_archetype(h);
    const kiln_component component = h->components[reach_random(h, REACH_COMPONENTS)];
    kiln_status status = KILN_OK;
    if (from.number == 0 || to.number == 0)
        return;
    reach_threaten(h);
    switch (reach_random(h, 8)) {
    case 0:
    case 1:
    case 2:
        status = kiln_archetype_move(h->world, from, to);
        break;
    case 3:
    case 4:
        status = kiln_archetype_add(h->world, from, component, NULL);
        break;
    case 5:
        status = kiln_archetype_remove(h->world, from, component);
        break;
    case 6:
        status = kiln_archetype_clear(h->world, from);
        break;
    default:
        if (reach_random(h, 4) == 0 && !h->loading) {
            status = kiln_world_clear(h->world);
            for (int i = 0; i < REACH_DETACHED && status == KILN_OK; i++)
                reach_end_detached(h, &h->detached[i]);
        }
    }
    REACH_SUCCEED(h, "change many", status);
}

/* ---- words ---- */

/* A word of the history. A pointer word that nobody reports keeps no asset. So the program takes it
 * again before it stores it in a component. */
static reach_word taken_word(reach *h)
{
    reach_word word = *reach_pick(h);
    if (kiln_ref_get_form(word.ref) == KILN_REF_POINTER &&
        !REACH_EXPECT(
            h, "take again",
            kiln_assets_take(h->scene.assets, word.ref, KILN_REF_POINTER, REACH_BY, &word.ref),
            KILN_DEAD))
        return (reach_word){{0}, 0};
    return word;
}

/* A word of the history, of another entity, or null. */
static reach_word choose_word(reach *h)
{
    kiln_ref words[REACH_HELD + 1];
    uint32_t numbers[REACH_HELD + 1];
    const kiln_entity entity = reach_entity(h);
    uint32_t count = kiln_entity_is_null(entity) ? 0 : reach_words_of(h, entity, words, numbers);
    const uint32_t how = reach_random(h, 8), at = reach_random(h, REACH_HELD + 1);
    if (how < 3)
        return taken_word(h);
    return how < 5 && at < count ? (reach_word){words[at], numbers[at]} : (reach_word){{0}, 0};
}

static void write_keeper(keeper *to, const reach_word *word)
{
    to->word = word->ref;
    to->number = word->number;
}

static void write_holder(reach *h, reach_holder *to, const reach_word *word)
{
    const uint32_t at = reach_random(h, REACH_HELD);
    to->words[at] = word->ref;
    to->numbers[at] = word->number;
}

/* Writes the words of all keepers, as a system of a game does. */
static void write_all(reach *h)
{
    const reach_word word = choose_word(h);
    for (kiln_entity at = reach_next(h, 0); !kiln_entity_is_null(at);
         at = reach_next(h, at.index + 1)) {
        keeper *to = kiln_entity_write(h->world, at, h->components[REACH_KEEPER]);
        if (to)
            write_keeper(to, &word);
    }
}

/* Moves the word of one keeper to another. During a cycle, the collector may have read the second
 * one before and the first one after. */
static void move_word(reach *h, kiln_entity from, kiln_entity to)
{
    const kiln_component component = h->components[REACH_KEEPER];
    keeper *first = kiln_entity_write(h->world, from, component),
           *second = kiln_entity_write(h->world, to, component);
    if (!first || !second || first == second)
        return;
    *second = *first;
    *first = (keeper){0};
}

void reach_write(reach *h)
{
    const kiln_entity entity = reach_entity(h);
    /* A callback must report each copy of an indirect word that no added world contains. */
    if (kiln_entity_is_null(entity) || !h->is_added)
        return;
    for (int i = 0; i < 4; i++)
        move_word(h, reach_entity(h), reach_entity(h));
    if (reach_random(h, 64) == 0) {
        write_all(h);
        return;
    }
    const reach_word word = choose_word(h);
    keeper *one = kiln_entity_write(h->world, entity, h->components[REACH_KEEPER]);
    reach_holder *holder = kiln_entity_write(h->world, entity, h->components[REACH_HOLDER]);
    h->writes += one || holder;
    if (one && (!holder || reach_random(h, 2)))
        write_keeper(one, &word);
    else if (holder)
        write_holder(h, holder, &word);
}

/* A word refers to its own asset or to none, whatever was removed and loaded since. */
static void check_word(reach *h, kiln_ref ref, uint32_t number)
{
    if (kiln_ref_get_form(ref) == KILN_REF_POINTER)
        return;
    const void *root = kiln_ref_get(kiln_assets_get_slots(h->scene.assets), ref);
    if (root && reach_number(root) != number)
        fail_msg("step %zu: a %s to asset %u reads asset %u", (size_t)h->steps,
                 kiln_ref_form_name(kiln_ref_get_form(ref)), (unsigned)number,
                 (unsigned)reach_number(root));
}

void reach_check_world(reach *h)
{
    kiln_ref words[REACH_HELD + 1];
    uint32_t numbers[REACH_HELD + 1];
    for (kiln_entity at = reach_next(h, 0); !kiln_entity_is_null(at);
         at = reach_next(h, at.index + 1)) {
        uint32_t count = reach_words_of(h, at, words, numbers);
        for (uint32_t i = 0; i < count; i++)
            check_word(h, words[i], numbers[i]);
    }
    for (int i = 0; i < REACH_WORDS; i++)
        check_word(h, h->words[i].ref, h->words[i].number);
    assert_true(kiln_world_is_valid(h->world));
}

static bool has_bytes(reach *h, kiln_ref ref, uint32_t number)
{
    const reach_life *life = reach_life_of(h, ref);
    return kiln_ref_get_form(ref) != KILN_REF_POINTER ||
           (life && life->kind == REACH_THING && reach_number(life->root) == number);
}

static void forget_in(reach *h, kiln_entity entity)
{
    const reach_holder *holder = kiln_entity_read(h->world, entity, h->components[REACH_HOLDER]);
    const keeper *one = kiln_entity_read(h->world, entity, h->components[REACH_KEEPER]);
    for (int i = 0; i < REACH_HELD && holder; i++)
        if (!has_bytes(h, holder->words[i], holder->numbers[i])) {
            reach_holder *to = kiln_entity_write(h->world, entity, h->components[REACH_HOLDER]);
            to->words[i].bits = 0;
        }
    if (one && !has_bytes(h, one->word, one->number)) {
        keeper *to = kiln_entity_write(h->world, entity, h->components[REACH_KEEPER]);
        to->word.bits = 0;
    }
}

void reach_forget_pointers(reach *h)
{
    for (int i = 0; i < REACH_WORDS; i++)
        if (!has_bytes(h, h->words[i].ref, h->words[i].number))
            h->words[i].ref.bits = 0;
    for (kiln_entity at = reach_next(h, 0); !kiln_entity_is_null(at);
         at = reach_next(h, at.index + 1))
        forget_in(h, at);
}

/* The collector stops following the world, or follows it again. */
void reach_world_leaves(reach *h)
{
    reach_threaten(h);
    if (h->is_added)
        kiln_collector_remove_world(h->collector, h->world);
    else if (!REACH_SUCCEED(h, "add the world", kiln_collector_add_world(h->collector, h->world)))
        return;
    h->is_added = !h->is_added;
}
