#!/usr/bin/env bash
# Bakes each sample data set and compares the bytes' SHA-256 with the one in golden.txt: whatever the compiler, the
# options, the folder or the order of files on disk, the bytes are the same. Then dumps it as YAML, bakes that, and
# compares the bytes again.
#
#   golden.sh KILN_BAKE KILN_INSPECT SOURCE_ROOT [--update]
#
# `--update` writes golden.txt anew instead. A line of it: hash, schema, folder of the data, and what is baked there, the
# last three below SOURCE_ROOT. A fifth word is the schema of a line above, to whose assets this one refers.
set -u

bake=$(realpath "$1")
inspect=$(realpath "$2")
root=$(realpath "$3")
update=${4:-}
list=$root/tests/golden/golden.txt

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
wrong=0
: >"$work/golden.txt"

complain() {
    echo "$*" >&2
    wrong=1
}

# check HASH SCHEMA FOLDER INPUT [EXTERN]
check() {
    local hash=$1 schema=$root/$2 folder=$root/$3 input=$4 extern=() got
    [ -z "$5" ] || extern=(-x "$work/$(basename "$5").kiln")
    "$bake" --quiet -Werror -C "$folder" -s "$schema" "${extern[@]}" -o "$work/sample.kiln" "$input" || return 1
    cp "$work/sample.kiln" "$work/$(basename "$2").kiln"
    got=$(sha256sum <"$work/sample.kiln")
    got=${got%% *}
    echo "$got $2 $3 $4${5:+ $5}" >>"$work/golden.txt"
    [ "$got" = "$hash" ] || [ "$update" = --update ] || complain "$2: the bytes' hash is $got, not $hash"

    # A copy elsewhere, its files made in another order, gives the same bytes.
    rm -rf "$work/copy"
    (cd "$folder" && find . -type f | LC_ALL=C sort -r) | while read -r file; do
        mkdir -p "$work/copy/$(dirname "$file")"
        cp "$folder/$file" "$work/copy/$file"
    done
    (cd "$work/copy" && LC_ALL=C TZ=Asia/Tokyo "$bake" --quiet -s "$schema" "${extern[@]}" -o "$work/copied.kiln" "$input") ||
        return 1
    cmp "$work/sample.kiln" "$work/copied.kiln" >&2 || complain "$2: another folder gives other bytes"

    # The way back and there again, but for scenes: of those a dump shows columns, which no YAML is written as.
    "$inspect" verify "$work/sample.kiln" >"$work/said" || {
        cat "$work/said" >&2
        return 1
    }
    "$inspect" ls "$work/sample.kiln" | grep -q ' kiln\.Scene ' && return
    "$inspect" dump --format yaml "$work/sample.kiln" >"$work/all.unbaked" || return 1
    "$bake" --quiet -C "$work" -s "$schema" -o "$work/again.kiln" all.unbaked || return 1
    cmp "$work/sample.kiln" "$work/again.kiln" >&2 || complain "$2: the bytes differ after dump and bake"
}

while read -r hash schema folder input extern; do
    case $hash in
    '') ;;
    '#'*) echo "$hash $schema $folder $input $extern" >>"$work/golden.txt" ;;
    *) check "$hash" "$schema" "$folder" "$input" "$extern" || complain "$schema: cannot be checked" ;;
    esac
done <"$list"

[ "$update" = --update ] && [ $wrong -eq 0 ] && cp "$work/golden.txt" "$list"
exit $wrong
