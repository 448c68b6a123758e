# Sourced by the scripts in this folder, which set `bake`. Creates a temporary working folder, runs programs there,
# and reports results in TAP.
. "$(dirname "$0")/../tap.sh"
work=$(mktemp -d) || exit 2
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 2

# Runs kiln-bake. `code` receives its exit code, the files out and err its output.
run() {
    "$bake" "$@" >out 2>err
    code=$?
}
