#!/bin/sh
# Installs missing packages, makes a release build, measures every figure and writes the results to figures.csv
# in this folder. Usage: sh tests/bench/run.sh. The build folder is build-bench/, or KILN_BUILD. This takes a
# few minutes, during which the machine should be idle.
set -eu
cd "$(dirname "$0")/../.."
build=${KILN_BUILD:-build-bench}

sh .ci/packages.sh build
sh .ci/packages.sh bench || echo "bench: continuing without the missing peers" >&2
[ -f "$build/build.ninja" ] || meson setup "$build" --buildtype=release
ninja -C "$build"
exec meson test -C "$build" --no-rebuild --benchmark --verbose --test-args "--csv $PWD/tests/bench/figures.csv"
