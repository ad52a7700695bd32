#!/bin/sh
# Builds the stand-ins for the base images, and on them the image of the service by its own Dockerfile. Takes the folder of the
# programs, the folder of the product, and one for files of its own. Needs `podman` on the PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
programs=$1
product=$2
own=$3

stand_in() {
  podman image exists "$1" || {
    echo "compose:try: building a stand-in for $1"
    podman build --quiet --network host --target "$2" --tag "$1" --file "$here/Containerfile" "$programs" > /dev/null
  }
}

# The package that the Dockerfile installs from the repository of PostgreSQL.
client_package() {
  package="$own/repository/postgresql-client-18"
  mkdir -p "$package/DEBIAN" "$package/usr/lib/postgresql/18/bin" "$package/usr/bin"
  cp -a "$programs/postgresql/programs/lib" "$package/usr/lib/postgresql/18/"
  for program in pg_dump pg_restore psql; do
    cp "$programs/postgresql/programs/bin/$program" "$package/usr/lib/postgresql/18/bin/"
    ln -sf "../lib/postgresql/18/bin/$program" "$package/usr/bin/"
  done
  printf 'Package: postgresql-client-18\nVersion: 18.6\nArchitecture: all\nDepends: libgssapi-krb5-2, libreadline8t64\nMaintainer: none <none@example.com>\nDescription: stand-in\n' \
    > "$package/DEBIAN/control"
  dpkg-deb --build "$package" "$own/repository/client.deb" > /dev/null
  rm -r "$package"
  (cd "$own/repository" && dpkg-deb -f client.deb && printf 'Filename: ./client.deb\nSize: %s\nSHA256: %s\n' \
    "$(stat -c %s client.deb)" "$(sha256sum client.deb | cut -d ' ' -f 1)") > "$own/Packages"
  mv "$own/Packages" "$own/repository/"
}

# The images that the files name, but for their digests.
named() { grep -ohE "(image:|FROM) $1:[^@ ]+" "$product/docker-compose.yml" "$product/Dockerfile" | sed 's/.* //' | sort -u; }

podman image exists localhost/compose-try-debian \
  || tar -C "$programs/debian" -c . | podman import --quiet - localhost/compose-try-debian > /dev/null
echo 'deb [trusted=yes] file:/stand-in ./' > "$programs/pgdg.list"
touch "$programs/postgres.gpg.asc"
cp "$here/postgres-entrypoint.sh" "$programs/"
for each in node postgres nginx caddy; do stand_in "docker.io/library/$(named "$each")" "$each"; done
for each in server admin-tools; do stand_in "docker.io/$(named "temporalio/$each")" temporal; done
stand_in localhost/pebble pebble
stand_in localhost/mail node

[ -e "$own/repository/Packages" ] || client_package
printf 'cafile=/stand-in/certificates.crt\nprefer-offline=true\n' > "$own/npmrc"
cp -L "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}" "$own/repository/certificates.crt"
mkdir -p "$HOME/.npm"
echo 'compose:try: building the image of the service by its Dockerfile'
podman build --network host --tag device-monitoring-service:local --volume "$own/repository:/stand-in:ro" \
  --volume "$own/npmrc:/root/.npmrc:ro" --volume "$HOME/.npm:/root/.npm:O" "$product"
