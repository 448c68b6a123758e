#!/bin/sh
# Strings and bytes read from a file (`!file PATH`). Usage: embed.sh KILN_BAKE KILN_INSPECT (TAP).
set -u
bake=$(realpath "$1")
inspect=$(realpath "$2")
. "$(dirname "$0")/scratch.sh"
# refuses TEXT WORDS: the value `TEXT` for the string `s` of an asset in data/a is refused with these words
refuses() {
    printf 'Note: {x: {s: %s}}\n' "$1" >data/a/bad.yaml
    run -s s.yaml -C data -o bad.kiln a/bad.yaml
    rm -f data/a/bad.yaml
    [ $code -eq 1 ] && [ ! -e bad.kiln ] && grep -qF -- "$2" err
}

mkdir -p data/a/deep other schemas
cat >s.yaml <<'END'
kiln: 1
include: [schemas/more.yaml]
types:
  Note: {struct: {s: {type: string, default: none}, b: {type: bytes@16, default: ""}, o: string?, l: "string[]", few: {type: string, default: "", range: [0, 4]}}, asset: true}
END
cat >schemas/more.yaml <<'END'
kiln: 1
types:
  Sign: {struct: {text: {type: string, default: !file sign.txt}}, asset: true}
  Board: {struct: {text: string}, component: true}
files:
  - {match: "*.scene.yaml", shape: scene}
END
printf 'Hello,\nW\303\266rld\n' >data/a/hello.txt
printf 'deep' >data/a/deep/deep.txt
printf 'up' >data/up.txt
printf 'dash' >data/a/-
printf 'a\000b\377' >data/a/raw.bin
printf 'a\000b' >data/a/nul.txt
printf 'ab\303' >data/a/latin.txt
printf 'hidden' >other/out.txt
printf 'sign of the schema' >schemas/sign.txt
: >data/a/empty.txt
printf 'Note: {x: {s: !file hello.txt, b: !file raw.bin, o: !file ../up.txt, l: [!file deep/../deep/deep.txt, !file "./-", !file empty.txt]}}\nSign: {y: {}}\n' >data/a/n.yaml

run -q -s s.yaml -C data -o one.kiln -MD a/n.yaml
[ $code -eq 0 ] && [ ! -s err ] && "$inspect" verify one.kiln >/dev/null
ok "files are read from the folder of the document"

"$inspect" dump --format json one.kiln >one.json
grep -qF '"s": "Hello,\nWörld\n"' one.json && grep -qF '"b": "YQBi/w=="' one.json && grep -qF '"o": "up"' one.json &&
    tr -d ' \n' <one.json | grep -qF '"l":["deep","dash",""]'
ok "the contents of the files are the values"

grep -qF '"text": "sign of the schema"' one.json
ok "the path in a default is relative to the schema"

tr -d '\\\n' <one.d >one.line
grep -q ' data/a/hello.txt ' one.line && grep -q ' data/up.txt ' one.line && grep -q ' data/a/deep/deep.txt ' one.line && grep -q ' schemas/sign.txt' one.line
ok "the depfile lists the files that were read"

"$inspect" dump --format yaml one.kiln >back.yaml && run -q -s s.yaml -o back.kiln back.yaml && cmp -s one.kiln back.kiln
ok "the dump bakes to the same bytes"

(cd data/a && "$bake" -q -s ../../s.yaml -o ../../two.kiln n.yaml) 2>err && cmp -s one.kiln two.kiln
ok "baking from another folder gives the same bytes"

run -q -s s.yaml -o two.kiln "$work/data/a/n.yaml"
[ $code -eq 0 ] && cmp -s one.kiln two.kiln
ok "an absolute path of the input gives the same bytes"

refuses '!file nothing.txt' 'cannot read "data/a/nothing.txt": No such file or directory [file]'
ok "a missing file is reported at the value"

refuses '!file ../../other/out.txt' '"other/out.txt" is outside the folder of the inputs [file]'
ok "files outside the folder of -C are refused"
refuses '!file ../../data2/x' 'is outside the folder of the inputs' && refuses '!file ../../dat/x' 'is outside the folder of the inputs'
ok "files in a folder with a name similar to that of -C are refused"
refuses '!file ../../../../../../../../etc/passwd' 'is outside the folder of the inputs'
ok "a path that leads above the root folder is refused"
refuses "!file $work/data/up.txt" 'expected a file path relative to the folder of this document'
ok "an absolute path is refused"
refuses '!file ""' 'expected a file path'
ok "an empty path is refused"
refuses '!file [a]' 'expected a file path'
ok "a list is refused"
refuses '!file deep' 'cannot read "data/a/deep": Is a directory'
ok "a folder is refused"
mkfifo data/a/pipe && refuses '!file pipe' 'cannot read "data/a/pipe": it is not a regular file'
ok "a pipe is refused without waiting for it"
refuses '!file nul.txt' '"data/a/nul.txt" contains NUL at byte 2, which a string cannot contain'
ok "a file with a NUL is refused for a string"
refuses '!file latin.txt' '"data/a/latin.txt" is not UTF-8: byte 3 is invalid'
ok "a file that is not UTF-8 is refused for a string"
refuses 'x, few: !file hello.txt' 'the value has 14 bytes, more than the maximum of 4 [range]'
ok "the range of the field applies"
refuses '{a: !file hello.txt}' 'expected string, found a mapping'
ok "the tag is refused in a value of another shape"
printf 'Note: {x: {l: !file hello.txt}}\n' >bad.yaml
run -s s.yaml -o bad.kiln bad.yaml
[ $code -eq 1 ] && grep -qF 'unknown tag !file for string[]' err
ok "the tag is refused for a list"

printf 'Note: {x: {s: !file data/up.txt}}\n' | "$bake" -q -s s.yaml -o three.kiln - 2>err &&
    "$inspect" dump three.kiln | grep -q up
ok "paths in standard input are relative to the current folder"

printf 'Note: {x: {s: !file out.kiln}}\n' >self.yaml
printf 'x' >out.kiln
run -s s.yaml -o out.kiln self.yaml
[ $code -ne 0 ] && [ "$(cat out.kiln)" = x ]
ok "an output must not replace a file that was read"

printf 'entities: [{components: {Board: {text: !file up.txt}}}, {components: {Board: {text: up}}}, {components: {Board: {text: !file a/../a/deep/deep.txt}}}]\n' >data/room.scene.yaml
run -q -s s.yaml -C data -o scene.kiln room.scene.yaml
[ $code -eq 0 ] && "$inspect" verify scene.kiln >/dev/null && "$inspect" dump scene.kiln >scene.txt &&
    [ "$(grep -c '"up"' scene.txt)" -eq 1 ] && grep -q '"deep"' scene.txt
ok "equal strings of a scene are stored once, whether embedded or written"

finish
