#!/bin/sh
# Installs what is missing, makes a release build, takes every figure and keeps them in figures.csv beside this
# script. Usage: sh tests/bench/run.sh
# The build folder is build-bench/, or KILN_BUILD. Takes some minutes; nothing else should run meanwhile.
set -eu
cd "$(dirname "$0")/../.."
build=${KILN_BUILD:-build-bench}

sh .ci/packages.sh build
sh .ci/packages.sh bench || echo "bench: without the peers that are missing" >&2
[ -f "$build/build.ninja" ] || meson setup "$build" --buildtype=release
ninja -C "$build"
exec meson test -C "$build" --no-rebuild --benchmark --verbose --test-args "--csv $PWD/tests/bench/figures.csv"
