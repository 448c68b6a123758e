#!/bin/sh
# Installs what is missing, builds, bakes the sample game, shows one of its assets, runs the program that
# reads it, one that patches it while threads read, one that loads scenes, and one that has a million entities.
# Usage: sh samples/run.sh
set -eu
cd "$(dirname "$0")/.."
build=${KILN_BUILD:-build}

show() { # COMMAND...
    printf '\n$ %s\n' "$*"
    "$@"
}

sh .ci/packages.sh build
[ -f "$build/build.ninja" ] || meson setup "$build"
ninja -C "$build"
show "$build/baker/kiln-bake" -C samples/game/data -s samples/game/game.schema.yaml -o "$build/game.kiln" .
show "$build/inspector/kiln-inspect" "$build/game.kiln"
show "$build/inspector/kiln-inspect" dump "$build/game.kiln" Item/ember_red
show "$build/samples/game/game" "$build/game.kiln"
show "$build/samples/patch/patch" "$build/game.kiln"
show "$build/baker/kiln-bake" -C samples/village/scenes -s samples/village/village.schema.yaml -x "$build/game.kiln" \
    -o "$build/village.kiln" .
show "$build/samples/village/village" "$build/game.kiln" "$build/village.kiln"
show "$build/samples/crowd/crowd"
