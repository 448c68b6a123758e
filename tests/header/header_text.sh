#!/bin/sh
# Generates the headers of the hand-written types and compares their SHA-256 with header_text.txt, so that every change of a
# header is intended and reviewed.
#
#   header_text.sh HEADER_GENERATE [--update]
# `--update` rewrites header_text.txt instead.
set -u
generate=$(realpath "$1")
update=${2:-}
cd "$(dirname "$0")" || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
for name in game town; do
    "$generate" $name "$work/$name.h" || exit 1
done
(cd "$work" && sha256sum game.h town.h) >"$work/hashes" || exit 2
if [ "$update" = --update ]; then
    cp "$work/hashes" header_text.txt
else
    diff header_text.txt "$work/hashes"
fi
