#!/bin/sh
# What needs real streams: a closed pipe, a full disk, standard input, colours.
# streams.sh KILN_INSPECT WRITE_SAMPLE
set -u
inspect=$(realpath "$1")
write_sample=$(realpath "$2")
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
"$write_sample" 0 full >/dev/null 2>&1 || exit 2
"$write_sample" 7 shared >/dev/null 2>&1 || exit 2
"$write_sample" 100 scenes >/dev/null 2>&1 || exit 2
failures=0

check() { # NAME EXPECTED ACTUAL
  if [ "$2" = "$3" ]; then
    echo "ok: $1"
  else
    echo "FAILED: $1: expected '$2', got '$3'"
    failures=$((failures + 1))
  fi
}

for command in 'dump --all shared' 'dump -f json shared' 'hex full' 'type full' 'scene --chunks scenes'; do
  # shellcheck disable=SC2086
  { "$inspect" $command 2>err; echo $? >code; } | head -n 1 >/dev/null
  case $(cat code) in 0 | 1) code=quiet ;; *) code=$(cat code) ;; esac
  check "a closed pipe ends '$command' quietly" quiet "$code"
  check "and nothing is said of the pipe" '' "$(grep -i 'pipe\|write' err)"
done

if [ -w /dev/full ]; then
  for command in 'info full' 'ls full' 'dump full' 'dump -f yaml full' 'get full Item/sword' 'verify full' 'hex full' 'type full' 'scene scenes' 'scene -f json scenes' 'scene scenes Scene/harbour door' 'forecast scenes' '--help'; do
    # shellcheck disable=SC2086
    "$inspect" $command >/dev/full 2>err
    check "a full disk ends '$command'" 2 $?
    check "with one line" 1 "$(wc -l <err)"
  done
fi

check "standard input is a file" "$("$inspect" dump full)" "$("$inspect" dump - <full)"
check "an empty standard input is broken" 1 "$(printf '' | "$inspect" verify - >/dev/null 2>&1; echo $?)"
check "no colours into a pipe" 0 "$("$inspect" dump full | grep -c "$(printf '\033')")"
check "colours when asked" yes "$("$inspect" dump --color always full | grep -q "$(printf '\033')" && echo yes)"
check "no colours on request" 0 "$("$inspect" dump --color never full | grep -c "$(printf '\033')")"
check "a file that may not be read" 2 "$("$inspect" info missing >/dev/null 2>&1; echo $?)"
if [ -c /dev/zero ]; then
  check "a device is refused" 2 "$("$inspect" verify /dev/zero >/dev/null 2>err; echo $?)"
  check "with one line" 'kiln-inspect: /dev/zero: is a device, not a file' "$(cat err)"
  check "also as standard input" 2 "$("$inspect" verify - </dev/zero >/dev/null 2>&1; echo $?)"
fi
if (ulimit -f 1) 2>/dev/null; then
  check "a file that may grow no further" 2 "$( (ulimit -f 1; "$inspect" hex full >big 2>err; echo $?) )"
  check "with one line" 1 "$(grep -c 'cannot write the output' err)"
fi
check "results alone on standard output" '' "$("$inspect" dump missing 2>/dev/null)"

if command -v script >/dev/null && [ "$(script -qec 'echo works' /dev/null | tr -d '\r')" = works ]; then
  check "colours on a terminal" yes "$(TERM=xterm NO_COLOR='' script -qec "$inspect dump full" /dev/null | grep -q "$(printf '\033')" && echo yes)"
  check "none on a dumb one" 0 "$(TERM=dumb NO_COLOR='' script -qec "$inspect dump full" /dev/null | grep -c "$(printf '\033')")"
  check "none with NO_COLOR" 0 "$(NO_COLOR=1 script -qec "$inspect dump full" /dev/null | grep -c "$(printf '\033')")"
fi

[ "$failures" -eq 0 ]
