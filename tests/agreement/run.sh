#!/bin/sh
# Random schemas and values are read through generated accessors (as C11 and C++17) and kiln_value,
# and rebuilt by generated builder calls. All results must agree.
#
#     tests/agreement/run.sh [--build FOLDER] [--seed N] [--count M] [--keep FOLDER]
# Tries M seeds, beginning with N. The default seed comes from the time and is printed. The build
# folder (default `build`) must be configured without sanitizers. The files are in the folder of
# --keep, or in a temporary folder. They are kept only after a failure; the script then prints the folder.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$root/build seed=$(date +%s) count=20 work=
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2 ;;
    --seed) seed=$2 ;;
    --count) count=$2 ;;
    --keep) work=$2 ;;
    *)
        sed -n '2,9s/^# \{0,1\}//p' "$0"
        exit 2
        ;;
    esac
    shift 2
done
build=$(cd "$build" && pwd)
ninja -C "$build" tests/agreement/agreement_generate tests/agreement/libagreement.a >/dev/null
work=${work:-$(mktemp -d)}
mkdir -p "$work"
echo "seeds $seed to $((seed + count - 1))"

includes="-I$here -I$work -I$root/blobfmt/include -I$root/runtime/include"
libraries="$build/tests/agreement/libagreement.a $build/runtime/libkiln.a -lxxhash -lzstd -lpthread"
compile() { # COMPILER STANDARD SOURCE PROGRAM
    # shellcheck disable=SC2086
    "$1" "-std=$2" -O0 -Wall -Wextra -Wpedantic -Wno-unused-function -Werror $includes "$here/$3" $libraries -o "$work/$4"
}

at=$seed end=$((seed + count)) assets=0
while [ "$at" -lt "$end" ]; do
    batch=$((end - at < 5 ? end - at : 5))
    rm -f "$work"/s*.*
    if ! { "$build/tests/agreement/agreement_generate" "$work" "$at" "$batch" &&
        compile "${CC:-cc}" c11 agreement_main.c agree_c &&
        compile "${CXX:-c++}" c++17 agreement_main_cpp.cpp agree_cpp &&
        "$work/agree_c" "$work" >"$work/told" && "$work/agree_cpp" "$work" >"$work/told_cpp"; }; then
        echo "FAILED among seeds $at to $((at + batch - 1)); the files are in $work"
        exit 1
    fi
    assets=$((assets + $(sed 's/.*, \([0-9]*\) assets/\1/' "$work/told" | awk "{n += \$1} END {print n}")))
    at=$((at + batch))
done
echo "$count seeds agree: $assets assets, in C and in C++"
rm -rf "$work"
