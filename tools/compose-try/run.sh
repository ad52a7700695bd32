#!/bin/bash
# Builds the image by the Dockerfile and walks docs/production.md by the compose file, for real: Docker Compose on podman, in
# storage and networks of its own, with an ACME server and a mail server. Needs Debian 12 or later, root, Go, Node.js and the
# packages of the repository. Everything it started is ended and removed; `--keep` leaves the images and the folder.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$PWD/tools/compose-try
programs=$HOME/.cache/device-monitoring-service/compose-try
work=${COMPOSE_TRY_FOLDER:-/var/tmp/compose-try}
product=$work/device-monitoring-service
http_port=18080 https_port=18443 api_port=18081 coap_port=15683 temporal_port=17233
export CONTAINERS_CONF=$work/containers.conf DISABLE_HC_SYSTEMD=true DOCKER_HOST=unix://$work/podman.sock
unset COMPOSE_FILE COMPOSE_PROJECT_NAME

holds() { echo "compose:try: holds: $1"; }
fails() { echo "compose:try: FAILS: $1" >&2; exit 1; }

prepare_folder() {
  mkdir -p "$work/bin" "$work/networks" "$work/own"
  sed "s|FOLDER|$work|" "$here/containers.conf" > "$CONTAINERS_CONF"
  printf '#!/bin/sh\nexec /usr/bin/podman --root %s/storage --runroot %s/run "$@"\n' "$work" "$work" > "$work/bin/podman"
  printf '#!/bin/sh\n[ "$1" = compose ] || exec podman "$@"\nshift\n[ "$1" != build ] || exit 0\nexec %s/compose/docker-compose "$@"\n' "$programs" > "$work/bin/docker"
  # The image is built by podman, as BuildKit cannot be pulled. The name of the tutorial leads here, and the root of the ACME server is trusted.
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
ACME_CA=https://pebble:14000/dir
EOF
  # nginx of Debian cannot look names up again, and has its stream module in a file.
  sed -i -e 's/ resolve;/;/' -e '/resolver/d' "$product/deploy/nginx.conf"
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
    (cd "$product" && timeout 300 bash -euo pipefail "$block") > "$work/printed" 2>&1 || { cat "$work/printed" >&2; fails "$heading"; }
    after "${heading#*-}"
  done
}

after() {
  case "$1" in
    1-*) check_settings ;;
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

trust_acme_server() {
  local ready=no
  for _ in $(seq 60); do
    /usr/bin/curl --silent --insecure https://127.0.0.1:15000/roots/0 > "$work/root.pem" && ready=yes && break
    sleep 1
  done
  [ $ready = yes ] || fails 'the ACME server answers'
  local user
  user=$(cd "$product" && docker compose exec -T api id -un)
  [ "$user" = node ] || fails "processes run as node, not as $user"
  (cd "$product" && docker compose exec -T api sh -c '! touch /app/x 2> /dev/null && touch /tmp/x') || fails 'the root is read-only, and /tmp is not'
  holds 'processes run as another user than root, on a read-only root'
  (cd "$product" && docker compose exec -T api node -e "if (!(JSON.parse(require('fs').readFileSync('sbom.cdx.json')).components.length > 100)) process.exit(1)") \
    || fails 'the image has a list of its packages'
  holds 'the image has an SBOM'
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
  node "$here/coap-ping.mjs" "$coap_port" || fails 'a logger reaches the gateway'
  holds 'loggers are answered over HTTP and CoAP'
}

check_backup() {
  grep -q 'was restored: organizations 1, devices 1' "$work/printed" || { cat "$work/printed"; fails 'the backup is restored'; }
  (cd "$product" && docker compose exec -T backup sh /deploy/backup.sh check) || fails 'the check of the backup succeeds'
  holds 'a backup was made by pg_dump of the image, and restored'
}

check_restored() {
  call GET /assets | grep 282C02424E31 > /dev/null || fails 'the device is there again'
  holds 'everything is there again after the database was lost'
}

call() {
  curl --fail --retry 20 --retry-all-errors --request "$1" --header "Authorization: Bearer $key" --header 'Content-Type: application/json' \
    ${3:+--data "$3"} "https://monitoring.example.com$2" || fails "$1 $2"
}

wait_for() {
  for _ in $(seq 60); do
    (cd "$product" && docker compose logs "$2") 2>&1 | grep "$3" > /dev/null && { holds "$1"; return; }
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
sh "$here/images.sh" "$programs" "$product" "$work/own" > "$work/images.log" 2>&1 || { tail -n 30 "$work/images.log" >&2; fails 'the image is built'; }
holds "the image is built by the Dockerfile ($(($(date +%s) - begin)) s)"
podman system service --time 0 "$DOCKER_HOST" > "$work/service.log" 2>&1 &
run_health_checks &
begin=$(date +%s)
walk
walked=yes
holds "docs/production.md was walked in $(($(date +%s) - begin)) s"
