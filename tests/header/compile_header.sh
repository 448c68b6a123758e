#!/bin/sh
# Compiles the generated headers without a warning. Usage: compile_header.sh COMPILER SOURCE HEADERS OPTION...
# HEADERS is their folder. Exits with 77 (skipped) if the compiler is not installed or does not support the target that
# the options select.
set -eu
compiler=$1
source=$2
headers=$3
shift 3
command -v "$compiler" >/dev/null || { echo "$compiler is not installed"; exit 77; }
target=
for option; do
    case $option in
    -m32 | -ffreestanding) target="$target $option" ;;
    esac
done
# shellcheck disable=SC2086
if ! echo '#include <stdint.h>' | "$compiler" $target -fsyntax-only -x c - 2>/dev/null; then
    echo "$compiler cannot compile with$target"
    exit 77
fi

compile() {
    "$compiler" -fsyntax-only -Werror -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wcast-qual "$@" "$source"
}
compile -DFIRST "-I$headers" "$@"
# Compiles the headers as an older compiler would.
old=$(mktemp -d)
trap 'rm -rf "$old"' EXIT
for name in game.h town.h; do
    sed 's/__has_include/KILN_CANNOT_ASK/g' "$headers/$name" >"$old/$name"
done
for define in ALONE BEFORE AGAIN; do
    compile "-D$define" "-I$old" "$@"
done
