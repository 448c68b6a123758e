#!/bin/sh
# Compiles the generated headers without a warning. Usage: compile_header.sh COMPILER SOURCE HEADERS OPTION...
# HEADERS is the folder they lie in. Leaves with 77, a skip, where the compiler is not installed or cannot compile for the
# host that the options name.
set -eu
compiler=$1
source=$2
headers=$3
shift 3
command -v "$compiler" >/dev/null || { echo "no $compiler here"; exit 77; }
target=
for option; do
    case $option in
    -m32 | -ffreestanding) target="$target $option" ;;
    esac
done
# shellcheck disable=SC2086
if ! echo '#include <stdint.h>' | "$compiler" $target -fsyntax-only -x c - 2>/dev/null; then
    echo "$compiler does not compile with$target here"
    exit 77
fi

compile() {
    "$compiler" -fsyntax-only -Werror -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wcast-qual "$@" "$source"
}
compile -DFIRST "-I$headers" "$@"
# What an older compiler sees.
old=$(mktemp -d)
trap 'rm -rf "$old"' EXIT
for name in game.h town.h; do
    sed 's/__has_include/KILN_CANNOT_ASK/g' "$headers/$name" >"$old/$name"
done
for define in ALONE BEFORE AGAIN; do
    compile "-D$define" "-I$old" "$@"
done
