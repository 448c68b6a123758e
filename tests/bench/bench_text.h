/* Writes the benchmark's inputs. The same seed produces the same bytes on every machine. */
#ifndef BENCH_TEXT_H
#define BENCH_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* Seed of every generated file; splitmix64 counts up from it. */
#define BENCH_SEED UINT64_C(0x6b696c6e)

/* Writes a level of `spawns` spawns as YAML and as the equivalent JSON. Each spawn has a unique
 * name, a position, a rotation about one axis, 2 of 40 tags, one of 30 kinds, and 0 to 3 loot
 * entries, each for one of 200 items. 100,000 spawns make 20 MB of YAML: block style with the small
 * parts in flow style. Different `salt`s give different levels. Returns false if a file cannot be
 * written. */
bool bench_text_level(const char *yaml_path, const char *json_path, uint32_t spawns, uint64_t salt);

/* Writes `count` notes in the shape `map`, each with a unique id, a number and a short string. */
bool bench_text_notes(const char *path, uint32_t count);

/* Writes a scene of `count` entities with three components, 36 bytes, each component in flow style.
 */
bool bench_text_scene(const char *path, uint32_t count);

/* Returns the id of note `number` in the file. `buffer` has room for 32 bytes. */
void bench_text_note_name(char *buffer, uint32_t number);

#endif
