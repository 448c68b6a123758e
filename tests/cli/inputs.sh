#!/bin/bash
# Files that kiln-bake reads or refuses: devices, sockets, folders, endless pipes. Usage:
# inputs.sh KILN_BAKE (TAP).
set -u
bake=$(realpath "$1")
. "$(dirname "$0")/scratch.sh"

cat >s.yaml <<'END'
kiln: 1
types:
  Note: {struct: {text: string, more: string}, asset: true}
END
printf 'Note: {a: {text: x, more: y}}\n' >a.yaml
printf 'kiln: 1\ninclude: [UNREADABLE]\n' >include.yaml
printf 'Note: {a: {text: x, more: !file UNREADABLE}}\n' >embed.yaml
run -q -s s.yaml -o a.kiln a.yaml
cat >import.yaml <<'END'
kiln: 1
types:
  Note: {struct: {text: string}, asset: true}
importers:
  long: {command: [./long], output: yaml}
files:
  - {match: "*.csv", import: long, shape: map, type: Note}
END
printf '#!/bin/sh\nyes "# a comment"\n' >long
chmod +x long
: >table.csv

# Every option and argument that names an input file; X is the file.
forms=(
    '-s X -o o.kiln a.yaml'
    '-s s.yaml -s X -o o.kiln a.yaml'
    '-s s.yaml -o o.kiln X'
    '-s s.yaml -o o.kiln a.yaml X'
    'check -s s.yaml X'
    'header -s X -o o.h'
    '-s s.yaml -x X -o o.kiln a.yaml'
    'repack X -o o.kiln'
    'repack a.kiln --order name --first X -o o.kiln'
    'link -s s.yaml --names X -o o.kiln a.kiln'
    '-s s.yaml --names X -o o.part a.yaml'
    'schema check X s.yaml'
    'schema check s.yaml X'
    'schema check s.yaml a.kiln X'
    'schema jsonschema -s X'
    '@X'
    '-s s.yaml @X -o o.kiln a.yaml'
)
"$bake" --help | grep -q 'kiln-bake schema infer' && forms+=('schema infer X')

# refuses FILE WHY: each form exits with 2 and prints one line, which names the file and states WHY.
refuses() {
    local form ok=0
    : >bad
    for form in "${forms[@]}"; do
        # shellcheck disable=SC2086
        timeout 60 "$bake" ${form//X/$1} >out 2>err </dev/null
        code=$?
        if [ $code -ne 2 ] || [ "$(cat err)" != "kiln-bake: cannot read $1: $2" ]; then
            ok=1
            { echo "${form//X/$1}: exit $code"; cat err; } >>bad
        fi
    done
    cp bad err
    return $ok
}

refuses /dev/zero 'it is a device, not a file'
ok "a device is refused as any kind of input"
refuses /dev/urandom 'it is a device, not a file'
ok "a device with random bytes is refused"
block=$(find /dev -type b 2>/dev/null | head -n 1)
if [ -n "$block" ]; then
    refuses "$block" 'it is a device, not a file'
    ok "a block device is refused"
else
    skip "a block device is refused" "no block device"
fi
if [ -c /dev/ptmx ]; then
    refuses /dev/ptmx 'it is a device, not a file'
    ok "the master of a pseudoterminal is refused"
else
    skip "the master of a pseudoterminal is refused" "no /dev/ptmx"
fi
if [ -f /proc/kmsg ] && head -c 0 /proc/kmsg 2>/dev/null; then
    refuses /proc/kmsg 'reading it would block'
    ok "a system file that blocks until data arrives is refused"
    timeout 60 "$bake" check -s s.yaml - </proc/kmsg 2>err
    [ $? -eq 2 ] && [ "$(cat err)" = 'kiln-bake: cannot read standard input: reading it would block' ]
    ok "a system file that blocks is refused as standard input, too"
else
    skip "a system file that blocks until data arrives is refused" "/proc/kmsg cannot be opened"
    skip "a system file that blocks is refused as standard input, too" "/proc/kmsg cannot be opened"
fi
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
refuses socket 'it is a socket, not a file'
ok "a socket is refused"
ln -s /dev/zero a_link
refuses a_link 'it is a device, not a file'
ok "a link to a device is refused"
mkdir folder
forms=('-s X -o o.kiln a.yaml' 'header -s X -o o.h' '-s s.yaml -x X -o o.kiln a.yaml' 'repack X -o o.kiln'
    'repack a.kiln --order name --first X -o o.kiln' 'schema jsonschema -s X' '@X')
refuses folder 'Is a directory'
ok "a folder in place of a file is refused"

for form in '-s include.yaml -o o.kiln a.yaml' '-s s.yaml -o o.kiln embed.yaml'; do
    rm -f UNREADABLE && ln -s /dev/zero UNREADABLE
    # shellcheck disable=SC2086
    timeout 60 "$bake" $form >out 2>err
    code=$?
    { [ $code -eq 2 ] && grep -q 'cannot read UNREADABLE: it is a device' err; } ||
        { [ $code -eq 1 ] && grep -q 'cannot read "UNREADABLE": it is not a regular file' err; }
    ok "a device that '$form' reads is refused"
done

timeout 60 "$bake" check -s s.yaml - </dev/zero 2>err
[ $? -eq 2 ] && [ "$(cat err)" = 'kiln-bake: cannot read standard input: it is a device, not a file' ]
ok "a device as standard input is refused"
timeout 60 "$bake" check -s s.yaml - <folder 2>err
[ $? -eq 2 ] && [ "$(cat err)" = 'kiln-bake: cannot read standard input: Is a directory' ]
ok "a folder as standard input is refused"

limit='it is larger than the limit of 1048576 bytes (--max-input)'
yes '# a comment' | timeout 60 "$bake" check --max-input=1M -s s.yaml - 2>err
[ "${PIPESTATUS[1]}" -eq 2 ] && [ "$(cat err)" = "kiln-bake: cannot read standard input: $limit" ]
ok "endless standard input is refused at the limit"
mkfifo pipe
timeout 60 sh -c 'yes "# a comment" >pipe' 2>/dev/null &
timeout 60 "$bake" check --max-input=1M -s pipe a.yaml 2>err
[ $? -eq 2 ] && [ "$(cat err)" = "kiln-bake: cannot read pipe: $limit" ]
ok "an endless pipe is refused at the limit"
wait
head -c 1048577 /dev/zero | tr '\0' '#' >large.yaml
run check --max-input=1M -s s.yaml a.yaml large.yaml
[ $code -eq 2 ] && [ "$(cat err)" = "kiln-bake: cannot read large.yaml: $limit" ]
ok "a file one byte above the limit is refused"
truncate -s 1048576 large.yaml
run check --max-input=1048576 -s s.yaml a.yaml large.yaml && cat large.yaml | "$bake" check --max-input=1024K -s s.yaml - a.yaml 2>err
[ $? -eq 0 ] && [ $code -eq 0 ]
ok "a file and a pipe of exactly the limit are read"
truncate -s 1073741825 large.yaml
run check -s s.yaml large.yaml
[ $code -eq 2 ] && grep -q 'larger than the limit of 1073741824 bytes (--max-input)$' err
ok "the default limit is 1 GiB"
run check @large.yaml
[ $code -eq 2 ] && [ "$(cat err)" = 'kiln-bake: cannot read large.yaml: it is larger than the limit of 1073741824 bytes for response files' ]
ok "response files have the same limit"
"$bake" check @- <large.yaml 2>err
[ $? -eq 2 ] && [ "$(cat err)" = 'kiln-bake: cannot read standard input: it is larger than the limit of 1073741824 bytes for response files' ]
ok "a response file from standard input has the same limit"
rm large.yaml
run check --max-input=100K -s import.yaml table.csv
[ $code -eq 1 ] && grep -q 'the importer "long" wrote more than the limit of 102400 bytes (--max-input)' err
ok "the limit also applies to the output of importers"
for size in '' 1Q G -1 99999999999999999999 17179869184G '1 M' 1KK; do
    run check "--max-input=$size" -s s.yaml a.yaml
    echo "$code $(cat err)" >>said
    echo "2 kiln-bake: --max-input takes a number of bytes, such as 500000, 64M or 4G, not '$size'" >>expected
done
diff expected said >err
ok "an invalid limit is refused"
run check --max-input=0 -s s.yaml a.yaml
[ $code -eq 0 ]
ok "--max-input=0 lifts the limit"

# Special files that are accepted.
run check -s s.yaml /dev/null
[ $code -eq 0 ] && "$bake" check -s s.yaml - </dev/null 2>err && "$bake" check @/dev/null -s s.yaml a.yaml 2>err
ok "/dev/null is read as an empty file"
"$bake" check -s s.yaml /dev/stdin <a.yaml >out 2>err && cat a.yaml | "$bake" check -s s.yaml /dev/stdin 2>err
ok "/dev/stdin is a file or a pipe"
run check -s <(cat s.yaml) <(cat a.yaml) && [ $code -eq 0 ]
ok "process substitution is read"
"$bake" check @<(echo '-s s.yaml') a.yaml 2>err
ok "process substitution is read as a response file"
python3 - "$bake" <<'END' >out 2>err
import socket, subprocess, sys
ours, theirs = socket.socketpair()
ours.sendall(open('a.yaml', 'rb').read())
ours.shutdown(socket.SHUT_WR)
sys.exit(subprocess.run([sys.argv[1], 'check', '-s', 's.yaml', '-'], stdin=theirs).returncode)
END
ok "standard input may be a socket"
[ -r /proc/self/status ] && {
    run check -s /proc/self/status a.yaml
    [ $code -eq 1 ] && grep -q '^/proc/self/status:1:' err
}
ok "a file whose reported size is 0 is read completely"

# The arguments of a response file need memory only in proportion to their length.
if (ulimit -v 400000 && exec "$bake" --version) >/dev/null 2>&1; then
    awk 'BEGIN { for (i = 0; i < 200000; i++) printf "-q\n"; print "-s s.yaml" }' >args
    (ulimit -v 400000 && exec "$bake" check @args a.yaml) 2>err
    ok "memory for a response file with many arguments is proportional to its size"
else
    skip "memory for a response file with many arguments is proportional to its size" "a sanitizer needs more"
fi

printf -v deep 'folder/%.0s' {1..200}
run check -s s.yaml "$deep/missing.yaml"
[ $code -eq 2 ] && grep -q '^kiln-bake: cannot read \.\.\..*/missing.yaml: No such file or directory$' err
ok "the reason is printed even for a very long path"

finish
