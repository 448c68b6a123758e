/* The baselines that Kiln is measured against, compiled with the same flags as Kiln. Each does the
 * least work that the task allows, or what a plain C program would do. baselines_entities.h has
 * those of the entity store. */
#ifndef BASELINES_H
#define BASELINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a file into memory, then requests and deletes all libyaml events. Returns the number of
 * events, or 0 if the file cannot be read or is not YAML. */
uint64_t baseline_yaml_events(const char *path);

/* One XXH3-64 call, inlined and compiled with the project's flags. */
uint64_t baseline_hash(const void *data, size_t size);

/* A level as plain C stores it: an array of structs. Every string and list has its own malloc
 * block, allocated in the order of the text. */
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

/* Return a copy of a text, and a zeroed array, in malloc memory. Exit the process if memory runs
 * out. */
char *baseline_text(const char *text, size_t length);
void *baseline_array(size_t count, size_t size);
/* Returns the numbers below `count` in random order, in malloc memory. */
uint32_t *baseline_order(uint32_t count, uint64_t seed);

uint64_t baseline_sum_hp(const baseline_level *level);
/* Reads the first byte of every string through its pointer. */
uint64_t baseline_walk_strings(const baseline_level *level);

/* Hashes each name with XXH3 and reads `table` once at the position given by the hash. `words` is a
 * power of two. */
uint64_t baseline_find(char *const *names, uint32_t count, const uint64_t *table, size_t words);

/* Opens the file, maps its first `size` bytes, sums their 64-bit words once, unmaps and closes it.
 */
uint64_t baseline_read_once(const char *path, size_t size);

typedef struct baseline_object {
    const void *data;
    size_t size;
} baseline_object;

/* A table of hashes with open addressing. */
typedef struct baseline_table {
    uint64_t *hashes; /* 0 marks a free slot */
    size_t mask;
} baseline_table;

void baseline_table_fill(baseline_table *table, const baseline_object *objects, size_t count);
/* Hashes each object's bytes with XXH3, and looks up the hash, which the table contains. */
uint64_t baseline_look_up(const baseline_table *table, const baseline_object *objects,
                          size_t count);

#endif
