#!/bin/sh
# What kiln-inspect writes as YAML bakes to the same bytes, for data that has every type with values,
# names and ids that YAML could misread. Usage: round_trip.sh KILN_BAKE KILN_INSPECT DATA_FOLDER
# (TAP).
set -u
bake=$(realpath "$1")
inspect=$(realpath "$2")
data=$(cd "$3" && pwd)
. "$(dirname "$0")/scratch.sh"

"$bake" -q -s "$data/round_trip.schema.yaml" -o first.kiln "$data/round_trip.yaml"
ok "it bakes without a word"

"$inspect" verify first.kiln >/dev/null
ok "it verifies"

"$inspect" dump --format yaml first.kiln >first.yaml &&
    "$bake" -q -s "$data/round_trip.schema.yaml" -o second.kiln first.yaml &&
    cmp first.kiln second.kiln
ok "baked from its own dump it is the same bytes"

"$inspect" dump --format yaml second.kiln | cmp - first.yaml
ok "and is dumped alike"

"$bake" -q -s "$data/round_trip_forms.schema.yaml" -o forms.kiln "$data/round_trip_forms.yaml" &&
    "$inspect" dump --format yaml forms.kiln >forms.yaml &&
    "$bake" -q -s "$data/round_trip_forms.schema.yaml" -o again.kiln forms.yaml &&
    cmp forms.kiln again.kiln
ok "so are units, hex digits, nulls that are texts, empty values that are no defaults, and odd keys"

"$inspect" type first.kiln game.All >type.txt &&
    grep -q 'least: {type: i64?, range: \[-9223372036854775808, -1\]}' type.txt &&
    grep -q 'share: {type: f32?, range: \[-0.7, 0.1\]}' type.txt
ok "the bounds of an optional are shown as its value is"

"$inspect" type first.kiln shapes.Box >type.txt && grep -q '^    align: 16$' type.txt
ok "an alignment that the schema demands is shown"

"$inspect" type first.kiln game.Actor >type.txt && grep -q '^    component: true$' type.txt &&
    grep -q 'name: {type: data<string>, default: no one, range: \[1, 40\]}' type.txt &&
    grep -q 'owner: {type: entity}' type.txt && grep -q 'lists: {type: "data<u32\[\]>\[2\]"}' type.txt &&
    grep -q 'choice: {type: data<u8?>, default: 4, range: \[1, 9\]}' type.txt
ok "a component is shown with what its fields lead to"

"$inspect" type first.kiln SceneData >type.txt &&
    grep -q 'game.Actor.way: {type: "game.Un\[\]", was: \[game.Actor.path\]}' type.txt &&
    grep -q 'game.Actor.slots.label: {type: "string\[\]"}' type.txt
ok "and what all of them lead to has a type"

finish
