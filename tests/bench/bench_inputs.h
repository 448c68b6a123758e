/* Paths of the benchmark's inputs and outputs, relative to the current folder. */
#ifndef BENCH_INPUTS_H
#define BENCH_INPUTS_H

#define BENCH_LEVEL_YAML "bench_data/level.yaml"
#define BENCH_LEVEL_JSON "bench_data/level.json"
#define BENCH_LEVEL_KILN "bench_data/level.kiln"
#define BENCH_LEVEL_BIN "bench_data/level.bin"
#define BENCH_SHARED_BIN "bench_data/level.shared"
#define BENCH_CAPNP "bench_data/level.capnp"
#define BENCH_CAPNP_CONVERTED "bench_data/level.converted"
#define BENCH_CAPNP_PACKED "bench_data/level.packed"
#define BENCH_NOTES_YAML "bench_data/many.notes.yaml"
#define BENCH_NOTES_KILN "bench_data/many.kiln"
#define BENCH_SMALL_YAML "bench_data/small_yaml"
#define BENCH_SMALL_JSON "bench_data/small_json"
#define BENCH_SMALL_KILN "bench_data/small.kiln"
#define BENCH_SMALL_BINS "bench_data/small_bins"
#define BENCH_PACKED_YAML "bench_data/packed_yaml"
#define BENCH_PACKED_KILN "bench_data/packed.kiln"
#define BENCH_SCENE_YAML "bench_data/bodies.scene.yaml"
#define BENCH_SCENE_KILN "bench_data/bodies.kiln"
#define BENCH_PROJECT "bench_data/project"
#define BENCH_PROJECT_LIST "bench_data/project.txt"
#define BENCH_REAL_KILN "bench_data/real.kiln"
#define BENCH_REAL_SCHEMA "bench_data/real.schema.yaml"
#define BENCH_FIRST_SMALL BENCH_SMALL_YAML "/s0000.yaml"
#define BENCH_TINY_KILN "bench_data/tiny.kiln"
#define BENCH_DUMP_OURS "bench_data/dump_ours.json"
#define BENCH_DUMP_FOLDER "bench_data/dump"
#define BENCH_DUMP_PEER "bench_data/dump/level.json"
#define BENCH_PROBE_OUTPUT "bench_data/probe.txt"

#endif
