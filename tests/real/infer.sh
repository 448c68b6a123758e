#!/usr/bin/env bash
# Infers a schema from one set of real data from another project, and bakes the set with it.
#
#     infer.sh SET KILN_BAKE SOURCE_ROOT
# Exit 0: every file bakes without messages, and a second run writes the same schema; 1: failure, see stderr; 77: the data
# is missing.
set -u

set_name=$1
bake=$(realpath "$2")
data=$(realpath "$3")/../shared/data/$set_name

if [ ! -d "$data" ]; then
    echo "skipped: no data at ../shared/data/$set_name" >&2
    exit 77
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
inputs=(.)
# Engines use other file extensions for YAML.
if [ "$set_name" = unity-mirror ]; then
    mapfile -d '' inputs < <(cd "$data" && find . -type f \( -name '*.unity' -o -name '*.prefab' -o -name '*.mat' \
        -o -name '*.asset' -o -name '*.meta' \) -print0)
fi
run() {
    (cd "$data" && "$bake" "$@" -- "${inputs[@]}") >"$work/said" 2>&1
    code=$?
    if [ $code -ne 0 ] || [ -s "$work/said" ]; then
        echo "$set_name: kiln-bake $* exits with $code and prints:" >&2
        head -20 "$work/said" >&2
        exit 1
    fi
}
run schema infer --quiet -o "$work/once.yaml"
run schema infer --quiet -o "$work/twice.yaml"
cmp "$work/once.yaml" "$work/twice.yaml" >&2 || exit 1
run check --quiet -Werror -s "$work/once.yaml"
echo "$set_name: $(wc -l <"$work/once.yaml") lines, $(grep -c doubtful "$work/once.yaml") of them doubtful"
