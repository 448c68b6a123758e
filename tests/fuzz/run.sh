#!/bin/sh
# Fuzzes one harness with libFuzzer: tests/fuzz/run.sh NAME [SECONDS [LIBFUZZER OPTION...]], NAME one of
# blob, file, load, inspect, bake, scene, schema, yaml. New inputs go to a folder of their own beside the build; what fails is left there as
# crash-*. With SECONDS 0 it is only built. All harnesses share one build, so two at once want to be built before, and
# KILN_FUZZ_BUILD=none.
set -eu
name=${1:?usage: run.sh NAME [SECONDS [OPTION...]]}
seconds=${2:-60}
[ $# -lt 2 ] || shift
shift
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=${KILN_FUZZ_FOLDER:-$root/build-fuzz}
work=$folder/$name
mkdir -p "$work/new"

# build KIND PROGRAM MESON_OPTION...: the harness as $work/PROGRAM
build() {
    tree=$folder/$1 program=$2
    shift 2
    [ -f "$tree/build.ninja" ] ||
        CC=clang CXX=clang++ meson setup "$tree" "$root" -Doptimization=1 -Db_lundef=false "$@" >"$folder/setup.log" ||
        { cat "$folder/setup.log"; exit 1; }
    ninja --quiet -C "$tree" "tests/fuzz/fuzz_$name"
    cp "$tree/tests/fuzz/fuzz_$name" "$work/$program"
}
case ${KILN_FUZZ_BUILD:-fuzz} in
fuzz)
    build searching fuzz -Ddebug=false -Db_sanitize=address,undefined \
        -Dc_args='-gline-tables-only -fsanitize=fuzzer-no-link'
    ;;
coverage) # for record.py: replays inputs and counts what they reach
    export LLVM_PROFILE_FILE=/dev/null # of what Meson tries
    build coverage replay -Ddebug=true -Dc_args='-fprofile-instr-generate -fcoverage-mapping' -Dc_link_args=-fprofile-instr-generate
    ;;
none) ;;
esac
[ "$seconds" -gt 0 ] || exit 0

cd "$work"
export KILN_FUZZ_SCENE_SCHEMA="$here/every_scene.schema.yaml"
KILN_FUZZ_SCHEMA="$here/every_feature.schema.yaml" ./fuzz -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -max_len=16384 -print_final_stats=1 "$@" new "$here/corpus/$name"
