#!/bin/bash
# Builds the image by the Dockerfile, walks docs/production.md by the compose file, and then tries what no block of the page has
# (certificates, proxies, several processes, the image of a release), for real: Docker Compose on podman, in storage and networks
# of its own, with an ACME server and a mail server. Needs Debian 12 or later, root, Go, Node.js and the
# packages of the repository. Everything it started is ended and removed; `--keep` leaves the images and the folder.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$PWD/tools/compose-try
programs=$HOME/.cache/device-monitoring-service/compose-try
work=${COMPOSE_TRY_FOLDER:-/var/tmp/compose-try}
product=$work/device-monitoring-service
http_port=18080 https_port=18443 api_port=18081 coap_port=15683 temporal_port=17233 ui_port=18233
export CONTAINERS_CONF=$work/containers.conf DISABLE_HC_SYSTEMD=true DOCKER_HOST=unix://$work/podman.sock
# BuildKit cannot be pulled: Compose sends the Dockerfile to podman, as to the builder of Docker before it.
export DOCKER_BUILDKIT=0
unset COMPOSE_FILE COMPOSE_PROJECT_NAME

holds() { echo "compose:try: holds: $1"; }
fails() { echo "compose:try: FAILS: $1" >&2; exit 1; }

prepare_folder() {
  mkdir -p "$work/bin" "$work/networks" "$work/own"
  sed "s|FOLDER|$work|" "$here/containers.conf" > "$CONTAINERS_CONF"
  printf '#!/bin/sh\nexec /usr/bin/podman --root %s/storage --runroot %s/run "$@"\n' "$work" "$work" > "$work/bin/podman"
  # No base image can be pulled again.
  printf '#!/bin/sh\n[ "$1" = compose ] || exec podman "$@"\nshift\n[ "$*" != "build --pull" ] || set -- build\nexec %s/compose/docker-compose "$@"\n' "$programs" > "$work/bin/docker"
  # The name of the tutorial leads here, and the root of the ACME server is trusted.
  printf '#!/bin/sh\nexec /usr/bin/curl --silent --show-error --cacert %s/root.pem --connect-to monitoring.example.com:443:127.0.0.1:%s "$@"\n' \
    "$work" "$https_port" > "$work/bin/curl"
  chmod +x "$work"/bin/*
  export PATH=$work/bin:$PATH
}

# The repository as a clone has it, without digests, which stand-ins cannot have, and with ports that are free here.
prepare_product() {
  rm -rf "$product"
  mkdir -p "$product"
  { git ls-files; git ls-files --others --exclude-standard; } | grep -v '^test/' | sort -u | tar -c -T - | tar -x -C "$product"
  sed -i 's/@sha256:[0-9a-f]*//' "$product/Dockerfile" "$product/docker-compose.yml"
  cat >> "$product/.env.example" << EOF
HTTP_PORT=$http_port
HTTPS_PORT=$https_port
API_PORT=$api_port
COAP_PORT=$coap_port
TEMPORAL_PORT=$temporal_port
TEMPORAL_UI_PORT=$ui_port
ACME_CA=https://pebble:14000/dir
EOF
  cp "$here/docker-compose.override.yml" "$product/"
  cp "$here/mail-server.mjs" "$work/own/"
  make_acme_server
}

make_acme_server() {
  mkdir -p "$work/own/pebble"
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=pebble -addext subjectAltName=DNS:pebble,DNS:localhost \
    -keyout "$work/own/pebble/key.pem" -out "$work/own/pebble/certificate.pem" 2> "$work/openssl.log"
  cp "$here/pebble.json" "$work/own/pebble/config.json"
  chmod -R a+rX "$work/own"
}

# systemd runs the health checks of podman where there is one.
run_health_checks() {
  while sleep 1; do
    podman ps --quiet --filter health=starting --filter health=healthy --filter health=unhealthy 2> /dev/null | while read -r id; do
      timeout 30 podman healthcheck run "$id" < /dev/null > /dev/null 2>&1 || true
    done
  done
}

stop() {
  set +e
  [ -z "${walked:-}" ] && [ -e "$product/.env" ] && (cd "$product" && docker compose ps --all; docker compose logs --tail 30) > "$work/failed.log" 2>&1 \
    && echo "compose:try: the last lines of each container are in $work/failed.log" >&2
  [ -e "$product/.env" ] && (cd "$product" && docker compose down --volumes --timeout 5) > /dev/null 2>&1
  # shellcheck disable=SC2046
  kill $(jobs -p) 2> /dev/null
  wait
  # Monitors of health checks that were under way stay behind; each names the folder of this run.
  pgrep -f "^/usr/bin/conmon .*$work/" | xargs -r kill 2> /dev/null
  [ "${keep:-}" = yes ] || { podman system reset --force > /dev/null 2>&1; rm -rf "$work"; }
}

# Every block of the page, one after the other, in the clone; after each, the check that its heading has.
walk() {
  node "$here/blocks.mjs" docs/production.md "$work/blocks"
  for block in "$work"/blocks/*.sh; do
    heading=$(basename "$block" .sh)
    echo "compose:try: docs/production.md: ${heading#*-}"
    run_block "$block"
    after "${heading#*-}"
  done
}

run_block() {
  (cd "$product" && timeout 300 bash -euo pipefail "$1") > "$work/printed" 2>&1 || { cat "$work/printed" >&2; fails "$(basename "$1")"; }
}

after() {
  case "$1" in
    1-1) check_settings ;;
    1-2) build_image ;;
    2-1) trust_acme_server ;;
    2-2) check_tls ;;
    3-*) check_organization ;;
    4-*) check_logger ;;
    5-1) check_backup ;;
    6-*2) check_restored ;;
  esac
}

check_settings() {
  [ "$(grep -c '_PASSWORD=.\{48\}$' "$product/.env")" = 4 ] || fails 'all passwords are set'
}

build_image() {
  local begin
  begin=$(date +%s)
  compose build migrate > "$work/build.log" 2>&1 || { tail -n 30 "$work/build.log" >&2; fails 'the image is built'; }
  holds "docker compose builds the image by the Dockerfile ($(($(date +%s) - begin)) s)"
}

trust_acme_server() {
  local ready=no
  for _ in $(seq 60); do
    /usr/bin/curl --silent --insecure https://127.0.0.1:15000/roots/0 > "$work/root.pem" && ready=yes && break
    sleep 1
  done
  [ $ready = yes ] || fails 'the ACME server answers'
  check_image
  curl --fail "http://127.0.0.1:$ui_port/" | grep -i '<!doctype html>' > /dev/null || fails 'the page of Temporal answers'
  curl --fail "http://127.0.0.1:$ui_port/api/v1/namespaces/default/search-attributes" | grep ProfileSlug > /dev/null \
    || fails 'the page of Temporal reaches the namespace of the service'
  holds 'the page of Temporal shows the namespace of the service'
  wait_for 'the first backup was made and restored without a command' backup 'was restored'
}

check_image() {
  local user
  user=$(compose exec -T api id -un)
  [ "$user" = node ] || fails "processes run as node, not as $user"
  compose exec -T api sh -c '! touch /app/x 2> /dev/null && touch /tmp/x' || fails 'the root is read-only, and /tmp is not'
  holds 'processes run as another user than root, on a read-only root'
  compose exec -T api node -e "if (!(JSON.parse(require('fs').readFileSync('sbom.cdx.json')).components.length > 100)) process.exit(1)" \
    || fails 'the image has a list of its packages'
  holds 'the image has an SBOM'
  compose exec -T api sh -c 'pg_dump --version && pg_restore --version' | grep -c ' 18\.' | grep -x 2 > /dev/null \
    || fails 'the image has pg_dump and pg_restore 18'
  holds 'the image has pg_dump and pg_restore 18'
}

check_tls() {
  grep -q '"status":"ok"' "$work/printed" || fails 'the service reaches PostgreSQL and Temporal'
  curl --verbose https://monitoring.example.com/livez 2>&1 | grep 'issuer: CN=Pebble' > /dev/null || fails 'the certificate is that of the ACME server'
  holds 'a certificate of the ACME server is served'
  curl https://monitoring.example.com/operator/sign-in | grep '<title>' > /dev/null || fails "the operators' page answers"
  holds "the operators' page answers"
}

check_organization() {
  local link status
  key=$(sed -n 's/^API key *//p' "$work/printed")
  token=$(sed -n 's/^Device token *//p' "$work/printed")
  link=$(sed -n 's/^Sign-in link *//p' "$work/printed")
  status=$(curl --output /dev/null --write-out '%{http_code}' --header 'Origin: https://monitoring.example.com' \
    --data-urlencode "link=${link##*link=}" https://monitoring.example.com/operator/sign-in)
  [ "$status" = 303 ] || fails "the link signs in: $status"
  holds 'one command gives an organization, its keys, and a link that signs in'
  call POST /assets '{"serialNumber":"282C02424E31","name":"Fridge"}' > /dev/null
  call POST /notification-channels '{"type":"email","target":"ada@example.com"}' > /dev/null
  wait_for 'a mail arrives that asks to confirm the address' mail 'To: ada@example.com'
}

check_logger() {
  local readings
  readings='{"readings":[{"channel":1,"type":"temperature","value":4.5,"measuredAt":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'"}]}'
  curl --fail --header "Authorization: Bearer $token" --header 'Content-Type: application/json' --data "$readings" \
    https://monitoring.example.com/devices/282C02424E31/measurements > /dev/null || fails 'a logger sends over HTTP'
  # Registers one logger, which boots, reports and measures by the protocol of loggers.
  node --import=#typescript dev/bin/sim.ts --devices 1 --prefix 282CC0 --register --minutes 0.2 --speed 600 --transmit 900 --ack always \
    --base-url "http://127.0.0.1:$api_port" --api-key "$key" --device-token "$token" --coap-url "coap://127.0.0.1:$coap_port" \
    > "$work/sim.log" 2>&1 || { cat "$work/sim.log" >&2; fails 'a logger is simulated'; }
  call GET '/assets?status=online' | grep '"282CC0' > /dev/null || { cat "$work/sim.log" >&2; fails 'a logger sends over CoAP'; }
  holds 'loggers are answered over HTTP and CoAP'
}

check_backup() {
  grep -q 'was restored: organizations 1, devices 2' "$work/printed" || { cat "$work/printed"; fails 'the backup is restored'; }
  compose exec -T backup sh /deploy/backup.sh check || fails 'the check of the backup succeeds'
  holds 'a backup was made by pg_dump of the image, and restored'
}

check_restored() {
  call GET /assets | grep 282C02424E31 > /dev/null || fails 'the device is there again'
  holds 'everything is there again after the database was lost'
}

# The blocks of docs/postgresql.md, after a device was added by mistake.
try_recovery() {
  local moment
  echo ARCHIVE_MODE=on >> "$product/.env"
  node "$here/blocks.mjs" docs/postgresql.md "$work/recovery"
  run_block "$work/recovery/01-x-1.sh"
  call POST /assets '{"serialNumber":"282C02424E32","name":"Before the mistake"}' > /dev/null
  sleep 2
  moment=$(date -u '+%Y-%m-%d %H:%M:%S+00')
  sleep 2
  call POST /assets '{"serialNumber":"282C02424E33","name":"The mistake"}' > /dev/null
  run_block "$work/recovery/02-x-2.sh"
  sed -i "s/'2026-.*+00'/'$moment'/" "$work/recovery/03-x-3.sh"
  run_block "$work/recovery/03-x-3.sh"
  run_block "$work/recovery/06-x-1.sh"
  check_moment 'the database is that of the moment'
  compose down > /dev/null 2>&1
  podman volume rm device-monitoring-service_postgres > /dev/null
  run_block "$work/recovery/04-x-4.sh"
  check_moment 'the database is there after its disk was lost'
  holds 'the blocks of docs/postgresql.md lead back to a moment, and to the end of the log without the disk of PostgreSQL'
}

check_moment() {
  call GET /assets > "$work/printed"
  grep 282C02424E32 "$work/printed" > /dev/null && ! grep 282C02424E33 "$work/printed" > /dev/null || fails "$1"
}

# The block of docs/postgresql.md, which finds the programs of 18 under both names, as 19 is not released.
try_major_upgrade() {
  compose down > /dev/null 2>&1
  { cat "$work/recovery/05-x-1.sh"; echo 'cp "$OLD/pg_hba.conf" "$NEW/"'; } > "$product/upgrade.sh"
  compose run --rm --no-deps --no-TTY --user postgres --workdir /tmp --volume "$product/upgrade.sh:/upgrade.sh:ro" postgres sh -eu /upgrade.sh \
    > "$work/printed" 2>&1 || { cat "$work/printed" >&2; fails 'pg_upgrade succeeds'; }
  echo TRIED_PGDATA=/var/lib/postgresql/19/docker >> "$product/.env"
  { compose up --detach --wait postgres && compose exec -T postgres vacuumdb --username dms --all --analyze-in-stages --missing-stats-only \
    && compose up --detach --wait; } > "$work/printed" 2>&1 || { cat "$work/printed" >&2; fails 'the upgraded database starts'; }
  [ "$(compose exec -T postgres psql --username dms --dbname dms -Atc 'show data_directory')" = /var/lib/postgresql/19/docker ] || fails 'the new data is used'
  call GET /assets | grep 282C02424E31 > /dev/null || fails 'the device is there after the upgrade'
  holds 'pg_upgrade leads from one cluster to another'
}

# As the page has it under "Certificates" and "Before other proxies".
try_certificates_and_proxies() {
  mkdir -p "$product/certificates"
  echo TLS=files >> "$product/.env"
  make_certificate first
  compose up --detach --wait web > "$work/printed" 2>&1 || { cat "$work/printed" >&2; fails 'Caddy starts with certificates of files'; }
  serves "$product/certificates/fullchain.pem" || fails 'the certificate of a file is served'
  make_certificate second
  compose restart web > /dev/null 2>&1
  serves "$product/certificates/fullchain.pem" || fails 'a renewed certificate is served after a restart'
  holds 'certificates of files are served, and renewed by a restart'

  printf 'TLS=internal\nLOG_LEVEL=debug\n' >> "$product/.env"
  compose up --detach --wait > "$work/printed" 2>&1 || { cat "$work/printed" >&2; fails 'the service starts with a certificate of its own'; }
  for _ in $(seq 20); do
    compose exec -T web cat /data/caddy/pki/authorities/local/root.crt > "$work/internal.pem" 2> /dev/null && break
    sleep 1
  done
  serves "$work/internal.pem" || fails 'a certificate of its own is served'
  holds 'with TLS=internal, Caddy serves a certificate of its own'
  ask_from worker 203.0.113.9
  wait_for 'behind one proxy, the address of a client is that of its connection, whatever it writes' api "\"address\":\"$(address_of worker)\""
  echo "FRONT_PROXIES=$(address_of mail)" >> "$product/.env"
  compose up --detach --wait --no-deps web > /dev/null 2>&1
  serves "$work/internal.pem" || fails 'Caddy starts behind a load balancer'
  ask_from mail '203.0.113.9, 198.51.100.7'
  wait_for 'behind two proxies, it is the one that the first of them saw' api '"address":"198.51.100.7"'
}

make_certificate() {
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$1" -addext subjectAltName=DNS:monitoring.example.com \
    -keyout "$product/certificates/privkey.pem" -out "$product/certificates/fullchain.pem" 2> "$work/openssl.log"
}

serves() {
  /usr/bin/curl --silent --fail --retry 20 --retry-all-errors --cacert "$1" \
    --connect-to "monitoring.example.com:443:127.0.0.1:$https_port" https://monitoring.example.com/livez > /dev/null
}

address_of() { podman inspect --format '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}' "$(compose ps --quiet "$1")"; }

# A request with a forged or forwarded address, to the port without TLS.
ask_from() {
  compose exec -T "$1" node -e "fetch('http://web:8080/assets', { headers: { 'X-Forwarded-For': '$2' } }).then((r) => process.exit(r.status === 401 ? 0 : 1))" \
    || fails "a request from $1 is answered"
}

# Each of two processes is stopped in turn; loggers and clients are served by the other one. An upgrade keeps both.
try_several_processes() {
  sed -i 's/^  \(api\|gateway\): \*build$/  \1:\n    <<: *build\n    scale: 2/' "$product/docker-compose.override.yml"
  compose up --detach --wait > "$work/printed" 2>&1 || { cat "$work/printed" >&2; fails 'two of each start'; }
  local number kind
  for number in 1 2; do
    podman stop "device-monitoring-service-gateway-$number" "device-monitoring-service-api-$number" > /dev/null
    for _ in $(seq 10); do node "$here/coap-ping.mjs" "$coap_port" && break; done || fails "loggers are answered without gateway $number"
    serves "$work/internal.pem" || fails "clients are answered without API $number"
    compose up --detach --wait > /dev/null 2>&1
  done
  holds 'with two of each, loggers and clients are served while either is stopped'
  run_block "$work"/blocks/*-7-1.sh
  for kind in api gateway; do
    [ "$(compose ps --quiet "$kind" | wc -l)" = 2 ] || fails "two of the kind $kind run after an upgrade"
  done
  holds 'with two of each, two of each run after an upgrade'
}

# By the program of a release, which finds podman by the name of docker.
try_image_of_release() {
  local file=$work/device-monitoring-service-9.9.9-image.tar
  node --import=#typescript --input-type=module -e "
    import { findImageBuilder, packImage } from './dev/release/pack-service.ts';
    packImage('$product', '$work', { builder: findImageBuilder(), version: '9.9.9', commit: 'abc' });" > "$work/printed" 2>&1 \
    || { cat "$work/printed" >&2; fails 'a release packs its image'; }
  docker rmi device-monitoring-service:9.9.9 > /dev/null
  docker load --input "$file" > /dev/null
  docker inspect --format '{{index .Config.Labels "org.opencontainers.image.revision"}}' device-monitoring-service:9.9.9 | grep -x abc > /dev/null \
    || fails 'the image of a release names its commit'
  docker run --rm --network none device-monitoring-service:9.9.9 dms --help > /dev/null || fails 'the image of a release runs'
  holds "a release packs an image, which is loaded and runs ($(($(stat -c %s "$file") / 1000000)) MB)"
}

compose() { (cd "$product" && docker compose "$@"); }

call() {
  curl --fail --retry 20 --retry-all-errors --request "$1" --header "Authorization: Bearer $key" --header 'Content-Type: application/json' \
    ${3:+--data "$3"} "https://monitoring.example.com$2" || fails "$1 $2"
}

wait_for() {
  for _ in $(seq 60); do
    compose logs "$2" 2>&1 | grep "$3" > /dev/null && { holds "$1"; return; }
    sleep 1
  done
  fails "$1"
}

[ "${1:-}" = --keep ] && keep=yes
[ "$(id -u)" = 0 ] || fails 'podman needs root here'
begin=$(date +%s)
sh "$here/programs.sh" "$programs"
prepare_folder
trap stop EXIT
prepare_product
sh "$here/images.sh" "$programs" "$product" > "$work/images.log" 2>&1 || { tail -n 30 "$work/images.log" >&2; fails 'stand-ins for the base images are built'; }
echo "compose:try: stand-ins for the base images are built ($(($(date +%s) - begin)) s)"
podman system service --time 0 "$DOCKER_HOST" > "$work/service.log" 2>&1 &
run_health_checks &
begin=$(date +%s)
walk
holds "docs/production.md was walked in $(($(date +%s) - begin)) s"
try_recovery
try_major_upgrade
try_certificates_and_proxies
try_several_processes
try_image_of_release
walked=yes
