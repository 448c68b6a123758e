#!/bin/sh
# Fuzzes one harness with libFuzzer: tests/fuzz/run.sh NAME [SECONDS [LIBFUZZER OPTION...]], NAME one of
# blob, file, load, inspect, where, bake, scene, schema, yaml, import, response. New inputs go to a folder of their own beside the build; what fails is left there as
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

# take TREE TARGET PROGRAM: a harness that a build folder makes, as $work/PROGRAM, and the inputs that are kept, as files
take() {
    ninja --quiet -C "$1" "tests/fuzz/$2" tests/fuzz/pack_corpus
    # A program that is running can be replaced, but not written to.
    cp "$1/tests/fuzz/$2" "$work/$3.new"
    mv "$work/$3.new" "$work/$3"
    rm -rf "$work/kept"
    "$1/tests/fuzz/pack_corpus" unpack "$here/corpus/$name.tar.zst" "$work/kept"
}
# build KIND PROGRAM MESON_OPTION...: the same from a build folder of its own
build() {
    tree=$folder/$1 program=$2
    shift 2
    [ -f "$tree/build.ninja" ] ||
        CC="${KILN_FUZZ_CC:-clang}" CXX="${KILN_FUZZ_CC:-clang}++" meson setup "$tree" "$root" -Doptimization=1 -Db_lundef=false "$@" \
            >"$folder/setup.log" || { cat "$folder/setup.log"; exit 1; }
    take "$tree" "fuzz_$name" "$program"
}
checked="-gline-tables-only -O${KILN_FUZZ_LEVEL:-1} -DKILN_FUZZING" # -O2 is an eighth faster, and takes longer to compile
case ${KILN_FUZZ_BUILD:-fuzz} in
fuzz) # Counters of edges alone: to trace comparisons doubles the time of an execution.
    build searching fuzz -Ddebug=false -Db_sanitize=address,undefined \
        -Dc_args="$checked -fsanitize-coverage=inline-8bit-counters,pc-table"
    ;;
bare) # for record.py: without sanitizers, which makes executions 2.5 times as fast
    build bare bare -Ddebug=false -Dc_args="$checked -fsanitize-coverage=inline-8bit-counters,pc-table"
    ;;
compare) # for record.py, which uses it for one slice in eight
    build comparing compare -Ddebug=false -Db_sanitize=address,undefined -Dc_args="$checked -fsanitize=fuzzer-no-link"
    ;;
coverage) # for record.py: replays inputs and counts what they reach
    export LLVM_PROFILE_FILE=/dev/null # of what Meson tries
    build coverage replay -Ddebug=true -Dc_args='-fprofile-instr-generate -fcoverage-mapping' -Dc_link_args=-fprofile-instr-generate
    ;;
none) ;;
/*) take "$KILN_FUZZ_BUILD" "search_$name" fuzz ;; # a build folder whose code counts edges
*) echo "run.sh: KILN_FUZZ_BUILD is fuzz, bare, compare, coverage, none or a build folder" >&2; exit 2 ;;
esac
[ "$seconds" -gt 0 ] || exit 0

# Where memory was allocated says less than the input, and takes a third of the time; a short quarantine stays in the cache.
ASAN_OPTIONS=malloc_context_size=0:quarantine_size_mb=2:thread_local_quarantine_size_kb=64${ASAN_OPTIONS:+:$ASAN_OPTIONS}
KILN_FUZZ_SCHEMA=$here/every_feature.schema.yaml KILN_FUZZ_SCENE_SCHEMA=$here/every_scene.schema.yaml
KILN_FUZZ_IMPORT_SCHEMA=$here/every_import.schema.yaml
export ASAN_OPTIONS KILN_FUZZ_SCHEMA KILN_FUZZ_SCENE_SCHEMA KILN_FUZZ_IMPORT_SCHEMA
cd "$work"
case $name in bake | scene | schema | import) set -- -dict="$here/words.dict" "$@" ;; esac
# To weigh inputs by the rarity of what they reach takes a third of the time.
exec "./${KILN_FUZZ_PROGRAM:-fuzz}" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=16384 -entropic=0 \
    -print_final_stats=1 "$@" new kept
