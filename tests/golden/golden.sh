#!/usr/bin/env bash
# Bakes each sample data set and compares the SHA-256 of the bytes with the one in golden.txt. The bytes must not depend
# on the compiler, its options, the folder or the order of files on disk. The YAML dump must bake to the same bytes.
#
#   golden.sh KILN_BAKE KILN_INSPECT SOURCE_ROOT [--update]
#
# `--update` rewrites golden.txt instead. The words of a line are a hash, a schema, a folder of data, the input in that
# folder, and optionally the schema of an earlier line, to whose assets this line's data refers. Paths are relative to
# SOURCE_ROOT. Compressed bytes depend on libzstd, so a hash can begin with its version and a colon: it is compared
# only if KILN_ZSTD_VERSION is this version, and updated only if that variable is set.
set -u

bake=$(realpath "$1")
inspect=$(realpath "$2")
root=$(realpath "$3")
update=${4:-}
list=$root/tests/golden/golden.txt

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
zstd=${KILN_ZSTD_VERSION:-}
wrong=0
: >"$work/golden.txt"

complain() {
    echo "$*" >&2
    wrong=1
}

# Writes the data of the payloads that a dump names.
extract() {
    local name
    mkdir -p "$work/kiln.Payload"
    grep -o '!file kiln\.Payload/[0-9a-f]*' "$work/all.unbaked" | sort -u | while read -r _ name; do
        "$inspect" extract "$work/sample.kiln" "$name" >"$work/$name" || return 1
    done
}

# check HASH SCHEMA FOLDER INPUT [EXTERN]
check() {
    local line=$1 hash=${1#*:} version= schema=$root/$2 folder=$root/$3 input=$4 extern=() got
    [ "$hash" = "$1" ] || version=${1%%:*}
    [ -z "$5" ] || extern=(-x "$work/$(basename "$5").kiln")
    "$bake" --quiet -Werror -C "$folder" -s "$schema" "${extern[@]}" -o "$work/sample.kiln" "$input" || return 1
    cp "$work/sample.kiln" "$work/$(basename "$2").kiln"
    got=$(sha256sum <"$work/sample.kiln")
    got=${got%% *}
    if [ -z "$version" ]; then
        line=$got
    elif [ "$version" = "$zstd" ] || [ -n "${update:+$zstd}" ]; then
        line=$zstd:$got
    else
        got=$hash
    fi
    echo "$line $2 $3 $4${5:+ $5}" >>"$work/golden.txt"
    [ "$got" = "$hash" ] || [ "$update" = --update ] || complain "$2: the bytes' hash is $got, not $hash"

    # A copy in a different folder, whose files are created in a different order, bakes to the same
    # bytes.
    rm -rf "$work/copy"
    (cd "$folder" && find . -type f | LC_ALL=C sort -r) | while read -r file; do
        mkdir -p "$work/copy/$(dirname "$file")"
        cp "$folder/$file" "$work/copy/$file"
    done
    (cd "$work/copy" && LC_ALL=C TZ=Asia/Tokyo "$bake" --quiet -s "$schema" "${extern[@]}" -o "$work/copied.kiln" "$input") ||
        return 1
    cmp "$work/sample.kiln" "$work/copied.kiln" >&2 || complain "$2: a copy in a different folder bakes to different bytes"

    "$inspect" verify "$work/sample.kiln" >"$work/verified" || {
        cat "$work/verified" >&2
        return 1
    }
    "$inspect" dump --format yaml "$work/sample.kiln" >"$work/all.unbaked" || return 1
    extract || return 1
    "$bake" --quiet -C "$work" -s "$schema" "${extern[@]}" -o "$work/again.kiln" all.unbaked || return 1
    cmp "$work/sample.kiln" "$work/again.kiln" >&2 || complain "$2: the dump bakes to different bytes"
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
