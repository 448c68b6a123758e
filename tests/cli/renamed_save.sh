#!/bin/sh
# Scenes and saves with ids that were renamed or deleted later: they are baked and saved with one
# version of a game and loaded with later ones. Usage: renamed_save.sh KILN_BAKE RENAMED_SAVE (TAP).
set -u
bake=$(realpath "$1")
run=$(realpath "$2")
. "$(dirname "$0")/scratch.sh"

cat >game.schema.yaml <<'END'
kiln: 1
namespace: game
types:
  Part: {struct: {of: ref<Item>}}
  Use: {union: {item: ref<Item>, none: }}
  Item:
    struct:
      price: u32
      next: ref<Item>?
      parts: "ref<Item>[]"
      by: "map<ref<Item>, u8>"
      inner: Part?
      use: Use
      many: "ref<Item>?[]"
    asset: true
  Holder: {struct: {item: ref<Item>, other: ref<Item>, bag: "ref<Item>[]"}, component: true}
accepted: {Item: [sabre, stick, club]}
files:
  - {match: renames.yaml, shape: renames, type: Item}
  - {match: "*.scene.yaml", shape: scene}
  - {match: "*.yaml", shape: kinds}
END
cat >items.yaml <<'END'
Item: {sabre: {price: 10}, stick: {price: 20}, club: {price: 30, next: stick}}
END
cat >arena.scene.yaml <<'END'
entities:
  - components: {Holder: {item: sabre, other: stick, bag: [sabre, club]}}
END
"$bake" -q -s game.schema.yaml -o one.kiln items.yaml arena.scene.yaml &&
    "$bake" -q -s game.schema.yaml -o scene.kiln arena.scene.yaml
ok "version one bakes, also with the scene in a separate file"

"$run" save one.kiln Scene/arena saved.kiln >out.txt && grep -qx ' Item/sabre Item/stick bag 10 30' out.txt
ok "the scene is loaded and saved"

sed -i '/^accepted/d' game.schema.yaml
echo 'Item: {sword: {price: 11}, stick: {price: 20}, club: {price: 30, next: stick}}' >items.yaml
echo 'sabre: sword' >renames.yaml
"$bake" -q -s game.schema.yaml -o two.kiln items.yaml renames.yaml &&
    "$run" load two.kiln Scene/saved saved.kiln >out.txt && grep -qx ' Item/sword Item/stick bag 11 30' out.txt
ok "version two, which renames an asset, loads the save"

"$run" load two.kiln Scene/arena scene.kiln >out.txt && grep -qx ' Item/sword Item/stick bag 11 30' out.txt
ok "version two loads the scene that was baked by version one"

echo 'Item: {katana: {price: 12}, club: {price: 30}}' >items.yaml
printf '%s\n' 'sabre: sword' 'sword: katana' 'stick: ~' >renames.yaml
"$bake" -q -s game.schema.yaml -o three.kiln items.yaml renames.yaml &&
    "$run" load three.kiln Scene/saved saved.kiln >out.txt && grep -qx ' Item/katana - bag 12 30' out.txt
ok "a reference to an asset that version three deletes is null"

"$run" load three.kiln Scene/saved saved.kiln >/dev/null && rm renames.yaml && touch renames.yaml &&
    "$bake" -q -s game.schema.yaml -o four.kiln items.yaml renames.yaml &&
    ! "$run" load four.kiln Scene/saved saved.kiln 2>error.txt && grep -q 'in no mounted file' error.txt
ok "without the renames the save is refused"

echo 'Item: {katana: {price: 12}, club: {price: 30}, stick: {price: 20}}' >items.yaml
echo 'sabre: ~' >renames.yaml
"$bake" -q -s game.schema.yaml -o five.kiln items.yaml renames.yaml &&
    ! "$run" load five.kiln Scene/saved saved.kiln 2>error.txt && grep -q 'SceneData/saved > Item/sabre (deleted)' error.txt
ok "a save is refused if a list in it refers to a deleted asset"

# load_with FIELDS: loads a scene that refers to an asset of another file. FIELDS are fields of this asset that refer to a deleted one.
load_with() {
    echo "Item: {old: {price: 40, $1}}" >old.yaml
    "$bake" -q -s game.schema.yaml --dangling=warn -o old.kiln old.yaml 2>/dev/null &&
        "$run" load five.kiln Scene/yard yard.kiln old.kiln >out.txt 2>error.txt
}
echo 'entities: [{components: {Holder: {item: old, other: old}}}]' >yard.scene.yaml
"$bake" -q -s game.schema.yaml --dangling=warn -o yard.kiln yard.scene.yaml 2>/dev/null
for fields in 'next: sabre' 'many: [sabre, katana]' 'next: sabre, many: [sabre]'; do
    load_with "$fields" && grep -qx ' Item/old Item/old bag' out.txt
    ok "a deleted asset in {$fields} is null"
done
for fields in 'parts: [sabre]' 'by: {sabre: 1}' 'inner: {of: sabre}' 'use: {item: sabre}' 'next: sabre, parts: [sabre]'; do
    ! load_with "$fields" && grep -q 'Item/old > Item/sabre (deleted): the target of a reference is in no mounted file' error.txt
    ok "a deleted asset in {$fields} is missing"
done

finish
