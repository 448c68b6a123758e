#!/bin/bash
# Outputs of kiln-bake: mode, owner and attributes of replaced files, links, streams and pipes, and leftovers of
# killed processes. Usage: outputs.sh KILN_BAKE (TAP).
set -u
bake=$(realpath "$1")
. "$(dirname "$0")/scratch.sh"
same() { cmp -s "$1" "$2"; }
mode() { stat -c %a "$1"; }

cat >s.yaml <<'END'
kiln: 1
types:
  Note: {struct: {text: string}, asset: true}
END
printf 'Note: {a: {text: x}}\n' >a.yaml
printf 'Note: {b: {text: y}}\n' >b.yaml
umask 027
run -q -s s.yaml -o a.kiln a.yaml
[ $code -eq 0 ] && [ "$(mode a.kiln)" = 640 ]
ok "the mode of a new file follows the umask"
run -q -s s.yaml -o b.kiln b.yaml

umask 022
for m in 640 600 444 666 755 4711 200; do
    rm -f o.kiln o.map o.d && echo old | tee o.kiln o.map >o.d && chmod $m o.kiln o.map o.d
    run -q -s s.yaml -o o.kiln --source-map o.map -MD -MF o.d a.yaml
    echo "$code $(mode o.kiln) $(mode o.map) $(mode o.d)" >>modes
    echo "0 $m $m $m" >>expected
    chmod 600 o.kiln && same a.kiln o.kiln || echo "differs: $m" >>modes
done
diff expected modes >err
ok "an output, its source map and its depfile keep the modes of the files that they replace"
echo old >o.h && chmod 640 o.h && run -q header -s s.yaml -o o.h
[ $code -eq 0 ] && [ "$(mode o.h)" = 640 ] && grep -q Note o.h
ok "a header keeps the mode of the file that it replaces"
mkdir each && echo old >each/a.kiln && chmod 600 each/a.kiln && run -q -s s.yaml --each each a.yaml b.yaml
[ $code -eq 0 ] && [ "$(mode each/a.kiln) $(mode each/b.kiln)" = '600 644' ] && same a.kiln each/a.kiln
ok "each of several outputs keeps the mode of the file that it replaces, next to new outputs"
chmod 640 o.kiln && stat -c '%i %y %a' o.kiln >before && run -q -s s.yaml --if-changed -o o.kiln a.yaml
[ $code -eq 0 ] && stat -c '%i %y %a' o.kiln | diff before - >err
ok "an output that would not change is not rewritten"

ln -s . here
for name in ./t.kiln here/t.kiln "$PWD/t.kiln"; do
    rm -f t.kiln && run -q -s s.yaml -o t.kiln --source-map "$name" a.yaml
    echo "$code $(ls | grep -c t.kiln) $(cat err)"
    cp a.kiln t.kiln && run -q -s s.yaml -o t.kiln -MD -MF "$name" a.yaml
    echo "$code $(same a.kiln t.kiln && echo whole) $(cat err)"
done >got
for name in ./t.kiln here/t.kiln "$PWD/t.kiln"; do
    echo "2 0 kiln-bake: two outputs have the target t.kiln"
    echo "2 whole kiln-bake: two outputs have the target $name"
done | diff - got >err
ok "two outputs to the same file are refused, whatever their paths"
ln a.kiln hard.kiln && run -q -s s.yaml -o a.kiln --source-map hard.kiln a.yaml
[ $code -eq 0 ] && head -c 4 a.kiln | grep -q KILN && head -c 4 hard.kiln | grep -q kiln
ok "two hard links to one file count as two outputs"

# A depfile cannot express a name with a line break, so nothing is written.
cp a.yaml $'line\nend.yaml' && rm -f n.kiln n.d && run -q -s s.yaml -o n.kiln -MD -MF n.d $'line\nend.yaml'
[ $code -eq 2 ] && [ ! -e n.kiln ] && [ ! -e n.d ] && grep -q "^kiln-bake: cannot write n.d: a file name contains a line break" err
ok "a depfile for an input whose name contains a line break is refused with its own message"

if [ "$(id -u)" -eq 0 ]; then
    chown 12345:23456 o.kiln && chmod 4750 o.kiln && run -q -s s.yaml -o o.kiln b.yaml
    [ $code -eq 0 ] && same b.kiln o.kiln && [ "$(stat -c '%u %g %a' o.kiln)" = '12345 23456 4750' ]
    ok "the superuser keeps owner and group"
    # A user other than root, who may write to the folder but does not own the file.
    mkdir shared && chmod 777 shared . && cp a.kiln shared/o.kiln && chown 0:0 shared/o.kiln && chmod 4660 shared/o.kiln
    chmod 644 a.kiln b.kiln
    if command -v setpriv >/dev/null && setpriv --reuid 12345 --regid 23456 --clear-groups "$bake" --version >/dev/null 2>&1; then
        setpriv --reuid 12345 --regid 23456 --clear-groups "$bake" -q -s s.yaml -o shared/o.kiln b.yaml 2>err &&
            same b.kiln shared/o.kiln && [ "$(stat -c '%u %g %a' shared/o.kiln)" = '12345 23456 600' ]
        ok "a user outside the group gives the new group the rights of others"
        chown 0:34567 shared/o.kiln && chmod 2664 shared/o.kiln
        setpriv --reuid 12345 --regid 23456 --groups 34567 "$bake" -q -s s.yaml -o shared/o.kiln a.yaml 2>err &&
            [ "$(stat -c '%u %g %a' shared/o.kiln)" = '12345 34567 2664' ]
        ok "a user in the group keeps the group"
    else
        skip "a user outside the group gives the new group the rights of others" "no setpriv, or other users cannot run the program"
        skip "a user in the group keeps the group" "no setpriv, or other users cannot run the program"
    fi
    chown 0:0 o.kiln
else
    skip "the superuser keeps owner and group" "not the superuser"
    skip "a user outside the group gives the new group the rights of others" "not the superuser"
    skip "a user in the group keeps the group" "not the superuser"
fi

# user::rw-, user:12345:r--, group::r--, mask::r--, other::--- in the kernel's binary form.
cat >lists.py <<'END'
import os, struct, sys
def pack(entries):
    return struct.pack('<I', 2) + b''.join(struct.pack('<HHI', tag, perm, who) for tag, perm, who in entries)
none = 0xffffffff
one = pack([(1, 6, none), (2, 4, 12345), (4, 4, none), (16, 4, none), (32, 0, none)])
path, what = sys.argv[2], sys.argv[1]
name = 'system.posix_acl_access'
if what == 'set':
    os.setxattr(path, name, one)
    os.setxattr(path, 'user.note', b'of a user')
elif what == 'has':
    sys.exit(not (os.getxattr(path, name) == one and os.getxattr(path, 'user.note') == b'of a user'))
elif what == 'default':
    os.setxattr(path, 'system.posix_acl_default', one)
else:
    sys.exit(name in os.listxattr(path))
END
echo old >o.kiln && chmod 640 o.kiln
if python3 lists.py set o.kiln 2>/dev/null; then
    run -q -s s.yaml -o o.kiln a.yaml
    [ $code -eq 0 ] && same a.kiln o.kiln && python3 lists.py has o.kiln 2>err && [ "$(mode o.kiln)" = 640 ]
    ok "an access control list and user attributes are kept"
    mkdir list && echo old >list/o.kiln && chmod 640 list/o.kiln && python3 lists.py default list
    run -q -s s.yaml -o list/o.kiln a.yaml
    [ $code -eq 0 ] && python3 lists.py hasnot list/o.kiln && [ "$(mode list/o.kiln)" = 640 ]
    ok "a folder's default access control list applies to new files only"
else
    skip "an access control list and user attributes are kept" "the file system does not support them"
    skip "a folder's default access control list applies to new files only" "the file system does not support them"
fi

# Links.
mkdir far && echo old >far/target && chmod 640 far/target && ln -s far/target link && ln -s link second
run -q -s s.yaml -o second a.yaml
[ $code -eq 0 ] && [ -L second ] && [ -L link ] && same a.kiln far/target && [ "$(mode far/target) $(ls -A far)" = '640 target' ]
ok "a symbolic link stays, and its target is replaced"
ln -s nowhere dangling
run -q -s s.yaml -o dangling a.yaml
[ $code -eq 0 ] && [ ! -L dangling ] && same a.kiln dangling && [ ! -e nowhere ]
ok "a dangling symbolic link is replaced, not followed"
echo old >one && ln one two
run -q -s s.yaml -o one a.yaml
[ $code -eq 0 ] && same a.kiln one && [ "$(cat two)" = old ]
ok "another hard link to a replaced file keeps the old content"

# Outputs that are written in place.
run -q -s s.yaml -o /dev/null a.yaml
[ $code -eq 0 ] && [ -c /dev/null ]
ok "/dev/null is written, not replaced"
"$bake" -q -s s.yaml -o /dev/stdout a.yaml 2>err | cmp -s - a.kiln
ok "/dev/stdout may be a pipe"
for name in /dev/stdout /dev/fd/1 /proc/self/fd/1 -; do
    { echo before && "$bake" -q -s s.yaml -o $name a.yaml && echo behind; } >both 2>err
    { echo before && cat a.kiln && echo behind; } | cmp -s - both
    ok "$name is written at its current offset, even if it is a file"
done
"$bake" -q -s s.yaml -o /dev/fd/3 a.yaml 2>err 3>third && same a.kiln third
ok "any other descriptor is written, too"
"$bake" -q -s s.yaml -o /dev/fd/9 a.yaml 2>err
[ $? -eq 2 ] && [ "$(cat err)" = 'kiln-bake: cannot write /dev/fd/9: Bad file descriptor' ]
ok "a descriptor that is not open is refused"
cp a.yaml in.yaml && "$bake" -q -s s.yaml -o - in.yaml >>in.yaml 2>err
[ $? -eq 2 ] && [ "$(cat err)" = 'kiln-bake: cannot write standard output: it is an input of this run' ] && same a.yaml in.yaml
ok "an input is not overwritten through standard output"
mkfifo fifo
timeout 60 sh -c 'cat fifo >from' &
timeout 60 "$bake" -q -s s.yaml -o fifo a.yaml 2>err
code=$?
wait
[ $code -eq 0 ] && [ -p fifo ] && same a.kiln from
ok "a FIFO is written, not replaced"
"$bake" -q -s s.yaml -o >(cat >from2) a.yaml 2>err
wait $!
same a.kiln from2
ok "a process substitution is written"
"$bake" -q -s s.yaml -o - --source-map closed.map a.yaml >&- 2>err
[ $? -eq 2 ] && [ ! -e closed.map ] && [ "$(cat err)" = 'kiln-bake: cannot write standard output: Bad file descriptor' ]
ok "output for a closed stream does not go to another file"

# Leftovers. A locked guard file belongs to a running process, so the temporary files of this process are not touched.
cat >guard.py <<'END'
import fcntl, os, sys
held = open('.kiln-bake.abcdefghijkl.tmp', 'x')
fcntl.flock(held, fcntl.LOCK_EX)
open('.kiln-bake.abcdefghijkl.1.tmp', 'x')
print('ready', flush=True)
sys.stdin.read()
END
mkdir left && cd left && mkfifo hold && exec 8<>hold
touch .kiln-bake.mnopqrstuvwx.tmp .kiln-bake.mnopqrstuvwx.1.tmp .kiln-bake.mnopqrstuvwx.22.tmp .kiln-bake.0123456789ab.7.tmp
keep='.kiln-bake.ABCDEFGHIJKL.tmp .kiln-bake.abc.tmp .kiln-bake.mnopqrstuvwx.tmp2 .kiln-bake.mnopqrstuvwx..tmp
.kiln-bake.mnopqrstuvwx.1x.tmp .kiln-bake-unlocked.mnopqrstuvwx.tmp .kiln-bake.mnopqrstuvwxy.tmp x.kiln-bake.mnopqrstuvwx.tmp'
# shellcheck disable=SC2086
touch $keep
mkdir .kiln-bake.folderfolder.tmp && ln -s /dev/zero .kiln-bake.linklinklink.tmp && mkfifo .kiln-bake.pipepipepipe.tmp
python3 ../guard.py <hold >ready &
holder=$!
until grep -q ready ready; do sleep 0.05; done
"$bake" -q -s ../s.yaml -o o.kiln ../a.yaml 2>err
code=$?
# shellcheck disable=SC2086
printf '%s\n' $keep . .. .kiln-bake.folderfolder.tmp .kiln-bake.linklinklink.tmp .kiln-bake.pipepipepipe.tmp \
    .kiln-bake.abcdefghijkl.tmp .kiln-bake.abcdefghijkl.1.tmp o.kiln hold ready err | LC_ALL=C sort >../expected
ls -a | LC_ALL=C sort | diff ../expected - >err
[ $? -eq 0 ] && [ $code -eq 0 ]
ok "a bake removes the leftovers of killed processes, and nothing else"
kill -KILL $holder
wait $holder 2>/dev/null
"$bake" -q -s ../s.yaml -o o.kiln ../a.yaml 2>err && [ ! -e .kiln-bake.abcdefghijkl.tmp ] && [ ! -e .kiln-bake.abcdefghijkl.1.tmp ]
ok "a bake removes leftovers once their writer has exited"
cd .. || exit 2

# Texts, trees and blobs of a large bake are in a temporary file.
mkdir many
for i in $(seq 40); do
    { echo 'Note:' && seq -f "  a${i}_%g: {text: \"text of file $i\"}" 40; } >many/$i.yaml
done
run -q -s s.yaml -o whole.kiln many
[ $code -eq 0 ]
for j in 1 2; do
    run -q -j $j -s s.yaml --memory 0 -o moved.kiln many
    [ $code -eq 0 ] && same whole.kiln moved.kiln && rm moved.kiln || break
    TMPDIR=/nonexistent "$bake" -q -j $j -s s.yaml --memory 0 -o - many >moved.kiln 2>err
    [ $? -eq 0 ] && same whole.kiln moved.kiln && rm moved.kiln || break
    # The output fits, but not all that would move.
    (ulimit -f $(($(stat -c %s whole.kiln) / 1024 + 8)) && exec "$bake" -q -j $j -s s.yaml --memory 0 -o moved.kiln many 2>err)
    [ $? -eq 0 ] && same whole.kiln moved.kiln && rm moved.kiln || break
done
[ ! -e moved.kiln ] && [ -z "$(ls -A | grep '^\.kiln-bake')" ]
ok "a bake gives the same file if texts, trees and blobs move to a file, which may be impossible to create or full"

# The temporary file never takes descriptors that the rest of the bake needs.
enough=0
for few in 3 4 5 6 7 8 10 12; do
    (ulimit -n $few && exec "$bake" -q -j1 -s s.yaml -o few.kiln many) 2>err || continue
    enough=$((enough + 1))
    (ulimit -n $few && exec "$bake" -q -j1 -s s.yaml --memory 0 -o moved.kiln many) 2>err
    [ $? -eq 0 ] && same whole.kiln moved.kiln && rm moved.kiln || break
done
[ ! -e moved.kiln ] && [ $enough -gt 3 ] && rm -f few.kiln
ok "a bake with few descriptors succeeds, whether or not blobs move to a file"

# Many concurrent bakes of the same outputs, some of which are killed.
mkdir busy
for i in $(seq 24); do
    "$bake" -q -s s.yaml --each busy a.yaml b.yaml 2>>busy.err &
    [ $((i % 4)) -ne 0 ] || kill -KILL $!
done 2>/dev/null
{ wait; } 2>/dev/null
"$bake" -q -s s.yaml --each busy a.yaml b.yaml 2>err && [ ! -s busy.err ] && [ "$(ls -A busy | tr '\n' ' ')" = 'a.kiln b.kiln ' ] && same a.kiln busy/a.kiln
ok "concurrent bakes do not interfere with each other"

finish
