#!/bin/bash
# Tests how kiln-bake treats files, streams and exit codes. Usage: bake.sh KILN_BAKE (TAP).
set -u
bake=$(realpath "$1")
. "$(dirname "$0")/scratch.sh"
same() { cmp -s "$1" "$2"; }

cat >s.yaml <<'END'
kiln: 1
namespace: game
types:
  Item: {struct: {name: string, price: {type: u8, default: 1}, upgrade: ref<Item>?, old: {type: u8?, deprecated: true}}, asset: true}
files:
  - {match: "*.items.yaml", shape: map, type: Item}
END
mkdir -p data/more each
printf 'sword: {name: Sword, upgrade: axe}\nbow: {name: Bow}\n' >data/a.items.yaml
printf 'axe: {name: Axe}\n' >data/more/b.items.yaml
printf 'nothing of this is YAML: [' >data/README.md
printf 'sword: {name: Sword, price: 300}\n' >bad.items.yaml
printf 'sword: {name: Sword, old: 1}\n' >old.items.yaml

run -s s.yaml -o all.kiln data
[ $code -eq 0 ] && [ ! -s out ] && grep -q '^all.kiln: 3 assets of 1 type, [0-9,]* bytes$' err
ok "a folder bakes, with one line on standard error"

run -s s.yaml -o other.kiln data//more/../more/b.items.yaml ./data/a.items.yaml
[ $code -eq 0 ] && same all.kiln other.kiln
ok "order and spelling of inputs do not change the output"

run -s s.yaml -o other.kiln data data/a.items.yaml data/more
[ $code -eq 0 ] && same all.kiln other.kiln
ok "an input given twice is read once"

(cd data && LC_ALL=de_DE.UTF-8 LANG=tr_TR TZ=Asia/Tokyo "$bake" -q -s ../s.yaml -o ../other.kiln .) 2>err && same all.kiln other.kiln
ok "folder, locale and time zone do not change the output"

run -q -C data -s s.yaml -o other.kiln .
[ $code -eq 0 ] && [ ! -s err ] && same all.kiln other.kiln
ok "-C sets the folder of inputs, and -q prints nothing"

run -s s.yaml -o - data
[ $code -eq 0 ] && same all.kiln out
ok "-o - writes to standard output"

cat data/a.items.yaml data/more/b.items.yaml | "$bake" check -s <(sed 's/"\*.items.yaml"/"**"/' s.yaml) - >out 2>err
[ $? -eq 0 ] && grep -q '^checked: 3 assets' err
ok "- reads standard input, and check writes nothing"

printf '%s\n' -s '"s.yaml"' -o "'other.kiln'" '-q' 'da\ta' >args
rm -f other.kiln
run @args
[ $code -eq 0 ] && same all.kiln other.kiln
ok "@file reads arguments from a response file"

cat >world.yaml <<'EOF'
kiln: 1
namespace: game
include: [s.yaml]
types:
  Place: {struct: {x: f32, y: f32}}
  Holds: {struct: {item: ref<Item>, with: entity}, component: true}
files:
  - {match: "*.scene.yaml", shape: scene}
  - {match: "*.prefabs.yaml", shape: prefabs}
EOF
mkdir -p world pieces
printf 'guard: {components: {Place: {x: 1, y: 2}, Holds: {item: axe}}}\n' >world/all.prefabs.yaml
printf 'entities: [{name: one, base: guard}]\nscenes: [{scene: hall, name: hall}]\n' >world/cave.scene.yaml
printf 'entities: [{name: two, base: guard, components: {Holds: {with: cave#one}}}]\n' >world/hall.scene.yaml

run -s world.yaml -o world.kiln world data/more/b.items.yaml
[ $code -eq 0 ] && [ -s world.kiln ]
ok "scenes bake from files of scenes and prefabs"

run -q -s world.yaml -o other.kiln data/more/b.items.yaml world/hall.scene.yaml world/cave.scene.yaml world/all.prefabs.yaml
[ $code -eq 0 ] && same world.kiln other.kiln
ok "scenes and prefabs may come in any order"

run check -s world.yaml world data/more/b.items.yaml
[ $code -eq 0 ] && grep -q '^checked: 1 asset and 2 scenes against 10 types of the schema, nothing written$' err
ok "check bakes scenes without writing them"

run -s world.yaml --each pieces world data/more/b.items.yaml
[ $code -eq 0 ] && [ -s pieces/cave.scene.kiln ] && [ -s pieces/hall.scene.kiln ]
ok "--each writes a file for each scene, and its references become imports"

run -s world.yaml -o other.kiln world/cave.scene.yaml data/more/b.items.yaml
[ $code -eq 1 ] && grep -q 'unknown prefab "guard"' err && grep -q 'unknown scene "hall"' err
ok "a missing prefab or scene is an error"

printf 'entities: [{base: guard, components: {Holds: {with: "Scene/hall#anyone"}}}]\n' >far.scene.yaml
run -s world.yaml -x world.kiln -o other.kiln far.scene.yaml world/all.prefabs.yaml
[ $code -eq 0 ]
ok "an entity of a scene in an extern file is an import"

run -s world.yaml -x world.kiln -o other.kiln world data/more/b.items.yaml
[ $code -eq 1 ] && grep -q 'world.kiln already contains' err
run -s world.yaml -x world.kiln --patch -o other.kiln world/cave.scene.yaml world/hall.scene.yaml world/all.prefabs.yaml
[ $code -eq 0 ]
ok "only a patch replaces a scene of an extern file"

printf 'guard: {}\n' >world/more.prefabs.yaml
run -s world.yaml -o other.kiln world data/more/b.items.yaml
[ $code -eq 1 ] && grep -q 'world/more.prefabs.yaml:1:1: error: the prefab "guard" is already defined at world/all.prefabs.yaml:1:1' err
ok "two prefabs with the same name are an error"
rm world/more.prefabs.yaml

mkdir -p clash
printf 'entities: []\n' >clash/a.scene.yaml
printf 'entities: []\n' >clash/a.b.scene.yaml
run -s world.yaml -o other.kiln clash
[ $code -eq 1 ] && grep -q 'Scene/a: this asset is already defined' err
ok "two scenes with the same id are an error"

mv data/a.items.yaml ./-a.items.yaml
run -q -s s.yaml -o other.kiln -- -a.items.yaml data
[ $code -eq 0 ] && same all.kiln other.kiln
ok "arguments after -- are inputs"
mv ./-a.items.yaml data/a.items.yaml

echo old >kept.kiln
run -s s.yaml -o kept.kiln bad.items.yaml
[ $code -eq 1 ] && [ "$(cat kept.kiln)" = old ] && [ "$(ls | grep -c tmp)" -eq 0 ]
ok "bad input exits with 1 and leaves the old output"

run -s bad.items.yaml -o kept.kiln data
[ $code -eq 1 ] && [ "$(cat kept.kiln)" = old ]
ok "a bad schema exits with 1 and leaves the old output"

run -s s.yaml -o kept.kiln data missing.yaml
[ $code -eq 2 ] && [ "$(cat kept.kiln)" = old ] && [ "$(wc -l <err)" -eq 1 ] && grep -q 'missing.yaml' err
ok "a missing input exits with 2 and one line and leaves the old output"

if [ "$(id -u)" -ne 0 ]; then
    chmod a-r data/a.items.yaml
    run -s s.yaml -o kept.kiln data
    [ $code -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && [ "$(cat kept.kiln)" = old ]
    ok "an unreadable input exits with 2"
    chmod u+r data/a.items.yaml
else
    skip "an unreadable input exits 2" "root can read every file"
fi

if [ -w /dev/full ]; then
    "$bake" -s s.yaml -o - data >/dev/full 2>err
    [ $? -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q 'standard output' err
    ok "a full disk behind standard output exits with 2 and one line"
    run -s s.yaml -o /dev/full data
    [ $code -eq 2 ] && [ "$(wc -l <err)" -eq 1 ]
    ok "a full device exits with 2 and one line"
    "$bake" --help >/dev/full 2>err
    [ $? -eq 2 ]
    ok "--help exits with 2 after a write error"
else
    skip "a full disk exits 2" "no /dev/full"
fi

"$bake" -s s.yaml -o - data >&- 2>err
[ $? -eq 2 ] && [ "$(wc -l <err)" -eq 1 ]
ok "closed standard output exits with 2 and one line"

run -s s.yaml -o no/such/folder.kiln data
[ $code -eq 2 ] && [ "$(wc -l <err)" -eq 1 ]
ok "an output that cannot be created exits with 2"

run
[ $code -eq 2 ] && [ ! -s out ] && grep -q usage err
ok "no arguments: usage on standard error"

run --nonsense
[ $code -eq 2 ] && [ "$(wc -l <err)" -eq 1 ]
ok "an unknown option exits with 2 and one line"

run -s s.yaml --each each -MD -MF each/all.d data
[ $code -eq 0 ] && [ -s each/a.items.kiln ] && [ -s each/b.items.kiln ] && grep -q 'each/a.items.kiln each/b.items.kiln' each/all.d
ok "--each writes one file for each input, and -MD one rule for all of them"

cp data/more/b.items.yaml data/more/a.items.yaml
run -s s.yaml --each each data
[ $code -eq 1 ] || [ $code -eq 2 ]
ok "--each refuses two inputs with the same stem"
rm data/more/a.items.yaml

run -s s.yaml -o lone.kiln data/a.items.yaml
[ $code -eq 1 ] && grep -q 'unknown asset "Item/axe"' err
ok "a reference to a missing asset is an error"

run -q -s s.yaml -o axe.kiln data/more/b.items.yaml
run -s s.yaml -x axe.kiln -o lone.kiln data/a.items.yaml
[ $code -eq 0 ]
ok "--extern makes the reference an import"

run -q -s s.yaml --each each data/a.items.yaml data/more/b.items.yaml
[ $code -eq 0 ] && same each/a.items.kiln lone.kiln
ok "--each makes the reference an import, too"

run -s s.yaml -x axe.kiln -o lone.kiln data/more/b.items.yaml
[ $code -eq 1 ] && grep -q 'axe.kiln already contains' err
ok "an asset that an extern file already contains is an error"

run -s s.yaml -x axe.kiln --patch -o lone.kiln data/more/b.items.yaml
[ $code -eq 0 ] && same lone.kiln axe.kiln
ok "with --patch, the asset replaces the one in the extern file"

run -s s.yaml -x axe.kiln -x lone.kiln --patch -o twice.kiln data
[ $code -eq 0 ] && run -q -s s.yaml -o whole.kiln data && same twice.kiln whole.kiln
ok "an asset of the same run is not an import"

run -s s.yaml --patch -o lone.kiln data
[ $code -eq 2 ] && grep -q -- '--patch needs the file' err
ok "--patch without an extern file is refused"

run -s s.yaml -x s.yaml -o lone.kiln data
[ $code -eq 1 ] && grep -q 's.yaml: error: not a valid kiln file' err
ok "an extern file that is not a kiln file is an error"

run -q -s s.yaml -o all.kiln -MD data
[ $code -eq 0 ] && tr -d '\\\n' <all.d | grep -q '^all.kiln: *s.yaml *data *.*data/a.items.yaml'
ok "-MD writes OUTPUT.d, with schema, folder and inputs"

run -q -s s.yaml -o all.kiln -MD -MF d.d -MT 'x y' -MP -C data .
[ $code -eq 0 ] && grep -q '^x y:' d.d && grep -q '^data/a.items.yaml:$' d.d
ok "-MF, -MT and -MP work as in gcc, with paths relative to the current folder"

run -q -s s.yaml -o all.kiln -MD -MF d.d -MQ 'x y$' data
[ $code -eq 0 ] && grep -q '^x\\ y\$\$:' d.d
ok "-MQ escapes the target for make"

run -s s.yaml -o w.kiln old.items.yaml
[ $code -eq 0 ] && [ -s w.kiln ] && grep -q 'warning: Item/sword: "old" is deprecated' err
ok "warnings do not change the exit code"

rm -f w.kiln
run -s s.yaml -o w.kiln -Werror old.items.yaml
[ $code -eq 1 ] && [ ! -e w.kiln ]
ok "-Werror turns warnings into errors"

run -s s.yaml -o w.kiln --color=always bad.items.yaml
[ $code -eq 1 ] && grep -q $'\033' err
ok "--color=always prints colours"

NO_COLOR= run -s s.yaml -o w.kiln bad.items.yaml
! grep -q $'\033' err
ok "no colours without a terminal"

touch -d '2001-01-01' all.kiln
run -q -s s.yaml -o all.kiln --if-changed data
[ $code -eq 0 ] && [ "$(date -r all.kiln +%Y)" -eq 2001 ]
ok "--if-changed does not rewrite an equal output"

run -q -s s.yaml -o all.kiln --durable data
[ $code -eq 0 ] && [ "$(date -r all.kiln +%Y)" -ne 2001 ]
ok "--durable writes the output"

run -s s.yaml -o small.kiln --no-types -q data
[ $code -eq 0 ] && [ "$(wc -c <small.kiln)" -lt "$(wc -c <all.kiln)" ]
ok "--no-types writes a smaller file"

run -s s.yaml -o w.kiln --max-errors 1 <(printf 'Item: {a: {}, b: {}, c: {}}\n')
[ $code -eq 1 ] && [ "$(grep -c 'error:' err)" -le 2 ]
ok "--max-errors limits the number of errors printed"

run -v -s s.yaml -o all.kiln data
[ $code -eq 0 ] && grep -q '^Item/axe: [0-9]* bytes, from data/more/b.items.yaml$' err
ok "-v lists each asset"

run header -s s.yaml -o game.h -MD
[ $code -eq 0 ] && grep -q 'game_Item' game.h && grep -q '^game.h:' game.d
ok "header writes a C header and its dependency file"

run header -s s.yaml -o -
[ $code -eq 0 ] && grep -q 'game_Item' out
ok "header -o - writes to standard output"

printf '' >empty.items.yaml
run -s s.yaml -o empty.kiln empty.items.yaml
[ $code -eq 0 ] && grep -q 'empty.kiln: 0 assets' err
ok "an empty input gives a file without assets"

touch target.kiln
ln -sf target.kiln link.kiln
run -q -s s.yaml -o link.kiln data
[ $code -eq 0 ] && [ -L link.kiln ] && same all.kiln target.kiln
ok "an output that is a symbolic link is followed"

cp s.yaml s.kept
cp data/a.items.yaml a.kept
ln data/a.items.yaml hard.yaml
ln -s data/a.items.yaml soft.yaml
refused=0
for output in s.yaml ./data/../s.yaml data/a.items.yaml hard.yaml soft.yaml; do
    run -s s.yaml -o "$output" data
    [ $code -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q 'it is an input of this run' err && refused=$((refused + 1))
done
[ $refused -eq 5 ] && same s.yaml s.kept && same data/a.items.yaml a.kept
ok "an output that is the schema or an input, by any path, is refused"

run header -s s.yaml -o s.yaml
[ $code -eq 2 ] && same s.yaml s.kept
ok "a header that would replace its schema is refused"

run -s s.yaml -o all.kiln -MD -MF data/a.items.yaml data
[ $code -eq 2 ] && same data/a.items.yaml a.kept && grep -q 'it is an input' err
ok "a depfile that would replace an input is refused"

run -s s.yaml -x axe.kiln -o axe.kiln data/a.items.yaml
[ $code -eq 2 ] && grep -q 'it is an input' err
ok "an output that would replace an extern file is refused"

printf 'Item: {lone: {name: Lone}}\n' >kinds.yaml
run -s s.yaml -o kinds.yaml - <kinds.yaml
[ $code -eq 2 ] && grep -q 'it is an input' err
ok "an output that would replace the file on standard input is refused"

run -s s.yaml -o all.kiln -MD -MF all.kiln data
[ $code -eq 2 ] && grep -q 'two outputs have the target all.kiln' err
ok "a depfile with the path of the output is refused"

run -s - -o all.kiln - <s.yaml
[ $code -eq 2 ] && grep -q 'both a schema and an input' err
ok "standard input cannot be both schema and input"

printf 'nonsense' | "$bake" check -s - data >out 2>err
[ $? -eq 1 ] && grep -q '^<stdin>:1:1: error' err
ok "errors in a schema from standard input name standard input"

mkdir -p schema/deep
printf 'kiln: 1\ntypes: {Leaf: {wrap: u8}}\n' >schema/leaf.yaml
printf 'kiln: 1\ninclude: [../leaf.yaml]\ntypes: {Branch: {struct: {leaf: Leaf}}}\n' >schema/deep/branch.yaml
printf 'kiln: 1\ninclude: [deep/branch.yaml, leaf.yaml]\ntypes: {Tree: {struct: {leaf: Leaf, branch: Branch}, asset: true}}\n' >schema/tree.yaml
printf 'Tree: {a: {leaf: 1, branch: {leaf: 2}}}\n' >tree.yaml
run -q -s schema/tree.yaml -s ./schema/tree.yaml -o tree.kiln tree.yaml
[ $code -eq 0 ] && [ ! -s err ]
ok "a schema included by several paths is read once"

printf 'kiln: 1\nnamespace: g\ntypes: {A_array: {struct: {a: u8}, asset: true}, A: {struct: {list: "A[]"}, asset: true}}\n' >clash.yaml
run header -s clash.yaml -o clash.h
[ $code -eq 1 ] && [ ! -e clash.h ] && grep -q 'two names would be the same in C' err
ok "two types with the same C name are an error"

mkdir limited
awk 'BEGIN { for (i = 0; i < 2000; i++) print "long_name_of_an_asset_" i ": {name: Item number " i "}" }' >many.items.yaml
(ulimit -f 8 && exec "$bake" -s s.yaml -o limited/q.kiln many.items.yaml) 2>err
[ $? -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q '^kiln-bake: cannot write limited/q.kiln' err && [ -z "$(ls -A limited)" ]
ok "exceeding the file size limit exits with 2 and one line and leaves no file"

# Skipped with sanitizers, which reserve more address space.
if (ulimit -v 80000 && exec "$bake" --version) >/dev/null 2>&1; then
    awk 'BEGIN { for (i = 0; i < 30000; i++) print "long_name_of_an_asset_" i ": {name: Item number " i " of a list of many that all have names}" }' >many.items.yaml
    (ulimit -v 80000 && exec "$bake" -q -s s.yaml -o many.kiln many.items.yaml) 2>err
    [ $? -eq 0 ] && [ ! -s err ]
    ok "many assets bake within a memory limit"
fi

finish
