/* The figures of scenes, each beside one memcpy of the rows' bytes to memory that nobody has
 * touched. All take the number of entities, of 36 bytes in 3 components; `words` adds an entity
 * reference and a reference to an asset to each, in columns of their own, on both sides. */
#ifndef PROBE_SCENES_H
#define PROBE_SCENES_H

#include "bench_span.h"

/* Loading and one pass over all columns and ids, without the same pass over flat arrays. */
const char *probe_scene_load(const char *count, bench_pair *ret_pair);
const char *probe_scene_load_words(const char *count, bench_pair *ret_pair);
/* Copied instead of mapped. */
const char *probe_scene_load_copied(const char *count, bench_pair *ret_pair);
/* A second instance beside the first. */
const char *probe_scene_load_second(const char *count, bench_pair *ret_pair);
/* What opening a source in the deep tier costs more than in the tier none. */
const char *probe_scene_verify(const char *count, bench_pair *ret_pair);
/* Unloading, until handles read dead. */
const char *probe_scene_unload(const char *count, bench_pair *ret_pair);
/* From a compressed member, the file opened anew; libzstd's decompression of its bytes to memory
 * that nobody has touched. */
const char *probe_scene_unpack(const char *count, bench_pair *ret_pair);

#endif
