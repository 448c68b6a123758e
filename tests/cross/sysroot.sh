#!/bin/sh
# Unpacks the libraries that Kiln needs for another Debian architecture into a folder, without
# installing them: sh tests/cross/sysroot.sh ARCHITECTURE FOLDER. Exits with 77 if they are not
# available.
set -eu
arch=$1
mkdir -p "$2"
root=$(cd "$2" && pwd)
[ ! -e "$root/complete" ] || exit 0

command -v apt-get >/dev/null && command -v dpkg >/dev/null || {
    echo "apt-get is missing, which fetches the libraries for $arch" >&2
    exit 77
}
mkdir -p "$root/lists/partial" "$root/cache/archives/partial" "$root/packages"
: >"$root/status"
apt() {
    apt-get -qq -o "APT::Architecture=$arch" -o "APT::Architectures=$arch" \
        -o "Dir::State=$root" -o "Dir::State::lists=$root/lists" -o "Dir::State::status=$root/status" \
        -o "Dir::Cache=$root/cache" -o APT::Sandbox::User= -o Acquire::Languages=none "$@" </dev/null
}
# Ignore sources without this architecture; only the download must succeed.
apt update >"$root/log" 2>&1 || true
(cd "$root/packages" && apt download libxxhash-dev libxxhash0 libzstd-dev libzstd1 libyaml-dev libyaml-0-2 \
    libcmocka-dev libcmocka0) >>"$root/log" 2>&1 || {
    echo "Debian's libraries for $arch cannot be downloaded: $(tail -n 1 "$root/log")" >&2
    exit 77
}
for package in "$root"/packages/*.deb; do
    dpkg-deb -x "$package" "$root/files"
done
: >"$root/complete"
