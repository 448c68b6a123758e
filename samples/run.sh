#!/bin/sh
# Installs missing packages, builds Kiln, bakes the sample game, shows one of its assets, and runs four programs: one reads the
# game, one patches it while threads read, one loads scenes, and one creates a million entities.
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
