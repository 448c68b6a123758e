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

printf '%s\n' 'kiln: 1' 'types:' '  Item: {struct: {next: ref<Item>?}, asset: true}' '  Other: {struct: {}, asset: true}' 'files:' \
    '  - {match: renamed.yaml, shape: renames, type: Item}' '  - {match: more.yaml, shape: renames, type: Other}' >renames.schema.yaml
long=$(printf 'x%.0s' $(seq 300))
printf '%s\n' 'foil: sabre' 'sabre: sword' 'stick: ~' '"null": "1"' "$long: sword" 'gone: elsewhere' >renamed.yaml
echo 'a: b' >more.yaml
printf '%s\n' 'Item: {sword: {next: foil}, rack: {next: stick}}' >items.yaml
"$bake" -q -s renames.schema.yaml -o renames.kiln renamed.yaml more.yaml items.yaml &&
    "$inspect" verify renames.kiln >/dev/null &&
    "$inspect" dump --format yaml renames.kiln >renames.yaml &&
    "$bake" -q -s renames.schema.yaml -o again.kiln renames.yaml &&
    cmp renames.kiln again.kiln && grep -q '^    foil: sword$' renames.yaml
ok "redirects are dumped under renames, and bake to the same bytes"

"$bake" -q -s renames.schema.yaml -o renames.kiln more.yaml && "$inspect" dump --format yaml renames.kiln >renames.yaml &&
    "$bake" -q -s renames.schema.yaml -o again.kiln renames.yaml && cmp renames.kiln again.kiln
ok "redirects without assets bake to the same bytes"

"$bake" -q -s renames.schema.yaml --compress 9 -o packed.kiln renamed.yaml items.yaml && "$inspect" verify packed.kiln >/dev/null &&
    test "$("$inspect" get packed.kiln Item/foil.next 2>note.txt)" = Item/sword &&
    grep -q ': Item/foil was renamed to Item/sword$' note.txt
ok "get follows a redirect and reports it"

"$inspect" get packed.kiln Item/stick.next 2>note.txt
test $? = 1 && grep -q ': Item/stick was deleted$' note.txt &&
    ! "$inspect" dump packed.kiln Item/gone 2>note.txt && grep -q ': Item/gone was renamed to Item/elsewhere, which is not in the file$' note.txt
ok "an asset that was deleted, or is in another file, is reported"

"$inspect" info packed.kiln | grep -q '^redirects   5 renamed ids, 1 deleted id$'
ok "info counts redirects"

"$bake" schema check renames.schema.yaml packed.kiln >check.txt && grep -q '^packed.kiln: identical$' check.txt
ok "schema check accepts a file with redirects"

mkdir -p each && "$bake" -q -s renames.schema.yaml --each each renamed.yaml items.yaml &&
    "$inspect" get each/renamed.kiln 'kiln.Redirects/ids.entries[0].name' >/dev/null &&
    "$inspect" ls each/items.kiln >list.txt && ! grep -q Redirects list.txt
ok "with --each, the output for the document of renames contains the redirects"

printf '%s\n' 'Item: {sword: {}}' 'renames: {Item: {sword: axe}}' >items.yaml
"$bake" -q -s renames.schema.yaml -o bad.kiln items.yaml 2>note.txt
test $? = 1 && grep -q 'this id was renamed' note.txt
ok "an asset with an earlier id is refused"

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
