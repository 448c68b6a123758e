/* Records commands.
 *
 * In the common case, a command is appended to the current block without an allocation. Recording
 * reads only the components and archetypes of the world, so threads can record while others read
 * it. Errors that recording can detect (an unknown component, a foreign placeholder) are returned
 * immediately. Everything else is checked during playback. */
#include "command_buffer.h"
#include "rows.h"

/* The tags of buffers are unique in the process, and each reset takes a new tag. So a placeholder
 * from another buffer, or from before a reset, is detected. Tags are even because versions of
 * living entities are odd. */
static _Atomic(uint32_t) last_tag;

static uint32_t new_tag(void)
{
    uint32_t tag = 0;
    while (tag == 0)
        tag = atomic_fetch_add_explicit(&last_tag, 2, memory_order_relaxed) + 2;
    return tag;
}

kiln_status kiln_commands_create(const kiln_world *world, const kiln_allocator *allocator,
                                 kiln_commands **ret_commands)
{
    kiln_allocator from = allocator ? *allocator : kiln_allocator_default();
    kiln_commands *commands = from.alloc(from.ctx, sizeof *commands, _Alignof(kiln_commands));
    if (!commands)
        return KILN_NO_MEMORY;
    *commands = (kiln_commands){.world = world, .allocator = from, .tag = new_tag()};
    *ret_commands = commands;
    return KILN_OK;
}

static void free_memory(const kiln_allocator *allocator, void *memory, size_t size)
{
    if (memory)
        allocator->free(allocator->ctx, memory, size);
}

void kiln_commands_destroy(kiln_commands *commands)
{
    if (!commands)
        return;
    kiln_allocator from = commands->allocator;
    for (size_t i = 0; i < commands->block_count; i++)
        free_memory(&from, commands->blocks[i], COMMAND_BLOCK_SIZE);
    free_memory(&from, commands->blocks, commands->block_capacity * sizeof *commands->blocks);
    free_memory(&from, commands->segments, commands->segment_capacity * sizeof *commands->segments);
    free_memory(&from, commands->spawns, commands->spawn_capacity * sizeof *commands->spawns);
    free_memory(&from, commands->turns, commands->turn_capacity * sizeof *commands->turns);
    free_memory(&from, commands, sizeof *commands);
}

static void clear_commands(kiln_commands *commands)
{
    commands->key = 0;
    commands->count = 0;
    commands->tag = new_tag();
    commands->next = 0;
    commands->left = 0;
    commands->used = 0;
    commands->segment_count = 0;
    commands->spawn_count = 0;
    commands->is_open = false;
}

void kiln_commands_reset(kiln_commands *commands)
{
    clear_commands(commands);
    commands->played_count = 0;
}

void kiln_command_end_play(kiln_commands *commands)
{
    commands->played_tag = commands->tag;
    commands->played_count = commands->spawn_count;
    clear_commands(commands);
}

kiln_entity kiln_commands_entity(const kiln_commands *commands, kiln_entity placeholder)
{
    bool is_known =
        placeholder.version == commands->played_tag && placeholder.index < commands->played_count;
    return is_known ? commands->spawns[placeholder.index].entity : kiln_entity_null();
}

void kiln_commands_set_key(kiln_commands *commands, uint64_t key)
{
    commands->is_open = commands->is_open && commands->key == key;
    commands->key = key;
}

uint64_t kiln_commands_count(const kiln_commands *commands)
{
    return commands->count;
}

/* ---- recording ---- */

/* Continues in another block, reused or new. */
static kiln_status open_block(kiln_commands *commands)
{
    if (commands->used == COMMAND_BLOCK_MAX)
        return KILN_LIMIT;
    if (commands->used == commands->block_count) {
        const kiln_allocator *from = &commands->allocator;
        uint64_t **blocks = kiln_grow(from, commands->blocks, &commands->block_capacity,
                                      commands->block_count + 1, sizeof *commands->blocks);
        if (!blocks)
            return KILN_NO_MEMORY;
        commands->blocks = blocks;
        blocks[commands->block_count] = from->alloc(from->ctx, COMMAND_BLOCK_SIZE, 64);
        if (!blocks[commands->block_count])
            return KILN_NO_MEMORY;
        commands->block_count++;
    }
    *command_at(commands, commands->next) = (command){.kind = COMMAND_NEXT_BLOCK};
    commands->block = commands->blocks[commands->used];
    commands->next = commands->used * COMMAND_BLOCK_UNITS;
    commands->left = COMMAND_BLOCK_UNITS - COMMAND_HEAD_UNITS;
    commands->used++;
    return KILN_OK;
}

static kiln_status open_segment(kiln_commands *commands)
{
    command_segment *segments =
        kiln_grow(&commands->allocator, commands->segments, &commands->segment_capacity,
                  commands->segment_count + 1, sizeof *segments);
    if (!segments)
        return KILN_NO_MEMORY;
    commands->segments = segments;
    segments[commands->segment_count++] =
        (command_segment){commands->key, commands->next, (uint32_t)commands->count};
    commands->is_open = true;
    return KILN_OK;
}

/* Makes room for a command of `units` units under the buffer's key. */
static kiln_status make_room(kiln_commands *commands, uint32_t units)
{
    kiln_status status = KILN_OK;
    if (commands->is_playing)
        return MISUSE("command for a buffer that is being played");
    if (commands->left < units)
        status = open_block(commands);
    if (status == KILN_OK && !commands->is_open)
        status = open_segment(commands);
    return status;
}

/* Records a command with this head, followed by room for a value of `size` bytes. */
static inline kiln_status append(kiln_commands *commands, command head, uint32_t size,
                                 command **ret_at)
{
    uint32_t units = (size + COMMAND_UNIT - 1) / COMMAND_UNIT;
    if (commands->left < COMMAND_HEAD_UNITS + units || !commands->is_open) {
        kiln_status status = make_room(commands, COMMAND_HEAD_UNITS + units);
        if (status != KILN_OK)
            return status;
    }
    uint32_t place = commands->next;
    command *at = (command *)(void *)&commands->block[place % COMMAND_BLOCK_UNITS];
    head.units = (uint16_t)units;
    *at = head;
    if (head.flags & COMMAND_OF_SPAWN) {
        command_spawn *spawn = &commands->spawns[head.spawn];
        if (head.kind != COMMAND_SPAWN)
            command_at(commands, spawn->newest)->next = place;
        spawn->newest = place;
    }
    commands->next = place + COMMAND_HEAD_UNITS + units;
    commands->left -= COMMAND_HEAD_UNITS + units;
    commands->count++;
    *ret_at = at;
    return KILN_OK;
}

/* Whether the placeholder belongs to this buffer and its current key. */
static bool is_own(const kiln_commands *commands, kiln_entity placeholder)
{
    return placeholder.version == commands->tag && placeholder.index < commands->spawn_count &&
           commands->spawns[placeholder.index].key == commands->key;
}

/* Sets the target of the command. */
static kiln_status set_target(const kiln_commands *commands, kiln_entity entity, command *head)
{
    if (!is_placeholder(entity)) {
        head->entity = entity;
        return KILN_OK;
    }
    if (!is_own(commands, entity))
        return KILN_DEAD;
    head->spawn = entity.index;
    head->flags |= COMMAND_OF_SPAWN;
    return KILN_OK;
}

/* Checks placeholders in the value, and flags the command if there are any. */
static kiln_status check_value(const kiln_commands *commands, const kiln_component_desc *desc,
                               const void *value, command *head)
{
    for (uint32_t i = 0; i < desc->entity_count; i++) {
        kiln_entity entity;
        memcpy(&entity, (const unsigned char *)value + desc->entity_places[i], sizeof entity);
        if (!is_placeholder(entity))
            continue;
        if (!is_own(commands, entity))
            return KILN_DEAD;
        head->flags |= COMMAND_HAS_PLACEHOLDERS;
    }
    return KILN_OK;
}

static kiln_status record(kiln_commands *commands, command_kind kind, kiln_entity entity,
                          kiln_component component, const void *value)
{
    const kiln_component_entry *entry = world_component(commands->world, component);
    if (!entry)
        return MISUSE("unknown component");
    const kiln_component_desc *desc = &entry->desc;
    command head = {.number = component.number, .kind = (uint8_t)kind};
    uint32_t size = value ? desc->size : 0;
    kiln_status status = set_target(commands, entity, &head);
    if (status == KILN_OK && size) {
        head.flags |= COMMAND_HAS_VALUE;
        status = check_value(commands, desc, value, &head);
    }
    command *at = NULL;
    if (status == KILN_OK)
        status = append(commands, head, size, &at);
    if (status == KILN_OK && size)
        copy_bytes(command_value(at), value, size);
    return status;
}

kiln_status kiln_commands_spawn(kiln_commands *commands, kiln_archetype number,
                                kiln_entity *ret_placeholder)
{
    if (number.number > kiln_archetype_count(commands->world))
        return MISUSE("unknown archetype");
    /* Checked before the list of spawned entities grows, because playback uses its address. */
    if (commands->is_playing)
        return MISUSE("command for a buffer that is being played");
    command_spawn *spawns =
        kiln_grow(&commands->allocator, commands->spawns, &commands->spawn_capacity,
                  commands->spawn_count + 1, sizeof *spawns);
    if (!spawns)
        return KILN_NO_MEMORY;
    commands->spawns = spawns;
    commands->played_count = 0;
    uint32_t spawn = (uint32_t)commands->spawn_count;
    command head = {
        .spawn = spawn, .number = number.number, .kind = COMMAND_SPAWN, .flags = COMMAND_OF_SPAWN};
    command *at = NULL;
    kiln_status status = append(commands, head, 0, &at);
    if (status != KILN_OK)
        return status;
    spawns[spawn].key = commands->key;
    spawns[spawn].entity = kiln_entity_null();
    commands->spawn_count++;
    *ret_placeholder = (kiln_entity){spawn, commands->tag};
    return KILN_OK;
}

kiln_status kiln_commands_kill(kiln_commands *commands, kiln_entity entity)
{
    command head = {.kind = COMMAND_KILL};
    kiln_status status = set_target(commands, entity, &head);
    command *at = NULL;
    return status == KILN_OK ? append(commands, head, 0, &at) : status;
}

kiln_status kiln_commands_add(kiln_commands *commands, kiln_entity entity, kiln_component component,
                              const void *value)
{
    return record(commands, COMMAND_ADD, entity, component, value);
}

kiln_status kiln_commands_remove(kiln_commands *commands, kiln_entity entity,
                                 kiln_component component)
{
    return record(commands, COMMAND_REMOVE, entity, component, NULL);
}

kiln_status kiln_commands_set(kiln_commands *commands, kiln_entity entity, kiln_component component,
                              const void *value)
{
    return record(commands, COMMAND_SET, entity, component, value);
}
