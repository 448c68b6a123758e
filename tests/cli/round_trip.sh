#!/bin/sh
# The YAML dump of kiln-inspect bakes to the same bytes. The data has every type, with values, names
# and ids that YAML could misread. Usage: round_trip.sh KILN_BAKE KILN_INSPECT DATA_FOLDER (TAP).
set -u
bake=$(realpath "$1")
inspect=$(realpath "$2")
data=$(cd "$3" && pwd)
. "$(dirname "$0")/scratch.sh"

"$bake" -q -s "$data/round_trip.schema.yaml" -o first.kiln "$data/round_trip.yaml"
ok "the data bakes without messages"

"$inspect" verify first.kiln >/dev/null
ok "the file verifies"

"$inspect" dump --format yaml first.kiln >first.yaml &&
    "$bake" -q -s "$data/round_trip.schema.yaml" -o second.kiln first.yaml &&
    cmp first.kiln second.kiln
ok "its dump bakes to the same bytes"

"$inspect" dump --format yaml second.kiln | cmp - first.yaml
ok "the new file has the same dump"

"$bake" -q -s "$data/round_trip_forms.schema.yaml" -o forms.kiln "$data/round_trip_forms.yaml" &&
    "$inspect" dump --format yaml forms.kiln >forms.yaml &&
    "$bake" -q -s "$data/round_trip_forms.schema.yaml" -o again.kiln forms.yaml &&
    cmp forms.kiln again.kiln
ok "dumps with units, hex digits, strings like null, nondefault empty values and unusual keys bake to the same bytes"

"$inspect" type first.kiln game.All >type.txt &&
    grep -q 'least: {type: i64?, range: \[-9223372036854775808, -1\]}' type.txt &&
    grep -q 'share: {type: f32?, range: \[-0.7, 0.1\]}' type.txt
ok "the bounds of an optional are shown in the form of its value"

"$inspect" type first.kiln shapes.Box >type.txt && grep -q '^    align: 16$' type.txt
ok "an alignment from the schema is shown"

"$inspect" type first.kiln game.Actor >type.txt && grep -q '^    component: true$' type.txt &&
    grep -q 'name: {type: data<string>, default: no one, range: \[1, 40\]}' type.txt &&
    grep -q 'owner: {type: entity}' type.txt && grep -q 'lists: {type: "data<u32\[\]>\[2\]"}' type.txt &&
    grep -q 'choice: {type: data<u8?>, default: 4, range: \[1, 9\]}' type.txt
ok "a component is shown with the types that its fields refer to"

"$inspect" type first.kiln SceneData >type.txt &&
    grep -q 'game.Actor.way: {type: "game.Un\[\]", was: \[game.Actor.path\]}' type.txt &&
    grep -q 'game.Actor.slots.label: {type: "string\[\]"}' type.txt
ok "the data of all components has a type"

finish
