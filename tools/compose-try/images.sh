#!/bin/sh
# Builds the stand-ins for the base images. Takes the folder of the programs and that of the product. Needs `podman` on the PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
programs=$1
product=$2
repository=$programs/repository

stand_in() {
  podman image exists "$1" || {
    echo "compose:try: building a stand-in for $1"
    podman build --quiet --network host --target "$2" --tag "$1" --file "$here/Containerfile" "$programs" > /dev/null
  }
}

# The package that the Dockerfile installs from the repository of PostgreSQL.
client_package() {
  package="$repository/postgresql-client-18"
  mkdir -p "$package/DEBIAN" "$package/usr/lib/postgresql/18/bin" "$package/usr/bin"
  cp -a "$programs/postgresql/programs/lib" "$package/usr/lib/postgresql/18/"
  for program in pg_dump pg_restore psql; do
    cp "$programs/postgresql/programs/bin/$program" "$package/usr/lib/postgresql/18/bin/"
    ln -sf "../lib/postgresql/18/bin/$program" "$package/usr/bin/"
  done
  printf 'Package: postgresql-client-18\nVersion: 18.6\nArchitecture: all\nDepends: libgssapi-krb5-2, libreadline8t64\nMaintainer: none <none@example.com>\nDescription: stand-in\n' \
    > "$package/DEBIAN/control"
  dpkg-deb --build "$package" "$repository/client.deb" > /dev/null
  rm -r "$package"
  (cd "$repository" && dpkg-deb -f client.deb && printf 'Filename: ./client.deb\nSize: %s\nSHA256: %s\n' \
    "$(stat -c %s client.deb)" "$(sha256sum client.deb | cut -d ' ' -f 1)") > "$repository/Packages.new"
  mv "$repository/Packages.new" "$repository/Packages"
}

# The images that the files name, but for their digests.
named() { grep -ohE "(image:|FROM) $1:[^@ ]+" "$product/docker-compose.yml" "$product/Dockerfile" | sed 's/.* //' | sort -u; }

podman image exists localhost/compose-try-debian \
  || tar -C "$programs/debian" -c . | podman import --quiet - localhost/compose-try-debian > /dev/null
echo 'deb [trusted=yes] file:/stand-in ./' > "$programs/pgdg.list"
touch "$programs/postgres.gpg.asc"
cp "$here/postgres-entrypoint.sh" "$programs/"
[ -e "$repository/Packages" ] || client_package
cp -L "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}" "$repository/certificates.crt"
for each in node postgres nginx caddy; do stand_in "docker.io/library/$(named "$each")" "$each"; done
for each in server admin-tools; do stand_in "docker.io/$(named "temporalio/$each")" temporal; done
stand_in "docker.io/$(named temporalio/ui)" temporal-ui
stand_in localhost/pebble pebble
stand_in localhost/mail node
