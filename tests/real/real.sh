#!/usr/bin/env bash
# Bakes one set of real data from another project, and checks the result.
#
#   real.sh SET KILN_BAKE KILN_INSPECT SOURCE_ROOT
# Exit 0: success; 1: failure, see stderr; 77: the data is missing.
# SET.schema.yaml describes the set. Each line of SET.expected contains an asset, a path and its value as `kiln-inspect
# get --format yaml` prints it, separated by tabs. The line for the asset `*` has the number of assets.
set -u

set_name=$1
bake=$(realpath "$2")
inspect=$(realpath "$3")
root=$(realpath "$4")
here=$root/tests/real
data=$root/../shared/data/$set_name
schema=$here/$set_name.schema.yaml
expected=$here/$set_name.expected

if [ ! -d "$data" ]; then
    echo "skipped: no data at ../shared/data/$set_name" >&2
    exit 77
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
wrong=0
complain() {
    echo "$set_name: $*" >&2
    wrong=1
}

# The set must bake without messages.
"$bake" --quiet -Werror -C "$data" -s "$schema" -o "$work/set.kiln" . 2>"$work/said"
code=$?
if [ $code -ne 0 ] || [ -s "$work/said" ]; then
    complain "kiln-bake exits with $code and prints:"
    head -20 "$work/said" >&2
fi
[ -f "$work/set.kiln" ] || exit 1

"$inspect" verify "$work/set.kiln" >"$work/said" 2>&1 || {
    complain "kiln-inspect verify fails:"
    cat "$work/said" >&2
}

checked=0
while IFS=$'\t' read -r asset path value; do
    case $asset in '' | '#'*) continue ;; esac
    if [ "$asset" = '*' ]; then
        got=$("$inspect" ls "$work/set.kiln" | wc -l)
    else
        case $path in '['*) dot= ;; *) dot=. ;; esac
        got=$("$inspect" get --format yaml "$work/set.kiln" "$asset$dot$path" 2>&1)
    fi
    [ "$got" = "$value" ] || complain "$asset $path is $got, not $value"
    checked=$((checked + 1))
done <"$expected"
[ $checked -gt 30 ] || complain "only $checked values are checked"

# The dump bakes to the same bytes. No rule of a schema matches this file name, so its documents are read as `Kind: {id:
# value}`.
"$inspect" dump --format yaml "$work/set.kiln" >"$work/all.unbaked" || complain "kiln-inspect dump fails"
"$bake" --quiet -C "$work" -s "$schema" -o "$work/again.kiln" all.unbaked 2>"$work/said" || {
    complain "the dump does not bake:"
    head -20 "$work/said" >&2
}
cmp "$work/set.kiln" "$work/again.kiln" >&2 || complain "the dump bakes to different bytes"

[ $wrong -eq 0 ] && echo "$set_name: $(stat -c %s "$work/set.kiln") bytes, $checked values checked"
exit $wrong
