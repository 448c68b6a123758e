# Sourced by run.sh and run_afl.sh, which set `here` (this folder) and `compiler`. Reads their arguments NAME [SECONDS [OPTION...]]
# into `name`, `seconds` and the remaining positional parameters, and sets `work`, the folder of the harness.
name=${1:?usage: $(basename "$0") NAME [SECONDS [OPTION...]]}
seconds=${2:-60}
[ $# -lt 2 ] || shift
shift
root=$(cd "$here/../.." && pwd)
folder=${KILN_FUZZ_FOLDER:-$root/build-fuzz}
work=$folder/$name
mkdir -p "$work"
KILN_FUZZ_SCHEMA=$here/every_feature.schema.yaml KILN_FUZZ_SCENE_SCHEMA=$here/every_scene.schema.yaml
KILN_FUZZ_IMPORT_SCHEMA=$here/every_import.schema.yaml
export KILN_FUZZ_SCHEMA KILN_FUZZ_SCENE_SCHEMA KILN_FUZZ_IMPORT_SCHEMA

# take TREE TARGET PROGRAM: builds a harness in the build folder TREE and copies it to $work/PROGRAM
take() {
    ninja --quiet -C "$1" "tests/fuzz/$2" tests/fuzz/pack_corpus
    # A running program cannot be written to, but it can be replaced.
    cp "$1/tests/fuzz/$2" "$work/$3.new"
    mv "$work/$3.new" "$work/$3"
}

# build KIND PROGRAM MESON_OPTION...: builds the harness in a separate build folder and copies it to $work/PROGRAM
build() {
    tree=$folder/$1 program=$2
    shift 2
    [ -f "$tree/build.ninja" ] ||
        CC=$compiler CXX=$compiler++ meson setup "$tree" "$root" -Doptimization=1 -Db_lundef=false "$@" >"$folder/setup.log" ||
        { cat "$folder/setup.log"; exit 1; }
    take "$tree" "fuzz_$name" "$program"
}

# unpack_inputs TREE FOLDER: unpacks the corpus into $work/FOLDER
unpack_inputs() {
    rm -rf "${work:?}/$2"
    "$1/tests/fuzz/pack_corpus" unpack "$here/corpus/$name.tar.zst" "$work/$2"
}
