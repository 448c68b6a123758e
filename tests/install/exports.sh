#!/bin/sh
# The shared library exports exactly the names that exports.txt lists, so that no name comes or goes by accident.
#
#   exports.sh NM LIBRARY [--update]
#
# `--update` writes exports.txt instead: see "Names and versions of the library" in CONTRIBUTING.md first.
set -eu
nm=$1 library=$2 list=$(dirname "$0")/exports.txt
. "$(dirname "$0")/../tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Only names are compared, not what linkers add for version nodes.
"$nm" --dynamic --defined-only "$library" | awk 'NF == 3 && $2 != "A" && $3 ~ /^kiln_/ { print $3 }' | LC_ALL=C sort -u >"$work/now"
if [ "${3:-}" = --update ]; then
    cp "$work/now" "$list"
    exit
fi
status=0
[ -s "$work/now" ] && diff -u "$list" "$work/now" >"$work/log" || status=1
report $status "$(basename "$library") exports what exports.txt lists" "$work/log"
finish
