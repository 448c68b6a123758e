#!/bin/sh
# Fuzzes one harness with libFuzzer: tests/fuzz/run.sh NAME [SECONDS [LIBFUZZER OPTION...]], where NAME is blob, file, load,
# inspect, where, bake, scene, schema, yaml, import, cached, project, state, kept or response. New inputs go to a separate folder next to
# the build, and failing ones to crash-* there. With SECONDS 0 it only builds. All harnesses share one build. To run two at once,
# build them first and set KILN_FUZZ_BUILD=none.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
compiler=${KILN_FUZZ_CC:-clang}
. "$here/harness.sh"
mkdir -p "$work/new"

# take_with_inputs TREE TARGET PROGRAM: like take, and unpacks the corpus
take_with_inputs() {
    take "$@"
    unpack_inputs "$1" kept
}
# build_with_inputs KIND PROGRAM MESON_OPTION...: like build, and unpacks the corpus
build_with_inputs() {
    build "$@"
    unpack_inputs "$folder/$1" kept
}
checked="-gline-tables-only -O${KILN_FUZZ_LEVEL:-1} -DKILN_FUZZING" # -O2 is 12 % faster but takes longer to compile
case ${KILN_FUZZ_BUILD:-fuzz} in
fuzz) # Edge counters only: tracing comparisons doubles the time of an execution.
    build_with_inputs searching fuzz -Ddebug=false -Db_sanitize=address,undefined \
        -Dc_args="$checked -fsanitize-coverage=inline-8bit-counters,pc-table"
    ;;
bare) # for record.py: without sanitizers, which makes executions 2.5 times as fast
    build_with_inputs bare bare -Ddebug=false -Dc_args="$checked -fsanitize-coverage=inline-8bit-counters,pc-table"
    ;;
compare) # for record.py, which uses it for one slice in eight
    build_with_inputs comparing compare -Ddebug=false -Db_sanitize=address,undefined -Dc_args="$checked -fsanitize=fuzzer-no-link"
    ;;
coverage) # for record.py: replays inputs and measures their coverage
    export LLVM_PROFILE_FILE=/dev/null # for Meson's configure checks
    build_with_inputs coverage replay -Ddebug=true -Dc_args='-fprofile-instr-generate -fcoverage-mapping' -Dc_link_args=-fprofile-instr-generate
    ;;
none) ;;
/*) take_with_inputs "$KILN_FUZZ_BUILD" "search_$name" fuzz ;; # a build folder whose code has edge counters
*) echo "run.sh: KILN_FUZZ_BUILD must be fuzz, bare, compare, coverage, none or a build folder" >&2; exit 2 ;;
esac
[ "$seconds" -gt 0 ] || exit 0

# Allocation stack traces take a third of the time and help less than the input. A small quarantine stays in the cache.
ASAN_OPTIONS=malloc_context_size=0:quarantine_size_mb=2:thread_local_quarantine_size_kb=64${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export ASAN_OPTIONS
cd "$work"
case $name in bake | scene | schema | import) set -- -dict="$here/words.dict" "$@" ;; esac
# Entropic scheduling takes a third of the time.
exec "./${KILN_FUZZ_PROGRAM:-fuzz}" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=16384 -entropic=0 \
    -print_final_stats=1 "$@" new kept
