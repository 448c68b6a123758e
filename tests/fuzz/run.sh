#!/bin/sh
# Fuzzes one harness with libFuzzer: tests/fuzz/run.sh NAME [SECONDS [LIBFUZZER OPTION...]], NAME one of
# blob, file, load, inspect, bake, scene, schema, yaml. New inputs go to a folder of their own beside the build; what fails is left there as
# crash-*. With SECONDS 0 it is only built.
set -eu
name=${1:?usage: run.sh NAME [SECONDS [OPTION...]]}
seconds=${2:-60}
[ $# -lt 2 ] || shift
shift
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=${KILN_FUZZ_FOLDER:-$root/build-fuzz}/$name
mkdir -p "$work/new"

sources="$here/fuzz_$name.c $root/blobfmt/*.c"
for support in blob_patch field_mutator guarded random_types test_types value_walk whole_file; do
    sources="$sources $root/tests/blobfmt/$support.c"
done
includes="-I$root/blobfmt/include -I$root/blobfmt -I$root/tests/blobfmt -I$here"
libraries="-lxxhash -lzstd -lm -lpthread"
case $name in
blob | file | load)
    sources="$sources $here/blob_input.c"
    ;;
inspect)
    sources="$sources $(ls "$root"/inspector/insp_*.c)"
    includes="$includes -I$root/inspector"
    ;;
*)
    sources="$sources $here/bake_input.c $root/tests/yaml/readers_agree.c $(ls "$root"/baker/*.c | grep -v '/main\.c$')"
    includes="$includes -I$root/baker -I$root/tests/yaml"
    libraries="$libraries -lyaml"
    ;;
esac
case $name in
file | load)
    sources="$sources $root/tests/blobfmt/scene_fixture.c $root/runtime/*.c"
    includes="$includes -I$root/runtime/include"
    ;;
esac
compile() {
    # shellcheck disable=SC2086
    clang -std=c11 -g -O1 -DKILN_VERSION_TEXT='"fuzz"' -DINSP_VERSION='"fuzz"' $includes "$@" $sources $libraries
}
case ${KILN_FUZZ_BUILD:-fuzz} in
fuzz)
    case $name in blob | file) mutator=$here/blob_mutator.c ;; *) mutator= ;; esac
    compile -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined $mutator -o "$work/fuzz"
    ;;
coverage) # for record.py: replays inputs and counts what they reach
    compile -fprofile-instr-generate -fcoverage-mapping "$here/fuzz_replay.c" -o "$work/replay"
    ;;
esac
[ "$seconds" -gt 0 ] || exit 0

cd "$work"
export KILN_FUZZ_SCENE_SCHEMA="$here/every_scene.schema.yaml"
KILN_FUZZ_SCHEMA="$here/every_feature.schema.yaml" ./fuzz -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -max_len=16384 -print_final_stats=1 "$@" new "$here/corpus/$name"
