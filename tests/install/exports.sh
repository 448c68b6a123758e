#!/bin/sh
# The shared library exports exactly the names listed in exports.txt, each with the version of the library. This prevents
# accidental additions and removals.
#
#   exports.sh NM LIBRARY VERSION [--update]
#
# `--update` writes exports.txt instead: see "Names and versions of the library" in CONTRIBUTING.md first.
set -eu
nm=$1 library=$2 node=KILN_${3%.*} list=$(dirname "$0")/exports.txt
. "$(dirname "$0")/../tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$nm" --dynamic --defined-only --with-symbol-versions "$library" >"$work/nm"
awk 'NF == 3 && $2 != "A" && $3 ~ /^kiln_/ { sub(/@.*/, "", $3); print $3 }' "$work/nm" | LC_ALL=C sort -u >"$work/now"
if [ "${4:-}" = --update ]; then
    cp "$work/now" "$list"
    exit
fi
status=0
[ -s "$work/now" ] && diff -u "$list" "$work/now" >"$work/log" || status=1
report $status "$(basename "$library") exports what exports.txt lists" "$work/log"
status=0
awk -v end="@@$node" 'NF == 3 && $3 ~ /^kiln_/ && substr($3, index($3, "@")) != end' "$work/nm" >"$work/log"
[ ! -s "$work/log" ] || status=1
report $status "each name has the version $node" "$work/log"
finish
