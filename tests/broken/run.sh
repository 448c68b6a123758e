#!/bin/sh
# Bakes every broken input and compares the messages of kiln-bake with the expected ones in the
# input's .stderr file. Each bake must exit with 1 and write nothing. Usage:
#
#     sh run.sh KILN_BAKE           (TAP)
#     sh run.sh KILN_BAKE --update  (rewrites the expected messages)
#
# The schema of NAME.yaml is NAME.schema.yaml if it exists, otherwise scenes.schema.yaml for scene_*
# and data.schema.yaml for all others. Files schema_*.yaml are schemas themselves. NAME.data is a
# second input of NAME.yaml.
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
    [ -s "$work/stdout" ] && { echo "# standard output is not empty"; good=1; }
    if [ "$update" = --update ]; then
        cp "$work/stderr" "$name.stderr"
    elif ! cmp -s "$work/stderr" "$name.stderr"; then
        diff "$name.stderr" "$work/stderr" | sed 's/^/# /'
        good=1
    fi
    report $good "$name"
done
finish
