#!/bin/sh
# Builds the test cluster into the user's cache, unless it is there already, and prints its path. The output of go build goes to
# stderr. It needs only Go, so that CI can begin with it before anything is installed.
set -eu
cd "$(dirname "$0")"

digest() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi; }

# The hash of all sources: changed sources make another file, and of two concurrent builds the last wins with the same content.
hash=$(cat build.sh go.mod go.sum ./*.go | digest | cut -c 1-16)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/session-service
program=$cache/kubetest-$hash
if [ ! -x "$program" ]; then
  version=$(sed -n 's|^.*k8s.io/kubernetes v||p' go.mod)
  minor=${version#*.}
  about=k8s.io/component-base/version
  mkdir -p "$cache"
  # Otherwise the API server reports v0.0.0, and the kubelet refuses a server that is older than itself.
  CGO_ENABLED=0 GOFLAGS=-buildvcs=false nice -n 10 go build -v -trimpath \
    -ldflags "-s -w -X $about.gitVersion=v$version -X $about.gitMajor=${version%%.*} -X $about.gitMinor=${minor%%.*}" \
    -o "$program.$$" . >&2
  mv "$program.$$" "$program"
fi
echo "$program"
