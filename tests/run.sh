#!/bin/sh
# Installs missing packages, builds, and runs every test. Usage: sh tests/run.sh
# The build folder is build/, or KILN_BUILD.
set -eu
cd "$(dirname "$0")/.."
build=${KILN_BUILD:-build}

sh .ci/packages.sh build
[ -f "$build/build.ninja" ] || meson setup "$build"
ninja -C "$build"
status=0
meson test -C "$build" --no-rebuild --print-errorlogs || status=$?
/usr/bin/env python3 .ci/count.py "$build/meson-logs/testlog.json" || status=1
exit "$status"
