/* Writes the benchmark's inputs. The same seed gives the same bytes on every machine. */
#ifndef BENCH_TEXT_H
#define BENCH_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* Seed of every generated text: splitmix64 counts up from it. */
#define BENCH_SEED UINT64_C(0x6b696c6e)

/* A level of `spawns` spawns, as YAML and as the equal JSON. Each spawn has a unique name, a place,
 * a rotation about one axis, two of 40 tags, one of 30 kinds, and 0 to 3 loot entries of 200 items.
 * 100,000 of them are 20 MB of YAML: block style with the small parts in flow style. `salt` tells
 * levels apart. False where a file cannot be written. */
bool bench_text_level(const char *yaml_path, const char *json_path, uint32_t spawns, uint64_t salt);

/* `count` notes under the shape `map`: unique ids, a number and a short text each. */
bool bench_text_notes(const char *path, uint32_t count);

/* A scene of `count` entities of three components, 36 bytes, each component in flow style. */
bool bench_text_scene(const char *path, uint32_t count);

/* The id of note `number`, as in the file; `buffer` has room for 32 bytes. */
void bench_text_note_name(char *buffer, uint32_t number);

#endif
