#!/bin/sh
# Stands in for the entry point of the image of PostgreSQL: makes the cluster once, then runs the server as the user postgres.
# Any other command is run as it is.
set -eu
as_postgres() { setpriv --reuid postgres --regid postgres --init-groups env HOME=/var/lib/postgresql "$@"; }
[ "$1" = postgres ] || exec "$@"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  as_postgres mkdir -p "$PGDATA"
  echo "$POSTGRES_PASSWORD" > /dev/shm/password && chmod 644 /dev/shm/password
  # shellcheck disable=SC2086
  as_postgres initdb --pgdata "$PGDATA" --username "$POSTGRES_USER" --pwfile /dev/shm/password --auth-host scram-sha-256 \
    --auth-local trust $POSTGRES_INITDB_ARGS
  rm /dev/shm/password
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  as_postgres pg_ctl --pgdata "$PGDATA" -w -o '-c listen_addresses=' start
  as_postgres psql --username "$POSTGRES_USER" --dbname postgres --command "create database \"$POSTGRES_DB\""
  as_postgres pg_ctl --pgdata "$PGDATA" -w stop
fi
exec setpriv --reuid postgres --regid postgres --init-groups "$@"
