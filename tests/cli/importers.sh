#!/bin/sh
# Importers: programs that convert files to YAML or bytes. Usage: importers.sh KILN_BAKE KILN_INSPECT
# (TAP).
set -u
bake=$(realpath "$1")
inspect=$(realpath "$2")
. "$(dirname "$0")/scratch.sh"
program() { # NAME: creates a program for the schema from standard input
    cat >"schemas/tools/$1"
    chmod +x "schemas/tools/$1"
}
says() {
    grep -qF -- "$1" err
}

mkdir -p schemas/tools data/sub other
program csv <<'END'
#!/bin/sh
echo "csv $* in $(pwd)" >>"$KILN_LOG"
[ "$1" = --strict ] && shift
awk -F, 'NR > 1 { print "- {id: " $1 ", price: " $2 "}" }' "$1"
END
program rev <<'END'
#!/bin/sh
echo "rev $*" >>"$KILN_LOG"
tr a-z A-Z <"$1"
END
program fail <<'END'
#!/bin/sh
echo "what is this?" >&2
printf 'line %s\033[31m\377 is \000 wrong\r\n' "$(sed -n 1p "$1")" >&2
exit 3
END
program quiet <<'END'
#!/bin/sh
exit 1
END
program killed <<'END'
#!/bin/sh
echo "half of it"
kill -9 $$
END
program both <<'END'
#!/bin/sh
# Writes 10 MB to each of both streams, alternating line by line.
awk 'BEGIN { for (i = 0; i < 100000; i++) { print "# 3456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789"; print "noise 89 123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789" > "/dev/stderr" } print "- {id: big, price: 1}" }'
[ "$1" = good.both ] || exit 7
END
program leaves <<'END'
#!/bin/sh
# Leaves a child behind, which keeps the importer's standard output and error open.
sleep 30 &
echo $! >"$KILN_LEFT"
echo "- {id: left, price: 2}"
END
program slow <<'END'
#!/bin/sh
echo "waiting" >&2
sleep 60
END
program deaf <<'END'
#!/bin/sh
trap '' TERM
echo "waiting" >&2
while :; do sleep 1; done
END
program held <<'END'
#!/bin/sh
# A child keeps the importer's output open.
sleep 60 &
echo $! >"$KILN_LEFT"
echo "waiting" >&2
wait
END
program prose <<'END'
#!/bin/sh
printf 'no: [yaml\n'
END
program wrong <<'END'
#!/bin/sh
printf -- '- {id: a, price: 1}\n- {id: b, price: many}\n'
END
program cat <<'END'
#!/bin/sh
read -r nothing && echo "- {id: stdin, price: 9}"
cat "$1"
END
printf '#!/nowhere/at/all\n' | program interpreter
printf 'echo none\n' | program shebangless
printf '#!/bin/sh\n' >schemas/tools/unexecutable
cat >schemas/s.yaml <<'END'
kiln: 1
types:
  Item: {struct: {id: string, price: u16}, asset: true}
  Page: {struct: {s: {type: string, default: ""}, b: {type: bytes, default: ""}}, asset: true}
importers:
  csv: {command: [tools/csv, --strict], output: yaml}
  rev: {command: [tools/rev], output: bytes}
  tr: {command: [sh, -c, 'exec tr a-z b-za <"$0"'], output: bytes}
  fail: {command: [tools/fail], output: yaml}
  failing: {command: [./tools/fail], output: bytes}
  quiet: {command: [tools/quiet], output: yaml}
  killed: {command: [tools/killed], output: yaml}
  both: {command: [tools/both], output: yaml}
  leaves: {command: [tools/leaves], output: yaml}
  slow: {command: [tools/slow], output: yaml, timeout: 0.5s}
  deaf: {command: [tools/deaf], output: yaml, timeout: 500ms}
  held: {command: [tools/held], output: yaml, timeout: 0.5 s}
  endless: {command: [tools/held], output: yaml, timeout: none}
  patient: {command: [tools/cat], output: yaml, timeout: none}
  prose: {command: [tools/prose], output: yaml}
  wrong: {command: [tools/wrong], output: yaml}
  cat: {command: [tools/cat], output: yaml}
  missing: {command: [tools/missing], output: yaml}
  unknown: {command: [no-such-program-anywhere], output: yaml}
  unexecutable: {command: [tools/unexecutable], output: yaml}
  interpreter: {command: [tools/interpreter], output: yaml}
  shebangless: {command: [tools/shebangless], output: yaml}
  folder: {command: [./tools], output: yaml}
files:
  - {match: "*.csv", import: csv, shape: list, type: Item, id: id}
  - {match: "*.fail", import: fail, shape: list, type: Item, id: id}
  - {match: "*.quiet", import: quiet, shape: list, type: Item, id: id}
  - {match: "*.killed", import: killed, shape: list, type: Item, id: id}
  - {match: "*.both", import: both, shape: list, type: Item, id: id}
  - {match: "*.leaves", import: leaves, shape: list, type: Item, id: id}
  - {match: "*.slow", import: slow, shape: list, type: Item, id: id}
  - {match: "*.deaf", import: deaf, shape: list, type: Item, id: id}
  - {match: "*.held", import: held, shape: list, type: Item, id: id}
  - {match: "*.endless", import: endless, shape: list, type: Item, id: id}
  - {match: "*.patient", import: patient, shape: list, type: Item, id: id}
  - {match: "*.prose", import: prose, shape: list, type: Item, id: id}
  - {match: "*.wrong", import: wrong, shape: list, type: Item, id: id}
  - {match: "*.cat", import: cat, shape: list, type: Item, id: id}
  - {match: "*.missing", import: missing, shape: list, type: Item, id: id}
  - {match: "*.unknown", import: unknown, shape: list, type: Item, id: id}
  - {match: "*.unexecutable", import: unexecutable, shape: list, type: Item, id: id}
  - {match: "*.interpreter", import: interpreter, shape: list, type: Item, id: id}
  - {match: "*.shebangless", import: shebangless, shape: list, type: Item, id: id}
  - {match: "*.folder", import: folder, shape: list, type: Item, id: id}
  - {match: "sub/all/*", import: cat, shape: list, type: Item, id: id}
END
KILN_LOG=$work/log KILN_LEFT=$work/left
export KILN_LOG KILN_LEFT
: >log
printf 'id,price\nsword,30\nshield,7\n' >data/items.csv
printf 'some text' >data/sub/text.txt
printf 'Page: {one: {s: !import:rev sub/text.txt, b: !import:tr ./sub/../sub/text.txt}, two: {s: !import:rev sub/text.txt}}\n' >data/pages.yaml

run -q -s schemas/s.yaml -C data -o one.kiln -MD -MP items.csv pages.yaml
[ $code -eq 0 ] && [ ! -s err ] && "$inspect" verify one.kiln >/dev/null
ok "one importer produces the YAML of a file, another one bytes"

"$inspect" dump --format json one.kiln | tr -d ' \n' >one.json
grep -qF '"Item/sword"' one.json && grep -qF '"price":30' one.json && grep -qF '"s":"SOMETEXT"' one.json && grep -qF '"b":"dHBuZiB1Znl1"' one.json
ok "the output of importers becomes the values"

[ "$(grep -c '^rev' log)" -eq 1 ] && [ "$(grep -c '^csv' log)" -eq 1 ]
ok "each importer runs once per file"

grep -qxF "csv --strict items.csv in $work/data" log && grep -qxF 'rev sub/text.txt' log
ok "an importer runs in the folder of -C, with the relative path as its last argument"

tr -d '\\\n' <one.d >one.line
grep -q ' data/items.csv ' one.line && grep -q ' data/sub/text.txt ' one.line && grep -q ' schemas/tools/csv ' one.line &&
    grep -q ' schemas/tools/rev' one.line && grep -q ' schemas/s.yaml ' one.line && ! grep -q 'tools/fail' one.line && ! grep -q ' sh ' one.line
ok "the depfile lists the files, the schema and the programs that ran, and no others"

mkdir -p arguments/data
printf 'echo "a: {price: 1}"\n' >arguments/data/make.sh
printf 'kiln: 1\nimporters: {run: {command: [sh, ./make.sh, %s/log, -x], output: yaml}}\n' "$work" >arguments/s.yaml
printf 'types: {Item: {struct: {price: u8}, asset: true}}\nfiles: [{match: "*.in", import: run, shape: map, type: Item}]\n' >>arguments/s.yaml
printf 'x' >arguments/data/x.in
(cd arguments && "$bake" -q -s s.yaml -C data -o o.kiln -MD x.in) 2>err
[ "$(tr -d '\\\n' <arguments/o.d)" = 'o.kiln:   s.yaml   data/x.in   data/make.sh' ] || { cat arguments/o.d >>err; false; }
ok "the depfile lists arguments that are relative paths of files"

(cd data && "$bake" -q -s ../schemas/s.yaml -o ../two.kiln items.csv pages.yaml) 2>err && cmp -s one.kiln two.kiln &&
    "$bake" -q -s "$work/schemas/s.yaml" -C "$work/data/" -o two.kiln "$work/data/items.csv" "$work/data/pages.yaml" 2>err && cmp -s one.kiln two.kiln &&
    "$bake" -q -s schemas/s.yaml -o two.kiln data/items.csv data/pages.yaml 2>err && cmp -s one.kiln two.kiln
ok "other folders and absolute paths give the same bytes"

run check -s schemas/s.yaml -C data items.csv
[ $code -eq 0 ] && says 'checked: 2 assets'
ok "check runs importers, too"

: >log
run -s schemas/s.yaml -C data -o bad.kiln --no-importers items.csv pages.yaml
[ $code -eq 1 ] && [ ! -e bad.kiln ] && [ ! -s log ] && says 'data/items.csv: error: the importer "csv" was not run because of --no-importers [import]' &&
    says 'data/pages.yaml:1:17: error: Page/one.s: the importer "rev" was not run'
ok "--no-importers runs no importer"

mkdir data/folder data/sub/all
cp data/items.csv data/folder/more.csv
printf -- '- {id: bare, price: 3}\n' >data/sub/all/bare
printf -- 'stray\n' >data/folder/stray
run -s schemas/s.yaml -C data -o folder.kiln folder sub
[ $code -eq 0 ] && says '3 assets'
ok "files of an input folder that match an importer rule are read, also without an extension"

printf -- '- {id: x, price: 1}\n' >"data/-n, \$(touch hacked) ;.cat"
run -s schemas/s.yaml -C data -o odd.kiln -- "-n, \$(touch hacked) ;.cat"
[ $code -eq 0 ] && says '1 asset of 1 type,' && [ ! -e hacked ] && [ ! -e data/hacked ]
ok "shell characters in a file name have no effect, and standard input is empty"

# Importers that fail: extension, part of the message.
while IFS='|' read -r extension words; do
    printf 'the first line\n' >"data/x.$extension"
    run -s schemas/s.yaml -C data -o bad.kiln "x.$extension"
    [ $code -eq 1 ] && [ ! -e bad.kiln ] && says "data/x.$extension$words"
    ok "$extension: $words"
done <<'END'
fail|: error: the importer "fail" exited with code 3 [import]
quiet|: error: the importer "quiet" exited with code 1 [import]
killed|: error: the importer "killed" was killed by signal 9 (Killed) [import]
both|: error: the importer "both" exited with code 7 [import]
missing|: error: the importer "missing" cannot be started: schemas/tools/missing: No such file or directory [import]
unknown|: error: the importer "unknown" cannot be started: no-such-program-anywhere: No such file or directory [import]
unexecutable|: error: the importer "unexecutable" cannot be started: schemas/tools/unexecutable: Permission denied [import]
interpreter|: error: the importer "interpreter" cannot be started: schemas/tools/interpreter: No such file or directory [import]
shebangless|: error: the importer "shebangless" cannot be started: schemas/tools/shebangless: Exec format error [import]
folder|: error: the importer "folder" cannot be started: schemas/./tools: Permission denied [import]
slow|: error: the importer "slow" took longer than 0.5s and was killed [import]
deaf|: error: the importer "deaf" took longer than 500ms and was killed [import]
held|: error: the importer "held" took longer than 0.5 s and was killed [import]
prose|:1:5: error: 
wrong|:2:18: error: Item/b.price: expected u16, found "many" [type]
END

run -s schemas/s.yaml -C data x.fail -o bad.kiln
says '  hint: it printed: what is this?' && says '  hint: it printed: line the first line\x1b[31m\xff is   wrong' && ! grep -q "$(printf '\033')" err
ok "the standard error of an importer is quoted in the message with escapes"

run -s schemas/s.yaml -C data x.fail -o bad.kiln --diagnostics=json
python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]' <err
ok "JSON diagnostics with such output are valid"

run -s schemas/s.yaml -C data x.both -o bad.kiln
[ "$(grep -c 'it printed: ' err)" -eq 10 ] && [ "$(grep -c 'hint: \.\.\. it printed: noise' err)" -eq 1 ]
ok "a long standard error is cut to the last lines"

run -s schemas/s.yaml -C data x.wrong -o bad.kiln
says '  2 | - {id: b, price: many}' && says 'hint: line numbers refer to the output of the importer "wrong"'
ok "line numbers refer to the importer's output"

: >data/good.both
run -q -s schemas/s.yaml -C data good.both -o both.kiln
[ $code -eq 0 ] && [ ! -s err ]
ok "large output on both streams is read, and standard error is dropped on success"

: >data/x.leaves
run -s schemas/s.yaml -C data x.leaves -o left.kiln
[ $code -eq 0 ] && kill "$(cat left)" 2>/dev/null
ok "processes that an importer leaves behind do not delay the bake"

run -s schemas/s.yaml -C data x.held -o bad.kiln
stat=/proc/$(cat left)/stat
says '  hint: it printed: waiting' && { [ ! -e "$stat" ] || grep -q ') Z ' "$stat"; }
ok "an importer that times out is killed with its children, and its standard error is quoted"

: >data/x.endless
rm -f left
"$bake" -q -s schemas/s.yaml -C data x.endless -o bad.kiln 2>err &
while [ ! -s left ]; do sleep 0.05; done
{ kill $! && wait $!; } 2>kill.err
code=$?
stat=/proc/$(cat left)/stat
[ $code -eq 143 ] && [ ! -s err ] && { [ ! -e "$stat" ] || grep -q ') Z ' "$stat"; }
ok "a signal that ends kiln-bake also ends its importers"

printf -- '- {id: late, price: 1}\n' >data/x.patient
run -q -s schemas/s.yaml -C data x.patient -o patient.kiln
[ $code -eq 0 ]
ok "with the timeout none, an importer may take as long as it needs"

printf 'Page: {x: {s: !import:failing sub/text.txt}, y: {b: !import:failing sub/text.txt}}\n' >data/bad.yaml
run -s schemas/s.yaml -C data bad.yaml -o bad.kiln
[ $code -eq 1 ] && says 'data/bad.yaml:1:15: error: Page/x.s: the importer "failing" exited with code 3 [import]' && says ': Page/y.b: the importer' && says 'it printed: line some text'
ok "a failure for a value is reported at the value"

refuses() { # VALUE WORDS
    printf 'Page: {x: {s: %s}}\n' "$1" >data/bad.yaml
    run -s schemas/s.yaml -C data bad.yaml -o bad.kiln
    [ $code -eq 1 ] && [ ! -e bad.kiln ] && says "$2"
}
printf 'a\377' >data/raw
refuses '!import:csv items.csv' 'the importer "csv" produces YAML for file rules, but a value needs bytes [import]'
ok "an importer of YAML cannot make a value"
refuses '!import:revv sub/text.txt' 'hint: did you mean "rev"?'
ok "an unknown importer is refused"
refuses '!import:rev raw' 'the importer'\''s output for "data/raw" is not UTF-8: byte 2 is invalid [file]'
ok "output that is not UTF-8 is refused for a string"
refuses '!import:rev ../other/x' 'is outside the folder of the inputs'
ok "a file outside the folder of -C is refused"
refuses '!import:rev nothing' 'cannot read "data/nothing": No such file or directory [file]'
ok "a missing file is refused"
refuses '!import:rev sub' 'cannot read "data/sub": Is a directory [file]'
ok "a folder is refused"
refuses '!import: raw' 'the schema has no importer ""'
ok "an empty name is refused"

run -s schemas/s.yaml -C data -o bad.kiln nothing.csv
[ $code -eq 2 ] && says 'cannot read data/nothing.csv: No such file or directory'
ok "a missing input is reported without running an importer"
run -s schemas/s.yaml -C data -o schemas/tools/csv items.csv
[ $code -eq 2 ] && says 'it is an input of this run' && run -s schemas/s.yaml -C data -o data/items.csv items.csv && [ $code -eq 2 ] && says 'it is an input of this run'
ok "an output must not replace an importer or its input"

schema() { # the schema's lines after the types, and part of the message
    printf 'kiln: 1\ntypes:\n  Item: {struct: {id: string, b: {type: bytes, default: ""}}, asset: true}\n%s\n' "$1" >bad.schema.yaml
    run header -s bad.schema.yaml -o bad.h
    [ $code -eq 1 ] && says "$2"
    ok "schema: $2"
}
schema 'importers: {a: {command: tools/csv, output: yaml}}' '`command` must be a list of the program and its arguments'
schema 'importers: {a: {command: [], output: yaml}}' '`command` must be a list of the program and its arguments'
schema 'importers: {a: {command: [""], output: yaml}}' 'the name of a program cannot be empty'
schema 'importers: {a: {command: [{}], output: yaml}}' 'expected the name of a program, found a mapping'
schema 'importers: {a: {command: [x, "a\0b"], output: yaml}}' 'expected an argument without NUL bytes'
schema 'importers: {a: {command: [x]}}' 'missing `output` of an importer: yaml or bytes'
schema 'importers: {a: {command: [x], output: yml}}' '`output` must be yaml or bytes, not "yml"'
schema 'importers: {a: {command: [x], output: yaml, inputs: all}}' '`inputs` must be a list of files, or `unknown`'
schema 'importers: {a: {command: [x], output: yaml, inputs: {a: b}}}' '`inputs` must be a list of files, or `unknown`'
schema 'importers: {a: {command: [x], output: yaml, inputs: [""]}}' 'the path of a file cannot be empty'
schema 'importers: {a: {command: [x], output: yaml, inputs: [[]]}}' 'expected the path of a file, found a list'
schema 'importers: {a: {command: [x], output: yaml, timeout: 60}}' '`timeout` must be `none` or a time from 1ms to 24h, with a unit, such as 60s, not "60"'
schema 'importers: {a: {command: [x], output: yaml, timeout: 0s}}' 'not "0s"'
schema 'importers: {a: {command: [x], output: yaml, timeout: 25h}}' 'not "25h"'
schema 'importers: {a: {command: [x], output: yaml, timeout: 3m}}' 'not "3m"'
schema 'importers: {a: {command: [x], output: yaml, timeout: [1s]}}' 'expected a time, or `none`, found a list'
schema 'importers: {a b: {command: [x], output: yaml}}' 'invalid importer name "a b"'
schema 'importers: {a: {command: [x], output: yaml, shell: true}}' 'unknown key "shell"'
schema 'importers: [a]' 'expected a mapping of names to importers'
schema 'files: [{import: a, shape: kinds}]' 'unknown importer "a"'
schema 'importers: {a: {command: [x], output: bytes}}
files: [{import: a, shape: kinds}]' 'the importer "a" outputs bytes, but a file rule needs yaml'
schema 'importers: {csv: {command: [x], output: yaml}}
files: [{import: cvs, shape: kinds}]' 'did you mean "csv"?'
printf 'kiln: 1\nimporters: {a: {command: [y], output: bytes}}\n' >other.schema.yaml
schema 'include: [other.schema.yaml]
importers: {a: {command: [x], output: bytes}}' 'the importer "a" is already declared'
: >log
printf 'kiln: 1\nimporters: {rev: {command: [schemas/tools/rev], output: bytes}}\ntypes: {T: {struct: {b: {type: bytes, default: !import:rev log}}}}\n' >bad.schema.yaml
run check -s bad.schema.yaml data/pages.yaml
[ $code -eq 1 ] && says 'a default cannot use an importer' && [ ! -s log ]
ok "reading a schema runs no importer"

# Common programs as importers: jq and python3 write JSON, which is YAML.
for tool in jq python3; do
    command -v $tool >/dev/null || continue
    rm -rf json && mkdir json
    case $tool in
    jq) command="[jq, '{Item: map({(.name): {id: .name, price: .cost}}) | add}']" ;;
    python3) command="[python3, -c, \"import csv,json,sys; print(json.dumps({'Item': {r['name']: {'id': r['name'], 'price': int(r['cost'])} for r in csv.DictReader(open(sys.argv[1]))}}))\"]" ;;
    esac
    printf 'kiln: 1\ntypes: {Item: {struct: {id: string, price: u16}, asset: true}}\nimporters: {j: {command: %s, output: yaml}}\nfiles: [{match: "*.in", import: j, shape: kinds}]\n' "$command" >json/s.yaml
    if [ $tool = jq ]; then
        printf '[{"name": "axe", "cost": 12}, {"name": "bow", "cost": 40}]' >json/a.in
    else
        printf 'name,cost\naxe,12\nbow,40\n' >json/a.in
    fi
    run -q -s json/s.yaml -o json/a.kiln json/a.in
    [ $code -eq 0 ] && "$inspect" dump --format yaml json/a.kiln | tr -d ' \n' | grep -qF 'bow:id:bowprice:40'
    ok "$tool works as an importer"
done

finish
