/* Random commands with random keys, written as a script. A script can be recorded in any number of
 * buffers, in any order that keeps the order within each key. It can also be executed directly,
 * without buffers. */
#ifndef COMMAND_SCRIPT_H
#define COMMAND_SCRIPT_H

#include "commands_fixture.h"

enum {
    SCRIPT_BUFFERS = 8,
    SCRIPT_WIDE = 200 /* a world with this many chunks is large (command_stream.h) */
};

/* An entity used by a line: the existing entity `number`, or the one spawned by line `number`. */
typedef struct script_entity {
    uint32_t is_spawned, number;
} script_entity;

typedef struct script_line {
    uint64_t key;
    char kind; /* 'n' spawn, 'k' kill, 'a' add, 'r' remove, 's' set */
    bool is_zero;
    uint8_t mask; /* components to spawn with */
    uint8_t component;
    script_entity about;
    script_entity to, from; /* entities in a fix_link */
    uint32_t seed;          /* for the other bytes of a value */
} script_line;

typedef struct script {
    uint32_t seed;
    uint32_t line_count, entity_count; /* number of entities at the start */
    uint32_t key_count;
    uint64_t *keys;
    script_line *lines;
} script;

/* The same seed gives the same script. Free it with script_fini. */
script script_make(uint32_t seed);
void script_fini(script *of);

/* Creates the world in which the script starts, and its entities, some of which are dead. */
fix_world script_world(const script *of, const kiln_allocator *allocator, kiln_entity *entities);

/* Records the lines whose keys `buffer_of_key` assigns to this buffer. The lines of a key stay in
 * script order. With `mixed` the keys alternate; otherwise all lines of a key come before those of
 * the next key. Stores each line's placeholder in `placeholders[line]`. Returns KILN_OK, or the
 * first error of a recording function. */
typedef struct script_part {
    const fix_world *fix;
    const kiln_entity *entities;
    kiln_entity *placeholders;
    const uint8_t *buffer_of_key;
    uint8_t buffer;
    bool mixed;
} script_part;
kiln_status script_record(const script *of, const script_part *part, kiln_commands *commands);

/* Makes the changes that playing must make, with direct calls on the world. */
kiln_played script_obey(const script *of, const fix_world *fix, const kiln_entity *entities);

#endif
