#!/usr/bin/env bash
# Compares counts of Unity's files with those of the baked file: files, documents, assets by kind, references.
#
#   unity_counts.sh KILN_BAKE KILN_INSPECT SOURCE_ROOT
# Exit 0: success; 1: failure, see stderr; 77: the data is missing.
set -u

bake=$(realpath "$1")
inspect=$(realpath "$2")
root=$(realpath "$3")
here=$root/tests/real
data=$root/../shared/data/unity-mirror

if [ ! -d "$data" ]; then
    echo "skipped: no data at ../shared/data/unity-mirror" >&2
    exit 77
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
wrong=0
expect() { # what, found, expected
    if [ "$2" != "$3" ]; then
        echo "unity-mirror: $1: $2, not $3" >&2
        wrong=1
    fi
}

cd "$data" || exit 1
all() {
    find . -type f ! -name LICENSE -print0
}
# Flow mappings may continue on the next line.
pointers() {
    all | xargs -0 cat | tr -d '\n' | grep -oE '\{fileID: -?[0-9]+(, +guid: [0-9a-f]{32}, +type: [0-9]+)?\}'
}

"$bake" --quiet -Werror -C . -s "$here/unity-mirror.schema.yaml" -o "$work/set.kiln" . || exit 1
"$inspect" ls "$work/set.kiln" >"$work/list" || exit 1
"$inspect" dump --format yaml "$work/set.kiln" >"$work/dump" || exit 1

# Every file and document is an asset.
expect files "$(all | tr -dc '\0' | wc -c)" 313
documents=$(all | xargs -0 cat | grep -c '^--- !u!')
notes=$(find . -name '*.meta' | wc -l)
expect documents "$documents" 1980
expect notes "$notes" 211
expect assets "$(wc -l <"$work/list")" $((documents + notes))

# Counts by kind. All scripts are counted together, although each has its own kind.
cut -d/ -f1 "$work/list" | sed 's/^MonoBehaviour\.[0-9a-f]\{32\}$/MonoBehaviour.*/' | sort | uniq -c | sed 's/^ *//' >"$work/kinds"
if ! diff "$here/unity_kinds.expected" "$work/kinds" >&2; then
    echo "unity-mirror: the kinds above differ" >&2
    wrong=1
fi
expect "kinds of scripts" "$(grep -oE '^MonoBehaviour\.[0-9a-f]{32}/' "$work/list" | sort -u | wc -l)" 87

# Every {fileID: number} refers to an object, except 0, which is null.
pointers >"$work/pointers"
local_count=$(grep -vc guid "$work/pointers")
none=$(grep -c '{fileID: 0}' "$work/pointers")
resolved=$(grep -cE '"[A-Za-z0-9.]+/(Assets|ProjectSettings)/.*#-?[0-9]+"$' "$work/dump")
expect "references in the same file" "$local_count" 11806
expect "references to nothing" "$none" 8071

# A reference with a GUID leads to an object of another file, to a file in the set without such an object (or to a
# whole file, with 100100000), or to a file known only by its GUID. The .meta files and the anchors determine which.
elsewhere=$(grep -c guid "$work/pointers")
expect "references to other files" "$elsewhere" 1634
find . -name '*.meta' | while IFS= read -r note; do
    printf '%s\t%s\n' "$(sed -n 's/^guid: //p' "$note" | tr -d '\r')" "$(printf '%s' "${note%.meta}" | cut -c3-)"
done >"$work/guids"
all | xargs -0 grep -oE '^--- !u![0-9]+ &-?[0-9]+' | sed 's/^\.\///; s/:--- !u![0-9]* &/\t/' >"$work/objects"
sed -nE 's/.*fileID: (-?[0-9]+), +guid: ([0-9a-f]+).*/\1\t\2/p' "$work/pointers" |
    awk -F'\t' -v guids="$work/guids" -v objects="$work/objects" '
        BEGIN {
            while ((getline < guids) > 0) path[$1] = $2
            while ((getline < objects) > 0) has[$1 "#" $2] = 1
        }
        { print !($2 in path) ? "unknown" : has[path[$2] "#" $1] ? "object" : "file" }' | sort | uniq -c |
    sed 's/^ *//' >"$work/classes"
printf '126 file\n706 object\n802 unknown\n' | diff - "$work/classes" >&2 || wrong=1
expect "references that lead to an object" "$resolved" $((local_count - none + 706))
expect "references to files that are here" "$(grep -cE ' File/Assets/' "$work/dump")" 126
expect "references to files outside" "$(grep -cE ' File/[0-9a-f]{32}$' "$work/dump")" 802
# By field: references to objects, to files, and null.
for row in m_SourcePrefab:0:39:0 m_CorrespondingSourceObject:38:8:1803 m_Script:0:457:0; do
    field=${row%%:*}
    got=$(awk -v field="$field:" '
        /^ +(- )?[A-Za-z_]+:$/ { in_it = $NF == field; count += in_it }
        in_it && /^ +object: "/ { objects++ }
        in_it && /^ +object: File\// { files++ }
        END { printf "%s%d:%d:%d", field, objects, files, count - objects - files }' "$work/dump")
    expect "references of $field" "$got" "$row"
done
# There are more GUIDs: each .meta file has one, and so do project settings and sprites.
expect "GUIDs that are kept" "$(grep -cE '^ +(- )?guid: \[' "$work/dump")" $((elsewhere + notes))

# The dump bakes to the same bytes without the .meta files.
mkdir "$work/again" && cp "$work/dump" "$work/again/dump.yaml" || exit 1
"$bake" --quiet -Werror -C "$work/again" -s "$here/unity-mirror.schema.yaml" -o "$work/again.kiln" . || exit 1
cmp "$work/set.kiln" "$work/again.kiln" >&2 || wrong=1

# A number that no object has is reported with its location.
mkdir "$work/broken" && cp Assets/Mirror/Examples/Tanks/Prefabs/Tank.prefab "$work/broken" || exit 1
chmod u+w "$work/broken/Tank.prefab"
sed -i 's/^  m_GameObject: {fileID: 1916082411674582}/  m_GameObject: {fileID: 1916082411674583}/' "$work/broken/Tank.prefab"
broken=$(grep -c 1916082411674583 "$work/broken/Tank.prefab")
"$bake" --quiet -C "$work/broken" -s "$here/unity-mirror.schema.yaml" -o "$work/broken.kiln" . 2>"$work/said"
expect "exit code of what dangles" $? 1
expect "references that dangle" "$(grep -c ': error: .*unknown object "Tank.prefab#1916082411674583" \[reference\]$' "$work/said")" "$broken"
[ "$broken" -gt 3 ] || expect "references that were broken" "$broken" "more than 3"

[ $wrong -eq 0 ] && echo "unity-mirror: $documents documents, $resolved references to objects, $elsewhere to other files"
exit $wrong
