#!/bin/sh
# Fuzzes one harness with AFL++ and CmpLog: tests/fuzz/run_afl.sh NAME [SECONDS [AFL-FUZZ OPTION...]], where NAME reads text:
# yaml, schema, response, where or import. With SECONDS 0 it only builds, and with KILN_FUZZ_BUILD=none it does not build. A run
# continues the previous one. Failing inputs go to afl/default/crashes next to the build. KILN_FUZZ_AFL_CC selects the compiler,
# afl-clang-fast or afl-clang-lto.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
compiler=${KILN_FUZZ_AFL_CC:-afl-clang-fast}
command -v "$compiler" >/dev/null || { echo "run_afl.sh: $compiler is missing: sh .ci/packages.sh afl" >&2; exit 2; }
. "$here/harness.sh"
export AFL_QUIET=1

if [ "${KILN_FUZZ_BUILD:-afl}" != none ]; then
    build afl-checked afl-checked -Ddebug=false -Db_sanitize=address,undefined -Dc_args='-gline-tables-only -O2 -DKILN_FUZZING_AFL'
    unpack_inputs "$folder/afl-checked" seeds
    # CmpLog reads the operands of comparisons from a second program, which does not need sanitizers.
    AFL_LLVM_CMPLOG=1
    export AFL_LLVM_CMPLOG
    build afl-compare afl-compare -Ddebug=false -Dc_args='-O2 -DKILN_FUZZING_AFL'
fi
[ "$seconds" -gt 0 ] || exit 0

# AFL++ requires abort_on_error and symbolize=0 if options are set.
export ASAN_OPTIONS=abort_on_error=1:symbolize=0:detect_leaks=0:malloc_context_size=0:quarantine_size_mb=2
export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:symbolize=0
export AFL_AUTORESUME=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1
cd "$work"
case $name in yaml | schema | import) set -- -x "$here/words.dict" "$@" ;; esac
exec afl-fuzz -i seeds -o afl -c ./afl-compare -m none -t 5000 -V "$seconds" "$@" -- ./afl-checked
