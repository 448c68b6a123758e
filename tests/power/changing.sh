#!/bin/bash
# Files whose size changes while kiln-bake or kiln-inspect reads them. kiln-inspect maps files without --copy, which the unit test
# inspect_changes covers. Usage: changing.sh KILN_BAKE KILN_INSPECT
# CUT_SHIM (TAP).
set -u
bake=$(realpath "$1")
inspect=$(realpath "$2")
shim=$(realpath "$3")
. "$(dirname "$0")/../cli/scratch.sh"

cat >s.yaml <<'END'
kiln: 1
include: [part.yaml]
types:
  Note: {struct: {text: string}, asset: true}
END
printf 'kiln: 1\n' >part.yaml
printf 'Note: {a: {text: x}}\n' >a.yaml
printf 'Note: {far: {text: x}}\n' >far.yaml
printf 'Note: {b: {text: !file text.txt}}\n' >embed.yaml
printf 'some text' >text.txt
printf '%s' '-s s.yaml' >args
"$bake" -q -s s.yaml -o a.kiln --source-map a.kiln.map a.yaml && "$bake" -q -s s.yaml -o far.kiln far.yaml || exit 2
printf 'Note/a' >first.txt
mkdir kept && cp ./*.* args kept

if ! LD_PRELOAD=$shim KILN_CUT_RECORD=$work/calls "$bake" check -s s.yaml a.yaml >out 2>&1 || [ ! -e calls ]; then
    echo '1..0 # SKIP the program is linked statically, so the shim cannot be preloaded'
    exit 0
fi

# changes HOW WHY PROGRAM ARGUMENT...: the shim changes the file at each call that reads at least one byte of it.
# The program must report WHY, fail and write no output each time.
changes() {
    local how=$1 why=$2 number=0 tried=0 wrong=0 line
    shift 2
    cp kept/* . && rm -f calls o.kiln
    LD_PRELOAD=$shim KILN_CUT_RECORD=$work/calls "$@" >out 2>err || return 1
    cp calls seen
    while read -r line; do
        number=$((number + 1))
        case $line in "read "[1-9]*) ;; *) continue ;; esac
        tried=$((tried + 1))
        cp kept/* . && rm -f o.kiln
        LD_PRELOAD=$shim KILN_CUT="$number $how" "$@" >out 2>err
        code=$?
        { [ $code -ne 0 ] && grep -q "$why" err && [ ! -e o.kiln ]; } || {
            wrong=1
            echo "$number: exit $code" >>err
            cp err bad
        }
    done <seen
    [ $wrong -eq 0 ] || cp bad err
    [ $tried -gt 0 ] && [ $wrong -eq 0 ]
}

for how in grow shrink; do
    why='it grew while it was being read'
    [ $how = grow ] || why='it was truncated while it was being read'
    changes $how "$why" "$bake" -s s.yaml -x far.kiln -o o.kiln a.yaml
    ok "a changing schema, include, kiln file or input is reported ($how)"
    changes $how "$why" "$bake" @args -o o.kiln embed.yaml
    ok "a changing response file or embedded file is reported ($how)"
    changes $how "$why" "$bake" repack a.kiln --order name --first first.txt -o o.kiln
    ok "a changing file that is repacked is reported ($how)"
    changes $how "$why" "$bake" schema check s.yaml a.kiln -o o.kiln
    ok "a changing file whose schema is checked is reported ($how)"
    changes $how "$why" "$inspect" verify --copy a.kiln
    ok "a changing file that kiln-inspect copies is reported ($how)"
    changes $how "$why" "$inspect" ls --copy a.kiln
    ok "a changing file that kiln-inspect copies and lists is reported ($how)"
done

finish
