#!/bin/sh
# Generates and bakes a world, then runs `stream` on it. Meanwhile this script edits the YAML and bakes it again, about once per
# second, and the program reloads the file. Exits with the status of `stream`.
# Usage: sh stream.sh FOLDER REGIONS SECONDS [RELOADS]
# FOLDER receives the data and must not exist. KILN_BAKE, MAKE_WORLD and STREAM name the programs.
set -eu
folder=$1 regions=$2
shift
schema=$(cd "$(dirname "$0")" && pwd)/stream.schema.yaml
bake=${KILN_BAKE:-build/baker/kiln-bake}

bake_world() {
    "$bake" --quiet --compress 1 -C "$folder/data" -s "$schema" -o "$folder/world.kiln" .
}

# Changes an asset, moves an entity, and adds another entity. Every fourth edit also makes a mistake that the bake reports.
edit() { # NUMBER
    # Every other edit changes one of the last regions, where the walk ends.
    region=$(($1 % 2 ? regions - 1 - $1 / 2 % 4 : $1 * 7 % regions))
    scene=$folder/data/region_$region.scene.yaml
    sed "s/weight: [0-9.]*/weight: $1.5/" "$folder/data/region_$region.props.yaml" >"$folder/edit"
    mv "$folder/edit" "$folder/data/region_$region.props.yaml"
    sed "s/\(name: e1, components: {Place: {x: \)[0-9.]*/\1$1.25/" "$scene" >"$folder/edit"
    echo "  - {name: added_$1, components: {Place: {x: $1, y: 0}, Look: {prop: shared_0}}}" >>"$folder/edit"
    mv "$folder/edit" "$scene"
    bake_world
    [ $(($1 % 4)) != 3 ] || ! (
        echo "  - {name: mistake, components: {Place: {z: 1}}}" >>"$folder/data/region_0.scene.yaml"
        bake_world 2>"$folder/mistake.stderr"
    )
    sed -i '/mistake/d' "$folder/data/region_0.scene.yaml"
}

edit_until_stopped() {
    number=1
    while [ -d "$folder" ] && [ ! -e "$folder/stop" ]; do
        edit $number
        number=$((number + 1))
        sleep 1
    done
}

mkdir "$folder"
"${MAKE_WORLD:-build/samples/stream/make_world}" "$folder/data" "$regions"
bake_world
edit_until_stopped &
editor=$!
status=0
"${STREAM:-build/samples/stream/stream}" "$folder/world.kiln" "$@" || status=$?
touch "$folder/stop"
wait $editor
exit $status
