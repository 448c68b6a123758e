#!/bin/sh
# Fuzzes one harness with AFL++ and CmpLog: tests/fuzz/run_afl.sh NAME [SECONDS [AFL-FUZZ OPTION...]], NAME one that reads text: yaml,
# schema, response, where, import. With SECONDS 0 it is only built, and KILN_FUZZ_BUILD=none builds nothing. A run goes on where
# the last one ended. What fails is left in afl/default/crashes beside the build. KILN_FUZZ_AFL_CC: the compiler, afl-clang-fast or
# afl-clang-lto.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
compiler=${KILN_FUZZ_AFL_CC:-afl-clang-fast}
command -v "$compiler" >/dev/null || { echo "run_afl.sh: $compiler is missing: sh .ci/packages.sh afl" >&2; exit 2; }
. "$here/harness.sh"
export AFL_QUIET=1

if [ "${KILN_FUZZ_BUILD:-afl}" != none ]; then
    build afl-checked afl-checked -Ddebug=false -Db_sanitize=address,undefined -Dc_args='-gline-tables-only -O2 -DKILN_FUZZING_AFL'
    unpack_inputs "$folder/afl-checked" seeds
    # CmpLog reads the operands of comparisons in a second program, which needs no sanitizers.
    AFL_LLVM_CMPLOG=1
    export AFL_LLVM_CMPLOG
    build afl-compare afl-compare -Ddebug=false -Dc_args='-O2 -DKILN_FUZZING_AFL'
fi
[ "$seconds" -gt 0 ] || exit 0

# AFL++ asks for abort_on_error and symbolize=0 of whoever sets options.
export ASAN_OPTIONS=abort_on_error=1:symbolize=0:detect_leaks=0:malloc_context_size=0:quarantine_size_mb=2
export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:symbolize=0
export AFL_AUTORESUME=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1
cd "$work"
case $name in yaml | schema | import) set -- -x "$here/words.dict" "$@" ;; esac
exec afl-fuzz -i seeds -o afl -c ./afl-compare -m none -t 5000 -V "$seconds" "$@" -- ./afl-checked
