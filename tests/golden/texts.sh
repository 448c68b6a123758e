#!/usr/bin/env bash
# Generates texts from schemas with every feature, and compares the SHA-256 of each text with the one in texts.txt, so
# that every change of a text is intended and reviewed.
#
#   texts.sh KILN_BAKE SOURCE_ROOT [--update]
#
# `--update` rewrites texts.txt instead.
set -u

bake=$(realpath "$1")
root=$(realpath "$2")
update=${3:-}
list=$root/tests/golden/texts.txt

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$root" || exit 1

# text NAME WORD...: prints the hash of the output, messages and exit code of a call of kiln-bake.
text() {
    local name=$1
    shift
    "$bake" --color never "$@" >"$work/text" 2>&1
    echo "exit $?" >>"$work/text"
    echo "$(sha256sum <"$work/text" | cut -d ' ' -f 1) $name"
}

{
    for schema in tests/fuzz/every_*.schema.yaml tests/cli/*.schema.yaml samples/*/*.schema.yaml \
        tests/golden/texts/*.schema.yaml; do
        text "jsonschema of $schema" schema jsonschema -s "$schema"
        text "header of $schema" header -q -s "$schema" -o -
        text "$schema compared with itself" schema check -f json "$schema" "$schema"
    done
    text "source map of samples/game" -q -C samples/game/data -s samples/game/game.schema.yaml -o "$work/game.kiln" \
        --source-map - .
    text "source map of samples/village" -q -C samples/village/scenes -s samples/village/village.schema.yaml \
        -o "$work/village.kiln" -x "$work/game.kiln" --source-map - .
    for pair in every_feature:every_scene every_scene:every_feature every_import:every_feature; do
        text "schema check of $pair" schema check "tests/fuzz/${pair%:*}.schema.yaml" "tests/fuzz/${pair#*:}.schema.yaml"
    done
    text "schema check of tests/golden/texts" schema check tests/golden/texts/older.schema.yaml tests/golden/texts/newer.schema.yaml
    text "source map of tests/golden/texts" -q -C tests/golden/texts -s tests/golden/texts/older.schema.yaml \
        -o "$work/items.kiln" --source-map - items.yaml
    for folder in samples/game/data samples/village/scenes samples/first; do
        text "schema inferred from $folder" schema infer -q -C "$folder" .
    done
} >"$work/texts.txt"
if [ "$update" = --update ]; then
    cp "$work/texts.txt" "$list"
else
    diff "$list" "$work/texts.txt"
fi
