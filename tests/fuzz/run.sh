#!/bin/sh
# Fuzzes one harness with libFuzzer: tests/fuzz/run.sh NAME [SECONDS], NAME one of blob, bake, schema.
# New inputs go to a folder of their own beside the build; what fails is left there as crash-*.
set -eu
name=${1:?usage: run.sh NAME [SECONDS]}
seconds=${2:-60}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=${KILN_FUZZ_FOLDER:-$root/build-fuzz}/$name
mkdir -p "$work/new"

sources="$here/fuzz_$name.c"
for support in blob_patch test_types value_walk whole_file; do
    sources="$sources $root/tests/blobfmt/$support.c"
done
libraries="-lxxhash -lzstd -lm"
if [ "$name" != blob ]; then
    sources="$sources $here/bake_input.c $(ls "$root"/baker/*.c | grep -v '/main\.c$')"
    libraries="$libraries -lyaml"
fi
# shellcheck disable=SC2086
clang -std=c11 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
    -D_DEFAULT_SOURCE -DKILN_VERSION_TEXT='"fuzz"' \
    -I"$root/blobfmt/include" -I"$root/baker" -I"$root/tests/blobfmt" -I"$here" \
    $sources "$root"/blobfmt/*.c $libraries -o "$work/fuzz"

cd "$work"
KILN_FUZZ_SCHEMA="$here/every_feature.schema.yaml" ./fuzz -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -max_len=16384 -print_final_stats=1 new "$here/corpus/$name"
