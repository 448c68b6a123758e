/* What Kiln is measured against, built with the same flags: each is the least work that the task
 * could take, or what a plain C program would do. Those of the entity store have a file of their
 * own. */
#ifndef BASELINES_H
#define BASELINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a file whole into memory, then asks libyaml for one event after another and deletes each.
 * Gives the number of events; 0 where the file cannot be read or is not YAML. */
uint64_t baseline_yaml_events(const char *path);

/* One XXH3-64 call, inlined and compiled with the project's own flags. */
uint64_t baseline_hash(const void *data, size_t size);

/* A level as plain C has it: an array of structs, every string and list of its own from malloc, in
 * the order in which a reader of the text would ask for them. */
typedef struct baseline_loot {
    char *item;
    uint32_t count;
} baseline_loot;

typedef struct baseline_spawn {
    char *name;
    float pos[3], rot[4];
    uint32_t hp;
    char **tags;
    uint32_t tag_count;
    char *kind;
    baseline_loot *loot;
    uint32_t loot_count;
} baseline_spawn;

typedef struct baseline_level {
    baseline_spawn *spawns;
    uint32_t count;
} baseline_level;

/* A copy from malloc; ends the process where there is no memory. */
char *baseline_text(const char *text, size_t length);
void *baseline_array(size_t count, size_t size);
/* The numbers below `count` in random order, from malloc. */
uint32_t *baseline_order(uint32_t count, uint64_t seed);

uint64_t baseline_sum_hp(const baseline_level *level);
/* The first byte of every string, through its pointer. */
uint64_t baseline_walk_strings(const baseline_level *level);

/* For each name: its XXH3, and one read at the place in `table` that the hash gives. `words` is a
 * power of two. */
uint64_t baseline_find(char *const *names, uint32_t count, const uint64_t *table, size_t words);

/* Opens the file, maps its first `size` bytes, adds up their 64-bit words once, unmaps, closes. */
uint64_t baseline_read_once(const char *path, size_t size);

/* For each object: one XXH3 of its bytes, and one look-up of that hash in an open-addressing table
 * that holds it already. */
typedef struct baseline_object {
    const void *data;
    size_t size;
} baseline_object;

typedef struct baseline_table {
    uint64_t *hashes; /* 0 is free */
    size_t mask;
} baseline_table;

void baseline_table_fill(baseline_table *table, const baseline_object *objects, size_t count);
uint64_t baseline_look_up(const baseline_table *table, const baseline_object *objects,
                          size_t count);

#endif
