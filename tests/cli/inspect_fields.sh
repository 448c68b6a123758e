#!/bin/sh
# Changes each number in the indexes, scenes and type tables of realistic files: inspect_fields.sh
# TEST_INSPECT_FIELDS KILN_BAKE VILLAGE SAMPLES [--full | --changes NUMBER]
set -eu
absolute() { case $1 in /*) echo "$1" ;; *) echo "$PWD/$1" ;; esac; }
test=$(absolute "$1") bake=$(absolute "$2") village=$(absolute "$3") samples=$(absolute "$4")
shift 4
folder=$(mktemp -d "${TMPDIR:-/tmp}/kiln-fields.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$bake" -q -s "$samples/game/game.schema.yaml" -C "$samples/game/data" -o game.kiln .
"$bake" -q -s "$samples/game/game.schema.yaml" -C "$samples/game/data" -o compressed.kiln --compress 9 --dictionary type .
"$bake" -q -s "$samples/village/village.schema.yaml" -x game.kiln -C "$samples/village/scenes" -o village.kiln .
mkdir patch
echo 'red_clay: {name: Red clay, kind: material, price: 9, weight: 1, stack: 40, elements: [earth, water], icon: lump, tags: clay}' >patch/items.yaml
"$bake" -q -s "$samples/game/game.schema.yaml" --patch -x game.kiln -C patch -o patch.kiln .
"$village" game.kiln village.kiln saved.kiln >village.log
"$test" "$@" game.kiln compressed.kiln patch.kiln village.kiln saved.kiln
