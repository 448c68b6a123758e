#!/bin/bash
# Builds that run kiln-bake under ninja and make: which changes make kiln-bake run again, and which do not. Usage:
# rebuilds.sh KILN_BAKE (TAP).
set -u
bake=$(realpath "$1")
. "$(dirname "$0")/scratch.sh"

# project DIR: a schema that includes a file from a list of folders, and a folder of inputs. The build files
# are in a folder that the bake does not read.
project() {
    rm -rf "$1"
    mkdir -p "$1/inc1" "$1/inc2" "$1/data/more" "$1/build"
    printf 'kiln: 1\ninclude: [e.yaml]\ntypes:\n  Note: {struct: {text: string, color: {type: Color, default: red}}, asset: true}\n' >"$1/s.yaml"
    printf 'kiln: 1\ntypes:\n  Color: {enum: [red, green]}\n' >"$1/inc2/e.yaml"
    printf 'Note: {a: {text: x}}\n' >"$1/data/a.yaml"
}

# rules DIR OPTIONS OUTPUT DEPFILE [EXTRA LINE OF THE RULE]: the same build for ninja and for make, both run in DIR.
rules() {
    cat >"$1/build/build.ninja" <<END
builddir = build
rule bake
  command = '$bake' -q -s s.yaml $2 data -o $3 -MD -MF $4 && echo ran >>build/ran
  depfile = $4
  ${5:-}
build $3: bake
END
    cat >"$1/build/Makefile" <<END
$3:
	'$bake' -q -s s.yaml $2 data -o $3 -MD -MP -MF $4 && echo ran >>build/ran
-include $4
END
}

# builds TOOL DIR: whether the tool ran kiln-bake.
builds() {
    rm -f "$2/build/ran"
    case $1 in
    ninja) (cd "$2" && ninja -f build/build.ninja >../log 2>&1) ;;
    make) (cd "$2" && make -f build/Makefile >../log 2>&1) ;;
    esac || { cat log >>err; return 2; }
    [ -e "$2/build/ran" ]
}

# no_more TOOL DIR: the tool finds nothing to do, three times.
no_more() {
    for _ in 1 2 3; do
        builds "$1" "$2"
        [ $? -eq 1 ] || { echo "$1 ran again" >>err; return 1; }
    done
}

for tool in ninja make; do
    if ! command -v $tool >/dev/null; then
        skip "$tool builds again only if something changed" "no $tool"
        continue
    fi
    : >err

    project p && rules p '-I inc1 -I inc2' build/out.kiln build/out.d
    builds $tool p && no_more $tool p
    ok "$tool: nothing changed, nothing runs"
    printf 'kiln: 1\ntypes:\n  Color: {enum: [red, green, blue]}\n' >p/inc1/e.yaml
    builds $tool p && grep -q 'inc1/e.yaml' p/build/out.d && no_more $tool p
    ok "$tool: creating a file that was looked for in an earlier folder runs the bake again"

    rm -r p/inc1
    builds $tool p && no_more $tool p && mkdir p/inc1 && builds $tool p && no_more $tool p &&
        cp p/inc2/e.yaml p/inc1/e.yaml && builds $tool p && no_more $tool p
    ok "$tool: removing and creating that folder, and creating the file in it, run the bake again"

    project p && rules p '-I inc1 -I inc2 --source-map data/map.json' data/out.kiln data/out.d
    builds $tool p && no_more $tool p
    ok "$tool: outputs, a source map and the depfile in a listed folder do not run the bake again"
    printf 'Note: {b: {text: x}}\n' >p/data/more/b.yaml
    builds $tool p && no_more $tool p
    ok "$tool: adding a file below a listed folder runs the bake again"
    rm p/data/more/b.yaml
    builds $tool p && no_more $tool p
    ok "$tool: removing a file below a listed folder runs the bake again"
    mkdir p/data/even && builds $tool p && no_more $tool p && printf 'Note: {c: {text: x}}\n' >p/data/even/c.yaml &&
        builds $tool p && no_more $tool p
    ok "$tool: adding a folder below a listed folder, and a file in it, run the bake again"
    : >p/data/notes.txt
    builds $tool p
    no_more $tool p
    ok "$tool: adding a file with a different extension runs the bake at most once"

    project p && rules p '-I inc1 -I inc2 --if-changed' inc1/out.kiln inc1/out.d
    builds $tool p && no_more $tool p
    ok "$tool: outputs in a folder where a file was looked for do not run the bake again"
    cp p/inc2/e.yaml p/inc1/e.yaml
    builds $tool p
    ok "$tool: creating the file that was looked for there runs the bake again"
done

if command -v ninja >/dev/null; then
    : >err
    project p && rules p '-I inc1 -I inc2' data/out.kiln build/out.d 'deps = gcc'
    builds ninja p && no_more ninja p
    ok "ninja with deps = gcc: the output may be in a listed folder"
    cp p/inc2/e.yaml p/inc1/e.yaml
    builds ninja p && no_more ninja p
    ok "ninja with deps = gcc: creating a file that was looked for runs the bake again"
fi
finish
