#define _POSIX_C_SOURCE 200809L

#include "baselines.h"

#include "bench_random.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <yaml.h>

/* Inlined as in blobfmt, so that both sides run the same code. */
#define XXH_INLINE_ALL
#include <xxhash.h>

void *baseline_array(size_t count, size_t size)
{
    void *data = calloc(count ? count : 1, size);
    if (!data) {
        fputs("out of memory\n", stderr);
        exit(2);
    }
    return data;
}

char *baseline_text(const char *text, size_t length)
{
    char *copy = baseline_array(length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}

uint32_t *baseline_order(uint32_t count, uint64_t seed)
{
    uint32_t *order = baseline_array(count, sizeof *order);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = (uint32_t)(bench_random(&seed) % (i + 1));
        order[i] = order[other];
        order[other] = i;
    }
    return order;
}

static unsigned char *read_whole(const char *path, size_t *ret_size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    unsigned char *data = NULL;
    if (size > 0 && fseek(file, 0, SEEK_SET) == 0) {
        data = baseline_array((size_t)size, 1);
        *ret_size = fread(data, 1, (size_t)size, file);
    }
    fclose(file);
    return data;
}

uint64_t baseline_yaml_events(const char *path)
{
    size_t size = 0;
    unsigned char *data = read_whole(path, &size);
    yaml_parser_t parser;
    if (!data || !yaml_parser_initialize(&parser)) {
        free(data);
        return 0;
    }
    yaml_parser_set_input_string(&parser, data, size);
    uint64_t count = 0;
    yaml_event_type_t last = YAML_NO_EVENT;
    while (last != YAML_STREAM_END_EVENT) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            count = 0;
            break;
        }
        last = event.type;
        count++;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    free(data);
    return count;
}

uint64_t baseline_hash(const void *data, size_t size)
{
    return XXH3_64bits(data, size);
}

uint64_t baseline_sum_hp(const baseline_level *level)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < level->count; i++)
        sum += level->spawns[i].hp;
    return sum;
}

uint64_t baseline_walk_strings(const baseline_level *level)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < level->count; i++) {
        const baseline_spawn *spawn = level->spawns + i;
        sum += (unsigned char)spawn->name[0];
        sum += (unsigned char)spawn->kind[0];
        for (uint32_t k = 0; k < spawn->tag_count; k++)
            sum += (unsigned char)spawn->tags[k][0];
        for (uint32_t k = 0; k < spawn->loot_count; k++)
            sum += (unsigned char)spawn->loot[k].item[0];
    }
    return sum;
}

uint64_t baseline_find(char *const *names, uint32_t count, const uint64_t *table, size_t words)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += table[XXH3_64bits(names[i], strlen(names[i])) & (words - 1)];
    return sum;
}

uint64_t baseline_read_once(const char *path, size_t size)
{
    uint64_t sum = 0;
    int file = open(path, O_RDONLY);
    if (file < 0)
        return 0;
    const uint64_t *words = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (words != MAP_FAILED) {
        for (size_t i = 0; i < size / sizeof *words; i++)
            sum += words[i];
        munmap((void *)(uintptr_t)words, size);
    }
    close(file);
    return sum;
}

/* Returns the slot of a hash, or the free slot where the hash belongs. */
static inline size_t slot_of(const baseline_table *table, uint64_t hash)
{
    size_t slot = (size_t)hash & table->mask;
    while (table->hashes[slot] && table->hashes[slot] != hash)
        slot = (slot + 1) & table->mask;
    return slot;
}

void baseline_table_fill(baseline_table *table, const baseline_object *objects, size_t count)
{
    size_t size = 16;
    while (size < 2 * count)
        size *= 2;
    table->mask = size - 1;
    table->hashes = baseline_array(size, sizeof *table->hashes);
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = XXH3_64bits(objects[i].data, objects[i].size);
        table->hashes[slot_of(table, hash)] = hash;
    }
}

uint64_t baseline_look_up(const baseline_table *table, const baseline_object *objects, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += slot_of(table, XXH3_64bits(objects[i].data, objects[i].size));
    return sum;
}
