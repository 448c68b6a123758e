#!/usr/bin/env bash
# Bakes each sample data set and compares the bytes' SHA-256 with the one in golden.txt: whatever the compiler, the
# options, the folder or the order of files on disk, the bytes are the same. Then dumps it as YAML, bakes that, and
# compares the bytes again.
#
#   golden.sh KILN_BAKE KILN_INSPECT SOURCE_ROOT [--update]
#
# `--update` writes golden.txt anew instead. A line of it: hash, schema, folder of the data, both below SOURCE_ROOT.
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

while read -r hash schema data; do
    case $hash in
    '' | '#'*)
        [ -n "$hash" ] && echo "$hash $schema $data" >>"$work/golden.txt"
        continue
        ;;
    esac
    "$bake" --quiet -C "$root/$data" -s "$root/$schema" -o "$work/sample.kiln" . || exit 1
    got=$(sha256sum <"$work/sample.kiln")
    got=${got%% *}
    echo "$got $schema $data" >>"$work/golden.txt"
    if [ "$got" != "$hash" ] && [ "$update" != --update ]; then
        echo "$data: the bytes' hash is $got, not $hash" >&2
        wrong=1
    fi

    # A copy elsewhere, its files made in another order, gives the same bytes.
    mkdir -p "$work/copy"
    (cd "$root/$data" && find . -type f | LC_ALL=C sort -r) | while read -r file; do
        mkdir -p "$work/copy/$(dirname "$file")"
        cp "$root/$data/$file" "$work/copy/$file"
    done
    (cd "$work/copy" && LC_ALL=C TZ=Asia/Tokyo "$bake" --quiet -s "$root/$schema" -o "$work/copied.kiln" .) || exit 1
    cmp "$work/sample.kiln" "$work/copied.kiln" >&2 || wrong=1
    rm -r "$work/copy"

    "$inspect" verify "$work/sample.kiln" >&2 || wrong=1
    "$inspect" dump --format yaml "$work/sample.kiln" >"$work/all.unbaked" || exit 1
    "$bake" --quiet -C "$work" -s "$root/$schema" -o "$work/again.kiln" all.unbaked || exit 1
    cmp "$work/sample.kiln" "$work/again.kiln" >&2 || wrong=1
done <"$list"

[ "$update" = --update ] && cp "$work/golden.txt" "$list"
exit $wrong
