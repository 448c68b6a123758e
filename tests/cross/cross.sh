#!/bin/sh
# Tests Kiln on emulated processors: sh tests/cross/cross.sh FOLDER NATIVE_BUILD
#   i386   32-bit, little-endian: passes the suites unit, samples, hostile and fuzz, and writes the same bytes as NATIVE_BUILD.
#          With KILN_TEST_SHARE=K/N, only each Nth of the slow tests runs, by the durations of NATIVE_BUILD's last tests.
#   s390x  64-bit, big-endian: every program and library call refuses the host
# Build folders and libraries go to FOLDER. Prints TAP.
set -u
cd "$(dirname "$0")/../.." || exit 2
mkdir -p "$1"
work=$(cd "$1" && pwd)
native=$(cd "$2" && pwd)
. tests/tap.sh
# A linker selected for the native build may not support other processors.
unset CC_LD CXX_LD

# Writes the cross file of a host and builds for it: prepare HOST DEBIAN_NAME QEMU CPU ENDIAN LOADER [TARGET...]
# Programs are not emulated if this processor and its kernel can run them.
prepare() {
    reason=$(sh tests/cross/sysroot.sh "$2" "$work/$2" 2>&1) || return 1
    for tool in "$1-gcc" "$1-g++" "$3"; do
        command -v "$tool" >/dev/null || { reason="$tool is not installed"; return 1; }
    done
    libraries=$work/$2/files/usr/lib/$2-linux-gnu
    emulate="$3 -L /usr/$1 -E LD_LIBRARY_PATH=$libraries"
    wrapper="exe_wrapper = ['$3', '-L', '/usr/$1', '-E', 'LD_LIBRARY_PATH=$libraries']"
    needs_wrapper=true
    if "$6" --version >/dev/null 2>&1; then
        emulate='' wrapper='' needs_wrapper=false
    fi
    # Most programs are tests, each linked with all of Kiln, so i386 uses the faster linker if it is installed. Old ones lack s390x.
    # The compiler looks for the linker in the folders of -B.
    linker='' linker_folder=''
    if [ "$4" = x86 ] && command -v ld.lld >/dev/null; then
        mkdir -p "$work/linker"
        ln -sf "$(command -v ld.lld)" "$work/linker/ld.lld"
        linker="c_ld = 'lld'
cpp_ld = 'lld'" linker_folder="'-B$work/linker', "
    fi
    cat >"$work/build-$2.ini" <<END
[binaries]
$linker
c = ['$1-gcc']
cpp = ['$1-g++']
ar = '$1-ar'
strip = '$1-strip'
pkgconfig = 'pkg-config'
$wrapper
[properties]
needs_exe_wrapper = $needs_wrapper
sys_root = '$work/$2/files'
pkg_config_libdir = '$libraries/pkgconfig'
[built-in options]
c_args = ['-idirafter', '$work/$2/files/usr/include']
c_link_args = [$linker_folder'-L$libraries', '-Wl,-rpath-link,$libraries', '-Wl,--dynamic-linker=$6', '-Wl,-rpath,$libraries:/usr/$1/lib']
cpp_link_args = [$linker_folder'-L$libraries', '-Wl,-rpath-link,$libraries', '-Wl,--dynamic-linker=$6', '-Wl,-rpath,$libraries:/usr/$1/lib']
[host_machine]
system = 'linux'
cpu_family = '$4'
cpu = '$4'
endian = '$5'
END
    build=$work/build-$2
    log=$work/$2.log
    shift 6
    rm -rf "$build"
    meson setup --cross-file "$build.ini" -Ddebug=false -Doptimization=0 "$build" >"$log" 2>&1 && ninja -C "$build" "$@" >>"$log" 2>&1
    built=$?
    [ $built = 0 ] || tail -n 30 "$log"
    return 0
}

# Prints the names of the tests that a share of these suites consists of; nothing without a share, which means all.
quick_names() { # SUITE...
    [ -n "${KILN_TEST_SHARE:-}" ] || return 0
    python3 .ci/quick.py "$native/meson-logs/testlog.json" 20 --rotate "$KILN_TEST_SHARE" "$@" 2>/dev/null
}

# Both hosts write the same bytes, and each reads those of the other.
try_i386() {
    report "$built" 'i386 builds'
    [ "$built" = 0 ] || return
    $emulate "$build/tests/cross/golden_bytes" write "$work/i386.kiln" >"$work/i386.hash" &&
        "$native/tests/cross/golden_bytes" read "$work/i386.kiln" | cmp - "$work/i386.hash"
    report $? 'i386 writes the same bytes as this host, which reads them'
    "$native/tests/cross/golden_bytes" write "$work/native.kiln" >"$work/native.hash" &&
        $emulate "$build/tests/cross/golden_bytes" read "$work/native.kiln" | cmp - "$work/native.hash"
    report $? 'i386 reads the bytes that this host writes'
    for file in "$native"/samples/*/*.kiln; do
        [ -e "$file" ] || continue
        cmp "$file" "$build${file#"$native"}"
        report $? "i386 bakes $(basename "$file") to the same bytes"
    done
    for suites in 'unit samples' 'hostile fuzz'; do
        # shellcheck disable=SC2046,SC2086
        meson test -C "$build" --no-rebuild $(printf -- '--suite %s ' $suites) $(quick_names $suites) --timeout-multiplier 20 \
            >"$work/i386-test.log" 2>&1
        result=$?
        [ $result = 0 ] || grep -E 'FAIL|ERROR|TIMEOUT' "$work/i386-test.log"
        report $result "i386 passes the suites $suites"
    done
}

try_s390x() {
    report "$built" 's390x builds'
    [ "$built" = 0 ] || return
    $emulate "$build/tests/cross/host_refusals" refuse >"$work/refusals"
    result=$?
    sed 's/^/# /' "$work/refusals"
    (exit $result)
    report $? 's390x: every entry point refuses a big-endian host before it reads the payload'
    inspect=$build/inspector/kiln-inspect
    if [ -x "$inspect" ]; then
        # The file does not exist. A program that opened it before checking the host would report
        # that instead.
        $emulate "$inspect" verify "$work/no-such-file" 2>"$work/refusal"
        code=$?
        [ $code = 2 ] && grep -q big-endian "$work/refusal"
        report $? 's390x: kiln-inspect refuses with one line and opens no file' "$work/refusal"
    fi
    bake=$build/baker/kiln-bake
    [ -x "$bake" ] || return
    $emulate "$bake" -s samples/first/spell.schema.yaml -o "$work/s390x.kiln" samples/first/spells.yaml \
        2>"$work/refusal"
    code=$?
    cat "$work/refusal" >&2
    [ $code = 2 ] && grep -q big-endian "$work/refusal" && [ ! -e "$work/s390x.kiln" ]
    report $? 's390x: kiln-bake refuses with one line and writes no file'
}

if prepare i686-linux-gnu i386 qemu-i386 x86 little /usr/i686-linux-gnu/lib/ld-linux.so.2; then try_i386; else skip i386 "$reason"; fi

# The build bakes samples, which kiln-bake refuses on this host.
targets=tests/cross/host_refusals
[ ! -d baker ] || targets="$targets baker/kiln-bake"
[ ! -d inspector ] || targets="$targets inspector/kiln-inspect"
# shellcheck disable=SC2086
if prepare s390x-linux-gnu s390x qemu-s390x s390x big /usr/s390x-linux-gnu/lib/ld64.so.1 $targets; then try_s390x; else skip s390x "$reason"; fi
finish
