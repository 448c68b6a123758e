#!/bin/sh
# Runs the short form of the sample and checks what it printed. How long frames take depends on the machine, so it is not checked.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
KILN_BAKE=$1 MAKE_WORLD=$2 STREAM=$3 sh "$(dirname "$0")/stream.sh" "$folder/world" 60 3 3 >"$folder/out"
cat "$folder/out"
for line in '^regions loaded  60$' '^reloads  *[0-9]*, 0 failed$' '^applied again   [1-9]' '^leaks           0$' '^collector       [1-9].*, [1-9][0-9]* assets removed$'; do
    grep -q "$line" "$folder/out" || {
        echo "no line matches $line" >&2
        exit 1
    }
done
