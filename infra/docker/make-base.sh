#!/bin/sh
# Makes the two base images of the Dockerfile from Debian packages, where no registry of images can be reached:
#   make-base.sh FOLDER NODE
# writes FOLDER/runtime.tar, which holds what a program needs and no shell, and FOLDER/build.tar, a Debian with npm and the Node whose
# folder NODE is. Both are root file systems. Needs root, mmdebstrap and npm. DEBIAN_MIRROR and DEBIAN_SUITE choose the packages.
set -eu
out=$1
node=$2
suite=${DEBIAN_SUITE:-trixie}
mirror=${DEBIAN_MIRROR:-}
npm_version=11.19.1
# The files' times. The same packages make the same files.
SOURCE_DATE_EPOCH=1767225600
export SOURCE_DATE_EPOCH

mkdir -p "$out"
work=$(mktemp -d "$out/work.XXXXXX")
child=
clean() {
  [ -z "$child" ] || { kill -KILL "$child"; wait "$child"; } 2>/dev/null || true
  # Nothing that is mounted in it is removed. What was just killed may still write for a moment.
  for _ in 1 2 3; do rm -rf --one-file-system "$work" && break || sleep 1; done
}
trap clean EXIT
trap 'exit 1' HUP INT TERM
# An image's root has the mode of this folder's, and user 1000 must be able to read it.
chmod 755 "$work"

# Shows the output of a command only if the command fails. The shell waits for it with `wait`, which a signal interrupts at once.
quiet() {
  "$@" >"$work/log" 2>&1 &
  child=$!
  wait "$child" || { child=; cat "$work/log" >&2; exit 1; }
  child=
}

# Makes a Debian, with mounts and processes of its own: when this script ends, however it does, both are gone.
debian() { quiet setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child --mount-proc mmdebstrap "$@"; }

# Writes a tar under another name first, so that a run that is cut off leaves no half of one.
pack() {
  tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --numeric-owner --exclude='./dev/*' --exclude='./proc/*' --exclude='./sys/*' \
    -C "$1" -cf "$work/tar" .
  mv "$work/tar" "$2"
}

# The runtime: packages are unpacked and not configured, so nothing of dpkg, apt or a shell is in it.
root=$work/runtime
debian --variant=extract --aptopt='Apt::Install-Recommends "false"' \
  --include=base-files,libc6,libstdc++6,libgcc-s1,ca-certificates,tzdata,netbase \
  --dpkgopt='path-exclude=/usr/share/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --dpkgopt='path-include=/usr/share/common-licenses/*' --dpkgopt='path-include=/usr/share/zoneinfo/*' \
  --dpkgopt='path-include=/usr/share/ca-certificates/*' "$suite" "$root" ${mirror:+"$mirror"}
# What the packages' scripts would have made.
cat "$root"/usr/share/ca-certificates/mozilla/*.crt >"$root/etc/ssl/certs/ca-certificates.crt"
printf 'root:x:0:0:root:/root:/sbin/nologin\nnode:x:1000:1000:node:/home/node:/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\n' >"$root/etc/passwd"
printf 'root:x:0:\nnode:x:1000:\nnogroup:x:65534:\n' >"$root/etc/group"
printf 'hosts: files dns\npasswd: files\ngroup: files\n' >"$root/etc/nsswitch.conf"
install -d -o 1000 -g 1000 "$root/home/node"
# What only shells, Perl and OpenSSL's own program use. Node brings an OpenSSL of its own.
(cd "$root" && rm -rf usr/bin/* usr/sbin/* usr/share/ca-certificates usr/share/perl5 usr/share/debconf usr/share/lintian \
  usr/lib/*-linux-gnu/gconv usr/lib/*-linux-gnu/libcrypto.so* usr/lib/*-linux-gnu/libssl.so* usr/lib/*-linux-gnu/ossl-modules \
  usr/lib/*-linux-gnu/engines-3 usr/lib/mime usr/lib/ssl var/cache/* var/lib/apt var/log/* boot usr/games)
pack "$root" "$out/runtime.tar"

root=$work/build
debian --variant=minbase --include=ca-certificates,libatomic1,tini --aptopt='Apt::Install-Recommends "false"' "$suite" "$root" ${mirror:+"$mirror"}
rm -rf "$root"/var/cache/* "$root"/var/log/* "$root"/var/lib/apt/lists/*
install -D -m 755 "$node/bin/node" "$root/usr/local/bin/node"
cp "$node/LICENSE" "$root/usr/local/LICENSE"
quiet npm install --prefix "$root/usr/local" --global --no-audit --no-fund "npm@$npm_version"
# A machine behind a proxy trusts the proxy's authority as well. Downloads during the build need it; no image gets it from there.
[ -z "${SSL_CERT_FILE:-}" ] || cp "$SSL_CERT_FILE" "$root/etc/ssl/certs/ca-certificates.crt"
echo 'node:x:1000:1000:node:/home/node:/bin/sh' >>"$root/etc/passwd"
echo 'node:x:1000:' >>"$root/etc/group"
pack "$root" "$out/build.tar"
