#!/bin/sh
# Fuzzes one harness with AFL++ and CmpLog: tests/fuzz/run_afl.sh NAME [SECONDS [AFL-FUZZ OPTION...]], NAME one that reads text: yaml,
# schema, response, where, import. With SECONDS 0 it is only built, and KILN_FUZZ_BUILD=none builds nothing. A run goes on where
# the last one ended. What fails is left in afl/default/crashes beside the build. KILN_FUZZ_AFL_CC: the compiler, afl-clang-fast or
# afl-clang-lto.
set -eu
name=${1:?usage: run_afl.sh NAME [SECONDS [OPTION...]]}
seconds=${2:-60}
[ $# -lt 2 ] || shift
shift
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=${KILN_FUZZ_FOLDER:-$root/build-fuzz}
work=$folder/$name
compiler=${KILN_FUZZ_AFL_CC:-afl-clang-fast}
command -v "$compiler" >/dev/null || { echo "run_afl.sh: $compiler is missing: sh .ci/packages.sh afl" >&2; exit 2; }
mkdir -p "$work"
export AFL_QUIET=1

# build KIND PROGRAM MESON_OPTION...: the harness as $work/PROGRAM
build() {
    tree=$folder/$1 program=$2
    shift 2
    [ -f "$tree/build.ninja" ] ||
        CC=$compiler CXX=$compiler++ meson setup "$tree" "$root" -Doptimization=1 -Ddebug=false -Db_lundef=false "$@" \
            >"$folder/setup.log" || { cat "$folder/setup.log"; exit 1; }
    ninja --quiet -C "$tree" "tests/fuzz/fuzz_$name" tests/fuzz/pack_corpus
    cp "$tree/tests/fuzz/fuzz_$name" "$work/$program.new"
    mv "$work/$program.new" "$work/$program"
}
if [ "${KILN_FUZZ_BUILD:-afl}" != none ]; then
    build afl-checked afl-checked -Db_sanitize=address,undefined -Dc_args='-gline-tables-only -O2 -DKILN_FUZZING_AFL'
    rm -rf "$work/seeds"
    "$folder/afl-checked/tests/fuzz/pack_corpus" unpack "$here/corpus/$name.tar.zst" "$work/seeds"
    # CmpLog reads the operands of comparisons in a second program, which needs no sanitizers.
    AFL_LLVM_CMPLOG=1
    export AFL_LLVM_CMPLOG
    build afl-compare afl-compare -Dc_args='-O2 -DKILN_FUZZING_AFL'
fi
[ "$seconds" -gt 0 ] || exit 0

KILN_FUZZ_SCHEMA=$here/every_feature.schema.yaml KILN_FUZZ_SCENE_SCHEMA=$here/every_scene.schema.yaml
KILN_FUZZ_IMPORT_SCHEMA=$here/every_import.schema.yaml
export KILN_FUZZ_SCHEMA KILN_FUZZ_SCENE_SCHEMA KILN_FUZZ_IMPORT_SCHEMA
# AFL++ asks for abort_on_error and symbolize=0 of whoever sets options.
export ASAN_OPTIONS=abort_on_error=1:symbolize=0:detect_leaks=0:malloc_context_size=0:quarantine_size_mb=2
export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:symbolize=0
export AFL_AUTORESUME=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1
cd "$work"
case $name in yaml | schema | import) set -- -x "$here/words.dict" "$@" ;; esac
exec afl-fuzz -i seeds -o afl -c ./afl-compare -m none -t 5000 -V "$seconds" "$@" -- ./afl-checked
