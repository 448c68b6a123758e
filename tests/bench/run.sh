#!/bin/sh
# Installs missing packages, makes a release build, measures every figure and writes the results to figures.csv
# in this folder. Usage: sh tests/bench/run.sh [TEXT]. With TEXT, measures only figures whose names contain it, and
# replaces their rows. The build folder is build-bench/, or KILN_BUILD. This takes half an hour, during which the
# machine should be idle.
set -eu
cd "$(dirname "$0")/../.."
build=${KILN_BUILD:-build-bench}
figures=$PWD/tests/bench/figures.csv

sh .ci/packages.sh build
sh .ci/packages.sh bench || echo "bench: continuing without the missing peers" >&2
[ -f "$build/build.ninja" ] || meson setup "$build" --buildtype=release -Dtests=disabled -Dsamples=disabled
ninja -C "$build"
if [ $# -eq 0 ]; then
    exec meson test -C "$build" --no-rebuild --benchmark --verbose --test-args "--csv $figures"
fi
part=$(mktemp)
trap 'rm -f "$part"' EXIT
status=0
meson test -C "$build" --no-rebuild --benchmark --verbose --test-args "--csv $part --only '$1'" || status=$?
python3 tests/bench/merge_figures.py "$figures" "$part"
exit $status
