/* The figures of scenes, compared with one memcpy of the rows into untouched memory. The argument
 * is the number of entities, with 36 bytes in 3 components. `words` adds an entity reference and an
 * asset reference to each entity, in separate columns, on both sides. */
#ifndef PROBE_SCENES_H
#define PROBE_SCENES_H

#include "bench_span.h"

/* Load, then read all columns and ids once. The time to read flat arrays is subtracted. */
const char *probe_scene_load(const char *count, bench_pair *ret_pair);
const char *probe_scene_load_words(const char *count, bench_pair *ret_pair);
/* Copy instead of map. */
const char *probe_scene_load_copied(const char *count, bench_pair *ret_pair);
/* Load a second instance while the first is loaded. */
const char *probe_scene_load_second(const char *count, bench_pair *ret_pair);
/* The additional cost of opening a source at the verification level deep instead of none. */
const char *probe_scene_verify(const char *count, bench_pair *ret_pair);
/* Unload. The time ends when all handles are dead. */
const char *probe_scene_unload(const char *count, bench_pair *ret_pair);
/* Load from a compressed member of a newly opened file. Baseline: libzstd decompressing the same
 * bytes into untouched memory. */
const char *probe_scene_unpack(const char *count, bench_pair *ret_pair);

#endif
