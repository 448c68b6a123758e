#!/bin/sh
# A C and a C++ program outside the tree build with pkg-config against the installed library, shared and
# static, and run. Usage: programs.sh MESON BUILD_FOLDER SANITIZER C_COMPILER CXX_COMPILER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
meson=$1 build=$2 sanitizer=$3 cc=$4 cxx=$5
for need in pkg-config readelf "$cc" "$cxx"; do
    command -v "$need" >/dev/null 2>&1 || { echo "1..0 # SKIP $need is not installed"; exit 0; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

status=0
"$meson" install -C "$build" --destdir "$work/root" --no-rebuild >"$work/log" 2>&1 || status=1
report $status "meson install" "$work/log"
[ $status -eq 0 ] || { finish; exit; }

config=$(dirname "$(find "$work/root" -name kiln.pc)")
library=$(dirname "$(find "$work/root" -name libkiln.a)")
export PKG_CONFIG_PATH="$config" PKG_CONFIG_SYSROOT_DIR="$work/root"
# The folder is added to those of the system, so the packages that kiln requires are found, too.
pkg_config() { pkg-config "$@" kiln; }

pkg_config --modversion >"$work/log" 2>&1 && status=0 || status=1
report $status "pkg-config finds kiln" "$work/log"
for file in libkiln.so libkiln.so.0; do
    [ -e "$library/$file" ] && status=0 || status=1
    report $status "$file is installed"
done
[ "$sanitizer" = none ] ||
    { skip "programs" "a library with a sanitizer needs programs with the same sanitizer"; finish; exit; }

expected="Greeting/first says hello 3 times"
cd "$work"
cp "$here/installed_program.c" program.c
cp "$here/installed_program.c" program.cc
strict="-Wall -Wextra -Wpedantic -Werror"

# try NAME: checks that the program was built and prints the expected output.
try() {
    status=0
    if [ ! -s built.log ] && [ -x program ]; then
        LD_LIBRARY_PATH="$library" ./program >said.log 2>&1 || status=1
        [ "$(cat said.log)" = "$expected" ] || status=1
    else
        status=1
    fi
    cat said.log built.log >all.log 2>/dev/null || :
    report $status "$1" all.log
}

# build COMPILER STANDARD SOURCE FLAGS...
build() {
    rm -f program said.log
    compiler=$1 standard=$2 source=$3
    shift 3
    # Flags must be split into words.
    # shellcheck disable=SC2086
    "$compiler" "-std=$standard" $strict "$source" -o program $(pkg_config --cflags) "$@" \
        >built.log 2>&1 || echo "$compiler failed" >>built.log
}

# Names the archive, because -lkiln would select the shared library.
static="$library/libkiln.a $(pkg_config --static --libs | sed 's/-lkiln\>//g')"
for language in c c++; do
    case $language in
    c) compiler=$cc standard=c11 source=program.c ;;
    *) compiler=$cxx standard=c++17 source=program.cc ;;
    esac
    # shellcheck disable=SC2046
    build "$compiler" "$standard" "$source" $(pkg_config --libs)
    try "a $language program with the shared library"
    readelf -d program 2>/dev/null | grep -q 'NEEDED.*libkiln\.so\.0' && status=0 || status=1
    report $status "the program depends on libkiln.so.0"
    # shellcheck disable=SC2086
    build "$compiler" "$standard" "$source" $static
    try "a $language program with the static library"
    readelf -d program 2>/dev/null | grep -q 'NEEDED.*libkiln' && status=1 || status=0
    report $status "the program does not depend on a shared libkiln"
done
finish
