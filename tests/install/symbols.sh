#!/bin/sh
# Each library exports only names with its prefix, and a shared library only names declared in public headers.
# Usage: symbols.sh NM LIBRARY PREFIX [HEADER...] [-- LIBRARY PREFIX [HEADER...]]...
# A library whose name contains `.so` is a shared one.
set -eu
here=$(dirname "$0")
. "$here/../tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nm=$1
shift

# Ignores names that begin with two underscores (the compiler's), version nodes (`A`) and, in a program's library, the function
# main.
list() {
    case $1 in
    *.so*) "$nm" --dynamic --defined-only "$1" ;;
    *) "$nm" --extern-only --defined-only "$1" ;;
    esac | awk 'NF == 3 && $2 != "A" && $3 !~ /^__/ && $3 != "main" { sub(/@.*/, "", $3); print $3 }' | sort -u
}

while [ $# -gt 0 ]; do
    library=$1 prefix=$2
    shift 2
    : >"$work/declared"
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        cat "$1" >>"$work/declared"
        shift
    done
    [ $# -eq 0 ] || shift
    name=$(basename "$library")

    list "$library" >"$work/all"
    status=0
    [ -s "$work/all" ] || status=1
    grep -v "^$prefix" "$work/all" >"$work/wrong" && status=1
    report $status "$name exports only ${prefix}names" "$work/wrong"

    [ -s "$work/declared" ] || continue
    status=0
    : >"$work/wrong"
    while read -r symbol; do
        grep -qw "$symbol" "$work/declared" || echo "$symbol" >>"$work/wrong"
    done <"$work/all"
    [ ! -s "$work/wrong" ] || status=1
    report $status "$name exports only names declared in public headers" "$work/wrong"
done
finish
