/* Changes that wait: recorded by any thread, played back by one.
 *
 *     kiln_commands_set_key(commands, job);                       each job on any thread,
 *     kiln_commands_spawn(commands, bullets, &bullet);            while all of them read the world
 *     kiln_commands_add(commands, bullet, position, &muzzle);
 *     ...
 *     kiln_commands_play(world, buffers, thread_count, &played);  one thread, afterwards
 *
 * A command buffer belongs to one thread at a time. It records spawning, killing, adding, removing
 * and setting without touching the world, so it may be filled while others read. Playing back goes
 * by *key*: a number that the program gives to what it records (the number of a chunk, an entity, a
 * job), never by thread, buffer or time. Commands of one key are played in the order in which they
 * were recorded, and lie in one buffer: the same key in two buffers is an error, as nothing would
 * say which comes first. A key under which nothing was recorded does not count. So worlds that were
 * the same become the same, indices and order of rows included, by the same commands under the same
 * keys, however they were spread over threads and buffers.
 *
 * An entity that a buffer spawns has a *placeholder* until playback: it stands for the entity in
 * later commands of the same key and buffer, and in the values given to them wherever the
 * component's definition says that an entity stands (`entity_places`). Everywhere else it is null's
 * equal: its version is even, so no world takes it for one of its entities, and a buffer refuses
 * what was spawned under another key, in another buffer, or before its last reset.
 *
 * The outcome is, but for the order of rows, that of the functions of <kiln/world.h> called one
 * after another. The cost is less: a spawned entity is created with all that its own commands add
 * to it, and commands about one entity that follow one another move its row once. */
#ifndef KILN_COMMANDS_H
#define KILN_COMMANDS_H

#include <kiln/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_commands kiln_commands;

/* A buffer for that world, empty, under key 0. NULL: the C library's allocator. Any. */
kiln_status kiln_commands_create(const kiln_world *world, const kiln_allocator *allocator,
                                 kiln_commands **ret_commands);
/* NULL is fine. */
void kiln_commands_destroy(kiln_commands *commands);
/* Forgets what was recorded, goes back to key 0, and keeps the memory. */
void kiln_commands_reset(kiln_commands *commands);
/* What is recorded from now on has this key. A key may be taken up again: what follows comes behind
 * what it has. */
void kiln_commands_set_key(kiln_commands *commands, uint64_t key);
/* Commands recorded. */
uint64_t kiln_commands_count(const kiln_commands *commands);

/* Each records one command, or nothing. Values are copied; NULL stands for zeros, and a tag's value
 * is ignored. Whether entities live is asked at playback. Reading.
 *
 *     KILN_DEAD       the entity, or one in the value, is a placeholder that is not of this buffer
 *                     and key
 *     KILN_NO_MEMORY
 *     KILN_LIMIT      the buffer has 32 GiB */
kiln_status kiln_commands_spawn(kiln_commands *commands, kiln_archetype archetype,
                                kiln_entity *ret_placeholder);
kiln_status kiln_commands_kill(kiln_commands *commands, kiln_entity entity);
/* Adds the component, or writes it where the entity has it already. */
kiln_status kiln_commands_add(kiln_commands *commands, kiln_entity entity, kiln_component component,
                              const void *value);
/* Removes the component where the entity has it. */
kiln_status kiln_commands_remove(kiln_commands *commands, kiln_entity entity,
                                 kiln_component component);
/* Writes the component where the entity has it, and is dropped where it has not. */
kiln_status kiln_commands_set(kiln_commands *commands, kiln_entity entity, kiln_component component,
                              const void *value);

/* What playing back did. */
typedef struct kiln_played {
    uint64_t commands; /* played, those without effect included */
    /* Of these, what had no effect because the entity was dead, had not the component to set, or
     * with the component to add would have had a row larger than a chunk. */
    uint64_t dropped;
} kiln_played;

/* Plays the buffers back in the order of their keys and resets them. `ret_played` (may be NULL)
 * says how far it came, also where it fails. Changing.
 *
 *     KILN_DUPLICATE     two buffers have one key
 *     KILN_BAD_ARGUMENT  a buffer of another world, or a row of a batch that is not published
 *     KILN_NO_MEMORY, KILN_LIMIT
 *
 * Memory for playing itself is there before anything changes. Where no command was played, world
 * and buffers are as they were; otherwise `ret_played->commands` of them were played, and of those
 * behind perhaps some about entities that these spawned; the rest is lost. */
kiln_status kiln_commands_play(kiln_world *world, kiln_commands *const *buffers, uint32_t count,
                               kiln_played *ret_played);

/* The entity that a placeholder became when its buffer was last played; null where it was not
 * spawned then. To be asked before the buffer is reset or spawns again. */
kiln_entity kiln_commands_entity(const kiln_commands *commands, kiln_entity placeholder);

#ifdef __cplusplus
}
#endif

#endif
