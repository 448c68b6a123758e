/* Random commands under random keys: written down, so that they can be recorded in any number of
 * buffers in any order that keeps each key's, and obeyed one by one without any buffer. */
#ifndef COMMAND_SCRIPT_H
#define COMMAND_SCRIPT_H

#include "commands_fixture.h"

enum {
    SCRIPT_BUFFERS = 8,
    SCRIPT_WIDE = 200 /* chunks that make a world wide, see command_stream.h */
};

/* An entity that a line speaks of: number `number` of those there were, or spawned by that line. */
typedef struct script_entity {
    uint32_t is_spawned, number;
} script_entity;

typedef struct script_line {
    uint64_t key;
    char kind; /* 'n' spawns, 'k' kills, 'a' adds, 'r' removes, 's' sets */
    bool is_zero;
    uint8_t mask; /* to spawn with */
    uint8_t component;
    script_entity about;
    script_entity to, from; /* in a fix_link */
    uint32_t seed;          /* for the other bytes of a value */
} script_line;

typedef struct script {
    uint32_t seed;
    uint32_t line_count, entity_count; /* `entity_count`: that there were */
    uint32_t key_count;
    uint64_t *keys;
    script_line *lines;
} script;

/* The same for the same seed; ended by script_fini. */
script script_make(uint32_t seed);
void script_fini(script *of);

/* A world as the script finds it, and its entities: some of them dead. */
fix_world script_world(const script *of, const kiln_allocator *allocator, kiln_entity *entities);

/* Records the lines of the keys that `takes` says are this buffer's, in the script's order. With
 * `mixed` keys in turn, else one key after another. Each line's placeholder goes to
 * `placeholders[line]`. KILN_OK, or what recording gave first. */
typedef struct script_part {
    const fix_world *fix;
    const kiln_entity *entities;
    kiln_entity *placeholders;
    const uint8_t *buffer_of_key;
    uint8_t buffer;
    bool mixed;
} script_part;
kiln_status script_record(const script *of, const script_part *part, kiln_commands *commands);

/* Does what playing has to come to, by calls on the world. */
kiln_played script_obey(const script *of, const fix_world *fix, const kiln_entity *entities);

#endif
