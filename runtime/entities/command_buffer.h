/* Internals of a command buffer.
 *
 * Commands are stored one after another in blocks of memory that never move. A *place* is an index
 * of 8-byte units, as if the blocks were one array. So a place fits in 32 bits, and finding its
 * command takes one access to `blocks`. A command and its value are in the same block. A
 * COMMAND_NEXT_BLOCK follows the last command of a block.
 *
 * Consecutive commands with the same key are a segment. Entities that a buffer spawns are numbered
 * in `spawns`. A placeholder is {number, tag}. The tag is even, and different for each buffer and
 * each reset. The commands for a placeholder form a list in the order of recording, beginning with
 * the spawn: `next` is the place of the following command, 0 at the end.
 *
 * commands.c records, commands_play.c plays. */
#ifndef KILN_COMMAND_BUFFER_H
#define KILN_COMMAND_BUFFER_H

#include "grow.h"

#include <kiln/commands.h>

enum {
    COMMAND_UNIT = 8,
    COMMAND_HEAD_UNITS = 2,
    COMMAND_BLOCK_UNITS = 8192, /* 64 KiB, four times the largest value */
    COMMAND_BLOCK_SIZE = COMMAND_BLOCK_UNITS * COMMAND_UNIT,
    COMMAND_BLOCK_MAX = (int)(UINT32_MAX / COMMAND_BLOCK_UNITS)
};

typedef enum command_kind {
    COMMAND_NEXT_BLOCK,
    COMMAND_SPAWN,
    COMMAND_KILL,
    COMMAND_ADD,
    COMMAND_REMOVE,
    COMMAND_SET
} command_kind;

enum {
    COMMAND_OF_SPAWN = 1, /* the target is a placeholder: `spawn` and `next` are set */
    COMMAND_HAS_VALUE = 2,
    COMMAND_HAS_PLACEHOLDERS = 4, /* in its value */
    /* While playing: */
    COMMAND_DONE = 8, /* already played, together with its spawn */
    COMMAND_DROPPED = 16
};

typedef struct command {
    union {
        kiln_entity entity;
        struct {
            uint32_t spawn, next;
        };
    };
    uint32_t number; /* of the component, or of the archetype to spawn */
    uint16_t units;  /* of the value that follows */
    uint8_t kind;
    uint8_t flags;
} command;

_Static_assert(sizeof(command) == COMMAND_HEAD_UNITS * COMMAND_UNIT,
               "the value must follow the command without padding");

typedef struct command_segment {
    uint64_t key;
    uint32_t place;  /* of the first command */
    uint32_t before; /* commands in the segments before it */
} command_segment;

typedef struct command_spawn {
    uint64_t key;
    kiln_entity entity; /* null until it is played */
    uint32_t newest;    /* place of the last command for it */
} command_spawn;

/* A segment to be played, from one of several buffers. */
typedef struct command_turn {
    uint64_t key;
    uint32_t buffer, place, count;
} command_turn;

struct kiln_commands {
    const kiln_world *world;
    kiln_allocator allocator;
    uint64_t key, count;
    uint32_t tag;
    uint32_t played_tag; /* the tag before the last playback */
    uint32_t next;       /* place of the next command, if it fits into the block */
    uint32_t left;       /* free units of that block, without those of COMMAND_NEXT_BLOCK */
    uint32_t used;       /* blocks with commands; the others can be reused */
    uint64_t *block;     /* the block that contains `next` */
    uint64_t **blocks;
    command_segment *segments;
    command_spawn *spawns;
    command_turn *turns; /* for playing */
    size_t block_count, block_capacity;
    size_t segment_count, segment_capacity;
    size_t spawn_count, spawn_capacity;
    size_t played_count; /* entries of `spawns` from the last playback, until the buffer is used
                            again */
    size_t turn_capacity;
    bool is_open;    /* the last segment has the current key */
    bool is_playing; /* kiln_commands_play runs; `is_open` is false */
};

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Resets the buffer, but keeps the entities that replaced its placeholders. */
void kiln_command_end_play(kiln_commands *commands);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

static inline command *command_at(const kiln_commands *commands, uint32_t place)
{
    uint64_t *block = commands->blocks[place / COMMAND_BLOCK_UNITS];
    return (command *)(void *)&block[place % COMMAND_BLOCK_UNITS];
}

static inline unsigned char *command_value(command *at)
{
    return (unsigned char *)(at + 1);
}

/* The next command in its block. */
static inline command *command_after(command *at)
{
    return (command *)(void *)(command_value(at) + (size_t)at->units * COMMAND_UNIT);
}

static inline bool is_placeholder(kiln_entity entity)
{
    return entity.version != 0 && (entity.version & 1) == 0;
}

#endif
