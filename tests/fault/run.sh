#!/bin/sh
# Makes system calls of the programs and samples fail. Usage: sh tests/fault/run.sh [--all] [--record].
# Without --all it tries a part of the failures, like `meson test`. --record writes the results to RECORD.md.
# The build folder is build/, or KILN_BUILD, and must be built without sanitizers.
set -eu
cd "$(dirname "$0")/../.."
build=${KILN_BUILD:-build}
how='' record=''
for word; do
    case $word in
    --all) how=--all ;;
    --record) record=yes ;;
    *) echo "usage: sh tests/fault/run.sh [--all] [--record]" >&2; exit 2 ;;
    esac
done
here=$(pwd)
case $build in /*) at=$build ;; *) at=$here/$build ;; esac
ninja -C "$build" >/dev/null
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
# shellcheck disable=SC2086
"$at/tests/fault/test_faults" $how tests/fault/errnos.txt samples "$at/samples" "$at/tests/fault/heap_shim.so" \
    "$at/baker/kiln-bake" "$at/inspector/kiln-inspect" "$at/samples/first/first" "$at/samples/first/make" \
    "$at/samples/game/game" "$at/samples/patch/patch" "$at/samples/village/village" "$at/samples/crowd/crowd" \
    "$at/tests/fault/fault_library" "$at/tests/fault/fault_wait" >"$log" 2>&1 || status=$?
cat "$log"
if [ -n "$record" ] && [ "$status" != 77 ]; then
    commit=$(git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)
    {
        sed '/^## Last run/,$d' tests/fault/RECORD.md
        echo "## Last run"
        echo
        echo "Commit $commit, $(date +%Y-%m-%d), ${how:-a part}."
        echo
        echo "| run | system calls | failures tried | promises broken |"
        echo "|---|---|---|---|"
        sed -n 's/^# \(.*[^ ]\)  *\([0-9]*\) calls *\([0-9]*\) faults *\([0-9]*\) wrong$/| \1 | \2 | \3 | \4 |/p' "$log"
        sed -n 's/^# all: \([0-9]*\) calls, [0-9]* ways to fail, \([0-9]*\) tried, \([0-9]*\) wrong$/| all | \1 | \2 | \3 |/p' "$log"
    } >"$log.md"
    cat "$log.md" >tests/fault/RECORD.md
    rm -f "$log.md"
fi
# The last line has the totals.
sed -n 's/^# all: //p' "$log"
exit "$status"
