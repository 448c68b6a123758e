/* The figures of scenes. */
#include "bench_figure.h"

static const char ns[] = "ns per entity";

const bench_figure bench_scene_figures[] = {
    {.name = "load a scene, including the cost of its first read / memcpy to fresh memory",
     .sample = bench_sample_entities,
     .args = {"scene-load"},
     .target = 0.25,
     .unit = ns,
     .span = "kiln_scene_load of entities of 36 bytes in 3 components from a warm uncompressed "
             "file at the verification level none, into a world in which it was loaded before, "
             "then one pass over all columns, indices and versions, minus the same pass over flat "
             "arrays; mapping untouched flat memory and one memcpy per column; 4 KiB pages on both "
             "sides"},
    {.name = "load a scene with references, including the cost of its first read / memcpy",
     .sample = bench_sample_entities,
     .args = {"scene-load-words"},
     .target = 0.8,
     .unit = ns,
     .span = "the same with two more columns: a reference to another entity, and one to one of 100 "
             "assets; memcpy of 52 bytes each"},
    {.name = "load a scene by copying, including the cost of its first read / memcpy",
     .sample = bench_sample_entities,
     .args = {"scene-load-copied"},
     .unit = ns,
     .span = "the first figure, with mapping disabled"},
    {.name = "load a second instance, including the cost of its first read / memcpy",
     .sample = bench_sample_entities,
     .args = {"scene-load-second"},
     .target = 0.25,
     .unit = ns,
     .span = "the first figure, while another instance of the scene is loaded"},
    {.name = "load a compressed scene, including the cost of its first read / decompression",
     .sample = bench_sample_entities,
     .args = {"scene-unpack"},
     .target = 1.3,
     .unit = ns,
     .span = "opening the scene's source from a newly mounted file, whose chunks are one zstd "
             "member at level 3, loading the scene, and the pass, minus the pass over flat arrays; "
             "libzstd's own decompression of the member into untouched memory"},
    {.name = "additional cost of verifying a whole scene / memcpy",
     .sample = bench_sample_entities,
     .args = {"scene-verify"},
     .target = 0.3,
     .unit = ns,
     .span = "opening the scene's source at the verification level deep, minus the same at the "
             "level none; the memcpy of the first figure"},
    {.name = "unload a scene / memcpy",
     .sample = bench_sample_entities,
     .args = {"scene-unload"},
     .target = 0.1,
     .unit = ns,
     .span = "kiln_scene_unload after the pass, until handles are dead and the file's pages are "
             "released; the memcpy of the first figure"},
    {.name = "bake a scene / bare libyaml events",
     .sample = bench_sample_bake_scene,
     .target = 1.6,
     .unit = "ms",
     .span = "user and system time of one whole process on each side: kiln-bake from YAML of a "
             "tenth as many entities to the finished file; a loop that reads the whole file, "
             "requests each event from libyaml and deletes it"},
};
const size_t bench_scene_figure_count = sizeof bench_scene_figures / sizeof *bench_scene_figures;
