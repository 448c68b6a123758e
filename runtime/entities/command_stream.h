/* The commands of several buffers as one stream, in the order of playback.
 *
 * The stream reads ahead: it lists up to STREAM_ITEMS commands before they are played. In a large
 * world it also prefetches for each command: the entity's record when the command is listed, its
 * chunk and row when the command comes closer. Otherwise entities in random order would cost one
 * cache miss after another. */
#ifndef KILN_COMMAND_STREAM_H
#define KILN_COMMAND_STREAM_H

#include "command_buffer.h"

enum {
    STREAM_ITEMS = 64,
    STREAM_AHEAD = STREAM_ITEMS / 2,
    STREAM_NARROW = 2 /* maximum number of mega chunks of a world that fits into the caches */
};

typedef struct stream_item {
    command *at;
    const command_turn *turn;
} stream_item;

typedef struct kiln_command_stream {
    const kiln_world *world;
    kiln_commands *const *buffers;
    const command_turn *turn, *end; /* `turn`: of the next command; `end` after the last */
    command *next;                  /* the next command, or the COMMAND_NEXT_BLOCK before it */
    uint32_t left;                  /* commands of its segment */
    uint32_t block;
    bool is_wide;          /* the world is larger than the caches */
    uint32_t first, count; /* number of the next item to play, and of the next to list */
    stream_item items[STREAM_ITEMS];
} kiln_command_stream;

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

void kiln_command_stream_init(kiln_command_stream *stream, const kiln_world *world,
                              kiln_commands *const *buffers, const command_turn *turns,
                              size_t count);
/* Lists commands up to STREAM_ITEMS in all. In a large world, also prefetches what they will
 * access. */
void kiln_command_stream_fill(kiln_command_stream *stream);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

static inline stream_item *stream_at(kiln_command_stream *stream, uint32_t number)
{
    return &stream->items[number % STREAM_ITEMS];
}

/* The next command, which stays in the stream; NULL at the end. */
static inline const stream_item *stream_look(kiln_command_stream *stream)
{
    if (stream->first == stream->count && stream->turn != stream->end)
        kiln_command_stream_fill(stream);
    return stream->first != stream->count ? stream_at(stream, stream->first) : NULL;
}

/* Takes the next command; NULL at the end. Afterwards the next STREAM_AHEAD - 1 commands are
 * listed, too, or all that are left. The item is valid until the next call of stream_look or
 * stream_next. */
static inline const stream_item *stream_next(kiln_command_stream *stream)
{
    if (stream->count - stream->first < STREAM_AHEAD && stream->turn != stream->end)
        kiln_command_stream_fill(stream);
    return stream->first != stream->count ? stream_at(stream, stream->first++) : NULL;
}

/* Like stream_look, but NULL if the next command is not listed yet. */
static inline const stream_item *stream_peek(kiln_command_stream *stream)
{
    return stream->first != stream->count ? stream_at(stream, stream->first) : NULL;
}

#endif
