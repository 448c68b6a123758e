#!/bin/sh
# Every installed header compiles when it is included alone and twice, as C11 and C++17, without
# warnings, with gcc and clang if installed, and uses nothing from a header that is not installed.
# Usage: headers.sh MESON BUILD_FOLDER
set -eu
here=$(dirname "$0")
. "$here/../tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
meson=$1 build=$2

"$meson" install -C "$build" --destdir "$work/root" --no-rebuild --tags devel >"$work/log" 2>&1 ||
    { report 1 "meson install" "$work/log"; finish; exit; }
folder=$(find "$work/root" -type d -path '*/include/kiln')
[ -n "$folder" ]

# compile COMPILER STANDARD SUFFIX
compile() {
    if ! command -v "$1" >/dev/null 2>&1; then
        skip "headers under $1 as $2" "$1 is not installed"
        return
    fi
    for header in "$folder"/*.h; do
        name=$(basename "$header")
        source=$work/alone.$3
        printf '#include <kiln/%s>\n#include <kiln/%s>\n' "$name" "$name" >"$source"
        status=0
        "$1" "-std=$2" -Wall -Wextra -Wpedantic -Wshadow -Wundef -Werror -fsyntax-only \
            -I "$(dirname "$folder")" "$source" >"$work/log" 2>&1 || status=1
        report $status "$name under $1 as $2" "$work/log"
    done
}

compile gcc c11 c
compile clang c11 c
compile g++ c++17 cc
compile clang++ c++17 cc

# A program could not make the objects of a type that only such a header describes.
for header in "$here"/../../blobfmt/include/kiln/*.h; do
    name=$(basename "$header")
    [ ! -e "$folder/$name" ] || continue
    status=0
    {
        echo "kiln/$name"
        sed -n 's/^typedef struct \([a-z0-9_]*\) \1;$/\1/p' "$header"
    } >"$work/names"
    ! grep -nwF -f "$work/names" "$folder"/*.h >"$work/log" || status=1
    report $status "no installed header uses $name" "$work/log"
done
finish
