# Sourced by the scripts beside it, which have set `bake`: a folder of their own to work in, programs run there, and
# what comes of it, in TAP.
. "$(dirname "$0")/../tap.sh"
work=$(mktemp -d) || exit 2
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 2

# Runs kiln-bake; `code` is its exit code, files out and err what it said.
run() {
    "$bake" "$@" >out 2>err
    code=$?
}
