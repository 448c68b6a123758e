/* Plays recorded commands in the order of their keys.
 *
 * The result is the same as if they were played one by one. But a plan combines consecutive
 * commands for one entity, so that its row moves once instead of once per component. It also
 * combines the commands for a new entity with its spawn, so that the row is created in its final
 * archetype.
 *
 * A command is dropped and counted if its entity is dead, if it sets a component that the entity
 * does not have, or if it would make a row too large. Any other failure stops playback; the effects
 * of earlier commands remain. */
#include "command_order.h"
#include "command_plan.h"
#include "command_stream.h"
#include "removal.h"
#include "world_object.h"

#include <string.h>

typedef struct player {
    kiln_world *world;
    kiln_played played;
    kiln_command_stream stream;
    kiln_command_plans plans;
} player;

static void count_played(player *p, uint64_t count, uint64_t dropped)
{
    p->played.commands += count;
    p->played.dropped += dropped;
}

/* ---- values ---- */

/* Whether every placeholder in the value has number `newest` or lower, which means that its spawn
 * was played. */
static bool is_resolvable(const kiln_component_desc *desc, command *from, uint32_t newest)
{
    for (uint32_t i = 0; i < desc->entity_count; i++) {
        kiln_entity entity;
        memcpy(&entity, command_value(from) + desc->entity_places[i], sizeof entity);
        if (is_placeholder(entity) && entity.index > newest)
            return false;
    }
    return true;
}

static void resolve(const kiln_commands *commands, const kiln_component_desc *desc, command *from)
{
    for (uint32_t i = 0; i < desc->entity_count; i++) {
        kiln_entity entity;
        unsigned char *place = command_value(from) + desc->entity_places[i];
        memcpy(&entity, place, sizeof entity);
        if (is_placeholder(entity))
            memcpy(place, &commands->spawns[entity.index].entity, sizeof entity);
    }
}

/* The command's value with its placeholders resolved; NULL for zeros. The spawns of all
 * placeholders must have been played. */
static const void *value_of(const player *p, const kiln_commands *commands, command *from)
{
    if (from->flags & COMMAND_HAS_PLACEHOLDERS)
        resolve(commands, kiln_component_get(p->world, (kiln_component){from->number}), from);
    return from->flags & COMMAND_HAS_VALUE ? command_value(from) : NULL;
}

static void write_value(void *to, const void *value, size_t size)
{
    if (value)
        memcpy(to, value, size);
    else
        memset(to, 0, size);
}

/* ---- playing one command ---- */

static bool set(player *p, const kiln_commands *commands, command *from, kiln_entity entity)
{
    kiln_component component = {from->number};
    void *to = kiln_entity_write(p->world, entity, component);
    if (to)
        write_value(to, value_of(p, commands, from), kiln_component_get(p->world, component)->size);
    return to != NULL;
}

/* Plays a command that is not a spawn. */
static kiln_status play_one(player *p, const kiln_commands *commands, command *from)
{
    kiln_entity entity = from->entity;
    if (from->flags & COMMAND_OF_SPAWN)
        entity = commands->spawns[from->spawn].entity;
    kiln_component component = {from->number};
    kiln_status status = KILN_OK;
    switch (from->kind) {
    case COMMAND_KILL:
        status = kiln_entity_destroy(p->world, entity);
        break;
    case COMMAND_ADD:
        status = kiln_entity_add(p->world, entity, component, value_of(p, commands, from));
        break;
    case COMMAND_REMOVE:
        status = kiln_entity_remove(p->world, entity, component);
        break;
    default:
        status = set(p, commands, from, entity) ? KILN_OK : KILN_DEAD;
        break;
    }
    bool is_dropped = status == KILN_DEAD || status == KILN_L_ROW;
    if (status != KILN_OK && !is_dropped)
        return status;
    count_played(p, 1, is_dropped);
    return KILN_OK;
}

/* ---- spawning ---- */

/* Writes all bytes of a new row, and flags the commands that need no further work. A value that
 * refers to a later spawn is written when its command is played; until then the component is zero.
 */
static void fill_row(player *p, kiln_commands *commands, const kiln_command_plan *plan,
                     command *const *list, uint32_t spawn, kiln_row row)
{
    for (uint32_t i = 0; i < plan->covered; i++) {
        command *from = list[i];
        bool is_ready = true;
        if (plan->steps[i].effect == PLAN_WRITE) {
            kiln_component component = {from->number};
            if (from->flags & COMMAND_HAS_PLACEHOLDERS)
                is_ready = is_resolvable(kiln_component_get(p->world, component), from, spawn);
            write_value(kiln_row_at(row, component), is_ready ? value_of(p, commands, from) : NULL,
                        kiln_chunk_column(row.chunk, component)->size);
        }
        if (is_ready)
            from->flags |= COMMAND_DONE;
        if (plan->steps[i].effect == PLAN_DROP)
            from->flags |= COMMAND_DROPPED;
    }
    for (uint32_t i = 0; i < plan->zero_count; i++) {
        kiln_component component = {plan->zeros[i]};
        memset(kiln_row_at(row, component), 0, kiln_chunk_column(row.chunk, component)->size);
    }
}

/* Lists the commands that determine the initial row of a spawn: first the next ones in the stream,
 * which are in the cache, and then the rest of the placeholder's own list. */
static uint32_t list_spawn_commands(player *p, const stream_item *spawn, command **list)
{
    uint32_t count = 0, buffer = spawn->turn->buffer;
    command *last = spawn->at;
    for (uint32_t i = p->stream.first; i != p->stream.count && count < PLAN_COMMANDS; i++) {
        const stream_item *next = stream_at(&p->stream, i);
        if (next->turn->buffer != buffer || !(next->at->flags & COMMAND_OF_SPAWN) ||
            next->at->spawn != last->spawn || next->at->kind == COMMAND_KILL)
            break;
        last = next->at;
        list[count++] = last;
    }
    while (last->next && count < PLAN_COMMANDS) {
        last = command_at(p->stream.buffers[buffer], last->next);
        if (last->kind == COMMAND_KILL)
            break;
        list[count++] = last;
    }
    return count;
}

static kiln_status play_spawn(player *p, kiln_commands *commands, const stream_item *item)
{
    command *list[PLAN_COMMANDS];
    const command *spawn = item->at;
    uint32_t count = list_spawn_commands(p, item, list);
    const kiln_command_plan *plan = NULL;
    kiln_archetype becomes = {spawn->number};
    kiln_status status = KILN_OK;
    if (count)
        status = kiln_command_plan_of(p->world, &p->plans, becomes, list, count, &plan);
    if (status != KILN_OK)
        return status;
    bool is_planned = plan && plan->covered;
    if (is_planned)
        becomes = plan->to;
    kiln_entity entity;
    kiln_row row = {NULL, 0};
    bool has_row = is_planned && becomes.number;
    status = kiln_entity_create(p->world, becomes, &entity, has_row ? &row : NULL);
    if (status != KILN_OK)
        return status;
    commands->spawns[spawn->spawn].entity = entity;
    if (is_planned)
        fill_row(p, commands, plan, list, spawn->spawn, row);
    count_played(p, 1, 0);
    return KILN_OK;
}

/* ---- several commands for an existing entity ---- */

static bool is_change(const command *from)
{
    return from->kind != COMMAND_SPAWN && from->kind != COMMAND_KILL &&
           !(from->flags & COMMAND_OF_SPAWN);
}

_Static_assert(
    (int)PLAN_COMMANDS <= (int)STREAM_AHEAD,
    "the commands that a plan covers must not depend on how far ahead the stream has read");

/* Lists `first`, and after it the next commands of the stream that have the same key and entity.
 * These are taken from the stream. */
static uint32_t list_entity_commands(player *p, const stream_item *first, command **list)
{
    uint32_t count = 1;
    list[0] = first->at;
    uint64_t key = first->turn->key;
    for (; count < PLAN_COMMANDS; count++) {
        const stream_item *next = stream_peek(&p->stream);
        if (!next || next->turn->key != key || !is_change(next->at) ||
            !kiln_entity_same(next->at->entity, list[0]->entity))
            break;
        list[count] = next->at;
        p->stream.first++;
    }
    return count;
}

/* Plays the commands that a plan covers; `ret_covered` is their number. */
static kiln_status play_list(player *p, const kiln_commands *commands, command *const *list,
                             uint32_t count, uint32_t *ret_covered)
{
    kiln_entity entity = list[0]->entity;
    *ret_covered = count;
    if (!kiln_entity_exists(p->world, entity)) {
        count_played(p, count, count);
        return KILN_OK;
    }
    kiln_row row = kiln_entity_row(p->world, entity);
    kiln_archetype from = {row.chunk ? row.chunk->archetype : 0};
    const kiln_command_plan *plan = NULL;
    kiln_status status = kiln_command_plan_of(p->world, &p->plans, from, list, count, &plan);
    if (status == KILN_OK && plan->to.number != from.number)
        status = kiln_entity_move(p->world, entity, plan->to);
    if (status != KILN_OK)
        return status;
    uint64_t dropped = 0;
    for (uint32_t i = 0; i < plan->covered; i++) {
        if (plan->steps[i].effect == PLAN_WRITE)
            set(p, commands, list[i], entity);
        dropped += plan->steps[i].effect == PLAN_DROP;
    }
    *ret_covered = plan->covered;
    count_played(p, plan->covered, dropped);
    return KILN_OK;
}

static kiln_status play_change(player *p, kiln_commands *commands, const stream_item *first)
{
    command *list[PLAN_COMMANDS];
    uint32_t count = list_entity_commands(p, first, list);
    uint32_t covered = 0;
    kiln_status status = KILN_OK;
    if (count > 1)
        status = play_list(p, commands, list, count, &covered);
    for (; status == KILN_OK && covered < count; covered++)
        status = play_one(p, commands, list[covered]);
    return status;
}

/* ---- playing all commands ---- */

/* The entity that a command destroys; null for another command, or one that was played. */
static kiln_entity killed_by(const player *p, const stream_item *item)
{
    const command *kill = item->at;
    if (kill->kind != COMMAND_KILL || kill->flags & COMMAND_DONE)
        return kiln_entity_null();
    return kill->flags & COMMAND_OF_SPAWN
               ? p->stream.buffers[item->turn->buffer]->spawns[kill->spawn].entity
               : kill->entity;
}

/* Plays consecutive commands that destroy, so that on_remove callbacks get many rows at once. */
static kiln_status play_kills(player *p, const stream_item *first)
{
    enum { KILLS_MOST = 256 };
    kiln_entity entities[KILLS_MOST];
    uint32_t count = 0;
    entities[count++] = killed_by(p, first);
    while (count < KILLS_MOST) {
        const stream_item *next = stream_look(&p->stream);
        kiln_entity entity = next ? killed_by(p, next) : kiln_entity_null();
        if (kiln_entity_is_null(entity))
            break;
        entities[count++] = entity;
        p->stream.first++;
    }
    uint32_t destroyed = kiln_entity_destroy_many(p->world, entities, count);
    count_played(p, count, count - destroyed);
    return KILN_OK;
}

static kiln_status play_item(player *p, const stream_item *item)
{
    kiln_commands *commands = p->stream.buffers[item->turn->buffer];
    if (p->world->removers && !kiln_entity_is_null(killed_by(p, item)))
        return play_kills(p, item);
    if (item->at->kind == COMMAND_SPAWN)
        return play_spawn(p, commands, item);
    if (is_change(item->at))
        return play_change(p, commands, item);
    return play_one(p, commands, item->at);
}

static kiln_status play_all(player *p)
{
    kiln_status status = KILN_OK;
    const stream_item *item = NULL;
    while (status == KILN_OK && (item = stream_next(&p->stream)) != NULL) {
        if (item->at->flags & COMMAND_DONE)
            count_played(p, 1, item->at->flags & COMMAND_DROPPED ? 1 : 0);
        else
            status = play_item(p, item);
    }
    return status;
}

/* Buffers that are being played refuse commands. Otherwise an on_remove callback could record
 * commands that would never be played. */
static void set_playing(kiln_commands *const *buffers, uint32_t count, bool is_playing)
{
    for (uint32_t i = 0; i < count; i++) {
        buffers[i]->is_playing = is_playing;
        buffers[i]->is_open = false;
    }
}

kiln_status kiln_commands_play(kiln_world *world, kiln_commands *const *buffers, uint32_t count,
                               kiln_played *ret_played)
{
    player p = {.world = world};
    const command_turn *turns = NULL;
    size_t turn_count = 0;
    kiln_status status = KILN_OK;
    if (IS_REMOVING(world))
        status = MISUSE_REMOVING;
    for (uint32_t i = 0; i < count && status == KILN_OK; i++)
        if (buffers[i]->world != world)
            status = MISUSE("buffer of another world");
    if (status == KILN_OK)
        status = kiln_command_order(buffers, count, &turns, &turn_count);
    if (status == KILN_OK && turn_count) {
        kiln_command_stream_init(&p.stream, world, buffers, turns, turn_count);
        set_playing(buffers, count, true);
        status = play_all(&p);
        set_playing(buffers, count, false);
    }
    bool is_over = status == KILN_OK || p.played.commands;
    for (uint32_t i = 0; is_over && i < count; i++)
        kiln_command_end_play(buffers[i]);
    if (ret_played)
        *ret_played = p.played;
    return status;
}
