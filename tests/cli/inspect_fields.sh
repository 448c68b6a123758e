#!/bin/sh
# Changes each number in the indexes, scenes and type tables of realistic files: inspect_fields.sh
# TEST_INSPECT_FIELDS KILN_BAKE VILLAGE SAMPLES [--full | --changes NUMBER]
set -eu
test=$(realpath "$1") bake=$(realpath "$2") village=$(realpath "$3") samples=$(realpath "$4")
shift 4
. "$(dirname "$0")/scratch.sh"
"$bake" -q -s "$samples/game/game.schema.yaml" -C "$samples/game/data" -o game.kiln .
"$bake" -q -s "$samples/game/game.schema.yaml" -C "$samples/game/data" -o compressed.kiln --compress 9 --dictionary type .
"$bake" -q -s "$samples/village/village.schema.yaml" -x game.kiln -C "$samples/village/scenes" -o village.kiln .
mkdir patch
echo 'red_clay: {name: Red clay, kind: material, price: 9, weight: 1, stack: 40, elements: [earth, water], icon: lump, tags: clay}' >patch/items.yaml
"$bake" -q -s "$samples/game/game.schema.yaml" --patch -x game.kiln -C patch -o patch.kiln .
"$village" game.kiln village.kiln saved.kiln >village.log
"$test" "$@" game.kiln compressed.kiln patch.kiln village.kiln saved.kiln
