#!/bin/sh
# Tests with real streams: a closed pipe, a full disk, standard input, colours.
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

# More output than a pipe buffers, so that the program notices the closed end.
for command in 'dump --all shared' 'dump -f json shared'; do
  # shellcheck disable=SC2086
  { "$inspect" $command 2>err; echo $? >code; } | head -n 1 >/dev/null
  check "a closed pipe truncates the output of '$command'" 2 "$(cat code)"
  check "a closed pipe causes no message in '$command'" '' "$(grep -i 'pipe\|write' err)"
done

if [ -w /dev/full ]; then
  for command in 'info full' 'ls full' 'dump full' 'dump -f yaml full' 'get full Item/sword' 'verify full' 'hex full' 'type full' 'scene scenes' 'scene -f json scenes' 'scene scenes Scene/harbour door' 'forecast scenes' '--help'; do
    # shellcheck disable=SC2086
    "$inspect" $command >/dev/full 2>err
    check "a full disk ends '$command'" 2 $?
    check "a full disk causes one line from '$command'" 1 "$(wc -l <err)"
  done
fi

check "standard input is read" "$("$inspect" dump full)" "$("$inspect" dump - <full)"
check "empty standard input is an invalid file" 1 "$(printf '' | "$inspect" verify - >/dev/null 2>&1; echo $?)"
check "no colours into a pipe" 0 "$("$inspect" dump full | grep -c "$(printf '\033')")"
check "colours on request" yes "$("$inspect" dump --color always full | grep -q "$(printf '\033')" && echo yes)"
check "no colours on request" 0 "$("$inspect" dump --color never full | grep -c "$(printf '\033')")"
check "a missing file exits 2" 2 "$("$inspect" info missing >/dev/null 2>&1; echo $?)"
said() { "$inspect" "$@" 2>&1 >/dev/null; }
waiting() { timeout 60 "$inspect" "$@" 2>&1 >/dev/null; }
for command in 'verify X' 'info X' 'dump X' 'get X Item/sword' 'hex X' 'type X' 'scene X' 'forecast X' 'ls X' 'where --source-map X full Item/sword'; do
  # shellcheck disable=SC2086
  check "a device is refused: $command" 'kiln-inspect: /dev/zero: cannot be read: it is a device, not a file' "$(said $(echo "$command" | sed 's,X,/dev/zero,'))"
done
check "a refused device exits 2" 2 "$("$inspect" verify /dev/zero >/dev/null 2>&1; echo $?)"
check "a device is refused as standard input" 'kiln-inspect: standard input: cannot be read: it is a device, not a file' "$(said verify - </dev/zero)"
check "a folder is refused" 'kiln-inspect: .: cannot be read: Is a directory' "$(said verify .)"
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
check "a socket is refused" 'kiln-inspect: socket: cannot be read: it is a socket, not a file' "$(said verify socket)"
block=$(find /dev -type b 2>/dev/null | head -n 1)
if [ -n "$block" ]; then
  check "a block device is refused" "kiln-inspect: $block: cannot be read: it is a device, not a file" "$(said verify "$block")"
else
  echo "skipped: a block device is refused: no block device"
fi
if [ -c /dev/ptmx ]; then
  check "the master of a pseudoterminal is refused" "kiln-inspect: /dev/ptmx: cannot be read: it is a device, not a file" "$(waiting verify /dev/ptmx)"
else
  echo "skipped: the master of a pseudoterminal is refused: no /dev/ptmx"
fi
if [ -f /proc/kmsg ] && head -c 0 /proc/kmsg 2>/dev/null; then
  check "a system file that blocks until data arrives is refused" "kiln-inspect: /proc/kmsg: cannot be read: reading it would block" "$(waiting verify /proc/kmsg)"
  check "a system file that blocks is refused as standard input" "kiln-inspect: standard input: cannot be read: reading it would block" "$(waiting verify - </proc/kmsg)"
else
  echo "skipped: a system file that blocks until data arrives is refused: /proc/kmsg cannot be opened"
fi
check "/dev/null is an empty file" 1 "$("$inspect" verify /dev/null >/dev/null 2>&1; echo $?)"
check "/dev/null as standard input is an empty file" 1 "$("$inspect" verify - </dev/null >/dev/null 2>&1; echo $?)"
size=$(($(wc -c <full)))
check "a pipe with exactly the limit is read" 0 "$(cat full | "$inspect" verify --max-input $size - >/dev/null; echo $?)"
limit="it is larger than the limit of $((size - 1)) bytes (--max-input)"
check "a pipe above the limit is refused" "kiln-inspect: standard input: cannot be read: $limit" "$(cat full | said verify --max-input=$((size - 1)) -)"
mkfifo pipe
timeout 60 sh -c 'cat full >pipe' &
check "a named pipe above the limit is refused" "kiln-inspect: pipe: cannot be read: $limit" "$(said verify --max-input=$((size - 1)) pipe)"
wait
check "an endless pipe is refused" 'kiln-inspect: standard input: cannot be read: it is larger than the limit of 1048576 bytes (--max-input)' "$(yes 2>/dev/null | said verify --max-input 1M -)"
check "the limit does not apply to files" 0 "$("$inspect" verify --max-input 1 full >/dev/null; echo $?)"
check "0 lifts the limit" 0 "$(cat full | "$inspect" verify --max-input 0 - >/dev/null; echo $?)"
for wrong in '' K 1Q -1 1KK 99999999999999999999 17179869184G; do
  check "'$wrong' is refused as a limit" 2 "$("$inspect" verify "--max-input=$wrong" full >/dev/null 2>&1; echo $?)"
done
check "/dev/stdin is read" 0 "$(cat full | "$inspect" verify /dev/stdin >/dev/null; echo $?)"
if (ulimit -f 1) 2>/dev/null; then
  check "exceeding the file size limit exits 2" 2 "$( (ulimit -f 1; "$inspect" hex full >big 2>err; echo $?) )"
  check "exceeding the file size limit causes one line" 1 "$(grep -c 'cannot write the output' err)"
fi
# The arguments of the other tests contain no spaces.
check "two formats in one argument are refused" "kiln-inspect: this command does not support the format 'text json'; see kiln-inspect --help 2" \
  "$("$inspect" ls -f 'text json' full 2>&1) $("$inspect" ls -f 'text json' full >/dev/null 2>&1; echo $?)"
check "messages do not go to standard output" '' "$("$inspect" dump missing 2>/dev/null)"

if command -v script >/dev/null && [ "$(script -qec 'echo works' /dev/null | tr -d '\r')" = works ]; then
  check "colours on a terminal" yes "$(TERM=xterm NO_COLOR='' script -qec "$inspect dump full" /dev/null | grep -q "$(printf '\033')" && echo yes)"
  check "no colours on a dumb terminal" 0 "$(TERM=dumb NO_COLOR='' script -qec "$inspect dump full" /dev/null | grep -c "$(printf '\033')")"
  check "no colours with NO_COLOR" 0 "$(NO_COLOR=1 script -qec "$inspect dump full" /dev/null | grep -c "$(printf '\033')")"
fi

[ "$failures" -eq 0 ]
