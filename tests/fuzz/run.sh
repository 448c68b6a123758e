#!/bin/sh
# Fuzzes one harness with libFuzzer: tests/fuzz/run.sh NAME [SECONDS [LIBFUZZER OPTION...]], NAME one of
# blob, file, load, inspect, where, bake, scene, schema, yaml, import, response. New inputs go to a folder of their own beside the build; what fails is left there as
# crash-*. With SECONDS 0 it is only built. All harnesses share one build, so two at once want to be built before, and
# KILN_FUZZ_BUILD=none.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
compiler=${KILN_FUZZ_CC:-clang}
. "$here/harness.sh"
mkdir -p "$work/new"

# take_with_inputs TREE TARGET PROGRAM: a harness of a build folder as $work/PROGRAM, and the kept inputs as files
take_with_inputs() {
    take "$@"
    unpack_inputs "$1" kept
}
# build_with_inputs KIND PROGRAM MESON_OPTION...: the same with a build folder of its own
build_with_inputs() {
    build "$@"
    unpack_inputs "$folder/$1" kept
}
checked="-gline-tables-only -O${KILN_FUZZ_LEVEL:-1} -DKILN_FUZZING" # -O2 is an eighth faster, and takes longer to compile
case ${KILN_FUZZ_BUILD:-fuzz} in
fuzz) # Counters of edges alone: to trace comparisons doubles the time of an execution.
    build_with_inputs searching fuzz -Ddebug=false -Db_sanitize=address,undefined \
        -Dc_args="$checked -fsanitize-coverage=inline-8bit-counters,pc-table"
    ;;
bare) # for record.py: without sanitizers, which makes executions 2.5 times as fast
    build_with_inputs bare bare -Ddebug=false -Dc_args="$checked -fsanitize-coverage=inline-8bit-counters,pc-table"
    ;;
compare) # for record.py, which uses it for one slice in eight
    build_with_inputs comparing compare -Ddebug=false -Db_sanitize=address,undefined -Dc_args="$checked -fsanitize=fuzzer-no-link"
    ;;
coverage) # for record.py: replays inputs and counts what they reach
    export LLVM_PROFILE_FILE=/dev/null # of what Meson tries
    build_with_inputs coverage replay -Ddebug=true -Dc_args='-fprofile-instr-generate -fcoverage-mapping' -Dc_link_args=-fprofile-instr-generate
    ;;
none) ;;
/*) take_with_inputs "$KILN_FUZZ_BUILD" "search_$name" fuzz ;; # a build folder whose code counts edges
*) echo "run.sh: KILN_FUZZ_BUILD is fuzz, bare, compare, coverage, none or a build folder" >&2; exit 2 ;;
esac
[ "$seconds" -gt 0 ] || exit 0

# Where memory was allocated says less than the input, and takes a third of the time; a short quarantine stays in the cache.
ASAN_OPTIONS=malloc_context_size=0:quarantine_size_mb=2:thread_local_quarantine_size_kb=64${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export ASAN_OPTIONS
cd "$work"
case $name in bake | scene | schema | import) set -- -dict="$here/words.dict" "$@" ;; esac
# To weigh inputs by the rarity of what they reach takes a third of the time.
exec "./${KILN_FUZZ_PROGRAM:-fuzz}" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=16384 -entropic=0 \
    -print_final_stats=1 "$@" new kept
