#!/bin/sh
# Generates the headers of the types made by hand and compares the SHA-256 of each with the one in header_text.txt: a header
# changes only where somebody means it to, and has looked at the difference.
#
#   header_text.sh HEADER_GENERATE [--update]
#
# `--update` writes header_text.txt anew instead.
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
