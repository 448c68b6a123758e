#!/bin/sh
# Installs missing Debian packages. Usage: sh .ci/packages.sh GROUP...
#   build     for building and testing
#   ci        other compilers and checkers for .ci/run
#   bench     the libraries that the benchmark compares Kiln with
#   coverage  tools for tests/coverage and tests/fuzz/record.py
#   afl       tools for tests/fuzz/run_afl.sh
#   package   tools for the Debian packages
#   cross     compilers and emulator for other processors
# Runs as root or through sudo, asks nothing, and changes nothing if all packages are installed.
set -eu

build='gcc g++ libc6-dev pkg-config meson ninja-build make libyaml-dev libxxhash-dev libzstd-dev libcmocka-dev libcurl4-openssl-dev
       strace'
ci='clang lld libclang-rt-dev clang-format valgrind git python3-jsonschema python3-yaml coop-computing-tools openmpi-bin nginx openssl cmake'
bench='flatbuffers-compiler libflatbuffers-dev capnproto libcapnp-dev'
coverage='clang libclang-rt-dev llvm'
afl='afl++ clang llvm'
package='debhelper dpkg-dev lintian'
cross='gcc-i686-linux-gnu g++-i686-linux-gnu libc6-dev-i386-cross
       gcc-s390x-linux-gnu g++-s390x-linux-gnu libc6-dev-s390x-cross qemu-user'

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "packages: no apt-get here; using the tools that are installed" >&2
    exit 0
fi

missing=
for group in "${@:-build}"; do
    case $group in
    build) packages=$build ;;
    ci) packages=$ci ;;
    bench) packages=$bench ;;
    coverage) packages=$coverage ;;
    afl) packages=$afl ;;
    package) packages=$package ;;
    cross) packages=$cross ;;
    *) echo "packages: unknown group: $group" >&2; exit 2 ;;
    esac
    for package in $packages; do
        case $(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null) in
        ii*) ;;
        *) missing="$missing $package" ;;
        esac
    done
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "packages: not root and no sudo here; please install:$missing" >&2
        exit 2
    fi
    as_root=sudo
fi
echo "packages: installing$missing" >&2
install() {
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 install -y \
        --no-install-recommends $missing </dev/null >&2
}
# The machine's package lists may be missing or outdated; refreshing them once fixes both.
install 2>/dev/null || { $as_root apt-get -qq update >&2 || true; install; }
