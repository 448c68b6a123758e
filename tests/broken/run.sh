#!/bin/sh
# Bakes every broken input and compares what kiln-bake says with the .stderr beside it. Usage:
#
#     sh run.sh KILN_BAKE           (TAP)
#     sh run.sh KILN_BAKE --update  (writes what is said now as what is expected)
#
# x.yaml is baked under x.schema.yaml, or data.schema.yaml where it has none of its own, scene_*.yaml
# under scenes.schema.yaml; schema_*.yaml are schemas themselves. x.data, where there is one, is baked
# with it. Each must exit 1 and write nothing.
set -u
bake=$(realpath "$1")
update=${2:-}
cd "$(dirname "$0")" || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
unset NO_COLOR
. ../tap.sh

bake_one() { # name
    case $1 in
    schema_*) "$bake" -s "$1.yaml" -o "$work/out.kiln" empty.data ;;
    *)
        schema=data.schema.yaml
        case $1 in scene_*) schema=scenes.schema.yaml ;; esac
        [ -e "$1.schema.yaml" ] && schema=$1.schema.yaml
        more=
        [ -e "$1.data" ] && more=$1.data
        "$bake" -s "$schema" -o "$work/out.kiln" "$1.yaml" ${more:+"$more"}
        ;;
    esac >"$work/stdout" 2>"$work/stderr"
}

for file in *.yaml; do
    name=${file%.yaml}
    case $name in *.schema) continue ;; esac
    bake_one "$name"
    code=$?
    good=0
    [ $code -eq 1 ] || { echo "# exit code $code"; good=1; }
    [ -e "$work/out.kiln" ] && { echo "# an output was written"; good=1; rm -f "$work/out.kiln"; }
    [ -s "$work/stdout" ] && { echo "# something on standard output"; good=1; }
    if [ "$update" = --update ]; then
        cp "$work/stderr" "$name.stderr"
    elif ! cmp -s "$work/stderr" "$name.stderr"; then
        diff "$name.stderr" "$work/stderr" | sed 's/^/# /'
        good=1
    fi
    report $good "$name"
done
finish
