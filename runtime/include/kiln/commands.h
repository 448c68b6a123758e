/* Deferred changes: recorded by any thread, played back by one.
 *
 *     kiln_commands_set_key(commands, job);                       each job on any thread,
 *     kiln_commands_spawn(commands, bullets, &bullet);            while all of them read the world
 *     kiln_commands_add(commands, bullet, position, &muzzle);
 *     ...
 *     kiln_commands_play(world, buffers, thread_count, &played);  one thread, afterwards
 *
 * A command buffer belongs to one thread at a time. It records spawning, killing, adding, removing
 * and setting without touching the world, so it may be filled while other threads read. The order
 * of playback depends only on the *key* of each command, never on thread, buffer or time. A key is
 * a number that the program chooses, for example the number of a chunk, an entity or a job.
 * Commands of one key are played in the order of recording, and must be in one buffer: the same key
 * in two buffers is an error, because their order would be undefined. A key without commands is
 * ignored. So the same commands with the same keys turn equal worlds into equal worlds, including
 * indices and the order of rows, however the commands were distributed among threads and buffers.
 *
 * An entity that a buffer spawns has a *placeholder* until playback. It represents the entity in
 * later commands of the same key and buffer, and in the entity fields of their values
 * (`entity_places` of the component). Everywhere else it acts like null: its version is even, so no
 * world mistakes it for an entity. A buffer rejects a placeholder of another key or buffer, or from
 * before the last reset.
 *
 * Except for the order of rows, the result is the same as calling the functions of <kiln/world.h>
 * one after another. Commands are faster: a spawned entity is created with everything that its own
 * commands add to it, and consecutive commands for one entity move its row only once.
 *
 * The comment of each function that uses the world ends with its kind: see "Threads" in
 * <kiln/world.h>. */
#ifndef KILN_COMMANDS_H
#define KILN_COMMANDS_H

#include <kiln/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_commands kiln_commands;

/* Creates an empty buffer for the world, with key 0. If `allocator` is NULL, the C library's is
 * used. Any. */
kiln_status kiln_commands_create(const kiln_world *world, const kiln_allocator *allocator,
                                 kiln_commands **ret_commands);
/* Frees the buffer with its commands. NULL is fine. */
void kiln_commands_destroy(kiln_commands *commands);
/* Removes all commands and sets key 0; keeps the memory. */
void kiln_commands_reset(kiln_commands *commands);
/* Sets the key of the following commands. A key may be set again later: new commands follow its
 * earlier ones. */
void kiln_commands_set_key(kiln_commands *commands, uint64_t key);
/* The number of commands recorded. */
uint64_t kiln_commands_count(const kiln_commands *commands);

/* Each function records one command, or nothing. Values are copied; a NULL value means zeros, and a
 * tag's value is ignored. Playback checks whether entities are alive. Reading.
 *
 *     KILN_DEAD       the entity, or one in the value, is a placeholder that the buffer rejects
 *                     (see above)
 *     KILN_NO_MEMORY
 *     KILN_LIMIT      the buffer has reached 32 GiB
 *
 * An unknown component or archetype, or a buffer that is being played, is a bug in the program: see
 * "Handles" in <kiln/world.h>. */
kiln_status kiln_commands_spawn(kiln_commands *commands, kiln_archetype archetype,
                                kiln_entity *ret_placeholder);
kiln_status kiln_commands_kill(kiln_commands *commands, kiln_entity entity);
/* Adds the component, or writes it if the entity has it. */
kiln_status kiln_commands_add(kiln_commands *commands, kiln_entity entity, kiln_component component,
                              const void *value);
/* Removes the component if the entity has it. */
kiln_status kiln_commands_remove(kiln_commands *commands, kiln_entity entity,
                                 kiln_component component);
/* Writes the component if the entity has it; otherwise the command is dropped. */
kiln_status kiln_commands_set(kiln_commands *commands, kiln_entity entity, kiln_component component,
                              const void *value);

/* The result of playback. */
typedef struct kiln_played {
    uint64_t commands; /* commands played, including those without effect */
    /* Commands without effect: the entity was dead, it did not have the component to set, or the
     * added component would have made its row larger than a chunk. */
    uint64_t dropped;
} kiln_played;

/* Plays the buffers back in the order of their keys and resets them. `ret_played` (may be NULL)
 * reports how many commands were played, even if playback fails. Changing.
 *
 *     KILN_DUPLICATE     two buffers have commands with the same key
 *     KILN_BAD_ARGUMENT  a buffer belongs to another world, or an entity to a batch that is
 *                        not published
 *     KILN_NO_MEMORY, KILN_LIMIT
 *
 * Memory for playback itself is allocated before anything changes. If no command was played, world
 * and buffers are unchanged. Otherwise the first `ret_played->commands` commands were played, and
 * perhaps some later commands for entities that these spawned; the remaining commands are lost. */
kiln_status kiln_commands_play(kiln_world *world, kiln_commands *const *buffers, uint32_t count,
                               kiln_played *ret_played);

/* The entity that replaced a placeholder in the last playback of its buffer; null if it was not
 * spawned then. Call this before the buffer is reset or spawns again. */
kiln_entity kiln_commands_entity(const kiln_commands *commands, kiln_entity placeholder);

#ifdef __cplusplus
}
#endif

#endif
